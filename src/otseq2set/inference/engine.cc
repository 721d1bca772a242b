#include "otseq2set/inference/engine.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "otseq2set/core/threads.h"
#include "otseq2set/inference/beam_search.h"
#include "otseq2set/kernels/row_math.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/memory_estimate.h"

namespace otseq2set::inline inference {

DecodedDocument::DecodedDocument(const Variant& variant, int64_t labels, bool with_attention)
    : sequence_(variant.sequence),
      scores_(labels),
      best_log_probability_(with_attention ? labels : 0),
      best_step_(with_attention ? labels : 0) {}

void DecodedDocument::add(const float* logits, const RowSoftmax& row, int64_t label, Span<const float> attention) {
  if (ended_) return;
  const auto log_sum = static_cast<float>(row.largest + row.excess);
  const float* own = logits + kFirstLabel;
  row_add_scores(scores_.data(), own, static_cast<int64_t>(scores_.size()), log_sum);
  if (!best_step_.empty()) {
    const auto step = static_cast<int32_t>(attention_.size());
    for (size_t i = 0; i < best_step_.size(); ++i) {
      const float log_probability = own[i] - log_sum;
      if (step > 0 && log_probability <= best_log_probability_[i]) continue;
      best_log_probability_[i] = log_probability;
      best_step_[i] = step;
    }
    attention_.emplace_back(attention.begin(), attention.end());
  }
  ended_ = sequence_ && label == kEndLabel;
  const auto index = static_cast<int32_t>(label - kFirstLabel);
  if (label >= kFirstLabel && std::find(set_.begin(), set_.end(), index) == set_.end()) set_.push_back(index);
}

Engine::Engine(const Config& config, int64_t label_ids, ModelWeights weights, int64_t beam)
    : config_(config),
      weights_(std::move(weights)),
      beam_(beam),
      encoder_(config, weights_),
      decoder_(config, label_ids, weights_) {}

int64_t Engine::labels() const { return decoder_.label_ids() - kFirstLabel; }

std::vector<EncodedDocuments> Engine::encode_shards(const std::vector<Span<const int32_t>>& documents) const {
  const auto size = static_cast<int64_t>(documents.size());
  std::vector<EncodedDocuments> shards((size + kShardDocuments - 1) / kShardDocuments);
  parallel_for(static_cast<int64_t>(shards.size()), [&](int64_t shard) {
    const int64_t first = shard * kShardDocuments, last = std::min(first + kShardDocuments, size);
    shards[shard] = encoder_.encode({documents.begin() + first, documents.begin() + last});
  });
  return shards;
}

std::vector<DecodedDocument> Engine::decode_greedily(const std::vector<EncodedDocuments>& shards,
                                                     bool with_attention) const {
  std::vector<StepDocument<float>> documents;
  for (const EncodedDocuments& shard : shards) {
    for (int64_t i = 0; i < shard.count(); ++i) documents.push_back(shard.document(i));
  }
  std::vector<DecodedDocument> decoded(documents.size(),
                                       DecodedDocument(variant_of(config_), labels(), with_attention));
  std::vector<int64_t> words;
  for (const auto& document : documents) words.push_back(document.memories[0].positions);
  DecodingRun run(decoder_, std::move(documents), static_cast<int64_t>(shards[0].memories.size()), config_.model.steps);
  std::vector<int64_t> read(decoded.size(), kStartLabel);
  for (int64_t t = 0; t < config_.model.steps; ++t) {
    run.step(read);
    parallel_for(static_cast<int64_t>(decoded.size()), [&](int64_t row) {
      read[row] = run.rows()[row].best;
      decoded[row].add(run.logits(row), run.rows()[row], read[row],
                       {run.attention(t, row), static_cast<size_t>(words[row])});
    });
    if (std::all_of(decoded.begin(), decoded.end(), [](const DecodedDocument& one) { return one.ended(); })) break;
  }
  return decoded;
}

void Engine::decode(const std::vector<Span<const int32_t>>& documents, bool with_attention, const Use& use) const {
  std::vector<size_t> order(documents.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return documents[a].size() > documents[b].size(); });
  const auto together = static_cast<size_t>(kDecodedTogether);
  const auto groups = static_cast<int64_t>((order.size() + together - 1) / together);
  const auto decode_group = [&](int64_t group) {
    const size_t begin = group * together, end = std::min(begin + together, order.size());
    std::vector<Span<const int32_t>> words;
    for (size_t i = begin; i < end; ++i) words.push_back(documents[order[i]]);
    const std::vector<EncodedDocuments> shards = encode_shards(words);
    if (beam_ > 1) {
      parallel_for(static_cast<int64_t>(words.size()), [&](int64_t i) {
        const EncodedDocuments& shard = shards[i / kShardDocuments];
        use(order[begin + i], search_beam(decoder_, shard, i % kShardDocuments, config_, beam_, with_attention));
      });
      return;
    }
    const std::vector<DecodedDocument> decoded = decode_greedily(shards, with_attention);
    for (size_t i = begin; i < end; ++i) use(order[i], decoded[i - begin]);
  };
  if (groups_at_once(config_, decoder_.label_ids(), groups, thread_count()) > 1) {
    parallel_for(groups, decode_group);
  } else {
    for (int64_t group = 0; group < groups; ++group) decode_group(group);
  }
}

}  // namespace otseq2set::inline inference
