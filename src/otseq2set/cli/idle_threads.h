// What threads do while they wait for others: sleep soon, rather than spin for milliseconds on a core that another
// program could use. On a busy machine two threads are otherwise slower than one; on an idle one nothing is lost
// (docs/performance.md).
#pragma once

namespace otseq2set::inline cli {

// GCC's OpenMP reads this from the environment before main begins, so the program starts itself once more. Nothing
// happens if somebody has said already how threads shall wait.
void let_idle_threads_sleep(char** argv);

}  // namespace otseq2set::inline cli
