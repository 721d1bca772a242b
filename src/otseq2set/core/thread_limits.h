// How many threads anybody may ask for.
#pragma once

namespace otseq2set::inline core {

constexpr int kMostThreads = 4096;

}  // namespace otseq2set::inline core
