#include "otseq2set/training/fused_step.h"

#include <chrono>
#include <unordered_map>

#include "otseq2set/core/threads.h"

namespace otseq2set::inline training {

namespace {

using torch::Tensor;

// Adds the time since it was last asked.
class Stopwatch {
 public:
  void add_to(double& seconds) {
    const auto now = std::chrono::steady_clock::now();
    seconds += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// The gradients of the decoder's parameters among those of all.
DecoderParameters decoder_gradients(Network& network, const std::vector<Tensor>& parameters,
                                    const std::vector<Tensor>& gradients) {
  std::unordered_map<const void*, Tensor> gradient_of;  // by where a parameter's values are
  for (size_t i = 0; i < parameters.size(); ++i) gradient_of[parameters[i].data_ptr()] = gradients[i];
  const auto find = [&](const Tensor& parameter) {
    return parameter.defined() ? gradient_of.at(parameter.data_ptr()).view(parameter.sizes()) : Tensor();
  };
  const DecoderParameters all = network->decoder()->weights();
  const DecoderWeights& steps = all.steps;
  return {{find(steps.label_vectors), find(steps.query_weight), find(steps.query_bias), find(steps.v),
           find(steps.weight_ih), find(steps.weight_hh), find(steps.bias_ih), find(steps.bias_hh)},
          find(all.in_weight),
          find(all.in_bias),
          find(all.out_weight),
          find(all.out_bias)};
}

// Through the encoder, LightConv and U. A shard's own tensors are given up as soon as they are used.
void encode_shards_back(std::vector<DecoderGroup>& shards, std::vector<std::vector<Tensor>>& from_decoder,
                        const std::vector<Tensor>& parameters, std::vector<Tensor>& gradients) {
  const auto shard = [&](int64_t index) {
    const DecoderGroup input = std::move(shards[index]);
    const std::vector<Tensor> gradient = std::move(from_decoder[index]);
    return torch::autograd::grad(input.tensors(), parameters, gradient, {}, false,
                                 /*allow_unused=*/true);
  };
  const auto add = [&](int64_t, const std::vector<Tensor>& own) {
    torch::NoGradGuard no_gradient;
    for (size_t i = 0; i < own.size(); ++i) {
      if (own[i].defined()) gradients[i].add_(own[i]);
    }
  };
  parallel_for_ordered(static_cast<int64_t>(shards.size()), shard, add);
}

}  // namespace

StepResult fused_step(Network& network, const TrainingBatch& batch, const Config& config, const Tensor& read,
                      const LossOfLogits& loss, std::vector<Tensor>& gradients) {
  StepResult result;
  Stopwatch watch;
  torch::AutoGradMode with_gradient(true);
  std::vector<DecoderGroup> shards =
      encode_shards(network, batch.words, receptive_field(config.model.light_conv), batch.dropout);
  watch.add_to(result.times.encoder);

  std::vector<std::vector<Tensor>> to_encoder;
  const std::vector<Tensor> parameters = network->parameters();
  {
    DecoderPass pass(network->decoder()->weights(), shards, read.defined() ? read.size(0) : config.model.steps,
                     batch.dropout);
    read.defined() ? pass.run_forced(read) : pass.run_greedy();
    watch.add_to(result.times.decoder);

    if (!torch::isfinite(pass.softmax().log_sums()).all().item<bool>()) {
      result.loss = kNotFinite;
      return result;
    }
    const BatchLoss batch_loss = loss(pass.softmax());
    result.loss = {batch_loss.total, batch_loss.matching, batch_loss.transport};
    watch.add_to(result.times.loss);

    DecoderParameters own = decoder_gradients(network, parameters, gradients);
    for (Tensor& gradient : gradients) {
      if (!gradient.is_alias_of(own.out_weight)) gradient.zero_();  // the output layer's is written, not added to
    }
    to_encoder = pass.backward(batch_loss.rows, own);
    watch.add_to(result.times.decoder);
  }
  encode_shards_back(shards, to_encoder, parameters, gradients);
  watch.add_to(result.times.encoder);
  return result;
}

}  // namespace otseq2set::inline training
