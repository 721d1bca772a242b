#include "otseq2set/inference/score_joining.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"

namespace otseq2set::inline inference {

namespace {

constexpr size_t kTerms = kJoiningTerms.size();
constexpr size_t kRanked = 50;      // labels that have a place; the others share the next
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

JoinedDocument::Ranking::Ranking(const std::vector<float>& values) : best(0) {
  std::vector<int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  const size_t count = std::min(kRanked, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                    [&](int32_t a, int32_t b) { return values[a] != values[b] ? values[a] > values[b] : a < b; });
  if (count > 0) best = values[order[0]];
  for (uint32_t place = 0; place < count; ++place) places.emplace_back(order[place], place);
  std::sort(places.begin(), places.end());
}

double JoinedDocument::Ranking::log_rank(int32_t label) const {
  const auto found = std::lower_bound(places.begin(), places.end(), std::pair(label, 0U));
  const bool ranked = found != places.end() && found->first == label;
  return std::log1p(ranked ? static_cast<double>(found->second) : static_cast<double>(kRanked));
}

JoinedDocument::JoinedDocument(const std::vector<float>* network_scores, const std::vector<float>& margins,
                               const std::vector<uint64_t>& counts)
    : network_scores_(network_scores), margins_(margins), counts_(counts), rankings_{Ranking(margins)} {
  if (network_scores == nullptr) return;
  rankings_.emplace_back(*network_scores);
  constexpr double kNothing = 0.01;  // so that the logarithm has an end
  double network_size = kNothing, linear_size = kNothing;
  for (const auto& [label, place] : rankings_[0].places) linear_size += sigmoid(kSteepness * margins[label]);
  for (const auto& [label, place] : rankings_[1].places) network_size += (*network_scores)[label];
  log_linear_size_ = std::log(linear_size);
  log_network_size_ = std::log(network_size);
}

JoiningTerms JoinedDocument::terms(size_t label) const {
  const double margin = margins_[label];
  if (network_scores_ == nullptr) return {1, 0, margin};
  const double network = logit((*network_scores_)[label]);
  const double log_count = std::log(std::max(1.0, static_cast<double>(counts_[label])));
  const auto index = static_cast<int32_t>(label);
  return {1,
          network,
          margin,
          log_count,
          network * log_count,
          margin * log_count,
          network * margin,
          log_network_size_,
          log_linear_size_,
          logit(rankings_[1].best),
          rankings_[0].best,
          rankings_[1].log_rank(index),
          rankings_[0].log_rank(index)};
}

std::vector<int32_t> JoinedDocument::candidates() const {
  std::vector<int32_t> labels;
  for (const Ranking& ranking : rankings_) {
    for (const auto& [label, place] : ranking.places) labels.push_back(label);
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
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
  write_file(folder.joining(), json.dump(2) + "\n");
}

ScoreJoining load_joining(const ModelFolder& folder) {
  if (!std::filesystem::exists(folder.joining())) return {};
  if (!std::filesystem::is_regular_file(folder.joining())) fail("cannot read {}: not a regular file", folder.joining());
  const auto json = nlohmann::json::parse(read_file(folder.joining()), nullptr, false);
  if (!json.is_object()) fail("{}: not a JSON object", folder.joining());
  ScoreJoining joining;
  for (size_t i = 0; i < kTerms; ++i) {
    const auto weight = json.find(kJoiningTerms[i]);
    if (weight == json.end() || !weight->is_number() || !(std::fabs(weight->get<double>()) <= kLargestWeight)) {
      fail("{}: \"{}\" is not a number of at most {}", folder.joining(), kJoiningTerms[i], kLargestWeight);
    }
    joining.weights[i] = weight->get<double>();
  }
  return joining;
}

}  // namespace otseq2set::inline inference
