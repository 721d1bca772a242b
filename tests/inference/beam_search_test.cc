// Beam search against every sequence there is, at sizes where all can be tried.
#include "otseq2set/inference/beam_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/torch_engine.h"
#include "support/torch_tiny_network.h"

namespace otseq2set::testing {
namespace {

constexpr int64_t kSteps = 3;

Config small_config(const std::string& variant) {
  Config config = tiny_config(variant);
  config.model.labels = 3;
  config.model.steps = kSteps;
  return config;
}

DecoderGroup encode_one(Network& network, const std::vector<int32_t>& words) {
  return network->encode(make_batch(spans({words}), 4, torch::kCPU), Dropout());
}

// What the engine finds with a beam, as a set and scores.
DecodedDocument search(Network& network, const Config& config, const std::vector<int32_t>& words, int64_t beam) {
  const Engine engine = engine_of(network, config);
  DecodedDocument decoded(variant_of(config), engine.labels(), true);
  search_beam(engine.decoder(), engine.encoder().encode(spans({words})), 0, config, beam, 0, decoded);
  return decoded;
}

// The log-probability of a sequence that the decoder is made to produce.
double log_probability(Network& network, const DecoderGroup& input, const std::vector<int64_t>& labels) {
  std::vector<int64_t> read = {kStartLabel};
  read.insert(read.end(), labels.begin(), labels.end() - 1);
  const auto count = static_cast<int64_t>(labels.size());
  const torch::Tensor forced = torch::tensor(read, torch::kInt64).view({1, count});
  torch::Tensor logits = network->decoder()->decode(input, count, Dropout(), forced).logits[0];
  double sum = 0;
  for (int64_t t = 0; t < count; ++t) {
    sum += logits[t].to(torch::kFloat64).log_softmax(0)[labels[t]].item<double>();
  }
  return sum;
}

struct Best {
  double log_probability = -INFINITY;
  std::vector<int64_t> labels;
};

// All sequences of kSteps labels, or fewer and an end mark; keeps the likeliest.
void try_all(Network& network, const DecoderGroup& input, std::vector<int64_t>& labels, Best& best) {
  const bool ends = !labels.empty() && labels.back() == kEndLabel;
  if (ends || static_cast<int64_t>(labels.size()) == kSteps) {
    const double own = log_probability(network, input, labels);
    if (own > best.log_probability) best = {own, labels};
    return;
  }
  for (int64_t id = 0; id < 3 + kFirstLabel; ++id) {
    labels.push_back(id);
    try_all(network, input, labels, best);
    labels.pop_back();
  }
}

std::vector<int32_t> set_of(const std::vector<int64_t>& labels) {
  std::vector<int32_t> set;
  for (const int64_t id : labels) {
    const auto label = static_cast<int32_t>(id - kFirstLabel);
    if (id >= kFirstLabel && std::count(set.begin(), set.end(), label) == 0) set.push_back(label);
  }
  return set;
}

TEST(BeamSearch, AWideBeamFindsTheLikeliestSequence) {
  torch::NoGradGuard no_gradient;
  size_t better_than_greedy = 0, ended = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Config config = small_config("seq2seq_lc");
    Network network = tiny_network(config, seed);
    const std::vector<int32_t> words = random_documents(1, 9, seed)[0];
    Best best;
    std::vector<int64_t> labels;
    try_all(network, encode_one(network, words), labels, best);
    const DecodedDocument found = search(network, config, words, 300), greedy = search(network, config, words, 1);
    EXPECT_EQ(found.set(), set_of(best.labels)) << seed;
    better_than_greedy += greedy.set() != found.set();
    ended += best.labels.back() == kEndLabel;
  }
  EXPECT_GT(better_than_greedy, 0u) << "a search that never pays tests nothing";
  EXPECT_GT(ended, 0u);
}

TEST(BeamSearch, ABeamOfOneIsGreedyDecoding) {
  for (const std::string variant : {"seq2seq", "seq2seq_lc", "sgm"}) {
    const Config config = small_config(variant);
    Network network = tiny_network(config, 3);
    const Engine engine = engine_of(network, config);
    for (const auto& words : random_documents(6, 12, 5)) {
      const DecodedDocument beam = search(network, config, words, 1);
      engine.decode(spans({words}), true, [&](size_t, const DecodedDocument& greedy) {
        EXPECT_EQ(beam.set(), greedy.set()) << variant;
        EXPECT_EQ(beam.scores(), greedy.scores()) << variant;
        for (int32_t label = 0; label < 3; ++label) EXPECT_EQ(beam.attention(label), greedy.attention(label));
      });
    }
  }
}

// A set has every label once anyhow: what counts is that a repeated one does not take a step from another.
TEST(BeamSearch, MaskedDecodingNeverRepeatsALabel) {
  Config config = small_config("sgm");
  config.model.steps = 3 + kFirstLabel;  // more than there are labels
  Network network = tiny_network(config, 2);
  for (const auto& words : random_documents(8, 12, 6)) {
    const Engine engine = engine_of(network, config);
    const EncodedDocuments encoded = engine.encoder().encode(spans({words}));
    DecodingRun run(engine.decoder(), {encoded.document(0)}, 1, config.model.steps);
    std::vector<int64_t> read = {kStartLabel}, produced;
    for (int64_t t = 0; t < config.model.steps; ++t) {
      run.step(read);
      for (const int64_t id : produced) EXPECT_EQ(run.logits(0)[id], -1e7F);
      read[0] = run.rows()[0].best;
      if (read[0] != kEndLabel && read[0] != kEmptyLabel) produced.push_back(read[0]);
    }
    EXPECT_EQ(std::set<int64_t>(produced.begin(), produced.end()).size(), produced.size());
  }
}

// As the program decodes: documents of a group are taken out of it without what only fills it up.
TEST(BeamSearch, DocumentsOfAGroupAreDecodedAsAlone) {
  const Config config = small_config("seq2seq_lc");
  Network network = tiny_network(config, 4);
  const Documents documents = random_documents(19, 15, 7);
  std::vector<DecodedDocument> found(documents.size(), DecodedDocument(variant_of(config), 3, false));
  engine_of(network, config, 3).decode(spans(documents), false, [&](size_t document, const DecodedDocument& decoded) {
    found[document] = decoded;
  });
  for (size_t i = 0; i < documents.size(); ++i) {
    const DecodedDocument alone = search(network, config, documents[i], 3);
    EXPECT_EQ(found[i].set(), alone.set());
    EXPECT_EQ(found[i].scores(), alone.scores());
  }
}

}  // namespace
}  // namespace otseq2set::testing
