#include "otseq2set/inference/quantising.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/safetensors.h"
#include "otseq2set/kernels/int8_panels.h"
#include "otseq2set/linear/linear_model.h"
#include "otseq2set/store/manifest.h"

namespace otseq2set::inline inference {

namespace fs = std::filesystem;

namespace {

// The first words of a vocabulary, which are its most frequent ones.
Vocabulary first_words(const Vocabulary& all, size_t count) {
  std::vector<std::pair<std::string, uint64_t>> words;
  for (size_t i = 0; i < count; ++i) {
    words.emplace_back(all.word(static_cast<int32_t>(i) + kFirstWord), count - i);
  }
  return Vocabulary::from_counts(std::move(words), count, 1);
}

// The networks know fewer words; a linear model beside them still knows all.
void drop_words(ModelDescription& description, int64_t words) {
  if (words == 0 || words + kFirstWord >= description.word_ids() || !variant_of(description.config).network) return;
  if (description.config.linear.hybrid) {
    description.config.model.words = words;
  } else {
    description.words = first_words(description.words, static_cast<size_t>(words));
  }
}

void write_network(const FilePlace& place, const std::vector<Parameter>& parameters, const ModelWeights& weights) {
  std::vector<TensorView> views;
  for (const Parameter& parameter : parameters) {
    const WeightMatrix<float>& own = weights.matrix(parameter.name);
    const auto size = static_cast<size_t>(
        std::accumulate(parameter.shape.begin(), parameter.shape.end(), int64_t{1}, std::multiplies<>()));
    if (own.quantised()) {
      const int64_t rows = parameter.shape[0];
      views.push_back({parameter.name, "I8", parameter.shape, own.bytes, size});
      views.push_back({parameter.name + kScaleEnding, "F32", {rows}, own.scales, rows * sizeof(float)});
    } else {
      views.push_back({parameter.name, "F32", parameter.shape, own.values, size * sizeof(float)});
    }
  }
  write_safetensors(place, views, {{"format", "otseq2set"}});
}

}  // namespace

ModelWeights quantised(const std::vector<Parameter>& parameters, const ModelWeights& weights) {
  struct Bytes {
    std::vector<int8_t> bytes;
    std::vector<float> scales;
  };
  struct Owner {
    ModelWeights weights;  // of what stays as it is
    std::vector<Bytes> matrices;
  };
  const auto owner = std::make_shared<Owner>(Owner{weights, {}});
  std::map<std::string, WeightMatrix<float>> values;
  for (const Parameter& parameter : parameters) {
    values[parameter.name] = weights.matrix(parameter.name);
    if (!is_quantised(parameter)) continue;
    const int64_t rows = parameter.shape[0], width = parameter.shape[1];
    if (width > kMostInt8Inputs) {
      fail("{} has rows of {} numbers; at most {} can be quantised", parameter.name, width, kMostInt8Inputs);
    }
    Bytes own{std::vector<int8_t>(rows * width), std::vector<float>(rows)};
    quantise_matrix(rows, width, weights[parameter.name], own.bytes.data(), own.scales.data());
    values[parameter.name] = {own.bytes.data(), own.scales.data()};
    owner->matrices.push_back(std::move(own));
  }
  return {std::move(values), owner};
}

void quantise_model(const ModelFolder& from, const ModelFolder& to, const QuantisingOptions& options) {
  const Manifest manifest(from);
  const ModelDescription before = load_description(from, manifest);
  if (before.quantised) fail("{} is quantised already", from.path());
  ModelDescription after = before;
  after.quantised = true;
  drop_words(after, options.words);
  create_folder(to.path());
  begin_anew(to);
  save_description(to, after);
  const auto kept = parameters_of(after.word_ids(), after.label_ids(), after.config);
  const auto targets = network_folders(to, after.config);
  size_t index = 0;
  for (const NetworkFolder& network : network_folders(from, before.config)) {
    const ModelFolder& target = targets[index++].folder;
    create_folder(target.path());
    const std::string path = network.folder.weights();
    const ModelWeights weights =
        ModelWeights::open(path, before.word_ids(), before.label_ids(), before.config, vouched_limits(manifest, path));
    write_network(vouched(target, target.weights()), kept, quantised(kept, weights));
  }
  if (has_linear(before.config)) {
    LinearModel::load(from.linear(), before.words.ids(), before.labels.size(), vouched_limits(manifest, from.linear()))
        .quantised()
        .save(vouched(to, to.linear()));
  }
  for (std::string (ModelFolder::*file)() const :
       {&ModelFolder::joining, &ModelFolder::set_rule, &ModelFolder::metrics}) {
    if (fs::exists((from.*file)())) take_over(from, (from.*file)(), to, (to.*file)());
  }
}

uint64_t folder_size(const std::string& path) {
  uint64_t size = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) size += entry.file_size();
  }
  return size;
}

}  // namespace otseq2set::inline inference
