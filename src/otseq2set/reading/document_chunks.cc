#include "otseq2set/reading/document_chunks.h"

#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set::inline reading {

DocumentChunks::DocumentChunks(const DataFiles& files, Errors errors)
    : name_(display_name(files.data)), first_(files.first), errors_(errors), reader_(open_documents(files, true)) {}

bool DocumentChunks::next() {
  if (failure_) std::rethrow_exception(failure_);
  release_large_texts();
  documents_.resize(kChunk);
  size_t count = 0, bytes = 0;
  for (; count < kChunk && bytes < kChunkBytes && read(documents_[count]); ++count) {
    bytes += documents_[count].text.size();
  }
  documents_.resize(count);
  tell_first();
  any_ = any_ || count > 0;
  if (!any_ && failure_) std::rethrow_exception(failure_);
  if (!any_ && errors_ == Errors::kThrow) fail("{}: no documents", name_);
  return count > 0 || failure_;
}

void DocumentChunks::tell_first() {
  for (size_t i = 0; first_ && i < documents_.size(); ++i) {
    if (documents_[i].error.empty()) std::exchange(first_, nullptr)(reader_->format(), documents_[i]);
  }
}

bool DocumentChunks::read(Document& document) {
  if (errors_ == Errors::kThrow) {
    if (!reader_->next(document)) return false;
    if (!document.error.empty()) throw Error(document.error);
    return true;
  }
  try {
    return reader_->next(document);
  } catch (const Error&) {
    failure_ = std::current_exception();
    return false;
  }
}

// Documents are reused with their memory, which must not add up to the longest text in every place.
void DocumentChunks::release_large_texts() {
  size_t bytes = 0;
  for (const Document& document : documents_) bytes += document.text.capacity();
  if (bytes > 2 * kChunkBytes) documents_.clear();
}

}  // namespace otseq2set::inline reading
