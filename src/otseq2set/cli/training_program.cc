#include "otseq2set/cli/training_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "otseq2set/core/error.h"

namespace otseq2set::inline cli {

namespace {
namespace fs = std::filesystem;
constexpr const char* kProgram = "otseq2set-train";
}  // namespace

std::string training_program() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& path : {here / kProgram, here.parent_path() / "libexec/otseq2set" / kProgram}) {
    if (fs::exists(path)) return path.string();
  }
  fail("training needs {}, which is not installed (Debian's package is otseq2set-training)", kProgram);
}

void hand_over_training(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "train") != 0) return;
  const std::string program = training_program();
  execv(program.c_str(), argv);
  fail("cannot start {}: {}", program, std::strerror(errno));
}

void add_train_name(CLI::App& program) { program.add_subcommand("train", "Learn from documents with labels"); }

}  // namespace otseq2set::inline cli
