#include "otseq2set/inference/packed_decoder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "otseq2set/inference/packed_layer.h"
#include "otseq2set/kernels/row_math.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/parameters.h"

namespace otseq2set::inline inference {

namespace {

constexpr float kTemperature = 0.1F;  // of the global embedding
constexpr float kNeverWins = -1e7F;

// Most of the weights of a model with many labels: what has been packed leaves the memory.
PackedLinear<float> output_layer(const Config& config, int64_t label_ids, const ModelWeights& weights) {
  constexpr int64_t kTogether = 1 << 20;  // values
  const bool direct = config.model.bottleneck == 0;
  const std::string name = direct ? "decoder.fc_out" : "decoder.bottleneck1";
  const int64_t width = direct ? feature_width(config) : config.model.bottleneck;
  const WeightMatrix<float>& weight = weights.matrix(name + ".weight");
  int64_t forgotten = 0;
  const auto forget = [&](int64_t rows) {
    if (rows < label_ids && (rows - forgotten) * width < kTogether) return;
    weights.forget(weight.values + forgotten * width, (rows - forgotten) * width);
    forgotten = rows;
  };
  return {label_ids, width, weight, weights[name + ".bias"], forget};
}

StepParameters<float> step_parameters(const Config& config, const ModelWeights& weights) {
  return {config.model.hidden,
          config.model.label_embedding,
          context_width(config),
          weights.matrix("decoder.embedding.weight"),
          weights.matrix("decoder.attention.linear_decoder.weight"),
          weights["decoder.attention.linear_decoder.bias"],
          weights["decoder.attention.linear_v.weight"],
          weights.matrix("decoder.rnn.layers.0.weight_ih"),
          weights.matrix("decoder.rnn.layers.0.weight_hh"),
          weights["decoder.rnn.layers.0.bias_ih"],
          weights["decoder.rnn.layers.0.bias_hh"]};
}

bool may_not_come_again(int64_t label) { return label != kEndLabel && label != kEmptyLabel; }

// The linear map E^T: from probabilities of the ids to the mean of their vectors.
PackedLinear<float> mean_vector(const float* vectors, int64_t ids, int64_t width) {
  std::vector<float> transposed(ids * width);
  for (int64_t id = 0; id < ids; ++id) {
    for (int64_t j = 0; j < width; ++j) transposed[j * ids + id] = vectors[id * width + j];
  }
  return {width, ids, transposed.data(), std::vector<float>(width).data()};
}

}  // namespace

PackedDecoder::PackedDecoder(const Config& config, int64_t label_ids, const ModelWeights& weights)
    : steps_(step_parameters(config, weights)), out_(output_layer(config, label_ids, weights)) {
  const int64_t width = config.model.label_embedding;
  if (config.model.bottleneck > 0) {
    in_ = packed_layer(weights, "decoder.bottleneck0", feature_width(config), config.model.bottleneck);
  }
  if (variant_of(config).global_embedding) {
    const WeightMatrix<float>& vectors = steps_.label_vectors;
    global_ = GlobalEmbedding{
        vectors.quantised() ? std::nullopt : std::optional(mean_vector(vectors.values, label_ids, width)),
        packed_layer(weights, "decoder.ge_proj1", width, width),
        packed_layer(weights, "decoder.ge_proj2", width, width)};
  }
}

DecodingRun::DecodingRun(const PackedDecoder& decoder, std::vector<StepDocument<float>> documents, int64_t memories,
                         int64_t steps, const KeptLogits& kept, bool masked)
    : decoder_(decoder),
      steps_(decoder.steps_, std::move(documents), memories, steps),
      masked_(masked && decoder.reads_all_logits()),
      produced_(masked_ ? steps_.batch() : 0) {
  const int64_t rows = steps_.batch();
  if (kept.all || decoder.reads_all_logits()) logits_ = std::make_unique<float[]>(rows * decoder.label_ids());
  if (kept.largest > 0) {
    running_best_.resize(rows, RunningBest(kept.largest));
    best_mutexes_ = std::make_unique<std::mutex[]>(rows);
    largest_.resize(rows);
  }
  if (decoder.in_) bottleneck_ = std::make_unique_for_overwrite<float[]>(steps * rows * decoder.in_->outputs());
}

void DecodingRun::step(const std::vector<int64_t>& labels) {
  steps_.read(labels.data());
  if (masked_ && !inputs_.empty()) {
    for (size_t row = 0; row < labels.size(); ++row) {
      if (may_not_come_again(labels[row])) produced_[row].push_back(labels[row]);
    }
  }
  if (decoder_.global_) mix_global_embedding();
  inputs_.push_back(output_input());
  rows_ = softmax_of_peaks<float>(
      steps_.batch(), decoder_.label_ids(),
      [&](int64_t begin, int64_t end, RowPeak<float>* peaks) { compute_block(begin, end, peaks); });
  for (size_t row = 0; row < largest_.size(); ++row) largest_[row] = running_best_[row].take();
}

// What the output layer reads at the next step, [documents, its inputs].
const float* DecodingRun::output_input() {
  const float* features = steps_.advance();
  if (!decoder_.in_) return features;
  const int64_t rows = steps_.batch(), width = decoder_.in_->outputs();
  float* out = bottleneck_.get() + static_cast<int64_t>(inputs_.size()) * rows * width;
  decoder_.in_->forward(rows, features, decoder_.steps_.features(), out, width);
  row_tanh(out, rows * width, decoder_.arithmetic());
  return out;
}

void DecodingRun::compute_block(int64_t begin, int64_t end, RowPeak<float>* peaks) {
  const int64_t rows = steps_.batch(), count = end - begin;
  std::unique_ptr<float[]> block;  // while it is in the nearest cache
  if (!logits_) block = std::make_unique_for_overwrite<float[]>(rows * count);
  float* out = logits_ ? logits_.get() + begin : block.get();
  const int64_t stride = logits_ ? decoder_.label_ids() : count;
  decoder_.out_.forward_columns(begin, end, rows, inputs_.back(), decoder_.out_.inputs(), out, stride);
  mask(begin, end);
  for (int64_t row = 0; row < rows; ++row) {
    peaks[row] = block_peak(out + row * stride, begin, count, decoder_.arithmetic());
    if (largest_.empty()) continue;
    const std::lock_guard<std::mutex> guard(best_mutexes_[row]);
    if (running_best_[row].takes(peaks[row].largest)) running_best_[row].add(out + row * stride, count, begin);
  }
}

std::vector<float> DecodingRun::logits_again(int64_t t, int64_t row, Span<const int64_t> path) const {
  std::vector<float> logits(decoder_.label_ids());
  decoder_.out_.forward(1, output_in(t, row), decoder_.out_.inputs(), logits.data(), decoder_.label_ids());
  for (const int64_t label : path) {
    if (masked_ && may_not_come_again(label)) logits[label] = kNeverWins;
  }
  return logits;
}

void DecodingRun::mask(int64_t begin, int64_t end) {
  for (size_t row = 0; row < produced_.size(); ++row) {
    for (const int64_t label : produced_[row]) {
      if (label >= begin && label < end) {
        logits_[static_cast<int64_t>(row) * decoder_.label_ids() + label] = kNeverWins;
      }
    }
  }
}

// avg = E^T q for all rows.
void DecodingRun::average_labels(const float* q, float* average) const {
  const int64_t rows = steps_.batch(), ids = decoder_.label_ids(), width = decoder_.steps_.label_width;
  if (decoder_.global_->average) return decoder_.global_->average->forward(rows, q, ids, average, width);
  constexpr float kNothing = 1e-7F;  // at this temperature most probabilities are far below
  std::fill_n(average, rows * width, 0.0F);
  std::vector<float> vector(width);
  for (int64_t row = 0; row < rows; ++row, average += width) {
    for (int64_t id = 0; id < ids; ++id) {
      const float share = q[row * ids + id];
      if (share < kNothing) continue;
      decoder_.steps_.label_vectors.copy_row(id, width, vector.data());
      for (int64_t j = 0; j < width; ++j) average[j] += share * vector[j];
    }
  }
}

// In place of the label vectors that were read. Before the first step all logits are zero.
void DecodingRun::mix_global_embedding() {
  const int64_t rows = steps_.batch(), ids = decoder_.label_ids(), width = decoder_.steps_.label_width;
  std::vector<float> q(logits_.get(), logits_.get() + rows * ids), average(rows * width), gates(2 * rows * width);
  for (int64_t row = 0; row < rows; ++row) {
    float* own = q.data() + row * ids;
    for (int64_t id = 0; id < ids; ++id) own[id] /= kTemperature;
    const RowPeak<float> peak = row_peak(own, ids, decoder_.arithmetic());
    row_exp(own, ids, peak.largest, std::log(peak.sum), decoder_.arithmetic());
  }
  const PackedDecoder::GlobalEmbedding& global = *decoder_.global_;
  average_labels(q.data(), average.data());
  global.gate_label.forward(rows, steps_.label_vector(0), decoder_.steps_.features(), gates.data(), width);
  global.gate_average.forward(rows, average.data(), width, gates.data() + rows * width, width);
  for (int64_t row = 0; row < rows; ++row) {
    float* label = steps_.label_vector(row);
    for (int64_t j = 0, i = row * width; j < width; ++j, ++i) {
      const float gate = 1 / (1 + std::exp(-(gates[i] + gates[rows * width + i])));
      label[j] = gate * label[j] + (1 - gate) * average[i];
    }
  }
}

void DecodingRun::select(const std::vector<int64_t>& parents) {
  steps_.select(parents);
  if (!decoder_.global_) return;  // nothing else of a step is read by the next
  const int64_t ids = decoder_.label_ids();
  const std::vector<float> logits(logits_.get(), logits_.get() + steps_.batch() * ids);
  const auto produced = produced_;
  for (size_t row = 0; row < parents.size(); ++row) {
    std::copy_n(logits.data() + parents[row] * ids, ids, logits_.get() + static_cast<int64_t>(row) * ids);
    if (masked_) produced_[row] = produced[parents[row]];
  }
}

}  // namespace otseq2set::inline inference
