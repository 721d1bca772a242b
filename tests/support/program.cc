#include "support/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

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
  if (const char* path = std::getenv("OTSEQ2SET_PROGRAM")) return path;
#ifdef OTSEQ2SET_PROGRAM
  return OTSEQ2SET_PROGRAM;  // the one that was built with these tests
#else
  throw std::runtime_error("OTSEQ2SET_PROGRAM is not set");
#endif
}

[[noreturn]] void become(const std::vector<std::string>& words, const std::string& folder) {
  auto redirect = [](const std::string& path, int flags, int to) {
    const int descriptor = open(path.c_str(), flags, 0600);
    if (descriptor < 0 || dup2(descriptor, to) < 0) _exit(99);
  };
  redirect(folder + "/in", O_RDONLY, STDIN_FILENO);
  redirect(folder + "/out", O_WRONLY | O_CREAT, STDOUT_FILENO);
  redirect(folder + "/err", O_WRONLY | O_CREAT, STDERR_FILENO);
  setenv("OMP_WAIT_POLICY", "passive", 1);  // tests run side by side
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(99);
}

}  // namespace

std::string Outcome::last_error_line() const {
  const size_t end = err.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const size_t before = err.rfind('\n', end);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  return err.substr(begin, end + 1 - begin);
}

Program::Program(const std::vector<std::string>& arguments, const std::string& input)
    : Program(Command{std::vector<std::string>{program_path()} + arguments}, input) {}

Program::Program(const Command& command, const std::string& input) {
  std::string folder = (fs::temp_directory_path() / "otseq2set_program_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp");
  folder_ = folder;
  std::ofstream(folder_ + "/in", std::ios::binary) << input;
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) become(command.words, folder_);
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

bool Program::wait_until(const std::function<bool()>& condition) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (!running() || std::chrono::steady_clock::now() > last) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return running();
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

Outcome run_in_shell(const std::string& script, const std::vector<std::string>& arguments) {
  const std::vector<std::string> shell = {"/bin/bash", "-c", script, "bash", program_path()};
  return Program(Program::Command{shell + arguments}, "").wait();
}

std::string small_corpus(int documents, uint64_t seed, bool reverse_labels) {
  std::string corpus;
  for (int d = 0; d < documents; ++d) {
    RandomStream random(seed, "small corpus", {static_cast<uint64_t>(d)});
    std::vector<int> labels(kSmallCorpusLabels);
    for (int i = 0; i < kSmallCorpusLabels; ++i) labels[i] = i;
    random.shuffle(labels);
    labels.resize(1 + random.below(3));
    std::vector<std::string> words;
    for (int label : labels) {
      for (int i = 0; i < 2; ++i) {
        words.push_back("topic" + std::to_string(label) + "x" + std::to_string(random.below(2)));
      }
    }
    random.shuffle(words);
    if (reverse_labels) std::reverse(labels.begin(), labels.end());
    std::string text, names;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    for (int label : labels) names += (names.empty() ? "\"label_" : ",\"label_") + std::to_string(label) + "\"";
    corpus += R"({"id":"d)" + std::to_string(d) + R"(","text":")" + text + R"(","labels":[)" + names + "]}\n";
  }
  return corpus;
}

std::vector<std::string> small_model() {
  std::vector<std::string> options = {"--preset", "paper"};
  for (const char* value : {"model.hidden=12", "model.word_embedding=8", "model.label_embedding=8",
                            "model.encoder_layers=1", "model.max_words=10", "model.light_conv.kernels=2,3",
                            "training.epochs=2", "training.batch=16", "training.learning_rate=0.05"}) {
    options.insert(options.end(), {"--set", value});
  }
  return options;
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace otseq2set::testing
