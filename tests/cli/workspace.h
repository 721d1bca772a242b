// A folder with a small corpus in it, and the commands and checks that most tests of the program share.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {

using Json = nlohmann::ordered_json;
using Arguments = std::vector<std::string>;

class Workspace {
 public:
  // `documents` of small_corpus in data().
  explicit Workspace(int documents = 64);

  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& content) const { return folder_.write(name, content); }
  std::string data() const { return path("data.jsonl"); }

  // train --data data() --model <folder> with small_model(), then `more`.
  Arguments train_arguments(const std::string& model, const Arguments& more = {}) const;
  // The same, run to its end; fails the test unless the exit code is 0.
  Outcome train(const std::string& model, const Arguments& more = {}) const;

 private:
  TempFolder folder_;
};

// The command must succeed; returns what it wrote.
Outcome expect_success(const Arguments& arguments, const std::string& input = "");

// One line `error: ...`, the last on standard error, with all of `parts` in it, and this exit code.
void expect_failure(const Outcome& outcome, int code, const std::vector<std::string>& parts);

constexpr int kFailure = 1, kWrongUsage = 2, kInterrupted = 130;

std::string contents(const std::string& path);
std::vector<std::string> lines_of(const std::string& text);
// Fails the test at a line that is not JSON.
std::vector<Json> json_lines(const std::string& text);

// Names of the files in a folder, sorted; empty when there is no such folder. The lock file is left out.
std::vector<std::string> files_in(const std::string& folder);
void expect_no_temporary_files(const std::string& folder);

// weights.safetensors and last.safetensors have the same bytes.
void expect_same_weights(const std::string& model, const std::string& other);
// The loss values of log.jsonl, as text:
// epoch after epoch loss, matching_loss, transport_loss, valid_micro_f1.
std::vector<std::string> loss_texts(const std::string& model);

}  // namespace otseq2set::testing
