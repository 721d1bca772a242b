#include "otseq2set/config/config.h"

#include "otseq2set/core/error.h"

namespace otseq2set {

const std::vector<Variant>& variants() {
  static const std::vector<Variant> kVariants = {
      {"otseq2set", true, true}, {"bm", false, false}, {"bm_ot", false, true}, {"bm_lc", true, false}};
  return kVariants;
}

const Variant& variant_of(const Config& config) {
  for (const Variant& variant : variants()) {
    if (variant.name == config.variant) return variant;
  }
  throw std::logic_error("variant not checked: " + config.variant);
}

int64_t receptive_field(const LightConvConfig& light_conv) {
  int64_t words = 1;
  for (int64_t kernel : light_conv.kernels) words += kernel - 1;
  return words;
}

void check_consistency(const Config& config) {
  const int64_t channels = 2 * config.model.hidden;
  const int64_t heads = config.model.light_conv.heads;
  if (heads > channels) {
    fail_usage("model.light_conv.heads is {}, but there are only {} channels (2 * model.hidden)", heads,
               channels);
  }
  const int64_t field = receptive_field(config.model.light_conv);
  if (config.model.max_words < field) {
    fail_usage("model.max_words is {}, but model.light_conv.kernels look at {} words together",
               config.model.max_words, field);
  }
}

}  // namespace otseq2set
