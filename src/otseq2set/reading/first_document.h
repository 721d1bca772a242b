// How a file is read, so that a person sees at a glance whether that is what was meant:
//
//   train.jsonl: jsonl; first document: id d1, 12 words: "The EU sets ...", labels fish, trade policy
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/reading/document_reader.h"
#include "otseq2set/text/tokenizer.h"

namespace otseq2set::inline reading {

struct FirstDocument {
  std::string id;
  std::string text;  // its beginning, on one line
  size_t words = 0;
  std::vector<std::string> labels;  // as people call them
};

FirstDocument first_document(const Document& document, const Tokenizer& tokenizer);

// The line above. Documents from elsewhere than files have no format.
std::string describe(const std::string& file, std::optional<Format> format, const FirstDocument& first);

}  // namespace otseq2set::inline reading
