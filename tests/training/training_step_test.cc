#include "otseq2set/training/training_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "model/tiny_network.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/loss/set_loss.h"
#include "support/torch_golden.h"

namespace otseq2set::testing {
namespace {

class TrainingStep : public ::testing::Test {
 protected:
  TrainingStep() {
    RandomStream random(1, "training step test");
    int number = 0;
    for (const auto& words : random_documents(kDocuments, 15, 2)) {
      std::vector<int32_t> labels(static_cast<size_t>(config_.model.labels));
      std::iota(labels.begin(), labels.end(), 0);
      random.shuffle(labels);
      labels.resize(random.below(5));  // none, up to more than there are steps
      data_.add("document " + std::to_string(number++), words, labels);
    }
    batch_.resize(kDocuments);
    std::iota(batch_.begin(), batch_.end(), 0);
  }
  void TearDown() override { set_threads(0); }

  struct Result {
    StepLoss loss;
    std::vector<torch::Tensor> gradients;
  };
  Result sharded(const Config& config, uint64_t step = 5) {
    Network network = tiny_network(config);
    Result result;
    for (const torch::Tensor& parameter : network->parameters()) {
      result.gradients.push_back(torch::zeros_like(parameter.detach()));
    }
    result.loss = add_gradients(network, data_, batch_, config, step, result.gradients);
    return result;
  }
  // The whole batch in one piece.
  Result at_once(const Config& config, uint64_t step = 5) {
    Network network = tiny_network(config);
    std::vector<Span<const int32_t>> words;
    LabelSets labels;
    for (uint32_t document : batch_) {
      words.push_back(data_.words(document));
      labels.push_back(label_ids(data_, document));
    }
    const Batch batch = make_batch(words, receptive_field(config.model.light_conv), torch::kCPU);
    const Dropout dropout(config.model.dropout, config.training.seed, step, 0);
    const SetLoss loss = set_loss(
        network->decode(batch, config.model.steps, dropout).logits, network->label_vectors(), labels,
        set_loss_counts(labels, config.model.steps, config.loss), config.loss, variant_of(config).transport);
    return {{loss.total.item<double>(), loss.matching, loss.transport},
            torch::autograd::grad({loss.total}, network->parameters(), {}, c10::nullopt, false, true)};
  }

  static constexpr size_t kDocuments = 3 * kShardDocuments - 3;  // the last shard is not full
  Config config_ = tiny_config();
  Dataset data_{20, 7};
  std::vector<uint32_t> batch_;
};

TEST_F(TrainingStep, ShardsAddUpToOnePass) {
  for (const Variant& variant : variants()) {
    for (double dropout : {0.0, 0.3}) {
      for (const char* scheme : {"all", "first_n"}) {
        SCOPED_TRACE(variant.name + " " + scheme + " dropout " + std::to_string(dropout));
        Config config = tiny_config(variant.name);
        config.model.dropout = dropout;
        config.loss.scheme = scheme;
        const Result parts = sharded(config), whole = at_once(config);
        EXPECT_NEAR(parts.loss.total, whole.loss.total, 1e-5 * whole.loss.total);
        EXPECT_NEAR(parts.loss.matching, whole.loss.matching, 1e-5 * whole.loss.matching);
        EXPECT_NEAR(parts.loss.transport, whole.loss.transport, 1e-5);
        double largest = 0;
        for (const torch::Tensor& gradient : whole.gradients) {
          if (gradient.defined()) largest = std::max(largest, dense(gradient).abs().max().item<double>());
        }
        for (size_t i = 0; i < parts.gradients.size(); ++i) {
          const torch::Tensor expected = whole.gradients[i].defined() ? dense(whole.gradients[i])
                                                                      : torch::zeros_like(parts.gradients[i]);
          EXPECT_LE(largest_difference(parts.gradients[i], expected), 1e-5 * largest) << "parameter " << i;
        }
      }
    }
  }
}

TEST_F(TrainingStep, AnyNumberOfThreadsGivesTheSameBits) {
  config_.model.dropout = 0.3;
  set_threads(1);
  const Result one = sharded(config_);
  for (int threads : {2, 3, 7}) {
    set_threads(threads);
    const Result many = sharded(config_);
    EXPECT_EQ(one.loss.total, many.loss.total);
    EXPECT_EQ(one.loss.matching, many.loss.matching);
    EXPECT_EQ(one.loss.transport, many.loss.transport);
    for (size_t i = 0; i < one.gradients.size(); ++i) {
      EXPECT_EQ(
          std::memcmp(one.gradients[i].data_ptr(), many.gradients[i].data_ptr(), one.gradients[i].nbytes()),
          0)
          << "parameter " << i << " with " << threads << " threads";
    }
  }
}

TEST_F(TrainingStep, DropoutFollowsTheStep) {
  EXPECT_EQ(sharded(config_, 1).loss.total, sharded(config_, 2).loss.total) << "without dropout";
  config_.model.dropout = 0.3;
  EXPECT_NE(sharded(config_, 1).loss.total, sharded(config_, 2).loss.total);
  EXPECT_EQ(sharded(config_, 2).loss.total, sharded(config_, 2).loss.total);
  Config other = config_;
  other.training.seed = 2;
  EXPECT_NE(sharded(config_).loss.total, sharded(other).loss.total);
}

TEST_F(TrainingStep, GradientsAreAdded) {
  Network network = tiny_network(config_);
  const Result once = sharded(config_);
  std::vector<torch::Tensor> twice;
  for (const torch::Tensor& gradient : once.gradients) twice.push_back(gradient.clone());
  add_gradients(network, data_, batch_, config_, 5, twice);
  for (size_t i = 0; i < twice.size(); ++i)
    EXPECT_TRUE(torch::allclose(twice[i], 2 * once.gradients[i], 1e-4, 1e-6));
  for (const torch::Tensor& parameter : network->parameters()) {
    EXPECT_FALSE(parameter.grad().defined()) << "gradients belong to the caller alone";
  }
}

TEST_F(TrainingStep, LabelIdsAscend) {
  Dataset data(20, 7);
  data.add("a", std::vector<int32_t>{2}, std::vector<int32_t>{5, 0, 3});
  data.add("b", std::vector<int32_t>{2}, std::vector<int32_t>{});
  EXPECT_EQ(label_ids(data, 0), (std::vector<int64_t>{kFirstLabel, kFirstLabel + 3, kFirstLabel + 5}));
  EXPECT_TRUE(label_ids(data, 1).empty());
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
      const StepLoss loss = add_gradients(network, data_, batch_, config_, 5, gradients);
      // Large inputs alone may still saturate to something finite.
      EXPECT_TRUE(bad == 3e38 || !std::isfinite(loss.total));
    }
  }
}

}  // namespace
}  // namespace otseq2set::testing
