// The figures of a data set that the report shows.
#pragma once

#include <string>

#include "otseq2set/corpus/dataset.h"
#include "otseq2set/report/results.h"

namespace otseq2set::inline reproduction {

// file: that it was read from.
DataResult data_result(const std::string& file, const Dataset& data);

}  // namespace otseq2set::inline reproduction
