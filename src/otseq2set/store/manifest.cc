#include "otseq2set/store/manifest.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "otseq2set/core/error.h"
#include "otseq2set/core/sha256.h"

namespace otseq2set::inline store {

namespace fs = std::filesystem;

namespace {

constexpr size_t kDigits = 64;
constexpr uint64_t kLargestList = 1 << 20;
const std::string kMissing(kDigits, '0');  // no file has this sum

std::string sum_now(const std::string& path) { return path_exists(path) ? sha256_of_file(path) : kMissing; }

bool is_sum(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Below the folder, and nowhere else.
bool is_name(const fs::path& name) {
  return !name.empty() && name.is_relative() && std::find(name.begin(), name.end(), "..") == name.end();
}

}  // namespace

Manifest::Manifest(const ModelFolder& folder)
    : folder_(folder.root()), path_(folder.manifest()), is_there_(path_exists(path_)) {
  if (!is_there_) return;
  const WholeFile bytes = read_bytes(path_, kLargestList);
  std::string_view rest = bytes.view();
  for (size_t line = 1; !rest.empty(); ++line) {
    const size_t end = rest.find('\n');
    const std::string_view sum = rest.substr(0, kDigits), between = rest.substr(sum.size(), 2);
    const bool whole = end != std::string_view::npos && end > kDigits + 2 && is_sum(sum) && between == "  ";
    const std::string name(whole ? rest.substr(kDigits + 2, end - kDigits - 2) : "");
    if (!is_name(name)) fail("{}:{}: not a SHA-256 and the name of a file; the list is damaged", path_, line);
    sums_[name].emplace(sum);
    rest.remove_prefix(end + 1);
  }
}

std::string Manifest::name_of(const std::string& path) const { return path.substr(folder_.size() + 1); }

bool Manifest::lists(const std::string& path) const { return !is_there_ || sums_.count(name_of(path)) > 0; }

std::string Manifest::fault_of(const std::string& name, const std::string& sum) const {
  const auto found = sums_.find(name);
  if (found == sums_.end()) return sum == kMissing ? "" : "not in the list of the folder's files";
  if (found->second.count(sum) > 0) return "";
  return sum == kMissing ? "missing"
                         : fmt::format("damaged: its SHA-256 is {}, not {}", sum, fmt::join(found->second, " or "));
}

void Manifest::check(const std::string& path, const std::string& sum) const {
  if (!is_there_) return;
  const std::string fault = fault_of(name_of(path), sum.empty() ? kMissing : sum);
  if (!fault.empty()) fail("{}: {} ({})", path, fault, path_);
}

std::vector<std::string> Manifest::faults() const {
  std::vector<std::string> faults;
  if (!is_there_) return faults;
  std::set<std::string> names;
  for (const auto& [name, sums] : sums_) names.insert(name);
  std::error_code error;
  std::vector<ModelFolder> folders = {ModelFolder(folder_)};
  for (fs::directory_iterator member(folder_ + "/members", error), end; !error && member != end;
       member.increment(error)) {
    folders.emplace_back(member->path().string(), folder_);
  }
  for (const ModelFolder& folder : folders) {
    for (const std::string& file : folder.files()) {
      if (path_exists(file)) names.insert(name_of(file));
    }
  }
  for (const std::string& name : names) {
    try {
      const std::string fault = fault_of(name, sum_now(folder_ + "/" + name));
      if (!fault.empty()) faults.push_back(name + ": " + fault);
    } catch (const Error& unreadable) {
      faults.push_back(name + ": " + unreadable.what());
    }
  }
  return faults;
}

void Manifest::allow(const std::string& path, const std::string& sum) {
  std::set<std::string>& sums = sums_[name_of(path)];
  if (sums.empty()) sums.insert(kMissing);
  sums.insert(sum);
}

void Manifest::settle(const std::string& path, const std::string& sum) { sums_[name_of(path)] = {sum}; }

void Manifest::remove(const std::string& path) { sums_.erase(name_of(path)); }

void Manifest::settle_all() {
  std::vector<std::string> open;
  for (const auto& [name, sums] : sums_) {
    if (sums.size() > 1) open.push_back(folder_ + "/" + name);
  }
  if (open.empty()) return;
  for (const std::string& path : open) {
    const std::string sum = sum_now(path);
    check(path, sum);
    sum == kMissing ? remove(path) : settle(path, sum);
  }
  save();
}

void Manifest::save() const {
  std::string text;
  for (const auto& [name, sums] : sums_) {
    for (const std::string& sum : sums) text += sum + "  " + name + "\n";
  }
  write_file(path_, text);
}

WholeFile read_vouched(const Manifest& manifest, const std::string& path, uint64_t most) {
  WholeFile bytes = read_bytes(path, most);
  if (manifest.is_there()) manifest.check(path, sha256_of(bytes.view()));
  return bytes;
}

SafetensorsLimits vouched_limits(const Manifest& manifest, const std::string& path) {
  SafetensorsLimits limits;
  if (manifest.is_there()) limits.check = [=](std::string_view bytes) { manifest.check(path, sha256_of(bytes)); };
  return limits;
}

void begin_anew(const ModelFolder& folder, bool with_selection) {
  write_file(folder.manifest(), "");
  folder.remove_model(with_selection);
}

FilePlace vouched(const ModelFolder& folder, const std::string& path) {
  FilePlace place(path);
  if (!Manifest(folder).is_there()) return place;
  const auto change = [folder](const auto& edit) {
    Manifest list(folder);
    const Manifest before = list;
    edit(list);
    if (!(list == before)) list.save();
  };
  place.before = [=](const std::string& sum) { change([&](Manifest& list) { list.allow(path, sum); }); };
  place.after = [=](const std::string& sum) { change([&](Manifest& list) { list.settle(path, sum); }); };
  return place;
}

void remove_vouched(const ModelFolder& folder, const std::string& path) {
  Manifest list(folder);
  if (!path_exists(path) || !list.is_there()) return remove_file(path);
  list.allow(path, kMissing);
  list.save();
  remove_file(path);
  list.remove(path);
  list.save();
}

void take_over(const ModelFolder& from, const std::string& from_path, const ModelFolder& to,
               const std::string& to_path) {
  const std::string sum = sha256_of_file(from_path);
  Manifest(from).check(from_path, sum);
  const FilePlace place = vouched(to, to_path);
  if (place.before) place.before(sum);
  link_or_copy(from_path, to_path);
  if (place.after) place.after(sum);
}

void check_and_settle(const ModelFolder& folder) {
  Manifest list(folder);
  const std::vector<std::string> faults = list.faults();
  if (!faults.empty()) {
    fail("{}/{}{} (otseq2set check --model says more; --overwrite starts again)", folder.path(), faults.front(),
         faults.size() > 1 ? fmt::format(", and {} more files are not as they should be", faults.size() - 1) : "");
  }
  list.settle_all();
}

}  // namespace otseq2set::inline store
