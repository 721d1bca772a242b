#include "otseq2set/training/training_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "otseq2set/autograd/choice.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/loss/sequence_loss.h"
#include "otseq2set/loss/set_loss.h"
#include "otseq2set/text/vocabulary.h"
#include "otseq2set/training/plain_step.h"
#include "support/torch_golden.h"
#include "support/torch_tiny_network.h"

namespace otseq2set::testing {
namespace {

class TrainingStep : public ::testing::Test {
 protected:
  TrainingStep() { make_data(kDocuments, config_.model.labels, 4); }
  // Documents of no labels up to `most`.
  void make_data(size_t documents, int64_t label_count, int64_t most) {
    data_ = Dataset(20, label_count);
    RandomStream random(1, "training step test");
    for (const auto& words : random_documents(documents, 15, 2)) {
      std::vector<int32_t> labels(static_cast<size_t>(label_count));
      std::iota(labels.begin(), labels.end(), 0);
      random.shuffle(labels);
      labels.resize(random.below(most + 1));
      data_.add("document " + std::to_string(data_.size()), words, labels);
    }
    batch_.resize(documents);
    std::iota(batch_.begin(), batch_.end(), 0);
  }
  void TearDown() override {
    set_threads(0);
    use_plain_kernels(false);
  }

  struct Result {
    StepLoss loss;
    std::vector<torch::Tensor> gradients;
  };
  Result step(const Config& config, uint64_t number = 5, torch::Dtype dtype = torch::kFloat32) {
    Network network = tiny_network(config, 1, dtype, range_);
    Result result;
    for (const torch::Tensor& parameter : network->parameters()) {
      result.gradients.push_back(torch::full_like(parameter.detach(), 77));  // whatever stood there is replaced
    }
    result.loss =
        compute_gradients(network, training_batch(data_, batch_, config, number), config, result.gradients).loss;
    for (const torch::Tensor& parameter : network->parameters()) {
      EXPECT_FALSE(parameter.grad().defined()) << "gradients belong to the caller alone";
    }
    return result;
  }
  // The whole batch in one piece, with autograd.
  Result at_once(const Config& config, torch::Dtype dtype) {
    use_plain_kernels(true);
    Network network = tiny_network(config, 1, dtype, range_);
    const TrainingBatch all = training_batch(data_, batch_, config, 5);
    const Batch batch = make_batch(all.words, receptive_field(config.model.light_conv), torch::kCPU);
    Result result;
    torch::Tensor total;
    if (variant_of(config).sequence) {
      const SequenceTargets targets = sequence_targets(all.labels);
      const Decoded decoded = network->decode_forced(batch, targets.read, all.dropout);
      total = sequence_loss(decoded.logits, targets, targets.count);
      result.loss = {total.item<double>(), 0, 0};
    } else {
      const SetLoss loss = set_loss(
          network->decode(batch, config.model.steps, all.dropout).logits, network->label_vectors(), all.labels,
          set_loss_counts(all.labels, config.model.steps, config.loss), config.loss, variant_of(config).transport);
      total = loss.total;
      result.loss = {total.item<double>(), loss.matching, loss.transport};
    }
    result.gradients = torch::autograd::grad({total}, network->parameters(), {}, {}, false, /*allow_unused=*/true);
    use_plain_kernels(false);
    return result;
  }

  void expect_agreement(const Config& config, torch::Dtype dtype, double tolerance) {
    const Result parts = step(config, 5, dtype), whole = at_once(config, dtype);
    EXPECT_NEAR(parts.loss.total, whole.loss.total, tolerance * whole.loss.total);
    EXPECT_NEAR(parts.loss.matching, whole.loss.matching, tolerance * whole.loss.matching);
    EXPECT_NEAR(parts.loss.transport, whole.loss.transport, tolerance);
    double largest = 0;
    for (const torch::Tensor& gradient : whole.gradients) {
      if (gradient.defined()) largest = std::max(largest, dense(gradient).abs().max().item<double>());
    }
    for (size_t i = 0; i < parts.gradients.size(); ++i) {
      const torch::Tensor expected =
          whole.gradients[i].defined() ? dense(whole.gradients[i]) : torch::zeros_like(parts.gradients[i]);
      EXPECT_LE(largest_difference(parts.gradients[i], expected), tolerance * largest) << "parameter " << i;
    }
  }

  static constexpr size_t kDocuments = 3 * kShardDocuments - 3;  // the last shard is not full
  Config config_ = tiny_config();
  double range_ = 0.8;  // of the parameters
  Dataset data_{20, 7};
  std::vector<uint32_t> batch_;
};

// All variants, in phases over shards and with fused kernels, against autograd over the batch in one piece.
TEST_F(TrainingStep, EqualsAutogradOnTheWholeBatch) {
  for (const Variant& variant : variants()) {
    if (!variant.network) continue;
    for (double dropout : {0.0, 0.3}) {
      for (const char* scheme : {"all", "first_n"}) {
        for (int64_t bottleneck : {0, 5}) {
          SCOPED_TRACE(variant.name + " " + scheme + " dropout " + std::to_string(dropout) + " bottleneck " +
                       std::to_string(bottleneck));
          Config config = tiny_config(variant.name);
          config.model.dropout = dropout;
          config.model.bottleneck = bottleneck;
          config.loss.scheme = scheme;
          expect_agreement(config, torch::kFloat32, 1e-5);
          expect_agreement(config, torch::kFloat64, 1e-10);
        }
      }
    }
  }
}

// What serves on other devices: the same numbers shard by shard with autograd.
TEST_F(TrainingStep, PlainStepEqualsTheFusedOne) {
  for (const char* variant : {"otseq2set", "seq2seq_lc"}) {
    const Config config = tiny_config(variant);
    const Result fused = step(config);
    use_plain_kernels(true);
    const Result plain = step(config);
    use_plain_kernels(false);
    EXPECT_NEAR(fused.loss.total, plain.loss.total, 1e-5 * plain.loss.total);
    for (size_t i = 0; i < fused.gradients.size(); ++i) {
      EXPECT_LE(largest_difference(fused.gradients[i], plain.gradients[i]), 1e-5) << variant << ' ' << i;
    }
  }
}

// Sizes at which loops over units run whole vectors and a rest, and products more than one block: more than
// 256 rows and columns.
TEST_F(TrainingStep, EqualsAutogradAtRealSizes) {
  make_data(50, 40, 14);
  for (int64_t hidden : {37, 301}) {
    range_ = 1.5 / std::sqrt(static_cast<double>(hidden));
    for (const char* variant : {"otseq2set", "seq2seq_lc"}) {
      SCOPED_TRACE(std::string(variant) + ", hidden " + std::to_string(hidden));
      Config config = tiny_config(variant);
      config.model.hidden = hidden;
      config.model.label_embedding = 130;
      config.model.labels = 40;
      config.model.steps = 12;
      config.model.dropout = 0.3;
      config.model.light_conv.heads = 7;
      config.training.batch = 50;
      expect_agreement(config, torch::kFloat32, 1e-5);
      expect_agreement(config, torch::kFloat64, 1e-10);
    }
  }
}

// More labels than fit into one block of the output layer.
TEST_F(TrainingStep, ManyLabels) {
  for (const char* variant : {"otseq2set", "seq2seq"}) {
    Config config = tiny_config(variant);
    config.model.labels = 1500;
    expect_agreement(config, torch::kFloat64, 1e-10);
  }
}

TEST_F(TrainingStep, AnyNumberOfThreadsGivesTheSameBits) {
  for (const char* variant : {"otseq2set", "seq2seq", "sgm"}) {
    for (int64_t labels : {7, 1500}) {
      Config config = tiny_config(variant);
      config.model.dropout = 0.3;
      config.model.labels = labels;
      set_threads(1);
      const Result one = step(config);
      for (int threads : {2, 3, 7}) {
        set_threads(threads);
        const Result many = step(config);
        EXPECT_EQ(one.loss.total, many.loss.total);
        EXPECT_EQ(one.loss.matching, many.loss.matching);
        EXPECT_EQ(one.loss.transport, many.loss.transport);
        for (size_t i = 0; i < one.gradients.size(); ++i) {
          EXPECT_EQ(std::memcmp(one.gradients[i].data_ptr(), many.gradients[i].data_ptr(), one.gradients[i].nbytes()),
                    0)
              << variant << ", parameter " << i << " with " << threads << " threads";
        }
      }
    }
  }
}

TEST_F(TrainingStep, DropoutFollowsTheStep) {
  EXPECT_EQ(step(config_, 1).loss.total, step(config_, 2).loss.total) << "without dropout";
  config_.model.dropout = 0.3;
  EXPECT_NE(step(config_, 1).loss.total, step(config_, 2).loss.total);
  EXPECT_EQ(step(config_, 2).loss.total, step(config_, 2).loss.total);
  Config other = config_;
  other.training.seed = 2;
  EXPECT_NE(step(config_).loss.total, step(other).loss.total);
}

TEST_F(TrainingStep, LabelsInTheOrderThatTheVariantLearns) {
  Dataset data(20, 7);
  data.add("a", std::vector<int32_t>{2}, std::vector<int32_t>{5, 0, 3});
  data.add("b", std::vector<int32_t>{2}, std::vector<int32_t>{});
  const std::vector<int64_t> ascending = {kFirstLabel, kFirstLabel + 3, kFirstLabel + 5};
  const std::vector<int64_t> as_given = {kFirstLabel + 5, kFirstLabel, kFirstLabel + 3};
  for (const Variant& variant : variants()) {
    if (!variant.network) continue;
    const bool in_order = variant.name == "seq2seq" || variant.name == "seq2seq_lc";
    const LabelSets labels = training_batch(data, {0, 1}, tiny_config(variant.name), 0).labels;
    EXPECT_EQ(labels[0], in_order ? as_given : ascending) << variant.name;
    EXPECT_TRUE(labels[1].empty());
  }
}

TEST_F(TrainingStep, WordDropoutHidesItsShareOfWordsAndNothingElse) {
  make_data(400, config_.model.labels, 4);
  Config config = config_;
  config.training.word_dropout = 0.3;
  const TrainingBatch whole = training_batch(data_, batch_, config_, 5);
  const TrainingBatch batch = training_batch(data_, batch_, config, 5),
                      again = training_batch(data_, batch_, config, 5), next = training_batch(data_, batch_, config, 6);
  double words = 0, hidden = 0, hidden_in_both = 0;
  for (size_t i = 0; i < whole.words.size(); ++i) {
    ASSERT_EQ(batch.words[i].size(), whole.words[i].size());
    for (size_t j = 0; j < whole.words[i].size(); ++j) {
      const int32_t word = batch.words[i][j];
      EXPECT_EQ(word, again.words[i][j]);
      EXPECT_TRUE(word == whole.words[i][j] || word == kUnknownWord);
      if (whole.words[i][j] == kUnknownWord) continue;
      ++words;
      hidden += word == kUnknownWord;
      hidden_in_both += word == kUnknownWord && next.words[i][j] == kUnknownWord;
    }
  }
  const double deviation = std::sqrt(0.3 * 0.7 / words);
  EXPECT_NEAR(hidden / words, 0.3, 5 * deviation);
  EXPECT_NEAR(hidden_in_both / words, 0.09, 5 * deviation);  // another step hides others
  EXPECT_EQ(batch.labels, whole.labels);
}

// No assertion, no endless loop: the loss itself says that it is not finite.
TEST_F(TrainingStep, ParametersThatAreNotFinite) {
  for (const char* name : {"encoder.embedding.weight", "decoder.fc_out.bias", "decoder.embedding.weight"}) {
    for (double bad : {std::nan(""), HUGE_VAL, 3e38}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(bad));
      Network network = tiny_network(config_);
      {
        torch::NoGradGuard no_gradient;
        network->named_parameters()[name].fill_(bad);
      }
      std::vector<torch::Tensor> gradients;
      for (const torch::Tensor& parameter : network->parameters()) {
        gradients.push_back(torch::zeros_like(parameter.detach()));
      }
      const StepLoss loss =
          compute_gradients(network, training_batch(data_, batch_, config_, 5), config_, gradients).loss;
      // Large inputs alone may still saturate to something finite.
      EXPECT_TRUE(bad == 3e38 || !std::isfinite(loss.total));
    }
  }
}

}  // namespace
}  // namespace otseq2set::testing
