#include "otseq2set/corpus/corpus_builder.h"

#include <algorithm>
#include <utility>

#include "otseq2set/core/threads.h"

namespace otseq2set::inline corpus {

std::vector<std::pair<std::string, uint64_t>> Counter::counted() const {
  std::vector<std::pair<std::string, uint64_t>> counted;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] > 0) counted.emplace_back(strings_[static_cast<int32_t>(i)], counts_[i]);
  }
  return counted;
}

std::vector<int32_t> Counter::add_all(const Counter& other) {
  std::vector<int32_t> numbers = strings_.add_all(other.strings_);
  counts_.resize(strings_.size());
  for (size_t i = 0; i < numbers.size(); ++i) counts_[numbers[i]] += other.counts_[i];
  return numbers;
}

CorpusBuilder::CorpusBuilder(const CorpusOptions& options)
    : options_(options), tokenizer_(Tokenizer::make(options.tokenizer)) {
  corpus_.train = Dataset(options.max_words);
  corpus_.valid = Dataset(options.max_words);
}

void CorpusBuilder::add(const DocumentChunks& chunk, const std::vector<bool>& held_out) {
  parallel_for_in_groups(
      static_cast<int64_t>(chunk.blocks()),
      [&](int64_t i) { return tokenize(chunk, static_cast<size_t>(i), held_out); },
      [&](int64_t i, const Block& block) { merge(chunk, static_cast<size_t>(i), block, held_out); });
}

CorpusBuilder::Block CorpusBuilder::tokenize(const DocumentChunks& chunk, size_t block_number,
                                             const std::vector<bool>& held_out) const {
  Block block;
  chunk.for_each_in_block(block_number, [&](size_t i) {
    const uint64_t count = held_out[i] ? 0 : 1;
    size_t words = 0;
    tokenizer_->for_each_word(chunk.documents()[i].text, [&](std::string_view word, size_t, size_t) {
      const int32_t number = block.words.add(word, count);
      if (words++ < options_.max_words) block.ids.push_back(number);
    });
    block.kept.push_back(std::min(words, options_.max_words));
    block.words_read += count * words;
    block.documents_cut += count * (words > options_.max_words);
  });
  return block;
}

void CorpusBuilder::merge(const DocumentChunks& chunk, size_t block_number, const Block& block,
                          const std::vector<bool>& held_out) {
  const std::vector<int32_t> numbers = words_.add_all(block.words);
  auto id = block.ids.begin();
  auto kept = block.kept.begin();
  std::vector<int32_t> ids;
  chunk.for_each_in_block(block_number, [&](size_t i) {
    const Document& document = chunk.documents()[i];
    ids.clear();
    for (const auto end = id + *kept++; id != end; ++id) ids.push_back(numbers[*id]);
    Dataset& part = held_out[i] ? corpus_.valid : corpus_.train;
    part.add(document.id, ids, number_labels(document, !held_out[i]));
    part.warnings().add(document);
  });
  corpus_.words_read += block.words_read;
  corpus_.documents_cut += block.documents_cut;
}

std::vector<int32_t> CorpusBuilder::number_labels(const Document& document, bool counts) {
  std::vector<int32_t> numbers;
  for (const std::string& label : document.labels) numbers.push_back(labels_.add(label, counts ? 1 : 0));
  for (size_t i = 0; i < document.label_names.size(); ++i) {
    keep_display_name(numbers[i], document.label_names[i]);
  }
  return numbers;
}

// Where documents disagree, the first by its bytes, so that the order of the documents does not matter.
void CorpusBuilder::keep_display_name(int32_t label, const std::string& name) {
  if (name.empty()) return;
  if (display_names_.size() < labels_.size()) display_names_.resize(labels_.size());
  std::string& kept = display_names_[label];
  if (kept.empty() || name < kept) kept = name;
}

Corpus CorpusBuilder::finish() {
  auto counted = words_.counted();
  corpus_.distinct_words = counted.size();
  corpus_.words = Vocabulary::from_counts(std::move(counted), options_.vocabulary, options_.min_count);
  corpus_.labels = LabelVocabulary::from_counts(labels_.counted());
  for (size_t i = 0; i < display_names_.size(); ++i) {
    const int32_t index = corpus_.labels.index(labels_.text(static_cast<int32_t>(i)));
    if (index >= 0) corpus_.labels.set_display_name(index, display_names_[i]);
  }
  corpus_.word_counts.resize(corpus_.words.words());
  std::vector<int32_t> word_ids(words_.size());
  for (size_t i = 0; i < word_ids.size(); ++i) {
    const auto word = static_cast<int32_t>(i);
    word_ids[i] = corpus_.words.id(words_.text(word));
    if (word_ids[i] == kUnknownWord) continue;
    corpus_.word_counts[word_ids[i] - kFirstWord] = words_.count(word);
    corpus_.words_known += words_.count(word);
  }
  const auto word_of = [&](int32_t word) { return word_ids[word]; };
  for (Dataset* part : {&corpus_.train, &corpus_.valid}) {
    const auto label_of = [&](int32_t label) {
      const int32_t index = corpus_.labels.index(labels_.text(label));
      return index >= 0 ? index : part->unknown_label(labels_.text(label));
    };
    part->renumber(word_of, label_of, corpus_.labels.size());
  }
  return std::move(corpus_);
}

}  // namespace otseq2set::inline corpus
