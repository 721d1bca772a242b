// What readers say about a document that cannot be read.
#pragma once

#include <string>
#include <utility>

#include "otseq2set/reading/document.h"

namespace otseq2set::inline reading {

// One line without its place; nothing is wrong when it is empty.
struct Problem {
  std::string what;
  ErrorKind kind = ErrorKind::kUnreadable;

  Problem() = default;
  Problem(std::string text, ErrorKind its_kind) : what(std::move(text)), kind(its_kind) {}
  Problem(std::string text) : what(std::move(text)) {}
  Problem(const char* text) : what(text) {}

  bool empty() const { return what.empty(); }
};

// Both, so that one does not hide the other.
// The document merely lacks a text only when nothing else is wrong.
inline Problem both(Problem first, Problem second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  const ErrorKind kind = first.kind == ErrorKind::kNoText ? second.kind : first.kind;
  return {first.what + "; " + second.what, kind};
}

}  // namespace otseq2set::inline reading
