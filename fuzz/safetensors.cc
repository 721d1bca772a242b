// Weights: every byte of every tensor that a file claims lies in it.
#include "otseq2set/core/safetensors.h"

#include "fuzz.h"

namespace otseq2set::fuzz {

void run(std::string_view input) {
  const MemoryFile memory(input);
  const SafetensorsFile file = SafetensorsFile::open(memory.path());
  size_t total = 0;
  for (const TensorView& tensor : file.tensors()) {
    total += tensor.bytes;
    const std::string copy(static_cast<const char*>(tensor.data), tensor.bytes);
    require(copy.size() == tensor.bytes);
    require(&file.view(tensor.name) == &tensor);
  }
  require(total < input.size());
}

}  // namespace otseq2set::fuzz
