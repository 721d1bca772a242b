// All that a model folder says about its model: config.json, words.txt and labels.jsonl, cut out of the
// input.
#include "otseq2set/store/model_folder.h"

#include <filesystem>
#include <fstream>

#include "fuzz.h"

namespace otseq2set::fuzz {

namespace {

// One folder for all inputs of the process, gone with it.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("otseq2set_fuzz_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write(const std::string& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace

void run(std::string_view input) {
  static const Folder kFolder;
  const ModelFolder folder(kFolder.path());
  const auto parts = split(input, 3);
  write(folder.config(), parts[0]);
  write(folder.words(), parts[1]);
  write(folder.labels(), parts[2]);
  const ModelDescription description = load_description(folder);
  save_description(folder, description);
  load_description(folder);
}

}  // namespace otseq2set::fuzz
