#include "otseq2set/store/model_weights.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/store/parameters.h"

namespace otseq2set::inline store {

namespace {

constexpr uint64_t kLargestEntry = 1024;  // bytes of the header for a tensor, more than enough
constexpr uint64_t kBesides = 1 << 20;    // bytes of a file for what is no parameter

// Before anything is allocated for the sizes that the configuration claims.
void check_size(const SafetensorsFile& file, int64_t needed) {
  int64_t held = 0;
  for (const TensorView& tensor : file.tensors()) {
    held += static_cast<int64_t>(tensor.dtype == "I8" ? tensor.bytes : tensor.bytes / 4);
  }
  if (held < needed) {
    fail("{}: {} numbers, but the model that config.json describes has {}", file.path(), held, needed);
  }
}

}  // namespace

ModelWeights ModelWeights::open(const std::string& path, int64_t word_ids, int64_t label_ids, const Config& config,
                                SafetensorsLimits limits) {
  struct Owner {
    SafetensorsFile file;
    std::vector<std::vector<float>> copies;  // of what the file does not align

    const float* floats(const std::string& name, const std::vector<int64_t>& shape) {
      const TensorView& view = file.finite_floats(name, shape);
      if (reinterpret_cast<uintptr_t>(view.data) % alignof(float) == 0) return static_cast<const float*>(view.data);
      std::vector<float>& copy = copies.emplace_back(view.bytes / sizeof(float));
      std::memcpy(copy.data(), view.data, view.bytes);
      return copy.data();
    }
  };
  const std::vector<Parameter> parameters = parameters_of(word_ids, label_ids, config);
  const int64_t needed = parameter_count(word_ids, label_ids, config);
  limits.largest_file = 2 * sizeof(float) * static_cast<uint64_t>(needed) + kBesides;
  limits.largest_header = 2 * kLargestEntry * (parameters.size() + 1);  // matrices of bytes have scales beside them
  const auto owner = std::make_shared<Owner>(Owner{SafetensorsFile::open(path, limits), {}});
  check_size(owner->file, needed);
  std::map<std::string, WeightMatrix<float>> values;
  for (const Parameter& parameter : parameters) {
    const TensorView& view = owner->file.view(parameter.name);
    if (is_quantised(parameter) && view.dtype == "I8" && view.shape == parameter.shape) {
      const float* scales = owner->floats(parameter.name + kScaleEnding, {parameter.shape[0]});
      values[parameter.name] = {static_cast<const int8_t*>(view.data), scales};
    } else {
      values[parameter.name] = owner->floats(parameter.name, parameter.shape);
    }
  }
  ModelWeights weights(std::move(values), owner);
  weights.from_file_ = true;
  return weights;
}

// Whole pages: what shares the first and the last with others stays. A page that cannot be given back stays too.
void ModelWeights::forget(const float* values, int64_t count) const {
  if (!from_file_) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t before = (page - reinterpret_cast<uintptr_t>(values) % page) % page;
  const uintptr_t after = reinterpret_cast<uintptr_t>(values + count) % page;
  const uintptr_t bytes = sizeof(float) * static_cast<uintptr_t>(count);
  if (before + after >= bytes) return;
  char* begin = reinterpret_cast<char*>(const_cast<float*>(values)) + before;
  madvise(begin, bytes - before - after, MADV_DONTNEED);
}

}  // namespace otseq2set::inline store
