#include "otseq2set/training/checkpoint.h"

#include "otseq2set/core/error.h"
#include "otseq2set/model/weights.h"

namespace otseq2set {

namespace {

constexpr const char* kParameter = "parameter/";
constexpr const char* kFirst = "adam_first/";
constexpr const char* kSecond = "adam_second/";

Json to_json(const Position& position) {
  return {{"epoch", position.epoch},
          {"batches_done", position.batches_done},
          {"steps_done", position.steps_done},
          {"total", position.sums.total},
          {"matching", position.sums.matching},
          {"transport", position.sums.transport},
          {"seconds", position.seconds},
          {"best_micro_f1", position.best_micro_f1},
          {"best_epoch", position.best_epoch},
          {"log", position.log}};
}

Position position_from(const Json& json) {
  Position position;
  position.epoch = json.at("epoch");
  position.batches_done = json.at("batches_done");
  position.steps_done = json.at("steps_done");
  position.sums = {json.at("total"), json.at("matching"), json.at("transport")};
  position.seconds = json.at("seconds");
  position.best_micro_f1 = json.at("best_micro_f1");
  position.best_epoch = json.at("best_epoch");
  position.log = json.at("log").get<std::vector<Json>>();
  return position;
}

}  // namespace

void save_checkpoint(const std::string& path, const Network& network, const Adam& adam,
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
    ++i;
  }
  write_safetensors(path, views, {{"position", to_json(position).dump()}});
}

Position load_checkpoint(const std::string& path, Network& network, Adam& adam) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  size_t i = 0;
  for (const auto& item : network->named_parameters()) {
    read_tensor(file, kParameter + item.key(), item.value());
    read_tensor(file, kFirst + item.key(), adam.first_moments()[i]);
    read_tensor(file, kSecond + item.key(), adam.second_moments()[i]);
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

}  // namespace otseq2set
