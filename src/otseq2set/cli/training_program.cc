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

void hand_over_training(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "train") != 0) return;
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& path : {here / kProgram, here.parent_path() / "libexec/otseq2set" / kProgram}) {
    if (!fs::exists(path)) continue;
    execv(path.c_str(), argv);
    fail("cannot start {}: {}", path.string(), std::strerror(errno));
  }
  fail("training needs {}, which is not installed (Debian's package is otseq2set-training)", kProgram);
}

void add_train_name(CLI::App& program) { program.add_subcommand("train", "Learn from documents with labels"); }

}  // namespace otseq2set::inline cli
