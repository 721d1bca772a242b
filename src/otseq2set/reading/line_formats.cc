#include "otseq2set/reading/line_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "otseq2set/reading/label_list.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == 0; }

bool is_finite_number(std::string_view text) {
  double value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

// 17 or 17::0.25
std::string add_pecos_label(const NumberedLabels& labels, std::string_view label, Document& document) {
  const size_t colons = label.find("::");
  if (colons != std::string_view::npos) {
    const std::string_view relevance = label.substr(colons + 2);
    if (!is_finite_number(relevance)) {
      return fmt::format("the relevance '{}' is not a finite number", excerpt(relevance));
    }
    document.relevances = true;
  }
  return labels.add(label.substr(0, colons), document);
}

}  // namespace

ParseLine annif_tsv_format(bool need_labels) {
  return [need_labels](std::string_view line, Document& document) -> Problem {
    const size_t tab = line.find('\t');
    document.text = line.substr(0, tab);
    if (!need_labels) return "";
    if (tab == std::string_view::npos) return "no tab; expected a text, a tab and <uri> <uri> ...";
    return add_uris(line.substr(tab + 1), document);
  };
}

size_t find_fasttext_label(std::string_view text) {
  for (size_t at = text.find(kFastTextPrefix); at != std::string_view::npos; at = text.find(kFastTextPrefix, at + 1)) {
    if (at == 0 || is_space(text[at - 1])) return at;
  }
  return std::string_view::npos;
}

ParseLine fasttext_format(bool need_labels) {
  return [need_labels](std::string_view line, Document& document) -> Problem {
    for (;;) {
      const size_t label = find_fasttext_label(line);
      document.text += line.substr(0, label);
      if (label == std::string_view::npos) return "";
      line.remove_prefix(label);
      size_t end = kFastTextPrefix.size();
      while (end < line.size() && !is_space(line[end])) ++end;
      const std::string_view name = line.substr(kFastTextPrefix.size(), end - kFastTextPrefix.size());
      if (need_labels) {
        if (name.empty()) return "'__label__' without a name";
        if (std::string problem = add_label(document, name); !problem.empty()) return problem;
      }
      line.remove_prefix(end < line.size() ? end + 1 : end);  // with the one space that ends it
    }
  };
}

ParseLine libmultilabel_format(bool need_labels) {
  return [need_labels, first_tabs = size_t{0}](std::string_view line, Document& document) mutable -> Problem {
    const auto tabs = static_cast<size_t>(std::count(line.begin(), line.end(), '\t'));
    if (tabs == 0 || tabs > 2) {
      return fmt::format("{} tabs; expected labels, a tab and a text, with or without an id and a tab before them",
                         tabs);
    }
    if (first_tabs == 0) first_tabs = tabs;
    if (tabs != first_tabs) {
      return fmt::format("{} columns, but the first line has {}", tabs + 1, first_tabs + 1);
    }
    if (tabs == 2) {
      set_id(document, line.substr(0, line.find('\t')));
      line.remove_prefix(line.find('\t') + 1);
    }
    const size_t tab = line.find('\t');
    document.text = line.substr(tab + 1);
    if (!need_labels) return "";
    return split_labels(line.substr(0, tab), [&](std::string_view token) { return add_label(document, token); });
  };
}

ParseLine text_format() {
  return [](std::string_view line, Document& document) -> Problem {
    document.text = line;
    return "";
  };
}

ParseLine labels_if_any(ParseLine with, ParseLine without) {
  return [with = std::move(with), without = std::move(without)](std::string_view line, Document& document) -> Problem {
    const Document empty = document;
    if (with(line, document).empty()) return "";
    document = empty;
    return without(line, document);
  };
}

ParseLine pecos_format(std::optional<NumberedLabels> numbered) {
  return [numbered = std::move(numbered)](std::string_view line, Document& document) -> Problem {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return "no tab; expected label numbers such as 0,1,2, a tab and a text";
    document.text = line.substr(tab + 1);
    std::string_view labels = line.substr(0, tab);
    if (!numbered || is_blank(labels)) return "";
    for (;;) {
      const size_t comma = labels.find(',');
      std::string problem = add_pecos_label(*numbered, labels.substr(0, comma), document);
      if (!problem.empty() || comma == std::string_view::npos) return problem;
      labels.remove_prefix(comma + 1);
    }
  };
}

}  // namespace otseq2set::inline reading
