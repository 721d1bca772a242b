// A decoded document of a model with very many labels, of which only the best are asked for.
//
// A score for every label would take a pass over all logits of every step. Kept instead are, of each step, the largest
// logits and what the output layer read, from which the logits of any label can be computed again, bit by bit the same.
// A label that is not among the largest of step t has at most the probability l_t of the last that is, so
//
//   score <= 1 - product over the steps of (1 - l_t)
//
// and if the k-th best of those that are kept lies above, the k best are among them. Else all logits are computed once
// more, in blocks. Either way the answer has the same bits as DecodedDocument's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "otseq2set/inference/decoded_document.h"
#include "otseq2set/inference/label_scores.h"
#include "otseq2set/kernels/packed_linear.h"

namespace otseq2set::inline inference {

class DecodedBest : public DecodedSteps, public LabelScores {
 public:
  // out: the output layer, which must outlive this.
  DecodedBest(const Variant& variant, const PackedLinear<float>& out, bool with_attention,
              Arithmetic arithmetic = Arithmetic::kFused)
      : DecodedSteps(variant, with_attention), out_(&out), arithmetic_(arithmetic) {}

  // The next step. in: what the output layer read; largest: ids and logits, best first.
  void add(const float* in, const RowSoftmax& row, std::vector<ScoredLabel> largest, int64_t label,
           Span<const float> attention);

  std::vector<float> of(const std::vector<int32_t>& labels) const override;
  std::vector<ScoredLabel> best(size_t k, float floor) const override;

  // Logits of a step to keep, so that the k best labels are mostly found among them.
  static size_t kept_for(size_t k);

 private:
  // A label among the largest of some step, and between which bounds its score lies.
  struct Candidate {
    int64_t id;
    double least, most;
  };
  struct Candidates {
    std::vector<Candidate> kept;  // by id
    double most_of_others;        // no other label has a score above
  };

  size_t best_step(int32_t label) const override;
  int64_t steps() const { return static_cast<int64_t>(log_sums_.size()); }
  int64_t labels() const;
  std::vector<float> logits(int64_t begin, int64_t end) const;       // [steps, ids from begin to end]
  std::vector<float> scores(int64_t begin, int64_t end) const;       // of the ids from begin to end
  std::vector<float> of_ids(const std::vector<int64_t>& ids) const;  // ids: ascending
  Candidates candidates() const;
  std::optional<std::vector<ScoredLabel>> best_of_kept(size_t k, float floor) const;
  std::vector<ScoredLabel> best_of_all(size_t k, float floor) const;

  const PackedLinear<float>* out_;
  Arithmetic arithmetic_;
  std::vector<float> in_;                          // [steps, inputs of the output layer]
  std::vector<float> log_sums_;                    // [steps]
  std::vector<std::vector<ScoredLabel>> largest_;  // [steps][kept], ids and logits
};

}  // namespace otseq2set::inline inference
