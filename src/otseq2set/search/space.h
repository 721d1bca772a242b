// What a search tries: settings that matter, values of them that suit the data, and candidates drawn from these.
//
// The first candidate is the configuration as it was given. Each other one changes one to five of its settings, so that
// most of what was known to be good stays. Which ones is drawn from a stream of the candidate's own: the same seed and
// data give the same candidates, however many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "otseq2set/config/fields.h"
#include "otseq2set/corpus/corpus.h"

namespace otseq2set::inline search {

// What the data decides.
struct DataFigures {
  uint64_t documents = 0, valid_documents = 0;
  std::vector<uint32_t> lengths;      // words of the training documents, rising
  uint64_t most_labels = 0;           // of a document
  uint64_t labels = 0;                // in all
  std::vector<uint64_t> word_counts;  // falling
  std::string fingerprint;
};
DataFigures figures_of(const Corpus& corpus);

// A setting and the values that it may take instead of the given one.
struct SettingChoice {
  std::string key;
  std::vector<Json> values;
};

// Changes to the configuration as it was given.
struct Candidate {
  Json settings = Json::object();  // {"model.hidden": 192, ...}
  double epochs = 1;               // times training.epochs, which time may have to shorten first
};

// fixed: keys that keep their value. Empty for a configuration without a network.
std::vector<SettingChoice> network_choices(const Config& base, const std::set<std::string>& fixed,
                                           const DataFigures& data);
// Of the linear model; empty for a configuration without one.
std::vector<SettingChoice> linear_choices(const Config& base, const std::set<std::string>& fixed);

// The given configuration first. `fits` says whether one can be trained here; what does not fit is drawn again.
std::vector<Candidate> draw_candidates(const Config& base, const std::vector<SettingChoice>& choices, bool vary_epochs,
                                       uint64_t seed, size_t count, const std::function<bool(const Config&)>& fits);

// All combinations in an order that the seed decides; the given configuration is the first.
std::vector<Candidate> shuffled_candidates(const std::vector<SettingChoice>& choices, uint64_t seed);

// A configuration with the candidate's settings; epochs: what training.epochs is in the first.
Config with_candidate(Config base, const Candidate& candidate, int64_t epochs);

// Bytes that training takes at its peak.
uint64_t training_memory(const Config& config, const DataFigures& data, int threads);

}  // namespace otseq2set::inline search
