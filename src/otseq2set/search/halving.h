// What a search does next: asynchronous successive halving (Li et al., A System for Massively Parallel Hyperparameter
// Tuning, 2020) within a time that is given.
//
// A ladder has rungs at a part of the epochs that grows threefold, E/9, E/3, E. Every candidate trains up to the first
// rung; of those on a rung the best third may train on to the next, from where they stopped, by the schedule of all E
// epochs. Who is free promotes the highest that may be promoted, or begins a new candidate, and waits for nobody.
//
//   E = 10: rungs at 1, 2, 4 and 10 epochs
//
// Time. At the end the winner trains once more on all documents, and this must fit too. So a candidate is begun or
// promoted only if there is time for all of its epochs and for the last training, its own or the best one's so far,
// whichever takes longer. When there is no time for new ones, the better half of a rung may be promoted.
//
// The first candidate, the configuration as it was given, comes first and stands on every rung. The linear model of a
// hybrid is searched before the others begin, by itself and for at most a tenth of the time; they share the best one.
//
// All is decided from the results and the clock: who comes back after a kill decides the same.
#pragma once

#include <cstdint>
#include <vector>

#include "otseq2set/search/trials.h"

namespace otseq2set::inline search {

// Rungs for so many epochs.
int64_t ladder_rungs(int64_t epochs);
// Epochs up to a rung, from 0, of a ladder with so many rungs.
int64_t epochs_at(int64_t rung, int64_t rungs, int64_t epochs);

// How a candidate stands.
struct Standing {
  Trial results;
  double epochs = 1;     // times those of the first candidate
  bool running = false;  // in the hands of a program that lives
  bool gone = false;     // its model was removed: it cannot go on
};

struct SearchState {
  double now = 0, budget = 0;  // seconds
  double refit_ratio = 1;      // all documents against those that are trained on
  bool network = true, linear = false;
  std::vector<Standing> networks, linears;  // the given configuration first
  bool linear_chosen = false;
  bool refit_begun = false;
};

struct SearchStep {
  enum class Kind { kLinear, kChooseLinear, kNetwork, kRefit };
  Kind kind;
  size_t candidate = 0;
  int64_t rung = 0;

  bool operator==(const SearchStep& other) const {
    return kind == other.kind && candidate == other.candidate && rung == other.rung;
  }
};

// What may begin now, the best first; empty when others must end something first.
std::vector<SearchStep> next_steps(const SearchState& state);

// Seconds of the last training on all documents, for so many epochs.
double refit_seconds(const RungResult& result, int64_t epochs, double refit_ratio);

// The best of the networks, or of the linear models if there are only these; none without any value.
const RungResult* best_result(const SearchState& state);

// Seconds that must be left when the search ends: for the last training of the best one so far.
double reserve(const SearchState& state);

}  // namespace otseq2set::inline search
