#include "cli/workspace.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace otseq2set::testing {

namespace fs = std::filesystem;

Workspace::Workspace(int documents) { folder_.write("data.jsonl", small_corpus(documents, 1)); }

Arguments Workspace::train_arguments(const std::string& model, const Arguments& more) const {
  return Arguments{"train", "--data", data(), "--model", path(model)} + small_model() + more;
}

Outcome Workspace::train(const std::string& model, const Arguments& more) const {
  return expect_success(train_arguments(model, more));
}

Outcome expect_success(const Arguments& arguments, const std::string& input) {
  Outcome outcome = run_program(arguments, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome;
}

void expect_failure(const Outcome& outcome, int code, const std::vector<std::string>& parts) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  const std::string last = outcome.last_error_line();
  EXPECT_EQ(last.rfind("error: ", 0), 0u) << outcome.err;
  EXPECT_TRUE(!outcome.err.empty() && outcome.err.back() == '\n') << outcome.err;
  int errors = 0;
  for (const std::string& line : lines_of(outcome.err)) errors += line.find("error: ") != std::string::npos;
  EXPECT_EQ(errors, 1) << outcome.err;
  for (const std::string& part : parts) {
    EXPECT_NE(last.find(part), std::string::npos) << "'" << part << "' is not in: " << last;
  }
}

std::string contents(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << path;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> values;
  for (const std::string& line : lines_of(text)) {
    values.push_back(Json::parse(line, nullptr, false));
    EXPECT_FALSE(values.back().is_discarded()) << "not JSON: " << line;
  }
  return values;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  if (!fs::exists(folder)) return names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename() != ".lock") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void expect_no_temporary_files(const std::string& folder) {
  for (const std::string& name : files_in(folder)) EXPECT_EQ(name.find(".tmp"), std::string::npos) << name;
}

void expect_same_weights(const std::string& model, const std::string& other) {
  for (const char* name : {"/weights.safetensors", "/last.safetensors"}) {
    const std::string bytes = contents(model + name);
    EXPECT_FALSE(bytes.empty()) << model << name;
    EXPECT_TRUE(bytes == contents(other + name)) << name << " of " << model << " and " << other << " differ";
  }
}

std::vector<std::string> loss_texts(const std::string& model) {
  std::vector<std::string> texts;
  for (const std::string& line : lines_of(contents(model + "/log.jsonl"))) {
    for (const char* key : {"loss", "matching_loss", "transport_loss", "valid_micro_f1"}) {
      const std::string start = std::string("\"") + key + "\":";
      const size_t at = line.find(start);
      EXPECT_NE(at, std::string::npos) << key << " is not in " << line;
      if (at == std::string::npos) continue;
      const size_t begin = at + start.size();
      texts.push_back(line.substr(begin, line.find_first_of(",}", begin) - begin));
    }
  }
  return texts;
}

}  // namespace otseq2set::testing
