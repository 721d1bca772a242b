// From documents with labels to a model folder, inside your own program:
//
//   otseq2set::train({.in_memory = documents}, "model", {.preset = "cpu_small", .settings = {"training.epochs=5"}});
//   const auto model = otseq2set::Model::load("model");
//
// Same documents, settings and seed (training.seed): same bytes in the folder, whether the documents come from memory or
// from a file, on any number of threads. One training at a time in a process: LibTorch's number of threads, which is one
// meanwhile, is the process's own. This is what `otseq2set train` does; it is a library of its own,
// otseq2set::training, because it needs LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/documents.h"
#include "otseq2set/error.h"

namespace otseq2set::inline v1 {

// After a batch. Losses are means over the epoch so far.
struct TrainingProgress {
  int64_t epoch = 0;  // from 1
  int64_t epochs = 0;
  uint64_t documents_done = 0, documents_total = 0;        // of all epochs
  double loss = 0, matching_loss = 0, transport_loss = 0;  // sequence models have the first only
  double learning_rate = 0;
  double documents_per_second = 0, seconds_left = 0;
};

struct TrainingOptions {
  std::string preset = {};                 // cpu_small, ...; auto: settings that suit the documents; empty: the paper's
  double hours = 1;                        // that `auto` may plan with
  std::vector<std::string> settings = {};  // "key=value" over the preset's; `otseq2set info` lists all keys
  std::optional<Documents> validation = {};  // none: a share of the documents is held out
  std::string vectors = {};                  // file of pretrained word vectors: GloVe text or .vec; empty: none
  int threads = 0;                           // 0: all cores
  bool resume = false;                       // go on where a run into the same folder stopped
  bool overwrite = false;                    // replace the model in the folder
  bool memory_check = true;                  // an Error when memory seems too small
  double checkpoint_minutes = 10;            // between checkpoints inside an epoch
  std::string measure = "micro-F1";          // that the sets shall be best in on the validation documents, as in `tune`
  int64_t stop_after = 0;        // epochs, of the schedule for all; `resume` goes on with more of them. 0: all
  std::string linear_from = {};  // folder of a model with the same documents whose linear model is taken over
  // All are called on the thread that calls train. What they throw ends training.
  std::function<void(const TrainingProgress&)> progress = {};  // after each batch
  std::function<void(const std::string& line)> log = {};       // what a person wants to know, without line break
  std::function<bool()> stop = {};  // asked after each batch; true: saves a checkpoint and throws Interrupted
};

OTSEQ2SET_API void train(const Documents& documents, const std::string& folder, const TrainingOptions& options = {});

}  // namespace otseq2set::inline v1
