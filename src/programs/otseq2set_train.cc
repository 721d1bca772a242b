// otseq2set-train: the command that trains. People start it as `otseq2set train`, and never by its name.
#include "otseq2set/cli/program.h"
#include "otseq2set/kernels/highest_target.h"
#include "otseq2set/training_cli/train.h"

int main(int argc, char** argv) {
  return otseq2set::run_program(argc, argv, [](CLI::App& program, const std::vector<std::string>& arguments) {
    otseq2set::apply_highest_target();
    otseq2set::add_train(program, arguments);
  });
}
