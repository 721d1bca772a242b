#include "otseq2set/corpus/dataset.h"

#include <algorithm>

#include "otseq2set/core/random.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::inline corpus {

void Dataset::add(std::string_view id, Span<const int32_t> words, Span<const int32_t> labels) {
  words_.add(words.first(max_words_));
  labels_.add(labels);
  id_bytes_.append(id);
  ids_.push_back(id_bytes_.size());
}

int32_t Dataset::unknown_label(std::string_view name) {
  return static_cast<int32_t>(known_labels_) + unknown_.add(name);
}

Dataset Dataset::shortened(size_t max_words, int32_t word_ids) const {
  Dataset result(max_words, known_labels_);
  for (size_t i = 0; i < unknown_labels(); ++i) result.unknown_label(unknown_label_name(i));
  for (size_t i = 0; i < size(); ++i) result.add(id(i), words(i), labels(i));
  result.words_.replace([&](int32_t word) { return word < word_ids ? word : kUnknownWord; });
  return result;
}

double Dataset::unknown_share() const {
  double labels = 0, unknown = 0;
  for (size_t i = 0; i < size(); ++i) {
    for (const int32_t label : this->labels(i)) {
      ++labels;
      unknown += static_cast<size_t>(label) >= known_labels_;
    }
  }
  return labels > 0 ? unknown / labels : 0;
}

size_t Dataset::largest_label_set() const {
  size_t largest = 0;
  for (size_t i = 0; i < size(); ++i) largest = std::max(largest, labels(i).size());
  return largest;
}

std::vector<uint32_t> Dataset::lengths() const {
  std::vector<uint32_t> lengths(size());
  for (size_t i = 0; i < size(); ++i) lengths[i] = static_cast<uint32_t>(words(i).size());
  return lengths;
}

// What delimits the documents comes before the values,
// so that moving a value from one document to the next shows.
uint64_t Dataset::fingerprint() const {
  uint64_t hash = labels_.hash(words_.hash(hash_bytes("otseq2set dataset")));
  hash = hash_bytes({reinterpret_cast<const char*>(ids_.data()), ids_.size() * sizeof ids_[0]}, hash);
  return hash_bytes(id_bytes_, hash);
}

}  // namespace otseq2set::inline corpus
