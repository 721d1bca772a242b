#include "support/torch_golden.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <stdexcept>

#include "otseq2set/store/label_ids.h"
#include "support/torch_rounding.h"

namespace otseq2set::testing {

namespace fs = std::filesystem;

namespace {

fs::path golden_folder() {
  const char* folder = std::getenv("OTSEQ2SET_GOLDEN_DIR");
  return folder != nullptr && *folder != '\0' ? folder : OTSEQ2SET_DEFAULT_GOLDEN_DIR;
}

Config config_of(const json& file) {
  Config config;
  config.model.hidden = file.at("hidden");
  config.model.word_embedding = file.at("word_embedding");
  config.model.label_embedding = file.at("label_embedding");
  config.model.encoder_layers = file.at("encoder_layers");
  config.model.bottleneck = file.at("bottleneck");
  const bool light_conv = !file.at("light_conv").is_null();
  if (light_conv) {
    config.model.light_conv.kernels = file["light_conv"].at("kernels").get<std::vector<int64_t>>();
    config.model.light_conv.last_stride = file["light_conv"].at("last_stride");
    config.model.light_conv.heads = file["light_conv"].at("heads");
  } else {
    config.model.light_conv.kernels.clear();  // training would fill documents up to what these look at
  }
  const bool transport = file.value("lambda", 0.0) > 0;
  config.model.steps = file.at("steps");
  const bool sequence = file.at("kind") == "sequence_step";
  if (file.at("global_embedding")) {
    config.variant = "sgm";
  } else if (sequence) {
    config.variant = light_conv ? "seq2seq_lc" : "seq2seq";
  } else {
    config.variant = light_conv ? (transport ? "otseq2set" : "bm_lc") : (transport ? "bm_ot" : "bm");
  }
  config.loss.scheme = file.value("scheme", "all");
  config.loss.lambda = file.value("lambda", 0.0);
  config.loss.lambda_empty = file.value("lambda_empty", 1.0);
  return config;
}

// Our ids in order, as ids of the file: special ones first, then its labels ascending.
torch::Tensor file_ids(const json& file) {
  const json& special = file.at("special_ids");
  std::vector<int64_t> ids(kFirstLabel);
  ids[kEndLabel] = special.at("end");
  ids[kEmptyLabel] = special.at("empty");
  ids[kStartLabel] = special.at("start");
  for (int64_t id = 0; id < file.at("label_ids").get<int64_t>(); ++id) {
    if (std::find(ids.begin(), ids.begin() + kFirstLabel, id) == ids.begin() + kFirstLabel) ids.push_back(id);
  }
  return torch::tensor(ids);
}

bool has_label_rows(const std::string& name) {
  return name == "decoder.embedding.weight" || name.rfind("decoder.fc_out.", 0) == 0 ||
         name.rfind("decoder.bottleneck1.", 0) == 0;
}

}  // namespace

std::vector<json> golden_files(const std::string& kind) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(golden_folder())) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<json> files;
  for (const fs::path& path : paths) {
    std::ifstream stream(path);
    json file;
    try {
      file = json::parse(stream);
    } catch (const json::exception& error) {
      throw std::runtime_error(path.string() + ": " + error.what());
    }
    if (file.at("kind") == kind) files.push_back(file);
  }
  if (files.empty()) throw std::runtime_error("no golden file of kind " + kind + " in " + golden_folder().string());
  return files;
}

torch::Tensor tensor_of(const json& value) {
  const auto shape = value.at("shape").get<std::vector<int64_t>>();
  if (value.at("dtype") == "int64") return torch::tensor(value.at("data").get<std::vector<int64_t>>()).view(shape);
  return torch::tensor(value.at("data").get<std::vector<double>>(), torch::kFloat64).view(shape);
}

GoldenModel::GoldenModel(const json& file, torch::Dtype dtype)
    : file_(file),
      config_(config_of(file)),
      file_id_of_(file_ids(file)),
      parameters_(own_parameters(file.at("parameters"))) {
  network_ = Network(file.at("word_ids").get<int64_t>(), file.at("label_ids").get<int64_t>(), config_);
  network_->to(dtype);
  if (parameters_.size() != network_->parameters().size())
    throw std::runtime_error("golden file with other parameters");
  disturb(0);
}

void GoldenModel::disturb(int run) {
  torch::NoGradGuard no_gradient;
  for (const auto& item : network_->named_parameters()) item.value().copy_(disturbed(parameters_.at(item.key()), run));
}

int64_t GoldenModel::longest_sum() const {
  if (file_.contains("source")) return steps() * tensor_of(file_.at("source")).numel();
  const auto lengths = file_.at("lengths").get<std::vector<int64_t>>();
  return steps() * std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
}

LabelSets GoldenModel::label_sets() const {
  const torch::Tensor targets = own_ids(tensor_of(file_.at("targets")));
  LabelSets sets(targets.size(0));
  for (int64_t row = 0; row < targets.size(0); ++row) {
    for (int64_t i = 1; i < targets.size(1); ++i) {
      const auto id = targets[row][i].item<int64_t>();
      if (id != kEmptyLabel && id != kEndLabel) sets[row].push_back(id);
    }
  }
  return sets;
}

torch::Tensor GoldenModel::own_ids(const torch::Tensor& ids) const { return file_id_of_.argsort().index({ids}); }

torch::Tensor GoldenModel::own_logits(const torch::Tensor& logits) const {
  return logits.index_select(-1, file_id_of_);
}

std::map<std::string, torch::Tensor> GoldenModel::own_parameters(const json& named) const {
  std::map<std::string, torch::Tensor> parameters;
  for (const auto& [name, value] : named.items()) {
    const torch::Tensor tensor = tensor_of(value);
    parameters[name] = has_label_rows(name) ? tensor.index_select(0, file_id_of_) : tensor;
  }
  return parameters;
}

torch::Tensor dense(const torch::Tensor& tensor) { return tensor.is_sparse() ? tensor.to_dense() : tensor; }

double relative_difference(const torch::Tensor& actual, const torch::Tensor& expected, double floor) {
  if (actual.sizes() != expected.sizes()) return std::numeric_limits<double>::infinity();
  if (expected.numel() == 0) return 0;
  const torch::Tensor wanted = dense(expected).to(torch::kFloat64);
  const torch::Tensor difference = (dense(actual.detach()).to(torch::kFloat64) - wanted).abs();
  if (!torch::isfinite(difference).all().item<bool>()) return std::numeric_limits<double>::infinity();
  const double scale = std::max({wanted.abs().max().item<double>(), floor, std::numeric_limits<double>::min()});
  return difference.max().item<double>() / scale;
}

}  // namespace otseq2set::testing
