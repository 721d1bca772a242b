#include "otseq2set/checking/data_check.h"

#include <algorithm>
#include <charconv>

#include "otseq2set/checking/hash_set.h"
#include "otseq2set/checking/hashed_places.h"
#include "otseq2set/checking/label_check.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/random.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/reading/document_chunks.h"
#include "otseq2set/text/line_reader.h"
#include "otseq2set/text/tokenizer.h"
#include "otseq2set/text/vocabulary.h"
#include "otseq2set/text/word_vectors.h"

namespace otseq2set::inline checking {

namespace {

uint64_t line_of(const std::string& place) {
  uint64_t line = 0;
  const size_t colon = place.rfind(':');
  if (colon != std::string::npos) std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  return line;
}

constexpr uint64_t kRareBelow = 5;  // documents

// The words of some documents, as hashes.
struct BlockWords {
  struct Text {
    uint64_t words = 0, hash = 0;
  };
  std::vector<Text> texts;
  HashSet seen;
  std::vector<uint64_t> distinct;  // in the order of appearance
  uint64_t tokens_with_vector = 0;
};

class DataChecker {
 public:
  explicit DataChecker(const CheckOptions& options)
      : options_(options), tokenizer_(Tokenizer::make(options.tokenizer)), findings_(options.max_places) {}

  void read_vectors();
  void read_training(const DataFiles& files);
  void read_validation(const DataFiles& files);
  CheckReport finish();

 private:
  struct Part {
    PartSummary summary;
    HashedPlaces ids, documents;
  };

  void read(Part& part, const DataFiles& files);
  void read_all_chunks(Part& part, const DataFiles& files);
  BlockWords tokenize(const DocumentChunks& chunk, size_t block) const;
  void merge(Part& part, const DocumentChunks& chunk, size_t block_number, const BlockWords& block);
  void add_words(const BlockWords& block);
  void add_error(const Document& document);
  void add_text(Part& part, const Document& document, const BlockWords::Text& text);
  void add_id_and_labels(Part& part, const Document& document);
  void find_duplicates();
  void find_few_words();

  const CheckOptions& options_;
  std::unique_ptr<Tokenizer> tokenizer_;
  Findings findings_;
  std::optional<Part> train_, valid_;
  HashSet words_;  // of the training documents
  LabelCheck labels_;
  bool names_given_ = false;  // to the labels
  HashSet vector_words_;
  std::optional<VectorCoverage> vectors_;
};

// Hashes of the words that have a vector, so that coverage can be counted while the texts stream by.
void DataChecker::read_vectors() {
  if (options_.vectors.empty()) return;
  VectorCoverage coverage;
  try {
    coverage.dimension = vector_dimension(options_.vectors);
    WordVectors::check(options_.vectors, coverage.dimension,
                       [&](std::string_view word) { vector_words_.insert(hash_bytes(word)); });
  } catch (const Error& error) {
    findings_.problem(FindingKind::kWordVectors, [&] { return error.what(); });
    return;
  }
  coverage.words = vector_words_.size();
  if (options_.word_embedding > 0 && coverage.dimension != options_.word_embedding) {
    findings_.problem(FindingKind::kWordVectors, [&] {
      return fmt::format("{}: vectors of {} numbers, but model.word_embedding is {}", options_.vectors,
                         coverage.dimension, options_.word_embedding);
    });
  }
  vectors_ = coverage;
}

void DataChecker::read_training(const DataFiles& files) {
  read(train_.emplace(), files);
  if (train_->summary.documents > 0 && train_->summary.labels == 0) {
    findings_.problem(FindingKind::kNoLabelAtAll, [&] { return train_->summary.file; });
  }
  names_given_ = !files.label_names.empty() && train_->summary.format && !has_numbered_labels(*train_->summary.format);
}

void DataChecker::read_validation(const DataFiles& files) { read(valid_.emplace(), files); }

void DataChecker::read(Part& part, const DataFiles& files) {
  part.summary.file = display_name(files.data);
  DataFiles told = files;
  told.first = [&](std::optional<Format> format, const Document& document) {
    part.summary.format = format;
    part.summary.first = first_document(document, *tokenizer_);
  };
  try {
    read_all_chunks(part, told);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    findings_.problem(FindingKind::kUnreadableFile, [&] { return error.what(); });
  }
}

void DataChecker::read_all_chunks(Part& part, const DataFiles& files) {
  bool any = false;
  DocumentChunks chunk(files, DocumentChunks::Errors::kKeep);
  while (chunk.next()) {
    any = true;
    parallel_for_in_groups(
        static_cast<int64_t>(chunk.blocks()), [&](int64_t i) { return tokenize(chunk, static_cast<size_t>(i)); },
        [&](int64_t i, const BlockWords& words) { merge(part, chunk, static_cast<size_t>(i), words); });
    options_.progress(chunk.documents().size());
  }
  if (!any) findings_.problem(FindingKind::kNoDocuments, [&] { return part.summary.file; });
}

BlockWords DataChecker::tokenize(const DocumentChunks& chunk, size_t block) const {
  BlockWords words;
  chunk.for_each_in_block(block, [&](size_t i) {
    const Document& document = chunk.documents()[i];
    BlockWords::Text& text = words.texts.emplace_back();
    if (!document.error.empty()) return;
    tokenizer_->for_each_word(document.text, [&](std::string_view word, size_t, size_t) {
      const uint64_t hash = hash_bytes(word);
      ++text.words;
      text.hash = hash_bytes({reinterpret_cast<const char*>(&hash), sizeof hash}, text.hash);
      words.tokens_with_vector += vector_words_.contains(hash);
      if (words.seen.insert(hash)) words.distinct.push_back(hash);
    });
  });
  return words;
}

void DataChecker::merge(Part& part, const DocumentChunks& chunk, size_t block_number, const BlockWords& block) {
  auto text = block.texts.begin();
  chunk.for_each_in_block(block_number, [&](size_t i) {
    const Document& document = chunk.documents()[i];
    if (document.error.empty()) {
      add_text(part, document, *text);
    } else {
      add_error(document);
    }
    const bool lacks_text_alone = document.error_kind == ErrorKind::kNoText;
    if (document.error.empty() || lacks_text_alone) add_id_and_labels(part, document);
    ++text;
  });
  if (&part == &*train_) add_words(block);
}

void DataChecker::add_words(const BlockWords& block) {
  for (const uint64_t hash : block.distinct) {
    const bool is_new = words_.insert(hash);
    if (is_new && vectors_) vectors_->types += vector_words_.contains(hash);
  }
  if (vectors_) vectors_->tokens += block.tokens_with_vector;
}

void DataChecker::add_error(const Document& document) {
  const FindingKind kind = document.error_kind == ErrorKind::kNoText    ? FindingKind::kEmptyText
                           : document.error_kind == ErrorKind::kNotUtf8 ? FindingKind::kBrokenUtf8
                                                                        : FindingKind::kUnreadableDocument;
  findings_.problem(kind, [&] { return document.error; });
}

void DataChecker::add_text(Part& part, const Document& document, const BlockWords::Text& text) {
  PartSummary& summary = part.summary;
  summary.words += text.words;
  summary.longest = std::max(summary.longest, text.words);
  ++summary.lengths[text.words];
  if (document.open_end) findings_.remark(FindingKind::kNoLineEnd, [&] { return document.place; });
  if (!document.utf8) findings_.remark(FindingKind::kBrokenUtf8, [&] { return document.place; });
  if (text.words == 0) {
    findings_.remark(FindingKind::kNoWords, [&] { return document.place; });
  } else {
    part.documents.add(text.hash, line_of(document.place));
  }
  if (text.words > options_.max_words) {
    const uint64_t cut = text.words - options_.max_words;
    summary.words_cut += cut;
    findings_.remark(FindingKind::kTruncated,
                     [&] { return fmt::format("{}: {} words, the last {} are cut", document.place, text.words, cut); });
  }
}

// The table is of documents that can be read; what is remarkable about the others is told all the same.
void DataChecker::add_id_and_labels(Part& part, const Document& document) {
  const uint64_t line = line_of(document.place);
  const size_t count = document.labels.size();
  if (document.error.empty()) {
    ++part.summary.documents;
    part.summary.labels += count;
    ++part.summary.label_set_sizes[count];
  }
  part.ids.add(hash_bytes(document.id), line);
  labels_.add(&part == &*train_ ? LabelCheck::Part::kTraining : LabelCheck::Part::kValidation, document, line);
  if (count == 0) findings_.remark(FindingKind::kNoLabels, [&] { return document.place; });
  if (options_.steps > 0 && count > options_.steps) {
    findings_.remark(FindingKind::kMoreLabelsThanSteps, [&] {
      return fmt::format("{}: {} labels, but model.steps is {}", document.place, count, options_.steps);
    });
  }
}

void DataChecker::find_duplicates() {
  const size_t most = findings_.max_places();
  for (std::optional<Part>* part : {&train_, &valid_}) {
    if (!*part) continue;
    Part& here = **part;
    const std::string& file = here.summary.file;
    findings_.remark_pairs(FindingKind::kDuplicateId, file, file, here.ids.repeated(most));
    findings_.remark_pairs(FindingKind::kDuplicateDocument, file, file, here.documents.repeated(most));
  }
  if (!valid_) return;
  findings_.remark_pairs(FindingKind::kInTrainingAndValidation, valid_->summary.file, train_->summary.file,
                         valid_->documents.also_in(train_->documents, most));
}

void DataChecker::find_few_words() {
  const PartSummary& train = train_->summary;
  if (!has_hardly_any_words(train.documents, train.words, words_.size())) return;
  findings_.remark(FindingKind::kFewWords, [&] {
    return fmt::format("{}: {} different words, {:.1f} per document; is this the text?", train.file, words_.size(),
                       train.mean_words());
  });
}

CheckReport DataChecker::finish() {
  find_duplicates();
  find_few_words();
  labels_.find(train_->summary.file, valid_ ? valid_->summary.file : "", findings_);
  if (names_given_) labels_.find_unnamed(train_->summary.file, findings_);
  CheckReport report;
  report.findings = findings_.take();
  report.train = train_->summary;
  if (valid_) report.valid = valid_->summary;
  report.distinct_words = words_.size();
  report.distinct_labels = labels_.learnt();
  report.rare_labels = labels_.rare(kRareBelow);
  report.named_labels = labels_.with_words(*tokenizer_);
  report.vectors = vectors_;
  return report;
}

}  // namespace

CheckReport check_data(const DataFiles& train, const std::optional<DataFiles>& valid, const CheckOptions& options) {
  DataChecker checker(options);
  checker.read_vectors();
  checker.read_training(train);
  if (valid) checker.read_validation(*valid);
  return checker.finish();
}

}  // namespace otseq2set::inline checking
