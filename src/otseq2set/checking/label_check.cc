#include "otseq2set/checking/label_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "otseq2set/core/random.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline checking {

namespace {

constexpr size_t kLongestShown = 200;  // bytes of a label; URIs often differ at their end

}  // namespace

void LabelCheck::add(Part part, const Document& document, uint64_t line) {
  for (const std::string& name : document.labels) {
    const int32_t number = names_.add(name);
    if (uses_.size() < names_.size()) {
      uses_.emplace_back().line = static_cast<uint32_t>(std::min<uint64_t>(line, UINT32_MAX));
    }
    Use& use = uses_[number];
    ++(part == Part::kTraining ? use.in_training : use.in_validation);
    use.learnt = use.learnt || (part == Part::kTraining && document.error.empty());
  }
}

void LabelCheck::find(const std::string& training_file, const std::string& validation_file, Findings& findings) const {
  std::unordered_map<uint64_t, size_t> by_spelling;  // the first label with that hash
  const auto name = [&](size_t label) { return names_[static_cast<int32_t>(label)]; };
  const auto shown = [&](size_t label) { return excerpt(name(label), kLongestShown); };
  const auto place = [&](size_t label) {
    const Use& use = uses_[label];
    return fmt::format("{}:{}", use.in_training > 0 ? training_file : validation_file, use.line);
  };
  for (size_t i = 0; i < uses_.size(); ++i) {
    const auto text = [&] { return fmt::format("{}: '{}'", place(i), shown(i)); };
    if (uses_[i].in_training == 1) findings.remark(FindingKind::kLabelOnce, text);
    if (uses_[i].in_training == 0) findings.remark(FindingKind::kLabelOnlyInValidation, text);
    const auto [first, is_new] = by_spelling.emplace(hash_bytes(fold_spelling(name(i))), i);
    if (is_new) continue;
    const size_t other = first->second;
    findings.remark(FindingKind::kLabelSpelling,
                    [&] { return fmt::format("{}, like '{}' at {}", text(), shown(other), place(other)); });
  }
}

uint64_t LabelCheck::learnt() const {
  return static_cast<uint64_t>(std::count_if(uses_.begin(), uses_.end(), [](const Use& use) { return use.learnt; }));
}

}  // namespace otseq2set::inline checking
