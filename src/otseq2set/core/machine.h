// The machine that figures were measured on, in a line: "AMD EPYC 7763, 2 cores, 23 GB, Linux 6.1".
#pragma once

#include <string>

namespace otseq2set::inline core {

std::string machine_description();

}  // namespace otseq2set::inline core
