// Between libFuzzer and a target's run().
#include "fuzz.h"
#include "otseq2set/core/threads.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  otseq2set::set_threads(1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    otseq2set::fuzz::run({reinterpret_cast<const char*>(data), size});
  } catch (const otseq2set::Error&) {
    // what a user can cause: the input was refused
  }
  return 0;
}
