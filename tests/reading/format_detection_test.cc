#include "otseq2set/reading/format_detection.h"

#include <gtest/gtest.h>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

struct Guess {
  std::string content;
  Format format;
  bool label_names = false;
};

Format detect(std::string_view content, bool label_names = false, bool need_labels = true) {
  const TempFolder folder;
  DataFiles files;
  files.data = folder.write("data", content);
  if (label_names) files.label_names = "names";
  LineReader lines(files.data);
  const Format format = detect_format(lines, files, need_labels);
  EXPECT_EQ(lines.line(), 0u) << "nothing was read";
  return format;
}

std::string refusal(std::string_view content, bool need_labels = true) {
  return message_of<Error>([&] { detect(content, false, need_labels); });
}

TEST(FormatDetection, FromContent) {
  const std::string long_text(500000, 'x');
  std::string many_lines;
  for (int i = 0; i < 40; ++i) many_lines += "a document without a label\n";
  const std::vector<Guess> guesses = {
      {"", Format::kJsonl},
      {"\n\n", Format::kJsonl},
      {R"({"text":"a","labels":[]})", Format::kJsonl},
      {"\n  {\"id\":1,\"text\":\"a\"}\n", Format::kJsonl},
      {R"({"text":"a"})", Format::kJsonl},
      {R"({"document_id":"d","text":"a"})", Format::kAnnifJsonl},
      {R"({"text":"a","subjects":[]})", Format::kAnnifJsonl},
      {R"({"text":"a","labels":[],"subjects":[]})", Format::kJsonl},
      {R"({"document_id":"d","text":")" + long_text + R"(","subjects":[]})", Format::kAnnifJsonl},
      {R"({"id":"d","text":")" + long_text + R"(","labels":[]})", Format::kJsonl},
      {"broken\n{\"text\":\"a\",\"labels\":[]}\n", Format::kJsonl},
      {"[1,2]", Format::kJsonl},
      {"text,subject_uris\n", Format::kAnnifCsv},
      {"\"document_id\",title,text,subject_uris\n", Format::kAnnifCsv},
      {"text,document_id\na,1\n", Format::kAnnifCsv},
      {"a text\t<http://a/b> <http://a/c>\n", Format::kAnnifTsv},
      {"a text\thttp://a/b\n", Format::kAnnifTsv},
      {"no subjects\t\nsome\t<a>\n", Format::kAnnifTsv},
      {"{brace} and\t<a>\n", Format::kAnnifTsv},
      {"[bracket] and\t<a>\n", Format::kAnnifTsv},
      {"__label__a some text\n", Format::kFastText},
      {"without a label\nsome text __label__a\n", Format::kFastText},
      {"E11 ECAT\tsome text\n", Format::kLibMultiLabel},
      {"7\tE11 ECAT\tsome text\n", Format::kLibMultiLabel},
      {"5\ttext\n", Format::kLibMultiLabel},
      {"\ta text without labels\nE11\tanother\n", Format::kLibMultiLabel},
      {"5\ttext\n", Format::kPecos, true},
      {"0,1,2\ttext\n\tno labels\n", Format::kPecos, true},
      {"0::0.1,1::2e-1\ttext\n", Format::kPecos, true},
      {"7\tE11 ECAT\tsome text\n8\tECAT\tmore\n", Format::kLibMultiLabel, true},
      {"E11\ttext\n", Format::kLibMultiLabel, true},
      {"12:30 is a time\tand so is 11:15\n", Format::kLibMultiLabel},
      {"12:30\tE11\ta text\n12:45\tE12 E13\tanother\n", Format::kLibMultiLabel},
      {"12:30\ta text\n12:45\tanother\n", Format::kLibMultiLabel},
      {"1,2\tE11\ta text\n3\tE12 E13\tanother\n", Format::kLibMultiLabel},
      {"E11\tabout __label__x prefix in fastText\nE12\tsecond text\n", Format::kLibMultiLabel},
      {"E11\tabout __label__x prefix in fastText\n", Format::kLibMultiLabel},
      {"about __label__x\t<http://a/b>\n__label__y\t<http://a/b>\nz\t<http://a/b>\n", Format::kAnnifTsv},
      {"__label__a\tsome text\n__label__b\tmore\n", Format::kFastText},
      {"some text\t__label__a\nmore\t__label__b\n", Format::kFastText},
      {"__label__a some\ttext\nwithout\n", Format::kFastText},
      {"broken\n{\"text\":\"a __label__b\",\"labels\":[]}\n", Format::kJsonl},
      {many_lines + "__label__a some text\n", Format::kFastText},
  };
  for (const Guess& guess : guesses) {
    EXPECT_EQ(format_name(detect(guess.content, guess.label_names)), format_name(guess.format))
        << guess.content.substr(0, 100);
  }
}

TEST(FormatDetection, BagsOfWordsAreRefusedWithTheReason) {
  for (const char* content : {"2 1000 50\n3,7 1:0.5 17:1.25\n12 3:1\n", "2 1000 50\n 1:0.5 17:1\n3 4:1\n",
                              "3,7 1:0.5 17:1\n8 4:1\n", "+1 1:0.5 3:-1e-3 # a comment\n-1 2:1\n", "1 qid:3 1:0.5\n"}) {
    const std::string message = refusal(content);
    EXPECT_NE(message.find("data:1: this is a bag of words"), std::string::npos) << content << message;
    EXPECT_NE(message.find("the order of the words is lost"), std::string::npos);
    EXPECT_NE(message.find("--labels"), std::string::npos);
    EXPECT_NE(refusal(content, false).find("bag of words"), std::string::npos);
  }
}

// What is looked at ends anywhere in a line; a token that is cut there says nothing.
TEST(FormatDetection, BagsOfWordsWithLongLines) {
  for (const size_t features : {700, 701, 702, 703, 704, 705, 30000, 2000000}) {
    std::string line = "12,57";
    for (size_t i = 0; i < features; ++i) line += " " + std::to_string(447350 + i) + ":0.893521";
    std::string content = "3 500000 100\n";
    while (content.size() < 400000) content += line + "\n";
    EXPECT_NE(refusal(content).find("this is a bag of words"), std::string::npos) << features;
    EXPECT_NE(refusal(content.substr(content.find('\n') + 1)).find("this is a bag of words"), std::string::npos)
        << features << " without a header";
  }
}

// A line that is cut says nothing about columns either.
TEST(FormatDetection, TablesWithLongLines) {
  const std::string row = "7\tE11 E12\t" + std::string(100000, 'x') + "\n";
  EXPECT_EQ(detect(row + row + row, true), Format::kLibMultiLabel);
  const std::string subjects = std::string(100000, 'x') + " __label__y\t<http://a/b>\n";
  EXPECT_EQ(detect(subjects + subjects + subjects), Format::kAnnifTsv);
}

TEST(FormatDetection, BagsOfWordsAreRefusedInAForcedFormatToo) {
  const TempFolder folder;
  const std::string bag = folder.write("data", "2 1000 50\n3,7 1:0.5 17:1.25\n12 3:1\n");
  for (const Format format : {Format::kFastText, Format::kAnnifTsv, Format::kLibMultiLabel, Format::kJsonl}) {
    EXPECT_NE(message_of<Error>([&] {
                open_documents({bag, "", "", format}, true);
              }).find("this is a bag of words"),
              std::string::npos);
  }
  EXPECT_NO_THROW(open_documents({bag, "", "", Format::kFastText}, false)) << "to predict, it is the user's word";
}

TEST(FormatDetection, BagsOfWordsAreRefusedAsTextsOfAPair) {
  const TempFolder folder;
  DataFiles files;
  files.labels = "labels";
  files.data = folder.write("data", "3 1:0.5\n4 2:1\n");
  LineReader lines(files.data);
  EXPECT_NE(message_of<Error>([&] { detect_format(lines, files, true); }).find("bag of words"), std::string::npos);
  files.data = folder.write("data", "{\"even\":\"this\"} is a text\n");
  LineReader texts(files.data);
  EXPECT_EQ(detect_format(texts, files, true), Format::kAttentionXml);
}

TEST(FormatDetection, PecosWithoutLabelNames) {
  const std::string message = refusal("0,1\ttext\n5\tmore\n");
  EXPECT_NE(message.find("data:1: label numbers such as 0,1,2, as in PECOS"), std::string::npos);
  EXPECT_NE(message.find("--label-names"), std::string::npos);
  EXPECT_EQ(detect("0,1\ttext\n", false, false), Format::kPecos) << "to predict, labels are not needed";
}

TEST(FormatDetection, WhatIsNothingOfThis) {
  const std::string message = refusal("only\nsome\nwords\n");
  EXPECT_NE(message.find("data:1: the format is not recognised: not JSON"), std::string::npos);
  EXPECT_NE(message.find("jsonl, annif-jsonl, annif-tsv"), std::string::npos);
  EXPECT_EQ(message.find("reads every line"), std::string::npos);
  EXPECT_NE(refusal("only\nsome\nwords\n", false).find("--format text reads every line as a text"), std::string::npos);
}

TEST(FormatDetection, NamesOfFormats) {
  for (const std::string& name : format_names()) EXPECT_EQ(format_name(parse_format(name)), name);
  EXPECT_EQ(
      message_of<UsageError>([] { parse_format("csv"); }).rfind("unknown format 'csv'; the formats are jsonl, ", 0),
      0u);
}

}  // namespace
}  // namespace otseq2set
