// Documents one after the other from files of any format.
//
// A document that cannot be read is returned with its `error` set and the next one follows, so that each user
// decides: training stops, prediction reports it and goes on, checking lists them all. What concerns the file
// as a whole (it is missing, damaged, its partner has another number of lines) throws.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "otseq2set/reading/document.h"
#include "otseq2set/reading/format.h"

namespace otseq2set::inline reading {

class DocumentReader;

// Which files a set of documents is made of.
//   data           documents in any format that has one file
//   data, labels   texts and labels line by line (AttentionXML)
//   label_names    with PECOS, or with `labels`: labels are line numbers, from 0, into this file;
//                  otherwise lines <label>TABname with the names that people know
struct DataFiles {
  std::string data;  // "-" is standard input
  std::string labels;
  std::string label_names;
  std::optional<Format> format = std::nullopt;  // none: found out from the content
  // Documents from elsewhere than files; `data` is what messages call them.
  std::function<std::unique_ptr<DocumentReader>()> open = {};
  // Called by who reads all of them (DocumentChunks) with the first document that can be read, and its format;
  // there is none for documents from elsewhere.
  std::function<void(std::optional<Format> format, const Document& first)> first = {};
};

class DocumentReader {
 public:
  virtual ~DocumentReader() = default;

  // Replaces `document` by the next one; false, and `document` left in any state, after the last.
  virtual bool next(Document& document) = 0;

  // Of the file that the documents come from, if they do.
  std::optional<Format> format() const { return format_; }
  void set_format(Format format) { format_ = format; }

 private:
  std::optional<Format> format_;
};

// Without need_labels, labels are not read and not missed.
std::unique_ptr<DocumentReader> open_documents(const DataFiles& files, bool need_labels);

// Labels are read where a document has them, and not missed where it has none or faulty ones.
std::unique_ptr<DocumentReader> open_documents_with_any_labels(const DataFiles& files);

}  // namespace otseq2set::inline reading
