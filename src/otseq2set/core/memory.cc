#include "otseq2set/core/memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

namespace otseq2set::inline core {

namespace {

// The files of a control group that hold its limit and its use.
struct GroupFiles {
  const char* mount;
  const char* limit;
  const char* used;
};
constexpr GroupFiles kVersion2 = {"/sys/fs/cgroup", "/memory.max", "/memory.current"};
constexpr GroupFiles kVersion1 = {"/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes"};

// The number after `key` in a file of lines "key number"; an empty key means the number alone. A group
// without a limit says "max", which is no number.
std::optional<uint64_t> read_number(const std::string& path, const std::string& key = "") {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string name;
    uint64_t value;
    if (!key.empty() && !(fields >> name && name == key)) continue;
    if (fields >> value) return value;
  }
  return std::nullopt;
}

// What the group's own limit leaves. Pages of files that nobody needs count as used but are given up at once.
std::optional<uint64_t> left_in_group(const GroupFiles& files, const std::string& folder) {
  const auto limit = read_number(folder + files.limit);
  if (!limit) return std::nullopt;
  const uint64_t used = read_number(folder + files.used).value_or(0);
  const uint64_t cache = std::min(used, read_number(folder + "/memory.stat", "inactive_file").value_or(0));
  return *limit - std::min(*limit, used - cache);
}

// The least over a group and all those it lies in; inside a container only the mount itself may be visible.
uint64_t left_in_groups(const GroupFiles& files, const std::string& root, std::string group) {
  const std::string mount = root + files.mount;
  uint64_t least = UINT64_MAX;
  for (;;) {
    if (const auto left = left_in_group(files, mount + group)) least = std::min(least, *left);
    if (group.empty()) return least;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

// Lines of /proc/self/cgroup: "0::/group" (version 2), "4:cpu,memory:/group" (version 1).
uint64_t left_by_control_groups(const std::string& root) {
  uint64_t least = UINT64_MAX;
  std::ifstream file(root + "/proc/self/cgroup");
  std::string number, controllers, group;
  while (std::getline(file, number, ':') && std::getline(file, controllers, ':') && std::getline(file, group)) {
    if (group == "/") group.clear();
    const bool version1 = ("," + controllers + ",").find(",memory,") != std::string::npos;
    if (version1) least = std::min(least, left_in_groups(kVersion1, root, group));
    if (number == "0") least = std::min(least, left_in_groups(kVersion2, root, group));
  }
  return least;
}

uint64_t kilobytes(const std::string& path, const std::string& key) {
  return read_number(path, key).value_or(0) * 1024;
}

}  // namespace

uint64_t available_memory(const std::string& root) {
  const uint64_t system = kilobytes(root + "/proc/meminfo", "MemAvailable:");
  return std::min(system, left_by_control_groups(root));
}

uint64_t resident_memory() { return kilobytes("/proc/self/status", "VmRSS:"); }

uint64_t peak_resident_memory() { return kilobytes("/proc/self/status", "VmHWM:"); }

}  // namespace otseq2set::inline core
