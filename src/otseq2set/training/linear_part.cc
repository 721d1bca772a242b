#include "otseq2set/training/linear_part.h"

#include <chrono>
#include <filesystem>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/memory.h"
#include "otseq2set/core/units.h"
#include "otseq2set/linear/train_linear.h"
#include "otseq2set/store/manifest.h"
#include "otseq2set/training/tell.h"

namespace otseq2set::inline training {

namespace {

constexpr double kSecondsBetweenLines = 10;

Json settings_of_linear(const Config& config) {
  Json json = to_json(config).at("linear");
  json.erase("hybrid");
  json["seed"] = config.training.seed;
  return json;
}

void take_over_linear(const TrainingOptions& options, const ModelFolder& folder, const ModelDescription& description) {
  const ModelFolder from(options.linear_from);
  const ModelDescription other = load_description(from);
  if (!std::filesystem::exists(from.linear())) fail("{} has no linear model", from.path());
  if (other.quantised) fail("{}: its linear model is quantised, which is for prediction alone", from.path());
  if (other.data.fingerprint != description.data.fingerprint ||
      settings_of_linear(other.config) != settings_of_linear(description.config)) {
    fail("{}: its linear model was trained on other documents or with other settings", from.path());
  }
  take_over(from, from.linear_times(), folder, folder.linear_times());
  take_over(from, from.linear(), folder, folder.linear());
  tell(options, "linear model: copied from {}", from.path());
}

}  // namespace

void train_linear_part(const TrainingOptions& options, const ModelFolder& folder, const ModelDescription& description,
                       const Dataset& train) {
  if (std::filesystem::exists(folder.linear())) return;
  if (!options.linear_from.empty()) return take_over_linear(options, folder, description);
  const auto start = std::chrono::steady_clock::now();
  auto told = start;
  const auto progress = [&](size_t done, size_t total) {
    if (options.stop && options.stop()) throw Interrupted("the linear model, which takes minutes, has to begin again");
    if (seconds_since(told) < kSecondsBetweenLines) return;
    told = std::chrono::steady_clock::now();
    const double left = seconds_since(start) * static_cast<double>(total - done) / static_cast<double>(done);
    tell(options, "linear model: {} of {} classifiers, {} left", done, total, format_duration(left));
  };
  const LinearModel model = train_linear(train, description.words.ids(), description.config.linear,
                                         static_cast<uint64_t>(description.config.training.seed), progress);
  const double seconds = seconds_since(start);
  write_file(vouched(folder, folder.linear_times()),
             Json{{"seconds", seconds}, {"peak_memory_bytes", peak_resident_memory()}}.dump(2) + "\n");
  model.save(vouched(folder, folder.linear()));
  tell(options, "linear model: {} words and word pairs, {} weights, {}", model.features().size(), model.weights(),
       format_duration(seconds));
}

void finish_linear(const ModelFolder& folder, const ModelDescription& description) {
  const Json metrics = {{"documents", description.data.documents},
                        {"valid_documents", description.data.valid_documents}};
  write_file(vouched(folder, folder.metrics()), metrics.dump(2) + "\n");
}

}  // namespace otseq2set::inline training
