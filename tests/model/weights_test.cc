#include "otseq2set/model/weights.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/store/parameters.h"
#include "support/temp_folder.h"
#include "support/torch_tiny_network.h"

namespace otseq2set::testing {
namespace {

constexpr int64_t kLabelIds = 7 + kFirstLabel;

// The list of names and shapes, the network, and what comes back from a file are the same, for every variant.
TEST(ModelWeights, ComeBackFromTheirFile) {
  const TempFolder temp;
  for (const Variant& variant : variants()) {
    if (!variant.network) continue;
    for (const int64_t bottleneck : {0, 5}) {
      Config config = tiny_config(variant.name);
      config.model.bottleneck = bottleneck;
      const Network network = tiny_network(config);
      const std::string file = temp.path("weights.safetensors");
      save_weights(file, *network);
      const ModelWeights back = ModelWeights::open(file, kTinyWords, kLabelIds, config);
      const auto parameters = network->named_parameters();
      const std::vector<Parameter> list = parameters_of(kTinyWords, kLabelIds, config);
      ASSERT_EQ(list.size(), parameters.size()) << variant.name;
      for (const Parameter& parameter : list) {
        const torch::Tensor value = parameters[parameter.name];
        ASSERT_EQ(value.sizes(), torch::IntArrayRef(parameter.shape)) << parameter.name;
        EXPECT_TRUE(std::equal(value.data_ptr<float>(), value.data_ptr<float>() + value.numel(), back[parameter.name]))
            << parameter.name;
      }
    }
  }
}

// A few bytes must not make the program allocate what they claim.
TEST(ModelWeights, SizesBeyondTheFileAreRefusedBeforeAnyAllocation) {
  const TempFolder temp;
  const std::string file = temp.path("weights.safetensors");
  Config config = tiny_config();
  save_weights(file, *tiny_network(config));
  config.model.hidden = 65536;
  config.model.word_embedding = 65536;
  config.model.encoder_layers = 16;
  const std::string message = message_of<Error>([&] { ModelWeights::open(file, kTinyWords, kLabelIds, config); });
  EXPECT_NE(message.find(" numbers, but the model that config.json describes has "), std::string::npos) << message;
}

// Other programs need not align the data to its type: a header one byte longer.
TEST(ModelWeights, OfAFileThatDoesNotAlignThem) {
  const TempFolder temp;
  const std::string file = temp.path("weights.safetensors"), shifted = temp.path("shifted.safetensors");
  const Config config = tiny_config();
  save_weights(file, *tiny_network(config));
  std::string bytes = read_file(file);
  ++bytes[0];  // the length of the header, whose last character is a space or a brace
  bytes.insert(8 + static_cast<unsigned char>(bytes[0]) - 1 + 256 * static_cast<unsigned char>(bytes[1]), " ");
  write_file(shifted, bytes);
  const ModelWeights straight = ModelWeights::open(file, kTinyWords, kLabelIds, config);
  const ModelWeights copied = ModelWeights::open(shifted, kTinyWords, kLabelIds, config);
  for (const Parameter& parameter : parameters_of(kTinyWords, kLabelIds, config))
    EXPECT_EQ(straight[parameter.name][0], copied[parameter.name][0]) << parameter.name;
}

}  // namespace
}  // namespace otseq2set::testing
