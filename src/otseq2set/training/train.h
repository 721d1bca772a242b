// From documents to a model folder: reads and checks the data, trains, and chooses the set rule. Goes on where a killed
// or interrupted run stopped. Without LibTorch in its interface.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "otseq2set/config/config.h"
#include "otseq2set/reading/document_reader.h"

namespace otseq2set::inline training {

struct TrainRequest {
  DataFiles data;
  std::optional<DataFiles> valid;  // none: a share of the data is held out
  std::string folder;              // for the model
  std::string vectors;             // pretrained word vectors: GloVe text or .vec; empty: none
  Config config;
  int threads = 0;             // 0: all cores
  bool resume = false;         // go on where a run into the same folder stopped
  bool overwrite = false;      // replace the model in the folder
  bool memory_check = true;    // an Error when memory seems too small
  double checkpoint_minutes = 10;
  const std::atomic<bool>* stop = nullptr;  // when it turns true: saves a checkpoint and throws Interrupted
};

void train(const TrainRequest& request);

}  // namespace otseq2set::inline training
