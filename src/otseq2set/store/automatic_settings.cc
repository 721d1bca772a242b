#include "otseq2set/store/automatic_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "otseq2set/core/units.h"
#include "otseq2set/store/parameters.h"

namespace otseq2set::inline store {

namespace {

double real(uint64_t value) { return static_cast<double>(value); }

constexpr double kOperationsPerSecond = 30e9;  // of a core in training; slow ones with AVX2 reach it
constexpr double kShareOfTime = 0.8;           // for the network; the rest reads, validates and trains the linear model
constexpr double kValidFraction = 0.1;

// How often the network goes through the documents, counted in epochs over all of them.
double passes(const Config& config) {
  const double epochs = static_cast<double>(config.training.epochs);
  return epochs * ((1 - kValidFraction) + (config.training.refit ? 1 : 0));
}

class Chooser {
 public:
  Chooser(const CorpusFigures& data, const Circumstances& circumstances, const std::set<std::string>& given,
          Config& config)
      : data_(data), circumstances_(circumstances), given_(given), config_(config) {}

  std::vector<ChosenSetting> choose() {
    choose_evidence();
    if (variant_of(config_).network) {
      choose_text();
      choose_loss();
      choose_network();
      choose_training();
      fit_into_time();
    }
    return std::move(chosen_);
  }

 private:
  bool is_free(const std::string& key) const { return given_.count(key) == 0; }

  template <typename Value>
  void set(const std::string& key, Value& place, const Value& value, std::string why) {
    if (!is_free(key)) return;
    place = value;
    const auto same = [&](const ChosenSetting& one) { return one.key == key; };
    const auto before = std::find_if(chosen_.begin(), chosen_.end(), same);
    if (before == chosen_.end()) {
      chosen_.push_back({key, value, std::move(why)});
    } else {
      *before = {key, value, std::move(why)};
    }
  }

  // What counts besides the network.
  void choose_evidence() {
    if (is_free("variant") && variant_of(config_).network) {
      set("linear.hybrid", config_.linear.hybrid, true, "network and linear model together are better than either");
    }
    const double rare = real(data_.rare_labels) / std::max(1.0, real(data_.labels));
    if (!has_linear(config_) || rare < kManyRare) return;
    const std::string why =
        fmt::format("{:.0f} % of the labels have fewer than {} documents", 100 * rare, CorpusFigures::kRareBelow);
    set("linear.neighbours", config_.linear.neighbours, true,
        why + "; the model will contain the words of the training documents");
    if (data_.named_labels) set("linear.names", config_.linear.names, true, why);
  }

  void choose_text() {
    const bool vectors = circumstances_.vector_width > 0;
    const int64_t width = vectors ? circumstances_.vector_width : kVectorWidth;
    const char* why = vectors ? "as the word vectors have" : "enough for vectors that the documents alone teach";
    set("model.word_embedding", config_.model.word_embedding, width, why);
    set("model.label_embedding", config_.model.label_embedding, width, why);
    set("text.min_count", config_.text.min_count, int64_t{2}, "nothing can be learnt about words that occur once");
  }

  void choose_loss() {
    if (variant_of(config_).sequence) return;
    const double share = share_at_or_below_mean(data_.label_set_sizes);
    set("loss.scheme", config_.loss.scheme, std::string(share > 0.5 ? "first_n" : "all"),
        fmt::format("{:.0f} % of the documents have at most the mean number of labels", 100 * share));
    const bool close_in_meaning = circumstances_.vector_width > 0 && data_.named_labels;
    set("loss.lambda", config_.loss.lambda, close_in_meaning ? 2.0 : 0.0,
        close_in_meaning     ? "the vectors of names tell which labels are close in meaning"
        : data_.named_labels ? "without --vectors nothing tells which labels are close in meaning"
                             : "labels without names have no vectors that tell which are close in meaning");
  }

  void choose_network() {
    const int64_t steps = std::max<int64_t>(1, static_cast<int64_t>(quantile(data_.label_set_sizes, 0.99)));
    set("model.steps", config_.model.steps, steps, fmt::format("99 % of the documents have at most {} labels", steps));
    const auto most = static_cast<int64_t>(quantile(data_.lengths, 0.95));
    set("model.max_words", config_.model.max_words, std::clamp(most, kLeastWords, kMostWords),
        most > kMostWords ? std::string("more takes too long; the linear model reads everything")
                          : fmt::format("95 % of the documents have at most {} words", most));
    set("model.hidden", config_.model.hidden, int64_t{256}, "there is time for it");
    choose_kernels();
  }

  // The longest stack of convolutions whose reach most documents have; shorter documents are filled up to it.
  void choose_kernels() {
    if (!variant_of(config_).light_conv) return;
    const int64_t words = std::min(static_cast<int64_t>(quantile(data_.lengths, 0.75)), config_.model.max_words);
    LightConvConfig stack;
    while (stack.kernels.size() > 1 && receptive_field(stack) > words) stack.kernels.pop_back();
    set("model.light_conv.kernels", config_.model.light_conv.kernels, stack.kernels,
        fmt::format("they see {} words together, and a quarter of the documents have {} or more",
                    receptive_field(stack), words));
  }

  void choose_training() {
    const double documents = std::max(1.0, real(data_.documents));
    const auto epochs =
        std::clamp(static_cast<int64_t>(std::ceil(kDocumentsSeen / documents)), kLeastEpochs, kMostEpochs);
    set("training.epochs", config_.training.epochs, epochs, fmt::format("for {} documents", data_.documents));
    set("training.batch", config_.training.batch, data_.documents < kFewDocuments ? int64_t{16} : int64_t{32},
        fmt::format("for {} documents", data_.documents));
    choose_rate();
  }

  void choose_rate() {
    const bool small = config_.model.hidden <= 128;
    set("training.learning_rate", config_.training.learning_rate, small ? 0.002 : 0.0015,
        fmt::format("for {} units", config_.model.hidden));
  }

  bool fits() const {
    return training_seconds(config_, data_, circumstances_.cores) <= kShareOfTime * 3600 * circumstances_.hours;
  }

  // Gives up what costs least accuracy first. The linear model reads whole documents anyway.
  void fit_into_time() {
    const std::string why = fmt::format("fits into {}", format_duration(3600 * circumstances_.hours));
    const auto words = [&](int64_t most) {
      if (config_.model.max_words <= most) return;
      set("model.max_words", config_.model.max_words, most, why + "; the linear model reads everything");
      choose_kernels();
    };
    const auto hidden = [&](int64_t units) {
      if (config_.model.hidden <= units) return;
      set("model.hidden", config_.model.hidden, units, why);
      choose_rate();
    };
    const auto epochs = [&](int64_t most) {
      if (config_.training.epochs > most) set("training.epochs", config_.training.epochs, most, why);
    };
    const std::vector<std::function<void()>> cuts = {
        [&] { words(200); }, [&] { hidden(128); }, [&] { words(150); }, [&] { epochs(6); },
        [&] { epochs(4); },  [&] { words(100); },  [&] { epochs(3); },  [&] { hidden(64); },
        [&] { words(60); },  [&] { epochs(2); },   [&] { words(30); },  [&] { epochs(1); },
    };
    for (const auto& cut : cuts) {
      if (fits()) return;
      cut();
    }
  }

  static constexpr double kManyRare = 0.6;          // share of labels; see docs/accuracy.md on rare labels
  static constexpr double kDocumentsSeen = 200000;  // in all epochs, after which little is gained
  static constexpr int64_t kLeastEpochs = 4, kMostEpochs = 20;
  static constexpr uint64_t kFewDocuments = 5000;
  static constexpr int64_t kVectorWidth = 100;
  static constexpr int64_t kLeastWords = 16, kMostWords = 300;

  const CorpusFigures& data_;
  const Circumstances& circumstances_;
  const std::set<std::string>& given_;
  Config& config_;
  std::vector<ChosenSetting> chosen_;
};

// Operations on one document, forward and back: each weight of a product takes part in two, and twice as many back.
double operations(const Config& config, const CorpusFigures& data) {
  constexpr int64_t kAnyWords = 1;  // their vectors are looked up, not multiplied
  const double words = mean(data.lengths, static_cast<uint64_t>(config.model.max_words));
  const double phrases =
      variant_of(config).light_conv ? words / static_cast<double>(config.model.light_conv.last_stride) : 0;
  double total = 0;
  for (const Parameter& parameter : parameters_of(kAnyWords, static_cast<int64_t>(data.labels), config)) {
    const auto starts_with = [&](const char* start) { return parameter.name.rfind(start, 0) == 0; };
    if (parameter.shape.size() < 2 || parameter.name.find("embedding") != std::string::npos) continue;
    const double size = std::accumulate(parameter.shape.begin(), parameter.shape.end(), 1.0, std::multiplies<>());
    const double times = starts_with("encoder.rnn")                        ? words
                         : starts_with("decoder.attention.linear_encoder") ? words + phrases
                         : starts_with("dl_conv")                          ? words
                                                                           : static_cast<double>(config.model.steps);
    total += 6 * size * times;
  }
  return total;
}

}  // namespace

double training_seconds(const Config& config, const CorpusFigures& data, int cores) {
  return passes(config) * real(data.documents) * operations(config, data) / (kOperationsPerSecond * cores);
}

std::vector<ChosenSetting> choose_settings(const CorpusFigures& data, const Circumstances& circumstances,
                                           const std::set<std::string>& given, Config& config) {
  return Chooser(data, circumstances, given, config).choose();
}

std::string assignment_of(const ChosenSetting& setting) {
  std::string value = setting.value.dump();
  const auto is_mark = [](char c) { return c == '"' || c == '[' || c == ']'; };
  value.erase(std::remove_if(value.begin(), value.end(), is_mark), value.end());
  return setting.key + "=" + value;
}

std::vector<std::string> to_lines(const std::vector<ChosenSetting>& settings) {
  std::vector<std::string> lines;
  size_t width = 0;
  for (const ChosenSetting& one : settings) {
    lines.push_back("--set " + assignment_of(one));
    width = std::max(width, lines.back().size());
  }
  for (size_t i = 0; i < settings.size(); ++i) lines[i] = fmt::format("  {:<{}}  {}", lines[i], width, settings[i].why);
  return lines;
}

}  // namespace otseq2set::inline store
