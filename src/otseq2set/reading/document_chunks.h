// Documents in chunks that are read on one thread and worked on by all.
//
// A chunk has a fixed number of documents, or fewer when their texts are long, so that its memory is bounded
// whatever the documents are. It is cut into blocks of a fixed number, never by the number of threads, so
// that results gathered block by block are the same with any number of them.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "otseq2set/reading/document.h"
#include "otseq2set/reading/document_reader.h"

namespace otseq2set::inline reading {

class DocumentChunks {
 public:
  static constexpr size_t kChunk = 1024;
  static constexpr size_t kBlock = 32;
  static constexpr size_t kChunkBytes = size_t{32} << 20;  // of text, after which a chunk ends

  enum class Errors {
    kThrow,  // for training and measuring: the first error throws, and so does a file without documents
    kKeep,   // for checking: documents with errors are passed on
  };

  // Labels are needed.
  explicit DocumentChunks(const DataFiles& files, Errors errors = Errors::kThrow);

  // Replaces the chunk by the next one. False when there is none. What concerns the file as a whole throws,
  // with kKeep after the documents that were read before it.
  bool next();

  const std::vector<Document>& documents() const { return documents_; }
  size_t blocks() const { return (documents_.size() + kBlock - 1) / kBlock; }

  // Calls visit(i) for the documents of a block.
  template <typename Visit>
  void for_each_in_block(size_t block, const Visit& visit) const {
    for (size_t i = block * kBlock; i < documents_.size() && i < (block + 1) * kBlock; ++i) visit(i);
  }

 private:
  void release_large_texts();
  void tell_first();
  bool read(Document& document);

  std::string name_;
  decltype(DataFiles::first) first_;  // until it has been called
  Errors errors_;
  std::exception_ptr failure_;  // to be thrown once the documents before it are worked on
  std::unique_ptr<DocumentReader> reader_;
  std::vector<Document> documents_;
  bool any_ = false;
};

}  // namespace otseq2set::inline reading
