// A linear layer of a model by its name.
#pragma once

#include <cstdint>
#include <string>

#include "otseq2set/kernels/packed_linear.h"
#include "otseq2set/store/model_weights.h"

namespace otseq2set::inline inference {

inline PackedLinear<float> packed_layer(const ModelWeights& weights, const std::string& name, int64_t in, int64_t out) {
  return {out, in, weights.matrix(name + ".weight"), weights[name + ".bias"]};
}

}  // namespace otseq2set::inline inference
