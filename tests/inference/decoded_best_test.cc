// The best labels alone, against the scores of all labels: the same bits, whatever was kept.
#include "otseq2set/inference/decoded_best.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>

#include "otseq2set/core/threads.h"
#include "support/highway_targets.h"
#include "support/torch_engine.h"
#include "support/torch_tiny_network.h"

namespace otseq2set::testing {
namespace {

constexpr float kNoFloor = 2;

void expect_same(const std::vector<ScoredLabel>& found, const std::vector<ScoredLabel>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].label, expected[i].label) << "at place " << i;
    EXPECT_EQ(found[i].score, expected[i].score) << "at place " << i;
  }
}

TEST(RunningBest, WhateverTheOrderOfTheBlocks) {
  RandomStream random(1, "values");
  for (const size_t most : {1, 3, 40, 200, 500}) {
    std::vector<float> values(300);
    for (float& value : values) value = static_cast<float>(random.below(50));  // many ties
    std::vector<ScoredLabel> expected;
    for (int32_t i = 0; i < 300; ++i) expected.push_back({i, values[i]});
    std::sort(expected.begin(), expected.end(), better);
    expected.resize(std::min<size_t>(most, 300));
    std::vector<int64_t> blocks(30);
    std::iota(blocks.begin(), blocks.end(), 0);
    RunningBest best(most);
    for (int round = 0; round < 3; ++round) {
      random.shuffle(blocks);
      for (const int64_t block : blocks) {
        const float* own = values.data() + 10 * block;
        if (best.takes(*std::max_element(own, own + 10))) best.add(own, 10, 10 * block);
      }
      expect_same(best.take(), expected);
    }
  }
}

// An output layer that gives the steps these logits: step t reads the t-th unit vector.
struct GivenLogits {
  explicit GivenLogits(std::vector<std::vector<float>> given) : logits(std::move(given)) {
    const size_t steps = logits.size(), ids = logits[0].size();
    std::vector<float> weight;
    for (size_t id = 0; id < ids; ++id) {
      for (size_t t = 0; t < steps; ++t) weight.push_back(logits[t][id]);
    }
    const std::vector<float> bias(ids);
    out.emplace(static_cast<int64_t>(ids), static_cast<int64_t>(steps), weight.data(), bias.data());
  }

  RowSoftmax row(size_t t) const {
    return softmax_in_blocks(1, static_cast<int64_t>(logits[t].size()), logits[t].data(), [](int64_t, int64_t) {})[0];
  }
  DecodedDocument all() const {
    DecodedDocument decoded(variant_of(tiny_config()), static_cast<int64_t>(logits[0].size()) - kFirstLabel, true);
    for (size_t t = 0; t < logits.size(); ++t) {
      const auto look = static_cast<float>(t);
      decoded.add(logits[t].data(), row(t), row(t).best, {&look, 1});
    }
    return decoded;
  }
  DecodedBest best(size_t kept) const {
    DecodedBest decoded(variant_of(tiny_config()), *out, true);
    for (size_t t = 0; t < logits.size(); ++t) {
      RunningBest largest(kept);
      largest.add(logits[t].data(), static_cast<int64_t>(logits[t].size()), 0);
      std::vector<float> in(logits.size());
      in[t] = 1;
      const auto look = static_cast<float>(t);
      decoded.add(in.data(), row(t), largest.take(), row(t).best, {&look, 1});
    }
    return decoded;
  }

  std::vector<std::vector<float>> logits;  // [steps][label ids]
  std::optional<PackedLinear<float>> out;
};

GivenLogits random_logits(size_t steps, size_t ids, double spread, bool ties, uint64_t seed) {
  RandomStream random(seed, "logits");
  std::vector<std::vector<float>> logits(steps, std::vector<float>(ids));
  for (auto& row : logits) {
    for (float& value : row) {
      const double drawn = spread * std::pow(random.uniform(-1.6, 1.6), 3);  // few are large
      value = static_cast<float>(ties ? std::round(drawn) : drawn);
    }
  }
  return GivenLogits(std::move(logits));
}

// From one logit a step, which says nothing of the others, to all of them.
TEST(DecodedBest, IsTheSameAsAllScoresWhateverIsKept) {
  const ThreadLimit one_thread(1);  // products so small are done before another wakes up
  for_each_target([] {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      for (const double spread : {0.01, 1.0, 6.0, 200.0}) {
        const GivenLogits given = random_logits(1 + seed % 5, 4000 + seed, spread, seed % 2 == 0, seed);
        const DecodedDocument all = given.all();
        for (const size_t kept : {1, 40, 5000}) {
          const DecodedBest best = given.best(kept);
          EXPECT_EQ(best.set(), all.set());
          for (const size_t k : {0, 1, 7, 10000}) {
            for (const float floor : {kNoFloor, 1e-3F}) {
              SCOPED_TRACE(fmt::format("seed {}, spread {}, kept {}, k {}, floor {}", seed, spread, kept, k, floor));
              expect_same(best.best(k, floor), AllScores(all.scores()).best(k, floor));
            }
          }
        }
      }
    }
  });
}

// One label is the second of every step, and its score the best of all.
TEST(DecodedBest, FindsALabelThatWasNeverTheLargest) {
  std::vector<std::vector<float>> logits(3, std::vector<float>(2000, -9));
  for (int64_t t = 0; t < 3; ++t) {
    logits[t][kFirstLabel + 100 * t] = 0.1F;
    logits[t][kFirstLabel + 777] = 0;
  }
  const GivenLogits given(std::move(logits));
  const std::vector<ScoredLabel> found = given.best(1).best(1, kNoFloor);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].label, 777);
  expect_same(found, AllScores(given.all().scores()).best(1, kNoFloor));
}

TEST(DecodedBest, KnowsWhichStepALabelHadItsHighestProbabilityAt) {
  const GivenLogits given = random_logits(5, 300, 2, /*ties=*/true, 3);
  const DecodedDocument all = given.all();
  const DecodedBest best = given.best(4);
  for (int32_t label = 0; label < 297; ++label) EXPECT_EQ(best.attention(label), all.attention(label)) << label;
}

// Greedy decoding of every variant that can, and beam search of the sequences.
TEST(DecodedBest, OfANetworkIsTheSameAsAllScores) {
  for (const auto& [variant, bottleneck, beam] : std::vector<std::tuple<std::string, int64_t, int64_t>>{
           {"otseq2set", 0, 1}, {"otseq2set", 5, 1}, {"bm", 0, 1}, {"seq2seq", 0, 1}, {"seq2seq_lc", 5, 3}}) {
    Config config = tiny_config(variant);
    config.model.labels = 1500;
    config.model.bottleneck = bottleneck;
    const Network network = tiny_network(config);
    const Documents documents = random_documents(12, 18, 3);
    for_each_target([&, beam = beam] {
      const Engine engine = engine_of(network, config, beam);
      std::vector<std::optional<DecodedDocument>> all(documents.size());
      engine.decode(spans(documents), true, [&](size_t i, const DecodedDocument& decoded) { all[i] = decoded; });
      std::mutex mutex;
      size_t labels = 0;
      engine.decode_best(spans(documents), 10, true, [&](size_t i, const DecodedBest& decoded) {
        const std::lock_guard<std::mutex> guard(mutex);
        EXPECT_EQ(decoded.set(), all[i]->set());
        EXPECT_EQ(decoded.of(decoded.set()), AllScores(all[i]->scores()).of(all[i]->set()));
        expect_same(decoded.best(10, kNoFloor), AllScores(all[i]->scores()).best(10, kNoFloor));
        expect_same(decoded.best(0, 0.01F), AllScores(all[i]->scores()).best(0, 0.01F));
        for (const int32_t label : decoded.set()) EXPECT_EQ(decoded.attention(label), all[i]->attention(label));
        labels += decoded.set().size();
      });
      EXPECT_GT(labels, documents.size() / 2) << "a test of empty sets means nothing";
    });
  }
}

}  // namespace
}  // namespace otseq2set::testing
