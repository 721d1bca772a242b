// A thread of the program under torture, stopped at a system call: its arguments, its files, its memory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace torture {

class Tracee {
 public:
  explicit Tracee(pid_t thread) : thread_(thread) {}

  pid_t thread() const { return thread_; }
  void read_registers();
  void write_registers() const;

  long number() const { return static_cast<long>(registers_[kNumber]); }
  uint64_t argument(int i) const { return registers_[kArguments[i]]; }
  void set_argument(int i, uint64_t value) { registers_[kArguments[i]] = value; }
  int64_t result() const { return static_cast<int64_t>(registers_[kResult]); }
  void set_result(int64_t value) { registers_[kResult] = static_cast<uint64_t>(value); }
  // The kernel leaves the call out and returns the result that is set now.
  void skip_call(int64_t result);

  // Bytes of its memory, fewer where it ends.
  std::string bytes(uint64_t address, size_t count) const;
  std::string text(uint64_t address) const;

  // Absolute, without . and .., links not followed; empty if there is none.
  std::string path_of(int descriptor) const;
  std::string path_at(int folder, uint64_t address) const;
  // The same file through /proc, for stat.
  std::string place_of(int descriptor) const;
  int64_t offset_of(int descriptor) const;

 private:
  // Places in user_regs_struct of x86-64.
  static constexpr int kResult = 10, kNumber = 15;
  static constexpr int kArguments[6] = {14, 13, 12, 7, 9, 8};
  static constexpr int kRegisters = 27;

  pid_t thread_;
  uint64_t registers_[kRegisters] = {};
};

}  // namespace torture
