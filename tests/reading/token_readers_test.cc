// fastText, LibMultiLabel and PECOS.
#include <gtest/gtest.h>

#include "otseq2set/core/error.h"
#include "support/documents.h"

namespace otseq2set {
namespace {

using Strings = std::vector<std::string>;

class TokenReaders : public testing::Test {
 protected:
  DocumentFolder files_;
};

TEST_F(TokenReaders, FastText) {
  const auto documents = files_.read(
      "__label__fish __label__trade_policy  the council\tadopted\n"
      "no labels here, my__label__x is a word\n"
      "in __label__a the __label__b middle\n"
      "\n"
      "__label__only\n"
      "__label__caf\xe9 text __label__\n"
      "__label__a text __label__a\n",
      std::nullopt);
  ASSERT_EQ(documents.size(), 6u);
  EXPECT_EQ(documents[0].labels, (Strings{"fish", "trade_policy"}));
  EXPECT_EQ(documents[0].text, " the council\tadopted") << "one space ends the label, the rest is text";
  EXPECT_EQ(documents[1].labels, Strings{});
  EXPECT_EQ(documents[1].text, "no labels here, my__label__x is a word");
  EXPECT_EQ(documents[2].labels, (Strings{"a", "b"}));
  EXPECT_EQ(documents[2].text, "in the middle");
  EXPECT_EQ(files_.without_folder(documents[3].error), "data:5: the document has no text");
  EXPECT_EQ(files_.without_folder(documents[4].error), "data:6: '__label__' without a name");
  EXPECT_EQ(documents[4].labels, Strings{"café"});
  EXPECT_EQ(documents[5].labels, Strings{"a"});
}

TEST_F(TokenReaders, LibMultiLabel) {
  const auto documents = files_.read("E11 ECAT\ta text\n\tno labels\nno tab\n1\tE11\ttext\nE11\t \n", std::nullopt);
  ASSERT_EQ(documents.size(), 5u);
  EXPECT_EQ(documents[0].labels, (Strings{"E11", "ECAT"}));
  EXPECT_EQ(documents[0].text, "a text");
  EXPECT_EQ(documents[0].id, "1");
  EXPECT_EQ(documents[1].error, "");
  EXPECT_EQ(documents[1].labels, Strings{});
  EXPECT_EQ(files_.without_folder(documents[2].error),
            "data:3: 0 tabs; expected labels, a tab and a text, with or without an id and a tab before them");
  EXPECT_EQ(files_.without_folder(documents[3].error), "data:4: 3 columns, but the first line has 2");
  EXPECT_EQ(files_.without_folder(documents[4].error), "data:5: the document has no text");
}

TEST_F(TokenReaders, LibMultiLabelWithIds) {
  const auto documents = files_.read("a1\tE11\tone\n\tE12\ttwo\na3\tE11\n1\t2\t3\t4\n", std::nullopt);
  ASSERT_EQ(documents.size(), 4u);
  EXPECT_EQ(documents[0].id, "a1");
  EXPECT_TRUE(documents[0].own_id);
  EXPECT_EQ(documents[1].id, "2") << "the line number";
  EXPECT_FALSE(documents[1].own_id);
  EXPECT_EQ(files_.without_folder(documents[2].error), "data:3: 2 columns, but the first line has 3");
  EXPECT_EQ(files_.without_folder(documents[3].error).rfind("data:4: 3 tabs;", 0), 0u);
}

TEST_F(TokenReaders, Pecos) {
  files_.write_names("fish\ntrade policy\n\n");
  const auto documents = files_.read(
      "1,0,1\ttext\twith a "
      "tab\n0::0.5,1::1e-3\tb\n\tc\n2\td\n3\te\n0::x\tf\n0,\tg\n-1\th\n99999999999999999999\ti\nj\n",
      Format::kPecos);
  ASSERT_EQ(documents.size(), 10u);
  EXPECT_EQ(documents[0].labels, (Strings{"trade policy", "fish"}));
  EXPECT_EQ(documents[0].text, "text\twith a tab");
  EXPECT_FALSE(documents[0].relevances);
  EXPECT_EQ(documents[1].labels, (Strings{"fish", "trade policy"}));
  EXPECT_TRUE(documents[1].relevances);
  EXPECT_EQ(documents[2].error, "");
  EXPECT_EQ(documents[2].labels, Strings{});
  const auto error = [&](size_t i) { return documents[i].error; };
  const std::string data = files_.folder().path("data"), names = files_.folder().path("names");
  EXPECT_EQ(error(3), data + ":4: label 2, but " + names + ":3 is empty");
  EXPECT_EQ(error(4), data + ":5: label 3, but " + names + " has 3 names, counted from 0");
  EXPECT_EQ(error(5), data + ":6: the relevance 'x' is not a finite number");
  EXPECT_EQ(error(6), data + ":7: label '' is not a line number in " + names);
  EXPECT_EQ(error(7), data + ":8: label '-1' is not a line number in " + names);
  EXPECT_NE(error(8), "");
  EXPECT_EQ(error(9), data + ":10: no tab; expected label numbers such as 0,1,2, a tab and a text");
}

// A million labels on one document are read; more are that document's error,
// in a moment and without much memory.
TEST_F(TokenReaders, AMillionLabels) {
  std::string line, fasttext, json = "{\"text\":\"a\",\"labels\":[\"x\"";
  for (int i = 0; i < 1000000; ++i) {
    const std::string label = std::to_string(i % 999983);
    line += label + ' ';
    fasttext += "__label__" + label + ' ';
    json += ",\"" + label + "\"";
  }
  const auto read_one = [&](const std::string& data) { return files_.read(data + "\n", std::nullopt).at(0); };
  EXPECT_EQ(read_one(line + "\ttext").labels.size(), 999983u);
  EXPECT_EQ(read_one(fasttext + "text").labels.size(), 999983u);
  for (const std::string& data : {line + "x \ttext", fasttext + "__label__x text", json + "]}"}) {
    EXPECT_EQ(files_.without_folder(read_one(data).error), "data:1: more than 1000000 labels");
  }
}

// Bytes without meaning: whatever comes out, each document is whole or has an error.
TEST_F(TokenReaders, AnyBytes) {
  using namespace std::string_view_literals;
  DocumentFolder numbered;
  numbered.write_names("\0\n\xff\n"sv);
  const std::string_view pieces[] = {
      "\0"sv,         "\xff"sv, "\xed\xa0\x80"sv, "\t"sv,      "\n"sv,   "\r"sv, "\""sv,   "__label__"sv, ","sv, "<"sv,
      "{\"text\":"sv, "0"sv,    "::"sv,           "\\ud800"sv, "[[[["sv, " "sv,  "text"sv, "1e999"sv};
  uint64_t state = 1;
  for (int round = 0; round < 100; ++round) {
    std::string data = "text,subject_uris\n";
    for (int i = 0; i < 60; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      data += pieces[(state >> 33) % std::size(pieces)];
    }
    for (const std::string& name : labelled_format_names()) {
      if (name == "attentionxml") continue;
      for (const Document& document : (name == "pecos" ? numbered : files_).read(data, parse_format(name))) {
        EXPECT_TRUE(!document.error.empty() || !document.text.empty());
        EXPECT_TRUE(document.label_names.empty() || document.label_names.size() == document.labels.size());
      }
    }
  }
}

}  // namespace
}  // namespace otseq2set
