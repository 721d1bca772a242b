#include "otseq2set/training/validation.h"

#include "otseq2set/inference/engine.h"

namespace otseq2set::inline training {

MetricsReport validate(Network& network, const Dataset& data, const Config& config) {
  std::vector<torch::Tensor> values;  // on the CPU
  std::map<std::string, const float*> weights;
  for (const auto& item : network->named_parameters()) {
    values.push_back(item.value().detach().to(torch::kCPU).contiguous());
    weights[item.key()] = values.back().data_ptr<float>();
  }
  const Engine engine(config, network->label_vectors().size(0), ModelWeights(std::move(weights)));
  std::vector<Span<const int32_t>> documents;
  for (size_t i = 0; i < data.size(); ++i) documents.push_back(data.words(i));
  std::vector<std::vector<int32_t>> predicted(data.size());
  engine.decode(documents, /*with_attention=*/false, [&](size_t document, const DecodedDocument& decoded) {
    predicted[document] = decoded.set();
  });
  MetricsOptions options;
  options.labels = data.known_labels();
  options.ks = {};
  Evaluator evaluator(options);
  for (size_t i = 0; i < data.size(); ++i) {
    const Span<const int32_t> truth = data.labels(i);
    evaluator.add({{truth.begin(), truth.end()}, predicted[i], {}});
  }
  return evaluator.report();
}

}  // namespace otseq2set::inline training
