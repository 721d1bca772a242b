#include "otseq2set/data/document_chunks.h"

#include "otseq2set/core/error.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set {

DocumentChunks::DocumentChunks(const DataFiles& files)
    : name_(display_name(files.data)), reader_(open_documents(files, true)) {}

bool DocumentChunks::next() {
  documents_.resize(kChunk);
  size_t count = 0;
  for (; count < kChunk && reader_->next(documents_[count]); ++count) {
    if (!documents_[count].error.empty()) throw Error(documents_[count].error);
  }
  documents_.resize(count);
  any_ = any_ || count > 0;
  if (!any_) fail("{}: no documents", name_);
  return count > 0;
}

}  // namespace otseq2set
