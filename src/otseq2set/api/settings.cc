#include "otseq2set/settings.h"

#include "otseq2set/api/settings_of.h"
#include "otseq2set/config/fields.h"
#include "otseq2set/config/presets.h"

namespace otseq2set::inline api {

std::vector<Setting> settings_of(const Config& config) {
  std::vector<Setting> settings;
  for (const Field& field : fields()) {
    settings.push_back({field.key, field.get(config).dump(), field.help, field.valid});
  }
  return settings;
}

}  // namespace otseq2set::inline api

namespace otseq2set::inline v1 {

std::vector<std::string> list_presets() { return preset_names(); }

std::vector<Setting> list_settings(const std::string& preset, const std::vector<std::string>& assignments) {
  Config config;
  if (!preset.empty()) apply_preset(config, preset);
  for (const std::string& assignment : assignments) apply_assignment(config, assignment);
  return settings_of(config);
}

}  // namespace otseq2set::inline v1
