// From decoded steps to an answer: the set of labels, and a score for every label.
//
//   set    = distinct labels of all steps that are not special; an empty step does not end it
//   score  = 1 - product over the steps of (1 - P_t[label]): that the label is produced at least once
//
// In a sequence model the end mark ends the answer: no label of a later step belongs to the set, and the
// product runs over the steps up to the one that gave the mark.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "otseq2set/model/network.h"

namespace otseq2set {

// Label indexes (without the special ids) of one document of `decoded`,
// in the order of the steps that gave them.
std::vector<int32_t> label_set(const Decoded& decoded, int64_t document, const Variant& variant);

// [batch, labels] float on the CPU; special ids are left out.
torch::Tensor label_scores(const Decoded& decoded, const Variant& variant);

// The step that gave the label (an index without the special ids) its highest probability, the first of
// equals; in a sequence model one up to the end mark.
int64_t best_step(const Decoded& decoded, int64_t document, int32_t label, const Variant& variant);

// Documents that the fused decoder takes together. Part of the result's definition, because products round
// differently in other shapes.
constexpr int64_t kDecodedTogether = 64;

// Such groups that are decoded at a time: one on each thread, which then waits for nobody, or one on all
// threads where there are too few of them or they would take too much memory. The result is the same.
int64_t groups_at_once(const ModelConfig& model, int64_t label_ids, int64_t groups, int threads);

// Decodes documents (each cut already) without gradients, similar lengths together, on all threads. `use` may
// be called from several threads, with the indexes of the documents that the rows of `decoded` belong to.
// With a beam above 1, which only the sequence models know, by beam search; otherwise with `packed`, which is
// null where there is no fused decoder.
using UseDecoded = std::function<void(const std::vector<size_t>& documents, const Decoded& decoded)>;
void decode_documents(Network& network, const PackedDecoder* packed,
                      const std::vector<Span<const int32_t>>& documents, const Config& config, int64_t beam,
                      const UseDecoded& use);

}  // namespace otseq2set
