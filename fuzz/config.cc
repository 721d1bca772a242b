// Configuration files: what is accepted is valid, and comes back from what is written of it.
#include "fuzz.h"
#include "otseq2set/config/fields.h"

namespace otseq2set::fuzz {

void run(std::string_view input) {
  const Json json = Json::parse(input, nullptr, false);
  if (json.is_discarded()) return;
  Config config;
  apply_json(config, json, "config.json");
  Config again;
  apply_json(again, Json::parse(to_json(config).dump()), "again");
  require(differences(config, again).empty());
  check_consistency(config);
}

}  // namespace otseq2set::fuzz
