#include "otseq2set/search/halving.h"

#include <algorithm>
#include <cmath>

namespace otseq2set::inline search {

namespace {

constexpr int64_t kPromoted = 3;       // one of so many
constexpr double kLinearShare = 0.1;   // of the time
constexpr double kRefitMargin = 1.03;  // what is estimated may take a little longer
constexpr size_t kNewOnes = 4;         // that are named, of which other programs may take some
using Kind = SearchStep::Kind;

const std::vector<Standing>& candidates_of(const SearchState& state) {
  return state.network ? state.networks : state.linears;
}

bool failed(const Standing& standing) { return !standing.results.empty() && !standing.results.back().value; }

bool any_running(const std::vector<Standing>& standings) {
  return std::any_of(standings.begin(), standings.end(), [](const Standing& one) { return one.running; });
}

bool in_time(const SearchState& state, double seconds, double refit) {
  return state.now + seconds + std::max(refit, reserve(state)) <= state.budget;
}

// How long networks take on average: a machine that is busy for a while makes single ones slow.
RungResult usual_times(const SearchState& state) {
  RungResult mean;
  double count = 0;
  const auto add = [&](double& to, double seconds) { to += (seconds - to) / count; };
  for (const Standing& standing : state.networks) {
    for (const RungResult& result : standing.results) {
      if (!result.value) continue;
      ++count;
      add(mean.epoch_seconds, result.epoch_seconds);
      add(mean.step_seconds, result.step_seconds);
      add(mean.linear_seconds, result.linear_seconds);
      add(mean.other_seconds, result.other_seconds);
    }
  }
  return mean;
}

// Is there time for a candidate to train from its `rung` to the end, and once more?
bool fits(const SearchState& state, const Standing& standing, int64_t rung) {
  const RungResult& first = state.networks[0].results[0];
  const RungResult usual = usual_times(state);
  const RungResult& known = standing.results.empty() ? usual : standing.results.back();
  const int64_t rungs = ladder_rungs(first.all_epochs);
  const double other = usual.other_seconds;
  int64_t epochs = known.all_epochs, done = known.epochs;
  if (standing.results.empty()) {
    epochs = std::max<int64_t>(1, std::llround(standing.epochs * static_cast<double>(first.all_epochs)));
    done = 0;
  }
  const double left =
      static_cast<double>(epochs - done) * known.epoch_seconds + static_cast<double>(rungs - rung) * other;
  return in_time(state, left, refit_seconds(known, epochs, state.refit_ratio));
}

std::vector<SearchStep> linear_steps(const SearchState& state) {
  std::vector<SearchStep> steps;
  const double first = state.linears[0].results[0].seconds;
  double all = 0, count = 0;
  for (const Standing& standing : state.linears) {
    for (const RungResult& result : standing.results) {
      all += result.seconds;
      ++count;
    }
  }
  const double cost = all / count;  // on average, of one more
  const bool within_share = !state.network || all - first + cost <= kLinearShare * state.budget;
  const double refit = refit_seconds(state.linears[0].results[0], 0, state.refit_ratio);
  if (!within_share || !in_time(state, cost, refit)) return steps;
  for (size_t i = 1; i < state.linears.size() && steps.size() < kNewOnes; ++i) {
    if (state.linears[i].results.empty() && !state.linears[i].running) steps.push_back({Kind::kLinear, i, 0});
  }
  return steps;
}

// Candidates that stand on a rung or above, by falling value there.
std::vector<size_t> ranking(const SearchState& state, int64_t rung) {
  std::vector<size_t> order;
  const auto value = [&](size_t i) { return *state.networks[i].results[static_cast<size_t>(rung)].value; };
  for (size_t i = 0; i < state.networks.size(); ++i) {
    const Trial& results = state.networks[i].results;
    if (static_cast<int64_t>(results.size()) > rung && results[static_cast<size_t>(rung)].value) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return value(a) > value(b); });
  return order;
}

// From every rung the best, one of `one_of`, that stand there still; the highest first.
std::vector<SearchStep> promotions(const SearchState& state, int64_t rungs, int64_t one_of) {
  std::vector<SearchStep> steps;
  for (int64_t rung = rungs - 1; rung > 0; --rung) {
    const std::vector<size_t> order = ranking(state, rung - 1);
    const size_t most = (order.size() + static_cast<size_t>(one_of) - 1) / static_cast<size_t>(one_of);
    for (size_t place = 0; place < most; ++place) {
      const Standing& standing = state.networks[order[place]];
      const bool stands_there = static_cast<int64_t>(standing.results.size()) == rung;
      if (stands_there && !standing.running && !standing.gone && fits(state, standing, rung)) {
        steps.push_back({Kind::kNetwork, order[place], rung});
      }
    }
  }
  return steps;
}

std::vector<SearchStep> network_steps(const SearchState& state) {
  const int64_t rungs = ladder_rungs(state.networks[0].results[0].all_epochs);
  std::vector<SearchStep> steps = promotions(state, rungs, kPromoted);
  size_t new_ones = 0;
  for (size_t i = 1; i < state.networks.size() && new_ones < kNewOnes; ++i) {
    const Standing& standing = state.networks[i];
    if (!standing.results.empty() || standing.running || !fits(state, standing, 0)) continue;
    steps.push_back({Kind::kNetwork, i, 0});
    ++new_ones;
  }
  return steps.empty() ? promotions(state, rungs, 2) : steps;
}

// The configuration as it was given climbs as high as time allows. Its first rung is trained whatever the time.
bool first_goes_on(const SearchState& state) {
  const Standing& first = state.networks[0];
  if (first.results.empty()) return true;
  const RungResult& last = first.results.back();
  const auto rung = static_cast<int64_t>(first.results.size()), rungs = ladder_rungs(last.all_epochs);
  if (failed(first) || rung == rungs) return false;
  const int64_t next = epochs_at(rung, rungs, last.all_epochs);
  const double left = static_cast<double>(next - last.epochs) * last.epoch_seconds + last.other_seconds;
  return in_time(state, left, refit_seconds(last, next, state.refit_ratio));
}

}  // namespace

int64_t ladder_rungs(int64_t epochs) {
  int64_t rungs = 1;
  for (int64_t reached = 1; reached < epochs; reached *= kPromoted) ++rungs;
  return rungs;
}

int64_t epochs_at(int64_t rung, int64_t rungs, int64_t epochs) {
  int64_t part = 1;
  for (int64_t above = rung; above < rungs - 1; ++above) part *= kPromoted;
  return std::max<int64_t>(1, (epochs + part - 1) / part);
}

double refit_seconds(const RungResult& result, int64_t epochs, double refit_ratio) {
  const double training = result.linear_seconds + static_cast<double>(epochs) * result.step_seconds;
  return kRefitMargin * (result.other_seconds + refit_ratio * training);
}

const RungResult* best_result(const SearchState& state) {
  std::vector<Trial> trials;
  for (const Standing& standing : candidates_of(state)) trials.push_back(standing.gone ? Trial() : standing.results);
  const auto best = best_of(trials);
  return best ? &candidates_of(state)[*best].results.back() : nullptr;
}

double reserve(const SearchState& state) {
  const RungResult* best = best_result(state);
  return best == nullptr ? 0 : refit_seconds(*best, best->best_epoch, state.refit_ratio);
}

std::vector<SearchStep> next_steps(const SearchState& state) {
  if (state.refit_begun) return {{Kind::kRefit}};
  if (state.linear && state.linears[0].results.empty()) return {{Kind::kLinear, 0, 0}};
  std::vector<SearchStep> steps;
  if (state.network && first_goes_on(state)) {
    steps.push_back({Kind::kNetwork, 0, static_cast<int64_t>(state.networks[0].results.size())});
    // Another program that finds this one taken.
    if (state.linear && !state.linear_chosen) {
      for (const SearchStep& step : linear_steps(state)) steps.push_back(step);
    }
    return steps;
  }
  if (state.linear && !state.linear_chosen) {
    steps = linear_steps(state);
    if (!steps.empty()) return steps;
    if (any_running(state.linears)) return {};
    if (state.network) return {{Kind::kChooseLinear}};
  }
  if (state.network) steps = network_steps(state);
  if (steps.empty() && !any_running(candidates_of(state))) steps.push_back({Kind::kRefit});
  return steps;
}

}  // namespace otseq2set::inline search
