// Made-up results of a comparison, as a real one would look: eight variants with two seeds each, a sweep, and
// another tool. The numbers are invented; the same on every call.
#pragma once

#include "otseq2set/report/results.h"

namespace otseq2set::testing {

Results example_results();

}  // namespace otseq2set::testing
