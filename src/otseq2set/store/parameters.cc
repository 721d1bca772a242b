#include "otseq2set/store/parameters.h"

#include <functional>
#include <numeric>

namespace otseq2set::inline store {

namespace {

void add_linear(const std::string& name, int64_t in, int64_t out, std::vector<Parameter>& all) {
  all.push_back({name + ".weight", {out, in}});
  all.push_back({name + ".bias", {out}});
}

// end: what follows weight_ih and the others in their names.
void add_gru(const std::string& name, const std::string& end, int64_t in, int64_t hidden, std::vector<Parameter>& all) {
  all.push_back({name + "weight_ih" + end, {3 * hidden, in}});
  all.push_back({name + "weight_hh" + end, {3 * hidden, hidden}});
  all.push_back({name + "bias_ih" + end, {3 * hidden}});
  all.push_back({name + "bias_hh" + end, {3 * hidden}});
}

}  // namespace

int64_t context_width(const Config& config) {
  return (variant_of(config).light_conv ? 2 : 1) * 2 * config.model.hidden;
}

int64_t feature_width(const Config& config) {
  return config.model.hidden + context_width(config) + config.model.label_embedding;
}

int64_t light_conv_heads(const Config& config) {
  const int64_t heads = config.model.light_conv.heads;
  return heads == 0 ? 2 * config.model.hidden : heads;
}

std::vector<Parameter> parameters_of(int64_t word_ids, int64_t label_ids, const Config& config) {
  const ModelConfig& m = config.model;
  const Variant& variant = variant_of(config);
  if (!variant.network) return {};
  const int64_t hidden = m.hidden, width = m.label_embedding;
  std::vector<Parameter> all = {{"encoder.embedding.weight", {word_ids, m.word_embedding}}};
  for (int64_t layer = 0; layer < m.encoder_layers; ++layer) {
    for (const char* direction : {"", "_reverse"}) {
      add_gru("encoder.rnn.", "_l" + std::to_string(layer) + direction, layer == 0 ? m.word_embedding : 2 * hidden,
              hidden, all);
    }
  }
  add_linear("encoder.fc", 2 * hidden, hidden, all);
  all.push_back({"decoder.embedding.weight", {label_ids, width}});
  add_linear("decoder.attention.linear_encoder", 2 * hidden, hidden, all);
  add_linear("decoder.attention.linear_decoder", hidden, hidden, all);
  add_linear("decoder.attention.linear_v", hidden, 1, all);
  add_gru("decoder.rnn.layers.0.", "", width + context_width(config), hidden, all);
  if (m.bottleneck == 0) {
    add_linear("decoder.fc_out", feature_width(config), label_ids, all);
  } else {
    add_linear("decoder.bottleneck0", feature_width(config), m.bottleneck, all);
    add_linear("decoder.bottleneck1", m.bottleneck, label_ids, all);
  }
  if (variant.global_embedding) {
    add_linear("decoder.ge_proj1", width, width, all);
    add_linear("decoder.ge_proj2", width, width, all);
  }
  if (variant.light_conv) {
    for (size_t i = 0; i < m.light_conv.kernels.size(); ++i) {
      all.push_back(
          {"dl_conv." + std::to_string(i) + ".0.weight", {light_conv_heads(config), 1, m.light_conv.kernels[i]}});
    }
  }
  return all;
}

bool is_quantised(const Parameter& parameter) { return parameter.shape.size() == 2 && parameter.shape[0] > 1; }

int64_t parameter_count(int64_t word_ids, int64_t label_ids, const Config& config) {
  int64_t count = 0;
  for (const Parameter& parameter : parameters_of(word_ids, label_ids, config)) {
    count += std::accumulate(parameter.shape.begin(), parameter.shape.end(), int64_t{1}, std::multiplies<>());
  }
  return count;
}

}  // namespace otseq2set::inline store
