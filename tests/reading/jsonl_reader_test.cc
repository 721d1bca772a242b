#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/reading/line_formats.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

using Labels = std::vector<std::string>;

class JsonlReaderTest : public testing::Test {
 protected:
  std::vector<Document> read(std::string_view content, bool need_labels = true) {
    const auto reader = open_documents({folder_.write("data.jsonl", content), "", "", Format::kJsonl}, need_labels);
    std::vector<Document> documents;
    for (Document document; reader->next(document);) documents.push_back(document);
    return documents;
  }

  Document read_one(std::string_view line, bool need_labels = true) {
    const std::vector<Document> documents = read(line, need_labels);
    EXPECT_EQ(documents.size(), 1u);
    return documents.empty() ? Document() : documents[0];
  }

  // The error without the folder's name.
  std::string error(std::string_view line, bool need_labels = true) {
    const std::string message = read_one(line, need_labels).error;
    return message.empty() ? "" : message.substr(folder_.path("").size());
  }

  TempFolder folder_;
};

TEST_F(JsonlReaderTest, DocumentsInOrder) {
  const auto documents = read(
      "\xef\xbb\xbf{\"id\":\"d1\",\"text\":\"Some fish.\",\"labels\":[\"fish\",\"trade policy\"]}\r\n"
      "\n  \t\n"
      "{\"text\":\"More\",\"labels\":[],\"other\":{\"a\":[1,2]}}");
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].id, "d1");
  EXPECT_EQ(documents[0].text, "Some fish.");
  EXPECT_EQ(documents[0].labels, (Labels{"fish", "trade policy"}));
  EXPECT_EQ(documents[0].error, "");
  EXPECT_EQ(documents[0].place, folder_.path("data.jsonl") + ":1");
  EXPECT_EQ(documents[1].id, "4");
  EXPECT_EQ(documents[1].labels, Labels{});
  EXPECT_EQ(documents[1].error, "");
  EXPECT_EQ(documents[1].place, folder_.path("data.jsonl") + ":4");
}

TEST_F(JsonlReaderTest, NothingInAnEmptyFile) {
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("\n \n").empty());
}

TEST_F(JsonlReaderTest, Ids) {
  EXPECT_EQ(read_one(R"({"id":7,"text":"a","labels":[]})").id, "7");
  EXPECT_EQ(read_one(R"({"id":-7,"text":"a","labels":[]})").id, "-7");
  EXPECT_EQ(read_one(R"({"id":18446744073709551615,"text":"a","labels":[]})").id, "18446744073709551615");
  EXPECT_EQ(read_one(R"({"id":1.5,"text":"a","labels":[]})").id, "1.5");
  EXPECT_EQ(read_one(R"({"text":"a","id" : 1.0 ,"labels":[]})").id, "1.0");
  EXPECT_EQ(read_one(R"({"id":1e3,"text":"a","labels":[]})").id, "1e3");
  EXPECT_EQ(read_one(R"({"id":null,"text":"a","labels":[]})").id, "1");
  EXPECT_EQ(error(R"({"id":[1],"text":"a","labels":[]})"), "data.jsonl:1: \"id\" is neither a string nor a number");
}

TEST_F(JsonlReaderTest, EscapesAndUnicode) {
  const Document document =
      read_one(R"({"text":"a\"b\\c\/d\n\t\u00e9 \ud83d\ude00 日本\u0000z","labels":["\u00e9t\u00e9 \"x\""]})");
  EXPECT_EQ(document.error, "");
  EXPECT_EQ(document.text, std::string("a\"b\\c/d\n\té 😀 日本\0z", 25));
  EXPECT_EQ(document.labels, Labels{"été \"x\""});
}

TEST_F(JsonlReaderTest, WhatIsNotJson) {
  for (const char* line :
       {"hello", "{", "{\"text\":\"a\"", "{\"text\":\"a\",}", "{\"text\":\"a\"} more", "{'text':'a'}", "{\"text\":\"a}",
        "{\"text\":\"\xff\",\"labels\":[]}", "{\"text\":\"tab\there\",\"labels\":[]}",
        "{\"text\":\"\\x\",\"labels\":[]}", "{\"a\":01}", "{\"a\":nope}", "{\"a\":1.}"}) {
    EXPECT_EQ(error(line).rfind("data.jsonl:1: not JSON: ", 0), 0u) << line << " gave " << error(line);
  }
  EXPECT_NE(error("{\"text\":\"a\",\"x\":" + std::string(3000, '[')), "");
  EXPECT_NE(error("{\"text\":\"a\",\"x\":" + std::string(3000, '[') + std::string(3000, ']') + "}"), "");
}

TEST_F(JsonlReaderTest, EscapesThatAreNone) {
  const auto problem = [&](const char* text) {
    const std::string start = "data.jsonl:1: not JSON: ";
    const std::string message = error(std::string(R"({"text":"a \\ )") + text + R"(","labels":[]})");
    EXPECT_EQ(message.substr(0, start.size()), start);
    return message.substr(std::min(message.size(), start.size()));
  };
  const std::string half = " is one half of a surrogate pair, and the other half is missing";
  EXPECT_EQ(problem(R"(\ud800 b)"), R"(\ud800)" + half);
  EXPECT_EQ(problem(R"(\ud83d\ude00 \uDE00 b)"), R"(\uDE00)" + half);
  EXPECT_EQ(problem(R"(\ud83d\u0041)"), R"(\ud83d)" + half);
  EXPECT_EQ(problem(R"(\n\x41)"), R"('\x' is not a valid JSON escape)");
  EXPECT_EQ(problem(R"(\u00g0)"), R"('\u' is not a valid JSON escape)");
}

// Numbers that no type of the machine holds are JSON all the same.
TEST_F(JsonlReaderTest, NumbersOutOfRange) {
  const std::string rest = R"(,"text":"a 1e999 \" 5","labels":["7"]})";
  for (const char* number : {"123456789012345678901234567890", "-123456789012345678901", "1e999", "-0.5E+400",
                             "[1,{\"m\":99999999999999999999}]"}) {
    const Document document = read_one(std::string(R"({"n":)") + number + rest);
    EXPECT_EQ(document.error, "") << number;
    EXPECT_EQ(document.text, "a 1e999 \" 5");
    EXPECT_EQ(document.labels, Labels{"7"});
  }
  EXPECT_EQ(read_one(R"({"id":123456789012345678901234567890)" + rest).id, "123456789012345678901234567890");
  EXPECT_EQ(read_one(R"({"n":1e999,"id": 17 )" + rest).id, "17");
  for (const char* number : {"1e999x", "01", "1.", "-", "1e", "1 2", "1-2", "+1", ".5"}) {
    EXPECT_EQ(error(std::string(R"({"big":1e999,"n":)") + number + rest).rfind("data.jsonl:1: not JSON: ", 0), 0u)
        << number;
  }
  EXPECT_EQ(error(R"({"text":1e999,"labels":[]})"),
            "data.jsonl:1: the document has no text (\"text\" is not a string)");
  EXPECT_EQ(error(R"({"text":"a","labels":[1e999]})"), "data.jsonl:1: \"labels\" is not a list of strings");
}

TEST_F(JsonlReaderTest, WhatIsNotAnObject) {
  for (const char* line : {"[]", "1", "\"text\"", "null"}) {
    EXPECT_EQ(error(line).rfind("data.jsonl:1: expected a JSON object", 0), 0u) << line << " gave " << error(line);
  }
}

TEST_F(JsonlReaderTest, NoText) {
  const std::string start = "data.jsonl:1: the document has no text ";
  EXPECT_EQ(error(R"({"labels":[]})"), start + "(\"text\" is missing)");
  EXPECT_EQ(error(R"({"text":"","labels":[]})"), start + "(\"text\" is empty)");
  EXPECT_EQ(error(R"({"text":" \n\t\u00a0\u3000","labels":[]})"), start + "(\"text\" is empty)");
  EXPECT_EQ(error(R"({"text":5,"labels":[]})"), start + "(\"text\" is not a string)");
  EXPECT_EQ(error(R"({"text":null})", false), start + "(\"text\" is not a string)");
}

TEST_F(JsonlReaderTest, LabelErrors) {
  EXPECT_EQ(error(R"({"text":"a"})"),
            "data.jsonl:1: \"labels\" is missing; a document without labels has \"labels\":[]");
  for (const char* labels : {"\"fish\"", "null", "{}", "[1]", "[\"a\",[\"b\"]]"}) {
    EXPECT_EQ(error(std::string(R"({"text":"a","labels":)") + labels + "}"),
              "data.jsonl:1: \"labels\" is not a list of strings");
  }
  EXPECT_EQ(error(R"({"text":"a","labels":["a",""]})"), "data.jsonl:1: \"labels\" has an empty name");
  EXPECT_EQ(error(R"({"text":"a","labels":["  "]})"), "data.jsonl:1: \"labels\" has an empty name");
}

TEST_F(JsonlReaderTest, LabelsAreNotMissedWhenNotNeeded) {
  EXPECT_EQ(error(R"({"text":"a"})", false), "");
  EXPECT_EQ(error(R"({"text":"a","labels":7})", false), "");
}

TEST_F(JsonlReaderTest, LabelGivenTwiceCountsOnce) {
  EXPECT_EQ(read_one(R"({"text":"a","labels":["b","a","b","c","a"]})").labels, (Labels{"b", "a", "c"}));
}

TEST_F(JsonlReaderTest, ReadingGoesOnAfterAnError) {
  const auto documents = read("{\"text\":\"a\",\"labels\":[]}\n{oops\n\n{\"text\":\"c\",\"labels\":[\"x\"]}\n");
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_EQ(documents[1].error.rfind(folder_.path("data.jsonl") + ":2: not JSON", 0), 0u);
  EXPECT_EQ(documents[1].text, "");
  EXPECT_EQ(documents[2].error, "");
  EXPECT_EQ(documents[2].text, "c");
  EXPECT_EQ(documents[2].labels, Labels{"x"});
}

TEST_F(JsonlReaderTest, LineThatIsTooLongIsThatDocumentsError) {
  const std::string path =
      folder_.write("data.jsonl", "{\"text\":\"" + std::string(200, 'x') + "\"}\n{\"text\":\"b\"}\n");
  LineDocumentReader reader(LineReader(path, 100), jsonl_format(false));
  Document document;
  ASSERT_TRUE(reader.next(document));
  EXPECT_EQ(document.error, path + ":1: the line is longer than 100 bytes");
  ASSERT_TRUE(reader.next(document));
  EXPECT_EQ(document.error, "");
  EXPECT_EQ(document.text, "b");
  EXPECT_FALSE(reader.next(document));
}

TEST_F(JsonlReaderTest, MissingFile) {
  const std::string path = folder_.path("missing.jsonl");
  EXPECT_EQ(message_of<Error>([&] {
              open_documents({path, "", ""}, true);
            }),
            "cannot read " + path + ": No such file or directory");
}

}  // namespace
}  // namespace otseq2set
