#include "otseq2set/data/dataset.h"

#include <algorithm>

#include "otseq2set/core/random.h"

namespace otseq2set {

namespace {

template <typename T>
uint64_t hash_array(const std::vector<T>& values, uint64_t start) {
  return hash_bytes({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}, start);
}

}  // namespace

void Dataset::add(std::string_view id, Span<const int32_t> words, Span<const int32_t> labels) {
  const auto kept = words.first(max_words_);
  words_.insert(words_.end(), kept.begin(), kept.end());
  labels_.insert(labels_.end(), labels.begin(), labels.end());
  id_bytes_.append(id);
  word_offsets_.push_back(words_.size());
  label_offsets_.push_back(labels_.size());
  ids_.push_back(id_bytes_.size());
}

int32_t Dataset::unknown_label(std::string_view name) {
  return static_cast<int32_t>(known_labels_) + unknown_.add(name);
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

// The offsets come before what they delimit, so that moving a value from one document to the next shows.
uint64_t Dataset::fingerprint() const {
  uint64_t hash = hash_array(word_offsets_, hash_bytes("otseq2set dataset"));
  hash = hash_array(words_, hash);
  hash = hash_array(label_offsets_, hash);
  hash = hash_array(labels_, hash);
  hash = hash_array(ids_, hash);
  return hash_bytes(id_bytes_, hash);
}

}  // namespace otseq2set
