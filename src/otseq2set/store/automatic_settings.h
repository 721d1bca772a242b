// Settings that suit the documents, for people who have chosen none: how much the network reads, how large it is, how
// long it learns, what it learns from.
//
// The same documents, hours and cores give the same settings. How long a training takes is reckoned from the products
// that it consists of, at a rate that ordinary cores reach; nothing is measured.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/histogram.h"

namespace otseq2set::inline store {

// What the settings follow from.
struct CorpusFigures {
  uint64_t documents = 0;     // to train on
  uint64_t labels = 0;        // different ones
  uint64_t rare_labels = 0;   // of them, with fewer than kRareBelow documents
  Histogram lengths;          // words -> documents
  Histogram label_set_sizes;  // labels -> documents
  bool named_labels = false;  // most labels have names with words

  static constexpr uint64_t kRareBelow = 5;
};

struct Circumstances {
  double hours = 1;
  int cores = 1;
  int64_t vector_width = 0;  // of the word vectors; 0: there are none
};

// One setting, and why it has this value; `why` is a phrase without a full stop.
struct ChosenSetting {
  std::string key;
  Json value;
  std::string why;
};

// Chooses what `given` does not name and applies it to the configuration, which has the given values already.
std::vector<ChosenSetting> choose_settings(const CorpusFigures& data, const Circumstances& circumstances,
                                           const std::set<std::string>& given, Config& config);

// key=value, as --set takes it.
std::string assignment_of(const ChosenSetting& setting);

// One line a setting, "--set key=value" and the reason, the reasons below each other.
std::vector<std::string> to_lines(const std::vector<ChosenSetting>& settings);

// Seconds that training takes on so many cores, without reading, validation and the linear model.
double training_seconds(const Config& config, const CorpusFigures& data, int cores);

}  // namespace otseq2set::inline store
