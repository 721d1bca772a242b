#include "otseq2set/reproduction/reproduction.h"

#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/child_process.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/machine.h"
#include "otseq2set/core/random.h"
#include "otseq2set/core/units.h"
#include "otseq2set/corpus/corpus.h"
#include "otseq2set/report/results_json.h"
#include "otseq2set/report/write_report.h"
#include "otseq2set/reproduction/data_result.h"
#include "otseq2set/reproduction/fasttext.h"
#include "otseq2set/reproduction/jobs.h"
#include "otseq2set/reproduction/measure_model.h"
#include "otseq2set/reproduction/peer.h"
#include "otseq2set/reproduction/training_process.h"

namespace otseq2set::inline reproduction {

namespace fs = std::filesystem;

namespace {

constexpr int kMeasuring = 3;  // raised when the same model would be measured differently: then it is again

class Reproduction {
 public:
  explicit Reproduction(const ReproduceOptions& options)
      : options_(options),
        plan_(make_plan(options.plan)),
        corpus_(read_corpus()),
        test_(read_test()),
        train_figures_(data_result(options.data.data, corpus_.train)),
        valid_figures_(data_result(options.valid ? options.valid->data : options.data.data, corpus_.valid)),
        test_figures_(data_result(options.test.data, test_)) {}

  void run() {
    create_folder(options_.out);
    check_data();
    check_configs();
    for (const PeerFiles& peer : options_.peers) peers_.push_back(measure_files(peer));
    make_jobs();
    std::vector<Job> jobs;
    for (const SystemJob& job : jobs_) jobs.push_back(job.job);
    JobsOptions options;
    options.stop = options_.stop;
    options.begins = [this](const Job& job) { begins(job); };
    options.ended = [this](const Job& job) { ended(job); };
    options.failed = [](const Job& job, const std::exception& error) {
      fmt::print(stderr, "{} failed: {}\n", job.name, error.what());
    };
    options.waits = [](size_t count) { fmt::print(stderr, "waiting for {} runs of other programs\n", count); };
    const size_t failed = run_jobs(jobs, options);
    if (stopped()) throw Interrupted("interrupted");
    report();
    fmt::print(stderr, "{}/report.html\n", options_.out);
    if (failed > 0) fail("{} of {} runs failed; the report covers the others", failed, jobs.size());
  }

 private:
  struct SystemJob {
    std::vector<size_t> systems;
    Job job;
  };

  // With all words: for the figures of the data, and for other tools.
  Corpus read_corpus() const {
    const Config& base = options_.plan.base;
    fmt::print(stderr, "reading {}\n", options_.data.data);
    return read_training_corpus(options_.data, options_.valid,
                                {base.text.tokenizer, SIZE_MAX, 1, SIZE_MAX, base.training.valid_fraction,
                                 static_cast<uint64_t>(options_.plan.seeds.front())});
  }

  Dataset read_test() const {
    const auto tokenizer = Tokenizer::make(options_.plan.base.text.tokenizer);
    return read_dataset(options_.test, *tokenizer, corpus_.words, corpus_.labels, SIZE_MAX);
  }

  // A folder belongs to one training and validation set and one file of word vectors; other test documents
  // are only measured anew.
  void check_data() {
    const std::string path = options_.out + "/data.json";
    if (!options_.vectors.empty()) vectors_ = file_fingerprint(options_.vectors);
    const Json now = {
        {"train", train_figures_.fingerprint}, {"valid", valid_figures_.fingerprint}, {"vectors", vectors_}};
    const auto lock = lock_folder();
    if (!fs::exists(path)) {
      write_file(path, now.dump(2) + "\n");
    } else if (Json::parse(read_file(path), nullptr, false) != now) {
      fail(
          "{} contains runs with other data, word vectors, tokenizer, held-out share or first seed; choose another "
          "--out",
          options_.out);
    }
  }

  FolderLock lock_folder() const { return lock_for_a_moment(options_.out); }

  std::string run_folder(const std::string& name) const { return options_.out + "/runs/" + name; }

  // Another test file, beam or version makes another result of the same model, and other predictions.
  std::string measured_file(const std::string& name, const char* kind, const char* extension) const {
    const std::string bytes =
        fmt::format("{} {} {} {}", test_figures_.fingerprint, options_.beam, kResultsFormat, kMeasuring);
    return fmt::format("{}/{}-{:08x}.{}", run_folder(name), kind, static_cast<uint32_t>(hash_bytes(bytes) >> 32),
                       extension);
  }
  std::string result_file(const std::string& name) const { return measured_file(name, "result", "json"); }
  std::string prediction_file(const std::string& name) const { return measured_file(name, "predictions", "jsonl"); }

  // Before hours are spent: does every folder that is there belong to the run of its name?
  void check_configs() const {
    for (const PlannedRun& run : plan_.runs) {
      const std::string path = run_folder(run.name) + "/config.json";
      if (!fs::exists(path)) continue;
      Config before;
      apply_json(before, Json::parse(read_file(path)), path);
      const auto changed = differences(before, run.config);
      if (!changed.empty()) {
        fail("{} was run with other settings: {}; choose another --out", run_folder(run.name),
             fmt::join(changed, "; "));
      }
    }
  }

  void make_jobs() {
    for (const PlannedRun& run : plan_.runs) {
      add_job(run.name, run.systems, [this, &run](const std::atomic<bool>& lost) { return to_json(train(run, lost)); });
    }
    if (!options_.fasttext) return;
    SystemResult system;
    system.name = "fasttext";
    system.title = "fastText";
    system.kind = SystemResult::Kind::kPeer;
    plan_.systems.push_back(system);
    for (const int64_t seed : options_.plan.seeds) {
      const std::string name = fmt::format("fasttext-seed{}", seed);
      add_job(name, {plan_.systems.size() - 1}, [this, name, seed](const std::atomic<bool>& lost) {
        return to_json(run_fasttext(corpus_, test_,
                                    {run_folder(name), prediction_file(name), seed, options_.threads,
                                     options_.plan.base.evaluation, options_.stop, &lost}));
      });
    }
  }

  void add_job(const std::string& name, const std::vector<size_t>& systems,
               std::function<std::string(const std::atomic<bool>&)> work) {
    jobs_.push_back({systems, {name, run_folder(name), result_file(name), std::move(work)}});
  }

  std::vector<std::string> train_command(const PlannedRun& run) const {
    const std::string folder = run_folder(run.name);
    std::vector<std::string> words = {options_.program, "train", "--resume"};
    const std::vector<std::string> data = data_words(options_.data, options_.valid);
    words.insert(words.end(), data.begin(), data.end());
    const auto add = [&](const char* option, const std::string& value) {
      if (!value.empty()) words.insert(words.end(), {option, value});
    };
    add("--vectors", options_.vectors);
    add("--config", folder + "/config.json");
    add("--model", folder + "/model");
    add("--threads", std::to_string(options_.threads));
    add("--checkpoint-minutes", fmt::format("{}", options_.checkpoint_minutes));
    return words;
  }

  RunResult train(const PlannedRun& run, const std::atomic<bool>& lost) const {
    const std::string folder = run_folder(run.name);
    write_file(folder + "/config.json", Json(to_json(run.config)).dump(2) + "\n");
    // The training of a program that was killed may still be saving its state.
    create_folder(folder + "/model");
    lock_unless(folder + "/model", [&] { return stopped() || lost; });
    // This very program, even when its file has been replaced meanwhile.
    const int code = run_child(
        train_command(run),
        {.file = "/proc/self/exe", .stop = [this] { return stopped(); }, .abort = [&lost] { return lost.load(); }});
    if (stopped() || lost) fail("interrupted");
    if (code != 0) fail("training ended with code {}", code);
    return measure_model(ModelFolder(folder + "/model"), options_.test, options_.beam, prediction_file(run.name));
  }

  bool stopped() const { return options_.stop != nullptr && *options_.stop; }

  size_t done() const {
    size_t count = 0;
    for (const SystemJob& job : jobs_) count += job.job.done();
    return count;
  }

  // From the runs that are done, by whomever, for all programs that are at work.
  std::string time_left() const {
    double seconds = 0;
    size_t known = 0, open = 0, at_work = 0;
    for (const SystemJob& job : jobs_) {
      if (!job.job.done()) {
        ++open;
        at_work += Claim::held(job.job.folder);
        continue;
      }
      const RunResult run = run_from_json(read_file(job.job.result), job.job.result);
      if (!run.training_seconds) continue;
      seconds += *run.training_seconds;
      ++known;
    }
    if (known == 0) return "time left is unknown until the first run ends";
    const double each = seconds / static_cast<double>(known);
    const auto together = static_cast<double>(std::max<size_t>(at_work, 1));
    return fmt::format("about {} left", format_duration(each * std::ceil(static_cast<double>(open) / together)));
  }

  void begins(const Job& job) {
    fmt::print(stderr, "== {} ({} of {} runs done, {})\n", job.name, done(), jobs_.size(), time_left());
  }

  void ended(const Job& job) {
    const RunResult run = run_from_json(read_file(job.result), job.result);
    std::string sets;
    for (const SetResult& set : run.sets) sets += fmt::format(" {} {:.2f}", set.name, 100 * set.micro_f1);
    fmt::print(stderr, "== {}: micro-F1{}\n", job.name, sets);
    try {
      report();
    } catch (const std::exception& error) {
      fmt::print(stderr, "warning: no report for now: {}\n", error.what());
    }
  }

  Results collect() const {
    Results results;
    results.command = options_.command;
    results.program_version = OTSEQ2SET_VERSION;
    results.machine = machine_description();
    if (!options_.vectors.empty()) {
      results.vectors = fmt::format("{} {}", fs::path(options_.vectors).filename().string(), vectors_);
    }
    results.train = train_figures_;
    results.valid = valid_figures_;
    results.test = test_figures_;
    results.systems = plan_.systems;
    results.seeds = options_.plan.seeds;
    results.runs_planned = jobs_.size();
    for (const SystemJob& job : jobs_) {
      if (!job.job.done()) continue;
      const RunResult run = run_from_json(read_file(job.job.result), job.job.result);
      ++results.runs_done;
      for (const size_t system : job.systems) results.systems[system].runs.push_back(run);
    }
    results.systems.insert(results.systems.end(), peers_.begin(), peers_.end());
    return results;
  }

  SystemResult measure_files(const PeerFiles& peer) const {
    Dataset test = test_, valid = corpus_.valid;  // unknown labels are added
    const std::string& names =
        options_.prediction_labels.empty() ? options_.data.label_names : options_.prediction_labels;
    const Rankings on_test = read_rankings(peer.test, corpus_.labels, names, test);
    Rankings on_valid;
    if (!peer.valid.empty()) on_valid = read_rankings(peer.valid, corpus_.labels, names, valid);
    std::optional<RankedDocuments> chosen_on;
    if (!peer.valid.empty()) chosen_on.emplace(RankedDocuments{valid, on_valid});
    SystemResult system;
    system.name = system.title = peer.name;
    system.kind = SystemResult::Kind::kPeer;
    system.runs.push_back(measure_peer({test, on_test}, chosen_on, corpus_, options_.plan.base.evaluation));
    return system;
  }

  void report() const {
    const FolderLock lock = lock_folder();
    ReportOptions options;
    options.compare_paper = options_.compare_paper;
    options.title = options_.title;
    for (const std::string& warning : write_report(collect(), options_.out, options)) {
      fmt::print(stderr, "warning: {}\n", warning);
    }
  }

  const ReproduceOptions& options_;
  Plan plan_;
  Corpus corpus_;
  Dataset test_;
  DataResult train_figures_, valid_figures_, test_figures_;
  std::vector<SystemResult> peers_;  // measured before hours are spent on training
  std::vector<SystemJob> jobs_;
  std::string vectors_;  // fingerprint; empty when there are none
};

}  // namespace

PeerFiles parse_peer_files(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    fail_usage("--predictions {}: expected NAME=TEST or NAME=TEST,VALID", text);
  }
  const std::string files = text.substr(equals + 1);
  const size_t comma = files.find(',');
  return {text.substr(0, equals), files.substr(0, comma), comma == std::string::npos ? "" : files.substr(comma + 1)};
}

void reproduce(const ReproduceOptions& options) { Reproduction(options).run(); }

}  // namespace otseq2set::inline reproduction
