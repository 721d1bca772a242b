#include "otseq2set/checking/label_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "otseq2set/core/random.h"
#include "otseq2set/text/label_words.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline checking {

namespace {

constexpr size_t kLongestShown = 200;  // bytes of a label; URIs often differ at their end

}  // namespace

void LabelCheck::add(Part part, const Document& document, uint64_t line) {
  for (size_t i = 0; i < document.labels.size(); ++i) {
    const int32_t number = names_.add(document.labels[i]);
    if (uses_.size() < names_.size()) {
      uses_.emplace_back().line = static_cast<uint32_t>(std::min<uint64_t>(line, UINT32_MAX));
    }
    Use& use = uses_[number];
    ++(part == Part::kTraining ? use.in_training : use.in_validation);
    use.named = use.named || (!document.label_names.empty() && !document.label_names[i].empty());
    use.learnt = use.learnt || (part == Part::kTraining && document.error.empty());
  }
}

std::string LabelCheck::shown(size_t label) const {
  return excerpt(names_[static_cast<int32_t>(label)], kLongestShown);
}

void LabelCheck::find(const std::string& training_file, const std::string& validation_file, Findings& findings) const {
  std::unordered_map<uint64_t, size_t> by_spelling;  // the first label with that hash
  const auto place = [&](size_t label) {
    const Use& use = uses_[label];
    return fmt::format("{}:{}", use.in_training > 0 ? training_file : validation_file, use.line);
  };
  for (size_t i = 0; i < uses_.size(); ++i) {
    const auto text = [&] { return fmt::format("{}: '{}'", place(i), shown(i)); };
    if (uses_[i].in_training == 1) findings.remark(FindingKind::kLabelOnce, text);
    if (uses_[i].in_training == 0) findings.remark(FindingKind::kLabelOnlyInValidation, text);
    const auto [first, is_new] = by_spelling.emplace(hash_bytes(fold_spelling(names_[static_cast<int32_t>(i)])), i);
    if (is_new) continue;
    const size_t other = first->second;
    findings.remark(FindingKind::kLabelSpelling,
                    [&] { return fmt::format("{}, like '{}' at {}", text(), shown(other), place(other)); });
  }
}

void LabelCheck::find_unnamed(const std::string& training_file, Findings& findings) const {
  const bool none = std::none_of(uses_.begin(), uses_.end(), [](const Use& use) { return use.learnt && use.named; });
  for (size_t i = 0; i < uses_.size(); ++i) {
    if (!uses_[i].learnt || uses_[i].named) continue;
    const auto text = [&] { return fmt::format("{}:{}: '{}'", training_file, uses_[i].line, shown(i)); };
    if (none) {
      findings.problem(FindingKind::kLabelWithoutName, text);
    } else {
      findings.remark(FindingKind::kLabelWithoutName, text);
    }
  }
}

uint64_t LabelCheck::learnt() const {
  return static_cast<uint64_t>(std::count_if(uses_.begin(), uses_.end(), [](const Use& use) { return use.learnt; }));
}

uint64_t LabelCheck::rare(uint64_t below) const {
  return static_cast<uint64_t>(
      std::count_if(uses_.begin(), uses_.end(), [&](const Use& use) { return use.learnt && use.in_training < below; }));
}

uint64_t LabelCheck::with_words(const Tokenizer& tokenizer) const {
  uint64_t count = 0;
  for (size_t i = 0; i < uses_.size(); ++i) {
    if (!uses_[i].learnt) continue;
    count += uses_[i].named || !label_words(std::string(names_[static_cast<int32_t>(i)]), tokenizer).empty();
  }
  return count;
}

}  // namespace otseq2set::inline checking
