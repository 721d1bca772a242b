#include "otseq2set/core/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "otseq2set/core/error.h"

namespace otseq2set::inline core {

namespace {

// What /proc/cpuinfo calls it; the architecture where it has no name.
std::string processor(const utsname& system) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return system.machine;
}

}  // namespace

std::string machine_description() {
  utsname system{};
  uname(&system);
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return fmt::format("{}, {} cores, {:.0f} GB, {} {}", processor(system), sysconf(_SC_NPROCESSORS_ONLN), memory / 1e9,
                     system.sysname, system.release);
}

}  // namespace otseq2set::inline core
