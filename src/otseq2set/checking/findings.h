// What a check finds: one entry for each kind, with its count and its first places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/checking/hashed_places.h"

namespace otseq2set::inline checking {

// In the order of the report; docs/checking_data.md says what each is.
enum class FindingKind {
  kUnreadableFile,
  kNoDocuments,
  kUnreadableDocument,
  kEmptyText,
  kBrokenUtf8,
  kNoLineEnd,
  kNoLabelAtAll,
  kWordVectors,
  kNoWords,
  kFewWords,
  kNoLabels,
  kDuplicateId,
  kDuplicateDocument,
  kInTrainingAndValidation,
  kLabelOnce,
  kLabelOnlyInValidation,
  kLabelSpelling,
  kLabelWithoutName,
  kTruncated,
  kMoreLabelsThanSteps,
};

// One kind of thing that was found, with the first places.
struct Finding {
  std::string kind;      // for programs: "duplicate_id"
  std::string title;     // for people: "documents with the same id as an earlier one"
  bool refused = false;  // training would not start
  uint64_t count = 0;
  std::vector<std::string> places;  // "file:line: what is there", at most max_places
};

class Findings {
 public:
  explicit Findings(size_t max_places);

  // What training would refuse. `text` makes the line that tells the place; most places are not kept.
  template <typename Text>
  void problem(FindingKind kind, const Text& text) {
    remark(kind, text);
    of(kind).refused = true;
  }
  template <typename Text>
  void remark(FindingKind kind, const Text& text) {
    Finding& finding = of(kind);
    ++finding.count;
    if (finding.places.size() < max_places_) finding.places.push_back(text());
  }
  // Lines of `file` that say what lines of `first_file` said before.
  void remark_pairs(FindingKind kind, const std::string& file, const std::string& first_file,
                    const HashedPlaces::Pairs& pairs);

  size_t max_places() const { return max_places_; }

  // Kinds that were found, those that training refuses first. Leaves nothing here.
  std::vector<Finding> take();

 private:
  Finding& of(FindingKind kind) { return findings_[static_cast<size_t>(kind)]; }

  size_t max_places_;
  std::vector<Finding> findings_;  // at the place of each kind
};

}  // namespace otseq2set::inline checking
