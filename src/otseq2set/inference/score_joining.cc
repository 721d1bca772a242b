#include "otseq2set/inference/score_joining.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/linear/find_label.h"

namespace otseq2set::inline inference {

namespace {

constexpr size_t kTerms = kJoiningTerms.size();
constexpr size_t kRanked = 50;      // labels that have a place; the others share the next
constexpr size_t kFirstTerms = 13;  // that every version has
constexpr double kSteepness = 4.5;  // of the margin, as a first guess at probabilities
constexpr int kMostSteps = 100;
constexpr double kLargestWeight = 1e6;
constexpr double kRidge = 0.01;  // keeps weights finite where every example can be told apart

using Matrix = std::array<JoiningTerms, kTerms>;

double logit(float score) {
  constexpr double kLeast = 1e-7;
  const double p = std::clamp<double>(score, kLeast, 1 - kLeast);
  return std::log(p) - std::log1p(-p);
}

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

double dot(const JoiningTerms& a, const JoiningTerms& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Places in kJoiningTerms.
enum Term : size_t {
  kNetwork = 1,
  kMargin,
  kLogCount,
  kNetworkLogCount,
  kMarginLogCount,
  kNetworkMargin,
  kLogNetworkSize,
  kLogLinearSize,
  kBestNetwork,
  kBestMargin,
  kLogNetworkRank,
  kLogMarginRank,
  kVote,
  kLogVote,
  kLogVoteLogCount,
  kVoteMargin,
  kNearest,
  kNameShare,
  kName,
  kNamePhrase,
  kNameLogTimes,
  kNameLogCount,
  kNameMargin,
  kNameShareMargin,
  kNameWeight
};
static_assert(kNameWeight + 1 == kTerms);

double log_rank(uint8_t place) {
  static const auto kLogs = [] {
    std::array<double, kRanked + 1> logs{};
    for (size_t i = 0; i <= kRanked; ++i) logs[i] = std::log1p(static_cast<double>(i));
    return logs;
  }();
  return kLogs[place];
}

// Solves a x = b for a symmetric positive definite matrix.
JoiningTerms solve(Matrix a, JoiningTerms b) {
  for (size_t i = 0; i < kTerms; ++i) {
    for (size_t j = i + 1; j < kTerms; ++j) {
      const double factor = a[j][i] / a[i][i];
      for (size_t k = i; k < kTerms; ++k) a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  }
  for (size_t i = kTerms; i-- > 0;) {
    for (size_t k = i + 1; k < kTerms; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

}  // namespace

JoinedDocument::Ranking::Ranking(const std::vector<float>& values)
    : order(values.size()), places(values.size(), kRanked), best(0) {
  std::iota(order.begin(), order.end(), 0);
  const size_t count = std::min(kRanked, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                    [&](int32_t a, int32_t b) { return values[a] != values[b] ? values[a] > values[b] : a < b; });
  order.resize(count);
  if (count > 0) best = values[order[0]];
  for (size_t place = 0; place < count; ++place) places[order[place]] = static_cast<uint8_t>(place);
}

JoinedDocument::JoinedDocument(const Evidence& evidence) : evidence_(evidence), rankings_{Ranking(*evidence.margins)} {
  constexpr double kNothing = 0.01;  // so that the logarithm has an end
  double linear_size = kNothing;
  for (const int32_t label : rankings_[0].order) linear_size += sigmoid(kSteepness * (*evidence.margins)[label]);
  log_linear_size_ = std::log(linear_size);
  if (evidence.network_scores == nullptr) return;
  rankings_.emplace_back(*evidence.network_scores);
  double network_size = kNothing;
  for (const int32_t label : rankings_[1].order) network_size += (*evidence.network_scores)[label];
  log_network_size_ = std::log(network_size);
}

JoiningTerms JoinedDocument::terms(size_t label) const {
  const double margin = (*evidence_.margins)[label];
  JoiningTerms terms = {1, 0, margin};
  if (!evidence_.network_scores && !evidence_.votes && !evidence_.mentions) return terms;
  const double log_count = (*evidence_.log_counts)[label];
  terms[kLogCount] = log_count;
  terms[kMarginLogCount] = margin * log_count;
  terms[kLogLinearSize] = log_linear_size_;
  terms[kBestMargin] = rankings_[0].best;
  terms[kLogMarginRank] = log_rank(rankings_[0].places[label]);
  if (evidence_.network_scores) add_network_terms(label, terms);
  if (evidence_.votes) add_vote_terms(label, terms);
  if (evidence_.mentions) add_name_terms(label, terms);
  return terms;
}

void JoinedDocument::add_network_terms(size_t label, JoiningTerms& terms) const {
  const double network = logit((*evidence_.network_scores)[label]);
  terms[kNetwork] = network;
  terms[kNetworkLogCount] = network * terms[kLogCount];
  terms[kNetworkMargin] = network * terms[kMargin];
  terms[kLogNetworkSize] = log_network_size_;
  terms[kBestNetwork] = logit(rankings_[1].best);
  terms[kLogNetworkRank] = log_rank(rankings_[1].places[label]);
}

void JoinedDocument::add_vote_terms(size_t label, JoiningTerms& terms) const {
  constexpr double kNone = 0.005;  // so that the logarithm has an end
  const LabelVote* found = find_label(evidence_.votes->labels, label);
  const double vote = found != nullptr ? found->share : 0;
  terms[kVote] = vote;
  terms[kLogVote] = std::log(vote + kNone);
  terms[kLogVoteLogCount] = terms[kLogVote] * terms[kLogCount];
  terms[kVoteMargin] = vote * terms[kMargin];
  terms[kNearest] = evidence_.votes->nearest;
}

void JoinedDocument::add_name_terms(size_t label, JoiningTerms& terms) const {
  const Mention* found = find_label(*evidence_.mentions, label);
  if (found == nullptr) return;
  terms[kNameShare] = found->share;
  terms[kNameShareMargin] = found->share * terms[kMargin];
  if (found->count == 0) return;
  terms[kName] = 1;
  terms[kNamePhrase] = found->phrase ? 1 : 0;
  terms[kNameLogTimes] = std::log(static_cast<double>(found->count));
  terms[kNameLogCount] = terms[kLogCount];
  terms[kNameMargin] = terms[kMargin];
  terms[kNameWeight] = found->weight;
}

std::vector<int32_t> JoinedDocument::candidates() const {
  std::vector<int32_t> labels;
  for (const Ranking& ranking : rankings_) labels.insert(labels.end(), ranking.order.begin(), ranking.order.end());
  if (evidence_.votes) {
    for (const LabelVote& vote : evidence_.votes->labels) labels.push_back(vote.label);
  }
  if (evidence_.mentions) {
    for (const Mention& mention : *evidence_.mentions) {
      if (mention.count > 0) labels.push_back(mention.label);
    }
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

std::vector<double> log_counts(const std::vector<uint64_t>& counts) {
  std::vector<double> logs;
  for (const uint64_t count : counts) logs.push_back(std::log(std::max(1.0, static_cast<double>(count))));
  return logs;
}

float ScoreJoining::score(const JoiningTerms& terms) const { return static_cast<float>(sigmoid(dot(weights, terms))); }

// Newton's method; a step that does not lower the loss is halved.
ScoreJoining JoiningFit::best() const {
  const auto loss = [&](const JoiningTerms& weights) {
    double sum = kRidge / 2 * dot(weights, weights);
    for (const Example& example : examples_) {
      const double x = (example.is_true ? -1 : 1) * dot(weights, example.terms);
      sum += x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    }
    return sum;
  };
  JoiningTerms weights = {};
  double now = loss(weights);
  for (int step = 0; step < kMostSteps; ++step) {
    JoiningTerms gradient = {};
    Matrix curvature = {};
    for (const Example& example : examples_) {
      const double p = sigmoid(dot(weights, example.terms));
      for (size_t i = 0; i < kTerms; ++i) {
        gradient[i] += (p - (example.is_true ? 1 : 0)) * example.terms[i];
        for (size_t j = 0; j < kTerms; ++j) curvature[i][j] += p * (1 - p) * example.terms[i] * example.terms[j];
      }
    }
    for (size_t i = 0; i < kTerms; ++i) curvature[i][i] += kRidge, gradient[i] += kRidge * weights[i];
    const JoiningTerms direction = solve(curvature, gradient);
    const double before = now;
    for (double length = 1; length > 1e-3; length /= 2) {
      JoiningTerms next = weights;
      for (size_t i = 0; i < kTerms; ++i) next[i] -= length * direction[i];
      const double then = loss(next);
      if (then >= now) continue;
      weights = next;
      now = then;
      break;
    }
    if (before - now <= 1e-9 * before) break;
  }
  return {weights};
}

void save_joining(const ModelFolder& folder, const ScoreJoining& joining) {
  nlohmann::ordered_json json;
  for (size_t i = 0; i < kTerms; ++i) json[kJoiningTerms[i]] = joining.weights[i];
  write_file(vouched(folder, folder.joining()), json.dump(2) + "\n");
}

ScoreJoining load_joining(const ModelFolder& folder, const Manifest& manifest) {
  if (!path_exists(folder.joining())) {
    manifest.check_missing(folder.joining());
    return {};
  }
  constexpr uint64_t kLargest = 1 << 20;
  const auto json = nlohmann::json::parse(read_vouched(manifest, folder.joining(), kLargest).view(), nullptr, false);
  if (!json.is_object()) fail("{}: not a JSON object", folder.joining());
  ScoreJoining joining;
  for (size_t i = 0; i < kTerms; ++i) {
    const auto weight = json.find(kJoiningTerms[i]);
    if (weight == json.end() && i >= kFirstTerms) continue;
    if (weight == json.end() || !weight->is_number() || !(std::fabs(weight->get<double>()) <= kLargestWeight)) {
      fail("{}: \"{}\" is not a number of at most {}", folder.joining(), kJoiningTerms[i], kLargestWeight);
    }
    joining.weights[i] = weight->get<double>();
  }
  return joining;
}

}  // namespace otseq2set::inline inference
