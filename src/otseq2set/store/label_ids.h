// Ids of the model's two vocabularies. Words come with their own ids (text/vocabulary.h); labels are numbered
// 0 .. L - 1 everywhere outside the model and follow three special ids inside it.
#pragma once

#include <cstdint>

namespace otseq2set::inline store {

constexpr int64_t kEndLabel = 0;    // ends a sequence; the set losses never ask for it
constexpr int64_t kEmptyLabel = 1;  // "no label at this step", also the padding of label sequences
constexpr int64_t kStartLabel = 2;  // what step 0 reads
constexpr int64_t kFirstLabel = 3;  // label l has the id l + kFirstLabel

}  // namespace otseq2set::inline store
