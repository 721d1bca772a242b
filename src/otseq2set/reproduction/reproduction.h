// A whole comparison: every variant trained with every seed and measured, and a report of it.
//
//   OUT/runs/NAME/config.json          the complete configuration of a run
//   OUT/runs/NAME/model/               its model folder, as `train` makes it
//   OUT/runs/NAME/predictions-*.jsonl  its answers to the test documents
//   OUT/runs/NAME/result-*.json        what the report shows of it; there once the run is done
//   OUT/runs/fasttext-seed1/           another tool's run
//   OUT/data.json                      which data and word vectors the runs belong to
//   OUT/report.html, results.json, results.csv, table.tex
//
// A run is trained by this very program as a process of its own, `otseq2set train --resume`, so that a killed
// one goes on where it was and its peak memory is its own. Several programs may work on one folder.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/reading/document_reader.h"
#include "otseq2set/reproduction/plan.h"

namespace otseq2set::inline reproduction {

// --predictions NAME=TEST[,VALID]
struct PeerFiles {
  std::string name, test, valid;
};
PeerFiles parse_peer_files(const std::string& text);

struct ReproduceOptions {
  DataFiles data, test;
  std::optional<DataFiles> valid;
  std::string out, vectors;
  PlanOptions plan;
  int64_t beam = 1;
  bool fasttext = false;
  std::vector<PeerFiles> peers;
  std::string prediction_labels;  // file with a name a line, for numbered labels in `peers`
  bool compare_paper = false;
  int threads = 1;
  double checkpoint_minutes = 2;
  std::string program;                      // as it was called
  std::string command;                      // the whole line, for the report
  std::string title;                        // of the report; empty: it has one of its own
  const std::atomic<bool>* stop = nullptr;  // when it turns true: throws Interrupted when the run is saved
};

void reproduce(const ReproduceOptions& options);

}  // namespace otseq2set::inline reproduction
