#include "otseq2set/config/config.h"

#include <set>

#include "otseq2set/core/error.h"

namespace otseq2set::inline config {

const std::vector<Variant>& variants() {
  // name, title, light_conv, sequence, transport, by_frequency, global_embedding
  static const std::vector<Variant> kVariants = {{"seq2seq", "Seq2Seq", false, true, false, false, false},
                                                 {"mlc2seq", "MLC2Seq", false, true, false, true, false},
                                                 {"sgm", "SGM", false, true, false, true, true},
                                                 {"seq2seq_lc", "Seq2Seq + LC", true, true, false, false, false},
                                                 {"bm", "BM", false, false, false, false, false},
                                                 {"bm_lc", "BM + LC", true, false, false, false, false},
                                                 {"bm_ot", "BM + OT", false, false, true, false, false},
                                                 {"otseq2set", "OTSeq2Set", true, false, true, false, false},
                                                 {"linear", "Linear", false, false, false, false, false, false}};
  return kVariants;
}

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const Variant& variant : variants()) names.push_back(variant.name);
  return names;
}

const Variant& variant_of(const Config& config) {
  for (const Variant& variant : variants()) {
    if (variant.name == config.variant) return variant;
  }
  throw std::logic_error("variant not checked: " + config.variant);
}

bool has_linear(const Config& config) { return config.linear.hybrid || !variant_of(config).network; }

int64_t receptive_field(const LightConvConfig& light_conv) {
  int64_t words = 1;
  for (int64_t kernel : light_conv.kernels) words += kernel - 1;
  return words;
}

void check_consistency(const Config& config) {
  if (!variant_of(config).network) {
    if (!config.training.more_seeds.empty())
      fail_usage("training.more_seeds: a linear model has no networks to average");
    return;
  }
  std::set<int64_t> seeds = {config.training.seed};
  for (const int64_t seed : config.training.more_seeds) {
    if (!seeds.insert(seed).second) fail_usage("training.more_seeds repeats the seed {}", seed);
  }
  if (!variant_of(config).light_conv) return;
  const int64_t channels = 2 * config.model.hidden;
  const int64_t heads = config.model.light_conv.heads;
  if (heads > channels) {
    fail_usage("model.light_conv.heads is {}, but there are only {} channels (2 * model.hidden)", heads, channels);
  }
  const int64_t field = receptive_field(config.model.light_conv);
  if (config.model.max_words < field) {
    fail_usage("model.max_words is {}, but model.light_conv.kernels look at {} words together", config.model.max_words,
               field);
  }
}

void check_vector_widths(const Config& config) {
  if (config.model.label_vectors != "words") return;
  if (config.model.label_embedding == config.model.word_embedding) return;
  fail_usage(
      "with --vectors and model.label_vectors=words, label vectors are means of word vectors: "
      "model.label_embedding ({}) must equal model.word_embedding ({})",
      config.model.label_embedding, config.model.word_embedding);
}

}  // namespace otseq2set::inline config
