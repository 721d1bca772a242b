#include "otseq2set/training/validation.h"

#include "otseq2set/inference/engine.h"
#include "otseq2set/model/weights.h"

namespace otseq2set::inline training {

MetricsReport validate(Network& network, const Dataset& data, const Config& config) {
  const Engine engine(config, network->label_vectors().size(0), weights_of(*network));
  std::vector<Span<const int32_t>> documents;
  for (size_t i = 0; i < data.size(); ++i) documents.push_back(data.words(i));
  std::vector<std::vector<int32_t>> predicted(data.size());
  engine.decode(documents, /*with_attention=*/false,
                [&](size_t document, const DecodedDocument& decoded) { predicted[document] = decoded.set(); });
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
