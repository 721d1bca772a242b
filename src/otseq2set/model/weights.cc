#include "otseq2set/model/weights.h"

#include <cassert>

namespace otseq2set::inline model {

TensorView view_of(const std::string& name, const torch::Tensor& tensor) {
  assert(tensor.is_contiguous() && tensor.device().is_cpu() && tensor.dtype() == torch::kFloat32);
  return {name, "F32", tensor.sizes().vec(), tensor.data_ptr<float>(), static_cast<size_t>(tensor.numel()) * 4};
}

void read_tensor(const SafetensorsOnDisk& file, const std::string& name, torch::Tensor tensor) {
  torch::NoGradGuard no_gradient;
  torch::Tensor values = torch::empty(tensor.sizes(), torch::kFloat32);
  file.read_floats(name, tensor.sizes().vec(), values.data_ptr<float>());
  tensor.copy_(values);
}

void save_weights(const FilePlace& place, const torch::nn::Module& module) {
  std::vector<torch::Tensor> values;
  std::vector<TensorView> views;
  for (const auto& item : module.named_parameters()) {
    values.push_back(item.value().detach().to(torch::kCPU).contiguous());
    views.push_back(view_of(item.key(), values.back()));
  }
  write_safetensors(place, views, {{"format", "otseq2set"}});
}

ModelWeights weights_of(const torch::nn::Module& module) {
  const auto values = std::make_shared<std::vector<torch::Tensor>>();
  std::map<std::string, WeightMatrix<float>> named;
  for (const auto& item : module.named_parameters()) {
    values->push_back(item.value().detach().to(torch::kCPU, torch::kFloat32).contiguous());
    named[item.key()] = values->back().data_ptr<float>();
  }
  return {std::move(named), values};
}

}  // namespace otseq2set::inline model
