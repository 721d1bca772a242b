// Writing where a reader may have stopped reading: a pipe to a program that hangs, a terminal that was halted.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <climits>
#include <string_view>

namespace otseq2set::inline http {

constexpr size_t kWrittenAtOnce = PIPE_BUF;  // bytes for which a pipe that is ready has room

// Writes the bytes, at most kWrittenAtOnce, if there is room for them within this time. Returns how many were written,
// 0 if there was no room, and -1 for an error, which errno tells.
ssize_t write_when_ready(int file, std::string_view bytes, std::chrono::milliseconds patience);

}  // namespace otseq2set::inline http
