#include "otseq2set/store/model_folder.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set::inline store {

namespace fs = std::filesystem;

namespace {

// Where one may not look there is nothing; who then writes there learns why not.
bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

template <typename Value>
void save_lines(const std::string& path, const Value& value) {
  std::ostringstream text;
  value.save(text);
  write_file(path, text.str());
}

// A folder from elsewhere may hold a link to a device that never ends.
std::string read_regular_file(const std::string& path) {
  std::error_code ignored;
  if (is_there(path) && !fs::is_regular_file(path, ignored)) fail("cannot read {}: not a regular file", path);
  return read_file(path);
}

template <typename Value>
Value load_lines(const std::string& path) {
  std::istringstream text(read_regular_file(path));
  return Value::load(text, path);
}

Json parse_object(const std::string& path) {
  Json json = Json::parse(read_regular_file(path), nullptr, false);
  if (!json.is_object()) fail("{}: not a JSON object", path);
  return json;
}

void check_format(const std::string& path, const Json& json) {
  const Json format = json.value("format", Json());
  if (!format.is_number_unsigned() || format == 0) fail("{}: no format number; is this a model folder?", path);
  if (format > kFolderFormat) {
    fail("{}: the model folder has format {}, made by a newer otseq2set; this is {}, which reads up to format {}", path,
         format.dump(), OTSEQ2SET_VERSION, kFolderFormat);
  }
}

// The library would turn 1e300 or -1 into some number.
uint64_t count_of(const std::string& path, const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (!value.is_number_unsigned()) fail("{}: \"{}\" is not a count", path, key);
  return value;
}

void check_sizes(const ModelFolder& folder, const ModelDescription& description) {
  const ModelConfig& model = description.config.model;
  if (static_cast<size_t>(model.labels) != description.labels.size()) {
    fail("{}: {} labels, but {} says model.labels is {}", folder.labels(), description.labels.size(), folder.config(),
         model.labels);
  }
  if (model.steps == 0) fail("{}: model.steps is 0", folder.config());
  if (model.words > 0 && !description.config.linear.hybrid) {
    fail("{}: model.words is {}, but there is no linear model that knows more words", folder.config(), model.words);
  }
  if (static_cast<size_t>(model.words) > description.words.words()) {
    fail("{}: {} words, but {} says model.words is {}", folder.words(), description.words.words(), folder.config(),
         model.words);
  }
}

}  // namespace

bool ModelFolder::holds_model() const {
  return is_there(config()) || is_there(weights()) || has_checkpoint() || is_there(selection().config());
}

bool ModelFolder::has_checkpoint() const { return is_there(state()) || is_there(linear()); }

bool ModelFolder::finished() const { return is_there(metrics()); }

void ModelFolder::remove_model(bool with_selection) const {
  std::error_code error;
  for (const std::string& folder : {path_ + "/members", with_selection ? selection().path() : ""}) {
    if (!folder.empty()) fs::remove_all(folder, error);
    if (error) fail("cannot remove {}: {}", folder, error.message());
  }
  // config.json goes last: while it stands, the folder is known to hold (the rest of) a model.
  for (const std::string& file : {metrics(), set_rule(), joining(), state(), weights(), linear(), linear_times(),
                                  last(), log(), labels(), words(), config()}) {
    fs::remove(file, error);
    if (error) fail("cannot remove {}: {}", file, error.message());
  }
}

std::vector<NetworkFolder> network_folders(const ModelFolder& folder, const Config& config) {
  if (!variant_of(config).network) return {};
  std::vector<NetworkFolder> folders = {{folder, config.training.seed}};
  for (const int64_t seed : config.training.more_seeds) folders.push_back({folder.member(seed), seed});
  return folders;
}

int64_t ModelDescription::word_ids() const {
  return config.model.words > 0 ? config.model.words + kFirstWord : static_cast<int64_t>(words.ids());
}

int64_t ModelDescription::label_ids() const { return static_cast<int64_t>(labels.size()) + kFirstLabel; }

size_t ModelDescription::words_read() const {
  const int64_t network = variant_of(config).network ? config.model.max_words : 0;
  return static_cast<size_t>(std::max(network, has_linear(config) ? config.linear.max_words : 0));
}

void save_description(const ModelFolder& folder, const ModelDescription& description) {
  Json json;
  json["format"] = kFolderFormat;
  json["program"] = OTSEQ2SET_VERSION;
  json["config"] = to_json(description.config);
  json["data"] = {{"documents", description.data.documents},
                  {"valid_documents", description.data.valid_documents},
                  {"fingerprint", description.data.fingerprint}};
  write_file(folder.config(), json.dump(2) + "\n");
  save_lines(folder.words(), description.words);
  save_lines(folder.labels(), description.labels);
}

ModelDescription load_description(const ModelFolder& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder.path(), ignored)) fail("{}: no such model folder", folder.path());
  if (!is_there(folder.config())) fail("{} is missing; is {} a model folder?", folder.config(), folder.path());
  const Json json = parse_object(folder.config());
  check_format(folder.config(), json);
  ModelDescription description;
  try {
    apply_json(description.config, json.at("config"), folder.config());
    check_consistency(description.config);
    const Json& data = json.at("data");
    description.data = {count_of(folder.config(), data, "documents"),
                        count_of(folder.config(), data, "valid_documents"), data.at("fingerprint")};
  } catch (const UsageError& error) {
    throw Error(error.what());  // the file is at fault, not the command line
  } catch (const Json::exception& error) {
    fail("{}: {}", folder.config(), error.what());
  }
  description.words = load_lines<Vocabulary>(folder.words());
  description.labels = load_lines<LabelVocabulary>(folder.labels());
  check_sizes(folder, description);
  return description;
}

void save_set_rule(const ModelFolder& folder, const TunedRule& tuned) {
  const Json json = {{"rule", kind_name(tuned.rule.kind)}, {"threshold", tuned.rule.threshold},
                     {"measure", tuned.measure},           {"value", tuned.value},
                     {"greedy_value", tuned.greedy_value}, {"documents", tuned.documents}};
  write_file(folder.set_rule(), json.dump(2) + "\n");
}

SetRule load_set_rule(const ModelFolder& folder) {
  if (!is_there(folder.set_rule())) return {};
  const Json json = parse_object(folder.set_rule());
  const Json rule = json.value("rule", Json()), threshold = json.value("threshold", Json());
  if (!rule.is_string()) fail("{}: \"rule\" is not a name", folder.set_rule());
  if (!threshold.is_number() || threshold < 0 || threshold > 1) {
    fail("{}: \"threshold\" is not a number from 0 to 1", folder.set_rule());
  }
  try {
    return {parse_kind(rule), threshold};
  } catch (const Error& error) {
    fail("{}: {}", folder.set_rule(), error.what());
  }
}

}  // namespace otseq2set::inline store
