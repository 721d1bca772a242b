#include "otseq2set/data/data_check.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "otseq2set/core/error.h"
#include "otseq2set/core/random.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/data/document_chunks.h"
#include "otseq2set/data/hash_set.h"
#include "otseq2set/data/hashed_places.h"
#include "otseq2set/text/line_reader.h"
#include "otseq2set/text/string_index.h"
#include "otseq2set/text/tokenizer.h"
#include "otseq2set/text/unicode.h"
#include "otseq2set/text/word_vectors.h"

namespace otseq2set {

namespace {

constexpr double kNearlyEqual = 0.05;  // shares that far from one half say little

// Of a kind there is one entry, and they are reported in this order.
enum Kind {
  kUnreadableFile,
  kNoDocuments,
  kUnreadableDocument,
  kEmptyText,
  kBrokenUtf8,
  kNoLabelAtAll,
  kWordVectors,
  kNoWords,
  kNoLabels,
  kDuplicateId,
  kDuplicateDocument,
  kInTrainingAndValidation,
  kLabelOnce,
  kLabelOnlyInValidation,
  kLabelSpelling,
  kTruncated,
  kMoreLabelsThanSteps,
};

std::vector<Finding> all_kinds() {
  static constexpr const char* kKinds[][2] = {
      {"unreadable_file", "files that cannot be read to their end"},
      {"no_documents", "files without documents"},
      {"unreadable_document", "documents that cannot be read"},
      {"empty_text", "documents without text"},
      {"broken_utf8", "documents that are not UTF-8"},
      {"no_label_at_all", "training files without a label"},
      {"word_vectors", "files of word vectors that do not fit"},
      {"no_words", "documents whose text has no word"},
      {"no_labels", "documents without labels"},
      {"duplicate_id", "documents whose id an earlier one has"},
      {"duplicate_document", "documents with the words of an earlier one"},
      {"in_training_and_validation", "validation documents with the words of a training document"},
      {"label_once", "labels that occur once in training"},
      {"label_only_in_validation", "labels that occur in validation alone"},
      {"label_spelling", "labels that differ from an earlier one in case or spacing alone"},
      {"truncated", "documents that are cut to model.max_words"},
      {"more_labels_than_steps", "documents with more labels than model.steps"},
  };
  std::vector<Finding> findings;
  for (const auto& [kind, title] : kKinds) {
    findings.emplace_back();
    findings.back().kind = kind;
    findings.back().title = title;
  }
  return findings;
}

uint64_t line_of(const std::string& place) {
  uint64_t line = 0;
  const size_t colon = place.rfind(':');
  if (colon != std::string::npos)
    std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  return line;
}

double ratio(double a, double b) { return b > 0 ? a / b : 0; }
double as_double(uint64_t value) { return static_cast<double>(value); }

// The words of some documents, as hashes.
struct BlockWords {
  struct Text {
    uint64_t words = 0, hash = 0;
    bool utf8 = true;
  };
  std::vector<Text> texts;
  HashSet seen;
  std::vector<uint64_t> distinct;  // in the order of appearance
  uint64_t tokens_with_vector = 0;
};

class DataChecker {
 public:
  explicit DataChecker(const CheckOptions& options)
      : options_(options), tokenizer_(Tokenizer::make(options.tokenizer)), findings_(all_kinds()) {}

  void read_vectors();
  void read_training(const DataFiles& files);
  void read_validation(const DataFiles& files);
  CheckReport finish();

 private:
  struct Part {
    std::string name;
    PartSummary summary;
    HashedPlaces ids, documents;
  };
  struct LabelUse {
    uint64_t in_training = 0, in_validation = 0;
    uint32_t line = 0;  // where it stands first, in training if it is there
  };

  void read(Part& part, const DataFiles& files);
  void read_all_chunks(Part& part, const DataFiles& files);
  BlockWords tokenize(const DocumentChunks& chunk, size_t block) const;
  void merge(Part& part, const DocumentChunks& chunk, size_t block_number, const BlockWords& block);
  void add_words(const BlockWords& block);
  void add_error(const Document& document);
  void add_document(Part& part, const Document& document, const BlockWords::Text& text);
  void add_labels(Part& part, const Document& document);
  void find_duplicates();
  void find_labels();

  template <typename Text>  // a function, as most places are not kept
  void add(Kind kind, bool refused, const Text& text) {
    Finding& finding = findings_[kind];
    ++finding.count;
    finding.refused = finding.refused || refused;
    if (finding.places.size() < options_.max_places) finding.places.push_back(text());
  }
  void add_pairs(Kind kind, const Part& part, const Part& first, const HashedPlaces::Pairs& pairs);

  std::string place_of(const LabelUse& use) const {
    return fmt::format("{}:{}", (use.in_training > 0 ? train_ : valid_)->name, use.line);
  }

  const CheckOptions& options_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::vector<Finding> findings_;  // at the place of each kind
  std::optional<Part> train_, valid_;
  HashSet words_;  // of the training documents
  StringIndex label_names_;
  std::vector<LabelUse> labels_;
  HashSet vector_words_;
  std::optional<VectorCoverage> vectors_;
};

// Hashes of the words that have a vector, so that coverage can be counted while the texts stream by.
void DataChecker::read_vectors() {
  if (options_.vectors.empty()) return;
  VectorCoverage coverage;
  try {
    coverage.dimension = vector_dimension(options_.vectors);
    WordVectors::read(options_.vectors, coverage.dimension, [&](std::string_view word) {
      vector_words_.insert(hash_bytes(word));
      return false;
    });
  } catch (const Error& error) {
    add(kWordVectors, true, [&] { return error.what(); });
    return;
  }
  coverage.words = vector_words_.size();
  if (options_.word_embedding > 0 && coverage.dimension != options_.word_embedding) {
    add(kWordVectors, true, [&] {
      return fmt::format("{}: vectors of {} numbers, but model.word_embedding is {}", options_.vectors,
                         coverage.dimension, options_.word_embedding);
    });
  }
  vectors_ = coverage;
}

void DataChecker::read_training(const DataFiles& files) {
  read(train_.emplace(), files);
  if (train_->summary.documents > 0 && train_->summary.labels == 0) {
    add(kNoLabelAtAll, true, [&] { return train_->name; });
  }
}

void DataChecker::read_validation(const DataFiles& files) { read(valid_.emplace(), files); }

void DataChecker::read(Part& part, const DataFiles& files) {
  part.name = display_name(files.data);
  try {
    read_all_chunks(part, files);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    add(kUnreadableFile, true, [&] { return error.what(); });
  }
}

void DataChecker::read_all_chunks(Part& part, const DataFiles& files) {
  bool any = false;
  DocumentChunks chunk(files, DocumentChunks::Errors::kKeep);
  while (chunk.next()) {
    any = true;
    parallel_for_in_groups(
        static_cast<int64_t>(chunk.blocks()),
        [&](int64_t i) { return tokenize(chunk, static_cast<size_t>(i)); },
        [&](int64_t i, const BlockWords& words) { merge(part, chunk, static_cast<size_t>(i), words); });
    options_.progress(chunk.documents().size());
  }
  if (!any) add(kNoDocuments, true, [&] { return part.name; });
}

BlockWords DataChecker::tokenize(const DocumentChunks& chunk, size_t block) const {
  BlockWords words;
  chunk.for_each_in_block(block, [&](size_t i) {
    const Document& document = chunk.documents()[i];
    BlockWords::Text& text = words.texts.emplace_back();
    if (!document.error.empty()) return;
    text.utf8 = is_utf8(document.text);
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

void DataChecker::merge(Part& part, const DocumentChunks& chunk, size_t block_number,
                        const BlockWords& block) {
  auto text = block.texts.begin();
  chunk.for_each_in_block(block_number, [&](size_t i) {
    const Document& document = chunk.documents()[i];
    if (document.error.empty()) {
      add_document(part, document, *text);
    } else {
      add_error(document);
    }
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
  const auto says = [&](const char* text) { return document.error.find(text) != std::string::npos; };
  add(says("has no text") ? kEmptyText
      : says("UTF-8")     ? kBrokenUtf8
                          : kUnreadableDocument,
      true, [&] { return document.error; });
}

void DataChecker::add_document(Part& part, const Document& document, const BlockWords::Text& text) {
  const uint64_t line = line_of(document.place);
  PartSummary& summary = part.summary;
  ++summary.documents;
  summary.words += text.words;
  summary.longest = std::max(summary.longest, text.words);
  part.ids.add(hash_bytes(document.id), line);
  if (!text.utf8) add(kBrokenUtf8, false, [&] { return document.place; });
  if (text.words == 0) {
    add(kNoWords, false, [&] { return document.place; });
  } else {
    part.documents.add(text.hash, line);
  }
  if (text.words > options_.max_words) {
    summary.words_cut += text.words - options_.max_words;
    add(kTruncated, false, [&] {
      return fmt::format("{}: {} words, the last {} are cut", document.place, text.words,
                         text.words - options_.max_words);
    });
  }
  add_labels(part, document);
}

void DataChecker::add_labels(Part& part, const Document& document) {
  const size_t count = document.labels.size();
  part.summary.labels += count;
  ++part.summary.label_set_sizes[count];
  if (count == 0) add(kNoLabels, false, [&] { return document.place; });
  if (options_.steps > 0 && count > options_.steps) {
    add(kMoreLabelsThanSteps, false, [&] {
      return fmt::format("{}: {} labels, but model.steps is {}", document.place, count, options_.steps);
    });
  }
  const auto line = static_cast<uint32_t>(std::min<uint64_t>(line_of(document.place), UINT32_MAX));
  for (const std::string& name : document.labels) {
    const int32_t number = label_names_.add(name);
    if (labels_.size() < label_names_.size()) labels_.push_back({0, 0, line});
    ++(&part == &*train_ ? labels_[number].in_training : labels_[number].in_validation);
  }
}

void DataChecker::add_pairs(Kind kind, const Part& part, const Part& first,
                            const HashedPlaces::Pairs& pairs) {
  findings_[kind].count += pairs.count;
  for (const auto& pair : pairs.first_pairs) {
    if (findings_[kind].places.size() == options_.max_places) break;
    findings_[kind].places.push_back(
        fmt::format("{}:{}: as {}:{}", part.name, pair.line, first.name, pair.first));
  }
}

void DataChecker::find_duplicates() {
  for (std::optional<Part>* part : {&train_, &valid_}) {
    if (!*part) continue;
    Part& here = **part;
    add_pairs(kDuplicateId, here, here, here.ids.repeated(options_.max_places));
    add_pairs(kDuplicateDocument, here, here, here.documents.repeated(options_.max_places));
  }
  if (!valid_) return;
  add_pairs(kInTrainingAndValidation, *valid_, *train_,
            valid_->documents.also_in(train_->documents, options_.max_places));
}

// Labels are numbered by their first appearance, so places come in their order.
void DataChecker::find_labels() {
  std::unordered_map<uint64_t, int32_t> by_spelling;  // the first label with that hash
  for (size_t i = 0; i < labels_.size(); ++i) {
    const auto label = static_cast<int32_t>(i);
    const LabelUse& use = labels_[i];
    const auto text = [&] { return fmt::format("{}: '{}'", place_of(use), label_names_[label]); };
    if (use.in_training == 1) add(kLabelOnce, false, text);
    if (use.in_training == 0) add(kLabelOnlyInValidation, false, text);
    const auto found = by_spelling.emplace(hash_bytes(fold_spelling(label_names_[label])), label);
    if (found.second) continue;
    const int32_t first = found.first->second;
    add(kLabelSpelling, false, [&] {
      return fmt::format("{}, as '{}' at {}", text(), label_names_[first], place_of(labels_[first]));
    });
  }
}

CheckReport DataChecker::finish() {
  find_duplicates();
  find_labels();
  CheckReport report;
  for (Finding& finding : findings_) {
    if (finding.count > 0) report.findings.push_back(std::move(finding));
  }
  std::stable_partition(report.findings.begin(), report.findings.end(),
                        [](const Finding& finding) { return finding.refused; });
  report.train = train_->summary;
  if (valid_) report.valid = valid_->summary;
  report.distinct_words = words_.size();
  for (const LabelUse& use : labels_) report.distinct_labels += use.in_training > 0;
  report.vectors = vectors_;
  return report;
}

}  // namespace

double PartSummary::mean_labels() const { return ratio(as_double(labels), as_double(documents)); }

double PartSummary::mean_words() const { return ratio(as_double(words), as_double(documents)); }

uint64_t PartSummary::largest_label_set() const {
  return label_set_sizes.empty() ? 0 : label_set_sizes.rbegin()->first;
}

double PartSummary::share_at_or_below_mean() const {
  uint64_t below = 0;
  for (const auto& [size, count] : label_set_sizes) {
    if (as_double(size) <= mean_labels()) below += count;
  }
  return ratio(as_double(below), as_double(documents));
}

bool CheckReport::refused() const {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.refused; });
}

double CheckReport::samples_per_label() const {
  return ratio(as_double(train.labels), as_double(distinct_labels));
}

std::string CheckReport::scheme() const { return train.share_at_or_below_mean() > 0.5 ? "first_n" : "all"; }

bool CheckReport::scheme_matters_little() const {
  return std::abs(train.share_at_or_below_mean() - 0.5) < kNearlyEqual;
}

CheckReport check_data(const DataFiles& train, const std::optional<DataFiles>& valid,
                       const CheckOptions& options) {
  DataChecker checker(options);
  checker.read_vectors();
  checker.read_training(train);
  if (valid) checker.read_validation(*valid);
  return checker.finish();
}

}  // namespace otseq2set
