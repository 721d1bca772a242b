#include "otseq2set/linear/linear_model.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::inline linear {

namespace {

template <typename T>
TensorView view_of(const std::string& name, const char* dtype, const SharedArray<T>& values) {
  return {name, dtype, {static_cast<int64_t>(values.size())}, values.data(), values.size() * sizeof(T)};
}

// Files of other programs need not align data to its type.
template <typename T>
SharedArray<T> read(const std::shared_ptr<const SafetensorsFile>& file, const std::string& name, const char* dtype) {
  const TensorView& view = file->view(name);
  if (view.dtype != dtype || view.shape.size() != 1) fail("{}: {} is not a row of {}", file->path(), name, dtype);
  if (view.dtype == "F32") file->finite_floats(name, view.shape);
  const size_t size = view.bytes / sizeof(T);
  if (reinterpret_cast<uintptr_t>(view.data) % alignof(T) == 0) return {static_cast<const T*>(view.data), size, file};
  std::vector<T> values(size);
  std::memcpy(values.data(), view.data, view.bytes);
  return values;
}

template <typename T>
bool all_below(const SharedArray<T>& values, size_t end) {
  return std::all_of(values.begin(), values.end(),
                     [&](T value) { return value >= 0 && static_cast<size_t>(value) < end; });
}

}  // namespace

LinearModel::LinearModel(NgramFeatures features, WeightColumns weights)
    : features_(std::move(features)), weights_(std::move(weights)) {}

void LinearModel::save(const std::string& path) const {
  write_safetensors(
      path,
      {view_of("pairs", "U64", features_.pairs()), view_of("idf", "F32", features_.idf()),
       view_of("weights.ends", "I64", weights_.ends()), view_of("weights.classifier", "I32", weights_.classifier()),
       view_of("weights.value", "F32", weights_.weights()), view_of("bias", "F32", weights_.bias())});
}

LinearModel LinearModel::load(const std::string& path, size_t word_ids, size_t labels, HeldBytes where) {
  const auto file = std::make_shared<const SafetensorsFile>(SafetensorsFile::open(path, where));
  auto pairs = read<uint64_t>(file, "pairs", "U64");
  auto idf = read<float>(file, "idf", "F32");
  if (idf.size() != word_ids - kFirstWord + pairs.size()) fail("{}: not for {} words", path, word_ids - kFirstWord);
  const auto is_positive = [](float value) { return value > 0; };
  if (!std::all_of(idf.begin(), idf.end(), is_positive)) fail("{}: a word's weight is not above 0", path);
  if (!std::is_sorted(pairs.begin(), pairs.end())) fail("{}: the word pairs are damaged", path);
  auto ends = read<int64_t>(file, "weights.ends", "I64");
  auto classifiers = read<int32_t>(file, "weights.classifier", "I32");
  auto weights = read<float>(file, "weights.value", "F32");
  auto bias = read<float>(file, "bias", "F32");
  if (bias.size() != labels) fail("{}: not for {} labels", path, labels);
  if (ends.size() != idf.size() + 1 || ends[0] != 0 || !std::is_sorted(ends.begin(), ends.end()) ||
      static_cast<size_t>(ends[ends.size() - 1]) != weights.size() || classifiers.size() != weights.size() ||
      !all_below(classifiers, bias.size())) {
    fail("{}: the weights are damaged", path);
  }
  return {NgramFeatures(std::move(pairs), std::move(idf)),
          WeightColumns(std::move(ends), std::move(classifiers), std::move(weights), std::move(bias))};
}

std::vector<NgramShare> LinearModel::shares(Span<const int32_t> words, int32_t label) const {
  std::map<int32_t, NgramShare> of_feature;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto add = [&](int32_t feature, size_t size) {
      if (feature < 0) return;
      NgramShare& share = of_feature.try_emplace(feature, NgramShare{{}, size, 0}).first->second;
      share.places.push_back(i);
    };
    add(features_.word_feature(words[i]), 1);
    if (i + 1 < words.size()) add(features_.pair_feature(words[i], words[i + 1]), 2);
  }
  std::vector<NgramShare> shares;
  for (const Feature& feature : features_.row(words)) {
    NgramShare& share = of_feature.at(feature.number);
    share.share = feature.value * weights_.weight(feature.number, label);
    if (share.share != 0) shares.push_back(std::move(share));
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const NgramShare& a, const NgramShare& b) { return a.share > b.share; });
  return shares;
}

}  // namespace otseq2set::inline linear
