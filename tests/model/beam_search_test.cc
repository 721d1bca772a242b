// Beam search against every sequence there is, at sizes where all can be tried.
#include <gtest/gtest.h>

#include <cmath>

#include "model/tiny_network.h"
#include "otseq2set/model/answer.h"

namespace otseq2set::testing {
namespace {

constexpr int64_t kSteps = 3;

Config small_config(const std::string& variant) {
  Config config = tiny_config(variant);
  config.model.labels = 3;
  config.model.steps = kSteps;
  return config;
}

DecoderInput encode_one(Network& network, const std::vector<int32_t>& words) {
  return network->encode(make_batch(spans({words}), 4, torch::kCPU), Dropout());
}

// The log-probability of a sequence that the decoder is made to produce.
double log_probability(Network& network, const DecoderInput& input, const std::vector<int64_t>& labels,
                       bool masked) {
  std::vector<int64_t> read = {kStartLabel};
  read.insert(read.end(), labels.begin(), labels.end() - 1);
  const auto count = static_cast<int64_t>(labels.size());
  torch::Tensor logits =
      network->decoder()
          ->decode_forced(input, torch::tensor(read, torch::kInt64).view({1, count}), Dropout())
          .logits[0];
  double sum = 0;
  for (int64_t t = 0; t < count; ++t) {
    if (masked) {
      for (int64_t before = 0; before < t; ++before) {
        const int64_t label = labels[before];
        if (label != kEndLabel && label != kEmptyLabel) logits[t][label] = -1e7;
      }
    }
    sum += logits[t].to(torch::kFloat64).log_softmax(0)[labels[t]].item<double>();
  }
  return sum;
}

// All sequences of kSteps labels, or fewer and an end mark; keeps the likeliest.
void try_all(Network& network, const DecoderInput& input, bool masked, std::vector<int64_t>& labels,
             double& best) {
  const bool ends = !labels.empty() && labels.back() == kEndLabel;
  if (ends || static_cast<int64_t>(labels.size()) == kSteps) {
    best = std::max(best, log_probability(network, input, labels, masked));
    return;
  }
  for (int64_t id = 0; id < 3 + kFirstLabel; ++id) {
    labels.push_back(id);
    try_all(network, input, masked, labels, best);
    labels.pop_back();
  }
}

std::vector<int64_t> labels_of(const Decoded& decoded) {
  std::vector<int64_t> labels;
  for (int64_t t = 0; t < decoded.labels.size(1); ++t) {
    labels.push_back(decoded.labels[0][t].item<int64_t>());
    if (labels.back() == kEndLabel) break;
  }
  return labels;
}

TEST(BeamSearch, AWideBeamFindsTheLikeliestSequence) {
  torch::NoGradGuard no_gradient;
  size_t better_than_greedy = 0, ended = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Config config = small_config("seq2seq_lc");
    Network network = tiny_network(config, seed, torch::kFloat64);
    const DecoderInput input = encode_one(network, random_documents(1, 9, seed)[0]);
    double best = -INFINITY;
    std::vector<int64_t> labels;
    try_all(network, input, false, labels, best);
    const std::vector<int64_t> found = labels_of(network->decoder()->decode_beam(input, kSteps, 300));
    EXPECT_NEAR(log_probability(network, input, found, false), best, 1e-9) << seed;
    const std::vector<int64_t> greedy = labels_of(network->decoder()->decode_beam(input, kSteps, 1));
    better_than_greedy += log_probability(network, input, greedy, false) < best - 1e-9;
    ended += found.back() == kEndLabel;
  }
  EXPECT_GT(better_than_greedy, 0u) << "a search that never pays tests nothing";
  EXPECT_GT(ended, 0u);
}

// With the global embedding a step reads the logits of the one before, which forcing does not mask; so here
// the labels are compared with those of greedy decoding only.
TEST(BeamSearch, ABeamOfOneIsGreedyDecoding) {
  torch::NoGradGuard no_gradient;
  for (const std::string variant : {"seq2seq", "seq2seq_lc", "sgm"}) {
    const Config config = small_config(variant);
    Network network = tiny_network(config, 3, torch::kFloat64);
    for (const auto& words : random_documents(6, 12, 5)) {
      const DecoderInput input = encode_one(network, words);
      const Decoded beam = network->decoder()->decode_beam(input, kSteps, 1);
      const Decoded greedy = network->decoder()->decode(input, kSteps, Dropout());
      const std::vector<int64_t> labels = labels_of(beam);
      EXPECT_EQ(labels, labels_of(greedy)) << variant;
      const auto made = static_cast<int64_t>(labels.size());
      EXPECT_LT(largest_difference(beam.logits.narrow(1, 0, made), greedy.logits.narrow(1, 0, made)), 1e-9);
      EXPECT_LT(
          largest_difference(beam.word_weights.narrow(1, 0, made), greedy.word_weights.narrow(1, 0, made)),
          1e-9);
    }
  }
}

TEST(BeamSearch, MaskedDecodingNeverRepeatsALabel) {
  torch::NoGradGuard no_gradient;
  Config config = small_config("sgm");
  Network network = tiny_network(config, 2, torch::kFloat64);
  for (const auto& words : random_documents(8, 12, 6)) {
    const Decoded decoded = network->decoder()->decode_beam(encode_one(network, words), 5, 4);
    std::vector<int64_t> labels = labels_of(decoded);
    labels.erase(std::remove_if(labels.begin(), labels.end(), [](int64_t id) { return id < kFirstLabel; }),
                 labels.end());
    std::sort(labels.begin(), labels.end());
    EXPECT_EQ(std::adjacent_find(labels.begin(), labels.end()), labels.end());
  }
}

// As the program decodes: documents of a group are taken out of it without what only fills it up.
TEST(BeamSearch, DocumentsOfAGroupAreDecodedAsAlone) {
  const Config config = small_config("seq2seq_lc");
  Network network = tiny_network(config, 4);
  const Documents documents = random_documents(19, 15, 7);
  std::vector<std::vector<int64_t>> found(documents.size());
  decode_documents(network, network->decoder()->packed().get(), spans(documents), config, 3,
                   [&](const std::vector<size_t>& rows, const Decoded& decoded) {
                     ASSERT_EQ(rows.size(), 1u);
                     found[rows[0]] = labels_of(decoded);
                   });
  torch::NoGradGuard no_gradient;
  for (size_t i = 0; i < documents.size(); ++i) {
    EXPECT_EQ(found[i],
              labels_of(network->decoder()->decode_beam(encode_one(network, documents[i]), kSteps, 3)));
  }
}

}  // namespace
}  // namespace otseq2set::testing
