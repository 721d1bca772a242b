#include "otseq2set/inference/packed_encoder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "otseq2set/core/threads.h"
#include "otseq2set/inference/packed_layer.h"
#include "otseq2set/kernels/light_conv_arrays.h"
#include "otseq2set/kernels/row_math.h"
#include "otseq2set/store/parameters.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::inline inference {

namespace {

std::unique_ptr<float[]> uninitialised(int64_t size) { return std::make_unique_for_overwrite<float[]>(size); }

// Each row of `width` values becomes its softmax.
std::vector<float> normalised(const float* values, int64_t rows, int64_t width) {
  std::vector<float> result(values, values + rows * width);
  for (int64_t row = 0; row < rows; ++row) {
    float* own = result.data() + row * width;
    const RowPeak<float> peak = row_peak(own, width);
    row_exp(own, width, peak.largest, std::log(peak.sum));
  }
  return result;
}

}  // namespace

StepDocument<float> EncodedDocuments::document(int64_t index) const {
  StepDocument<float> document{first.get() + index * hidden, {}};
  for (size_t m = 0; m < memories.size(); ++m) {
    const EncodedStates& memory = memories[m];
    document.memories[m] = {memory.keys.get() + index * memory.positions * hidden,
                            memory.states.get() + index * memory.positions * 2 * hidden, memory.lengths[index], hidden,
                            2 * hidden};
  }
  return document;
}

PackedEncoder::PackedEncoder(const Config& config, const ModelWeights& weights)
    : config_(config.model),
      heads_(light_conv_heads(config)),
      word_vectors_(weights["encoder.embedding.weight"]),
      first_(packed_layer(weights, "encoder.fc", 2 * config.model.hidden, config.model.hidden)),
      keys_(packed_layer(weights, "decoder.attention.linear_encoder", 2 * config.model.hidden, config.model.hidden)) {
  const int64_t hidden = config_.hidden;
  const std::vector<float> no_bias(3 * hidden);
  for (int64_t layer = 0; layer < config_.encoder_layers; ++layer) {
    const int64_t input = layer == 0 ? config_.word_embedding : 2 * hidden;
    Layer both;
    for (const char* direction : {"", "_reverse"}) {
      const auto of = [&](const char* name) {
        return weights[std::string("encoder.rnn.") + name + "_l" + std::to_string(layer) + direction];
      };
      both.push_back({PackedLinear<float>(3 * hidden, input, of("weight_ih"), no_bias.data()),
                      pack_recurrent(hidden, of("weight_hh")),
                      {hidden, of("weight_hh"), of("bias_ih"), of("bias_hh")}});
    }
    layers_.push_back(std::move(both));
  }
  if (!variant_of(config).light_conv) return;
  const LightConvConfig& conv = config_.light_conv;
  for (size_t i = 0; i < conv.kernels.size(); ++i) {
    conv_.push_back({conv.kernels[i], i + 1 == conv.kernels.size() ? conv.last_stride : 1,
                     normalised(weights["dl_conv." + std::to_string(i) + ".0.weight"], heads_, conv.kernels[i])});
  }
}

// [rows, word_embedding], in the order of gru_walk.
std::unique_ptr<float[]> PackedEncoder::word_vectors(const std::vector<Span<const int32_t>>& documents,
                                                     const GruDocuments& lengths) const {
  const int64_t width = config_.word_embedding;
  auto vectors = uninitialised(lengths.rows() * width);
  for_each_word(lengths, [&](int64_t row, int64_t i, int64_t t) {
    const int64_t word = t < static_cast<int64_t>(documents[i].size()) ? documents[i][t] : kPaddingWord;
    std::copy_n(word_vectors_ + word * width, width, vectors.get() + row * width);
  });
  return vectors;
}

// words: [rows, input] -> states [documents, words, 2 hidden], zero behind a document's end.
std::unique_ptr<float[]> PackedEncoder::run_layer(const Layer& layer, const GruDocuments& documents,
                                                  const float* words) const {
  const int64_t hidden = config_.hidden, input = layer[0].input.inputs();
  auto states = uninitialised(documents.count() * documents.words * 2 * hidden);
  for (int64_t i = 0; i < documents.count(); ++i) {
    float* document = states.get() + i * documents.words * 2 * hidden;
    std::fill(document + documents.lengths[i] * 2 * hidden, document + documents.words * 2 * hidden, 0.0F);
  }
  parallel_for(2, [&](int64_t i) {
    const Direction& own = layer[i];
    const auto gates = uninitialised(documents.rows() * 4 * hidden);
    own.input.forward(documents.rows(), words, input, gates.get(), 4 * hidden);
    gru_walk(GruWalk<float>{documents, i == 0 ? kernels::Direction::kForward : kernels::Direction::kReverse,
                            own.weights, own.recurrent.get(), gates.get(), states.get()});
  });
  return states;
}

void PackedEncoder::add_keys(EncodedStates& memory) const {
  const int64_t hidden = config_.hidden;
  const auto documents = static_cast<int64_t>(memory.lengths.size());
  memory.keys = uninitialised(documents * memory.positions * hidden);
  for (int64_t i = 0; i < documents; ++i) {
    const int64_t first = i * memory.positions;
    keys_.forward(memory.lengths[i], memory.states.get() + first * 2 * hidden, 2 * hidden,
                  memory.keys.get() + first * hidden, hidden);
  }
}

EncodedStates PackedEncoder::light_conv(const EncodedStates& words) const {
  const int64_t channels = 2 * config_.hidden;
  const auto documents = static_cast<int64_t>(words.lengths.size());
  EncodedStates now{words.positions, words.lengths, {}, {}};
  const float* x = words.states.get();
  for (const ConvLayer& layer : conv_) {
    const LightConvShape shape{documents,    now.positions, channels,          heads_,
                               layer.kernel, layer.stride,  now.lengths.data()};
    auto y = uninitialised(documents * shape.positions() * channels);
    light_conv_forward(LightConvArrays<float>{shape, x, layer.weights.data(), y.get()});
    std::vector<int64_t> lengths;
    for (const int64_t length : now.lengths) lengths.push_back(shape.positions_in(length));
    now = {shape.positions(), std::move(lengths), std::move(y), {}};
    x = now.states.get();
  }
  return now;
}

EncodedDocuments PackedEncoder::encode(const std::vector<Span<const int32_t>>& documents) const {
  const int64_t hidden = config_.hidden, width = 2 * hidden, least = receptive_field(config_.light_conv);
  const auto count = static_cast<int64_t>(documents.size());
  std::vector<int64_t> lengths;
  for (const auto& document : documents) {
    lengths.push_back(std::max<int64_t>(static_cast<int64_t>(document.size()), least));
  }
  const GruDocuments rows = gru_documents(lengths, lengths.front());
  std::unique_ptr<float[]> x = word_vectors(documents, rows), states;
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    if (layer > 0) {
      x = uninitialised(rows.rows() * width);
      for_each_word(rows, [&](int64_t row, int64_t i, int64_t t) {
        std::copy_n(states.get() + (i * rows.words + t) * width, width, x.get() + row * width);
      });
    }
    states = run_layer(layers_[layer], rows, x.get());
  }

  EncodedDocuments encoded{hidden, uninitialised(count * hidden), {}};
  std::vector<float> last(count * width);  // [last forward; last backward]
  for (int64_t i = 0; i < count; ++i) {
    const float* document = states.get() + i * rows.words * width;
    std::copy_n(document + (lengths[i] - 1) * width, hidden, last.data() + i * width);
    std::copy_n(document + hidden, hidden, last.data() + i * width + hidden);
  }
  first_.forward(count, last.data(), width, encoded.first.get(), hidden);
  row_tanh(encoded.first.get(), count * hidden);

  encoded.memories.push_back({rows.words, std::move(lengths), std::move(states), {}});
  if (!conv_.empty()) encoded.memories.push_back(light_conv(encoded.memories[0]));
  for (EncodedStates& memory : encoded.memories) add_keys(memory);
  return encoded;
}

}  // namespace otseq2set::inline inference
