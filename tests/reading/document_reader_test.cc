#include "otseq2set/reading/document_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/temp_folder.h"

namespace otseq2set {
namespace {

TEST(DocumentReader, StandardInput) {
  const TempFolder folder;
  const std::string path = folder.write("data.jsonl", "{\"text\":\"a\"}\nb\n");
  const int saved = dup(STDIN_FILENO);
  const int file = open(path.c_str(), O_RDONLY);
  dup2(file, STDIN_FILENO);
  close(file);
  std::vector<Document> documents;
  {
    const auto reader = open_documents({"-", "", ""}, false);
    for (Document document; reader->next(document);) documents.push_back(document);
  }
  if (saved >= 0) dup2(saved, STDIN_FILENO);
  close(saved);
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].text, "a");
  EXPECT_EQ(documents[0].place, "standard input:1");
  EXPECT_EQ(documents[1].error.rfind("standard input:2: not JSON: ", 0), 0u);
}

}  // namespace
}  // namespace otseq2set
