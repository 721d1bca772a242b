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

// Rows one after the other, as many as `ends` says, which are `values` values in all.
template <typename T>
bool are_ends(const SharedArray<T>& ends, size_t rows, size_t values) {
  return ends.size() == rows + 1 && ends[0] == 0 && std::is_sorted(ends.begin(), ends.end()) &&
         static_cast<size_t>(ends[rows]) == values;
}

// Of a quantised model rows and values are other tensors.
struct ColumnNames {
  const char *ends, *rows, *values, *gaps, *scales;
};
constexpr ColumnNames kWeights = {"weights.ends", "weights.classifier", "weights.value", "weights.gap",
                                  "weights.scale"};
constexpr ColumnNames kDocuments = {"documents.ends", "documents.document", "documents.value", "documents.gap",
                                    "documents.scale"};

bool has_tensor(const SafetensorsFile& file, const std::string& name) {
  const auto& tensors = file.tensors();
  return std::any_of(tensors.begin(), tensors.end(), [&](const TensorView& one) { return one.name == name; });
}

CompactColumns::Gaps read_gaps(const std::shared_ptr<const SafetensorsFile>& file, const char* name) {
  if (file->view(name).dtype == "U8") return read<uint8_t>(file, name, "U8");
  return read<uint16_t>(file, name, "U16");
}

WeightColumns read_compact(const std::shared_ptr<const SafetensorsFile>& file, const ColumnNames& names,
                           size_t features, SharedArray<float> bias) {
  auto ends = read<uint32_t>(file, names.ends, "U32");
  auto gaps = read_gaps(file, names.gaps);
  auto values = read<int8_t>(file, names.values, "I8");
  auto scales = read<float>(file, names.scales, "F32");
  const size_t gap_count = std::visit([](const auto& all) { return all.size(); }, gaps);
  if (gap_count != values.size() || scales.size() != bias.size() || !are_ends(ends, features, values.size())) {
    fail("{}: {} or {} are damaged", file->path(), names.ends, names.scales);
  }
  CompactColumns columns(std::move(ends), std::move(gaps), std::move(values), std::move(scales));
  if (!columns.is_sound()) fail("{}: {} are damaged", file->path(), names.gaps);
  return {std::move(columns), std::move(bias)};
}

void add_columns(const ColumnNames& names, const WeightColumns& columns, std::vector<TensorView>& tensors) {
  if (const CompactColumns* compact = columns.compact()) {
    tensors.push_back(view_of(names.ends, "U32", compact->ends()));
    std::visit(
        [&](const auto& gaps) { tensors.push_back(view_of(names.gaps, sizeof(gaps[0]) == 1 ? "U8" : "U16", gaps)); },
        compact->gaps());
    tensors.push_back(view_of(names.values, "I8", compact->weights()));
    tensors.push_back(view_of(names.scales, "F32", compact->scales()));
  } else {
    tensors.push_back(view_of(names.ends, "I64", columns.ends()));
    tensors.push_back(view_of(names.rows, "I32", columns.classifier()));
    tensors.push_back(view_of(names.values, "F32", columns.weights()));
  }
}

WeightColumns read_columns(const std::shared_ptr<const SafetensorsFile>& file, const ColumnNames& names,
                           size_t features, SharedArray<float> bias) {
  if (has_tensor(*file, names.gaps)) return read_compact(file, names, features, std::move(bias));
  auto ends = read<int64_t>(file, names.ends, "I64");
  auto rows = read<int32_t>(file, names.rows, "I32");
  auto values = read<float>(file, names.values, "F32");
  if (rows.size() != values.size() || !are_ends(ends, features, values.size()) || !all_below(rows, bias.size())) {
    fail("{}: {} or {} are damaged", file->path(), names.ends, names.rows);
  }
  return {std::move(ends), std::move(rows), std::move(values), std::move(bias)};
}

std::optional<NearestDocuments> read_nearest(const std::shared_ptr<const SafetensorsFile>& file,
                                             const NgramFeatures& features, size_t labels) {
  constexpr char kFirst[] = "documents.label_ends";
  if (!has_tensor(*file, kFirst)) return std::nullopt;
  auto ends = read<int64_t>(file, kFirst, "I64");
  auto of_documents = read<int32_t>(file, "documents.labels", "I32");
  if (ends.empty() || !are_ends(ends, ends.size() - 1, of_documents.size()) || !all_below(of_documents, labels)) {
    fail("{}: the labels of the documents are damaged", file->path());
  }
  WeightColumns columns = read_columns(file, kDocuments, features.words(), std::vector<float>(ends.size() - 1));
  return NearestDocuments(features, std::move(columns), std::move(ends), std::move(of_documents));
}

}  // namespace

LinearModel::LinearModel(NgramFeatures features, WeightColumns weights, std::optional<NearestDocuments> nearest)
    : features_(std::move(features)), weights_(std::move(weights)), nearest_(std::move(nearest)) {}

LinearModel LinearModel::quantised() const {
  std::optional<NearestDocuments> nearest;
  if (nearest_) nearest = nearest_->quantised();
  return {features_, weights_.quantised(), std::move(nearest)};
}

void LinearModel::save(const FilePlace& place) const {
  std::vector<TensorView> tensors = {view_of("pairs", "U64", features_.pairs()), view_of("idf", "F32", features_.idf()),
                                     view_of("bias", "F32", weights_.bias())};
  add_columns(kWeights, weights_, tensors);
  if (nearest_) {
    add_columns(kDocuments, nearest_->columns(), tensors);
    tensors.push_back(view_of("documents.label_ends", "I64", nearest_->ends()));
    tensors.push_back(view_of("documents.labels", "I32", nearest_->labels()));
  }
  write_safetensors(place, tensors);
}

LinearModel LinearModel::load(const std::string& path, size_t word_ids, size_t labels, SafetensorsLimits limits) {
  constexpr uint64_t kDozenTensors = 1 << 16;  // bytes of the header
  limits.largest_header = kDozenTensors;
  const auto file = std::make_shared<const SafetensorsFile>(SafetensorsFile::open(path, limits));
  auto pairs = read<uint64_t>(file, "pairs", "U64");
  auto idf = read<float>(file, "idf", "F32");
  if (idf.size() != word_ids - kFirstWord + pairs.size()) fail("{}: not for {} words", path, word_ids - kFirstWord);
  const auto is_positive = [](float value) { return value > 0; };
  if (!std::all_of(idf.begin(), idf.end(), is_positive)) fail("{}: a word's weight is not above 0", path);
  if (!std::is_sorted(pairs.begin(), pairs.end())) fail("{}: the word pairs are damaged", path);
  auto bias = read<float>(file, "bias", "F32");
  if (bias.size() != labels) fail("{}: not for {} labels", path, labels);
  NgramFeatures features(std::move(pairs), std::move(idf));
  WeightColumns weights = read_columns(file, kWeights, features.size(), std::move(bias));
  return {features, std::move(weights), read_nearest(file, features, labels)};
}

std::vector<NgramShare> LinearModel::shares(Span<const int32_t> words, int32_t label) const {
  return std::move(shares(words, {label}, SIZE_MAX).front());
}

std::vector<std::vector<NgramShare>> LinearModel::shares(Span<const int32_t> words, const std::vector<int32_t>& labels,
                                                         size_t most) const {
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
  const std::vector<Feature> row = features_.row(words);
  std::vector<std::vector<NgramShare>> of_labels;
  for (const int32_t label : labels) {
    std::vector<Feature> parts;  // of the margin
    for (const Feature& feature : row) {
      const float share = feature.value * weights_.weight(feature.number, label);
      if (share != 0) parts.push_back({feature.number, share});
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Feature& a, const Feature& b) { return a.value > b.value; });
    parts.resize(std::min(most, parts.size()));
    std::vector<NgramShare>& own = of_labels.emplace_back();
    for (const Feature& part : parts) {
      own.push_back(of_feature.at(part.number));
      own.back().share = part.value;
    }
  }
  return of_labels;
}

}  // namespace otseq2set::inline linear
