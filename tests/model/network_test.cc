#include "otseq2set/model/network.h"

#include <gtest/gtest.h>

#include "otseq2set/config/presets.h"
#include "otseq2set/store/parameters.h"
#include "otseq2set/text/vocabulary.h"
#include "support/torch_golden.h"
#include "support/torch_tiny_network.h"

namespace otseq2set::testing {
namespace {

int64_t values_in(const Network& network) {
  int64_t count = 0;
  for (const torch::Tensor& parameter : network->parameters()) count += parameter.numel();
  return count;
}

TEST(ParameterCount, EqualsTheNetworks) {
  for (const Variant& variant : variants()) {
    if (!variant.network) continue;
    for (int64_t bottleneck : {0, 3}) {
      for (int64_t layers : {1, 2, 3}) {
        Config config = tiny_config(variant.name);
        config.model.bottleneck = bottleneck;
        config.model.encoder_layers = layers;
        EXPECT_EQ(parameter_count(kTinyWords, 10, config), values_in(Network(kTinyWords, 10, config)))
            << variant.name << ", bottleneck " << bottleneck << ", layers " << layers;
      }
    }
  }
  for (int64_t heads : {0, 1, 3, 8}) {
    Config config = tiny_config();
    config.model.light_conv.heads = heads;
    config.model.light_conv.kernels = {3, 2, 4};
    EXPECT_EQ(parameter_count(9, 5, config), values_in(Network(9, 5, config))) << heads;
  }
}

// As docs/paper_to_code.md has them: 50,000 words, unknown, padding; L labels, empty, start, end.
TEST(ParameterCount, OfThePapersModels) {
  struct Row {
    const char* preset;
    int64_t seq2seq, sgm, otseq2set;
  };
  for (const Row& row :
       {Row{"eurlex_4k", 34'822'264, 35'002'864, 40'505'464}, Row{"wiki10_31k", 45'508'522, 45'689'122, 47'444'906},
        Row{"amazoncat_13k", 54'854'502, 55'035'102, 70'136'678},
        Row{"amazon_670k", 437'660'447, 437'680'647, 439'813'919}}) {
    Config config;
    apply_preset(config, row.preset);
    auto count = [&](const char* variant) {
      config.variant = variant;
      return parameter_count(50'000 + kFirstWord, config.model.labels + kFirstLabel, config);
    };
    EXPECT_EQ(count("seq2seq"), row.seq2seq) << row.preset;
    EXPECT_EQ(count("mlc2seq"), row.seq2seq) << row.preset;
    EXPECT_EQ(count("sgm"), row.sgm) << row.preset;
    EXPECT_EQ(count("otseq2set"), row.otseq2set) << row.preset;
  }
}

TEST(MakeBatch, FillsUpToTheReceptiveFieldAndToARectangle) {
  const Documents documents = {{5, 6, 7, 8, 9}, {3, 4}, {2}, {}};
  const Batch batch = make_batch(spans(documents), 3, torch::kCPU);
  EXPECT_TRUE(torch::equal(batch.lengths, torch::tensor({5, 3, 3, 3}, torch::kInt64))) << batch.lengths;
  EXPECT_TRUE(torch::equal(
      batch.words, torch::tensor({{5, 6, 7, 8, 9}, {3, 4, 0, 0, 0}, {2, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}, torch::kInt64)))
      << batch.words;
}

TEST(MakeBatch, AllShort) {
  const Documents documents = {{5}, {3}};
  const Batch batch = make_batch(spans(documents), 4, torch::kCPU);
  EXPECT_EQ(batch.words.sizes(), (std::vector<int64_t>{2, 4}));
  EXPECT_TRUE(torch::equal(batch.lengths, torch::tensor({4, 4}, torch::kInt64)));
}

struct Precision {
  torch::Dtype dtype;
  double tolerance;
};
void PrintTo(const Precision& precision, std::ostream* out) { *out << precision.dtype; }

class Batching : public ::testing::TestWithParam<Precision> {};
INSTANTIATE_TEST_SUITE_P(Types, Batching,
                         ::testing::Values(Precision{torch::kFloat32, 2e-5}, Precision{torch::kFloat64, 1e-12}),
                         [](const auto& info) {
                           return std::string(info.param.dtype == torch::kFloat32 ? "float32" : "float64");
                         });

// Documents of all lengths, shorter than the receptive field too:
// one padded batch gives what each gives alone.
TEST_P(Batching, PaddedEqualsAlone) {
  for (const Variant& variant : variants()) {
    if (!variant.network) continue;
    for (int64_t stride : {1, 2, 5}) {
      Config config = tiny_config(variant.name);
      config.model.light_conv.last_stride = stride;
      Network network = tiny_network(config, 3, GetParam().dtype);
      const Documents documents = random_documents(9, 17, 5);
      ASSERT_LT(documents.back().size(), 4u);
      const int64_t least = receptive_field(config.model.light_conv);
      for (bool gradients : {false, true}) {
        torch::AutoGradMode mode(gradients);
        const Decoded together = network->decode(make_batch(spans(documents), least, torch::kCPU), 4, Dropout());
        ASSERT_EQ(together.logits.sizes(), (std::vector<int64_t>{9, 4, config.model.labels + kFirstLabel}));
        for (size_t row = 0; row < documents.size(); ++row) {
          const Batch batch = make_batch(spans({documents[row]}), least, torch::kCPU);
          const Decoded alone = network->decode(batch, 4, Dropout());
          EXPECT_LE(largest_difference(together.logits[row], alone.logits[0]), GetParam().tolerance)
              << variant.name << " document " << row;
          EXPECT_TRUE(torch::equal(together.labels[row], alone.labels[0]));
        }
      }
    }
  }
}

// A padded batch gives the gradients that the documents give one by one.
TEST_P(Batching, GradientsOfPaddedEqualAlone) {
  Network network = tiny_network(tiny_config(), 4, GetParam().dtype);
  const Documents documents = random_documents(5, 15, 6);
  const std::vector<torch::Tensor> parameters = network->parameters();
  auto gradients_of = [&](const Documents& some) {
    const Decoded decoded = network->decode(make_batch(spans(some), 4, torch::kCPU), 3, Dropout());
    auto gradients = torch::autograd::grad({decoded.logits.log_softmax(2).select(2, 4).sum()}, parameters, {}, {},
                                           false, /*allow_unused=*/true);
    for (size_t i = 0; i < gradients.size(); ++i) {
      gradients[i] = gradients[i].defined() ? dense(gradients[i]) : torch::zeros_like(parameters[i]);
    }
    return gradients;
  };
  std::vector<torch::Tensor> sum;
  for (const auto& document : documents) {
    const auto gradients = gradients_of({document});
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (sum.size() <= i) sum.push_back(torch::zeros_like(gradients[i]));
      sum[i] += gradients[i];
    }
  }
  const auto together = gradients_of(documents);
  for (size_t i = 0; i < together.size(); ++i) {
    const double scale = std::max(1.0, sum[i].abs().max().item<double>());
    EXPECT_LE(largest_difference(together[i], sum[i]), 10 * GetParam().tolerance * scale)
        << network->named_parameters()[i].key();
  }
}

// Each step reads the choice of the step before: other first labels give other second steps.
TEST(Decode, FeedsBackTheArgmax) {
  Network network = tiny_network(tiny_config(), 7);
  torch::NoGradGuard no_gradient;
  const Documents documents = random_documents(30, 12, 8);
  const Decoded decoded = network->decode(make_batch(spans(documents), 4, torch::kCPU), 5, Dropout());
  EXPECT_TRUE(torch::equal(decoded.labels, decoded.logits.argmax(2)));
  const Decoded fewer = network->decode(make_batch(spans(documents), 4, torch::kCPU), 2, Dropout());
  EXPECT_LE(largest_difference(fewer.logits, decoded.logits.slice(1, 0, 2)), 1e-6) << "a step depends on later ones";
}

}  // namespace
}  // namespace otseq2set::testing
