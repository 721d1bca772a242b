// The files of a report, from what a comparison found:
//
//   results.json   everything (results_json.h)
//   results.csv    every single number, one a line (outputs.h)
//   table.tex      the main table (outputs.h)
//   report.html    tables, figures and what they say, in one file (outputs.h)
//
// docs/reproducing.md describes them. The same results give the same bytes.
#pragma once

#include <string>
#include <vector>

#include "otseq2set/report/results.h"

namespace otseq2set::inline report {

struct ReportOptions {
  std::string title;                // of the page; empty: what it was measured on
  bool compare_paper = false;       // show the numbers of the paper's tables beside
  std::string gnuplot = "gnuplot";  // the program that draws the figures
};

// Creates the folder if need be; each file is replaced at once. Returns what the user should know, a line
// each: figures that could not be drawn are missing from the report, their numbers are not.
std::vector<std::string> write_report(const Results& results, const std::string& folder,
                                      const ReportOptions& options = {});

}  // namespace otseq2set::inline report
