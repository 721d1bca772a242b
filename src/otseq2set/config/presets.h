// The configurations in presets/*.json, built into the program.
#pragma once

#include <string>
#include <vector>

#include "otseq2set/config/config.h"

namespace otseq2set::inline config {

std::vector<std::string> preset_names();

// Takes over the preset's values; an unknown name is a UsageError that lists the known ones.
void apply_preset(Config& config, const std::string& name);

}  // namespace otseq2set::inline config
