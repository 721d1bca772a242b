// A label of an answer.
#pragma once

#include <cstdint>

namespace otseq2set::inline evaluation {

struct ScoredLabel {
  int32_t label;  // index into the LabelVocabulary
  float score;
};

}  // namespace otseq2set::inline evaluation
