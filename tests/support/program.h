// Runs the real program as a user does, and makes small data for it.
#pragma once

#include <sys/types.h>

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
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const;
  bool running();
  Outcome wait();

 private:
  pid_t pid_;
  int status_ = 0;
  bool ended_ = false;
  std::string folder_;
};

// otseq2set with these arguments, to its end.
Outcome run_program(const std::vector<std::string>& arguments, const std::string& input = "");

// A corpus that can be learnt: each label has words of its own, a document has the words of its 1 to 4 labels.
// With `reverse_labels` only the order of the labels inside each document changes.
std::string small_corpus(int documents, uint64_t seed, bool reverse_labels = false);

// Options for a model that trains in seconds.
std::vector<std::string> small_model();

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b);

}  // namespace otseq2set::testing
