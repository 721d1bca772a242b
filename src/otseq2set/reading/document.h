// One document as a file gives it, before anything is split into words or numbered.
#pragma once

#include <string>
#include <vector>

namespace otseq2set::inline reading {

// Why a document could not be read.
enum class ErrorKind {
  kUnreadable,  // it is not as its format says
  kNoText,      // it has no text, and id and labels were read
  kNotUtf8,     // it is not UTF-8 and its format wants that
};

struct Document {
  std::string id;
  std::string text;                 // UTF-8; broken bytes are left to the tokenizer
  std::vector<std::string> labels;  // UTF-8, distinct, in the order of the file; what tells labels apart
  // What people call each label where that is another thing (a URI's name); empty when no label of the
  // document has one, else as many as there are labels, empty for those without.
  std::vector<std::string> label_names;
  std::string error;  // not empty: this document could not be read; one line that begins with file:line
  ErrorKind error_kind = ErrorKind::kUnreadable;  // of `error`, when there is one
  std::string place;                              // file:line
  bool utf8 = true;                               // false: bytes of the text, the id or a label are not UTF-8
  bool open_end = false;                          // the file ends in its line, and perhaps too early
  bool own_id = false;                            // the file gives the id; otherwise it is the line number
  bool relevances = false;                        // the file weighs the labels (PECOS), which is not kept
};

}  // namespace otseq2set::inline reading
