#include "otseq2set/cli/option_list.h"

#include <nlohmann/json.hpp>

namespace otseq2set::inline cli {

namespace {

using Json = nlohmann::ordered_json;

Json describe(const CLI::Option& option) {
  const bool flag = option.get_items_expected_max() == 0;
  return {{"names", option.get_name(false, true)},
          {"value", flag ? "" : option.get_type_name()},
          {"help", option.get_description()},
          {"required", option.get_required()},
          {"default", flag ? "" : option.get_default_str()},
          {"variable", option.get_envname()}};
}

Json describe(const CLI::App& app) {
  Json options = Json::array(), commands = Json::array();
  for (const CLI::Option* option : app.get_options()) options.push_back(describe(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(describe(*command));
  }
  return {{"name", app.get_name()}, {"help", app.get_description()}, {"options", options}, {"commands", commands}};
}

}  // namespace

std::string option_list(const CLI::App& program) {
  Json json = describe(program);
  json["version"] = OTSEQ2SET_VERSION;
  return json.dump(2) + "\n";
}

}  // namespace otseq2set::inline cli
