#include "otseq2set/store/model_weights.h"

#include <cstring>

#include "otseq2set/core/error.h"
#include "otseq2set/store/parameters.h"

namespace otseq2set::inline store {

namespace {

// Before anything is allocated for the sizes that the configuration claims.
void check_size(const SafetensorsFile& file, int64_t needed) {
  int64_t held = 0;
  for (const TensorView& tensor : file.tensors()) held += static_cast<int64_t>(tensor.bytes / 4);
  if (held < needed) {
    fail("{}: {} numbers, but the model that config.json describes has {}", file.path(), held, needed);
  }
}

}  // namespace

ModelWeights ModelWeights::open(const std::string& path, int64_t word_ids, int64_t label_ids,
                                const Config& config) {
  ModelWeights weights({});
  weights.file_ = std::make_shared<const SafetensorsFile>(SafetensorsFile::open(path));
  check_size(*weights.file_, parameter_count(word_ids, label_ids, config));
  for (const Parameter& parameter : parameters_of(word_ids, label_ids, config)) {
    const TensorView& view = weights.file_->finite_floats(parameter.name, parameter.shape);
    const auto* values = static_cast<const float*>(view.data);
    if (reinterpret_cast<uintptr_t>(view.data) % alignof(float) != 0) {
      auto copy = std::make_shared<std::vector<float>>(view.bytes / sizeof(float));
      std::memcpy(copy->data(), view.data, view.bytes);
      values = copy->data();
      weights.copies_.push_back(std::move(copy));
    }
    weights.values_[parameter.name] = values;
  }
  return weights;
}

}  // namespace otseq2set::inline store
