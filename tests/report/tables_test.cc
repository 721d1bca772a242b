// results.csv and table.tex.
#include <gtest/gtest.h>

#include <algorithm>

#include "otseq2set/report/outputs.h"
#include "otseq2set/report/paper_scores.h"
#include "otseq2set/report/statistics.h"

namespace otseq2set {
namespace {

using Kind = SystemResult::Kind;

RunResult run_of(int64_t seed, double p, double r, double f1) {
  RunResult run;
  run.seed = seed;
  SetResult set;
  set.name = "greedy";
  set.micro_p = p;
  set.micro_r = r;
  set.micro_f1 = f1;
  run.sets.push_back(set);
  return run;
}

Results two_systems() {
  Results results;
  results.test.name = "test_1.jsonl";
  SystemResult base, own;
  base.name = "sgm";
  base.title = "SGM";
  base.kind = Kind::kBaseline;
  base.runs = {run_of(1, 0.60, 0.50, 0.55), run_of(2, 0.62, 0.50, 0.57)};
  own.name = "bm_lc";
  own.title = "BM + LC";
  own.scheme = "first_n";
  own.runs = {run_of(1, 0.58, 0.64, 0.60), run_of(2, 0.58, 0.64, 0.62)};
  results.systems = {base, own};
  return results;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Csv, OneNumberALine) {
  Results results = two_systems();
  results.systems[0].runs[0].at = {{5, 0.5, 0.25, 0.75, 0.125, 0.0625}};
  results.systems[0].runs[0].parameters = 2412804;
  results.systems[1].runs[1].times = TimeSplit{10, 20, 30.5, 40};
  const std::string csv = to_csv(results);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "system,title,kind,scheme,sweep_key,sweep_value,seed,set,rule,measure,value");
  EXPECT_TRUE(has(csv, "\nsgm,SGM,baseline,,,,2,greedy,,micro-F1,0.57\n")) << csv;
  EXPECT_TRUE(has(csv, "\nbm_lc,BM + LC,own,first_n,,,1,greedy,,micro-R,0.64\n"));
  EXPECT_TRUE(has(csv, "\nsgm,SGM,baseline,,,,1,,,nDCG@5,0.75\n"));
  EXPECT_TRUE(has(csv, "\nsgm,SGM,baseline,,,,1,,,parameters,2412804\n"));
  EXPECT_TRUE(has(csv, "\nbm_lc,BM + LC,own,first_n,,,2,,,loss_seconds,30.5\n"));
  // 4 runs of 7 numbers, 5 of a ranking, 1 of parameters, 4 times, and the head
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4 * 7 + 5 + 1 + 4 + 1);
}

TEST(Csv, QuotesWhatNeedsIt) {
  Results results = two_systems();
  results.systems[0].title = "a \"b\", c";
  results.systems[0].runs[0].sets[0].rule = "line\nbreak";
  const std::string csv = to_csv(results);
  EXPECT_TRUE(has(csv, "\nsgm,\"a \"\"b\"\", c\",baseline,,,,1,greedy,\"line\nbreak\",micro-P,0.6\n")) << csv;
}

TEST(Latex, MeansSpreadsAndBest) {
  const std::string tex = to_latex(two_systems());
  EXPECT_TRUE(has(tex,
                  "SGM & \\textbf{61.00} {\\scriptsize$\\pm$ 1.41} & 50.00 {\\scriptsize$\\pm$ 0.00} & "
                  "56.00 {\\scriptsize$\\pm$ 1.41} \\\\\n"))
      << tex;
  EXPECT_TRUE(has(tex, "BM\\textsubscript{first-n} + LC & 58.00 {\\scriptsize$\\pm$ 0.00} & \\textbf{64.00}")) << tex;
  for (const char* part : {"\\toprule", "\\midrule", "\\bottomrule", "Methods & P & R & F1", "on test\\_1.jsonl, mean"})
    EXPECT_TRUE(has(tex, part)) << part;
}

TEST(Latex, OneSeedAndNone) {
  Results results = two_systems();
  for (SystemResult& system : results.systems) system.runs.resize(1);
  SystemResult unfinished;
  unfinished.title = "100% {\\x}";
  results.systems.push_back(unfinished);
  const std::string tex = to_latex(results);
  EXPECT_FALSE(has(tex, "\\pm"));
  EXPECT_FALSE(has(tex, "of 2 runs"));
  EXPECT_TRUE(has(tex, "100\\% \\{\\textbackslash{}x\\} (no run has finished) & -- & -- & -- \\\\")) << tex;
  EXPECT_TRUE(has(to_latex(Results()), "\\bottomrule"));
}

TEST(Latex, SaysWhatTheNumbersLack) {
  Results results = two_systems();
  results.systems[0].runs.resize(1);
  SystemResult other;
  other.title = "ranker";
  other.kind = SystemResult::Kind::kPeer;
  other.runs.emplace_back();
  SetResult set;
  set.name = "best k";
  set.rule = std::string("the 5 best, ") + kChosenOnTest;
  other.runs[0].sets.push_back(set);
  results.systems.push_back(other);
  other.title = "trained";
  other.runs[0].config = {{"settings", "-lr 1"}};
  results.systems.push_back(other);
  const std::string tex = to_latex(results);
  EXPECT_TRUE(has(tex, "(1 of 2 runs) & ")) << tex;
  EXPECT_TRUE(has(tex, "trained, best k (1 of 2 runs, chosen on the test documents) & ")) << tex;
  EXPECT_TRUE(has(tex, "ranker, best k (chosen on the test documents) & ")) << tex;
}

// The tables were typed in; the paper's own arithmetic finds slips.
TEST(PaperScores, AgreeWithEachOther) {
  constexpr int kColumns = 3;  // precision, recall, F1
  const auto f1 = [](int method, int dataset) { return kPaperMicro[method].on[dataset * kColumns + 2]; };
  for (const PaperRow& row : kPaperMicro) {
    for (size_t i = 0; i < row.on.size(); i += kColumns) {
      const double p = row.on[i], r = row.on[i + 1];
      EXPECT_NEAR(2 * p * r / (p + r), row.on[i + 2], 0.02) << row.method;
    }
  }
  for (int dataset = 0; dataset < kPaperDatasets; ++dataset) {
    double best_baseline = 0;
    for (int method = 0; method < 3; ++method) best_baseline = std::max(best_baseline, f1(method, dataset));
    const int rows[] = {4, 6, 7};  // BM, BM + OT, OTSeq2Set
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(100 * relative_change(best_baseline, f1(rows[i], dataset)), kPaperImprovements[i].on[dataset], 0.011)
          << kPaperDatasetNames[dataset] << " " << i;
    }
  }
}

TEST(PaperScores, HaveAsManyNumbersAsTheirTablesHaveColumns) {
  for (const PaperRow& row : kPaperMicro) EXPECT_EQ(row.on.size(), 3u * kPaperDatasets) << row.method;
  for (const PaperRow& row : kPaperImprovements) EXPECT_EQ(row.on.size(), 1u * kPaperDatasets) << row.method;
  for (const PaperRow& row : kPaperAverages) EXPECT_EQ(row.on.size(), 3u * kPaperDatasets) << row.method;
  for (const PaperRow& row : kPaperCosts) EXPECT_EQ(row.on.size(), 2u * kPaperDatasets) << row.method;
}

}  // namespace
}  // namespace otseq2set
