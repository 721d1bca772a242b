#include "otseq2set/search/space.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "otseq2set/core/error.h"
#include "otseq2set/core/random.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/memory_estimate.h"

namespace otseq2set::inline search {

namespace {

constexpr uint64_t kMostChanges = 5;
constexpr uint64_t kAttempts = 50;
constexpr double kLeastCoverage = 0.95;  // of the text by words that are not too rare

int64_t words_as_frequent(const DataFigures& data, int64_t min_count) {
  const auto enough = [&](uint64_t count) { return count >= static_cast<uint64_t>(min_count); };
  return std::partition_point(data.word_counts.begin(), data.word_counts.end(), enough) - data.word_counts.begin();
}

double coverage(const DataFigures& data, int64_t min_count) {
  const auto end = data.word_counts.begin() + words_as_frequent(data, min_count);
  const double all = std::accumulate(data.word_counts.begin(), data.word_counts.end(), 0.0);
  return std::accumulate(data.word_counts.begin(), end, 0.0) / std::max(all, 1.0);
}

// So long are this share of the documents, or shorter.
int64_t length_at(const DataFigures& data, double share) {
  if (data.lengths.empty()) return 1;
  const auto place = static_cast<size_t>(share * static_cast<double>(data.lengths.size() - 1));
  const int64_t length = std::max<int64_t>(1, data.lengths[place]);
  return length > 20 ? (length + 9) / 10 * 10 : length;
}

double rounded(double value) {  // 0.00033333 -> 0.00033
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::strtod(fmt::format("{:.6g}", std::round(value / unit) * unit).c_str(), nullptr);
}

int64_t scaled(int64_t value, double factor, int64_t multiple) {
  const auto steps = std::llround(static_cast<double>(value) * factor / static_cast<double>(multiple));
  return std::max<int64_t>(steps, 1) * multiple;
}

class Choices {
 public:
  Choices(const Config& base, const std::set<std::string>& fixed) : base_(base), fixed_(fixed) {}

  template <typename Value>
  void add(const std::string& key, const std::vector<Value>& values) {
    if (fixed_.count(key) > 0) return;
    const auto field = std::find_if(fields().begin(), fields().end(), [&](const Field& one) { return one.key == key; });
    SettingChoice choice{key, {}};
    for (const Value& value : values) {
      Config changed = base_;
      const Json json(value);
      const bool known = std::find(choice.values.begin(), choice.values.end(), json) != choice.values.end();
      if (!known && field->set(changed, json) && field->get(changed) != field->get(base_))
        choice.values.push_back(json);
    }
    if (!choice.values.empty()) choices_.push_back(choice);
  }

  std::vector<SettingChoice> all() const { return choices_; }

 private:
  const Config& base_;
  const std::set<std::string>& fixed_;
  std::vector<SettingChoice> choices_;
};

std::vector<int64_t> word_limits(const Config& base, const DataFigures& data) {
  std::vector<int64_t> limits;
  const int64_t longest = length_at(data, 1);
  for (const double share : {0.5, 0.75, 0.9, 0.97, 1.0}) {
    const int64_t words = std::min(length_at(data, share), 4 * base.model.max_words);
    // What is read anyway is no change.
    if (words < std::min(base.model.max_words, longest) || base.model.max_words < words) limits.push_back(words);
  }
  return limits;
}

// Those that fit into half of the documents: shorter ones are filled up.
std::vector<std::vector<int64_t>> kernels(const DataFigures& data) {
  std::vector<std::vector<int64_t>> fitting;
  for (const std::vector<int64_t>& some : std::vector<std::vector<int64_t>>{{3}, {3, 7}, {3, 7, 15}, {3, 7, 15, 30}}) {
    if (receptive_field({some}) <= length_at(data, 0.5)) fitting.push_back(some);
  }
  return fitting;
}

bool is_consistent(const Config& config) {
  try {
    check_consistency(config);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

Candidate drawn(const std::vector<SettingChoice>& choices, bool vary_epochs, RandomStream& random) {
  std::vector<size_t> order(choices.size() + vary_epochs);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  order.resize(std::min<size_t>(order.size(), 1 + random.below(kMostChanges)));
  std::sort(order.begin(), order.end());
  Candidate candidate;
  for (const size_t place : order) {
    if (place == choices.size()) {
      const double factors[] = {0.67, 1.5, 2};
      candidate.epochs = factors[random.below(3)];
    } else {
      const SettingChoice& choice = choices[place];
      candidate.settings[choice.key] = choice.values[random.below(choice.values.size())];
    }
  }
  return candidate;
}

}  // namespace

DataFigures figures_of(const Corpus& corpus) {
  DataFigures figures;
  figures.documents = corpus.train.size();
  figures.valid_documents = corpus.valid.size();
  figures.lengths = corpus.train.lengths();
  std::sort(figures.lengths.begin(), figures.lengths.end());
  figures.most_labels = corpus.train.largest_label_set();
  figures.labels = corpus.labels.size();
  figures.word_counts = corpus.word_counts;
  figures.fingerprint = fmt::format("{:016x}-{:016x}", corpus.train.fingerprint(), corpus.valid.fingerprint());
  return figures;
}

std::vector<SettingChoice> network_choices(const Config& base, const std::set<std::string>& fixed,
                                           const DataFigures& data) {
  const Variant& variant = variant_of(base);
  if (!variant.network) return {};
  Choices choices(base, fixed);
  const ModelConfig& model = base.model;
  const auto documents = static_cast<int64_t>(data.documents);
  const auto hidden = [&](double factor) { return scaled(model.hidden, factor, model.hidden >= 32 ? 16 : 1); };
  choices.add<int64_t>("model.hidden", {hidden(0.5), hidden(0.75), hidden(1.5), hidden(2)});
  choices.add<int64_t>("model.encoder_layers", {1, 2});
  choices.add("model.max_words", word_limits(base, data));
  choices.add<double>("model.dropout", {0, 0.1, 0.2, 0.3, 0.4, 0.5});
  if (variant.light_conv) choices.add("model.light_conv.kernels", kernels(data));
  if (variant.transport) choices.add<double>("loss.lambda", {0.5, 1, 2, 4, 8, 16});
  if (!variant.sequence) {
    choices.add<std::string>("loss.scheme", {"all", "first_n"});
    choices.add<double>("loss.lambda_empty", {0.05, 0.1, 0.2, 0.5, 1});
  }
  std::vector<int64_t> batches;
  for (const double factor : {0.5, 2.0, 4.0}) {
    const int64_t batch = scaled(base.training.batch, factor, 1);
    if (8 * batch <= documents) batches.push_back(batch);  // few steps an epoch teach little
  }
  choices.add("training.batch", batches);
  std::vector<double> rates;
  for (const double factor : {0.33, 0.5, 0.7, 1.4, 2.0, 3.0}) {
    rates.push_back(rounded(factor * base.training.learning_rate));
  }
  choices.add("training.learning_rate", rates);
  choices.add<std::string>("training.schedule", {"epochs", "steps"});
  choices.add<double>("training.warmup", {0, 0.05, 0.1});
  choices.add<double>("training.average", {0, 0.99, 0.998});
  choices.add<double>("training.word_dropout", {0, 0.1, 0.2});
  std::vector<int64_t> least_counts;
  for (const int64_t count : {1, 2, 3, 5, 10}) {
    if (coverage(data, count) >= kLeastCoverage) least_counts.push_back(count);
  }
  choices.add("text.min_count", least_counts);
  return choices.all();
}

std::vector<SettingChoice> linear_choices(const Config& base, const std::set<std::string>& fixed) {
  if (!has_linear(base)) return {};
  Choices choices(base, fixed);
  const double c = base.linear.c;
  choices.add<double>("linear.c", {0.25 * c, 0.5 * c, 2 * c, 4 * c});
  choices.add<int64_t>("linear.pairs", {0, 1, 2, 3, 5});
  return choices.all();
}

std::vector<Candidate> draw_candidates(const Config& base, const std::vector<SettingChoice>& choices, bool vary_epochs,
                                       uint64_t seed, size_t count, const std::function<bool(const Config&)>& fits) {
  std::vector<Candidate> candidates(1);
  if (choices.empty() && !vary_epochs) return candidates;
  std::set<std::string> known;
  for (uint64_t number = 1; number < count; ++number) {
    for (uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
      RandomStream random(seed, "search", {number, attempt});
      const Candidate candidate = drawn(choices, vary_epochs, random);
      const Config config = with_candidate(base, candidate, base.training.epochs);
      if (!is_consistent(config) || !fits(config)) continue;
      if (!known.insert(fmt::format("{} {}", candidate.settings.dump(), candidate.epochs)).second) continue;
      candidates.push_back(candidate);
      break;
    }
  }
  return candidates;
}

std::vector<Candidate> shuffled_candidates(const std::vector<SettingChoice>& choices, uint64_t seed) {
  std::vector<Candidate> candidates(1);
  for (const SettingChoice& choice : choices) {
    const size_t before = candidates.size();
    for (const Json& value : choice.values) {
      for (size_t i = 0; i < before; ++i) {
        Candidate candidate = candidates[i];
        candidate.settings[choice.key] = value;
        candidates.push_back(candidate);
      }
    }
  }
  std::vector<Candidate> others(candidates.begin() + 1, candidates.end());
  RandomStream(seed, "linear search").shuffle(others);
  std::copy(others.begin(), others.end(), candidates.begin() + 1);
  return candidates;
}

Config with_candidate(Config base, const Candidate& candidate, int64_t epochs) {
  base.training.epochs = std::max<int64_t>(1, std::llround(candidate.epochs * static_cast<double>(epochs)));
  for (const auto& [key, value] : candidate.settings.items()) {
    for (const Field& field : fields()) {
      if (field.key == key && !field.set(base, value)) fail("search: {} cannot be {}", key, value.dump());
    }
  }
  return base;
}

uint64_t training_memory(const Config& given, const DataFigures& data, int threads) {
  if (!variant_of(given).network) return 0;
  Config config = given;
  if (config.model.steps == 0) config.model.steps = static_cast<int64_t>(data.most_labels);
  config.model.max_words = std::min<int64_t>(config.model.max_words, length_at(data, 1));
  config.model.max_words = std::max(config.model.max_words, receptive_field(config.model.light_conv));
  const int64_t words = std::min(words_as_frequent(data, config.text.min_count), config.text.vocabulary) + kFirstWord;
  return estimate_memory(config, words, static_cast<int64_t>(data.labels) + kFirstLabel, threads).training;
}

}  // namespace otseq2set::inline search
