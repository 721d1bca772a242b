// Trainings that are started by this program, each a process of its own, so that a killed one goes on where it was and
// its peak memory is its own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/core/files.h"
#include "otseq2set/reading/document_reader.h"

namespace otseq2set::inline reproduction {

// --data, --valid and what belongs to them, as `train` takes them.
std::vector<std::string> data_words(const DataFiles& data, const std::optional<DataFiles>& valid);

// None when `give_up` came true before another program let go of the folder.
std::optional<FolderLock> lock_unless(const std::string& folder, const std::function<bool()>& give_up);

// An Error when another program holds the folder for a minute.
FolderLock lock_for_a_moment(const std::string& folder);

// Of a file's bytes, as 16 digits.
std::string file_fingerprint(const std::string& path);

}  // namespace otseq2set::inline reproduction
