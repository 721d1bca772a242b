#include "otseq2set/training/memory_estimate.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "otseq2set/model/answer.h"

namespace otseq2set {

namespace {

constexpr double kProgram = 250e6;  // LibTorch and its libraries, resident
constexpr double kSlack = 1.1;      // allocator
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

double feature_count(const ModelConfig& m, bool light_conv) {
  return number(m.hidden) * (light_conv ? 5 : 3) + number(m.label_embedding);
}

// Values of one step of one document in the decoder: states, features, dropout and attention.
double per_step(const ModelConfig& m, bool light_conv) {
  const double attention = number(m.max_words) * (light_conv ? 1 + 1 / number(m.light_conv.last_stride) : 1);
  return 13 * number(m.hidden) + 2 * feature_count(m, light_conv) + number(m.label_embedding) + attention;
}

// Values of one row of the output layer.
double per_output_row(const ModelConfig& m, int64_t label_ids, bool light_conv) {
  return number(label_ids) + feature_count(m, light_conv) + 2 * number(m.bottleneck);
}

}  // namespace

SequenceSizes sequence_sizes(const Dataset& data, int64_t batch) {
  std::vector<int64_t> counts;
  for (size_t i = 0; i < data.size(); ++i) counts.push_back(static_cast<int64_t>(data.labels(i).size()) + 1);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  const auto most = counts.begin() + std::min(batch, static_cast<int64_t>(counts.size()));
  return {counts.empty() ? 0 : counts.front(), std::accumulate(counts.begin(), most, int64_t{0})};
}

MemoryEstimate estimate_memory(const Config& config, int64_t word_ids, int64_t label_ids, int threads,
                               std::optional<SequenceSizes> lists) {
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
  double training =
      4 * size + batch * longest * (kept_per_word(m, light_conv) + read_per_word(m, light_conv)) +
      batch * training_steps * per_step(m, light_conv) + rows * per_output_row(m, label_ids, light_conv) +
      at_once * shard_words * kPassing * number(m.hidden);
  // Without the fused decoder, a shard has gradients of all parameters,
  // and keeps tanh(W s + U h) for every step.
  if (variant.global_embedding)
    training += at_once * (size + shard_words * number(m.hidden) * training_steps);

  const double groups = number(groups_at_once(m, label_ids, /*groups=*/INT64_MAX, threads));
  const double predicting =
      groups * number(kDecodedTogether) *
          (longest * read_per_word(m, light_conv) +
           steps * (per_step(m, light_conv) + per_output_row(m, label_ids, light_conv))) +
      threads * number(kShardDocuments) * longest * kept_per_word(m, light_conv);
  // The output layer's weights exist twice while they are packed, and during validation.
  const double output =
      number(label_ids) * (m.bottleneck > 0 ? number(m.bottleneck) : feature_count(m, light_conv));
  training = std::max(training, 4 * size + output + predicting);
  const double prediction = size + std::max(output, predicting);
  auto bytes = [](double values) { return static_cast<uint64_t>(kProgram + kSlack * 4 * values); };
  return {bytes(training), bytes(prediction)};
}

}  // namespace otseq2set
