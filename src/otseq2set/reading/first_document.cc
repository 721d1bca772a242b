#include "otseq2set/reading/first_document.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

namespace {

constexpr size_t kCharacters = 80;  // of the text are shown,
constexpr size_t kLabels = 5;       // and so many labels

std::string beginning(std::string_view text) {
  size_t characters = 0, end = 0;
  for_each_character(text.substr(0, 4 * kCharacters), [&](UChar32, size_t, size_t character_end) {
    if (characters++ < kCharacters) end = character_end;
  });
  return excerpt(text, end);
}

std::string describe_labels(const std::vector<std::string>& labels) {
  if (labels.empty()) return "no labels";
  const auto shown = static_cast<ptrdiff_t>(std::min(labels.size(), kLabels));
  std::vector<std::string> names;
  std::transform(labels.begin(), labels.begin() + shown, std::back_inserter(names),
                 [](const std::string& label) { return excerpt(label); });
  return fmt::format("labels {}{}", fmt::join(names, ", "),
                     labels.size() > kLabels ? fmt::format(" and {} more", labels.size() - kLabels) : "");
}

}  // namespace

FirstDocument first_document(const Document& document, const Tokenizer& tokenizer) {
  FirstDocument first{document.id, beginning(document.text), 0, document.labels};
  tokenizer.for_each_word(document.text, [&](std::string_view, size_t, size_t) { ++first.words; });
  for (size_t i = 0; i < document.label_names.size(); ++i) {
    if (!document.label_names[i].empty()) first.labels[i] = document.label_names[i];
  }
  return first;
}

std::string describe(const std::string& file, std::optional<Format> format, const FirstDocument& first) {
  return fmt::format("{}: {}first document: id {}, {} words: \"{}\", {}", file,
                     format ? fmt::format("{}; ", format_name(*format)) : "", excerpt(first.id), first.words,
                     first.text, describe_labels(first.labels));
}

}  // namespace otseq2set::inline reading
