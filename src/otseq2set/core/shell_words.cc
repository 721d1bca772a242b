#include "otseq2set/core/shell_words.h"

namespace otseq2set::inline core {

namespace {

std::string shell_word(const std::string& argument) {
  const bool plain = !argument.empty() && argument.find_first_not_of(
                                              "abcdefghijklmnopqrstuvwxyz0123456789_-+=.,:/@%"
                                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
  if (plain) return argument;
  std::string quoted = "'";
  for (char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string shell_line(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) line += (line.empty() ? "" : " ") + shell_word(argument);
  return line;
}

}  // namespace otseq2set::inline core
