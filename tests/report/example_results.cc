#include "report/example_results.h"

#include <algorithm>
#include <cmath>

#include "otseq2set/core/random.h"

namespace otseq2set::testing {

namespace {

using Kind = SystemResult::Kind;

constexpr uint64_t kDocuments = 5200;
constexpr int kLargestSet = 16;

// How a system does, from which everything else follows.
struct Skill {
  double p, r;      // of greedy sets
  double tail;      // F1 of rare labels against frequent ones, 0 .. 1
  double boldness;  // predicted labels a true one, for large sets
  double loss;      // after the last epoch
};

double f1_of(double p, double r) { return 2 * p * r / (p + r); }

// In [-1, 1], by name and position.
double noise(const std::string& name, uint64_t seed, uint64_t place) {
  return RandomStream(seed, "noise " + name, {place}).uniform() * 2 - 1;
}

double share_of_size(int size) { return std::exp(-std::pow((size - 3.6) / 2.6, 2) / 2) + 0.02 * (size < 13); }

std::vector<uint64_t> documents_with_size(uint64_t documents) {
  double sum = 0;
  for (int size = 1; size <= kLargestSet; ++size) sum += share_of_size(size);
  std::vector<uint64_t> counts(kLargestSet + 1, 0);
  for (int size = 1; size <= kLargestSet; ++size)
    counts[size] = static_cast<uint64_t>(share_of_size(size) / sum * static_cast<double>(documents));
  return counts;
}

DataResult data(const std::string& name, const std::string& fingerprint, uint64_t documents) {
  DataResult data;
  data.name = name;
  data.fingerprint = fingerprint;
  data.labels = 612;
  data.most_labels = kLargestSet;
  data.mean_words = 71.4;
  data.documents_with_size = documents_with_size(documents);
  uint64_t sum = 0, at_most_mean = 0;
  for (size_t size = 0; size < data.documents_with_size.size(); ++size) {
    data.documents += data.documents_with_size[size];
    sum += size * data.documents_with_size[size];
  }
  data.mean_labels = static_cast<double>(sum) / static_cast<double>(data.documents);
  for (size_t size = 0; size <= data.mean_labels; ++size) at_most_mean += data.documents_with_size[size];
  data.share_at_most_mean = static_cast<double>(at_most_mean) / static_cast<double>(data.documents);
  return data;
}

SetResult set_of(const std::string& name, const std::string& rule, const Skill& skill) {
  SetResult set;
  set.name = name;
  set.rule = rule;
  set.micro_p = skill.p;
  set.micro_r = skill.r;
  set.micro_f1 = f1_of(skill.p, skill.r);
  set.macro_f1 = set.micro_f1 * skill.tail * 0.8;
  set.weighted_f1 = set.micro_f1 - 0.012;
  set.example_f1 = set.micro_f1 + 0.008;
  set.mean_predicted_labels = 4.4 * skill.r / skill.p;
  const uint64_t bounds[] = {0, 1, 5, 20, 100, 500, 2000};
  for (size_t band = 0; band < 7; ++band) {
    const double height = set.micro_f1 * (skill.tail + (1.25 - skill.tail) * static_cast<double>(band) / 6);
    set.by_frequency.push_back({bounds[band],
                                band == 0   ? 0
                                : band == 6 ? 9123
                                            : bounds[band + 1] - 1,
                                band == 0 ? 11U : 240U >> band, band == 0 ? 0 : height, band == 0 ? 0 : height * 0.93});
  }
  const std::vector<uint64_t> truths = documents_with_size(kDocuments);
  for (size_t size = 0; size < truths.size(); ++size) {
    const double predicted = size == 0 ? 0 : 1.2 + skill.boldness * (static_cast<double>(size) - 1);
    const auto likely = static_cast<uint64_t>(std::lround(static_cast<double>(size) / (0.4 + 0.6 * skill.boldness)));
    set.sizes.push_back({size, truths[size], likely < truths.size() ? truths[likely] : 0, predicted});
  }
  return set;
}

std::vector<CalibrationBin> calibration_of(double excess) {
  std::vector<CalibrationBin> bins;
  for (int i = 0; i < 10; ++i) {
    const double score = 0.1 * i + 0.05;
    bins.push_back({0.1 * i, 0.1 * (i + 1), static_cast<uint64_t>(2400 - 180 * i + (i > 7 ? 3000 : 0)), score,
                    std::clamp(score - excess * std::sin(score * 3.14159), 0.0, 1.0)});
  }
  return bins;
}

std::vector<RankingMetrics> rankings_of(double f1) {
  return {{1, f1 + 0.20, 0.19, f1 + 0.20, f1 - 0.17, f1 - 0.17},
          {3, f1 + 0.09, 0.45, f1 + 0.13, f1 - 0.10, f1 - 0.12},
          {5, f1 - 0.04, 0.60, f1 + 0.10, f1 - 0.04, f1 - 0.07}};
}

RunResult run_of(const std::string& name, int64_t seed, Skill skill, const Results& results) {
  skill.p += 0.004 * noise(name, seed, 0);
  skill.r += 0.004 * noise(name, seed, 1);
  RunResult run;
  run.seed = seed;
  run.data_fingerprint = results.train.fingerprint;
  run.program_version = results.program_version;
  run.machine = results.machine;
  run.config = {{"variant", name.substr(0, name.find(' '))},
                {"model", {{"hidden", 128}, {"max_words", 100}, {"steps", 16}}},
                {"loss", {{"lambda", 8}, {"lambda_empty", 0.2}, {"scheme", "first_n"}}},
                {"training", {{"epochs", 6}, {"batch", 32}, {"learning_rate", 0.002}, {"seed", seed}}}};
  const bool convolves = name.find("lc") != std::string::npos || name.find("otseq2set") == 0;
  const bool transports = name.find("ot") != std::string::npos;
  run.parameters = 2'412'804 + (convolves ? 171'520 : 0);
  run.times = TimeSplit{convolves ? 410.0 : 330.0, 260, transports ? 220.0 : 40.0 + skill.loss, 70};
  run.training_seconds = run.times->encoder + run.times->decoder + run.times->loss + run.times->optimiser + 31;
  run.documents_per_second = 6 * 41000 / *run.training_seconds;
  run.peak_memory_bytes = 1'320'000'000 + (convolves ? 210'000'000 : 0);
  const double f1 = f1_of(skill.p, skill.r);
  for (int64_t epoch = 1; epoch <= 6; ++epoch) {
    const double left = std::exp(-0.7 * static_cast<double>(epoch));
    run.curve.push_back({epoch, skill.loss * (1 + 3 * left), f1 * (1 - 0.8 * left) + 0.002 * noise(name, seed, epoch),
                         *run.training_seconds / 6});
  }
  run.sets.push_back(set_of("greedy", "", skill));
  Skill tuned = skill;
  tuned.p -= 0.035;
  tuned.r += 0.062;
  run.sets.push_back(set_of("tuned", "score of at least 0.31", tuned));
  run.at = rankings_of(f1);
  run.calibration = calibration_of(transports ? 0.06 : 0.17);
  return run;
}

SystemResult system_of(const std::string& name, const std::string& title, Kind kind, const Skill& skill,
                       const Results& results) {
  SystemResult system;
  system.name = name;
  system.title = title;
  system.kind = kind;
  if (kind == Kind::kOwn) system.scheme = "first_n";
  for (int64_t seed : {1, 2}) system.runs.push_back(run_of(name, seed, skill, results));
  return system;
}

SystemResult fasttext(const Results& results) {
  SystemResult system;
  system.name = system.title = "fastText";
  system.kind = Kind::kPeer;
  RunResult run;
  run.machine = results.machine;
  run.training_seconds = 412;
  run.sets.push_back(set_of("best k", "the 4 best", {0.53, 0.50, 0.35, 0.1, 0}));
  run.sets.push_back(set_of("best threshold", "score of at least 0.24", {0.63, 0.563, 0.35, 0.6, 0}));
  run.at = rankings_of(0.585);
  run.calibration = calibration_of(-0.09);
  system.runs.push_back(run);
  return system;
}

}  // namespace

Results example_results() {
  Results results;
  results.command =
      "otseq2set reproduce --data debtags.train.jsonl --test debtags.test.jsonl --out comparison --preset "
      "debtags "
      "--seeds 1,2 --sweep loss.lambda=0,2,4,8,16 --with fasttext --compare paper";
  results.program_version = "0.1.0";
  results.machine = "AMD EPYC 7B13, 2 cores, 24 GB";
  results.train = data("debtags.train.jsonl", "5f1c09ab77e2d1c4", 41000);
  results.valid = data("debtags.train.jsonl (held out)", "0b4413a0e9c2bb18", 4500);
  results.test = data("debtags.test.jsonl", "a37be0d24417c96f", kDocuments);

  const auto add = [&](const char* name, const char* title, Kind kind, const Skill& skill) {
    results.systems.push_back(system_of(name, title, kind, skill, results));
  };
  add("seq2seq", "Seq2Seq", Kind::kBaseline, {0.601, 0.541, 0.42, 0.62, 9.1});
  add("mlc2seq", "MLC2Seq", Kind::kBaseline, {0.598, 0.552, 0.45, 0.66, 8.7});
  add("sgm", "SGM", Kind::kBaseline, {0.596, 0.557, 0.46, 0.67, 8.9});
  add("seq2seq_lc", "Seq2Seq + LC", Kind::kBaseline, {0.607, 0.548, 0.43, 0.63, 8.8});
  add("bm", "BM", Kind::kOwn, {0.652, 0.556, 0.44, 0.72, 6.2});
  add("bm_lc", "BM + LC", Kind::kOwn, {0.655, 0.566, 0.46, 0.74, 6.0});
  add("bm_ot", "BM + OT", Kind::kOwn, {0.668, 0.574, 0.53, 0.80, 5.1});
  add("otseq2set", "OTSeq2Set", Kind::kOwn, {0.664, 0.591, 0.57, 0.84, 4.9});
  SystemResult all = system_of("bm all", "BM", Kind::kOwn, {0.661, 0.542, 0.43, 0.69, 6.4}, results);
  all.scheme = "all";
  results.systems.push_back(all);

  const double gains[] = {-0.021, -0.009, -0.002, 0.0, -0.006};
  const char* values[] = {"0", "2", "4", "8", "16"};
  for (int i = 0; i < 5; ++i) {
    const Skill skill{0.664 + gains[i], 0.591 + gains[i], 0.57, 0.84, 4.9};
    SystemResult swept =
        system_of(std::string("otseq2set loss.lambda=") + values[i], "OTSeq2Set", Kind::kOwn, skill, results);
    swept.sweep_key = "loss.lambda";
    swept.sweep_value = values[i];
    results.systems.push_back(swept);
  }
  results.systems.push_back(fasttext(results));
  return results;
}

}  // namespace otseq2set::testing
