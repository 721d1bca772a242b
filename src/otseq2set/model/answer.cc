#include "otseq2set/model/answer.h"

#include <algorithm>
#include <numeric>

#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/softmax_rows.h"
#include "otseq2set/model/ids.h"

namespace otseq2set {

namespace {
constexpr size_t kTogetherPlain = 16;                  // the plain decoder has a group on each thread
constexpr int64_t kMostSideBySide = int64_t{1} << 28;  // values of all groups at a time: 1 GB

// One document of a group, without what only makes the group rectangular.
Memory memory_of(const Memory& group, int64_t i) {
  const int64_t length = group.lengths.data_ptr<int64_t>()[i];
  const auto cut = [&](const torch::Tensor& tensor) { return tensor.narrow(0, i, 1).narrow(1, 0, length); };
  return {cut(group.states), cut(group.keys), group.lengths.narrow(0, i, 1), cut(group.outside)};
}

DecoderInput document_of(const DecoderInput& group, int64_t i) {
  DecoderInput input{group.first.narrow(0, i, 1), memory_of(group.words, i), {}};
  if (group.phrases) input.phrases = memory_of(*group.phrases, i);
  return input;
}

// words: of the documents `rows`.
void search_beams(Network& network, const std::vector<Span<const int32_t>>& words,
                  const std::vector<size_t>& rows, const Config& config, int64_t beam,
                  const UseDecoded& use) {
  const auto shards = encode_shards(network, words, receptive_field(config.model.light_conv), Dropout());
  parallel_for(static_cast<int64_t>(rows.size()), [&](int64_t i) {
    torch::NoGradGuard no_gradient;  // holds for one thread only
    const DecoderInput document = document_of(shards[i / kShardDocuments], i % kShardDocuments);
    use({rows[i]}, network->decoder()->decode_beam(document, config.model.steps, beam));
  });
}

}  // namespace

std::vector<int32_t> label_set(const Decoded& decoded, int64_t document, const Variant& variant) {
  std::vector<int32_t> set;
  const torch::Tensor ids = decoded.labels[document].to(torch::kCPU).contiguous();
  for (int64_t t = 0; t < ids.size(0); ++t) {
    const int64_t id = ids.data_ptr<int64_t>()[t];
    if (variant.sequence && id == kEndLabel) break;
    const auto label = static_cast<int32_t>(id - kFirstLabel);
    if (id >= kFirstLabel && std::find(set.begin(), set.end(), label) == set.end()) set.push_back(label);
  }
  return set;
}

torch::Tensor label_scores(const Decoded& decoded, const Variant& variant) {
  const torch::Tensor logits =
      decoded.logits.to(torch::kCPU, torch::kFloat32);  // any order of rows in memory
  const torch::Tensor log_sums = decoded.log_sums.to(torch::kCPU, torch::kFloat32);
  const torch::Tensor ids = decoded.labels.to(torch::kCPU);
  const int64_t batch = logits.size(0), steps = logits.size(1), labels = logits.size(2) - kFirstLabel;
  TORCH_CHECK(logits.stride(2) == 1, "the logits of a step must stand side by side");
  torch::Tensor scores = torch::zeros({batch, labels}, torch::kFloat32);
  parallel_for(batch, [&](int64_t i) {
    for (int64_t t = 0; t < steps; ++t) {
      row_add_scores(scores.data_ptr<float>() + i * labels,
                     logits.data_ptr<float>() + i * logits.stride(0) + t * logits.stride(1) + kFirstLabel,
                     labels, log_sums.accessor<float, 2>()[i][t]);
      if (variant.sequence && ids.accessor<int64_t, 2>()[i][t] == kEndLabel) break;
    }
  });
  return scores;
}

int64_t best_step(const Decoded& decoded, int64_t document, int32_t label, const Variant& variant) {
  const torch::Tensor log_probabilities =
      (decoded.logits[document].select(1, label + kFirstLabel) - decoded.log_sums[document])
          .to(torch::kCPU, torch::kFloat64)
          .contiguous();  // [steps]
  const torch::Tensor ids = decoded.labels[document].to(torch::kCPU).contiguous();
  int64_t best = 0;
  for (int64_t t = 0; t < ids.size(0); ++t) {
    if (log_probabilities.data_ptr<double>()[t] > log_probabilities.data_ptr<double>()[best]) best = t;
    if (variant.sequence && ids.data_ptr<int64_t>()[t] == kEndLabel) break;
  }
  return best;
}

int64_t groups_at_once(const ModelConfig& model, int64_t label_ids, int64_t groups, int threads) {
  // Roughly what a group keeps: states and keys of words and phrases; states, features and logits of steps.
  const int64_t words = model.max_words * 6 * model.hidden;
  const int64_t steps = model.steps * (label_ids + 23 * model.hidden + 3 * model.label_embedding +
                                       model.bottleneck + 2 * model.max_words);
  const bool fits = threads * kDecodedTogether * (words + steps) <= kMostSideBySide;
  return fits && groups >= 2 * threads ? threads : 1;
}

void decode_documents(Network& network, const PackedDecoder* packed,
                      const std::vector<Span<const int32_t>>& documents, const Config& config, int64_t beam,
                      const UseDecoded& use) {
  std::vector<size_t> order(documents.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return documents[a].size() > documents[b].size(); });
  const int64_t least_words = receptive_field(config.model.light_conv);
  const size_t together =
      packed != nullptr || beam > 1 ? static_cast<size_t>(kDecodedTogether) : kTogetherPlain;
  const auto groups = static_cast<int64_t>((order.size() + together - 1) / together);
  const auto decode = [&](int64_t group) {
    torch::NoGradGuard no_gradient;
    const size_t begin = group * together, end = std::min(begin + together, order.size());
    const std::vector<size_t> rows(order.begin() + begin, order.begin() + end);
    std::vector<Span<const int32_t>> words;
    for (size_t row : rows) words.push_back(documents[row]);
    if (beam > 1) {
      search_beams(network, words, rows, config, beam, use);
      return;
    }
    use(rows, packed != nullptr
                  ? network->decoder()->decode_fused(encode_shards(network, words, least_words, Dropout()),
                                                     config.model.steps, packed)
                  : network->decode(make_batch(words, least_words, network->device()), config.model.steps,
                                    Dropout()));
  };
  const bool side_by_side =
      packed == nullptr ||
      groups_at_once(config.model, network->label_vectors().size(0), groups, thread_count()) > 1;
  if (beam == 1 && side_by_side) {
    parallel_for(groups, decode);
  } else {
    for (int64_t group = 0; group < groups; ++group) decode(group);
  }
}

}  // namespace otseq2set
