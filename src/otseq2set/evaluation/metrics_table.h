// A metrics report as people and programs read it. The names are those of the field:
// micro-P micro-R micro-F1 macro-F1 weighted-F1 example-F1 P@k R@k nDCG@k PSP@k PSnDCG@k.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "otseq2set/evaluation/metrics.h"

namespace otseq2set::inline evaluation {

// Lines of aligned columns, in percent with two decimals; ends with a newline.
std::string to_table(const MetricsReport& report);

// One object, {"documents": 2, ..., "micro-P": 0.625, ...}, metrics as fractions; ends with a newline.
std::string to_json(const MetricsReport& report);

// A header line and one line a label, in the report's order. The names that people know, if there are any, have a column
// behind the label's. Tabs and line breaks become spaces.
using TextOfLabel = std::function<std::string(int32_t)>;
std::string per_label_tsv(const MetricsReport& report, const TextOfLabel& label, const TextOfLabel& name = {});

}  // namespace otseq2set::inline evaluation
