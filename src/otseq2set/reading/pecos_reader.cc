#include "otseq2set/reading/pecos_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

namespace {

bool is_finite_number(std::string_view text) {
  double value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

PecosReader::PecosReader(LineReader lines, std::optional<NumberedLabels> labels)
    : LineDocumentReader(std::move(lines), labels.has_value()), labels_(std::move(labels)) {}

Problem PecosReader::parse(std::string_view line, Document& document) {
  const size_t tab = line.find('\t');
  if (tab == std::string_view::npos)
    return "no tab; label numbers such as 0,1,2, a tab and a text are expected";
  document.text = line.substr(tab + 1);
  if (!need_labels()) return "";
  std::string_view labels = line.substr(0, tab);
  if (is_blank(labels)) return "";
  for (;;) {
    const size_t comma = labels.find(',');
    if (std::string problem = add(labels.substr(0, comma), document); !problem.empty()) return problem;
    if (comma == std::string_view::npos) return "";
    labels.remove_prefix(comma + 1);
  }
}

std::string PecosReader::add(std::string_view label, Document& document) const {
  const size_t colons = label.find("::");
  if (colons != std::string_view::npos) {
    const std::string_view relevance = label.substr(colons + 2);
    if (!is_finite_number(relevance)) {
      return fmt::format("the relevance '{}' is not a finite number", excerpt(relevance));
    }
    document.relevances = true;
  }
  return labels_->add(label.substr(0, colons), document);
}

}  // namespace otseq2set::inline reading
