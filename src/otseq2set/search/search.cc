#include "otseq2set/search/search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/machine.h"
#include "otseq2set/core/memory.h"
#include "otseq2set/core/shell_words.h"
#include "otseq2set/core/units.h"
#include "otseq2set/corpus/corpus.h"
#include "otseq2set/reproduction/jobs.h"
#include "otseq2set/reproduction/training_process.h"
#include "otseq2set/search/candidate_training.h"
#include "otseq2set/search/clock.h"
#include "otseq2set/search/halving.h"
#include "otseq2set/search/page.h"
#include "otseq2set/search/space.h"
#include "otseq2set/store/manifest.h"

namespace otseq2set::inline search {

namespace fs = std::filesystem;

namespace {

constexpr double kMemoryShare = 0.8;     // of what there is; the estimate is none of documents and programs beside
constexpr double kFirstShare = 2.0 / 3;  // of the time, for the given configuration if its epochs must be cut
constexpr double kOverTime = 1.03;       // a training that seemed to fit is stopped when it is later than that
constexpr size_t kKeptBesides = 4;       // models beyond the better half of a rung
constexpr std::chrono::milliseconds kBetweenLooks{500};

using Kind = SearchStep::Kind;

Json differing_settings(const Config& base, const Config& config) {
  Json settings = Json::object();
  for (const Field& field : fields()) {
    if (field.get(base) != field.get(config)) settings[field.key] = field.get(config);
  }
  return settings;
}

class Search {
 public:
  explicit Search(const SearchOptions& options)
      : options_(options), folder_(options.model + "/search"), network_(variant_of(options.base).network) {}

  void run() {
    refuse_other_model();
    create_folder(folder_);
    clock_.emplace(folder_);
    read_data();
    make_plan();
    JobsOptions jobs;
    jobs.stop = options_.stop;
    jobs.begins = [this](const Job& job) { begins(job); };
    jobs.ended = [this](const Job&) { report(); };
    std::optional<std::string> failure;
    jobs.failed = [&](const Job& job, const std::exception& error) { failure = job.name + ": " + error.what(); };
    JobRunner runner(jobs);
    bool waited = false;
    while (!fs::exists(refit_file())) {
      if (runner.stopped()) throw Interrupted("interrupted");
      std::vector<Job> open;
      const SearchState state = look();
      for (const SearchStep& step : next_steps(state)) open.push_back(job_of(step, state));
      const bool begun = runner.begin_one(open);
      if (failure) fail("{}", *failure);
      if (begun) continue;
      if (!waited) fmt::print(stderr, "waiting for other programs\n");
      waited = true;
      std::this_thread::sleep_for(kBetweenLooks);
    }
    report();
    std::error_code ignored;  // other programs do the same
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path() / "model", ignored);
    tell_end();
  }

 private:
  // --- what is searched

  void refuse_other_model() const {
    if (ModelFolder(options_.model).holds_model() && !fs::exists(plan_file())) {
      fail("{} contains a model that was not made by a search; choose another --model", options_.model);
    }
  }

  void read_data() {
    const Config& base = options_.base;
    fmt::print(stderr, "reading {}\n", options_.data.data);
    data_ = figures_of(read_training_corpus(options_.data, options_.valid,
                                            {base.text.tokenizer, SIZE_MAX, 1, SIZE_MAX, base.training.valid_fraction,
                                             static_cast<uint64_t>(base.training.seed)}));
    if (data_.valid_documents == 0) fail_usage("search needs validation documents: --valid or training.valid_fraction");
  }

  bool can_train(const Config& config, uint64_t memory) const {
    // The linear model that candidates share reads what the longest reader reads.
    const bool same_words = !has_linear(config) || config.model.max_words <= options_.base.linear.max_words;
    return same_words && (memory == 0 || training_memory(config, data_, options_.threads) <= memory);
  }

  // The plan is made once, and refused to who asks for another.
  void make_plan() {
    Json asked = {
        {"data", data_.fingerprint}, {"vectors", options_.vectors.empty() ? "" : file_fingerprint(options_.vectors)},
        {"metric", options_.metric}, {"seconds", options_.seconds},
        {"seed", options_.seed},     {"candidates", options_.candidates},
        {"fixed", options_.fixed},   {"configuration", otseq2set::to_json(options_.base)}};
    const FolderLock lock = lock_for_a_moment(folder_);
    if (!fs::exists(plan_file())) {
      const auto memory = static_cast<uint64_t>(kMemoryShare * static_cast<double>(available_memory()));
      const std::set<std::string>& fixed = options_.fixed;
      asked["networks"] = as_json(draw_candidates(options_.base, network_choices(options_.base, fixed, data_),
                                                  network_ && fixed.count("training.epochs") == 0, options_.seed,
                                                  network_ ? options_.candidates : 1,
                                                  [&](const Config& config) { return can_train(config, memory); }));
      std::vector<Candidate> linears = shuffled_candidates(linear_choices(options_.base, fixed), options_.seed);
      linears.resize(std::min(linears.size(), options_.candidates));
      asked["linears"] = as_json(linears);
      write_file(plan_file(), asked.dump(1) + "\n");
    }
    const Json plan = Json::parse(read_file(plan_file()));
    for (const auto& [key, value] : asked.items()) {
      if (plan.at(key) == value) continue;
      fail("{} was started with other {}; use what it was started with, or choose another --model", options_.model,
           key == "data"      ? "documents"
           : key == "seconds" ? "hours"
                              : key);
    }
    candidates_ = from_json(plan.at("networks"));
    linear_candidates_ = from_json(plan.at("linears"));
  }

  static Json as_json(const std::vector<Candidate>& candidates) {
    Json json = Json::array();
    for (const Candidate& candidate : candidates) {
      json.push_back({{"settings", candidate.settings}, {"epochs", candidate.epochs}});
    }
    return json;
  }

  static std::vector<Candidate> from_json(const Json& json) {
    std::vector<Candidate> candidates;
    for (const Json& candidate : json) candidates.push_back({candidate.at("settings"), candidate.at("epochs")});
    return candidates;
  }

  // --- files

  std::string plan_file() const { return folder_ + "/plan.json"; }
  std::string refit_file() const { return folder_ + "/refit/result.json"; }
  std::string winner_file() const { return folder_ + "/refit/winner.json"; }
  std::string choice_file() const { return folder_ + "/choice/result.json"; }
  static std::string name_of(Kind kind, size_t candidate) {
    return fmt::format("{}-{}", kind == Kind::kLinear ? "linear" : "network", candidate);
  }
  std::string folder_of(const std::string& name) const { return folder_ + "/" + name; }
  std::string result_of(const std::string& name, int64_t rung) const {
    return fmt::format("{}/rung-{}.json", folder_of(name), rung);
  }
  ModelFolder model_of(const std::string& name) const { return ModelFolder(folder_of(name) + "/model"); }

  // --- how it stands

  Standing standing_of(Kind kind, size_t number, const Candidate& candidate) const {
    const std::string name = name_of(kind, number);
    Standing standing{{}, candidate.epochs};
    if (!fs::exists(folder_of(name))) return standing;
    while (fs::exists(result_of(name, static_cast<int64_t>(standing.results.size())))) {
      const std::string path = result_of(name, static_cast<int64_t>(standing.results.size()));
      standing.results.push_back(rung_result_from(read_file(path), path));
    }
    standing.running = Claim::held(folder_of(name));
    standing.gone = !standing.results.empty() && !fs::exists(model_of(name).config());
    return standing;
  }

  SearchState look() const {
    SearchState state;
    state.now = clock_->seconds();
    state.budget = options_.seconds;
    state.refit_ratio = refit_ratio();
    state.network = network_;
    state.linear = has_linear(options_.base);
    if (network_) {
      for (size_t i = 0; i < candidates_.size(); ++i) {
        state.networks.push_back(standing_of(Kind::kNetwork, i, candidates_[i]));
      }
    }
    if (state.linear) {
      for (size_t i = 0; i < linear_candidates_.size(); ++i) {
        state.linears.push_back(standing_of(Kind::kLinear, i, linear_candidates_[i]));
      }
    }
    state.linear_chosen = fs::exists(choice_file());
    state.refit_begun = fs::exists(winner_file());
    return state;
  }

  double refit_ratio() const {
    return static_cast<double>(data_.documents + data_.valid_documents) / static_cast<double>(data_.documents);
  }

  // --- jobs

  Job job_of(const SearchStep& step, const SearchState& state) {
    switch (step.kind) {
      case Kind::kChooseLinear:
        return {"choice", folder_ + "/choice", choice_file(),
                [state](const std::atomic<bool>&) { return chosen_linear(state); }};
      case Kind::kRefit:
        return {"refit", folder_ + "/refit", refit_file(),
                [this, state](const std::atomic<bool>& lost) { return refit(state, lost); }};
      default: {
        const std::string name = name_of(step.kind, step.candidate);
        return {fmt::format("{}, rung {}", name, step.rung), folder_of(name), result_of(name, step.rung),
                [this, step, state](const std::atomic<bool>& lost) {
                  const RungResult result = step.kind == Kind::kLinear ? train_linear(step.candidate, lost)
                                                                       : train_network(step, state, lost);
                  tell_result(result);
                  return to_json(result).dump() + "\n";
                }};
      }
    }
  }

  static std::string chosen_linear(const SearchState& state) {
    std::vector<Trial> trials;
    for (const Standing& standing : state.linears) trials.push_back(standing.results);
    return Json{{"linear", best_of(trials).value_or(0)}}.dump() + "\n";
  }

  size_t linear_for(size_t candidate) const {
    return candidate == 0 ? 0 : Json::parse(read_file(choice_file())).at("linear").get<size_t>();
  }

  std::vector<std::string> train_command(const std::string& config_file, const std::string& model) const {
    std::vector<std::string> words = {options_.program, "train", "--resume"};
    const std::vector<std::string> data = data_words(options_.data, options_.valid);
    words.insert(words.end(), data.begin(), data.end());
    if (!options_.vectors.empty()) words.insert(words.end(), {"--vectors", options_.vectors});
    // A sixtieth of the time tells how fast a candidate is.
    const double checkpoint_minutes = std::min(options_.seconds / 3600, 2.0);
    words.insert(words.end(),
                 {"--config", config_file, "--model", model, "--metric", options_.metric, "--threads",
                  std::to_string(options_.threads), "--checkpoint-minutes", fmt::format("{}", checkpoint_minutes)});
    return words;
  }

  void save_config(const std::string& path, const Config& config) const {
    write_file(path, otseq2set::to_json(config).dump(2) + "\n");
  }

  // What was decided when the candidate was begun holds.
  Config config_of(const std::string& path, const std::function<Config()>& make) const {
    if (!fs::exists(path)) save_config(path, make());
    Config config;
    apply_json(config, Json::parse(read_file(path)), path);
    return config;
  }

  // The training of a program that was killed may still be saving its state.
  void wait_for(const std::string& model, const std::atomic<bool>& lost) const {
    create_folder(model);
    lock_unless(model, [&] { return stopped() || lost; });
  }

  RungResult train_linear(size_t number, const std::atomic<bool>& lost) {
    const std::string name = name_of(Kind::kLinear, number), folder = folder_of(name);
    const Config config = config_of(folder + "/config.json", [&] {
      Config linear = with_candidate(options_.base, linear_candidates_[number], options_.base.training.epochs);
      linear.variant = "linear";
      return linear;
    });
    RungResult result;
    result.trial = name;
    result.settings = linear_candidates_[number].settings;
    const double start = clock_->seconds();
    wait_for(folder + "/model", lost);
    bool late = false;
    const TrainingOutcome outcome = run_training(
        train_command(folder + "/config.json", folder + "/model"), folder + "/log.txt",
        [&] {
          late = late || (number > 0 && clock_->seconds() > kOverTime * options_.seconds);
          return stopped() || late;
        },
        [&] { return lost.load(); });
    finish(result, model_of(name), outcome, start, late, lost, /*must_succeed=*/number == 0);
    result.other_seconds = std::max(0.0, result.seconds - result.linear_seconds);
    return result;
  }

  RungResult train_network(const SearchStep& step, const SearchState& state, const std::atomic<bool>& lost) {
    const std::string name = name_of(Kind::kNetwork, step.candidate), folder = folder_of(name);
    const int64_t given_epochs =
        step.candidate == 0 ? options_.base.training.epochs : state.networks[0].results[0].all_epochs;
    Config config = config_of(folder + "/config.json", [&] {
      Config network = with_candidate(options_.base, candidates_[step.candidate], given_epochs);
      if (has_linear(options_.base)) {
        const Candidate& linear = linear_candidates_[linear_for(step.candidate)];
        network = with_candidate(network, {linear.settings}, network.training.epochs);
      }
      return network;
    });
    RungResult result;
    result.trial = name;
    result.rung = step.rung;
    const double start = clock_->seconds();
    wait_for(folder + "/model", lost);
    Watch watch{step, state, model_of(name), start};
    TrainingOutcome outcome = train_up_to_rung(folder, config, watch, lost);
    if (outcome.code == 0 && step.candidate == 0)
      takes_too_long(config, watch);  // it may have been too quick to be seen
    if (watch.shorter > 0 && !stopped() && !lost) {
      fmt::print(stderr, "== there is no time for the given {} epochs and as many again on all documents; using {}\n",
                 config.training.epochs, watch.shorter);
      config.training.epochs = watch.shorter;
      fs::remove_all(folder + "/model");
      save_config(folder + "/config.json", config);
      create_folder(folder + "/model");
      watch.start = clock_->seconds();
      watch.shorter = 0;
      watch.is_short = true;
      outcome = train_up_to_rung(folder, config, watch, lost);
    }
    result.settings = differing_settings(options_.base, config);
    result.all_epochs = config.training.epochs;
    finish(result, model_of(name), outcome, watch.start, watch.late, lost,
           /*must_succeed=*/step.candidate == 0 && step.rung == 0);
    const int64_t before = step.rung == 0 ? 0 : state.networks[step.candidate].results.back().epochs;
    const double trained = static_cast<double>(result.epochs - before) * result.epoch_seconds;
    result.other_seconds = std::max(0.0, result.seconds - trained);
    return result;
  }

  struct Watch {
    const SearchStep& step;
    const SearchState& state;
    ModelFolder model;
    double start;
    bool is_short = false;  // its epochs were cut already
    bool late = false;      // it was stopped because it takes too long
    int64_t shorter = 0;    // it was stopped to be begun anew with so many epochs
  };

  TrainingOutcome train_up_to_rung(const std::string& folder, const Config& config, Watch& watch,
                                   const std::atomic<bool>& lost) {
    const int64_t first_epochs =
        watch.step.candidate == 0 ? config.training.epochs : watch.state.networks[0].results[0].all_epochs;
    const int64_t epochs = epochs_at(watch.step.rung, ladder_rungs(first_epochs), config.training.epochs);
    std::vector<std::string> words = train_command(folder + "/config.json", folder + "/model");
    words.insert(words.end(), {"--stop-after", std::to_string(epochs)});
    if (has_linear(config)) {
      words.insert(words.end(),
                   {"--linear-from", model_of(name_of(Kind::kLinear, linear_for(watch.step.candidate))).path()});
    }
    return run_training(
        words, folder + "/log.txt", [&] { return stopped() || takes_too_long(config, watch); },
        [&] { return lost.load(); });
  }

  // Asked now and then while a candidate trains. What it decides is left in `watch`.
  bool takes_too_long(const Config& config, Watch& watch) const {
    if (watch.late || watch.shorter > 0) return true;
    const auto rate = measure_rate(watch.model, data_.documents, config.training.batch);
    if (!rate) return false;
    const double now = clock_->seconds();
    const auto epochs = static_cast<double>(config.training.epochs);
    RungResult known;
    known.step_seconds = rate->step_seconds;
    known.other_seconds = std::max(0.0, now - watch.start - rate->trained);
    if (has_linear(config)) known.linear_seconds = watch.state.linears[0].results[0].linear_seconds;
    if (watch.step.candidate > 0) {
      const double left = (epochs - static_cast<double>(rate->epochs)) * rate->epoch_seconds;
      const double once_more =
          std::max(reserve(watch.state), refit_seconds(known, config.training.epochs, refit_ratio()));
      // Inside an epoch it is not known how much of it is done: it counts as half.
      watch.late = now + left - rate->epoch_seconds / 2 + once_more > kOverTime * options_.seconds;
      return watch.late;
    }
    if (watch.step.rung > 0 || watch.is_short || options_.fixed.count("training.epochs") > 0) return false;
    const double all = epochs * rate->epoch_seconds + refit_seconds(known, config.training.epochs, refit_ratio());
    if (watch.start + all + known.other_seconds <= options_.seconds || config.training.epochs == 1) return false;
    const double free =
        kFirstShare * (options_.seconds - now) - 2 * known.other_seconds - refit_ratio() * known.linear_seconds;
    const double each = rate->epoch_seconds + refit_ratio() * rate->step_seconds;
    watch.shorter = std::clamp<int64_t>(static_cast<int64_t>(free / each), 1, config.training.epochs - 1);
    return true;
  }

  void finish(RungResult& result, const ModelFolder& model, const TrainingOutcome& outcome, double start, bool late,
              const std::atomic<bool>& lost, bool must_succeed) const {
    if (stopped() || lost) fail("interrupted");
    if (late) {
      result.failure = "there was no time for all of its epochs";
    } else if (outcome.code != 0) {
      result.failure = outcome.last_line.empty() ? fmt::format("ended with code {}", outcome.code) : outcome.last_line;
      if (must_succeed) fail("{}", result.failure.substr(result.failure.rfind("error: ", 0) == 0 ? 7 : 0));
    } else {
      read_training(model, options_.metric, result);
    }
    if (!result.value) fs::remove_all(model.path());
    result.at = clock_->seconds();
    result.seconds = result.at - start;
  }

  // --- the winner, on all documents

  // Who wins is written down before its training begins.
  Json winner(const SearchState& state) const {
    if (fs::exists(winner_file())) return Json::parse(read_file(winner_file()));
    const RungResult* best = best_result(state);
    if (best == nullptr) fail("no candidate could be trained");
    const bool in_time = state.now + reserve(state) <= kOverTime * state.budget;
    Json json = {{"trial", best->trial},  {"epochs", best->epochs},     {"best_epoch", best->best_epoch},
                 {"value", *best->value}, {"settings", best->settings}, {"refit", in_time}};
    write_file(winner_file(), json.dump(2) + "\n");
    return json;
  }

  std::string refit(const SearchState& state, const std::atomic<bool>& lost) {
    Json result = winner(state);
    const std::string trial = result.at("trial"), config_file = folder_ + "/refit/config.json";
    const double start = clock_->seconds();
    wait_for(options_.model, lost);
    if (result.at("refit") == false) {
      fmt::print(stderr, "== there is no time to train on all documents; keeping the model as chosen\n");
      copy_model(model_of(trial), ModelFolder(options_.model));
    } else {
      Config config;
      apply_json(config, Json::parse(read_file(folder_of(trial) + "/config.json")), trial);
      config.training.refit = true;
      save_config(config_file, config);
      // What is chosen is there; `train` goes on from it.
      fs::remove_all(ModelFolder(options_.model).selection().path());
      copy_model(model_of(trial), ModelFolder(options_.model).selection());
      const TrainingOutcome outcome = run_training(
          train_command(config_file, options_.model), folder_ + "/refit/log.txt", [this] { return stopped(); },
          [&] { return lost.load(); });
      if (stopped() || lost) fail("interrupted");
      if (outcome.code != 0) fail("{}", outcome.last_line);
    }
    result["at"] = clock_->seconds();
    result["seconds"] = clock_->seconds() - start;
    return result.dump(2) + "\n";
  }

  // Without its state: it is not to go on. config.json last, which makes it a model.
  void copy_model(const ModelFolder& from, const ModelFolder& to) const {
    create_folder(to.path());
    begin_anew(to);
    for (std::string (ModelFolder::*file)() const :
         {&ModelFolder::words, &ModelFolder::labels, &ModelFolder::weights, &ModelFolder::linear,
          &ModelFolder::linear_times, &ModelFolder::joining, &ModelFolder::last, &ModelFolder::set_rule,
          &ModelFolder::metrics, &ModelFolder::log, &ModelFolder::config}) {
      if (fs::exists((from.*file)())) take_over(from, (from.*file)(), to, (to.*file)());
    }
  }

  // --- what people see

  bool stopped() const { return options_.stop != nullptr && *options_.stop; }

  std::string time_text() const {
    return fmt::format("{} of {}", format_duration(clock_->seconds()), format_duration(options_.seconds));
  }

  void begins(const Job& job) const {
    if (job.name == "choice") return;
    fmt::print(stderr, "== {} ({})\n", job.name, time_text());
  }

  void tell_result(const RungResult& result) const {
    if (!result.value) {
      fmt::print(stderr, "== {}: {}\n", result.trial, result.failure);
      return;
    }
    const std::string epochs =
        result.epochs == 0 ? "" : fmt::format(" after {} of {} epochs", result.epochs, result.all_epochs);
    fmt::print(stderr, "== {}: {} {:.4f}{}, {}\n", result.trial, options_.metric, *result.value, epochs,
               format_duration(result.seconds));
  }

  std::vector<RungResult> all_results(const SearchState& state) const {
    std::vector<RungResult> results;
    for (const auto* standings : {&state.linears, &state.networks}) {
      for (const Standing& standing : *standings) {
        results.insert(results.end(), standing.results.begin(), standing.results.end());
      }
    }
    std::stable_sort(results.begin(), results.end(),
                     [](const RungResult& a, const RungResult& b) { return a.at < b.at; });
    return results;
  }

  std::string command_for(const Json& winner) const {
    std::vector<std::string> words = {"otseq2set", "train"};
    const auto add = [&](const std::vector<std::string>& more) { words.insert(words.end(), more.begin(), more.end()); };
    add(data_words(options_.data, options_.valid));
    if (!options_.vectors.empty()) add({"--vectors", options_.vectors});
    add(options_.config_words);
    for (const auto& [key, value] : winner.at("settings").items()) {
      add({"--set", key + "=" + setting_text(value)});
    }
    const Json& settings = winner.at("settings");
    const int64_t all_epochs = settings.value("training.epochs", options_.base.training.epochs);
    const int64_t epochs = winner.at("epochs");
    if (epochs > 0 && epochs < all_epochs) add({"--stop-after", std::to_string(epochs)});
    if (options_.metric != "micro-F1") add({"--metric", options_.metric});
    if (winner.at("refit")) add({"--refit"});
    add({"--model", "MODEL"});
    return shell_line(words);
  }

  void report() const {
    const SearchState state = look();
    prune(state);
    SearchFindings findings;
    findings.results = all_results(state);
    findings.base = otseq2set::to_json(options_.base);
    findings.metric = options_.metric;
    findings.command = options_.command;
    findings.seconds = options_.seconds;
    findings.documents = data_.documents;
    findings.valid_documents = data_.valid_documents;
    findings.data = fs::path(options_.data.data).filename().string();
    if (fs::exists(winner_file())) {
      const Json chosen = Json::parse(read_file(fs::exists(refit_file()) ? refit_file() : winner_file()));
      findings.winner = chosen.at("trial");
      findings.winner_command = command_for(chosen);
      if (fs::exists(refit_file())) findings.ended_at = chosen.at("at").get<double>();
      findings.refitted = chosen.at("refit");
    }
    std::string table;
    for (const RungResult& result : findings.results) table += to_json(result).dump() + "\n";
    const SearchPage page = make_search_page(findings);
    for (const std::string& warning : page.warnings) fmt::print(stderr, "warning: {}\n", warning);
    const FolderLock lock = lock_for_a_moment(folder_);
    write_file(options_.model + "/search.jsonl", table);
    write_file(options_.model + "/search.html", page.html);
  }

  // Models that will hardly be promoted any more take room on the disk.
  void prune(const SearchState& state) const {
    const RungResult* best = best_result(state);
    std::vector<std::vector<size_t>> on_rung;
    for (size_t i = 1; i < state.networks.size(); ++i) {
      const Standing& standing = state.networks[i];
      if (standing.running || standing.gone || !value_of(standing.results)) continue;
      const size_t rung = standing.results.size() - 1;
      if (on_rung.size() <= rung) on_rung.resize(rung + 1);
      on_rung[rung].push_back(i);
    }
    for (std::vector<size_t>& numbers : on_rung) {
      const auto value = [&](size_t i) { return *value_of(state.networks[i].results); };
      std::stable_sort(numbers.begin(), numbers.end(), [&](size_t a, size_t b) { return value(a) > value(b); });
      for (size_t place = numbers.size() / 2 + kKeptBesides; place < numbers.size(); ++place) {
        const std::string name = name_of(Kind::kNetwork, numbers[place]);
        if (best != nullptr && best->trial == name) continue;
        const auto claim = Claim::take(folder_of(name));
        if (claim) fs::remove_all(model_of(name).path());
      }
    }
  }

  void tell_end() const {
    const Json chosen = Json::parse(read_file(refit_file()));
    fmt::print(stderr, "{}: {} is the best, {} {:.4f} on {} validation documents, {}\n{}/search.html\n", options_.model,
               chosen.at("trial").get<std::string>(), options_.metric, chosen.at("value").get<double>(),
               data_.valid_documents, time_text(), options_.model);
  }

  const SearchOptions& options_;
  std::string folder_;
  bool network_;
  std::optional<SearchClock> clock_;
  DataFigures data_;
  std::vector<Candidate> candidates_, linear_candidates_;
};

}  // namespace

void run_search(const SearchOptions& options) { Search(options).run(); }

}  // namespace otseq2set::inline search
