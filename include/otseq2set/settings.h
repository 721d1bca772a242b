// The settings of a model and of its training: what TrainingOptions::settings takes and `otseq2set info` lists.
#pragma once

#include <string>
#include <vector>

#include "otseq2set/error.h"

namespace otseq2set::inline v1 {

struct Setting {
  std::string key;    // "model.hidden"
  std::string value;  // as JSON: 256, "icu", [3,7,15]
  std::string help;   // what it means, one line
  std::string valid;  // "an integer from 1 to 65536"
};

// For TrainingOptions::preset.
OTSEQ2SET_API std::vector<std::string> list_presets();

// All of them, with the values of a preset (none: the paper's) and of "key=value" over it.
OTSEQ2SET_API std::vector<Setting> list_settings(const std::string& preset = "",
                                                 const std::vector<std::string>& assignments = {});

}  // namespace otseq2set::inline v1
