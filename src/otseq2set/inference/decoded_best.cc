#include "otseq2set/inference/decoded_best.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/row_math.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set::inline inference {

namespace {

constexpr int64_t kPiece = PackedLinear<float>::kPiece;
constexpr size_t kLeastKept = 64, kKeptTimes = 4;
// More pieces of the output layer than this share of it, and one pass over all is not much slower.
constexpr int64_t kFewOfAll = 4;

// The probability of a label as the scores have it.
float probability(float logit, float log_sum, Arithmetic arithmetic) {
  float score = 0;
  row_add_scores(&score, &logit, 1, log_sum, arithmetic);
  return score;
}

// What scores may be off, relatively: exp is good to 3 units of the last place, and each step rounds twice.
double rounding(int64_t steps) { return (8 + 4 * static_cast<double>(steps)) / (1 << 24); }
constexpr double kSmallest = 1e-37;  // below, floats have no relative error

}  // namespace

size_t DecodedBest::kept_for(size_t k) { return std::max(kLeastKept, kKeptTimes * k); }

void DecodedBest::add(const float* in, const RowSoftmax& row, std::vector<ScoredLabel> largest, int64_t label,
                      Span<const float> attention) {
  if (ended()) return;
  in_.insert(in_.end(), in, in + out_->inputs());
  log_sums_.push_back(log_sum(row));
  largest_.push_back(std::move(largest));
  add_step(label, attention);
}

int64_t DecodedBest::labels() const { return out_->outputs() - kFirstLabel; }

std::vector<float> DecodedBest::logits(int64_t begin, int64_t end) const {
  std::vector<float> logits(steps() * (end - begin));
  out_->forward_columns(begin, end, steps(), in_.data(), out_->inputs(), logits.data(), end - begin);
  return logits;
}

std::vector<float> DecodedBest::scores(int64_t begin, int64_t end) const {
  const std::vector<float> all = logits(begin, end);
  std::vector<float> scores(end - begin);
  for (int64_t t = 0; t < steps(); ++t) {
    row_add_scores(scores.data(), all.data() + t * (end - begin), end - begin, log_sums_[t], arithmetic_);
  }
  return scores;
}

size_t DecodedBest::best_step(int32_t label) const {
  const int64_t id = label + kFirstLabel, begin = id / kPiece * kPiece;
  const int64_t end = std::min(begin + kPiece, out_->outputs());
  const std::vector<float> all = logits(begin, end);
  const auto log_probability = [&](int64_t t) { return all[t * (end - begin) + id - begin] - log_sums_[t]; };
  int64_t best = 0;
  for (int64_t t = 1; t < steps(); ++t) {
    if (log_probability(t) > log_probability(best)) best = t;
  }
  return static_cast<size_t>(best);
}

std::vector<float> DecodedBest::of_ids(const std::vector<int64_t>& ids) const {
  std::vector<size_t> firsts;  // where in `ids` another piece begins
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i == 0 || ids[i] / kPiece != ids[i - 1] / kPiece) firsts.push_back(i);
  }
  firsts.push_back(ids.size());
  std::vector<float> result(ids.size());
  parallel_for(static_cast<int64_t>(firsts.size()) - 1, [&](int64_t piece) {
    const int64_t begin = ids[firsts[piece]] / kPiece * kPiece;
    const std::vector<float> own = scores(begin, std::min(begin + kPiece, out_->outputs()));
    for (size_t i = firsts[piece]; i < firsts[piece + 1]; ++i) result[i] = own[ids[i] - begin];
  });
  return result;
}

std::vector<float> DecodedBest::of(const std::vector<int32_t>& labels) const {
  std::vector<int64_t> ids;
  for (const int32_t label : labels) ids.push_back(label + kFirstLabel);
  std::sort(ids.begin(), ids.end());
  const std::vector<float> found = of_ids(ids);
  std::vector<float> result;
  for (const int32_t label : labels) {
    result.push_back(found[std::lower_bound(ids.begin(), ids.end(), label + kFirstLabel) - ids.begin()]);
  }
  return result;
}

DecodedBest::Candidates DecodedBest::candidates() const {
  struct Kept {
    int64_t id, step;
    double probability;
  };
  std::vector<Kept> kept;
  std::vector<double> last(steps());  // l_t
  for (int64_t t = 0; t < steps(); ++t) {
    for (const ScoredLabel& one : largest_[t])
      kept.push_back({one.label, t, probability(one.score, log_sums_[t], arithmetic_)});
    const bool some_are_missing = static_cast<int64_t>(largest_[t].size()) < out_->outputs();
    if (some_are_missing) last[t] = largest_[t].empty() ? 1 : kept.back().probability;
  }
  std::stable_sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.id < b.id; });
  const double slack = rounding(steps());
  const auto at_most = [&](double score) { return score * (1 + slack) + kSmallest; };
  const auto produced = [](const std::vector<double>& probabilities) {
    double score = 0;
    for (const double p : probabilities) score += p * (1 - score);
    return score;
  };
  Candidates candidates{{}, at_most(produced(last))};
  for (size_t i = 0; i < kept.size();) {
    const int64_t id = kept[i].id;
    std::vector<double> least(steps()), most = last;
    for (; i < kept.size() && kept[i].id == id; ++i) least[kept[i].step] = most[kept[i].step] = kept[i].probability;
    if (id >= kFirstLabel) candidates.kept.push_back({id, produced(least) * (1 - slack), at_most(produced(most))});
  }
  return candidates;
}

std::optional<std::vector<ScoredLabel>> DecodedBest::best_of_kept(size_t k, float floor) const {
  const auto [kept, most_of_others] = candidates();
  if (kept.size() < k || !(most_of_others < floor)) return {};
  double bar = floor;  // k labels have at least this score
  if (k > 0) {
    std::vector<double> least;
    for (const Candidate& candidate : kept) least.push_back(candidate.least);
    std::nth_element(least.begin(), least.begin() + static_cast<ptrdiff_t>(k) - 1, least.end(), std::greater<>());
    bar = std::min(bar, least[k - 1]);
  }
  std::vector<int64_t> ids;
  for (const Candidate& candidate : kept) {
    if (candidate.most >= bar) ids.push_back(candidate.id);
  }
  if (static_cast<int64_t>(ids.size()) * kPiece * kFewOfAll > out_->outputs()) return {};
  const std::vector<float> exact = of_ids(ids);
  std::vector<ScoredLabel> found;
  for (size_t i = 0; i < ids.size(); ++i) found.push_back({static_cast<int32_t>(ids[i] - kFirstLabel), exact[i]});
  std::sort(found.begin(), found.end(), better);
  const auto reached = std::count_if(found.begin(), found.end(), [&](const auto& one) { return one.score >= floor; });
  if (static_cast<size_t>(reached) < k && !(most_of_others < found[k - 1].score)) return {};
  found.resize(std::max(static_cast<size_t>(reached), k));
  return found;
}

std::vector<ScoredLabel> DecodedBest::best_of_all(size_t k, float floor) const {
  RunningBest best(k);
  std::vector<ScoredLabel> reached;
  std::mutex mutex;
  const int64_t ids = out_->outputs();
  parallel_for((ids + kBlockLabels - 1) / kBlockLabels, [&](int64_t block) {
    const int64_t begin = block * kBlockLabels, first = std::max(begin, kFirstLabel);
    const std::vector<float> all = scores(begin, std::min(begin + kBlockLabels, ids));
    const Span<const float> own(all.data() + (first - begin), all.size() - static_cast<size_t>(first - begin));
    const std::lock_guard<std::mutex> guard(mutex);
    best.add(own.data(), static_cast<int64_t>(own.size()), first - kFirstLabel);
    for (size_t i = 0; i < own.size(); ++i) {
      if (own[i] >= floor)
        reached.push_back({static_cast<int32_t>(first - kFirstLabel) + static_cast<int32_t>(i), own[i]});
    }
  });
  if (reached.size() < k) return best.take();
  std::sort(reached.begin(), reached.end(), better);
  return reached;
}

std::vector<ScoredLabel> DecodedBest::best(size_t k, float floor) const {
  k = std::min(k, static_cast<size_t>(labels()));
  if (auto found = best_of_kept(k, floor)) return *std::move(found);
  return best_of_all(k, floor);
}

}  // namespace otseq2set::inline inference
