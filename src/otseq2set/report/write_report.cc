#include "otseq2set/report/write_report.h"

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/files.h"
#include "otseq2set/report/outputs.h"
#include "otseq2set/report/results_json.h"

namespace otseq2set::inline report {

std::vector<std::string> write_report(const Results& results, const std::string& folder, const ReportOptions& options) {
  create_folder(folder);
  const Page page = make_page(results, options);
  write_file(folder + "/results.json", to_json(results));
  write_file(folder + "/results.csv", to_csv(results));
  write_file(folder + "/table.tex", to_latex(results));
  write_file(folder + "/report.html", page.html);
  return page.warnings;
}

}  // namespace otseq2set::inline report
