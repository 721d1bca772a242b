#include "otseq2set/training/validation.h"

#include "otseq2set/model/answer.h"

namespace otseq2set {

MetricsReport validate(Network& network, const Dataset& data, const Config& config) {
  std::vector<Span<const int32_t>> documents;
  for (size_t i = 0; i < data.size(); ++i) documents.push_back(data.words(i));
  std::vector<std::vector<int32_t>> predicted(data.size());
  decode_documents(network, network->decoder()->packed().get(), documents, config, /*beam=*/1,
                   [&](const std::vector<size_t>& rows, const Decoded& decoded) {
                     for (size_t i = 0; i < rows.size(); ++i) {
                       predicted[rows[i]] = label_set(decoded, static_cast<int64_t>(i), variant_of(config));
                     }
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

}  // namespace otseq2set
