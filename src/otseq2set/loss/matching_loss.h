// Bipartite matching (paper, eq. 11-13): each label is asked of the step that already likes it most, so that
// the order of a document's labels does not matter.
//
//   maximise  sum P[step, its label]  one to one;   the steps left over are asked for the empty label
//   L_b = sum of w * -log P[step, its label] / sum of w,   w = 1 for a label, lambda_empty for the empty one
//
// This file gives the sum; whoever adds up a batch divides by `matching_weight` over all of its documents.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace otseq2set::inline loss {

enum class MatchingScheme {
  kAll,     // labels against all steps
  kFirstN,  // n labels against the first n steps
};
MatchingScheme matching_scheme(const std::string& name);  // "all" or "first_n"

// Label ids of each document, distinct; may be empty, may be more than there are steps.
using LabelSets = std::vector<std::vector<int64_t>>;

// P[step, label] of one document, `label` being a place in its set. Called from several threads.
using StepProbability = std::function<double(int64_t document, int64_t step, int64_t label)>;

// The id asked of each step [batch, steps] int64 on the CPU. With more labels than steps, the best are taken.
torch::Tensor match_labels(const StepProbability& probability, int64_t steps, const LabelSets& labels,
                           MatchingScheme scheme);

// The same for log_probabilities [batch, steps, label ids]. No gradient.
torch::Tensor match_labels(const torch::Tensor& log_probabilities, const LabelSets& labels, MatchingScheme scheme);

// sum of w * -log P[step, target] over all documents and steps; targets as match_labels returns them.
torch::Tensor matching_loss_sum(const torch::Tensor& log_probabilities, const torch::Tensor& targets,
                                double lambda_empty);

// sum of w for one document with that many labels.
double matching_weight(size_t labels, int64_t steps, double lambda_empty);

}  // namespace otseq2set::inline loss
