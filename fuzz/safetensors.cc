// Weights: every byte of every tensor that a file claims lies in it, and what may become a
// parameter is finite. The copy into a network is LibTorch's, which is not in these builds; all
// that is checked before it is here.
#include "otseq2set/core/safetensors.h"

#include <cmath>
#include <cstring>

#include "fuzz.h"

namespace otseq2set::fuzz {

namespace {

bool is_finite(const TensorView& tensor) {
  std::vector<float> values(tensor.bytes / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), tensor.data, tensor.bytes);
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

bool is_accepted(const SafetensorsFile& file, const TensorView& tensor) {
  try {
    file.finite_floats(tensor.name, tensor.shape);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void run(std::string_view input) {
  const MemoryFile memory(input);
  const SafetensorsFile file = SafetensorsFile::open(memory.path());
  size_t total = 0;
  for (const TensorView& tensor : file.tensors()) {
    total += tensor.bytes;
    const std::string copy(static_cast<const char*>(tensor.data), tensor.bytes);
    require(copy.size() == tensor.bytes);
    require(&file.view(tensor.name) == &tensor);
    require(is_accepted(file, tensor) == (tensor.dtype == "F32" && is_finite(tensor)));
  }
  require(total < input.size());
}

}  // namespace otseq2set::fuzz
