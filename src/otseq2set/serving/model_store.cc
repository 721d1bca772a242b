#include "otseq2set/serving/model_store.h"

#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/store/model_folder.h"
#include "otseq2set/text/ascii_words.h"

namespace otseq2set::inline serving {

namespace {

bool is_name(std::string_view text) {
  const auto fits = [](char c) { return is_ascii_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text != "." && text != ".." && std::all_of(text.begin(), text.end(), fits);
}

std::time_t written(const std::string& path) {
  struct stat state = {};
  return stat(path.c_str(), &state) == 0 ? state.st_mtime : 0;
}

}  // namespace

ModelPlace parse_model_place(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals != std::string::npos && is_name(text.substr(0, equals))) {
    return {text.substr(0, equals), text.substr(equals + 1)};
  }
  std::filesystem::path folder = std::filesystem::absolute(text).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // models/birds/
  const std::string name = folder.filename().string();
  if (!is_name(name)) {
    fail_usage(
        "--model {}: its name would be '{}', but a name consists of letters, digits, '.', '_' and '-'; give one as "
        "--model NAME=DIR",
        text, name);
  }
  return {name, text};
}

ModelStore::ModelStore(std::vector<ModelPlace> places, Load load) : places_(std::move(places)), load_(std::move(load)) {
  for (size_t i = 0; i < places_.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (places_[i].name == places_[j].name) {
        fail_usage("--model: two models are named '{}'; give each its own name, --model NAME=DIR", places_[i].name);
      }
    }
  }
  for (const ModelPlace& place : places_) models_.push_back(this->load(place));
}

ServedModel ModelStore::load(const ModelPlace& place) const {
  // Before reading, so that a model which is replaced meanwhile is not taken for the newer one.
  const ModelFolder folder(place.folder);
  const std::time_t modified = std::max(written(folder.weights()), written(folder.linear()));
  return {place.name, load_(place.folder), modified};
}

std::optional<ServedModel> ModelStore::find(std::string_view name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const ServedModel& model : models_) {
    if (model.name == name) return model;
  }
  return std::nullopt;
}

std::vector<ServedModel> ModelStore::all() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return models_;
}

std::string ModelStore::names() const {
  std::vector<std::string> names;
  for (const ModelPlace& place : places_) names.push_back(place.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void ModelStore::reload(const Tell& tell) {
  for (size_t i = 0; i < places_.size(); ++i) {
    try {
      ServedModel fresh = load(places_[i]);
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::swap(models_[i], fresh);
      }
      tell(places_[i].name, "");
    } catch (const std::exception& error) {
      tell(places_[i].name, error.what());
    }
  }
}

}  // namespace otseq2set::inline serving
