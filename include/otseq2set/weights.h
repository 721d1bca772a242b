// The values of a model by name, such as those of model/weights.safetensors, whose names are those of the paper's
// authors' PyTorch code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "otseq2set/error.h"

namespace otseq2set::inline v1 {

struct NamedWeights {
  std::string name;            // encoder.rnn.weight_ih_l0, ...
  std::string type;            // F32, I64, ... as the safetensors format writes it
  std::vector<int64_t> shape;  // row-major
  const void* data = nullptr;  // little-endian, perhaps not aligned
  size_t bytes = 0;
};

// A file in the safetensors format, read into memory: what it points to lives as long as any copy of this.
class OTSEQ2SET_API WeightsFile {
 public:
  static WeightsFile open(const std::string& file);

  const std::vector<NamedWeights>& weights() const&;
  // `for (... : WeightsFile::open(file).weights())` would walk over a file that is closed already.
  const std::vector<NamedWeights>& weights() const&& = delete;

 private:
  struct Opened;
  explicit WeightsFile(std::shared_ptr<const Opened> opened) : opened_(std::move(opened)) {}

  std::shared_ptr<const Opened> opened_;
};

}  // namespace otseq2set::inline v1
