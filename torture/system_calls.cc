#include "system_calls.h"

#include <sys/syscall.h>

#include <algorithm>

namespace torture {

const std::vector<SystemCall>& system_calls() {
  using enum Family;
  using enum Names;
  static const std::vector<SystemCall> calls = {
      {SYS_open, "open", kFile, kPath, true},
      {SYS_creat, "creat", kFile, kPath, true},
      {SYS_openat, "openat", kFile, kPathAt, true},
      {SYS_read, "read", kFile, kDescriptor, false},
      {SYS_pread64, "pread", kFile, kDescriptor, false},
      {SYS_readv, "readv", kFile, kDescriptor, false},
      {SYS_write, "write", kFile, kDescriptor, true},
      {SYS_pwrite64, "pwrite", kFile, kDescriptor, true},
      {SYS_writev, "writev", kFile, kDescriptor, true},
      {SYS_fsync, "fsync", kFile, kDescriptor, true},
      {SYS_fdatasync, "fdatasync", kFile, kDescriptor, true},
      {SYS_ftruncate, "ftruncate", kFile, kDescriptor, true},
      {SYS_fallocate, "fallocate", kFile, kDescriptor, true},
      {SYS_close, "close", kFile, kDescriptor, false},
      {SYS_rename, "rename", kFile, kTwoPaths, true},
      {SYS_renameat, "renameat", kFile, kTwoPathsAt, true},
      {SYS_renameat2, "renameat2", kFile, kTwoPathsAt, true},
      {SYS_link, "link", kFile, kTwoPaths, true},
      {SYS_linkat, "linkat", kFile, kTwoPathsAt, true},
      {SYS_unlink, "unlink", kFile, kPath, false},
      {SYS_unlinkat, "unlinkat", kFile, kPathAt, false},
      {SYS_rmdir, "rmdir", kFile, kPath, false},
      {SYS_mkdir, "mkdir", kFile, kPath, true},
      {SYS_mkdirat, "mkdirat", kFile, kPathAt, true},
      {SYS_stat, "stat", kFile, kPath, false},
      {SYS_lstat, "lstat", kFile, kPath, false},
      {SYS_fstat, "fstat", kFile, kDescriptor, false},
      {SYS_newfstatat, "newfstatat", kFile, kPathAt, false},
      {SYS_statx, "statx", kFile, kPathAt, false},
      {SYS_access, "access", kFile, kPath, false},
      {SYS_faccessat, "faccessat", kFile, kPathAt, false},
      {SYS_faccessat2, "faccessat2", kFile, kPathAt, false},
      {SYS_readlink, "readlink", kFile, kPath, false},
      {SYS_readlinkat, "readlinkat", kFile, kPathAt, false},
      {SYS_statfs, "statfs", kFile, kPath, false},
      {SYS_getdents64, "getdents64", kFile, kDescriptor, false},
      {SYS_flock, "flock", kFile, kDescriptor, false},
      {SYS_fchmod, "fchmod", kFile, kDescriptor, false},
      {SYS_lseek, "lseek", kFile, kDescriptor, false},
      {SYS_mmap, "mmap", kMemory, kMapped, false},  // of a file: counted among files
      {SYS_brk, "brk", kMemory, kNothing, false},
      {SYS_mremap, "mremap", kMemory, kNothing, false},
      {SYS_mprotect, "mprotect", kMemory, kNothing, false},
      {SYS_clone, "clone", kMemory, kNothing, false},
      {SYS_clone3, "clone3", kMemory, kNothing, false},
      {SYS_accept, "accept", kNet, kDescriptor, false},
      {SYS_accept4, "accept4", kNet, kDescriptor, false},
      {SYS_recvmsg, "recvmsg", kNet, kDescriptor, false},
      {SYS_recvfrom, "recvfrom", kNet, kDescriptor, false},
      {SYS_sendmsg, "sendmsg", kNet, kDescriptor, false},
      {SYS_sendto, "sendto", kNet, kDescriptor, false},
      {SYS_epoll_ctl, "epoll_ctl", kNet, kDescriptor, false},
      {SYS_epoll_create1, "epoll_create1", kNet, kNothing, false},
      {SYS_eventfd2, "eventfd2", kNet, kNothing, false},
      {SYS_timerfd_create, "timerfd_create", kNet, kNothing, false},
      {SYS_timerfd_settime, "timerfd_settime", kNet, kDescriptor, false},
      {SYS_socket, "socket", kNet, kNothing, false},
      {SYS_bind, "bind", kNet, kDescriptor, false},
      {SYS_listen, "listen", kNet, kDescriptor, false},
      {SYS_setsockopt, "setsockopt", kNet, kDescriptor, false},
      {SYS_getsockname, "getsockname", kNet, kDescriptor, false},
      {SYS_getpeername, "getpeername", kNet, kDescriptor, false},
      {SYS_ioctl, "ioctl", kNet, kDescriptor, false},
      {SYS_shutdown, "shutdown", kNet, kDescriptor, false},
  };
  return calls;
}

const SystemCall* find_system_call(long number) {
  const auto& calls = system_calls();
  const auto found = std::find_if(calls.begin(), calls.end(), [&](const SystemCall& c) { return c.number == number; });
  return found == calls.end() ? nullptr : &*found;
}

}  // namespace torture
