// Writes the report of made-up results, to be looked at: example_report FOLDER [--compare-paper]
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "otseq2set/report/write_report.h"
#include "report/example_results.h"

int main(int count, char** arguments) {
  using namespace otseq2set;
  if (count < 2) {
    fmt::print(stderr, "usage: example_report FOLDER [--compare-paper]\n");
    return 2;
  }
  try {
    ReportOptions options;
    options.compare_paper = count > 2 && std::string_view(arguments[2]) == "--compare-paper";
    for (const std::string& warning : write_report(testing::example_results(), arguments[1], options))
      fmt::print(stderr, "warning: {}\n", warning);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
