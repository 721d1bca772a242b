// What became of a candidate: one result for each rung of the ladder that it stood on.
//
// Every result is a file of its own, made once, so that programs that share a search never write the same; search.jsonl
// is all of them, a line each, in the order in which they ended:
//
//   {"trial": "network-3", "rung": 0, "settings": {"model.hidden": 192}, "epochs": 1, "value": 0.6132, ...}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/config/fields.h"

namespace otseq2set::inline search {

struct RungResult {
  std::string trial;
  int64_t rung = 0;
  Json settings = Json::object();  // that differ from the given configuration
  int64_t epochs = 0;              // done so far; 0 of a linear model
  int64_t all_epochs = 0;          // of the schedule
  int64_t best_epoch = 0;
  std::optional<double> value;  // of the metric, on validation documents; none if it failed
  std::string failure;          // why there is no value
  double seconds = 0;           // that the rung took
  double at = 0;                // by the clock of the search, when it ended
  double epoch_seconds = 0;     // with validation
  double step_seconds = 0;      // the same without
  double linear_seconds = 0;    // that the linear model took, then or before
  double other_seconds = 0;     // of this rung beside its epochs: reading, joining, tuning
};

Json to_json(const RungResult& result);
// An Error names the file.
RungResult rung_result_from(const std::string& text, const std::string& path);

// A setting's value as --set takes it: first_n, 0.5, 3,7,15.
std::string setting_text(const Json& value);

// One candidate's results, rung by rung.
using Trial = std::vector<RungResult>;

// The latest value; none of a trial that has not begun or that failed.
std::optional<double> value_of(const Trial& trial);

// With the best value; of equal ones the first. None if no trial has any.
std::optional<size_t> best_of(const std::vector<Trial>& trials);

}  // namespace otseq2set::inline search
