#include <gtest/gtest.h>

#include "otseq2set/core/error.h"
#include "otseq2set/reading/csv_records.h"
#include "support/documents.h"

namespace otseq2set {
namespace {

using Strings = std::vector<std::string>;

class AnnifReaders : public testing::Test {
 protected:
  DocumentFolder files_;
};

TEST_F(AnnifReaders, JsonlKeepsUriAndNameApart) {
  const auto documents = files_.read(
      R"({"document_id":7,"text":"a","subjects":[{"uri":"http://a/1","label":"Fish"},{"uri":"<http://a/2>"},)"
      R"({"label":"only a name"},{"uri":"http://a/1"},{"uri":null,"label":"x"}],"metadata":{"a":1}})"
      "\n"
      R"({"text":"b","subjects":[{"uri":"u"}]})",
      std::nullopt);
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].error, "");
  EXPECT_EQ(documents[0].id, "7");
  EXPECT_EQ(documents[0].labels, (Strings{"http://a/1", "http://a/2", "only a name", "x"}));
  EXPECT_EQ(documents[0].label_names, (Strings{"Fish", "", "", ""}));
  EXPECT_EQ(documents[1].id, "2");
  EXPECT_EQ(documents[1].label_names, Strings{}) << "no label has a name";
}

// The same label twice, once without its name.
TEST_F(AnnifReaders, ANameIsNotLostWithADuplicate) {
  const auto documents = files_.read(
      R"({"text":"a","subjects":[{"uri":"u"},{"uri":"v","label":"V"},{"uri":"u","label":"U"}]})", std::nullopt);
  EXPECT_EQ(documents[0].labels, (Strings{"u", "v"}));
  EXPECT_EQ(documents[0].label_names, (Strings{"U", "V"}));
}

TEST_F(AnnifReaders, JsonlErrors) {
  const auto error = [&](const std::string& line) { return files_.error(line, Format::kAnnifJsonl); };
  EXPECT_EQ(error(R"({"text":"a"})"),
            "data:1: \"subjects\" is missing; a document without subjects has \"subjects\":[]");
  for (const char* subjects : {"7", "[7]", "[\"a\"]", "[{\"uri\":7}]", "[{\"label\":[]}]"}) {
    EXPECT_EQ(error(R"({"text":"a","subjects":)" + std::string(subjects) + "}")
                  .rfind("data:1: \"subjects\" is not a list of objects", 0),
              0u)
        << subjects;
  }
  EXPECT_EQ(error(R"({"text":"a","subjects":[{"notation":"1"}]})"),
            "data:1: \"subjects\" has an entry with neither \"uri\" nor \"label\"");
  EXPECT_EQ(error("nothing").rfind("data:1: not JSON", 0), 0u);
}

TEST_F(AnnifReaders, Tsv) {
  const auto documents = files_.read(
      "a text\t<http://a/1>  http://a/2 <http://a/1>\n\nno subjects\t\n \t<u>\nno tab\nx\t<>\n", std::nullopt);
  ASSERT_EQ(documents.size(), 5u);
  EXPECT_EQ(documents[0].text, "a text");
  EXPECT_EQ(documents[0].labels, (Strings{"http://a/1", "http://a/2"}));
  EXPECT_EQ(documents[1].error, "");
  EXPECT_EQ(documents[1].labels, Strings{});
  EXPECT_EQ(files_.without_folder(documents[2].error), "data:4: the document has no text");
  EXPECT_EQ(files_.without_folder(documents[3].error), "data:5: no tab; expected a text, a tab and <uri> <uri> ...");
  EXPECT_EQ(files_.without_folder(documents[4].error), "data:6: an empty label '<>'");
  EXPECT_EQ(files_.read("no tab\n", Format::kAnnifTsv, false)[0].error, "") << "labels are not needed";
}

TEST_F(AnnifReaders, NamesFromAVocabulary) {
  files_.write_names("<http://a/1>\tFish\t1.2.3\nhttp://a/2\tTrade policy\n\n<http://a/1>\tagain\n");
  const auto documents = files_.read("t\t<http://a/1> <http://a/3> <http://a/2>\nu\t<v>\n", std::nullopt);
  EXPECT_EQ(documents[0].labels, (Strings{"http://a/1", "http://a/3", "http://a/2"}));
  EXPECT_EQ(documents[0].label_names, (Strings{"Fish", "", "Trade policy"}));
  EXPECT_EQ(documents[1].label_names, Strings{});
  files_.write_names("<u>\tcaf\xe9\n");
  EXPECT_EQ(files_.read("t\t<u>\n", std::nullopt)[0].label_names, Strings{"café"});
  files_.write_names("<u>\tU\nv\n");
  EXPECT_NE(message_of<Error>([&] {
              files_.read("t\t<u>\n", std::nullopt);
            }).find("names:2: expected a label, a tab and its name"),
            std::string::npos);
}

TEST_F(AnnifReaders, Csv) {
  const auto documents = files_.read(
      "title,text,subject_uris,document_id\r\n"
      "t,plain,<a> b,d1\r\n"
      "\r\n"
      "t,\"two\r\nlines, \"\"quoted\"\"\",,\r\n"
      "\"\",\"x\",\"<c>\",\"d,3\"",
      std::nullopt);
  ASSERT_EQ(documents.size(), 3u);
  for (const Document& document : documents) EXPECT_EQ(document.error, "");
  EXPECT_EQ(documents[0].id, "d1");
  EXPECT_EQ(documents[0].labels, (Strings{"a", "b"}));
  EXPECT_EQ(documents[1].id, "2") << "the second document";
  EXPECT_EQ(documents[1].text, "two\r\nlines, \"quoted\"");
  EXPECT_EQ(files_.without_folder(documents[1].place), "data:4");
  EXPECT_EQ(documents[2].id, "d,3");
  EXPECT_EQ(files_.without_folder(documents[2].place), "data:6");
}

TEST_F(AnnifReaders, CsvErrors) {
  const auto documents =
      files_.read("text,subject_uris\na,b,<u>\nonly\n ,<u>\ngood,<u>\n\"open,<u>\nlast,<u>\n", std::nullopt);
  ASSERT_EQ(documents.size(), 5u);
  EXPECT_EQ(files_.without_folder(documents[0].error),
            "data:2: 3 columns, but the header has 2; a text with a comma needs quotes around it");
  EXPECT_EQ(files_.without_folder(documents[1].error).rfind("data:3: 1 columns", 0), 0u);
  EXPECT_EQ(files_.without_folder(documents[2].error), "data:4: the document has no text");
  EXPECT_EQ(documents[2].error_kind, ErrorKind::kNoText);
  EXPECT_EQ(documents[2].labels, Strings{"u"});
  EXPECT_EQ(documents[1].error_kind, ErrorKind::kUnreadable);
  EXPECT_EQ(documents[3].error, "");
  EXPECT_EQ(files_.without_folder(documents[4].error), "data:6: a quote is never closed");
  EXPECT_TRUE(files_.read("", Format::kAnnifCsv).empty());
  const auto header_error = [&](std::string_view data) {
    return files_.without_folder(message_of<Error>([&] { files_.read(data, Format::kAnnifCsv); }));
  };
  EXPECT_EQ(header_error("a,b\n").rfind("data:1: the header has no column text;", 0), 0u);
  EXPECT_EQ(header_error("text,b\n").rfind("data:1: the header has no column subject_uris;", 0), 0u);
  EXPECT_EQ(files_.read("text\na\n", Format::kAnnifCsv, false).size(), 1u) << "labels are not needed";
}

// As Python's csv module, which Annif uses: quotes inside a field that does not begin with one are letters.
TEST_F(AnnifReaders, CsvOddities) {
  const auto texts = [&](const std::string& field) {
    return files_.read("text,subject_uris\n" + field + ",<u>\n", Format::kAnnifCsv)[0].text;
  };
  EXPECT_EQ(texts("5\" nail"), "5\" nail");
  EXPECT_EQ(texts("\"a\"b"), "ab");
  EXPECT_EQ(texts("\"a\"\"\""), "a\"");
  EXPECT_EQ(texts(" \"a\""), " \"a\"");
}

TEST_F(AnnifReaders, CsvRecordThatIsTooLongDoesNotTakeTheRestOfTheFile) {
  const TempFolder& folder = files_.folder();
  const std::string path = folder.write("long", "\"a\n" + std::string(60, 'b') + "\nc\nd\n");
  CsvRecords records(LineReader(path, 50));
  ASSERT_TRUE(records.next());
  EXPECT_EQ(records.problem(), "the record is longer than 50 bytes; is a closing quote missing?");
  EXPECT_EQ(records.line(), 1u);
  ASSERT_TRUE(records.next());
  EXPECT_EQ(records.record().field(0), "c");
  ASSERT_TRUE(records.next());
  EXPECT_FALSE(records.next());
}

}  // namespace
}  // namespace otseq2set
