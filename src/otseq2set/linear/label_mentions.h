// Labels whose names stand in a text.
//
// Words are compared by their beginnings, in any language: without the last two letters, but four at least and eight at
// most, so that "Küsten" and "Küste" are the same. A name may also stand there in part, by the weight (IDF) of
// its words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/core/span.h"
#include "otseq2set/corpus/label_vocabulary.h"
#include "otseq2set/linear/ngram_features.h"
#include "otseq2set/text/tokenizer.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::inline linear {

struct Mention {
  int32_t label;
  float share;     // of the name's words, by weight
  float weight;    // of all the name's words together
  bool phrase;     // the whole name, one word behind the other
  uint32_t count;  // times that the rarest word of a whole name stands in the text; 0 if the name is not whole
};

class LabelMentions {
 public:
  // Names that are URIs are none.
  LabelMentions(const LabelVocabulary& labels, const Vocabulary& words, const Tokenizer& tokenizer,
                const NgramFeatures& features);

  // Of every label of which the text has a word, ascending by label.
  std::vector<Mention> find(Span<const int32_t> words) const;

 private:
  struct Name {
    std::vector<int32_t> stems;     // in their order
    std::vector<int32_t> distinct;  // ascending
    float weight;
  };

  std::vector<int32_t> stem_of_word_;  // by word id; -1: in no name
  std::vector<float> weights_;         // of the stems
  std::vector<Name> names_;            // of the labels
  std::vector<std::vector<int32_t>> labels_of_stem_;
};

}  // namespace otseq2set::inline linear
