// What a comparison found: everything that the report shows and that results.json holds.
//
// A comparison has systems (a variant of the model under some settings, or another tool), each with one run a
// seed. All measures are fractions, 0 .. 1, taken on the test documents; means and spreads over seeds are
// left to whoever shows them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/evaluation/metrics.h"

namespace otseq2set::inline report {

// F1 of labels about equally frequent in training.
struct FrequencyBand {
  uint64_t least = 0, most = 0;  // training documents with the label; 0 .. 0: labels not seen in training
  uint64_t labels = 0;           // that are in the band and true somewhere in the test documents
  double micro_f1 = 0, macro_f1 = 0;
};

// Test documents with `size` true labels.
struct SizeRow {
  uint64_t size = 0;
  uint64_t documents = 0;            // with that many true labels
  uint64_t documents_predicted = 0;  // with that many predicted labels
  double mean_predicted = 0;         // labels predicted for the documents with `size` true ones; 0 if none
};

// In the rule of a set that was not chosen on validation documents.
inline constexpr char kChosenOnTest[] = "chosen on the test documents";

// One way of taking a set of labels out of a model's answer.
struct SetResult {
  std::string name;  // greedy, tuned, best k, best threshold, beam
  std::string rule;  // for people: "labels with a score of at least 0.31", "the 5 best"; empty for greedy
  double micro_p = 0, micro_r = 0, micro_f1 = 0;
  double macro_f1 = 0, weighted_f1 = 0, example_f1 = 0;
  double mean_predicted_labels = 0;
  std::optional<uint64_t> documents_with_neither;  // true nor predicted labels: 0 in example_f1
  std::vector<FrequencyBand> by_frequency;         // rare to frequent
  std::vector<SizeRow> sizes;                      // by size, from 0, without gaps
};

// Predictions whose scores lie in [least, most): how many of them were right?
struct CalibrationBin {
  double least = 0, most = 1;
  uint64_t predictions = 0;
  double mean_score = 0, share_true = 0;
};

struct EpochPoint {
  int64_t epoch = 0;  // from 1
  double loss = 0;
  std::optional<double> valid_micro_f1;
  double seconds = 0;  // of this epoch
};

// Seconds of training by what they were spent in.
struct TimeSplit {
  double encoder = 0, decoder = 0, loss = 0, optimiser = 0;
};

struct RunResult {
  int64_t seed = 0;
  nlohmann::json config;         // complete; null for other tools
  std::string data_fingerprint;  // of what it was trained on, after tokenising
  std::string program_version, machine;
  std::optional<uint64_t> parameters;
  std::optional<double> training_seconds;  // without validation
  std::optional<double> documents_per_second;
  std::optional<uint64_t> peak_memory_bytes;
  std::optional<TimeSplit> times;
  std::vector<EpochPoint> curve;
  std::vector<SetResult> sets;
  std::vector<RankingMetrics> at;  // one a k; empty when there is no ranking
  std::vector<CalibrationBin> calibration;
};

struct SystemResult {
  std::string name;   // otseq2set, or with what distinguishes it: otseq2set loss.lambda=4
  std::string title;  // as the paper writes it: OTSeq2Set, BM + LC
  enum class Kind { kBaseline, kOwn, kPeer } kind = Kind::kOwn;  // sequence model, set model, another tool
  std::string scheme;                                            // all, first_n; empty where there is none
  std::string sweep_key, sweep_value;                            // empty when it is in no sweep
  std::vector<RunResult> runs;                                   // by seed
};

// As results.json and results.csv have it.
constexpr const char* system_kind_name(SystemResult::Kind kind) {
  return kind == SystemResult::Kind::kBaseline ? "baseline" : kind == SystemResult::Kind::kOwn ? "own" : "peer";
}

// The documents of a file.
struct DataResult {
  std::string name;  // of the file, without folders
  std::string fingerprint;
  uint64_t documents = 0, labels = 0, most_labels = 0;
  double mean_labels = 0, mean_words = 0;
  double share_at_most_mean = 0;              // of the documents: label sets no larger than the mean
  std::vector<uint64_t> documents_with_size;  // [size] documents with that many labels
};

struct Results {
  std::string command;  // that made them
  std::string program_version, machine;
  std::optional<std::string> vectors;  // name and fingerprint of the file with word vectors
  DataResult train, valid, test;
  std::vector<int64_t> seeds;  // planned
  uint64_t runs_planned = 0, runs_done = 0;
  std::vector<SystemResult> systems;  // in the order of the tables
};

}  // namespace otseq2set::inline report
