// What `check` found, for people and for programs.
#pragma once

#include <string>

#include "otseq2set/checking/check_summary.h"
#include "otseq2set/config/fields.h"

namespace otseq2set::inline checking {

// Findings with their places, the table of the data set, the sizes of its label sets, the scheme that suits.
std::string to_text(const CheckReport& report);

// The same, whole, as one object.
Json to_json(const CheckReport& report);

}  // namespace otseq2set::inline checking
