#include "otseq2set/inference/packed_decoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "otseq2set/inference/packed_layer.h"
#include "otseq2set/kernels/row_math.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/parameters.h"

namespace otseq2set::inline inference {

namespace {

constexpr float kTemperature = 0.1F;  // of the global embedding
constexpr float kNeverWins = -1e7F;

PackedLinear<float> output_layer(const Config& config, int64_t label_ids, const ModelWeights& weights) {
  if (config.model.bottleneck == 0) return packed_layer(weights, "decoder.fc_out", feature_width(config), label_ids);
  return packed_layer(weights, "decoder.bottleneck1", config.model.bottleneck, label_ids);
}

StepParameters<float> step_parameters(const Config& config, const ModelWeights& weights) {
  return {config.model.hidden,
          config.model.label_embedding,
          context_width(config),
          weights["decoder.embedding.weight"],
          weights["decoder.attention.linear_decoder.weight"],
          weights["decoder.attention.linear_decoder.bias"],
          weights["decoder.attention.linear_v.weight"],
          weights["decoder.rnn.layers.0.weight_ih"],
          weights["decoder.rnn.layers.0.weight_hh"],
          weights["decoder.rnn.layers.0.bias_ih"],
          weights["decoder.rnn.layers.0.bias_hh"]};
}

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
    global_ = GlobalEmbedding{mean_vector(steps_.label_vectors, label_ids, width),
                              packed_layer(weights, "decoder.ge_proj1", width, width),
                              packed_layer(weights, "decoder.ge_proj2", width, width)};
  }
}

DecodingRun::DecodingRun(const PackedDecoder& decoder, std::vector<StepDocument<float>> documents, int64_t memories,
                         int64_t steps, bool masked)
    : decoder_(decoder),
      steps_(decoder.steps_, std::move(documents), memories, steps),
      masked_(masked && decoder.global_.has_value()),
      logits_(std::make_unique<float[]>(steps_.batch() * decoder.label_ids())),
      produced_(masked_ ? steps_.batch() : 0) {
  if (decoder.in_) bottleneck_.resize(steps_.batch() * decoder.in_->outputs());
}

void DecodingRun::step(const std::vector<int64_t>& labels) {
  steps_.read(labels.data());
  if (masked_ && started_) {
    for (size_t row = 0; row < labels.size(); ++row) {
      if (labels[row] != kEndLabel && labels[row] != kEmptyLabel) produced_[row].push_back(labels[row]);
    }
  }
  if (decoder_.global_) mix_global_embedding();
  started_ = true;
  const int64_t rows = steps_.batch(), ids = decoder_.label_ids();
  const float* in = steps_.advance();
  int64_t stride = decoder_.steps_.features();
  if (decoder_.in_) {
    const int64_t width = decoder_.in_->outputs();
    decoder_.in_->forward(rows, in, stride, bottleneck_.data(), width);
    row_tanh(bottleneck_.data(), rows * width);
    in = bottleneck_.data();
    stride = width;
  }
  rows_ = softmax_in_blocks(rows, ids, logits_.get(), [&](int64_t begin, int64_t end) {
    decoder_.out_.forward_piece(begin, end, rows, in, stride, logits_.get(), ids);
    mask(begin, end);
  });
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

// In place of the label vectors that were read. Before the first step all logits are zero.
void DecodingRun::mix_global_embedding() {
  const int64_t rows = steps_.batch(), ids = decoder_.label_ids(), width = decoder_.steps_.label_width;
  std::vector<float> q(logits_.get(), logits_.get() + rows * ids), average(rows * width), gates(2 * rows * width);
  for (int64_t row = 0; row < rows; ++row) {
    float* own = q.data() + row * ids;
    for (int64_t id = 0; id < ids; ++id) own[id] /= kTemperature;
    const RowPeak<float> peak = row_peak(own, ids);
    row_exp(own, ids, peak.largest, std::log(peak.sum));
  }
  const PackedDecoder::GlobalEmbedding& global = *decoder_.global_;
  global.average.forward(rows, q.data(), ids, average.data(), width);
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
  const int64_t ids = decoder_.label_ids();
  const std::vector<float> logits(logits_.get(), logits_.get() + steps_.batch() * ids);
  const auto produced = produced_;
  for (size_t row = 0; row < parents.size(); ++row) {
    std::copy_n(logits.data() + parents[row] * ids, ids, logits_.get() + static_cast<int64_t>(row) * ids);
    if (masked_) produced_[row] = produced[parents[row]];
  }
}

}  // namespace otseq2set::inline inference
