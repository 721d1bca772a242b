// The labels of one document as readers collect them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "otseq2set/reading/document.h"

namespace otseq2set::inline reading {

// More labels on one document are its error: a line made of nothing but labels shall not take all memory.
constexpr size_t kMaxLabels = 1'000'000;

// Adds a label, and its name unless that is empty. Returns what is wrong, empty when nothing is.
std::string add_label(Document& document, std::string_view label, std::string_view name = "");

// Adds the labels of a text that separates them by white space, through add(token), which returns what is
// wrong; so does this.
template <typename Add>
std::string split_labels(std::string_view text, const Add& add) {
  constexpr std::string_view kSpaces = " \t\v\f\r\n";
  for (;;) {
    const size_t begin = text.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) return "";
    text.remove_prefix(begin);
    const std::string_view token = text.substr(0, text.find_first_of(kSpaces));
    text.remove_prefix(token.size());
    if (std::string problem = add(token); !problem.empty()) return problem;
  }
}

// Without the angle brackets around it, as Annif writes URIs.
std::string_view without_brackets(std::string_view uri);

// The URIs of a column of Annif's, separated by white space. Returns what is wrong, empty when nothing is.
std::string add_uris(std::string_view column, Document& document);

// A label given twice counts once: keeps the first of equal ones, and its name or else the first name.
void remove_duplicates(Document& document);

}  // namespace otseq2set::inline reading
