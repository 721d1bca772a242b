#include "otseq2set/training/memory_estimate.h"

#include <algorithm>

#include "otseq2set/training/training_step.h"

namespace otseq2set {

namespace {

constexpr double kProgram = 250e6;  // LibTorch and its libraries, resident
constexpr double kSlack = 1.15;     // allocator
constexpr double kGruValues = 14;   // values kept per word, direction and unit by LibTorch's GRU, measured
constexpr double kLogitCopies = 5;  // logits, log-softmax, probabilities and their gradients

// Values alive at the peak for one shard of documents.
double shard_values(const Config& config, int64_t label_ids, bool gradients) {
  const ModelConfig& m = config.model;
  const auto documents = static_cast<double>(std::min(config.training.batch, kShardDocuments));
  const double words = documents * static_cast<double>(m.max_words);
  const auto hidden = static_cast<double>(m.hidden), steps = static_cast<double>(m.steps);
  const auto layers = static_cast<double>(m.encoder_layers);
  const double embedding = words * static_cast<double>(m.word_embedding) * 3;
  const double encoder = words * 2 * hidden * (gradients ? kGruValues * layers : kGruValues);
  const bool light_conv = variant_of(config).light_conv;
  const double convolutions =
      light_conv ? words * 2 * hidden * static_cast<double>(m.light_conv.kernels.size()) : 0;
  // tanh(W s + U h) and its input are kept for every step when a gradient follows.
  const double attended = words * (light_conv ? 1 + 1.0 / static_cast<double>(m.light_conv.last_stride) : 1);
  const double attention = attended * hidden * (gradients ? steps : 2);
  const double logits = documents * steps * static_cast<double>(label_ids) * (gradients ? kLogitCopies : 2);
  return embedding + encoder + convolutions + attention + logits;
}

}  // namespace

MemoryEstimate estimate_memory(const Config& config, int64_t word_ids, int64_t label_ids, int threads) {
  const auto size = static_cast<double>(parameter_count(word_ids, label_ids, config));
  const int64_t shards = (config.training.batch + kShardDocuments - 1) / kShardDocuments;
  const auto at_once = static_cast<double>(std::min<int64_t>(threads, shards));
  // Parameters, two moments and the sum of gradients; each running shard has gradients of its own.
  const double training = 4 * size + at_once * (size + shard_values(config, label_ids, true));
  const double prediction = size + threads * shard_values(config, label_ids, false) * 2;
  auto bytes = [](double values) { return static_cast<uint64_t>(kProgram + kSlack * 4 * values); };
  return {bytes(training), bytes(prediction)};
}

}  // namespace otseq2set
