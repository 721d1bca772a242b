#include "otseq2set/model/weights.h"

#include <cassert>

namespace otseq2set::inline model {

TensorView view_of(const std::string& name, const torch::Tensor& tensor) {
  assert(tensor.is_contiguous() && tensor.device().is_cpu() && tensor.dtype() == torch::kFloat32);
  return {name, "F32", tensor.sizes().vec(), tensor.data_ptr<float>(), static_cast<size_t>(tensor.numel()) * 4};
}

void read_tensor(const SafetensorsFile& file, const std::string& name, torch::Tensor tensor) {
  const TensorView& view = file.finite_floats(name, tensor.sizes().vec());
  torch::NoGradGuard no_gradient;
  tensor.copy_(torch::from_blob(const_cast<void*>(view.data), view.shape, torch::kFloat32));
}

void save_weights(const std::string& path, const torch::nn::Module& module) {
  std::vector<torch::Tensor> values;
  std::vector<TensorView> views;
  for (const auto& item : module.named_parameters()) {
    values.push_back(item.value().detach().to(torch::kCPU).contiguous());
    views.push_back(view_of(item.key(), values.back()));
  }
  write_safetensors(path, views, {{"format", "otseq2set"}});
}

ModelWeights weights_of(const torch::nn::Module& module) {
  const auto values = std::make_shared<std::vector<torch::Tensor>>();
  std::map<std::string, const float*> named;
  for (const auto& item : module.named_parameters()) {
    values->push_back(item.value().detach().to(torch::kCPU, torch::kFloat32).contiguous());
    named[item.key()] = values->back().data_ptr<float>();
  }
  return {std::move(named), values};
}

}  // namespace otseq2set::inline model
