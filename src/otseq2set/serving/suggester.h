// What the server needs of a model, and no more:
// so that queue, batches, reload and stop can be tested without one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace otseq2set::inline serving {

struct Question {
  std::string text;                 // UTF-8
  std::optional<size_t> limit;      // the best of all labels by score
  std::optional<double> threshold;  // all labels whose score reaches it
  bool explain = false;             // with the words that led to each label
  bool leave_out = false;           // and how far the label's score falls without each; with explain
  // neither limit nor threshold: the set that the model gives
};

// Where in the text a label comes from.
struct SuggestedWord {
  size_t begin, end;  // code points of the text, [begin, end)
  float weight;
  std::optional<float> fall = {};  // with Question::leave_out
};

// What a word or a pair of words adds to the linear model's margin.
struct SuggestedNgram {
  size_t begin, end;  // code points of the text, [begin, end)
  float share;
};

struct SuggestedLabel {
  std::string label;  // what tells it apart, such as a URI
  std::string name;   // what people call it; the same where there is no other
  float score;
  std::vector<SuggestedWord> words = {};    // with Question::explain
  std::vector<SuggestedNgram> ngrams = {};  // likewise, of a model with a linear part
  // Likewise, of a model with linear.neighbours or linear.names: 0 .. 1, see inference/explanation.h.
  std::optional<float> neighbours = {}, name_in_text = {};
};

struct Suggestion {
  std::vector<SuggestedLabel> labels;  // by score, best first; none for a text without words
  size_t words_total = 0;              // of the text
  size_t words_read = 0;
  size_t words_unknown = 0;        // of those read, to the model
  std::optional<size_t> cut = {};  // the code point at which the model stopped reading, if before the end
};

// Const and thread-safe.
class Suggester {
 public:
  virtual ~Suggester() = default;

  virtual size_t label_count() const = 0;

  // How much work a text is, roughly: batches are made of texts that are alike in it.
  virtual size_t length(const std::string& text) const = 0;

  // Called by each thread that will call `suggest`, before it does.
  virtual void warm_up() const {}

  // One suggestion a question, in the order given.
  virtual std::vector<Suggestion> suggest(const std::vector<const Question*>& questions) const = 0;
};

}  // namespace otseq2set::inline serving
