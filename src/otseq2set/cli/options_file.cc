#include "otseq2set/cli/options_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/nearest_name.h"

namespace otseq2set::inline cli {

namespace {

using Json = nlohmann::ordered_json;

// All but those that make no sense in a file.
std::vector<std::string> keys_of(const CLI::App& command) {
  std::vector<std::string> keys;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "help" && name != "config") keys.push_back(name);
    }
  }
  return keys;
}

std::string text_of(const Json& value, const std::string& path, const std::string& key) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  fail_usage("{}: \"{}\" is {}, but must be a text or a number", path, key, value.dump());
}

std::vector<std::string> texts_of(const Json& value, const CLI::Option& option, const std::string& path,
                                  const std::string& key) {
  if (!value.is_array()) return {text_of(value, path, key)};
  if (option.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll) {
    fail_usage("{}: \"{}\" is a list, but must be one value", path, key);
  }
  std::vector<std::string> texts;
  for (const Json& one : value) texts.push_back(text_of(one, path, key));
  return texts;
}

}  // namespace

void apply_options_file(CLI::App& command, const std::string& path) {
  const Json file = Json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  if (!file.is_object()) fail_usage("{}: not a JSON object of options", path);
  const std::vector<std::string> keys = keys_of(command);
  for (const auto& [key, value] : file.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      fail_usage("{}: {} has no option \"{}\" (did you mean \"{}\"?)", path, command.get_name(), key,
                 nearest_name(key, keys));
    }
    CLI::Option& option = *command.get_option("--" + key);
    const std::vector<std::string> texts = texts_of(value, option, path, key);
    if (option.count() > 0 || texts.empty()) continue;
    try {
      option.add_result(texts);
      option.run_callback();
    } catch (const CLI::ParseError& error) {
      fail_usage("{}: {}", path, error.what());
    }
  }
}

}  // namespace otseq2set::inline cli
