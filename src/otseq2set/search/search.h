// The best settings that a given time finds, and a model trained with them on all documents.
//
//   DIR/                          the model
//   DIR/search.jsonl              the table: a line for each candidate and rung
//   DIR/search.html               what was found, and what mattered
//   DIR/search/plan.json          what is searched: data, metric, time, candidates
//   DIR/search/clock.json         how long it has been at work
//   DIR/search/network-3/         a candidate: config.json, rung-0.json ..., log.txt, and while it may win its model/
//   DIR/search/linear-2/          a linear model that candidates may share
//   DIR/search/choice/, refit/    which linear model they share; which candidate was trained on all documents
//
// A result is a file that is made once. Trainings are processes of their own, `otseq2set train --resume`. So a search
// that was killed goes on with what is there, and several programs may work on one folder.
#pragma once

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/reading/document_reader.h"

namespace otseq2set::inline search {

struct SearchOptions {
  DataFiles data;
  std::optional<DataFiles> valid;
  std::string model, vectors;
  Config base;
  std::vector<std::string> config_words;  // of the command line, that gave the configuration
  std::set<std::string> fixed;            // keys that keep their value
  std::string metric = "micro-F1";
  double seconds = 0;       // in all
  uint64_t seed = 1;        // of the plan
  size_t candidates = 300;  // at most, of networks and of linear models
  int threads = 1;
  std::string program;                      // as it was called
  std::string command;                      // the whole line, for the page
  const std::atomic<bool>* stop = nullptr;  // when it turns true: throws Interrupted when all is saved
};

void run_search(const SearchOptions& options);

}  // namespace otseq2set::inline search
