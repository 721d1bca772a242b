// What write_report puts into the files of a report.
#pragma once

#include <string>
#include <vector>

#include "otseq2set/report/write_report.h"

namespace otseq2set::inline report {

// csv.cc: every single number of the results, one a line, for spreadsheets and data frames:
//
//   system,title,kind,scheme,sweep_key,sweep_value,seed,set,rule,measure,value
//   sgm,SGM,baseline,,,,1,greedy,,micro-F1,0.57634
//   sgm,SGM,baseline,,,,1,,,P@5,0.535
//
// Measures have the field's names and are fractions; set and rule are empty where a number belongs to the
// whole run. Lists (curves, bands, sizes, calibration) are in results.json only.
std::string to_csv(const Results& results);

// latex.cc: the main table for a paper: \input{table.tex} with the package booktabs.
std::string to_latex(const Results& results);

// page.cc: the report as one HTML page that needs nothing else: no network, no scripts, no fonts of its own.
struct Page {
  std::string html;
  std::vector<std::string> warnings;
};
Page make_page(const Results& results, const ReportOptions& options);

}  // namespace otseq2set::inline report
