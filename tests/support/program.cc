#include "support/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "otseq2set/core/random.h"

namespace otseq2set::testing {

namespace fs = std::filesystem;

namespace {

std::string contents(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string program_path() {
  const char* path = std::getenv("OTSEQ2SET_PROGRAM");
  if (path == nullptr) throw std::runtime_error("OTSEQ2SET_PROGRAM is not set");
  return path;
}

[[noreturn]] void become(const std::vector<std::string>& arguments, const std::string& folder) {
  auto redirect = [](const std::string& path, int flags, int to) {
    const int descriptor = open(path.c_str(), flags, 0600);
    if (descriptor < 0 || dup2(descriptor, to) < 0) _exit(99);
  };
  redirect(folder + "/in", O_RDONLY, STDIN_FILENO);
  redirect(folder + "/out", O_WRONLY | O_CREAT, STDOUT_FILENO);
  redirect(folder + "/err", O_WRONLY | O_CREAT, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(99);
}

}  // namespace

std::string Outcome::last_error_line() const {
  const size_t end = err.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const size_t begin = err.rfind('\n', end);
  return err.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? -1 : begin));
}

Program::Program(const std::vector<std::string>& arguments, const std::string& input) {
  std::string folder = (fs::temp_directory_path() / "otseq2set_program_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp");
  folder_ = folder;
  std::ofstream(folder_ + "/in", std::ios::binary) << input;
  const std::vector<std::string> all = std::vector<std::string>{program_path()} + arguments;
  pid_ = fork();
  if (pid_ == 0) become(all, folder_);
}

Program::~Program() {
  if (running()) {
    signal(SIGKILL);
    wait();
  }
  fs::remove_all(folder_);
}

void Program::signal(int number) const { kill(pid_, number); }

bool Program::running() {
  if (!ended_ && waitpid(pid_, &status_, WNOHANG) == pid_) ended_ = true;
  return !ended_;
}

Outcome Program::wait() {
  if (!ended_) waitpid(pid_, &status_, 0);
  ended_ = true;
  const int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  return {code, contents(folder_ + "/out"), contents(folder_ + "/err")};
}

Outcome run_program(const std::vector<std::string>& arguments, const std::string& input) {
  return Program(arguments, input).wait();
}

std::string small_corpus(int documents, uint64_t seed, bool reverse_labels) {
  constexpr int kLabels = 12;
  std::string corpus;
  for (int d = 0; d < documents; ++d) {
    RandomStream random(seed, "small corpus", {static_cast<uint64_t>(d)});
    std::vector<int> labels(kLabels);
    for (int i = 0; i < kLabels; ++i) labels[i] = i;
    random.shuffle(labels);
    labels.resize(1 + random.below(4));
    std::string text;
    for (int i = 0; i < 12; ++i) {
      text += " of topic" + std::to_string(labels[random.below(labels.size())]) + "x" + std::to_string(random.below(2));
    }
    if (reverse_labels) std::reverse(labels.begin(), labels.end());
    std::string names;
    for (int label : labels) names += (names.empty() ? "\"label_" : ",\"label_") + std::to_string(label) + "\"";
    corpus += R"({"id":"d)" + std::to_string(d) + R"(","text":")" + text.substr(1) + R"(","labels":[)" + names + "]}\n";
  }
  return corpus;
}

std::vector<std::string> small_model() {
  return {"--set", "model.hidden=12",         "--set", "model.word_embedding=8", "--set", "model.label_embedding=8",
          "--set", "training.epochs=3",       "--set", "training.batch=20",      "--set", "training.learning_rate=0.02",
          "--set", "model.light_conv.kernels=3,5", "--set", "model.max_words=40"};
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace otseq2set::testing
