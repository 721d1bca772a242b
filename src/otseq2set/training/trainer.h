// Trains a network into a model folder, and goes on where a killed or interrupted run stopped.
//
// A run that was stopped at any instant and resumed ends with the same bytes as one that was not: the
// checkpoint is one file replaced at once, every other file is written again from what it says, and nothing
// depends on time.
#pragma once

#include <atomic>
#include <string>

#include "otseq2set/core/error.h"
#include "otseq2set/corpus/dataset.h"
#include "otseq2set/model/start_values.h"
#include "otseq2set/training/checkpoint.h"
#include "otseq2set/store/model_folder.h"
#include "otseq2set/training/progress.h"

namespace otseq2set::inline training {

struct TrainerOptions {
  double checkpoint_minutes = 10;
  const std::atomic<bool>* stop = nullptr;  // when it turns true: save a checkpoint and throw Interrupted
};

class Trainer {
 public:
  // The folder holds the description already and is locked by the caller.
  Trainer(const ModelFolder& folder, const ModelDescription& description, const Dataset& train,
          const Dataset& valid, TrainerOptions options);

  // One of the two, then run.
  void start(const WordVectors* vectors);
  void resume();

  void run();

  int64_t epoch() const { return position_.epoch; }

 private:
  void run_epoch(Progress& progress);
  void train_batch(const std::vector<uint32_t>& documents, double rate);
  void end_epoch(Progress& progress, double rate);
  bool stops_early() const;
  void save(bool epoch_ended);
  void finish();
  [[noreturn]] void fail_not_finite(const std::vector<uint32_t>& documents, const char* what) const;

  ModelFolder folder_;
  const ModelDescription& description_;
  const Config& config_;
  const Dataset& train_;
  const Dataset& valid_;
  TrainerOptions options_;
  Network network_;
  Adam adam_;
  std::vector<torch::Tensor> gradients_;
  Position position_;
};

}  // namespace otseq2set::inline training
