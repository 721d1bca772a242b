// A folder of its own for one test, gone when the test ends.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace otseq2set {

class TempFolder {
 public:
  TempFolder() {
    static std::atomic<int> number{0};
    folder_ = std::filesystem::temp_directory_path() /
              ("otseq2set_test_" + std::to_string(getpid()) + "_" + std::to_string(number++));
    std::filesystem::create_directories(folder_);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Writes the file and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

// The message of the exception that the call throws, to compare with what is expected.
template <typename Exception, typename Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace otseq2set
