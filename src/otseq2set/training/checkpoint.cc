#include "otseq2set/training/checkpoint.h"

#include <algorithm>

#include "otseq2set/core/error.h"
#include "otseq2set/model/weights.h"

namespace otseq2set::inline training {

namespace {

constexpr const char* kParameter = "parameter/";
constexpr const char* kFirst = "adam_first/";
constexpr const char* kSecond = "adam_second/";
constexpr const char* kAverage = "average/";

Json to_json(const Position& position) {
  return {{"epoch", position.epoch},
          {"batches_done", position.batches_done},
          {"steps_done", position.steps_done},
          {"total", position.sums.total},
          {"matching", position.sums.matching},
          {"transport", position.sums.transport},
          {"encoder_seconds", position.times.encoder},
          {"decoder_seconds", position.times.decoder},
          {"loss_seconds", position.times.loss},
          {"optimiser_seconds", position.times.optimiser},
          {"seconds", position.seconds},
          {"best_micro_f1", position.best_micro_f1},
          {"best_epoch", position.best_epoch},
          {"log", position.log}};
}

// The library would turn 1e300 into some integer, and training would go on at batch -1.
int64_t count_of(const Json& json, const char* key, int64_t least = 0) {
  constexpr int64_t kMost = int64_t{1} << 53;
  const Json& value = json.at(key);
  if (!value.is_number_integer() || value < least || value > kMost) fail("{} is not a count", key);
  return value;
}

// One flat object for each epoch that has ended.
std::vector<Json> log_from(const Json& json, int64_t epochs) {
  auto log = json.get<std::vector<Json>>();
  for (const Json& entry : log) {
    const auto nested = [](const Json& value) { return value.is_structured(); };
    if (!entry.is_object() || std::any_of(entry.begin(), entry.end(), nested)) fail("log is not a log");
  }
  if (static_cast<int64_t>(log.size()) != epochs) fail("log has {} epochs, not {}", log.size(), epochs);
  return log;
}

Position position_from(const Json& json) {
  Position position;
  position.epoch = count_of(json, "epoch");
  position.batches_done = count_of(json, "batches_done");
  position.steps_done = count_of(json, "steps_done");
  position.sums = {json.at("total"), json.at("matching"), json.at("transport")};
  const auto seconds = [&](const char* part) { return json.value(part, 0.0); };  // older files lack them
  position.times = {seconds("encoder_seconds"), seconds("decoder_seconds"), seconds("loss_seconds"),
                    seconds("optimiser_seconds")};
  position.seconds = json.at("seconds");
  position.best_micro_f1 = json.at("best_micro_f1");
  position.best_epoch = count_of(json, "best_epoch", -1);
  position.log = log_from(json.at("log"), position.epoch);
  if (position.best_epoch >= position.epoch) fail("best_epoch is {}", position.best_epoch);
  return position;
}

}  // namespace

void save_checkpoint(const FilePlace& place, const Network& network, const Adam& adam, const WeightAverage* average,
                     const Position& position) {
  std::vector<torch::Tensor> values;
  std::vector<TensorView> views;
  auto add = [&](const std::string& name, const torch::Tensor& tensor) {
    values.push_back(tensor.detach().to(torch::kCPU).contiguous());
    views.push_back(view_of(name, values.back()));
  };
  size_t i = 0;
  for (const auto& item : network->named_parameters()) {
    add(kParameter + item.key(), item.value());
    add(kFirst + item.key(), adam.first_moments()[i]);
    add(kSecond + item.key(), adam.second_moments()[i]);
    if (average != nullptr) add(kAverage + item.key(), average->values()[i]);
    ++i;
  }
  write_safetensors(place, views, {{"position", to_json(position).dump()}});
}

Position load_checkpoint(const std::string& path, Network& network, Adam& adam, WeightAverage* average) {
  const SafetensorsOnDisk file(path);
  size_t i = 0;
  for (const auto& item : network->named_parameters()) {
    read_tensor(file, kParameter + item.key(), item.value());
    read_tensor(file, kFirst + item.key(), adam.first_moments()[i]);
    read_tensor(file, kSecond + item.key(), adam.second_moments()[i]);
    if (average != nullptr) read_tensor(file, kAverage + item.key(), average->values()[i]);
    ++i;
  }
  try {
    Position position = position_from(Json::parse(file.metadata().at("position")));
    adam.set_steps(position.steps_done);
    return position;
  } catch (const std::exception& error) {  // of the map or of JSON
    fail("{}: no usable position: {}", path, error.what());
  }
}

}  // namespace otseq2set::inline training
