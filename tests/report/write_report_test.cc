#include "otseq2set/report/write_report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/report/outputs.h"
#include "otseq2set/report/results_json.h"
#include "report/example_results.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

using Kind = SystemResult::Kind;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string page_of(const Results& results, bool compare_paper = false) {
  ReportOptions options;
  options.compare_paper = compare_paper;
  options.gnuplot = "no-such-gnuplot";  // quicker, and the numbers are in any case
  return make_page(results, options).html;
}

// What is wrong with the nesting of tags; empty if nothing is.
// tests/report/page_test.py lets a real parser look.
std::string nesting_error(const std::string& html) {
  static const std::regex kTag(R"re(<(/?)([a-zA-Z0-9]+)((?:\s+[-a-zA-Z]+="[^"<]*")*)\s*(/?)>)re");
  std::vector<std::string> open;
  size_t tags = 0;
  for (std::sregex_iterator tag(html.begin(), html.end(), kTag), end; tag != end; ++tag, ++tags) {
    const std::string name = (*tag)[2];
    if ((*tag)[1].length() > 0) {
      if (open.empty() || open.back() != name) return "</" + name + "> does not close what is open";
      open.pop_back();
    } else if ((*tag)[4].length() == 0) {
      open.push_back(name);
    }
  }
  const auto brackets = static_cast<size_t>(std::count(html.begin(), html.end(), '<'));
  if (brackets != tags + 1) return "a '<' is no tag";  // one is of <!DOCTYPE html>
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

TEST(WriteReport, AllFiles) {
  const TempFolder folder;
  ReportOptions options;
  options.gnuplot = "no-such-gnuplot";
  const std::string out = folder.path("new/folder");
  const std::vector<std::string> warnings = write_report(testing::example_results(), out, options);
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_TRUE(has(warnings[0], "no-such-gnuplot is not installed"));
  EXPECT_EQ(read_file(out + "/results.json"), to_json(testing::example_results()));
  EXPECT_TRUE(has(read_file(out + "/results.csv"), "micro-F1"));
  EXPECT_TRUE(has(read_file(out + "/table.tex"), "\\toprule"));
  EXPECT_TRUE(has(read_file(out + "/report.html"), "</html>"));
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(out)) files += entry.is_regular_file();
  EXPECT_EQ(files, 4);
}

TEST(WriteReport, FolderThatCannotBe) {
  const TempFolder folder;
  const std::string file = folder.write("file", "");
  EXPECT_TRUE(has(message_of<Error>([&] { write_report(Results(), file); }), "cannot create folder " + file));
}

TEST(Page, HasEverySection) {
  const std::string html = page_of(testing::example_results());
  EXPECT_EQ(nesting_error(html), "");
  for (const char* id : {"main", "improvements", "schemes", "averages", "frequency", "rankings", "sweep", "cost",
                         "curves", "sizes", "calibration", "origin"}) {
    EXPECT_TRUE(has(html, std::string("<section id=\"") + id + "\">")) << id;
    EXPECT_TRUE(has(html, std::string("href=\"#") + id + "\"")) << id;
  }
  for (const char* part : {"OTSeq2Set<sub>first-n</sub>", "fastText", "best threshold", "score of at least 0.31",
                           "nDCG@5", "5f1c09ab77e2d1c4", "--sweep loss.lambda=0,2,4,8,16", "AMD EPYC 7B13"})
    EXPECT_TRUE(has(std::regex_replace(html, std::regex("</span> <span>"), " "), part)) << part;
}

TEST(Page, NumbersAreThoseOfTheResults) {
  Results results;
  results.test.name = "t";
  for (const char* title : {"SGM", "OTSeq2Set"}) {
    SystemResult system;
    system.title = title;
    system.kind = results.systems.empty() ? Kind::kBaseline : Kind::kOwn;
    for (int64_t seed : {1, 2}) {
      RunResult run;
      run.seed = seed;
      SetResult set;
      set.name = "greedy";
      set.micro_f1 = (results.systems.empty() ? 0.50 : 0.60) + 0.02 * static_cast<double>(seed - 1);
      run.sets = {set};
      system.runs.push_back(run);
    }
    results.systems.push_back(system);
  }
  const std::string html = page_of(results);
  EXPECT_TRUE(has(html, "<td class=\"best\">61.00 <span class=\"spread\">± 1.41</span></td>")) << html;
  EXPECT_TRUE(has(html, "<td>51.00 <span class=\"spread\">± 1.41</span></td>"));
  EXPECT_TRUE(has(html, "+19.61 %"));  // 61 / 51
  EXPECT_TRUE(has(html, "the best baseline, SGM, has 51.00 %, 10.00 points less"));
  EXPECT_TRUE(has(html, "their spread is at most 1.41 points"));
}

TEST(Page, SaysSoWhenABaselineIsAhead) {
  Results results = testing::example_results();
  for (RunResult& run : results.systems[0].runs) run.sets[0].micro_f1 = 0.9;
  const std::string html = page_of(results);
  EXPECT_TRUE(has(html, "the best baseline, Seq2Seq, has 90.00 %"));
  EXPECT_TRUE(has(html, "None of the 5 set models is ahead of it."));
}

// A system with a run for each of the values.
SystemResult system_with_f1(const std::string& title, Kind kind, const std::vector<double>& values) {
  SystemResult system;
  system.name = system.title = title;
  system.kind = kind;
  for (size_t i = 0; i < values.size(); ++i) {
    RunResult run;
    run.seed = static_cast<int64_t>(i) + 1;
    SetResult set;
    set.name = "greedy";
    set.micro_f1 = values[i];
    run.sets = {set};
    run.at = {{1, values[i], 0, 0, 0, 0}};
    system.runs.push_back(run);
  }
  return system;
}

TEST(Page, ClaimsNothingWithinTheSpreadOfTheSeeds) {
  Results results;
  results.systems = {system_with_f1("SGM", Kind::kBaseline, {0.50, 0.52}),
                     system_with_f1("OTSeq2Set", Kind::kOwn, {0.52, 0.54}),
                     system_with_f1("BM", Kind::kOwn, {0.40, 0.42})};
  std::string html = page_of(results);
  EXPECT_TRUE(has(html, "has 51.00 %, 2.00 points less. That is within the spread of the seeds, ± 1.41 and ± 1.41"));
  EXPECT_TRUE(has(html, "None of the 2 set models is ahead of it; 1 lies within the spread of the seeds."));
  EXPECT_TRUE(has(html, "OTSeq2Set most often ranks a correct label first; as far as the seeds can tell, SGM does so"));

  results.systems[1] = system_with_f1("OTSeq2Set", Kind::kOwn, {0.62, 0.64});
  html = page_of(results);
  EXPECT_FALSE(has(html, "within the spread"));
  EXPECT_TRUE(has(html, "Of the 2 set models, 1 is ahead of it."));
  EXPECT_TRUE(has(html, "OTSeq2Set most often ranks a correct label first. "));
}

TEST(Page, OneSchemeIsBetterOnlyBeyondTheSpreadOfTheSeeds) {
  const auto text = [](const std::vector<std::vector<double>>& all, const std::vector<std::vector<double>>& first_n) {
    Results results;
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string title = "BM" + std::to_string(i);
      results.systems.push_back(system_with_f1(title, Kind::kOwn, all[i]));
      results.systems.back().scheme = "all";
      results.systems.push_back(system_with_f1(title, Kind::kOwn, first_n[i]));
      results.systems.back().scheme = "first_n";
    }
    return page_of(results);
  };
  EXPECT_TRUE(has(text({{0.50, 0.52}}, {{0.51, 0.53}}), "Here first-n has 1.00 points more, within the spread"));
  EXPECT_TRUE(has(text({{0.50, 0.52}}, {{0.61, 0.63}}), "Here first-n does better, by 11.00 points."));
  EXPECT_TRUE(has(text({{0.70, 0.72}}, {{0.61, 0.63}}), "Here all does better, by 9.00 points."));
  EXPECT_TRUE(has(text({{0.50}}, {{0.51}}), "Here first-n has 1.00 points more; with one run, that may be chance."));
  EXPECT_TRUE(has(text({{0.50, 0.52}}, {{0.50, 0.52}}), "Here the two do equally well."));
  EXPECT_TRUE(has(text({{0.50, 0.52}, {0.5, 0.5}, {0.6, 0.6}}, {{0.51, 0.53}, {0.6, 0.6}, {0.5, 0.5}}),
                  "Of 3 systems trained both ways, 1 does better with first-n and 1 with all; 1 differs by no more "
                  "than the spread of the seeds."));
  EXPECT_TRUE(has(text({{0.50, 0.52}, {0.4, 0.5}}, {{0.51, 0.53}, {0.41, 0.5}}),
                  "none does better with either; 2 differ by no more than the spread of the seeds."));
}

TEST(Page, OtherToolsMayTakeLongest) {
  Results results;
  results.systems = {system_with_f1("SGM", Kind::kBaseline, {0.5, 0.5}),
                     system_with_f1("OTSeq2Set", Kind::kOwn, {0.6, 0.6}),
                     system_with_f1("fastText", Kind::kPeer, {0.5, 0.5})};
  const auto set_times = [&](const std::vector<std::vector<double>>& seconds) {
    for (size_t i = 0; i < seconds.size(); ++i) {
      for (size_t run = 0; run < seconds[i].size(); ++run) {
        results.systems[i].runs[run].training_seconds = seconds[i][run];
      }
    }
    return page_of(results);
  };
  EXPECT_TRUE(has(set_times({{10, 11}, {20, 21}, {40, 44}}),
                  "fastText takes longest to train, 42.0 s; that is 4.00 times as long as SGM, the quickest."));
  EXPECT_TRUE(has(set_times({{10, 11}, {39, 41}, {40, 44}}),
                  "On average, training takes from 10.5 s (SGM) to 42.0 s (fastText), 4.00 times as long."));
  const std::string unclear = set_times({{10, 50}, {39, 41}, {40, 44}});
  EXPECT_FALSE(has(unclear, "takes longest") || has(unclear, "training takes"));
}

TEST(Page, PaperOnlyWhenAskedAndMarked) {
  EXPECT_FALSE(has(page_of(testing::example_results()), "Eurlex-4K"));
  const std::string html = page_of(testing::example_results(), true);
  EXPECT_EQ(nesting_error(html), "");
  EXPECT_TRUE(has(html, "The paper’s numbers, measured on other data"));
  for (const char* number : {"62.46", "+16.34 %", "71.37", "27.34", "439.8 M"})
    EXPECT_TRUE(has(html, number)) << number;
}

TEST(Page, HostileNamesStayText) {
  const std::string hostile = "\"><script>alert('x')</script>&lt;\xFF\x01";
  Results results = testing::example_results();
  results.command = results.machine = results.program_version = results.train.name = results.test.name = hostile;
  results.train.fingerprint = hostile;
  for (SystemResult& system : results.systems) {
    system.name += hostile;
    system.title += hostile;
    if (!system.sweep_key.empty()) system.sweep_value += hostile;
    for (RunResult& run : system.runs) {
      run.machine = hostile + "2";
      run.config["key" + hostile] = hostile;
      for (SetResult& set : run.sets) set.rule = hostile;
    }
  }
  const std::string html = page_of(results, true);
  EXPECT_EQ(nesting_error(html), "");
  EXPECT_FALSE(has(html, "<script"));
  EXPECT_TRUE(has(html, "&lt;script&gt;"));
  EXPECT_FALSE(has(html, "\xFF"));
}

TEST(Page, NothingAtAll) {
  const std::string html = page_of(Results(), true);
  EXPECT_EQ(nesting_error(html), "");
  EXPECT_TRUE(has(html, "No run of a model has finished yet."));
}

TEST(Page, OneSeed) {
  Results results = testing::example_results();
  for (SystemResult& system : results.systems) system.runs.resize(1);
  const std::string html = page_of(results);
  EXPECT_EQ(nesting_error(html), "");
  EXPECT_FALSE(has(html, "class=\"spread\""));
  EXPECT_TRUE(has(html, "With only one run of a system, there is no telling"));
}

TEST(Page, UnfinishedRuns) {
  Results results = testing::example_results();
  results.systems[1].runs.resize(1);
  results.systems[2].runs.clear();
  const std::string html = page_of(results);
  EXPECT_EQ(nesting_error(html), "");
  EXPECT_TRUE(has(html, "MLC2Seq <span class=\"note\">(1 of 2 runs)</span>"));
  EXPECT_TRUE(has(html, "SGM <span class=\"note\">(no run has finished)</span>"));
}

TEST(Page, RunsThatKnowLittle) {
  Results results = testing::example_results();
  results.train.documents_with_size.clear();
  for (SystemResult& system : results.systems) {
    system.sweep_key = system.sweep_value = "";
    system.scheme = "";
    for (RunResult& run : system.runs) {
      RunResult bare;
      bare.seed = run.seed;
      bare.sets = run.sets;
      for (SetResult& set : bare.sets) {
        set.sizes.clear();
        set.by_frequency.clear();
      }
      run = bare;
    }
  }
  const std::string html = page_of(results);
  EXPECT_EQ(nesting_error(html), "");
  for (const char* id : {"schemes", "frequency", "rankings", "sweep", "cost", "curves", "sizes", "calibration"})
    EXPECT_FALSE(has(html, std::string("\"") + id + "\"")) << id;
}

TEST(Page, OnlyAnotherTool) {
  Results results = testing::example_results();
  results.systems = {results.systems.back()};
  const std::string html = page_of(results);
  EXPECT_EQ(nesting_error(html), "");
  EXPECT_TRUE(has(html, "fastText") && !has(html, "id=\"improvements\""));
}

TEST(Page, OnlyASweep) {
  Results results = testing::example_results();
  std::vector<SystemResult> swept;
  for (const SystemResult& system : results.systems) {
    if (!system.sweep_key.empty()) swept.push_back(system);
  }
  results.systems = swept;
  const std::string html = page_of(results);
  EXPECT_EQ(nesting_error(html), "");
  EXPECT_TRUE(has(html, "OTSeq2Set<sub>first-n</sub>, loss.lambda = 4"));
}

TEST(Page, LossThatIsNoNumber) {
  Results results = testing::example_results();
  for (EpochPoint& point : results.systems[0].runs[0].curve) point.loss = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(nesting_error(page_of(results)), "");
}

}  // namespace
}  // namespace otseq2set
