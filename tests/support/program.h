// Runs the real program as a user does, and makes small data for it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace otseq2set::testing {

struct Outcome {
  int code = -1;    // exit code, or 128 + signal
  std::string out;  // standard output
  std::string err;  // standard error

  std::string last_error_line() const;
};

// A started program; its output goes to files that `wait` reads.
class Program {
 public:
  explicit Program(const std::vector<std::string>& arguments, const std::string& input = "");
  ~Program();  // kills it when it still runs
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const;
  bool running();
  // False when the program ended, or a minute passed, before the condition held.
  bool wait_until(const std::function<bool()>& condition);
  Outcome wait();

 private:
  friend Outcome run_in_shell(const std::string& script, const std::vector<std::string>& arguments);
  struct Command {
    std::vector<std::string> words;  // the first is the path of what is run
  };
  Program(const Command& command, const std::string& input);

  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
  std::string folder_;
};

// otseq2set with these arguments, to its end.
Outcome run_program(const std::vector<std::string>& arguments, const std::string& input = "");

// A bash script in which "$@" is otseq2set with these arguments.
Outcome run_in_shell(const std::string& script, const std::vector<std::string>& arguments = {});

// A corpus that can be learnt: 8 labels with two words each, a document has two words for each of its 1 to 3
// labels. With `reverse_labels` only the order of the labels inside each document changes.
std::string small_corpus(int documents, uint64_t seed, bool reverse_labels = false);
constexpr int kSmallCorpusLabels = 8;

// Options for a model that trains in a second.
std::vector<std::string> small_model();

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b);

}  // namespace otseq2set::testing
