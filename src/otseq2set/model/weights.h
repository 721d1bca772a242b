// Parameters in files: safetensors, readable from Python and by the name that the authors' code gives them.
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

#include "otseq2set/core/safetensors.h"
#include "otseq2set/store/model_weights.h"

namespace otseq2set::inline model {

// A view for write_safetensors; the tensor must be contiguous float32 on the CPU and outlive the view.
TensorView view_of(const std::string& name, const torch::Tensor& tensor);

// Reads the named tensor of the file into `tensor`; an Error names the file when it is missing, has another
// shape or type, or holds values that are not finite.
void read_tensor(const SafetensorsOnDisk& file, const std::string& name, torch::Tensor tensor);

void save_weights(const FilePlace& place, const torch::nn::Module& module);

// The parameters as they are now, for the engine; those that are not float32 on the CPU are copied.
ModelWeights weights_of(const torch::nn::Module& module);

}  // namespace otseq2set::inline model
