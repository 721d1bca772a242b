// One training of a search, watched while it runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/search/trials.h"
#include "otseq2set/store/model_folder.h"

namespace otseq2set::inline search {

// How fast a network trains, from its folder.
struct TrainingRate {
  int64_t epochs = 0;        // that have ended
  double epoch_seconds = 0;  // with validation, as far as is known
  double step_seconds = 0;   // the same without
  double trained = 0;        // seconds, up to the last checkpoint
};
// None before the first checkpoint. documents: of an epoch.
std::optional<TrainingRate> measure_rate(const ModelFolder& folder, uint64_t documents, int64_t batch);

// Fills in what the folder tells of a training that has ended: epochs, value, times.
void read_training(const ModelFolder& folder, const std::string& metric, RungResult& result);

struct TrainingOutcome {
  int code = 0;
  std::string last_line;  // what it said last
};

// The command to its end; its messages go to a file. `stop` is asked every second or so.
TrainingOutcome run_training(const std::vector<std::string>& words, const std::string& log_file,
                             const std::function<bool()>& stop, const std::function<bool()>& abort);

}  // namespace otseq2set::inline search
