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
    unsigned char all = 0;
    for (size_t i = 0; i < tensor.bytes; ++i) all |= static_cast<const unsigned char*>(tensor.data)[i];
    static volatile unsigned char used;
    used = all;
    require(&file.view(tensor.name) == &tensor);
  }
  require(total < input.size());
}

}  // namespace otseq2set::fuzz
