#include "otseq2set/cli/program.h"

#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "otseq2set/cli/option_list.h"
#include "otseq2set/core/error.h"

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

// The parser would only say that a command is missing.
void check_command(const CLI::App& program, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) return;
    names.push_back(command->get_name());
  }
  fail_usage("unknown command '{}'; there are {}", argv[1], fmt::join(names, ", "));
}

int run(int argc, char** argv, const AddCommands& add_commands) {
  CLI::App program("otseq2set gives documents their set of labels out of thousands.", "otseq2set");
  program.set_version_flag("--version", OTSEQ2SET_VERSION);
  program.require_subcommand(1);
  add_commands(program, {argv, argv + argc});
  check_command(program, argc, argv);
  if (argc == 2 && std::strcmp(argv[1], "--option-list") == 0) {
    fmt::print("{}", option_list(program));
    return 0;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    return report(std::string(error.what()) + " (see otseq2set --help)", kWrongUsage);
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
  } catch (const std::exception& error) {
    return report(std::string("unexpected: ") + error.what(), kFailure);
  }
}

}  // namespace otseq2set::inline cli
