#include "otseq2set/cli/model_check.h"

#include <filesystem>

#include "otseq2set/core/error.h"
#include "otseq2set/inference/predictor.h"
#include "otseq2set/store/manifest.h"

namespace otseq2set::inline cli {

namespace {

// What the list says of the files. Of a model that is being trained, both change meanwhile.
void compare(const ModelFolder& folder, const std::string& prefix, ModelCheck& check) {
  constexpr int kAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    const Manifest manifest(folder);
    const std::vector<std::string> faults = manifest.faults();
    if (!faults.empty() && attempt < kAttempts && !(Manifest(folder) == manifest)) continue;
    check.vouched_for = check.vouched_for || manifest.is_there();
    check.files += manifest.files();
    for (const std::string& fault : faults) check.faults.push_back(prefix + fault);
    return;
  }
}

// What loading says, and going on with the training.
void load(const ModelFolder& folder, ModelCheck& check) {
  try {
    if (path_exists(folder.state())) SafetensorsOnDisk{folder.state()};
    if (folder.finished() || path_exists(folder.weights())) {
      Predictor{folder};
    } else {
      load_description(folder);
    }
  } catch (const Error& error) {
    check.faults.emplace_back(error.what());
  }
}

}  // namespace

ModelCheck check_model(const std::string& path) {
  const ModelFolder folder(path);
  ModelCheck check;
  if (!std::filesystem::is_directory(path)) fail("{}: no such model folder", path);
  compare(folder, "", check);
  if (path_exists(folder.selection().config())) compare(folder.selection(), "selection/", check);
  if (check.faults.empty()) load(folder, check);
  return check;
}

}  // namespace otseq2set::inline cli
