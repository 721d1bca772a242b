// All that a resumed run needs, in one file that is replaced at once: parameters, optimiser, position in the
// data, sums of the epoch so far and the best score. Random numbers need no saving: their streams are named
// by seed and position (core/random.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/atomic_file.h"
#include "otseq2set/model/network.h"
#include "otseq2set/training/adam.h"
#include "otseq2set/training/training_step.h"
#include "otseq2set/training/weight_average.h"

namespace otseq2set::inline training {

struct Position {
  int64_t epoch = 0;         // that runs, from 0
  int64_t batches_done = 0;  // of this epoch
  int64_t steps_done = 0;    // of all epochs
  StepLoss sums;             // over the batches done of this epoch
  StepTimes times;           // over the same
  double seconds = 0;        // spent in this epoch
  double best_micro_f1 = -1;
  int64_t best_epoch = -1;
  std::vector<Json> log;  // one object an epoch that has ended
};

// average: null if none is made.
void save_checkpoint(const FilePlace& place, const Network& network, const Adam& adam, const WeightAverage* average,
                     const Position& position);

// Fills network, adam and average; an Error names the file when it does not fit them.
Position load_checkpoint(const std::string& path, Network& network, Adam& adam, WeightAverage* average);

}  // namespace otseq2set::inline training
