// otseq2set: one program, a command for each thing people do with a model.
#include <malloc.h>
#include <torch/torch.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "otseq2set/cli/command.h"
#include "otseq2set/core/error.h"
#include "otseq2set/kernels/highest_target.h"
#include "otseq2set/training/trainer.h"

namespace {

constexpr int kFailure = 1, kWrongUsage = 2, kInterrupted = 130;

// One line, whatever a file name, an id or a library put into the message.
int report(std::string message, int code) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::fflush(stdout);
  fmt::print(stderr, "error: {}\n", message);
  return code;
}

void prepare_process() {
  // LibTorch and BLAS split work by their number of threads, which changes bits; our own loops use all cores.
  at::set_num_threads(1);
  // Tensors of all sizes come and go at every step: keep their memory instead of returning it each time.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

// The parser would only say that a command is missing.
void check_command(const CLI::App& program, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) return;
    names.push_back(command->get_name());
  }
  otseq2set::fail_usage("unknown command '{}'; there are {}", argv[1], fmt::join(names, ", "));
}

int run(int argc, char** argv) {
  otseq2set::apply_highest_target();
  CLI::App program("otseq2set gives documents their set of labels out of thousands.", "otseq2set");
  program.set_version_flag("--version", OTSEQ2SET_VERSION);
  program.require_subcommand(1);
  otseq2set::add_train(program, {argv, argv + argc});
  otseq2set::add_reproduce(program, {argv, argv + argc});
  otseq2set::add_eval(program);
  otseq2set::add_tune(program);
  otseq2set::add_predict(program);
  otseq2set::add_explain(program);
  otseq2set::add_info(program);
  otseq2set::add_convert(program);
  otseq2set::add_check(program);
  otseq2set::add_serve(program);
  check_command(program, argc, argv);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    return report(std::string(error.what()) + " (see otseq2set --help)", kWrongUsage);
  }
  if (std::fflush(stdout) != 0) otseq2set::fail("cannot write standard output: {}", std::strerror(errno));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  prepare_process();
  try {
    return run(argc, argv);
  } catch (const otseq2set::Interrupted& error) {
    return report(error.what(), kInterrupted);
  } catch (const otseq2set::UsageError& error) {
    return report(error.what(), kWrongUsage);
  } catch (const otseq2set::Error& error) {
    return report(error.what(), kFailure);
  } catch (const std::bad_alloc&) {
    return report("out of memory", kFailure);
  } catch (const c10::Error& error) {
    return report(std::string("LibTorch: ") + error.what_without_backtrace(), kFailure);
  } catch (const std::exception& error) {
    return report(std::string("unexpected: ") + error.what(), kFailure);
  }
}
