#include "otseq2set/store/memory_estimate.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "otseq2set/store/parameters.h"

namespace otseq2set::inline store {

namespace {

constexpr double kTrainingProgram = 250e6, kProgram = 40e6;  // resident, the first with LibTorch
constexpr double kSlack = 1.1;                               // allocator
constexpr double kMostSideBySide = 1 << 28;                  // values of all groups that are decoded at a time: 1 GB
constexpr double kPassing = 14;  // values a word and unit that come and go while a shard is on its way back

double number(int64_t value) { return static_cast<double>(value); }

// Values kept for a word from its encoding until its gradients are there.
double kept_per_word(const ModelConfig& m, bool light_conv) {
  const double hidden = number(m.hidden), layers = number(m.encoder_layers);
  const double encoder = number(m.word_embedding) + layers * (8 + 2) * hidden + (layers - 1) * 2 * hidden;
  const double key = hidden;
  if (!light_conv) return encoder + key;
  const double phrases = (number(static_cast<int64_t>(m.light_conv.kernels.size())) - 1) * 2 * hidden +
                         3 * hidden / number(m.light_conv.last_stride);
  return encoder + key + phrases;
}

// What the decoder reads of a word: its state and key, and the phrases'. Its gradients are as many.
double read_per_word(const ModelConfig& m, bool light_conv) {
  return 3 * number(m.hidden) * (light_conv ? 1 + 1 / number(m.light_conv.last_stride) : 1);
}

// Values of one step of one document in the decoder: states, features, dropout and attention.
double per_step(const Config& config) {
  const ModelConfig& m = config.model;
  const bool light_conv = variant_of(config).light_conv;
  const double attention = number(m.max_words) * (light_conv ? 1 + 1 / number(m.light_conv.last_stride) : 1);
  return 13 * number(m.hidden) + 2 * number(feature_width(config)) + number(m.label_embedding) + attention;
}

// Values of one row of the output layer.
double per_output_row(const Config& config, int64_t label_ids) {
  return number(label_ids + feature_width(config) + 2 * config.model.bottleneck);
}

// Values that prediction keeps of a group: what the decoder reads, its steps, and logits and scores of one step.
double predicted_group(const Config& config, int64_t label_ids) {
  const ModelConfig& m = config.model;
  return number(kDecodedTogether) * (number(m.max_words) * read_per_word(m, variant_of(config).light_conv) +
                                     number(m.steps) * per_step(config) + 2 * per_output_row(config, label_ids));
}

}  // namespace

int64_t groups_at_once(const Config& config, int64_t label_ids, int64_t groups, int threads) {
  const bool fits = threads * predicted_group(config, label_ids) <= kMostSideBySide;
  return fits && groups >= 2 * threads ? threads : 1;
}

SequenceSizes sequence_sizes(const Dataset& data, int64_t batch) {
  std::vector<int64_t> counts;
  for (size_t i = 0; i < data.size(); ++i) counts.push_back(static_cast<int64_t>(data.labels(i).size()) + 1);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  const auto most = counts.begin() + std::min(batch, static_cast<int64_t>(counts.size()));
  return {counts.empty() ? 0 : counts.front(), std::accumulate(counts.begin(), most, int64_t{0})};
}

MemoryEstimate estimate_memory(const Config& config, int64_t word_ids, int64_t label_ids, int threads,
                               std::optional<SequenceSizes> lists, bool quantised) {
  const ModelConfig& m = config.model;
  const Variant& variant = variant_of(config);
  const bool light_conv = variant.light_conv;
  const double size = number(parameter_count(word_ids, label_ids, config));
  const double batch = number(config.training.batch), longest = number(m.max_words), steps = number(m.steps);
  const double shards = number((config.training.batch + kShardDocuments - 1) / kShardDocuments);
  const double at_once = std::min(number(threads), shards);
  const double shard_words = std::min(batch, number(kShardDocuments)) * longest;

  // How far a batch is decoded in training, and the rows of its output layer.
  double training_steps = steps, rows = batch * steps;
  if (variant.sequence) {
    training_steps = lists ? number(lists->steps) : steps + 1;
    rows = lists && !variant.global_embedding ? number(lists->targets) : batch * training_steps;
  }

  // Parameters, two moments and gradients; then what the whole batch keeps,
  // and what each running shard needs.
  double training = 4 * size + batch * longest * (kept_per_word(m, light_conv) + read_per_word(m, light_conv)) +
                    batch * training_steps * per_step(config) + rows * per_output_row(config, label_ids) +
                    at_once * shard_words * kPassing * number(m.hidden);
  // Without the fused decoder, a shard has gradients of all parameters,
  // and keeps tanh(W s + U h) for every step.
  if (variant.global_embedding) training += at_once * (size + shard_words * number(m.hidden) * training_steps);

  const double predicting =
      number(groups_at_once(config, label_ids, /*groups=*/INT64_MAX, threads)) * predicted_group(config, label_ids) +
      threads * number(kShardDocuments) * longest * kept_per_word(m, light_conv);
  // Validation has an engine with packed weights of its own beside the network.
  training = std::max(training, 5 * size + predicting);
  // Weights are in memory as in their file, and packed, once each; the output layer is packed alone.
  const double output = number(label_ids) * number(m.bottleneck > 0 ? m.bottleneck : feature_width(config));
  const double prediction = (2 * size - output) / (quantised ? 4 : 1) + predicting;
  const auto bytes = [](double program, double values) { return static_cast<uint64_t>(program + kSlack * 4 * values); };
  return {bytes(kTrainingProgram, training), bytes(kProgram, prediction)};
}

}  // namespace otseq2set::inline store
