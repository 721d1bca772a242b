#include "otseq2set/store/model_weights.h"

#include <cstring>
#include <vector>

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

ModelWeights ModelWeights::open(const std::string& path, int64_t word_ids, int64_t label_ids, const Config& config,
                                HeldBytes where) {
  struct Owner {
    SafetensorsFile file;
    std::vector<std::vector<float>> copies;  // of what the file does not align
  };
  const auto owner = std::make_shared<Owner>(Owner{SafetensorsFile::open(path, where), {}});
  check_size(owner->file, parameter_count(word_ids, label_ids, config));
  std::map<std::string, const float*> values;
  for (const Parameter& parameter : parameters_of(word_ids, label_ids, config)) {
    const TensorView& view = owner->file.finite_floats(parameter.name, parameter.shape);
    values[parameter.name] = static_cast<const float*>(view.data);
    if (reinterpret_cast<uintptr_t>(view.data) % alignof(float) == 0) continue;
    std::vector<float>& copy = owner->copies.emplace_back(view.bytes / sizeof(float));
    std::memcpy(copy.data(), view.data, view.bytes);
    values[parameter.name] = copy.data();
  }
  return {std::move(values), owner};
}

}  // namespace otseq2set::inline store
