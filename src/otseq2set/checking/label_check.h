// How often each label is used in training and in validation, and what is remarkable about that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/checking/findings.h"
#include "otseq2set/reading/document.h"
#include "otseq2set/text/string_index.h"
#include "otseq2set/text/tokenizer.h"

namespace otseq2set::inline checking {

class LabelCheck {
 public:
  enum class Part { kTraining, kValidation };

  // All training documents come first. The labels of a document that lacks a text count too: they stand in
  // the file, and the text is likely to be mended.
  void add(Part part, const Document& document, uint64_t line);

  // Labels that occur once, that occur in validation alone, that differ in spelling alone.
  void find(const std::string& training_file, const std::string& validation_file, Findings& findings) const;
  // Labels of training documents without a name; a problem when none has one.
  void find_unnamed(const std::string& training_file, Findings& findings) const;

  // Labels of training documents that can be read: all, those with fewer than `below` documents, those whose name has
  // words.
  uint64_t learnt() const;
  uint64_t rare(uint64_t below) const;
  uint64_t with_words(const Tokenizer& tokenizer) const;

 private:
  std::string shown(size_t label) const;

  struct Use {
    uint64_t in_training = 0, in_validation = 0;
    uint32_t line = 0;    // where it stands first, in training if it is there
    bool learnt = false;  // a training document that can be read has it
    bool named = false;   // a document says what people call it
  };

  StringIndex names_;  // numbered by their first appearance
  std::vector<Use> uses_;
};

}  // namespace otseq2set::inline checking
