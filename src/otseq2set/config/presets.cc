#include "otseq2set/config/presets.h"

#include <fmt/ranges.h>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "presets_data.inc"  // made by CMake from presets/*.json: kFiles, {name, text}

namespace otseq2set::inline config {

namespace {

// cpu_small.json -> cpu_small
std::string preset_name(const std::string& file) { return file.substr(0, file.rfind('.')); }

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& file : kFiles) names.push_back(preset_name(file.name));
  return names;
}

void apply_preset(Config& config, const std::string& name) {
  for (const auto& file : kFiles) {
    if (name == preset_name(file.name)) return apply_json(config, Json::parse(file.text), "preset " + name);
  }
  fail_usage("--preset {}: unknown; the presets are {}", name, fmt::join(preset_names(), ", "));
}

}  // namespace otseq2set::inline config
