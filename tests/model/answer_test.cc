#include "otseq2set/model/answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "model/tiny_network.h"
#include "otseq2set/config/presets.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/autograd/choice.h"

namespace otseq2set::testing {
namespace {

using Labels = std::vector<int32_t>;

const Variant& variant(const char* name) { return variant_of(tiny_config(name)); }

Decoded decoded_labels(const std::vector<int64_t>& ids) {
  Decoded decoded;
  decoded.labels = torch::tensor(ids, torch::kInt64).unsqueeze(0);
  return decoded;
}

// logits: [batch, steps, label ids]
Decoded decoded_logits(const torch::Tensor& logits) {
  return {logits, logits.logsumexp(2), logits.argmax(2), {}};
}

TEST(LabelSet, DistinctLabelsOfAllSteps) {
  auto set = [](const std::vector<int64_t>& ids) {
    return label_set(decoded_labels(ids), 0, variant("otseq2set"));
  };
  const int64_t first = kFirstLabel;
  EXPECT_EQ(set({first + 4, first + 1, first + 4, first}), (Labels{4, 1, 0}));
  EXPECT_EQ(set({kEmptyLabel, first + 2, kEmptyLabel, first + 3}), (Labels{2, 3}))
      << "an empty label does not end it";
  EXPECT_EQ(set({kEndLabel, kStartLabel, first, kEmptyLabel}), (Labels{0})) << "special ids are no labels";
  EXPECT_EQ(set({kEmptyLabel, kEmptyLabel}), Labels{});
}

TEST(LabelSet, OfASequenceEndsWithItsMark) {
  auto set = [](const std::vector<int64_t>& ids) {
    return label_set(decoded_labels(ids), 0, variant("seq2seq"));
  };
  EXPECT_EQ(set({kFirstLabel + 4, kFirstLabel + 1, kEndLabel, kFirstLabel}), (Labels{4, 1}));
  EXPECT_EQ(set({kEndLabel, kFirstLabel}), Labels{});
  EXPECT_EQ(set({kFirstLabel, kFirstLabel + 2}), (Labels{0, 2})) << "no mark within the steps";
}

// 1 - product of (1 - P), in float64, from the definition.
std::vector<double> naive_scores(const torch::Tensor& logits) {
  const torch::Tensor probabilities = logits.to(torch::kFloat64).softmax(2);
  std::vector<double> scores;
  for (int64_t row = 0; row < logits.size(0); ++row) {
    for (int64_t id = kFirstLabel; id < logits.size(2); ++id) {
      double none = 1;
      for (int64_t t = 0; t < logits.size(1); ++t) none *= 1 - probabilities[row][t][id].item<double>();
      scores.push_back(1 - none);
    }
  }
  return scores;
}

TEST(LabelScores, AreTheProbabilityToBeProducedAtLeastOnce) {
  torch::manual_seed(1);
  for (double spread : {0.1, 1.0, 5.0}) {
    const torch::Tensor logits = spread * torch::randn({4, 6, 9});
    const torch::Tensor scores = label_scores(decoded_logits(logits), variant("otseq2set"));
    ASSERT_EQ(scores.sizes(), (std::vector<int64_t>{4, 9 - kFirstLabel}));
    const torch::Tensor flat = scores.flatten();
    const std::vector<double> expected = naive_scores(logits);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(flat[static_cast<int64_t>(i)].item<double>(), expected[i], 1e-6);
    }
  }
}

TEST(LabelScores, OfASequenceCountTheStepsUpToItsMark) {
  torch::manual_seed(2);
  torch::Tensor logits = torch::randn({2, 5, 9});
  logits.select(2, kEndLabel) = -9;
  logits[0][2][kEndLabel] = 9;  // the second document never ends
  const torch::Tensor scores = label_scores(decoded_logits(logits), variant("seq2seq"));
  const std::vector<double> first = naive_scores(logits.slice(1, 0, 3)), second = naive_scores(logits);
  for (int64_t label = 0; label < 9 - kFirstLabel; ++label) {
    EXPECT_NEAR(scores[0][label].item<double>(), first[label], 1e-6);
    EXPECT_NEAR(scores[1][label].item<double>(), second[9 - kFirstLabel + label], 1e-6);
  }
}

// Small probabilities keep their digits: 1 - (1 - 1e-12)^2 would be 0 in float32.
TEST(LabelScores, SmallOnesAreNotLost) {
  torch::Tensor logits = torch::zeros({1, 2, 5});
  logits.index_put_({0, torch::indexing::Slice(), 3}, -27.631021);  // about 1e-12 / 4 each
  const double score = label_scores(decoded_logits(logits), variant("otseq2set"))[0][0].item<double>();
  EXPECT_NEAR(score, 2 * 1e-12 / 4, 1e-17);
}

TEST(LabelScores, CertainAndImpossibleLabels) {
  torch::Tensor logits = torch::zeros({1, 3, 6});
  logits[0][1][4] = 500;          // certain at one step: probability exactly 1
  logits[0].select(1, 5) = -500;  // never: probability exactly 0
  const torch::Tensor scores = label_scores(decoded_logits(logits), variant("otseq2set"))[0];
  EXPECT_EQ(scores[1].item<double>(), 1);
  EXPECT_EQ(scores[2].item<double>(), 0);
  EXPECT_TRUE(torch::isfinite(scores).all().item<bool>());
  EXPECT_TRUE(((scores >= 0) & (scores <= 1)).all().item<bool>());
}

class DecodeDocuments : public ::testing::Test {
 protected:
  // logits of each document, in the order given
  std::vector<torch::Tensor> decode(Network& network, const Documents& documents, const Config& config) {
    std::vector<torch::Tensor> logits(documents.size());
    std::mutex mutex;
    decode_documents(network, network->decoder()->packed().get(), spans(documents), config, /*beam=*/1,
                     [&](const std::vector<size_t>& rows, const Decoded& decoded) {
                       const std::lock_guard<std::mutex> guard(mutex);
                       EXPECT_FALSE(decoded.logits.requires_grad());
                       for (size_t i = 0; i < rows.size(); ++i) {
                         EXPECT_FALSE(logits[rows[i]].defined()) << "document " << rows[i] << " came twice";
                         logits[rows[i]] = decoded.logits[static_cast<int64_t>(i)].clone();
                       }
                     });
    return logits;
  }
  void TearDown() override { set_threads(0); }
};

TEST_F(DecodeDocuments, InAnyOrderOfLengthsAndOnAnyNumberOfThreads) {
  for (int64_t bottleneck : {0, 5}) {
    Config config = tiny_config();
    config.model.bottleneck = bottleneck;
    Network network = tiny_network(config);
    Documents documents = random_documents(5 * kDecodedTogether + 9, 18, 3);  // 6 groups
    RandomStream(4, "order").shuffle(documents);
    set_threads(1);
    const std::vector<torch::Tensor> one = decode(network, documents, config);
    set_threads(3);  // a group on each
    const std::vector<torch::Tensor> three = decode(network, documents, config);
    set_threads(5);  // each group on all
    const std::vector<torch::Tensor> five = decode(network, documents, config);
    for (size_t i = 0; i < documents.size(); ++i) {
      ASSERT_TRUE(one[i].defined() && three[i].defined() && five[i].defined()) << i;
      EXPECT_TRUE(torch::equal(one[i], three[i]) && torch::equal(one[i], five[i])) << i;
      const Batch alone =
          make_batch(spans({documents[i]}), receptive_field(config.model.light_conv), torch::kCPU);
      torch::NoGradGuard no_gradient;
      use_plain_kernels(true);
      const torch::Tensor plain = network->decode(alone, config.model.steps, Dropout()).logits[0];
      use_plain_kernels(false);
      EXPECT_LE(largest_difference(one[i], plain), 2e-5) << i;
    }
  }
}

TEST(GroupsAtOnce, OneOnEachThreadUnlessTheyAreFewOrLarge) {
  Config small = tiny_config(), large;
  apply_preset(large, "eurlex_4k");
  large.model.steps = 24;
  EXPECT_EQ(groups_at_once(small.model, 10, 8, 4), 4);
  EXPECT_EQ(groups_at_once(small.model, 10, 7, 4), 1);
  EXPECT_EQ(groups_at_once(small.model, 1 << 20, 8, 4), 1) << "logits";
  EXPECT_EQ(groups_at_once(large.model, 3959, 8, 4), 1) << "states of words";
}

TEST_F(DecodeDocuments, None) {
  Network network = tiny_network(tiny_config());
  EXPECT_TRUE(decode(network, {}, tiny_config()).empty());
}

}  // namespace
}  // namespace otseq2set::testing
