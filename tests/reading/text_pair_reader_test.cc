#include "otseq2set/reading/text_pair_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

using Labels = std::vector<std::string>;

class TextPairReaderTest : public testing::Test {
 protected:
  std::vector<Document> read(std::string_view texts, std::string_view labels, std::string_view names = "") {
    DataFiles files{folder_.write("texts.txt", texts), folder_.write("labels.txt", labels), ""};
    if (!names.empty()) files.label_names = folder_.write("Y.txt", names);
    return read(files, true);
  }

  static std::vector<Document> read(const DataFiles& files, bool need_labels) {
    const auto reader = open_documents(files, need_labels);
    std::vector<Document> documents;
    for (Document document; reader->next(document);) documents.push_back(document);
    return documents;
  }

  TempFolder folder_;
  const std::string labels_txt_ = folder_.path("labels.txt");
  const std::string names_txt_ = folder_.path("Y.txt");
};

TEST_F(TextPairReaderTest, LineByLine) {
  const auto documents =
      read("\xef\xbb\xbfsome fish\r\nno labels\r\nlast", "fisheries trade_policy fisheries\r\n\r\n  a\tb ");
  ASSERT_EQ(documents.size(), 3u);
  for (const Document& document : documents) EXPECT_EQ(document.error, "");
  EXPECT_EQ(documents[0].id, "1");
  EXPECT_EQ(documents[0].text, "some fish");
  EXPECT_EQ(documents[0].labels, (Labels{"fisheries", "trade_policy"}));
  EXPECT_EQ(documents[1].labels, Labels{});
  EXPECT_EQ(documents[2].id, "3");
  EXPECT_EQ(documents[2].text, "last");
  EXPECT_EQ(documents[2].labels, (Labels{"a", "b"}));
  EXPECT_EQ(documents[2].place, folder_.path("texts.txt") + ":3");
}

TEST_F(TextPairReaderTest, NumbersIntoAFileOfNames) {
  const auto documents = read("a\nb\n", "2 0 02\n\n", "fish\ntrade policy\ncaf\xe9");
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].labels, (Labels{"café", "fish"}));
  EXPECT_EQ(documents[1].labels, Labels{});
}

// Were each line judged by itself, the second name would be taken for UTF-8.
TEST_F(TextPairReaderTest, AFileOfNamesIsLatin1AsAWhole) {
  const auto documents = read("a\n", "0 1\n", "caf\xe9\n\xc3\xa9t\n");
  EXPECT_EQ(documents[0].labels, (Labels{"café", "Ã©t"}));
}

TEST_F(TextPairReaderTest, WrongNumbersAreThatDocumentsError) {
  const auto documents = read("a\nb\nc\nd\ne\nf\n", "0\n0 3\nfish\n1\n-1\n99999999999999999999\n", "fish\n \nx\n");
  ASSERT_EQ(documents.size(), 6u);
  EXPECT_EQ(documents[0].error, "");
  EXPECT_EQ(documents[1].error, labels_txt_ + ":2: label 3, but " + names_txt_ + " has 3 names, counted from 0");
  EXPECT_EQ(documents[2].error, labels_txt_ + ":3: label 'fish' is not a line number in " + names_txt_);
  EXPECT_EQ(documents[3].error, labels_txt_ + ":4: label 1, but " + names_txt_ + ":2 is empty");
  EXPECT_EQ(documents[4].error, labels_txt_ + ":5: label '-1' is not a line number in " + names_txt_);
  EXPECT_EQ(documents[5].error,
            labels_txt_ + ":6: label 99999999999999999999, but " + names_txt_ + " has 3 names, counted from 0");
}

TEST_F(TextPairReaderTest, BothLinesMayBeWrong) {
  const auto documents = read("a\n\n", "0\n7\n", "x\n");
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[1].error, folder_.path("texts.txt") + ":2: the document has no text (the line is empty); " +
                                    labels_txt_ + ":2: label 7, but " + names_txt_ + " has 1 names, counted from 0");
  EXPECT_EQ(documents[1].error_kind, ErrorKind::kUnreadable);
}

TEST_F(TextPairReaderTest, BlankTextIsThatDocumentsError) {
  const auto documents = read("a\n \nc\n", "x\ny\nz\n");
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_EQ(documents[1].error, folder_.path("texts.txt") + ":2: the document has no text (the line is empty)");
  EXPECT_EQ(documents[1].error_kind, ErrorKind::kNoText);
  EXPECT_EQ(documents[1].labels, Labels{"y"}) << "for those who look at labels alone";
  EXPECT_EQ(documents[2].error, "");
  EXPECT_EQ(documents[2].labels, Labels{"z"});
}

TEST_F(TextPairReaderTest, DifferentNumbersOfLines) {
  const std::string texts = folder_.path("texts.txt");
  EXPECT_EQ(message_of<Error>([&] { read("a\nb\nc\nd\n", "x\ny\n"); }),
            texts + " has 4 lines, but " + labels_txt_ + " has 2; they must correspond line by line");
  EXPECT_EQ(message_of<Error>([&] { read("a\n", "x\ny\nz"); }),
            texts + " has 1 lines, but " + labels_txt_ + " has 3; they must correspond line by line");
}

TEST_F(TextPairReaderTest, LabelsAreNotOpenedWhenNotNeeded) {
  const auto documents = read({folder_.write("texts.txt", "a\nb"), folder_.path("missing"), ""}, false);
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[1].error, "");
}

TEST_F(TextPairReaderTest, FilesThatDoNotGoTogether) {
  const auto usage_error = [](const DataFiles& files) {
    return message_of<UsageError>([&] { open_documents(files, true); });
  };
  EXPECT_EQ(usage_error({"-", "-", ""}), "only one of documents, labels and label names can come from standard input");
  EXPECT_EQ(usage_error({"a", "b", "", Format::kFastText}),
            "a file of labels (b) goes with the format attentionxml, not with fasttext");
  EXPECT_EQ(usage_error({"a", "", "", Format::kAttentionXml}),
            "the format attentionxml needs a file of labels: --labels");
  EXPECT_EQ(usage_error({"a", "", "", Format::kPecos}), "the format pecos needs a file of label names: --label-names");
  const std::string missing = folder_.path("missing");
  EXPECT_EQ(message_of<Error>([&] {
              open_documents({folder_.write("t", "a"), missing, ""}, true);
            }),
            "cannot read " + missing + ": No such file or directory");
}

}  // namespace
}  // namespace otseq2set
