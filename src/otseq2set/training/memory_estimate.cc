#include "otseq2set/training/memory_estimate.h"

#include <algorithm>

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

// Values of one step of one document, in the decoder and the output layer.
double per_row(const ModelConfig& m, int64_t label_ids, bool light_conv) {
  const double hidden = number(m.hidden);
  const double features = hidden + (light_conv ? 4 : 2) * hidden + number(m.label_embedding);
  return number(label_ids) + 13 * hidden + 3 * features + 2 * number(m.bottleneck);
}

}  // namespace

MemoryEstimate estimate_memory(const Config& config, int64_t word_ids, int64_t label_ids, int threads) {
  const ModelConfig& m = config.model;
  const bool light_conv = variant_of(config).light_conv;
  const double size = number(parameter_count(word_ids, label_ids, config));
  const double batch = number(config.training.batch), longest = number(m.max_words), steps = number(m.steps);
  const double shards = number((config.training.batch + kShardDocuments - 1) / kShardDocuments);
  const double at_once = std::min(number(threads), shards);
  const double shard_words = std::min(batch, number(kShardDocuments)) * longest;

  // Parameters, two moments and gradients; then what the whole batch keeps, and what each running shard
  // needs.
  double training =
      4 * size + batch * longest * (kept_per_word(m, light_conv) + read_per_word(m, light_conv)) +
      batch * steps * per_row(m, label_ids, light_conv) + at_once * shard_words * kPassing * number(m.hidden);
  // Without the fused decoder, a shard has gradients of all parameters and keeps tanh(W s + U h) for every
  // step.
  if (variant_of(config).global_embedding)
    training += at_once * (size + shard_words * number(m.hidden) * steps);

  const double prediction = size + number(kDecodedTogether) * longest * read_per_word(m, light_conv) +
                            number(kDecodedTogether) * steps * per_row(m, label_ids, light_conv) +
                            threads * number(kShardDocuments) * longest * kept_per_word(m, light_conv);
  auto bytes = [](double values) { return static_cast<uint64_t>(kProgram + kSlack * 4 * values); };
  return {bytes(training), bytes(prediction)};
}

}  // namespace otseq2set
