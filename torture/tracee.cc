#include "tracee.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace torture {

static_assert(sizeof(user_regs_struct) == 27 * sizeof(uint64_t), "x86-64");

void Tracee::read_registers() { ptrace(PTRACE_GETREGS, thread_, nullptr, registers_); }

void Tracee::write_registers() const { ptrace(PTRACE_SETREGS, thread_, nullptr, registers_); }

void Tracee::skip_call(int64_t result) {
  registers_[kNumber] = static_cast<uint64_t>(-1);
  set_result(result);
  write_registers();
}

std::string Tracee::bytes(uint64_t address, size_t count) const {
  std::string found(count, '\0');
  iovec here{found.data(), count}, there{reinterpret_cast<void*>(address), count};
  const ssize_t got = process_vm_readv(thread_, &here, 1, &there, 1, 0);
  found.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return found;
}

// Page by page: the page behind the text may not be there.
std::string Tracee::text(uint64_t address) const {
  constexpr uint64_t kPage = 4096;
  std::string found;
  while (found.size() < PATH_MAX) {
    const std::string piece = bytes(address, kPage - address % kPage);
    const size_t end = piece.find('\0');
    found += piece.substr(0, end);
    if (end != std::string::npos || piece.empty()) break;
    address += piece.size();
  }
  return found;
}

std::string Tracee::place_of(int descriptor) const {
  const std::string process = "/proc/" + std::to_string(thread_);
  return descriptor == AT_FDCWD ? process + "/cwd" : process + "/fd/" + std::to_string(descriptor);
}

std::string Tracee::path_of(int descriptor) const {
  char target[PATH_MAX];
  const ssize_t length = readlink(place_of(descriptor).c_str(), target, sizeof target);
  return length > 0 ? std::string(target, static_cast<size_t>(length)) : "";
}

std::string Tracee::path_at(int folder, uint64_t address) const {
  const std::string name = address == 0 ? "" : text(address);
  if (name.empty()) return path_of(folder);
  const std::filesystem::path path = name[0] == '/' ? name : path_of(folder) + "/" + name;
  std::string normal = path.lexically_normal().string();
  if (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

int64_t Tracee::offset_of(int descriptor) const {
  std::ifstream info("/proc/" + std::to_string(thread_) + "/fdinfo/" + std::to_string(descriptor));
  std::string key;
  int64_t offset = -1;
  info >> key >> offset;
  return offset;
}

}  // namespace torture
