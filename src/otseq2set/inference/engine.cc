#include "otseq2set/inference/engine.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "otseq2set/core/threads.h"
#include "otseq2set/inference/beam_search.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/memory_estimate.h"

namespace otseq2set::inline inference {

namespace {

constexpr int64_t kManyLabels = 1 << 15;  // the logits of a group take 8 MB
constexpr size_t kLargeShare = 64;        // of the labels: so many of the best are found as fast among all

// The next step of what is decoded.
void add_step(DecodedDocument& decoded, const DecodingRun& run, int64_t, int64_t row, Span<const float> attention) {
  decoded.add(run.logits(row), run.rows()[row], run.rows()[row].best, attention);
}
void add_step(DecodedBest& decoded, const DecodingRun& run, int64_t t, int64_t row, Span<const float> attention) {
  decoded.add(run.output_in(t, row), run.rows()[row], run.largest(row), run.rows()[row].best, attention);
}

}  // namespace

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

template <class Decoded>
std::vector<Decoded> Engine::decode_greedily(const std::vector<EncodedDocuments>& shards, const Decoded& start,
                                             const KeptLogits& kept) const {
  std::vector<StepDocument<float>> documents;
  for (const EncodedDocuments& shard : shards) {
    for (int64_t i = 0; i < shard.count(); ++i) documents.push_back(shard.document(i));
  }
  std::vector<Decoded> decoded(documents.size(), start);
  std::vector<int64_t> words;
  for (const auto& document : documents) words.push_back(document.memories[0].positions);
  DecodingRun run(decoder_, std::move(documents), static_cast<int64_t>(shards[0].memories.size()), config_.model.steps,
                  kept);
  std::vector<int64_t> read(decoded.size(), kStartLabel);
  for (int64_t t = 0; t < config_.model.steps; ++t) {
    run.step(read);
    parallel_for(static_cast<int64_t>(decoded.size()), [&](int64_t row) {
      read[row] = run.rows()[row].best;
      add_step(decoded[row], run, t, row, {run.attention(t, row), static_cast<size_t>(words[row])});
    });
    if (std::all_of(decoded.begin(), decoded.end(), [](const Decoded& one) { return one.ended(); })) break;
  }
  return decoded;
}

template <class Decoded, class AnyUse>
void Engine::decode_groups(const std::vector<Span<const int32_t>>& documents, const Decoded& start,
                           const KeptLogits& kept, const AnyUse& use) const {
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
    std::vector<Decoded> decoded;
    if (beam_ == 1) decoded = decode_greedily(shards, start, kept);
    parallel_for(static_cast<int64_t>(words.size()), [&](int64_t i) {
      if (beam_ == 1) {
        use(order[begin + i], decoded[i]);
      } else {
        Decoded own = start;
        search_beam(decoder_, shards[i / kShardDocuments], i % kShardDocuments, config_, beam_, kept.largest, own);
        use(order[begin + i], own);
      }
    });
  };
  if (groups_at_once(config_, decoder_.label_ids(), groups, thread_count()) > 1) {
    parallel_for(groups, decode_group);
  } else {
    for (int64_t group = 0; group < groups; ++group) decode_group(group);
  }
}

void Engine::decode(const std::vector<Span<const int32_t>>& documents, bool with_attention, const Use& use) const {
  decode_groups(documents, DecodedDocument(variant_of(config_), labels(), with_attention, decoder_.arithmetic()), {},
                use);
}

void Engine::decode_best(const std::vector<Span<const int32_t>>& documents, size_t k, bool with_attention,
                         const UseBest& use) const {
  decode_groups(documents, DecodedBest(variant_of(config_), decoder_.out(), with_attention, decoder_.arithmetic()),
                {/*all=*/false, DecodedBest::kept_for(k)}, use);
}

bool Engine::prefers_best(size_t k) const {
  return decoder_.label_ids() >= kManyLabels && !decoder_.reads_all_logits() &&
         k <= static_cast<size_t>(labels()) / kLargeShare;
}

}  // namespace otseq2set::inline inference
