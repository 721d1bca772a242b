#include "plan.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace torture {

namespace {

constexpr const char* kUsage =
    "usage: fault_injector --root DIR [--count file,memory,net] [--at N --do count|short|kill|tear|ERROR]\n"
    "                      [--from-then-on] [--trace FILE] [--record FILE] -- PROGRAM [ARGUMENT...]\n"
    "ERROR is a name such as EIO. The exit code is that of the program, or 128 and the signal that ended it.\n";

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "%s\n%s", what.c_str(), kUsage);
  std::exit(2);
}

int error_number(const std::string& name) {
  static const std::map<std::string, int> errors = {
      {"EACCES", EACCES},         {"EAGAIN", EAGAIN},   {"ECONNABORTED", ECONNABORTED},
      {"ECONNRESET", ECONNRESET}, {"EDQUOT", EDQUOT},   {"EINTR", EINTR},
      {"EINVAL", EINVAL},         {"EIO", EIO},         {"EMFILE", EMFILE},
      {"ENFILE", ENFILE},         {"ENOBUFS", ENOBUFS}, {"ENOLCK", ENOLCK},
      {"ENOMEM", ENOMEM},         {"ENOSPC", ENOSPC},   {"EPERM", EPERM},
      {"EPIPE", EPIPE},           {"EROFS", EROFS},     {"ETIMEDOUT", ETIMEDOUT}};
  const auto found = errors.find(name);
  if (found == errors.end()) refuse("no error is called " + name);
  return found->second;
}

void set_deed(Plan& plan, const std::string& name) {
  static const std::map<std::string, Deed> deeds = {
      {"count", Deed::kCount}, {"short", Deed::kShort}, {"kill", Deed::kKill}, {"tear", Deed::kTear}};
  const auto found = deeds.find(name);
  plan.deed = found == deeds.end() ? Deed::kFail : found->second;
  if (plan.deed == Deed::kFail) plan.error = error_number(name);
}

std::vector<Family> families_of(const std::string& names) {
  std::vector<Family> families;
  if (names.find("file") != std::string::npos) families.push_back(Family::kFile);
  if (names.find("memory") != std::string::npos) families.push_back(Family::kMemory);
  if (names.find("net") != std::string::npos) families.push_back(Family::kNet);
  if (families.empty()) refuse("nothing is counted: " + names);
  return families;
}

}  // namespace

Plan parse_plan(int argc, char** argv) {
  Plan plan;
  plan.families = {Family::kFile};
  int i = 1;
  const auto value = [&] {
    if (i + 1 >= argc) refuse(std::string(argv[i]) + " needs a value");
    return std::string(argv[++i]);
  };
  for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
    const std::string option = argv[i];
    if (option == "--root")
      plan.root = value();
    else if (option == "--count")
      plan.families = families_of(value());
    else if (option == "--at")
      plan.at = std::atol(value().c_str());
    else if (option == "--do")
      set_deed(plan, value());
    else if (option == "--from-then-on")
      plan.from_then_on = true;
    else if (option == "--trace")
      plan.trace = value();
    else if (option == "--record")
      plan.record = value();
    else
      refuse("no option is called " + option);
  }
  for (++i; i < argc; ++i) plan.command.push_back(argv[i]);
  if (plan.root.empty() || plan.root[0] != '/') refuse("--root must be an absolute path");
  if (plan.command.empty()) refuse("no program is given");
  plan.command.push_back(nullptr);
  return plan;
}

}  // namespace torture
