#include "otseq2set/cli/program.h"

#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "otseq2set/cli/option_list.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/nearest_name.h"

namespace otseq2set::inline cli {

namespace {

constexpr int kFailure = 1, kWrongUsage = 2, kInterrupted = 130;

// One line, whatever a file name, an id or a library put into the message.
int report(std::string message, int code) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::fflush(stdout);
  fmt::print(stderr, "error: {}\n", message);
  return code;
}

// Null if none is given. Of one that is not known the parser would only say that a command is missing.
const CLI::App* find_command(const CLI::App& program, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return nullptr;
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) return command;
    names.push_back(command->get_name());
  }
  fail_usage("unknown command '{}' (did you mean {}?); the commands are {}", argv[1], nearest_name(argv[1], names),
             fmt::join(names, ", "));
}

// The parser would first say which other options are missing.
void check_options(const CLI::App& command, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (int i = 2; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
    const std::string given = argv[i], name = given.substr(0, given.find('='));
    if (name.rfind("--", 0) != 0 || std::find(names.begin(), names.end(), name) != names.end()) continue;
    fail_usage("{} has no option {} (did you mean {}?); see otseq2set {} --help", command.get_name(), name,
               nearest_name(name, names), command.get_name());
  }
}

int run(int argc, char** argv, const AddCommands& add_commands) {
  CLI::App program("otseq2set gives each document a set of labels, chosen from thousands.", "otseq2set");
  program.set_version_flag("--version", OTSEQ2SET_VERSION);
  program.require_subcommand(1);
  add_commands(program, {argv, argv + argc});
  const CLI::App* command = find_command(program, argc, argv);
  if (argc == 2 && std::strcmp(argv[1], "--option-list") == 0) {
    fmt::print("{}", option_list(program));
    return 0;
  }
  if (command != nullptr) check_options(*command, argc, argv);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    const std::string about = command != nullptr ? command->get_name() + " " : "";
    return report(fmt::format("{} (see otseq2set {}--help)", error.what(), about), kWrongUsage);
  }
  if (std::fflush(stdout) != 0) fail("cannot write standard output: {}", std::strerror(errno));
  return 0;
}

}  // namespace

int run_program(int argc, char** argv, const AddCommands& add_commands) {
  // Arrays of all sizes come and go at every step: keep their memory instead of returning it each time.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  try {
    return run(argc, argv, add_commands);
  } catch (const Interrupted& error) {
    return report(error.what(), kInterrupted);
  } catch (const UsageError& error) {
    return report(error.what(), kWrongUsage);
  } catch (const Error& error) {
    return report(error.what(), kFailure);
  } catch (const std::bad_alloc&) {
    return report("out of memory", kFailure);
  } catch (const std::system_error& error) {
    // Of fmt::print, when more is printed than is kept back; of a thread; of a socket.
    if (std::ferror(stdout) != 0) return report("cannot write standard output: " + error.code().message(), kFailure);
    if (error.code() == std::errc::resource_unavailable_try_again) {
      return report("cannot start a thread: there are too many, or too little memory", kFailure);
    }
    return report(std::string("the system refuses: ") + error.what(), kFailure);
  } catch (const std::exception& error) {
    return report(std::string("unexpected: ") + error.what(), kFailure);
  }
}

}  // namespace otseq2set::inline cli
