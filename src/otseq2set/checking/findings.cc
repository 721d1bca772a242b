#include "otseq2set/checking/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace otseq2set::inline checking {

Findings::Findings(size_t max_places) : max_places_(max_places) {
  static constexpr const char* kKinds[][2] = {
      {"unreadable_file", "files that cannot be read to the end"},
      {"no_documents", "files without documents"},
      {"unreadable_document", "documents that cannot be read"},
      {"empty_text", "documents without text"},
      {"broken_utf8", "documents that are not UTF-8"},
      {"no_line_end", "files that end without a line end, and may have been cut short"},
      {"no_label_at_all", "training files without any labels"},
      {"word_vectors", "files of word vectors that do not fit"},
      {"no_words", "documents whose text has no word"},
      {"few_words", "training files whose texts have hardly any words"},
      {"no_labels", "documents without labels"},
      {"duplicate_id", "documents with the same id as an earlier one"},
      {"duplicate_document", "documents with the same words as an earlier one"},
      {"in_training_and_validation", "validation documents with the same words as a training document"},
      {"label_once", "labels that occur only once in training"},
      {"label_only_in_validation", "labels that occur only in validation"},
      {"label_spelling", "labels that differ from an earlier one only in case or spacing"},
      {"label_without_name", "labels of training documents that --label-names does not name"},
      {"truncated", "documents that are cut to model.max_words"},
      {"more_labels_than_steps", "documents with more labels than model.steps"},
  };
  for (const auto& [kind, title] : kKinds) {
    findings_.emplace_back();
    findings_.back().kind = kind;
    findings_.back().title = title;
  }
}

void Findings::remark_pairs(FindingKind kind, const std::string& file, const std::string& first_file,
                            const HashedPlaces::Pairs& pairs) {
  Finding& finding = of(kind);
  finding.count += pairs.count;
  for (const auto& pair : pairs.first_pairs) {
    if (finding.places.size() == max_places_) break;
    finding.places.push_back(fmt::format("{}:{}: same as {}:{}", file, pair.line, first_file, pair.first));
  }
}

std::vector<Finding> Findings::take() {
  std::vector<Finding> found;
  for (Finding& finding : findings_) {
    if (finding.count > 0) found.push_back(std::move(finding));
  }
  findings_.clear();
  std::stable_partition(found.begin(), found.end(), [](const Finding& finding) { return finding.refused; });
  return found;
}

}  // namespace otseq2set::inline checking
