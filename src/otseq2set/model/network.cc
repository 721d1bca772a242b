#include "otseq2set/model/network.h"

#include <algorithm>
#include <cassert>

#include "otseq2set/core/threads.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::inline model {

Batch make_batch(const std::vector<Span<const int32_t>>& documents, int64_t least_words, torch::Device device) {
  const auto rows = static_cast<int64_t>(documents.size());
  torch::Tensor lengths = torch::empty({rows}, torch::kInt64);
  for (int64_t row = 0; row < rows; ++row) {
    lengths.data_ptr<int64_t>()[row] = std::max<int64_t>(documents[row].size(), least_words);
  }
  const int64_t width = rows > 0 ? lengths.data_ptr<int64_t>()[0] : 0;
  torch::Tensor words = torch::full({rows, width}, kPaddingWord, torch::kInt64);
  for (int64_t row = 0; row < rows; ++row) {
    assert(documents[row].size() <= static_cast<size_t>(width));
    std::copy(documents[row].begin(), documents[row].end(), words.data_ptr<int64_t>() + row * width);
  }
  return {words.to(device), lengths};
}

NetworkImpl::NetworkImpl(int64_t word_ids, int64_t label_ids, const Config& config)
    : encoder_(register_module("encoder", Encoder(word_ids, config.model))),
      decoder_(register_module("decoder", Decoder(label_ids, config.model, variant_of(config)))) {
  if (variant_of(config).light_conv) {
    light_conv_ = register_module("dl_conv", LightConv(2 * config.model.hidden, config.model.light_conv));
  }
}

DecoderGroup NetworkImpl::encode(const Batch& batch, const Dropout& dropout) {
  const Encoded encoded = encoder_(batch.words, batch.lengths, dropout);
  Attention& attention = decoder_->attention();
  DecoderGroup input{encoded.first, {attention->prepare(encoded.states, batch.lengths)}};
  if (light_conv_) {
    input.memories.push_back(
        attention->prepare(light_conv_(encoded.states, batch.lengths), light_conv_->output_lengths(batch.lengths)));
  }
  return input;
}

Decoded NetworkImpl::decode(const Batch& batch, int64_t steps, const Dropout& dropout) {
  return decoder_->decode(encode(batch, dropout), steps, dropout);
}

Decoded NetworkImpl::decode_forced(const Batch& batch, const torch::Tensor& labels, const Dropout& dropout) {
  return decoder_->decode(encode(batch, dropout), labels.size(1), dropout, labels);
}

std::vector<DecoderGroup> encode_shards(Network& network, const std::vector<Span<const int32_t>>& documents,
                                        int64_t least_words, const Dropout& dropout) {
  const auto size = static_cast<int64_t>(documents.size());
  std::vector<DecoderGroup> shards((size + kShardDocuments - 1) / kShardDocuments);
  const bool gradients = torch::GradMode::is_enabled();  // each thread has its own
  parallel_for(static_cast<int64_t>(shards.size()), [&](int64_t shard) {
    torch::AutoGradMode mode(gradients);
    const int64_t first = shard * kShardDocuments, last = std::min(first + kShardDocuments, size);
    const std::vector<Span<const int32_t>> own(documents.begin() + first, documents.begin() + last);
    shards[shard] = network->encode(make_batch(own, least_words, network->device()), dropout.from_row(first));
  });
  return shards;
}

}  // namespace otseq2set::inline model
