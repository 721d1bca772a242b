#include "otseq2set/inference/engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <mutex>

#include "otseq2set/autograd/choice.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/store/memory_estimate.h"
#include "support/highway_targets.h"
#include "support/torch_engine.h"
#include "support/torch_tiny_network.h"

namespace otseq2set::testing {
namespace {

using Labels = std::vector<int32_t>;

const Variant& variant(const char* name) { return variant_of(tiny_config(name)); }

// Of a document whose steps choose these ids, with logits that do not matter.
Labels set_of(const char* name, const std::vector<int64_t>& ids) {
  const std::vector<float> logits(kFirstLabel + 5);
  DecodedDocument decoded(variant(name), 5, false);
  for (const int64_t id : ids) decoded.add(logits.data(), {id, 0, std::log(8.0)}, id, {});
  return decoded.set();
}

// logits: [steps, label ids]
DecodedDocument decoded_of(const char* name, const torch::Tensor& logits, bool with_attention = false) {
  DecodedDocument decoded(variant(name), logits.size(1) - kFirstLabel, with_attention);
  for (int64_t t = 0; t < logits.size(0); ++t) {
    const torch::Tensor row = logits[t].contiguous();
    const double largest = row.max().item<double>();
    const double excess = (row.to(torch::kFloat64) - largest).logsumexp(0).item<double>();
    const auto look = static_cast<float>(t);
    decoded.add(row.data_ptr<float>(), {row.argmax().item<int64_t>(), largest, excess}, row.argmax().item<int64_t>(),
                {&look, 1});
  }
  return decoded;
}

TEST(LabelSet, DistinctLabelsOfAllSteps) {
  const int64_t first = kFirstLabel;
  EXPECT_EQ(set_of("otseq2set", {first + 4, first + 1, first + 4, first}), (Labels{4, 1, 0}));
  EXPECT_EQ(set_of("otseq2set", {kEmptyLabel, first + 2, kEmptyLabel, first + 3}), (Labels{2, 3}))
      << "an empty label does not end it";
  EXPECT_EQ(set_of("otseq2set", {kEndLabel, kStartLabel, first, kEmptyLabel}), (Labels{0}))
      << "special ids are no labels";
  EXPECT_EQ(set_of("otseq2set", {kEmptyLabel, kEmptyLabel}), Labels{});
}

TEST(LabelSet, OfASequenceEndsWithItsMark) {
  EXPECT_EQ(set_of("seq2seq", {kFirstLabel + 4, kFirstLabel + 1, kEndLabel, kFirstLabel}), (Labels{4, 1}));
  EXPECT_EQ(set_of("seq2seq", {kEndLabel, kFirstLabel}), Labels{});
  EXPECT_EQ(set_of("seq2seq", {kFirstLabel, kFirstLabel + 2}), (Labels{0, 2})) << "no mark within the steps";
}

// What float32 may be off: exp makes a relative error of a logit's absolute one, and every step adds its own.
double rounding_of_scores(const torch::Tensor& logits) {
  return std::numeric_limits<float>::epsilon() * static_cast<double>(logits.size(0)) *
         (1 + logits.abs().max().item<double>());
}

void expect_scores(const DecodedDocument& decoded, const torch::Tensor& logits, const char* name) {
  const PlainAnswer plain = plain_answer({logits.unsqueeze(0), logits.argmax(1).unsqueeze(0), {}}, 0, variant(name));
  ASSERT_EQ(decoded.scores().size(), plain.scores.size());
  for (size_t i = 0; i < plain.scores.size(); ++i)
    EXPECT_NEAR(decoded.scores()[i], plain.scores[i], rounding_of_scores(logits));
}

TEST(LabelScores, AreTheProbabilityToBeProducedAtLeastOnce) {
  torch::manual_seed(1);
  for (double spread : {0.1, 1.0, 5.0}) {
    const torch::Tensor logits = spread * torch::randn({6, 9});
    expect_scores(decoded_of("otseq2set", logits), logits, "otseq2set");
  }
}

TEST(LabelScores, OfASequenceCountTheStepsUpToItsMark) {
  torch::manual_seed(2);
  torch::Tensor logits = torch::randn({5, 9});
  logits.select(1, kEndLabel) = -9;
  expect_scores(decoded_of("seq2seq", logits), logits, "seq2seq");
  logits[2][kEndLabel] = 9;
  EXPECT_TRUE(decoded_of("seq2seq", logits).ended());
  expect_scores(decoded_of("seq2seq", logits), logits, "seq2seq");
}

// Small probabilities keep their digits: 1 - (1 - 1e-12)^2 would be 0 in float32.
TEST(LabelScores, SmallOnesAreNotLost) {
  torch::Tensor logits = torch::zeros({2, 5});
  logits.select(1, 3) = -27.631021;  // about 1e-12 / 4 each
  EXPECT_NEAR(decoded_of("otseq2set", logits).scores()[0], 2 * 1e-12 / 4, 1e-17);
}

TEST(LabelScores, CertainAndImpossibleLabels) {
  torch::Tensor logits = torch::zeros({3, 6});
  logits[1][4] = 500;          // certain at one step: probability exactly 1
  logits.select(1, 5) = -500;  // never: probability exactly 0
  const std::vector<float> scores = decoded_of("otseq2set", logits).scores();
  EXPECT_EQ(scores[1], 1);
  EXPECT_EQ(scores[2], 0);
  for (const float score : scores) EXPECT_TRUE(score >= 0 && score <= 1);
}

TEST(Attention, IsThatOfTheStepWithTheHighestProbability) {
  torch::Tensor logits = torch::zeros({4, 6});
  logits[2][kFirstLabel] = 1;
  logits[3][kFirstLabel] = 1;
  logits[1][kFirstLabel + 1] = 2;
  const DecodedDocument decoded = decoded_of("otseq2set", logits, true);
  EXPECT_EQ(decoded.attention(0), std::vector<float>{2}) << "the first of equals";
  EXPECT_EQ(decoded.attention(1), std::vector<float>{1});
  logits[1][kEndLabel] = 9;
  EXPECT_EQ(decoded_of("seq2seq", logits, true).attention(0), std::vector<float>{0})
      << "nothing behind the end mark counts";
}

// All variants, and sizes that change the way through the network.
struct EngineCase {
  std::string name;
  std::function<void(Config&)> change;
};
void PrintTo(const EngineCase& engine, std::ostream* out) { *out << engine.name; }

class EngineTest : public ::testing::TestWithParam<EngineCase> {
 protected:
  EngineTest() : config_(tiny_config()) { GetParam().change(config_); }
  void TearDown() override { set_threads(0); }

  // Sets and scores of each document, in the order given.
  std::vector<DecodedDocument> decode(const Engine& engine, const Documents& documents) {
    std::vector<DecodedDocument> all(documents.size(), DecodedDocument(variant_of(config_), 0, false));
    std::vector<int> times(documents.size());
    std::mutex mutex;
    engine.decode(spans(documents), false, [&](size_t document, const DecodedDocument& decoded) {
      const std::lock_guard<std::mutex> guard(mutex);
      all[document] = decoded;
      ++times[document];
    });
    EXPECT_EQ(std::count(times.begin(), times.end(), 1), static_cast<int64_t>(times.size()));
    return all;
  }

  Config config_;
};

// The variant alone, or with one thing changed.
EngineCase of(
    const std::string& variant, const std::string& name = "",
    const std::function<void(Config&)>& change = [](Config&) {}) {
  return {variant + name, [=](Config& config) {
            config.variant = variant;
            change(config);
          }};
}
INSTANTIATE_TEST_SUITE_P(All, EngineTest,
                         ::testing::Values(of("seq2seq"), of("mlc2seq"), of("sgm"), of("seq2seq_lc"), of("bm"),
                                           of("bm_lc"), of("bm_ot"), of("otseq2set"),
                                           of("otseq2set", "_bottleneck", [](Config& c) { c.model.bottleneck = 5; }),
                                           of("otseq2set", "_heads", [](Config& c) { c.model.light_conv.heads = 3; }),
                                           of("otseq2set", "_one_layer", [](Config& c) { c.model.encoder_layers = 1; }),
                                           of("sgm", "_bottleneck", [](Config& c) { c.model.bottleneck = 5; }),
                                           of("otseq2set", "_many_labels", [](Config& c) { c.model.labels = 1500; })),
                         [](const auto& info) { return info.param.name; });

TEST_P(EngineTest, AnswersAsTheNetworkDoes) {
  Network network = tiny_network(config_);
  const Documents documents = random_documents(21, 18, 3);
  for_each_target([&] {
    const std::vector<DecodedDocument> all = decode(engine_of(network, config_), documents);
    for (size_t i = 0; i < documents.size(); ++i) {
      const PlainAnswer plain = plain_answer(network, documents[i], config_);
      EXPECT_EQ(all[i].set(), plain.set) << i;
      ASSERT_EQ(all[i].scores().size(), plain.scores.size());
      for (size_t l = 0; l < plain.scores.size(); ++l) ASSERT_NEAR(all[i].scores()[l], plain.scores[l], 1e-5) << i;
    }
  });
}

TEST_P(EngineTest, StepsAreThoseOfTheNetwork) {
  torch::NoGradGuard no_gradient;
  Network network = tiny_network(config_, 3);
  const Documents documents = random_documents(5, 20, 4);
  const Batch batch = make_batch(spans(documents), receptive_field(config_.model.light_conv), torch::kCPU);
  const EngineSteps steps = engine_steps(network, config_, spans(documents), 5);
  use_plain_kernels(true);
  const Decoded plain = network->decode(batch, 5, Dropout());
  use_plain_kernels(false);
  EXPECT_TRUE(torch::equal(steps.labels, plain.labels));
  // A masked label has a huge logit below zero, beside which all others are nothing.
  const torch::Tensor masked = plain.logits < -1e6;
  EXPECT_TRUE(torch::equal(steps.logits < -1e6, masked));
  EXPECT_LE(largest_difference(steps.logits.masked_fill(masked, 0), plain.logits.masked_fill(masked, 0)), 1e-4);
  EXPECT_LE(largest_difference(steps.attention, plain.word_weights), 1e-5);
}

TEST_P(EngineTest, SameBitsInAnyOrderAndOnAnyNumberOfThreads) {
  const Engine engine = engine_of(tiny_network(config_), config_);
  Documents documents = random_documents(5 * kDecodedTogether + 9, 18, 3);  // 6 groups
  RandomStream(4, "order").shuffle(documents);
  set_threads(1);
  const auto one = decode(engine, documents);
  for (const int threads : {3, 5}) {  // a group on each; each group on all
    set_threads(threads);
    const auto several = decode(engine, documents);
    for (size_t i = 0; i < documents.size(); ++i) {
      ASSERT_EQ(one[i].scores(), several[i].scores()) << i;
      ASSERT_EQ(one[i].set(), several[i].set()) << i;
    }
  }
}

TEST_P(EngineTest, NoDocuments) { EXPECT_TRUE(decode(engine_of(tiny_network(config_), config_), {}).empty()); }

}  // namespace
}  // namespace otseq2set::testing
