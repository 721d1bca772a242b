// The report as one HTML page that needs nothing else: no network, no scripts, no fonts of its own.
#pragma once

#include <string>
#include <vector>

#include "otseq2set/report/write_report.h"

namespace otseq2set::inline report {

struct Page {
  std::string html;
  std::vector<std::string> warnings;
};
Page make_page(const Results& results, const ReportOptions& options);

}  // namespace otseq2set::inline report
