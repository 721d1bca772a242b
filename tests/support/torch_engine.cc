#include "support/torch_engine.h"

#include <algorithm>

#include "otseq2set/autograd/choice.h"
#include "otseq2set/model/weights.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set::testing {

Engine engine_of(const Network& network, const Config& config, int64_t beam) {
  return {config, network->label_vectors().size(0), weights_of(*network), beam};
}

EngineSteps engine_steps(const Network& network, const Config& config,
                         const std::vector<Span<const int32_t>>& documents, int64_t steps,
                         const torch::Tensor& forced) {
  const Engine engine = engine_of(network, config);
  const EncodedDocuments encoded = engine.encoder().encode(documents);
  const auto count = static_cast<int64_t>(documents.size()), ids = engine.decoder().label_ids();
  std::vector<StepDocument<float>> rows;
  for (int64_t i = 0; i < count; ++i) rows.push_back(encoded.document(i));
  DecodingRun run(engine.decoder(), rows, static_cast<int64_t>(encoded.memories.size()), steps, {},
                  /*masked=*/!forced.defined());
  EngineSteps result{torch::empty({count, steps, ids}), torch::empty({count, steps}, torch::kInt64),
                     torch::zeros({count, steps, encoded.memories[0].positions})};
  std::vector<int64_t> read(count, kStartLabel);
  for (int64_t t = 0; t < steps; ++t) {
    for (int64_t i = 0; i < count && forced.defined(); ++i) read[i] = forced[i][t].item<int64_t>();
    run.step(read);
    for (int64_t i = 0; i < count; ++i) {
      std::copy_n(run.logits(i), ids, result.logits[i][t].data_ptr<float>());
      std::copy_n(run.attention(t, i), encoded.memories[0].lengths[i], result.attention[i][t].data_ptr<float>());
      result.labels[i][t] = read[i] = run.rows()[i].best;
    }
  }
  return result;
}

PlainAnswer plain_answer(const Decoded& decoded, int64_t document, const Variant& variant) {
  const torch::Tensor probabilities = decoded.logits[document].to(torch::kFloat64).softmax(1);
  const int64_t labels = probabilities.size(1) - kFirstLabel;
  std::vector<double> none(labels, 1);
  PlainAnswer answer;
  for (int64_t t = 0; t < probabilities.size(0); ++t) {
    for (int64_t label = 0; label < labels; ++label)
      none[label] *= 1 - probabilities[t][label + kFirstLabel].item<double>();
    const auto id = decoded.labels[document][t].item<int64_t>();
    if (variant.sequence && id == kEndLabel) break;
    const auto label = static_cast<int32_t>(id - kFirstLabel);
    if (id >= kFirstLabel && std::count(answer.set.begin(), answer.set.end(), label) == 0) answer.set.push_back(label);
  }
  for (const double one : none) answer.scores.push_back(1 - one);
  return answer;
}

PlainAnswer plain_answer(Network& network, const std::vector<int32_t>& words, const Config& config) {
  torch::NoGradGuard no_gradient;
  const std::vector<Span<const int32_t>> alone = {{words.data(), words.size()}};
  const Batch batch = make_batch(alone, receptive_field(config.model.light_conv), torch::kCPU);
  use_plain_kernels(true);
  const Decoded decoded = network->decode(batch, config.model.steps, Dropout());
  use_plain_kernels(false);
  return plain_answer(decoded, 0, variant_of(config));
}

}  // namespace otseq2set::testing
