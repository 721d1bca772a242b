// Documents as numbers, in a few arrays: 4 bytes a word and a label, whatever the number of documents.
//
// words(i)   word ids (text/vocabulary.h), cut to the first max_words
// labels(i)  label indexes, distinct, in the order of the file. With L labels in the vocabulary, those that
//            it does not know are L, L + 1, ... by first appearance; in the measures they count as misses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/core/span.h"
#include "otseq2set/corpus/rows.h"
#include "otseq2set/reading/reading_warnings.h"
#include "otseq2set/text/string_index.h"

namespace otseq2set::inline corpus {

class Dataset {
 public:
  explicit Dataset(size_t max_words = SIZE_MAX, size_t known_labels = 0)
      : max_words_(max_words), known_labels_(known_labels) {}

  void add(std::string_view id, Span<const int32_t> words, Span<const int32_t> labels);

  // The index, L or more, of a label that the vocabulary does not know; the same name has the same index.
  int32_t unknown_label(std::string_view name);

  size_t size() const { return ids_.size() - 1; }
  Span<const int32_t> words(size_t i) const { return words_[i]; }
  Span<const int32_t> labels(size_t i) const { return labels_[i]; }
  std::string_view id(size_t i) const { return std::string_view(id_bytes_).substr(ids_[i], ids_[i + 1] - ids_[i]); }

  // The same documents: the first max_words words of each, those with an id of word_ids or more unknown.
  Dataset shortened(size_t max_words, int32_t word_ids) const;

  // Told of every document that is added.
  ReadingWarnings& warnings() { return warnings_; }
  const ReadingWarnings& warnings() const { return warnings_; }

  size_t known_labels() const { return known_labels_; }
  size_t unknown_labels() const { return unknown_.size(); }
  std::string_view unknown_label_name(size_t i) const { return unknown_[static_cast<int32_t>(i)]; }

  // Share of all occurrences of labels that are of labels which the vocabulary does not know; 0 without labels.
  double unknown_share() const;

  size_t largest_label_set() const;
  std::vector<uint32_t> lengths() const;  // words of each document, what epoch_batches asks for

  // Over ids, words and labels including their order:
  // equal for equal data, so that a resumed run can check it.
  uint64_t fingerprint() const;

  // Replaces every word id by word_of(id), every label by label_of(label), in order, and L by known_labels.
  template <typename WordOf, typename LabelOf>
  void renumber(const WordOf& word_of, const LabelOf& label_of, size_t known_labels) {
    known_labels_ = known_labels;
    words_.replace(word_of);
    labels_.replace(label_of);
  }

 private:
  size_t max_words_;
  size_t known_labels_;
  Rows words_;
  Rows labels_;
  std::string id_bytes_;
  std::vector<uint64_t> ids_ = {0};  // id i is the bytes [ids_[i], ids_[i + 1])
  StringIndex unknown_;
  ReadingWarnings warnings_;
};

}  // namespace otseq2set::inline corpus
