#include "otseq2set/writing/prediction_writer.h"

#include <gtest/gtest.h>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

LabelVocabulary labels() {
  LabelVocabulary labels = LabelVocabulary::from_counts({{"http://a/fish", 9}, {"trade policy", 5}, {"\"quoted\"", 1}});
  labels.set_display_name(0, "Fish");
  return labels;
}

// Two documents with answers and between them one that could not be read.
std::string written(const std::string& format) {
  const LabelVocabulary vocabulary = labels();
  std::string out;
  const auto writer = PredictionWriter::make(format, vocabulary, [&](std::string_view bytes) { out += bytes; });
  Document document;
  document.id = "d\"1";
  writer->write(document, std::vector<ScoredLabel>{{0, 0.93F}, {1, 0.5F}});
  writer->flush();
  document.id = "2";
  document.error = "file:2: broken";
  writer->write(document, {});
  document.id = "3";
  document.error = "";
  writer->write(document, std::vector<ScoredLabel>{{2, 1e-5F}});
  writer->flush();
  document.id = "4";
  writer->write(document, {});
  writer->finish();
  return out;
}

TEST(PredictionWriter, Jsonl) {
  EXPECT_EQ(written("jsonl"), R"({"id":"d\"1","labels":[{"label":"http://a/fish","name":"Fish","score":0.93},)"
                              R"({"label":"trade policy","score":0.5}]})"
                              "\n"
                              R"({"id":"2","error":"file:2: broken"})"
                              "\n"
                              R"({"id":"3","labels":[{"label":"\"quoted\"","score":1e-05}]})"
                              "\n"
                              R"({"id":"4","labels":[]})"
                              "\n");
}

TEST(PredictionWriter, FastText) {
  EXPECT_EQ(written("fasttext"),
            "__label__http://a/fish 0.93 __label__trade_policy 0.5\n\n__label__\"quoted\" 1e-05\n\n");
}

TEST(PredictionWriter, LibMultiLabel) {
  EXPECT_EQ(written("libmultilabel"), "http://a/fish:0.93 trade_policy:0.5\n\n\"quoted\":1e-05\n\n");
}

TEST(PredictionWriter, Xc) { EXPECT_EQ(written("xc"), "4 3\n0:0.93 1:0.5\n\n2:1e-05\n\n"); }

TEST(PredictionWriter, Annif) {
  EXPECT_EQ(written("annif"),
            "<http://a/fish>\tFish\t0.9300\n<trade policy>\ttrade policy\t0.5000\n\n\n"
            "<\"quoted\">\t\"quoted\"\t0.0000\n\n\n");
}

TEST(PredictionWriter, LabelsThatCouldNotBeToldApart) {
  const LabelVocabulary vocabulary = LabelVocabulary::from_counts({{"a b", 2}, {"a_b", 1}});
  const auto sink = [](std::string_view) {};
  for (const char* format : {"fasttext", "libmultilabel"}) {
    EXPECT_EQ(message_of<Error>([&] { PredictionWriter::make(format, vocabulary, sink); }),
              "the labels 'a b' and 'a_b' would both be written as 'a_b', and could not be told apart "
              "again; rename one, or use --output-format jsonl, which can hold any label");
  }
  EXPECT_EQ(message_of<UsageError>([&] { PredictionWriter::make("csv", vocabulary, sink); }),
            "unknown output format 'csv'; the formats are jsonl, fasttext, libmultilabel, xc, annif");
}

}  // namespace
}  // namespace otseq2set
