// Labels for texts, inside your own program:
//
//   const auto model = otseq2set::Model::load("model");
//   for (const auto& [label, score] : model.predict("The EU sets quotas for herring."))
//     std::cout << model.label(label).name << ' ' << score << '\n';
//
// A model is loaded once and const afterwards. Any number of threads may use it at a time, each on as many threads as
// its options say; nothing is shared between models. Answers do not depend on the number of threads, nor on which texts
// are given together, though many together take less time. What goes wrong is an Error (error.h).
//
// All of the model is read into memory, and compared with the SHA-256 of its files (docs/formats.md). What becomes of
// the folder afterwards does not matter.
//
// docs/embedding.md tells more; training.h is how a model comes about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/documents.h"
#include "otseq2set/error.h"
#include "otseq2set/measures.h"
#include "otseq2set/settings.h"

namespace otseq2set::inline v1 {

struct ModelOptions {
  int threads = 0;  // that one call may use, the calling one included; 0: all cores
  int beam = 1;     // hypotheses that beam search keeps; above 1 only for the sequence models
};

// Which labels an answer has. Without any of these: the set that the model finds right, by the rule that was tuned.
struct Choice {
  std::optional<size_t> top_k = {};      // the best of all labels by score; a threshold still applies
  std::optional<double> threshold = {};  // all labels whose score reaches it
  bool greedy = false;                   // the set that decoding names, as in the paper
};

struct LabelScore {
  size_t label = 0;  // its number, for Model::label
  float score = 0;   // 0 .. 1
};
using LabelScores = std::vector<LabelScore>;  // best first

struct Label {
  std::string id;                   // what the training data tells labels apart by
  std::string name;                 // what people call it; the id where the data has no names
  uint64_t training_documents = 0;  // that have it
};

struct ExplainChoice {
  size_t words = 10;       // the heaviest of each label
  bool leave_out = false;  // also measure the fall: takes a prediction for each different word among them
};

// One place of a word in the text.
struct WordReason {
  size_t begin = 0, end = 0;       // the bytes [begin, end) of the text
  float weight = 0;                // where the model looked for the label; over all words that it read, they sum to 1
  std::optional<float> fall = {};  // with leave_out: the label's score less its score without this word
};

// A word or two neighbouring words, and what they add to the linear model's margin of a label, exactly.
struct NgramReason {
  size_t begin = 0, end = 0;  // the bytes [begin, end) of the text, at the first place
  float share = 0;
};

struct LabelReasons {
  LabelScore label;
  std::vector<WordReason> words;    // heaviest first
  std::vector<NgramReason> ngrams;  // of a model with a linear part: those that speak for the label, largest first
};

struct Reasons {
  std::vector<LabelReasons> labels;  // those of predict, best first
  size_t words_total = 0;            // of the text
  size_t words_read = 0;             // the model reads no more than its max_words
  std::optional<size_t> cut = {};    // the word at this byte and all behind it were not read
};

struct ModelInfo {
  std::string variant;   // otseq2set, seq2seq, ...
  std::string set_rule;  // "labels with a score of at least 0.31"
  size_t words = 0;      // of the vocabulary
  size_t labels = 0;
  size_t steps = 0;      // of the decoder
  size_t max_words = 0;  // of a text that are read
  size_t parameters = 0;
  uint64_t training_documents = 0;
  uint64_t validation_documents = 0;
  std::vector<Setting> settings = {};  // that it was trained with
};

class OTSEQ2SET_API Model {
 public:
  // A folder that training wrote. Copies share what is loaded.
  static Model load(const std::string& folder, const ModelOptions& options = {});

  // A text without words has no labels.
  LabelScores predict(std::string_view text, const Choice& choice = {}) const;
  // One answer a text.
  std::vector<LabelScores> predict(const std::vector<std::string>& texts, const Choice& choice = {}) const;

  // The score of every label, by its number; all 0 for a text without words.
  std::vector<float> scores(std::string_view text) const;
  std::vector<std::vector<float>> scores(const std::vector<std::string>& texts) const;

  // The labels of predict, and the words that led to each.
  Reasons explain(std::string_view text, const Choice& choice = {}, const ExplainChoice& explain = {}) const;
  std::vector<Reasons> explain(const std::vector<std::string>& texts, const Choice& choice = {},
                               const ExplainChoice& explain = {}) const;

  // Of documents whose labels are known; the choice is that of predict, and changes the measures of sets alone.
  Quality evaluate(const Documents& documents, const Choice& choice = {}) const;

  // Labels are numbered from 0, the most frequent one, to labels() - 1.
  size_t labels() const;
  Label label(size_t number) const;  // an Error when there is none
  std::optional<size_t> find_label(std::string_view id) const;
  ModelInfo info() const;

 private:
  struct Loaded;
  explicit Model(std::shared_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}

  std::shared_ptr<const Loaded> loaded_;
};

// Finds which labels make a set on documents that the model was not trained on, and keeps the rule in its folder for
// models that are loaded from now on. `measure` is what shall be best: micro-F1, macro-F1, ... Returns what was found:
// "labels with a score of at least 0.31: micro-F1 0.6275 on 2575 documents (greedy: 0.6001)"
OTSEQ2SET_API std::string tune(const std::string& folder, const Documents& documents,
                               const std::string& measure = "micro-F1", const ModelOptions& options = {});

// Of the library, such as "0.2.0".
OTSEQ2SET_API std::string version();

}  // namespace otseq2set::inline v1
