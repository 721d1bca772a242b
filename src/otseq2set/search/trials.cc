#include "otseq2set/search/trials.h"

#include "otseq2set/core/error.h"

namespace otseq2set::inline search {

Json to_json(const RungResult& result) {
  Json json = {{"trial", result.trial},
               {"rung", result.rung},
               {"settings", result.settings},
               {"epochs", result.epochs},
               {"all_epochs", result.all_epochs},
               {"best_epoch", result.best_epoch},
               {"value", nullptr},
               {"failure", result.failure},
               {"seconds", result.seconds},
               {"at", result.at},
               {"epoch_seconds", result.epoch_seconds},
               {"step_seconds", result.step_seconds},
               {"linear_seconds", result.linear_seconds},
               {"other_seconds", result.other_seconds}};
  if (result.value) json["value"] = *result.value;
  return json;
}

RungResult rung_result_from(const std::string& text, const std::string& path) {
  try {
    const Json json = Json::parse(text);
    RungResult result{json.at("trial"),
                      json.at("rung"),
                      json.at("settings"),
                      json.at("epochs"),
                      json.at("all_epochs"),
                      json.at("best_epoch"),
                      std::nullopt,
                      json.at("failure"),
                      json.at("seconds"),
                      json.at("at"),
                      json.at("epoch_seconds"),
                      json.at("step_seconds"),
                      json.at("linear_seconds"),
                      json.at("other_seconds")};
    if (!json.at("value").is_null()) result.value = json.at("value").get<double>();
    return result;
  } catch (const Json::exception& error) {
    fail("{}: not a result of a search: {}", path, error.what());
  }
}

std::string setting_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& item : value) list += (list.empty() ? "" : ",") + item.dump();
  return list;
}

std::optional<double> value_of(const Trial& trial) {
  if (trial.empty()) return std::nullopt;
  return trial.back().value;
}

std::optional<size_t> best_of(const std::vector<Trial>& trials) {
  std::optional<size_t> best;
  for (size_t i = 0; i < trials.size(); ++i) {
    const std::optional<double> value = value_of(trials[i]);
    if (value && (!best || *value > *value_of(trials[*best]))) best = i;
  }
  return best;
}

}  // namespace otseq2set::inline search
