// The paper's numbers as they stand in the page: set apart, and marked as the paper's and as of other data.
#pragma once

#include "otseq2set/report/html.h"

namespace otseq2set::inline report {

Html paper_micro_table();
Html paper_improvement_table();
Html paper_scheme_table();
Html paper_averages_table();
Html paper_cost_table();

}  // namespace otseq2set::inline report
