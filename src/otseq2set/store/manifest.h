// SHA256SUMS: what each file of a model folder must be. Whoever reads the model compares, and a byte that changed on
// the disk, a file that is missing or one of another model is an error instead of another answer. It is the list that
// `sha256sum` writes and checks:
//
//   cd model && sha256sum --check SHA256SUMS
//
// Two files cannot be replaced at once, so the list says before a file changes what it may become:
//
//   aaaa  set_rule.json          the file is written beside, and is on the disk
//   aaaa  set_rule.json
//   bbbb  set_rule.json          now it is put in place
//   bbbb  set_rule.json
//
// Several lines for one file: it is one of them, which is how a kill between two of these steps leaves it. A line of
// zeros: it may be missing. A folder without a list is one of an older program: it is read as it is.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/safetensors.h"
#include "otseq2set/store/model_folder.h"

namespace otseq2set::inline store {

class Manifest {
 public:
  // What the folder's list says now; an Error if it is damaged.
  explicit Manifest(const ModelFolder& folder);

  bool is_there() const { return is_there_; }
  // Whether the folder may have this file. Without a list, it may have any.
  bool lists(const std::string& path) const;
  // An Error if this is not the sum of the file, or if the file is missing and may not.
  void check(const std::string& path, const std::string& sum) const;
  void check_missing(const std::string& path) const { check(path, ""); }

  size_t files() const { return sums_.size(); }  // listed
  // One line for each file of the folder that is not as the list says, such as "words.txt: missing".
  std::vector<std::string> faults() const;

  // The file may also become this; it is this, nothing else; it is gone.
  void allow(const std::string& path, const std::string& sum);
  void settle(const std::string& path, const std::string& sum);
  void remove(const std::string& path);
  // Each file that may be several things is what it is now.
  void settle_all();
  void save() const;

  bool operator==(const Manifest& other) const { return sums_ == other.sums_; }

 private:
  std::string name_of(const std::string& path) const;
  std::string fault_of(const std::string& name, const std::string& sum) const;  // empty: none

  std::string folder_, path_;
  bool is_there_ = false;
  std::map<std::string, std::set<std::string>> sums_;  // by name in the folder
};

// All of a regular file of the folder, if it is the right one.
WholeFile read_vouched(const Manifest& manifest, const std::string& path, uint64_t most);

// What SafetensorsFile::open does with it, to open a file of the folder that is the right one.
SafetensorsLimits vouched_limits(const Manifest& manifest, const std::string& path);

// Who holds the folder's lock changes files by these. Without a list they do what they say, and no more.

// Removes what the folder holds and begins an empty list. Killed meanwhile, what is left is no model.
void begin_anew(const ModelFolder& folder, bool with_selection = true);
// Where the file is written; the list hears of it.
FilePlace vouched(const ModelFolder& folder, const std::string& path);
void remove_vouched(const ModelFolder& folder, const std::string& path);
// A file of one model becomes that of another too. An Error if it is not what the one's list says.
void take_over(const ModelFolder& from, const std::string& from_path, const ModelFolder& to,
               const std::string& to_path);
// An Error if anything is not as the list says; then each file has one line again.
void check_and_settle(const ModelFolder& folder);

}  // namespace otseq2set::inline store
