// The settings of a configuration, for who uses the library.
#pragma once

#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/settings.h"

namespace otseq2set::inline api {

std::vector<Setting> settings_of(const Config& config);

}  // namespace otseq2set::inline api
