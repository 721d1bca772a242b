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
std::vector<float> normalised(const float* values, int64_t rows, int64_t width, Arithmetic arithmetic) {
  std::vector<float> result(values, values + rows * width);
  for (int64_t row = 0; row < rows; ++row) {
    float* own = result.data() + row * width;
    const RowPeak<float> peak = row_peak(own, width, arithmetic);
    row_exp(own, width, peak.largest, std::log(peak.sum), arithmetic);
  }
  return result;
}

}  // namespace

StepDocument<float> EncodedDocuments::document(int64_t index) const {
  StepDocument<float> document{first.get() + index * hidden, {}};
  for (size_t m = 0; m < memories.size(); ++m) {
    const EncodedStates& memory = memories[m];
    const int64_t first_state = index * memory.positions * 2 * hidden;
    document.memories[m] = {memory.keys.get() + index * memory.positions * hidden,
                            memory.states ? memory.states.get() + first_state : nullptr,
                            memory.lengths[index],
                            hidden,
                            2 * hidden,
                            memory.fixed ? memory.fixed.get() + first_state : nullptr};
  }
  return document;
}

PackedEncoder::PackedEncoder(const Config& config, const ModelWeights& weights)
    : config_(config.model),
      heads_(light_conv_heads(config)),
      arithmetic_(weights.matrix("encoder.embedding.weight").quantised() ? Arithmetic::kSteady : Arithmetic::kFused),
      word_vectors_(weights.matrix("encoder.embedding.weight")),
      first_(packed_layer(weights, "encoder.fc", 2 * config.model.hidden, config.model.hidden)),
      keys_(packed_layer(weights, "decoder.attention.linear_encoder", 2 * config.model.hidden, config.model.hidden)) {
  for (int64_t layer = 0; layer < config_.encoder_layers; ++layer) {
    layers_.push_back(packed_layers(config_, layer, weights));
  }
  if (!variant_of(config).light_conv) return;
  const LightConvConfig& conv = config_.light_conv;
  for (size_t i = 0; i < conv.kernels.size(); ++i) {
    conv_.push_back(
        {conv.kernels[i], i + 1 == conv.kernels.size() ? conv.last_stride : 1,
         normalised(weights["dl_conv." + std::to_string(i) + ".0.weight"], heads_, conv.kernels[i], arithmetic_)});
  }
}

PackedEncoder::Layer PackedEncoder::packed_layers(const ModelConfig& config, int64_t layer,
                                                  const ModelWeights& weights) {
  const int64_t hidden = config.hidden, input = layer == 0 ? config.word_embedding : 2 * hidden;
  const std::vector<float> no_bias(3 * hidden);
  Layer both;
  for (const char* direction : {"", "_reverse"}) {
    const auto of = [&](const char* name) {
      return weights.matrix(std::string("encoder.rnn.") + name + "_l" + std::to_string(layer) + direction);
    };
    const WeightMatrix<float> weight_ih = of("weight_ih"), weight_hh = of("weight_hh");
    const float *bias_ih = of("bias_ih").values, *bias_hh = of("bias_hh").values;
    if (weight_ih.quantised() && weight_hh.quantised()) {
      both.int8.emplace_back(hidden, input, weight_ih, weight_hh, bias_ih, bias_hh);
    } else {
      both.directions.push_back({PackedLinear<float>(3 * hidden, input, weight_ih, no_bias.data()),
                                 pack_recurrent(hidden, weight_hh.values),
                                 {hidden, weight_hh.values, bias_ih, bias_hh}});
    }
  }
  return both;
}

// [words, word_embedding]
std::unique_ptr<float[]> PackedEncoder::word_vectors(const std::vector<int32_t>& words) const {
  const int64_t width = config_.word_embedding;
  auto vectors = uninitialised(static_cast<int64_t>(words.size()) * width);
  for (size_t i = 0; i < words.size(); ++i) {
    word_vectors_.copy_row(words[i], width, vectors.get() + static_cast<int64_t>(i) * width);
  }
  return vectors;
}

// [documents, words, 2 hidden], zero behind a document's end.
std::unique_ptr<float[]> PackedEncoder::states_for(const GruDocuments& documents) const {
  const int64_t width = 2 * config_.hidden;
  auto states = uninitialised(documents.count() * documents.words * width);
  for (int64_t i = 0; i < documents.count(); ++i) {
    float* document = states.get() + i * documents.words * width;
    std::fill(document + documents.lengths[i] * width, document + documents.words * width, 0.0F);
  }
  return states;
}

// words: [rows, input] -> states [documents, words, 2 hidden]
std::unique_ptr<float[]> PackedEncoder::run_layer(const Layer& layer, const GruDocuments& documents,
                                                  const Int8Rows& words) const {
  auto states = states_for(documents);
  parallel_for(2, [&](int64_t i) {
    layer.int8[i].walk(documents, i == 0 ? kernels::Direction::kForward : kernels::Direction::kReverse, words,
                       states.get());
  });
  return states;
}

std::unique_ptr<float[]> PackedEncoder::run_layer(const Layer& layer, const GruDocuments& documents,
                                                  const float* words) const {
  if (!layer.int8.empty()) {
    const int64_t input = layer.int8[0].input();
    return run_layer(layer, documents, quantised_rows(documents.rows(), input, words, input));
  }
  const int64_t hidden = config_.hidden, input = layer.directions[0].input.inputs();
  auto states = states_for(documents);
  parallel_for(2, [&](int64_t i) {
    const Direction& own = layer.directions[i];
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
  EncodedStates now{words.positions, words.lengths, {}, {}, {}};
  const float* x = words.states.get();
  for (const ConvLayer& layer : conv_) {
    const LightConvShape shape{documents,    now.positions, channels,          heads_,
                               layer.kernel, layer.stride,  now.lengths.data()};
    auto y = uninitialised(documents * shape.positions() * channels);
    light_conv_forward(LightConvArrays<float>{shape, x, layer.weights.data(), y.get()}, arithmetic_);
    std::vector<int64_t> lengths;
    for (const int64_t length : now.lengths) lengths.push_back(shape.positions_in(length));
    now = {shape.positions(), std::move(lengths), std::move(y), {}, {}};
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
  std::vector<int32_t> words(rows.rows());  // in the order of gru_walk
  for_each_word(rows, [&](int64_t row, int64_t i, int64_t t) {
    words[row] = t < static_cast<int64_t>(documents[i].size()) ? documents[i][t] : kPaddingWord;
  });
  std::unique_ptr<float[]> x, states;
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    if (layer == 0 && word_vectors_.quantised() && !layers_[0].int8.empty()) {
      states = run_layer(layers_[0], rows,
                         table_rows(word_vectors_.bytes, word_vectors_.scales, config_.word_embedding, words));
      continue;
    }
    if (layer == 0) {
      x = word_vectors(words);
    } else {
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
  row_tanh(encoded.first.get(), count * hidden, arithmetic_);

  encoded.memories.push_back({rows.words, std::move(lengths), std::move(states), {}, {}});
  if (!conv_.empty()) encoded.memories.push_back(light_conv(encoded.memories[0]));
  for (EncodedStates& memory : encoded.memories) {
    add_keys(memory);
    if (arithmetic_ == Arithmetic::kFused) continue;
    const int64_t size = count * memory.positions * width;
    memory.fixed = std::make_unique_for_overwrite<int16_t[]>(size);
    row_to_fixed(memory.states.get(), size, kFixedOne, memory.fixed.get());
    memory.states.reset();
  }
  return encoded;
}

}  // namespace otseq2set::inline inference
