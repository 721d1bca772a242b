// Start values: weights and biases uniform in [-0.1, 0.1]; words and labels from pretrained vectors.
//
// A word that has a pretrained vector takes it; any other word takes a random one that depends on the seed
// and the word alone. A label's vector is the mean over the vectors of the words in its (display) name, so
// that labels that share words start close to each other even without pretrained vectors. Padding word and
// empty label are zero.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/corpus/label_vocabulary.h"
#include "otseq2set/model/network.h"
#include "otseq2set/text/tokenizer.h"
#include "otseq2set/text/vocabulary.h"
#include "otseq2set/text/word_vectors.h"

namespace otseq2set::inline model {

struct StartValues {
  uint64_t seed;
  const Vocabulary& words;
  const LabelVocabulary& labels;
  const Tokenizer& tokenizer;
  const WordVectors* vectors;  // none: nullptr
  bool labels_from_words;      // false: label vectors are random
};

void set_start_values(Network& network, const StartValues& start);

}  // namespace otseq2set::inline model
