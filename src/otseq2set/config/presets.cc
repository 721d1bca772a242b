#include "otseq2set/config/presets.h"

#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "presets_data.inc"  // made by CMake from presets/*.json: kPresets, {name, text}

namespace otseq2set {

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

void apply_preset(Config& config, const std::string& name) {
  for (const auto& preset : kPresets) {
    if (name == preset.name) return apply_json(config, Json::parse(preset.text), "preset " + name);
  }
  fail_usage("--preset {}: unknown; there are {}", name, fmt::join(preset_names(), ", "));
}

}  // namespace otseq2set
