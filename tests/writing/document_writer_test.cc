#include "otseq2set/writing/document_writer.h"

#include <gtest/gtest.h>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "support/documents.h"

namespace otseq2set {
namespace {

using Losses = std::vector<std::string>;

Document document(const std::string& id, const std::string& text, const std::vector<std::string>& labels,
                  const std::vector<std::string>& names = {}) {
  Document document;
  document.id = id;
  document.own_id = !id.empty();
  document.text = text;
  document.labels = labels;
  document.label_names = names;
  document.place = "in:1";
  return document;
}

class DocumentWriterTest : public testing::Test {
 protected:
  // Writes, and returns what was lost.
  Losses write(Format format, const std::vector<Document>& documents, bool labels = false, bool names = false) {
    const auto writer =
        DocumentWriter::open({path("data"), labels ? path("labels") : "", names ? path("names") : ""}, format);
    for (const Document& document : documents) writer->write(document);
    writer->finish();
    Losses losses;
    for (size_t i = 0; i < static_cast<size_t>(Loss::kCount); ++i) {
      const auto loss = static_cast<Loss>(i);
      if (writer->lost(loss) > 0) losses.push_back(describe(loss, writer->lost(loss)));
    }
    return losses;
  }
  std::string path(const char* name) const { return folder_.path(name); }
  std::string content(const char* name) const { return read_file(path(name)); }

  const TempFolder folder_;
};

TEST_F(DocumentWriterTest, WhatIsLostIsCounted) {
  const std::vector<Document> documents = {document("d1", "one\ttab\r\nline", {"trade policy", "fish"}, {"Trade", ""}),
                                           document("", "two\n", {"fish", "trade policy"}),
                                           document("d3", "three", {}, {})};
  EXPECT_EQ(write(Format::kFastText, documents),
            (Losses{"ids of 2 documents are not kept", "display names of 1 labels are not kept",
                    "the words of 1 labels are joined by _", "line breaks in 2 texts became spaces"}));
  EXPECT_EQ(content("data"),
            "__label__trade_policy __label__fish one\ttab  line\n__label__fish __label__trade_policy two "
            "\nthree\n");
  EXPECT_EQ(write(Format::kLibMultiLabel, documents),
            (Losses{"display names of 1 labels are not kept", "the words of 1 labels are joined by _",
                    "line breaks in 2 texts became spaces", "tabs in 1 texts became spaces"}));
  EXPECT_EQ(content("data"), "d1\ttrade_policy fish\tone tab  line\n\tfish trade_policy\ttwo \nd3\t\tthree\n");
  EXPECT_EQ(write(Format::kJsonl, documents), (Losses{"display names of 1 labels are not kept"}));
  EXPECT_EQ(write(Format::kAnnifJsonl, documents), Losses{});
  EXPECT_EQ(write(Format::kAnnifCsv, documents, false, true), (Losses{"the words of 1 labels are joined by _"}));
  EXPECT_EQ(content("names"), "<trade_policy>\tTrade\n");
}

TEST_F(DocumentWriterTest, TheFirstDocumentDecidesAboutAColumnOfIds) {
  const std::vector<Document> documents = {document("", "a", {}), document("d2", "b", {"x"})};
  EXPECT_EQ(write(Format::kLibMultiLabel, documents), (Losses{"ids of 1 documents are not kept"}));
  EXPECT_EQ(write(Format::kAnnifCsv, documents), (Losses{"ids of 1 documents are not kept"}));
  EXPECT_EQ(content("data"), "text,subject_uris\na,\nb,<x>\n");
  EXPECT_EQ(write(Format::kLibMultiLabel, {document("a\tb", "t", {})}),
            (Losses{"tabs and line breaks in the ids of 1 documents became spaces"}));
}

TEST_F(DocumentWriterTest, BlankIdsHaveNoPlaceInAColumn) {
  Document empty = document("", "a", {});
  empty.own_id = true;
  for (const Format format : {Format::kLibMultiLabel, Format::kAnnifCsv}) {
    EXPECT_EQ(write(format, {document("d1", "a", {}), empty, document(" ", "b", {})}),
              (Losses{"ids of 2 documents are not kept"}));
  }
  EXPECT_EQ(write(Format::kJsonl, {empty, document(" ", "b", {})}), Losses{});
}

// Annif's formats put URIs in angle brackets and readers take them off.
TEST_F(DocumentWriterTest, LabelsWithAngleBracketsOfTheirOwn) {
  const std::vector<std::string> labels = {"<fish>", "<>", "<<a>>", "plain", "<half"};
  for (const Format format : {Format::kJsonl, Format::kAnnifJsonl, Format::kAnnifTsv, Format::kAnnifCsv,
                              Format::kFastText, Format::kLibMultiLabel}) {
    EXPECT_EQ(write(format, {document("", "a text", labels)}), Losses{});
    const std::vector<Document> read = read_documents({path("data"), "", "", format});
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(read[0].error, "");
    EXPECT_EQ(read[0].labels, labels) << format_name(format);
  }
}

TEST_F(DocumentWriterTest, WhatLooksLikeAByteOrderMark) {
  const Losses one = {"1 files begin with a U+FEFF of the data, which will be taken for a byte-order mark"};
  const Document marked = document("", "\ufeffa", {"\ufeffx"}), plain = document("", "a", {"x"});
  for (const Format format : {Format::kAnnifTsv, Format::kLibMultiLabel}) {
    EXPECT_EQ(write(format, {marked}), one) << format_name(format);
    EXPECT_EQ(write(format, {plain, marked}), Losses{});
  }
  EXPECT_EQ(write(Format::kFastText, {document("", "\ufeffa", {})}), one);
  EXPECT_EQ(write(Format::kPecos, {marked}, false, true), one) << "in the file of names";
  EXPECT_EQ(write(Format::kAttentionXml, {marked}, true),
            (Losses{"2 files begin with a U+FEFF of the data, which will be taken for a byte-order mark"}));
  for (const Format format : {Format::kJsonl, Format::kAnnifJsonl, Format::kAnnifCsv}) {
    EXPECT_EQ(write(format, {marked}), Losses{}) << format_name(format);
  }
}

TEST_F(DocumentWriterTest, BrokenBytesAndRelevances) {
  Document broken = document("d1", "a\xff", {"x"});
  broken.relevances = true;
  EXPECT_EQ(write(Format::kJsonl, {broken}), (Losses{"relevances of the labels of 1 documents are not kept",
                                                     "bytes that are not UTF-8 were replaced in 1 documents"}));
  EXPECT_EQ(content("data"), "{\"id\":\"d1\",\"text\":\"a\ufffd\",\"labels\":[\"x\"]}\n");
}

TEST_F(DocumentWriterTest, LabelsThatCouldNotBeToldApart) {
  for (const Format format : {Format::kFastText, Format::kLibMultiLabel, Format::kAnnifTsv, Format::kAnnifCsv}) {
    EXPECT_EQ(message_of<Error>([&] {
                write(format, {document("", "a", {"trade policy"}), document("", "b", {"trade_policy"})});
              }),
              "the labels 'trade policy' and 'trade_policy' would both be written as 'trade_policy', and could "
              "not be told apart again; rename one, or use --to jsonl, which can hold any label");
    EXPECT_FALSE(std::filesystem::exists(path("data"))) << "nothing half-written";
    EXPECT_FALSE(std::filesystem::exists(path("data.tmp")));
  }
}

TEST_F(DocumentWriterTest, TextsThatWouldBecomeLabels) {
  EXPECT_EQ(message_of<Error>([&] { write(Format::kFastText, {document("", "a __label__b", {})}); }),
            "in:1: the text has a word that begins with __label__, which fastText would take for a label");
}

TEST_F(DocumentWriterTest, ALabelThatAFileOfNamesCannotHold) {
  EXPECT_EQ(message_of<Error>([&] { write(Format::kPecos, {document("", "a", {"x\ny"})}, false, true); }),
            "the label 'x\\ny' has a line break, which a file of names cannot hold");
  EXPECT_EQ(message_of<Error>([&] { write(Format::kJsonl, {document("", "a", {"x\ty"}, {"n"})}, false, true); }),
            "the label 'x\\ty' has a tab or a line break, which a file of names cannot hold");
}

// Training data first, test data afterwards: the numbers stay.
TEST_F(DocumentWriterTest, AFileOfNamesThatExistsIsAddedTo) {
  write(Format::kPecos, {document("", "a", {"x", "y"})}, false, true);
  write(Format::kPecos, {document("", "b", {"z", "y"})}, false, true);
  EXPECT_EQ(content("data"), "2,1\tb\n");
  EXPECT_EQ(content("names"), "x\ny\nz\n");
  write(Format::kAttentionXml, {document("", "c", {"w", "x"})}, true, true);
  EXPECT_EQ(content("data"), "c\n");
  EXPECT_EQ(content("labels"), "3 0\n");
  EXPECT_EQ(content("names"), "x\ny\nz\nw\n");
}

TEST_F(DocumentWriterTest, FilesThatAFormatNeeds) {
  const auto usage_error = [](const OutputFiles& files, Format format) {
    return message_of<UsageError>([&] { DocumentWriter::open(files, format); });
  };
  EXPECT_EQ(usage_error({"a", "", ""}, Format::kAttentionXml),
            "the format attentionxml needs a second file: --out-labels");
  EXPECT_EQ(usage_error({"a", "b", ""}, Format::kJsonl),
            "--out-labels is for the format attentionxml; jsonl has labels and texts in one file");
  EXPECT_EQ(usage_error({"a", "", ""}, Format::kPecos),
            "the format pecos needs a file for the label names: --out-label-names");
  EXPECT_EQ(usage_error({"a", "", "a"}, Format::kPecos), "two outputs go to the same place, 'a'");
  EXPECT_EQ(usage_error({"none/../a", "./a", ""}, Format::kAttentionXml), "two outputs go to the same place, './a'");
  const std::string data = path("data"), dotted = path("./data");
  EXPECT_EQ(usage_error({data, "", dotted}, Format::kPecos), "two outputs go to the same place, '" + dotted + "'");
}

}  // namespace
}  // namespace otseq2set
