#include "otseq2set/data/document_chunks.h"

#include "otseq2set/core/error.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set {

DocumentChunks::DocumentChunks(const DataFiles& files)
    : name_(display_name(files.data)), reader_(open_documents(files, true)) {}

bool DocumentChunks::next() {
  release_large_texts();
  documents_.resize(kChunk);
  size_t count = 0, bytes = 0;
  for (; count < kChunk && bytes < kChunkBytes && reader_->next(documents_[count]); ++count) {
    if (!documents_[count].error.empty()) throw Error(documents_[count].error);
    bytes += documents_[count].text.size();
  }
  documents_.resize(count);
  any_ = any_ || count > 0;
  if (!any_) fail("{}: no documents", name_);
  return count > 0;
}

// Documents are reused with their memory, which must not add up to the longest text in every place.
void DocumentChunks::release_large_texts() {
  size_t bytes = 0;
  for (const Document& document : documents_) bytes += document.text.capacity();
  if (bytes > 2 * kChunkBytes) documents_.clear();
}

}  // namespace otseq2set
