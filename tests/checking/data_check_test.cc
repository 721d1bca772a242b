#include "otseq2set/checking/data_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "otseq2set/checking/check_report.h"
#include "otseq2set/checking/hash_set.h"
#include "otseq2set/checking/hashed_places.h"
#include "otseq2set/core/random.h"
#include "otseq2set/core/threads.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

using Strings = std::vector<std::string>;

std::string line(const std::string& id, const std::string& text, const std::string& labels) {
  return R"({"id":")" + id + R"(","text":")" + text + R"(","labels":[)" + labels + "]}\n";
}

class DataCheck : public testing::Test {
 protected:
  CheckReport check(const std::string& train, const std::string& valid = "") {
    const DataFiles files{folder_.write("train.jsonl", train), "", ""};
    if (valid.empty()) return check_data(files, std::nullopt, options_);
    return check_data(files, DataFiles{folder_.write("valid.jsonl", valid), "", ""}, options_);
  }

  // Without the folder's name.
  Strings places(const CheckReport& report, const std::string& kind) {
    Strings places;
    for (const Finding& finding : report.findings) {
      if (finding.kind != kind) continue;
      EXPECT_EQ(finding.count, finding.places.size()) << kind;
      for (std::string place : finding.places) {
        for (size_t at; (at = place.find(folder_.path(""))) != std::string::npos;) {
          place.erase(at, folder_.path("").size());
        }
        places.push_back(place);
      }
    }
    return places;
  }

  static Strings kinds(const CheckReport& report, bool refused) {
    Strings kinds;
    for (const Finding& finding : report.findings) {
      if (finding.refused == refused) kinds.push_back(finding.kind);
    }
    return kinds;
  }

  TempFolder folder_;
  CheckOptions options_;
};

// Every kind of problem that a pair of files can have, each at a known line.
struct Planted {
  std::string train = line("a", "The council adopted a regulation.", R"("fish","trade")") +                   // 1
                      line("b", "Quotas for fishing.", R"("fish")") +                                         // 2
                      "{\"id\":\"c\",\"text\":\n" +                                                           // 3
                      line("d", "  ", R"("fish")") +                                                          // 4
                      line("e", "Not \xff UTF-8", R"("fish")") +                                              // 5
                      line("f", "Nothing to see.", "") +                                                      // 6
                      line("a", "Another text of its own.", R"("trade")") +                                   // 7
                      line("g", "THE council   adopted a regulation!", R"("trade","fish")") +                 // 8
                      line("h", "one two three four five six seven eight nine", R"("Trade ","fish")") +       // 9
                      line("i", "... !", R"("fish","trade")") +                                               // 10
                      line("j", "many labels", R"("fish","trade","rare","common_policy","Common  Policy")");  // 11
  std::string valid = line("v1", "quotas FOR fishing", R"("fish")") +                                         // 1
                      line("v2", "something new", R"("unseen")") +                                            // 2
                      line("v2", "something else", R"("fish")");                                              // 3
};

TEST_F(DataCheck, FindsEverythingAtItsLine) {
  options_.max_words = 7;
  options_.steps = 4;
  const CheckReport report = check(Planted().train, Planted().valid);
  const Strings unreadable = places(report, "unreadable_document");
  ASSERT_EQ(unreadable.size(), 1u);
  EXPECT_EQ(unreadable[0].rfind("train.jsonl:3: not JSON: ", 0), 0u) << unreadable[0];
  EXPECT_EQ(places(report, "empty_text"), (Strings{"train.jsonl:4: the document has no text (\"text\" is empty)"}));
  const Strings broken = places(report, "broken_utf8");
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].rfind("train.jsonl:5: ", 0), 0u) << broken[0];
  EXPECT_EQ(places(report, "no_words"), (Strings{"train.jsonl:10"}));
  EXPECT_EQ(places(report, "no_labels"), (Strings{"train.jsonl:6"}));
  EXPECT_EQ(places(report, "duplicate_id"),
            (Strings{"train.jsonl:7: same as train.jsonl:1", "valid.jsonl:3: same as valid.jsonl:2"}));
  EXPECT_EQ(places(report, "duplicate_document"), (Strings{"train.jsonl:8: same as train.jsonl:1"}));
  EXPECT_EQ(places(report, "in_training_and_validation"), (Strings{"valid.jsonl:1: same as train.jsonl:2"}));
  EXPECT_EQ(places(report, "label_once"),
            (Strings{"train.jsonl:9: 'Trade '", "train.jsonl:11: 'rare'", "train.jsonl:11: 'common_policy'",
                     "train.jsonl:11: 'Common  Policy'"}));
  EXPECT_EQ(places(report, "label_only_in_validation"), (Strings{"valid.jsonl:2: 'unseen'"}));
  EXPECT_EQ(places(report, "label_spelling"),
            (Strings{"train.jsonl:9: 'Trade ', like 'trade' at train.jsonl:1",
                     "train.jsonl:11: 'Common  Policy', like 'common_policy' at train.jsonl:11"}));
  EXPECT_EQ(places(report, "truncated"), (Strings{"train.jsonl:9: 9 words, the last 2 are cut"}));
  EXPECT_EQ(places(report, "more_labels_than_steps"), (Strings{"train.jsonl:11: 5 labels, but model.steps is 4"}));
  EXPECT_TRUE(report.refused());
  EXPECT_EQ(kinds(report, true), (Strings{"unreadable_document", "empty_text", "broken_utf8"}));
  EXPECT_EQ(report.findings.size(), 13u) << "and nothing else";
}

TEST_F(DataCheck, TextAndJsonTellAllOfIt) {
  options_.max_words = 7;
  options_.steps = 4;
  const CheckReport report = check(Planted().train, Planted().valid);
  const std::string text = to_text(report);
  const Json json = Json::parse(to_json(report).dump(-1, ' ', false, Json::error_handler_t::replace));
  ASSERT_EQ(json.at("findings").size(), report.findings.size());
  for (size_t i = 0; i < report.findings.size(); ++i) {
    EXPECT_EQ(json["findings"][i]["kind"], report.findings[i].kind);
    EXPECT_EQ(json["findings"][i]["count"], report.findings[i].count);
    EXPECT_NE(text.find(report.findings[i].title), std::string::npos);
    for (const std::string& place : report.findings[i].places) {
      EXPECT_NE(text.find("    " + place + "\n"), std::string::npos) << place;
    }
  }
  EXPECT_EQ(json["refused"], true);
  EXPECT_EQ(json["train"]["documents"], 8);
  EXPECT_EQ(json["valid"]["documents"], 3);
}

// A label may hold what a terminal obeys, or be as long as a line.
TEST_F(DataCheck, LabelsAreShownOnOneLine) {
  const std::string longest(1000, 'x');
  const CheckReport report =
      check(line("a", "one", R"("\u001b[2J\nproblem: \u202e\u009b")") + line("b", "two", '"' + longest + '"'));
  EXPECT_EQ(places(report, "label_once"), (Strings{R"(train.jsonl:1: '\u001b[2J\nproblem: \u202e\u009b')",
                                                   "train.jsonl:2: '" + longest.substr(0, 200) + "...'"}));
}

TEST_F(DataCheck, NoDocumentsGiveNoAdvice) {
  const CheckReport report = check("\n");
  EXPECT_TRUE(to_json(report).at("scheme").is_null());
  EXPECT_EQ(to_text(report).find("loss.scheme"), std::string::npos);
  EXPECT_EQ(to_json(check(line("a", "one", R"("x")"))).at("scheme").at("suits"), "first_n");
}

TEST_F(DataCheck, CleanDataHasNothingToRemark) {
  const CheckReport report = check(line("a", "one two", R"("x")") + line("b", "two three", R"("x")"));
  EXPECT_TRUE(report.findings.empty());
  EXPECT_FALSE(report.refused());
  EXPECT_NE(to_text(report).find("nothing to report"), std::string::npos);
}

TEST_F(DataCheck, TableOfTheDataSet) {
  const CheckReport report = check(line("a", "one two three four", R"("x","y")") + line("b", "two", R"("x")") +
                                       line("c", "two five", R"("x")") + line("d", "six", R"("x","y","z")"),
                                   line("e", "a b c", R"("x","q")"));
  EXPECT_EQ(report.train.documents, 4u);
  EXPECT_EQ(report.distinct_words, 6u);
  EXPECT_EQ(report.distinct_labels, 3u);
  EXPECT_DOUBLE_EQ(report.train.mean_labels(), 7.0 / 4);
  EXPECT_EQ(report.train.largest_label_set(), 3u);
  EXPECT_DOUBLE_EQ(report.samples_per_label(), 7.0 / 3);
  EXPECT_DOUBLE_EQ(report.train.mean_words(), 2.0);
  EXPECT_EQ(report.train.longest, 4u);
  EXPECT_EQ(report.train.label_set_sizes, (std::map<uint64_t, uint64_t>{{1, 2}, {2, 1}, {3, 1}}));
  EXPECT_DOUBLE_EQ(share_at_or_below_mean(report.train.label_set_sizes), 0.5);
  ASSERT_TRUE(report.valid);
  EXPECT_EQ(report.valid->documents, 1u);
  EXPECT_DOUBLE_EQ(report.valid->mean_words(), 3.0);
  EXPECT_DOUBLE_EQ(report.valid->mean_labels(), 2.0);
}

TEST_F(DataCheck, SchemeFollowsTheShareAtOrBelowTheMean) {
  const auto scheme = [&](int few, int many) {
    std::string lines;
    for (int i = 0; i < few; ++i) lines += line("f" + std::to_string(i), "f" + std::to_string(i), R"("x")");
    for (int i = 0; i < many; ++i) {
      lines += line("m" + std::to_string(i), "m" + std::to_string(i), R"("x","y")");
    }
    const CheckReport report = check(lines);
    return report.scheme() + (report.scheme_matters_little() ? ", little" : "");
  };
  EXPECT_EQ(scheme(70, 30), "first_n");
  EXPECT_EQ(scheme(30, 70), "all");
  EXPECT_EQ(scheme(52, 48), "first_n, little");
  EXPECT_EQ(scheme(50, 50), "all, little");
}

TEST_F(DataCheck, PlacesAreLimitedButCountsAreNot) {
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += line("same", i % 2 ? "" : "text " + std::to_string(i), "");
  options_.max_places = 3;
  const CheckReport report = check(lines);
  for (const Finding& finding : report.findings) EXPECT_LE(finding.places.size(), 3u) << finding.kind;
  EXPECT_EQ(report.findings[0].kind, "empty_text");
  EXPECT_EQ(report.findings[0].count, 1500u);
  const auto ids = std::find_if(report.findings.begin(), report.findings.end(),
                                [](const Finding& finding) { return finding.kind == "duplicate_id"; });
  ASSERT_NE(ids, report.findings.end());
  EXPECT_EQ(ids->count, 2999u) << "those without a text too";
  EXPECT_EQ(ids->places.front(), folder_.path("train.jsonl") + ":2: same as " + folder_.path("train.jsonl") + ":1");
  EXPECT_NE(to_text(report).find("    and 2996 more\n"), std::string::npos);
}

// What else is wrong with a document that lacks a text; the table is of the others.
TEST_F(DataCheck, ADocumentWithoutTextHidesNothing) {
  options_.steps = 1;
  const CheckReport report = check(line("a", "one", R"("x")") + line("b", "two", R"("x")") + line("a", "", "") +
                                   line("c", " ", R"("y","X")") + R"({"id":[],"labels":[7]})" + "\n");
  EXPECT_EQ(places(report, "empty_text"), (Strings{"train.jsonl:3: the document has no text (\"text\" is empty)",
                                                   "train.jsonl:4: the document has no text (\"text\" is empty)"}));
  EXPECT_EQ(places(report, "unreadable_document"),
            (Strings{"train.jsonl:5: \"id\" is neither a string nor a number; the document has no text "
                     "(\"text\" is missing); \"labels\" is not a list of strings"}));
  EXPECT_EQ(places(report, "duplicate_id"), (Strings{"train.jsonl:3: same as train.jsonl:1"}));
  EXPECT_EQ(places(report, "no_labels"), (Strings{"train.jsonl:3"}));
  EXPECT_EQ(places(report, "more_labels_than_steps"), (Strings{"train.jsonl:4: 2 labels, but model.steps is 1"}));
  EXPECT_EQ(places(report, "label_once"), (Strings{"train.jsonl:4: 'y'", "train.jsonl:4: 'X'"}));
  EXPECT_EQ(places(report, "label_spelling"), (Strings{"train.jsonl:4: 'X', like 'x' at train.jsonl:1"}));
  EXPECT_EQ(report.train.documents, 2u);
  EXPECT_EQ(report.train.labels, 2u);
  EXPECT_EQ(report.distinct_labels, 1u);
}

TEST_F(DataCheck, KindsDoNotComeFromWhatFilesAreCalled) {
  const auto kinds_of = [&](const char* name, const std::string& content) {
    return kinds(check_data({folder_.write(name, content), "", ""}, std::nullopt, options_), true);
  };
  const std::string good = line("a", "one", R"("x")");
  EXPECT_EQ(kinds_of("train.UTF-8.jsonl", good + "{\n"), Strings{"unreadable_document"});
  EXPECT_EQ(kinds_of("has no text.jsonl", good + "{\n"), Strings{"unreadable_document"});
  EXPECT_EQ(kinds_of("train.UTF-8.jsonl", good + line("b", "", "")), Strings{"empty_text"});
  EXPECT_EQ(kinds_of("has no text.jsonl", good + line("b", "\xff", "")), Strings{"broken_utf8"});
  const DataFiles pecos{folder_.write("pecos", "0\tone\nUTF-8\ttwo\n"), "", folder_.write("names", "x\n"),
                        Format::kPecos};
  EXPECT_EQ(kinds(check_data(pecos, std::nullopt, options_), true), Strings{"unreadable_document"});
}

TEST_F(DataCheck, SameReportOnAnyNumberOfThreads) {
  std::string lines;
  RandomStream random(1, "data_check_test");
  for (int i = 0; i < 3000; ++i) {
    const std::string word = "w" + std::to_string(random.below(500));
    lines += line(std::to_string(random.below(2000)), word + " " + word, "\"l" + word + "\"");
  }
  const int before = thread_count();
  set_threads(1);
  const std::string one = to_text(check(lines));
  set_threads(4);
  EXPECT_EQ(to_text(check(lines)), one);
  set_threads(before);
}

TEST_F(DataCheck, WhatConcernsFilesIsAProblemToo) {
  const DataFiles missing{folder_.path("missing.jsonl"), "", ""};
  const DataFiles empty{folder_.write("empty.jsonl", "\n"), "", ""};
  const CheckReport report = check_data(missing, empty, options_);
  EXPECT_EQ(kinds(report, true), (Strings{"unreadable_file", "no_documents"}));
  EXPECT_EQ(kinds(check(line("a", "text", "")), true), Strings{"no_label_at_all"});
}

// The labels end before the texts: what is there is reported all the same.
TEST_F(DataCheck, TextPairs) {
  const DataFiles files{folder_.write("texts.txt", "one\n\ntwo \xff\nthree\nfour\n"),
                        folder_.write("labels.txt", "x\nx y\nx\n\n"), ""};
  const CheckReport report = check_data(files, std::nullopt, options_);
  EXPECT_EQ(places(report, "unreadable_file"),
            (Strings{"texts.txt has 5 lines, but labels.txt has 4; they must correspond line by line"}));
  EXPECT_EQ(places(report, "empty_text"), (Strings{"texts.txt:2: the document has no text (the line is empty)"}));
  EXPECT_EQ(places(report, "broken_utf8"), (Strings{"texts.txt:3"}));
  EXPECT_EQ(kinds(report, false), (Strings{"broken_utf8", "no_labels", "label_once"}));
  EXPECT_EQ(places(report, "label_once"), (Strings{"texts.txt:2: 'y'"})) << "of the document without text";
  EXPECT_EQ(places(report, "no_labels"), (Strings{"texts.txt:4"}));
  EXPECT_EQ(report.train.documents, 3u);
}

TEST_F(DataCheck, CoverageOfVectors) {
  options_.vectors = folder_.write("vectors.txt", "two 1 2\nthree 3 4\nother 5 6\n");
  options_.word_embedding = 2;
  const std::string train = line("a", "one two two three", R"("x")") + line("b", "four two", R"("x")");
  const CheckReport report = check(train, line("v", "two two two", R"("x")"));
  ASSERT_TRUE(report.vectors);
  EXPECT_EQ(report.vectors->words, 3u);
  EXPECT_EQ(report.vectors->dimension, 2u);
  EXPECT_EQ(report.vectors->tokens, 4u);  // of 6
  EXPECT_EQ(report.vectors->types, 2u);   // of 4
  EXPECT_FALSE(report.refused());
  const Json json = to_json(report);
  EXPECT_DOUBLE_EQ(json["vectors"]["share_of_tokens"], 4.0 / 6);
  EXPECT_DOUBLE_EQ(json["vectors"]["share_of_types"], 0.5);

  options_.word_embedding = 300;
  EXPECT_EQ(places(check(train), "word_vectors"),
            (Strings{"vectors.txt: vectors of 2 numbers, but model.word_embedding is 300"}));
  options_.vectors = folder_.write("broken.txt", "two 1 2\nthree 3\n");
  EXPECT_EQ(places(check(train), "word_vectors"),
            (Strings{"broken.txt:2: vectors of 1 numbers, but model.word_embedding is 2"}));
  for (const char* number : {"nan", "1e99", "abc"}) {
    options_.vectors = folder_.write("broken.txt", std::string("unused 1 ") + number + "\n");
    EXPECT_EQ(places(check(train), "word_vectors"),
              (Strings{std::string("broken.txt:1: '") + number + "' is not a finite number"}));
  }
}

TEST(HashSet, IsASet) {
  HashSet set;
  EXPECT_FALSE(set.contains(0));
  EXPECT_FALSE(set.contains(5));
  for (uint64_t round = 0; round < 2; ++round) {
    for (uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(set.insert(i * 0x10000), round == 0);
  }
  EXPECT_EQ(set.size(), 1000u);
  EXPECT_TRUE(set.contains(0));
  EXPECT_TRUE(set.contains(999 * 0x10000));
  EXPECT_FALSE(set.contains(1000 * 0x10000));
}

TEST(HashedPlaces, PairsWithTheLowestLines) {
  HashedPlaces places, other;
  for (uint64_t i = 1; i <= 100; ++i) places.add(i % 10 << 40, i);
  const auto repeated = places.repeated(3);
  EXPECT_EQ(repeated.count, 90u);
  ASSERT_EQ(repeated.first_pairs.size(), 3u);
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(repeated.first_pairs[i].line, 11 + i);
    EXPECT_EQ(repeated.first_pairs[i].first, 1 + i);
  }
  EXPECT_EQ(places.repeated(0).count, 90u);
  other.add(uint64_t{5} << 40, 7);
  other.add(77, 8);
  other.add(uint64_t{5} << 40, 9);
  const auto both = other.also_in(places, 5);
  EXPECT_EQ(both.count, 2u);
  ASSERT_EQ(both.first_pairs.size(), 2u);
  EXPECT_EQ(both.first_pairs[1].line, 9u);
  EXPECT_EQ(both.first_pairs[1].first, 5u);
}

}  // namespace
}  // namespace otseq2set
