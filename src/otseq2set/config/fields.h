// The list of configuration fields: key, range and help at one place.
//
// A Field reads and writes one value of a Config as JSON. Wrong keys and values are errors that name the key,
// the value given and what is valid.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "otseq2set/config/config.h"

namespace otseq2set::inline config {

using Json = nlohmann::ordered_json;

struct Field {
  std::string key;    // "model.hidden"
  std::string help;   // what it means, one line
  std::string valid;  // "an integer from 1 to 65536"
  std::function<Json(const Config&)> get;
  std::function<bool(Config&, const Json&)> set;  // false: the value is not valid
};

const std::vector<Field>& fields();

// {"variant": ..., "model": {"hidden": ...}, ...}
Json to_json(const Config& config);

// Takes over every key found in `json` (nested objects); `source` names the file in errors.
void apply_json(Config& config, const Json& json, const std::string& source);

// Takes over "key=value"; a value is JSON or plain text, a list also 3,7,15.
void apply_assignment(Config& config, const std::string& assignment);

// One line a differing field: "model.hidden was 128, is now 256".
std::vector<std::string> differences(const Config& before, const Config& now);

}  // namespace otseq2set::inline config
