// The measures of a report, for who uses the library.
#pragma once

#include "otseq2set/evaluation/metrics.h"
#include "otseq2set/measures.h"

namespace otseq2set::inline api {

Quality quality_of(const MetricsReport& report);

}  // namespace otseq2set::inline api
