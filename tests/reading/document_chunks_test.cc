#include "otseq2set/reading/document_chunks.h"

#include <gtest/gtest.h>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

std::string line(size_t id, size_t bytes) {
  return "{\"id\":" + std::to_string(id) + ",\"text\":\"" + std::string(bytes, 'x') + "\",\"labels\":[]}\n";
}

TEST(DocumentChunks, HaveAFixedNumberOfDocuments) {
  const TempFolder folder;
  std::string lines;
  for (size_t i = 0; i < 2 * DocumentChunks::kChunk + 5; ++i) lines += line(i, 3);
  DocumentChunks chunks({folder.write("data.jsonl", lines), "", ""});
  std::vector<size_t> sizes;
  while (chunks.next()) sizes.push_back(chunks.documents().size());
  EXPECT_EQ(sizes, (std::vector<size_t>{DocumentChunks::kChunk, DocumentChunks::kChunk, 5}));
}

TEST(DocumentChunks, AreCutEarlierWhenTextsAreLong) {
  const TempFolder folder;
  const size_t third = DocumentChunks::kChunkBytes / 3 + 1;
  std::string lines;
  for (size_t i = 0; i < 7; ++i) lines += line(i, third);
  DocumentChunks chunks({folder.write("data.jsonl", lines), "", ""});
  std::vector<size_t> sizes;
  size_t next = 0;
  while (chunks.next()) {
    sizes.push_back(chunks.documents().size());
    for (const Document& document : chunks.documents()) {
      EXPECT_EQ(document.id, std::to_string(next++));
      EXPECT_EQ(document.text.size(), third);
    }
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{3, 3, 1}));
}

TEST(DocumentChunks, FirstErrorAndEmptyFileThrow) {
  const TempFolder folder;
  DocumentChunks broken({folder.write("broken.jsonl", line(1, 3) + "{\n"), "", ""});
  EXPECT_NE(message_of<Error>([&] { broken.next(); }).find("broken.jsonl:2: not JSON"), std::string::npos);
  DocumentChunks empty({folder.write("empty.jsonl", "\n"), "", ""});
  EXPECT_EQ(message_of<Error>([&] { empty.next(); }), folder.path("empty.jsonl") + ": no documents");
}

}  // namespace
}  // namespace otseq2set
