#include "otseq2set/config/fields.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/core/nearest_name.h"

namespace otseq2set::inline config {

namespace {

constexpr int64_t kMany = 1LL << 40;

// A field whose new value must be JSON that `fits`.
// `at` maps a Config to the value: [](auto& c) -> auto& { return c.model.hidden; }
template <typename At, typename Fits>
Field field(const char* key, At at, std::string valid, const char* help, Fits fits) {
  return {key, help, std::move(valid), [at](const Config& config) { return Json(at(config)); },
          [at, fits](Config& config, const Json& json) {
            if (!fits(json)) return false;
            json.get_to(at(config));
            return true;
          }};
}

bool is_integer(const Json& json, int64_t low, int64_t high) {
  if (!json.is_number_integer()) return false;
  if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{kMany}) return false;
  return json.get<int64_t>() >= low && json.get<int64_t>() <= high;
}

template <typename At>
Field integer(const char* key, At at, int64_t low, int64_t high, const char* help) {
  return field(key, at, fmt::format("an integer from {} to {}", low, high), help,
               [low, high](const Json& json) { return is_integer(json, low, high); });
}

// Real numbers from low to high; `above_low` leaves low itself out.
template <typename At>
Field real(const char* key, At at, double low, bool above_low, double high, const char* help) {
  const char* from = above_low ? "above" : "from";
  return field(key, at, fmt::format("a number {} {}, at most {}", from, low, high), help,
               [low, above_low, high](const Json& json) {
                 if (!json.is_number()) return false;
                 const double value = json.get<double>();
                 return (above_low ? value > low : value >= low) && value <= high;
               });
}

template <typename At>
Field choice(const char* key, At at, const std::vector<std::string>& choices, const char* help) {
  return field(key, at, fmt::format("one of {}", fmt::join(choices, ", ")), help, [choices](const Json& json) {
    return json.is_string() && std::find(choices.begin(), choices.end(), json.get<std::string>()) != choices.end();
  });
}

template <typename At>
Field truth(const char* key, At at, const char* help) {
  return field(key, at, "true or false", help, [](const Json& json) { return json.is_boolean(); });
}

template <typename At>
Field integers(const char* key, At at, size_t least, int64_t low, int64_t high, const char* help) {
  return field(
      key, at, fmt::format("a list of integers from {} to {}", low, high), help, [least, low, high](const Json& json) {
        return json.is_array() && json.size() >= least && json.size() <= 64 &&
               std::all_of(json.begin(), json.end(), [&](const Json& item) { return is_integer(item, low, high); });
      });
}

#define AT(path) \
  [](auto& c) -> auto& { return c.path; }

std::vector<Field> make_fields() {
  return {
      choice("variant", AT(variant), variant_names(), "row of the paper's tables to train, or linear"),
      integer("model.hidden", AT(model.hidden), 1, 65536, "GRU units, per direction in the encoder"),
      integer("model.word_embedding", AT(model.word_embedding), 1, 65536, "numbers per word vector"),
      integer("model.label_embedding", AT(model.label_embedding), 1, 65536, "numbers per label vector"),
      integer("model.encoder_layers", AT(model.encoder_layers), 1, 16, "bidirectional GRU layers"),
      integer("model.bottleneck", AT(model.bottleneck), 0, 65536, "width before the output layer, 0 = none"),
      integer("model.max_words", AT(model.max_words), 1, 1000000, "words of a document that are read"),
      integer("model.steps", AT(model.steps), 0, 65536, "decoding steps, 0 = largest training label set"),
      integer("model.labels", AT(model.labels), 0, 100000000, "number of labels; set by the training data"),
      integer("model.words", AT(model.words), 0, 100000000, "number of words that the network knows; set by training"),
      real("model.dropout", AT(model.dropout), 0, false, 0.95, "share of values set to zero in training"),
      choice("model.label_vectors", AT(model.label_vectors), {"words", "random"},
             "start of label vectors: mean of their words' vectors, or random"),
      integers("model.light_conv.kernels", AT(model.light_conv.kernels), 1, 1, 1000, "kernel widths, one per layer"),
      integer("model.light_conv.last_stride", AT(model.light_conv.last_stride), 1, 1000, "stride of the last layer"),
      integer("model.light_conv.heads", AT(model.light_conv.heads), 0, 131072,
              "kernels per layer, channel c uses kernel c mod heads; 0 = one per channel"),
      choice("loss.scheme", AT(loss.scheme), {"all", "first_n"}, "steps that labels are matched to"),
      real("loss.lambda", AT(loss.lambda), 0, false, 1e6, "weight of the transport term"),
      real("loss.lambda_empty", AT(loss.lambda_empty), 0, true, 1e6, "weight of a step without a label"),
      integer("training.epochs", AT(training.epochs), 1, 1000000, "passes over the training data"),
      integer("training.batch", AT(training.batch), 1, 65536, "documents per step"),
      real("training.learning_rate", AT(training.learning_rate), 0, true, 1e6,
           "learning rate at the start of the cosine schedule"),
      choice("training.schedule", AT(training.schedule), {"epochs", "steps"},
             "the learning rate falls after each epoch, as in the paper, or after each step"),
      real("training.warmup", AT(training.warmup), 0, false, 0.9,
           "share of all steps during which the learning rate rises to its starting value"),
      real("training.average", AT(training.average), 0, false, 0.99999,
           "weight of the past in a moving average of the parameters, which becomes the model; 0 = no average"),
      real("training.word_dropout", AT(training.word_dropout), 0, false, 0.95,
           "share of words that are treated as unknown in training"),
      real("training.clip", AT(training.clip), 0, true, 1e12, "largest gradient norm"),
      real("training.valid_fraction", AT(training.valid_fraction), 0, false, 0.9,
           "share of the training data held out if no validation file is given"),
      integer("training.early_stopping", AT(training.early_stopping), 0, 1000000,
              "epochs without a better validation micro-F1 before stopping, 0 = never"),
      truth("training.lazy_adam", AT(training.lazy_adam),
            "do not update word and label vectors that have no gradient, nor their moments"),
      integer("training.seed", AT(training.seed), 0, kMany, "the same seed gives the same model"),
      integers("training.more_seeds", AT(training.more_seeds), 0, 0, kMany,
               "seeds of additional networks, whose scores are averaged; training.seed selects the held-out documents "
               "for all"),
      truth("training.refit", AT(training.refit),
            "after choosing the number of epochs and the rule for answers, train again on all documents"),
      choice("text.tokenizer", AT(text.tokenizer), {"icu", "whitespace"}, "how words are found"),
      integer("text.vocabulary", AT(text.vocabulary), 1, 100000000, "number of words to keep, the most frequent ones"),
      integer("text.min_count", AT(text.min_count), 1, kMany, "occurrences a word needs to be kept"),
      truth("linear.hybrid", AT(linear.hybrid), "also train a linear model and combine its scores with the network's"),
      integer("linear.max_words", AT(linear.max_words), 1, 100000000,
              "words of a document that the linear model reads"),
      integer("linear.vocabulary", AT(linear.vocabulary), 1, 100000000,
              "number of words that the linear model knows, the most frequent ones"),
      integer("linear.pairs", AT(linear.pairs), 0, kMany,
              "number of documents in which two neighbouring words must occur to be a feature, 0 = no pairs"),
      real("linear.c", AT(linear.c), 0, true, 1e6,
           "weight of errors relative to that of small weights (LIBLINEAR's C)"),
      real("linear.tolerance", AT(linear.tolerance), 0, true, 1, "how far from the optimum training may stop"),
      real("linear.prune", AT(linear.prune), 0, false, 1e6, "smaller weights are removed"),
      integer("linear.flat_labels", AT(linear.flat_labels), 1, 100000000,
              "with more labels than this, a tree of labels is used"),
      truth("linear.neighbours", AT(linear.neighbours),
            "also use the labels of the most similar training documents, whose words the model then contains"),
      truth("linear.names", AT(linear.names), "also use label names that occur in the text"),
      real("evaluation.propensity_a", AT(evaluation.propensity_a), 0, false, 100, "A of the propensity model"),
      real("evaluation.propensity_b", AT(evaluation.propensity_b), 0, false, 1e6, "B of the propensity model"),
  };
}

#undef AT

const Field& find_field(const std::string& key, const std::string& source) {
  std::vector<std::string> keys;
  for (const Field& field : fields()) {
    if (field.key == key) return field;
    keys.push_back(field.key);
  }
  fail_usage("{}: unknown configuration key '{}' (did you mean '{}'?)", source, key, nearest_name(key, keys));
}

// Lists of lists may be nested deeper than copying or writing them out, level by level, can take.
std::string shown(const Json& value) {
  const auto nested = [](const Json& item) { return item.is_structured(); };
  if (value.is_array() && std::any_of(value.begin(), value.end(), nested)) return "a nested list";
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void set_field(Config& config, const std::string& key, const Json& value, const std::string& source) {
  const Field& field = find_field(key, source);
  if (!field.set(config, value)) {
    fail_usage("{}: {} is {}, but must be {}", source, key, shown(value), field.valid);
  }
}

// Goes little deeper than keys do: files may come from anywhere.
void apply_object(Config& config, const Json& json, const std::string& prefix, const std::string& source,
                  int depth = 0) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest) fail_usage("{}: nested too deeply at '{}'", source, prefix);
  for (const auto& [name, value] : json.items()) {
    const std::string key = prefix.empty() ? name : prefix + "." + name;
    if (value.is_object()) {
      apply_object(config, value, key, source, depth + 1);
    } else {
      set_field(config, key, value, source);
    }
  }
}

Json parse_value(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) value = Json::parse("[" + text + "]", nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> kFields = make_fields();
  return kFields;
}

Json to_json(const Config& config) {
  Json json = Json::object();
  for (const Field& field : fields()) {
    std::string pointer = "/" + field.key;
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    json[Json::json_pointer(pointer)] = field.get(config);
  }
  return json;
}

void apply_json(Config& config, const Json& json, const std::string& source) {
  if (!json.is_object()) fail_usage("{}: a configuration must be a JSON object", source);
  apply_object(config, json, "", source);
}

void apply_assignment(Config& config, const std::string& assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos) fail_usage("--set {}: expected key=value", assignment);
  const std::string key = assignment.substr(0, equals);
  Json value = parse_value(assignment.substr(equals + 1));
  if (find_field(key, "--set").get(config).is_array() && !value.is_array()) value = Json::array({value});
  set_field(config, key, value, "--set");
}

std::vector<std::string> differences(const Config& before, const Config& now) {
  std::vector<std::string> lines;
  for (const Field& field : fields()) {
    const Json old_value = field.get(before), new_value = field.get(now);
    if (old_value != new_value) {
      lines.push_back(fmt::format("{} was {}, is now {}", field.key, old_value.dump(), new_value.dump()));
    }
  }
  return lines;
}

}  // namespace otseq2set::inline config
