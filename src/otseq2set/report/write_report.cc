#include "otseq2set/report/write_report.h"

#include <filesystem>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/report/outputs.h"
#include "otseq2set/report/results_json.h"

namespace otseq2set::inline report {

std::vector<std::string> write_report(const Results& results, const std::string& folder, const ReportOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("cannot create {}: {}", folder, error.message());
  const Page page = make_page(results, options);
  write_file(folder + "/results.json", to_json(results));
  write_file(folder + "/results.csv", to_csv(results));
  write_file(folder + "/table.tex", to_latex(results));
  write_file(folder + "/report.html", page.html);
  return page.warnings;
}

}  // namespace otseq2set::inline report
