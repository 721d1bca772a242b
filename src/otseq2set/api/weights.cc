#include "otseq2set/weights.h"

#include "otseq2set/core/safetensors.h"

namespace otseq2set::inline v1 {

struct __attribute__((visibility("hidden"))) WeightsFile::Opened {
  SafetensorsFile file;
  std::vector<NamedWeights> weights;
};

WeightsFile WeightsFile::open(const std::string& file) {
  Opened opened{SafetensorsFile::open(file), {}};
  for (const TensorView& tensor : opened.file.tensors()) {
    opened.weights.push_back({tensor.name, tensor.dtype, tensor.shape, tensor.data, tensor.bytes});
  }
  return WeightsFile(std::make_shared<const Opened>(std::move(opened)));
}

const std::vector<NamedWeights>& WeightsFile::weights() const& { return opened_->weights; }

}  // namespace otseq2set::inline v1
