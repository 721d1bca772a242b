#include "otseq2set/store/model_folder.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/manifest.h"

namespace otseq2set::inline store {

namespace fs = std::filesystem;

namespace {

template <typename Value>
void save_lines(const ModelFolder& folder, const std::string& path, const Value& value) {
  std::ostringstream text;
  value.save(text);
  write_file(vouched(folder, path), text.str());
}

constexpr char kInt8[] = "int8";  // "weights" of a quantised model

// Lists in a folder from elsewhere are as long as config.json says, nearly.
constexpr uint64_t kLargestJson = 1 << 20, kLargestText = 64 << 20, kMeanWord = 1 << 10, kMeanLabel = 4 << 10;

template <typename Value>
Value load_lines(const Manifest& manifest, const std::string& path, uint64_t most) {
  const WholeFile bytes = read_vouched(manifest, path, most);
  std::istringstream text{std::string(bytes.view())};
  return Value::load(text, path);
}

Json parse_object(const Manifest& manifest, const std::string& path) {
  Json json = Json::parse(read_vouched(manifest, path, kLargestJson).view(), nullptr, false);
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
  if (model.steps > most_steps(model.labels)) {
    fail("{}: model.steps is {}, but {} labels need at most {}", folder.config(), model.steps, model.labels,
         most_steps(model.labels));
  }
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
  return path_exists(config()) || path_exists(weights()) || path_exists(state()) || path_exists(linear()) ||
         path_exists(selection().config());
}

// What is left of a model that was being removed does not count.
bool ModelFolder::holds(const std::string& path) const { return path_exists(path) && Manifest(*this).lists(path); }

bool ModelFolder::has_checkpoint() const { return holds(state()) || holds(linear()); }

bool ModelFolder::finished() const { return holds(metrics()); }

bool ModelFolder::vouched_for() const { return path_exists(manifest()); }

std::vector<std::string> ModelFolder::files() const {
  return {metrics(),      set_rule(), joining(), state(),  weights(), linear(),
          linear_times(), last(),     log(),     labels(), words(),   config()};
}

void ModelFolder::remove_model(bool with_selection) const {
  std::error_code error;
  for (const std::string& folder : {path_ + "/members", with_selection ? selection().path() : ""}) {
    if (!folder.empty()) fs::remove_all(folder, error);
    if (error) fail("cannot remove {}: {}", folder, error.message());
  }
  // config.json goes last: while it stands, the folder is known to hold (the rest of) a model.
  for (const std::string& file : files()) remove_file(file);
}

std::vector<NetworkFolder> network_folders(const ModelFolder& folder, const Config& config) {
  if (!variant_of(config).network) return {};
  std::vector<NetworkFolder> folders = {{folder, config.training.seed}};
  for (const int64_t seed : config.training.more_seeds) folders.push_back({folder.member(seed), seed});
  return folders;
}

int64_t most_steps(int64_t labels) {
  constexpr int64_t kAnyway = 1000;  // they cost little
  return std::max(labels + 1, kAnyway);
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
  json["format"] = description.quantised ? kFolderFormat : 1;
  json["program"] = OTSEQ2SET_VERSION;
  if (description.quantised) json["weights"] = kInt8;
  json["config"] = to_json(description.config);
  json["data"] = {{"documents", description.data.documents},
                  {"valid_documents", description.data.valid_documents},
                  {"fingerprint", description.data.fingerprint}};
  write_file(vouched(folder, folder.config()), json.dump(2) + "\n");
  save_lines(folder, folder.words(), description.words);
  save_lines(folder, folder.labels(), description.labels);
}

ModelDescription load_description(const ModelFolder& folder) { return load_description(folder, Manifest(folder)); }

ModelDescription load_description(const ModelFolder& folder, const Manifest& manifest) {
  std::error_code ignored;
  if (!fs::is_directory(folder.path(), ignored)) fail("{}: no such model folder", folder.path());
  if (!path_exists(folder.config())) fail("{} is missing; is {} a model folder?", folder.config(), folder.path());
  const Json json = parse_object(manifest, folder.config());
  check_format(folder.config(), json);
  ModelDescription description;
  description.quantised = json.value("weights", Json()) == kInt8;
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
  const Config& config = description.config;
  const auto words = static_cast<uint64_t>(
      std::max(config.text.vocabulary, has_linear(config) ? config.linear.vocabulary : int64_t{0}));
  const auto labels = static_cast<uint64_t>(config.model.labels);
  description.words = load_lines<Vocabulary>(manifest, folder.words(), kLargestText + kMeanWord * words);
  description.labels = load_lines<LabelVocabulary>(manifest, folder.labels(), kLargestText + kMeanLabel * labels);
  check_sizes(folder, description);
  return description;
}

void save_set_rule(const ModelFolder& folder, const TunedRule& tuned) {
  const Json json = {{"rule", kind_name(tuned.rule.kind)}, {"threshold", tuned.rule.threshold},
                     {"measure", tuned.measure},           {"value", tuned.value},
                     {"greedy_value", tuned.greedy_value}, {"documents", tuned.documents}};
  write_file(vouched(folder, folder.set_rule()), json.dump(2) + "\n");
}

SetRule load_set_rule(const ModelFolder& folder) { return load_set_rule(folder, Manifest(folder)); }

SetRule load_set_rule(const ModelFolder& folder, const Manifest& manifest) {
  if (!path_exists(folder.set_rule())) {
    manifest.check_missing(folder.set_rule());
    return {};
  }
  const Json json = parse_object(manifest, folder.set_rule());
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
