// Every single number of the results, one a line, for spreadsheets and data frames:
//
//   system,title,kind,scheme,sweep_key,sweep_value,seed,set,rule,measure,value
//   sgm,SGM,baseline,,,,1,greedy,,micro-F1,0.57634
//   sgm,SGM,baseline,,,,1,,,P@5,0.535
//
// Measures have the field's names and are fractions; set and rule are empty where a number belongs to the
// whole run. Lists (curves, bands, sizes, calibration) are in results.json only.
#pragma once

#include <string>

#include "otseq2set/report/results.h"

namespace otseq2set::inline report {

std::string to_csv(const Results& results);

}  // namespace otseq2set::inline report
