#include "otseq2set/training/checkpoint.h"

#include <gtest/gtest.h>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/safetensors.h"
#include "support/temp_folder.h"
#include "support/torch_tiny_network.h"

namespace otseq2set::testing {
namespace {

// Numbers that do not survive a way over six digits.
Position odd_position() {
  Position position;
  position.epoch = 3;
  position.batches_done = 17;
  position.steps_done = 1234567890123;
  position.sums = {1.0 / 3, 2e-300, 12345678.900000001};
  position.seconds = 0.1;
  position.best_micro_f1 = 2.0 / 7;
  position.best_epoch = 2;
  position.log = {Json{{"epoch", 1}, {"loss", 0.1 + 0.2}}, Json{{"epoch", 2}, {"valid_micro_f1", nullptr}},
                  Json{{"epoch", 3}}};
  return position;
}

void expect_equal(const Position& a, const Position& b) {
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.batches_done, b.batches_done);
  EXPECT_EQ(a.steps_done, b.steps_done);
  EXPECT_EQ(a.sums.total, b.sums.total);
  EXPECT_EQ(a.sums.matching, b.sums.matching);
  EXPECT_EQ(a.sums.transport, b.sums.transport);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.best_micro_f1, b.best_micro_f1);
  EXPECT_EQ(a.best_epoch, b.best_epoch);
  EXPECT_EQ(a.log, b.log);
}

class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() : network_(tiny_network(tiny_config(), 1)), adam_(network_->parameters()) {
    for (int step = 0; step < 3; ++step) adam_.step(gradients(), 0.01, 1.0);
    save_checkpoint(path_, network_, adam_, nullptr, odd_position());
  }
  std::vector<torch::Tensor> gradients() const {
    std::vector<torch::Tensor> gradients;
    for (const torch::Tensor& parameter : network_->parameters()) {
      gradients.push_back(torch::linspace(-1, 1, parameter.numel()).view(parameter.sizes()));
    }
    return gradients;
  }
  // The message of the Error that loading into a network of this configuration throws.
  std::string load_error(const Config& config = tiny_config()) const {
    Network network = tiny_network(config, 9);
    Adam adam(network->parameters());
    return message_of<Error>([&] { load_checkpoint(path_, network, adam, nullptr); });
  }

  TempFolder folder_;
  const std::string path_ = folder_.path("state.safetensors");
  Network network_;
  Adam adam_;
};

TEST_F(CheckpointTest, RoundTrip) {
  Network other = tiny_network(tiny_config(), 9);
  Adam adam(other->parameters());
  const Position position = load_checkpoint(path_, other, adam, nullptr);
  expect_equal(position, odd_position());
  EXPECT_EQ(adam.steps(), position.steps_done);
  for (size_t i = 0; i < network_->parameters().size(); ++i) {
    EXPECT_TRUE(torch::equal(network_->parameters()[i], other->parameters()[i]));
    EXPECT_TRUE(torch::equal(adam_.first_moments()[i], adam.first_moments()[i]));
    EXPECT_TRUE(torch::equal(adam_.second_moments()[i], adam.second_moments()[i]));
  }
  const std::string again = folder_.path("again.safetensors");
  save_checkpoint(again, other, adam, nullptr, position);
  EXPECT_EQ(read_file(again), read_file(path_));
}

// Training goes on with the same bits.
TEST_F(CheckpointTest, TheNextStepIsTheSame) {
  Network other = tiny_network(tiny_config(), 9);
  Adam adam(other->parameters());
  load_checkpoint(path_, other, adam, nullptr);
  adam_.set_steps(odd_position().steps_done);
  adam.step(gradients(), 0.01, 0.5);
  adam_.step(gradients(), 0.01, 0.5);
  for (size_t i = 0; i < network_->parameters().size(); ++i) {
    EXPECT_TRUE(torch::equal(network_->parameters()[i], other->parameters()[i]));
  }
}

TEST_F(CheckpointTest, StartPosition) {
  save_checkpoint(path_, network_, adam_, nullptr, Position());
  Network other = tiny_network(tiny_config(), 9);
  Adam adam(other->parameters());
  expect_equal(load_checkpoint(path_, other, adam, nullptr), Position());
}

TEST_F(CheckpointTest, TheAverageOfTheWeightsGoesOn) {
  WeightAverage average(network_->parameters(), 0.9);
  adam_.step(gradients(), 0.01, 0.5);
  average.step(1);
  save_checkpoint(path_, network_, adam_, &average, odd_position());
  Network other = tiny_network(tiny_config(), 9);
  Adam adam(other->parameters());
  WeightAverage resumed(other->parameters(), 0.9);
  load_checkpoint(path_, other, adam, &resumed);
  average.step(2);
  resumed.step(2);
  for (size_t i = 0; i < average.values().size(); ++i) {
    EXPECT_TRUE(torch::equal(average.values()[i], resumed.values()[i]));
  }
}

TEST_F(CheckpointTest, WithoutTheAverageThatIsExpected) {
  WeightAverage average(network_->parameters(), 0.9);
  EXPECT_NE(message_of<Error>([&] { load_checkpoint(path_, network_, adam_, &average); }).find("average/"),
            std::string::npos);
}

TEST_F(CheckpointTest, CutOrMissing) {
  const std::string bytes = read_file(path_);
  for (const size_t size : {size_t{0}, size_t{7}, size_t{8}, size_t{60}, bytes.size() / 2, bytes.size() - 1}) {
    write_file(path_, bytes.substr(0, size));
    EXPECT_NE(load_error().find(path_), std::string::npos) << size << ": " << load_error();
  }
  write_file(path_, bytes + "x");
  EXPECT_NE(load_error().find(path_), std::string::npos) << load_error();
  std::filesystem::remove(path_);
  EXPECT_NE(load_error().find(path_), std::string::npos) << load_error();
}

// Every byte of the header set to another value:
// an Error or, where only a digit of the position changed, a value.
TEST_F(CheckpointTest, DamagedHeader) {
  const std::string bytes = read_file(path_);
  const size_t header = bytes.find("data_offsets");
  for (size_t at = 0; at < header + 200; at += 3) {
    std::string damaged = bytes;
    damaged[at] = damaged[at] == '~' ? '!' : '~';
    write_file(path_, damaged);
    const std::string message = load_error();
    EXPECT_TRUE(message == "nothing was thrown" || message.find(path_) != std::string::npos) << at << ": " << message;
  }
}

TEST_F(CheckpointTest, OfAnotherNetwork) {
  Config config = tiny_config();
  config.model.hidden = 5;
  EXPECT_NE(load_error(config).find(path_), std::string::npos) << load_error(config);
  config = tiny_config();
  config.model.encoder_layers = 3;
  EXPECT_NE(load_error(config).find("encoder.rnn."), std::string::npos) << load_error(config);
}

// Training would go on at batch -1, or look for an epoch that the log does not have.
TEST_F(CheckpointTest, PositionThatCannotBe) {
  const SafetensorsFile file = SafetensorsFile::open(path_);
  const std::vector<TensorView> tensors = file.tensors();
  const Json good = Json::parse(file.metadata().at("position"));
  const std::string other = folder_.path("other.safetensors");
  for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{{"epoch", -1},
                                                                            {"epoch", 1e300},
                                                                            {"epoch", 2},
                                                                            {"batches_done", -1},
                                                                            {"batches_done", 1.5},
                                                                            {"steps_done", UINT64_MAX},
                                                                            {"best_epoch", 3},
                                                                            {"best_epoch", -2},
                                                                            {"log", {1, 2, 3}},
                                                                            {"log", {{{"a", {1}}}}}}) {
    Json position = good;
    position[key] = value;
    write_safetensors(other, tensors, {{"position", position.dump()}});
    Network network = tiny_network(tiny_config(), 9);
    Adam adam(network->parameters());
    const std::string message = message_of<Error>([&] { load_checkpoint(other, network, adam, nullptr); });
    EXPECT_NE(message.find(other + ": no usable position"), std::string::npos) << key << ": " << message;
  }
}

TEST_F(CheckpointTest, WithoutAUsablePosition) {
  const SafetensorsFile file = SafetensorsFile::open(path_);
  const std::vector<TensorView> tensors = file.tensors();
  const std::string other = folder_.path("other.safetensors");
  for (const std::map<std::string, std::string>& metadata : {std::map<std::string, std::string>{},
                                                             {{"position", "{}"}},
                                                             {{"position", "["}},
                                                             {{"position", "{\"epoch\":\"x\"}"}}}) {
    write_safetensors(other, tensors, metadata);
    Network network = tiny_network(tiny_config(), 9);
    Adam adam(network->parameters());
    const std::string message = message_of<Error>([&] { load_checkpoint(other, network, adam, nullptr); });
    EXPECT_NE(message.find(other + ": no usable position"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace otseq2set::testing
