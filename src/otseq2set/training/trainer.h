// Trains a network into a model folder, and goes on where a killed or interrupted run stopped.
//
// A run that was stopped at any instant and resumed ends with the same bytes as one that was not: the
// checkpoint is one file replaced at once, every other file is written again from what it says, and nothing
// depends on time.
#pragma once

#include <chrono>

#include "otseq2set/corpus/dataset.h"
#include "otseq2set/model/start_values.h"
#include "otseq2set/store/model_folder.h"
#include "otseq2set/training.h"
#include "otseq2set/training/checkpoint.h"

namespace otseq2set::inline training {

class Trainer {
 public:
  // The folder is locked by the caller. Of the options, those that say when to save, whom to tell and when to stop.
  // It ends after `epochs` epochs of the schedule, which is made for training.epochs. The state stays, so that the same
  // may go on.
  Trainer(const ModelFolder& folder, const ModelDescription& description, const Dataset& train, const Dataset& valid,
          const TrainingOptions& options, int64_t epochs);

  // One of the two, then run.
  void start(const WordVectors* vectors);
  void resume();

  void run();

  int64_t epoch() const { return position_.epoch; }

 private:
  using Clock = std::chrono::steady_clock;

  void run_epoch();
  void train_batch(const std::vector<uint32_t>& documents, double rate);
  void make_average();
  void tell_progress(double rate) const;
  void end_epoch(double rate);
  bool stops_early() const;
  void save(bool epoch_ended);
  void finish();
  [[noreturn]] void fail_not_finite(const std::vector<uint32_t>& documents, const char* what) const;

  ModelFolder folder_;
  const ModelDescription& description_;
  const Config& config_;
  const Dataset& train_;
  const Dataset& valid_;
  const TrainingOptions& options_;
  int64_t epochs_;
  Network network_;
  Adam adam_;
  std::optional<WeightAverage> average_;
  std::vector<torch::Tensor> gradients_;
  Position position_;
  Clock::time_point start_;
  uint64_t done_ = 0, done_before_ = 0;  // documents of all epochs: now, and when this run began
};

}  // namespace otseq2set::inline training
