// How much memory there is and how much this process uses, to say before training whether it will fit.
#pragma once

#include <cstdint>
#include <string>

namespace otseq2set::inline core {

// Bytes that can still be used without swapping: what the system has available, or what the control groups
// (version 2 or 1, the limits of containers and batch systems) leave, whichever is less; 0 if unknown.
// root stands before /proc and /sys, for tests.
uint64_t available_memory(const std::string& root = "");

// Bytes of this process in memory, now and at most so far; 0 if unknown.
uint64_t resident_memory();
uint64_t peak_resident_memory();

}  // namespace otseq2set::inline core
