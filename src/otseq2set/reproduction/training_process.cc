#include "otseq2set/reproduction/training_process.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "otseq2set/core/error.h"
#include "otseq2set/core/random.h"

namespace otseq2set::inline reproduction {

std::vector<std::string> data_words(const DataFiles& data, const std::optional<DataFiles>& valid) {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--data", data.data);
  add("--labels", data.labels);
  add("--label-names", data.label_names);
  if (data.format) add("--format", std::string(format_name(*data.format)));
  if (valid) {
    add("--valid", valid->data);
    add("--valid-labels", valid->labels);
  }
  return words;
}

std::optional<FolderLock> lock_unless(const std::string& folder, const std::function<bool()>& give_up) {
  for (;;) {
    try {
      return FolderLock(folder);
    } catch (const FolderInUse&) {
      if (give_up()) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

FolderLock lock_for_a_moment(const std::string& folder) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(60);
  auto lock = lock_unless(folder, [end] { return Clock::now() > end; });
  if (!lock) fail("{} has been locked by another program for a minute", folder);
  return std::move(*lock);
}

std::string file_fingerprint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot read {}: {}", path, std::strerror(errno));
  std::vector<char> piece(1 << 20);
  uint64_t hash = hash_bytes("");
  do {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    hash = hash_bytes({piece.data(), static_cast<size_t>(file.gcount())}, hash);
  } while (file);
  return fmt::format("{:016x}", hash);
}

}  // namespace otseq2set::inline reproduction
