// The whole network: encoder, LightConv, attention and decoder, running N steps by student forcing.
//
// Parameter names are those of the authors' code (encoder.rnn.weight_ih_l0, dl_conv.0.0.weight, ...), so that
// weights can be exchanged with it.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/core/span.h"
#include "otseq2set/model/decoder.h"
#include "otseq2set/model/dropout.h"
#include "otseq2set/model/encoder.h"
#include "otseq2set/model/light_conv.h"
#include "otseq2set/store/memory_estimate.h"

namespace otseq2set::inline model {

// Documents as one rectangle, longest first.
struct Batch {
  torch::Tensor words;    // [batch, words] int64 on the model's device
  torch::Tensor lengths;  // [batch] int64 on the CPU, descending, each at least the receptive field
};

// Makes the rectangle. A document shorter than `least_words` is filled up with padding words, which then
// count as words; what only makes the batch rectangular does not. Documents must come longest first.
Batch make_batch(const std::vector<Span<const int32_t>>& documents, int64_t least_words, torch::Device device);

class NetworkImpl : public torch::nn::Module {
 public:
  // word_ids and label_ids count the special ids too.
  NetworkImpl(int64_t word_ids, int64_t label_ids, const Config& config);

  // The documents as the decoder reads them.
  DecoderGroup encode(const Batch& batch, const Dropout& dropout);

  // encode, then Decoder's decode.
  Decoded decode(const Batch& batch, int64_t steps, const Dropout& dropout);
  Decoded decode_forced(const Batch& batch, const torch::Tensor& labels, const Dropout& dropout);

  Decoder& decoder() { return decoder_; }
  const torch::Tensor& label_vectors() const { return decoder_->label_vectors(); }
  torch::Device device() const { return decoder_->label_vectors().device(); }

 private:
  Encoder encoder_;
  Decoder decoder_;
  LightConv light_conv_{nullptr};
};
TORCH_MODULE(Network);

// The documents, longest first, encoded in shards on all threads; with gradients where the caller has them
// enabled.
std::vector<DecoderGroup> encode_shards(Network& network, const std::vector<Span<const int32_t>>& documents,
                                        int64_t least_words, const Dropout& dropout);

}  // namespace otseq2set::inline model
