#include "otseq2set/search/candidate_training.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/child_process.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/safetensors.h"

namespace otseq2set::inline search {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kLeastBatches = 10;  // that tell how fast the others will be
constexpr std::chrono::seconds kBetweenQuestions{1};

std::vector<Json> read_log(const ModelFolder& folder) {
  std::vector<Json> entries;
  if (!fs::exists(folder.log())) return entries;
  std::istringstream lines(read_file(folder.log()));
  for (std::string line; std::getline(lines, line);) entries.push_back(Json::parse(line));
  return entries;
}

TrainingRate rate_of(const std::vector<Json>& log) {
  TrainingRate rate{static_cast<int64_t>(log.size())};
  for (const Json& epoch : log) {
    rate.trained += epoch.at("seconds").get<double>();
    rate.step_seconds += epoch.at("training_seconds").get<double>() / static_cast<double>(log.size());
  }
  rate.epoch_seconds = rate.trained / static_cast<double>(log.size());
  return rate;
}

double linear_seconds_of(const ModelFolder& folder) {
  if (!fs::exists(folder.linear_times())) return 0;
  return Json::parse(read_file(folder.linear_times())).at("seconds");
}

}  // namespace

std::optional<TrainingRate> measure_rate(const ModelFolder& folder, uint64_t documents, int64_t batch) {
  try {
    const std::vector<Json> log = read_log(folder);
    if (!log.empty()) return rate_of(log);
    if (!fs::exists(folder.state())) return std::nullopt;
    const Json position = Json::parse(SafetensorsOnDisk(folder.state()).metadata().at("position"));
    const int64_t done = position.at("batches_done");
    if (done < kLeastBatches) return std::nullopt;
    const double batches = std::ceil(static_cast<double>(documents) / static_cast<double>(batch));
    const double trained = position.at("seconds"), seconds = trained * batches / static_cast<double>(done);
    return TrainingRate{0, seconds, seconds, trained};
  } catch (const std::exception&) {  // a file that is being replaced
    return std::nullopt;
  }
}

void read_training(const ModelFolder& folder, const std::string& metric, RungResult& result) {
  const Json rule = Json::parse(read_file(folder.set_rule()));
  if (rule.at("measure") != metric) fail("{}: not the best in {}", folder.set_rule(), metric);
  result.value = rule.at("value").get<double>();
  result.linear_seconds = linear_seconds_of(folder);
  const std::vector<Json> log = read_log(folder);
  if (log.empty()) return;
  const TrainingRate rate = rate_of(log);
  result.epochs = rate.epochs;
  result.epoch_seconds = rate.epoch_seconds;
  result.step_seconds = rate.step_seconds;
  result.best_epoch = Json::parse(read_file(folder.metrics())).at("best_epoch");
}

TrainingOutcome run_training(const std::vector<std::string>& words, const std::string& log_file,
                             const std::function<bool()>& stop, const std::function<bool()>& abort) {
  using Clock = std::chrono::steady_clock;
  NamelessFile messages;
  auto asked = Clock::now();
  const auto ask = [&] {
    if (Clock::now() - asked < kBetweenQuestions) return false;
    asked = Clock::now();
    return stop();
  };
  TrainingOutcome outcome;
  outcome.code = run_child(words, {.file = "/proc/self/exe", .stop = ask, .abort = abort, .err = &messages});
  std::string text;
  messages.read([&](std::string_view bytes) { text += bytes; });
  write_file(log_file, (fs::exists(log_file) ? read_file(log_file) : "") + text);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  outcome.last_line = text.substr(text.rfind('\n') + 1);
  return outcome;
}

}  // namespace otseq2set::inline search
