#include "otseq2set/weights.h"

#include "otseq2set/core/safetensors.h"

namespace otseq2set::inline v1 {

struct __attribute__((visibility("hidden"))) WeightsFile::Mapped {
  SafetensorsFile file;
  std::vector<NamedWeights> weights;
};

WeightsFile WeightsFile::open(const std::string& file) {
  Mapped mapped{SafetensorsFile::open(file), {}};
  for (const TensorView& tensor : mapped.file.tensors()) {
    mapped.weights.push_back({tensor.name, tensor.dtype, tensor.shape, tensor.data, tensor.bytes});
  }
  return WeightsFile(std::make_shared<const Mapped>(std::move(mapped)));
}

const std::vector<NamedWeights>& WeightsFile::weights() const& { return mapped_->weights; }

}  // namespace otseq2set::inline v1
