// The numbers behind a figure of lines: a row for each x, a column for each series.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "otseq2set/report/figures.h"
#include "otseq2set/report/html.h"

namespace otseq2set::inline report {

using NumberText = std::function<std::string(double)>;

Table numbers_table(const std::string& caption, const std::string& x_name, const std::vector<Series>& series,
                    const NumberText& x_text, const NumberText& y_text);

}  // namespace otseq2set::inline report
