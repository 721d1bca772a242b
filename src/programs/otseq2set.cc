// otseq2set: one program, a command for each thing people do with a model. Training is left to otseq2set-train
// beside it, which needs LibTorch.
#include "otseq2set/cli/command.h"
#include "otseq2set/cli/idle_threads.h"
#include "otseq2set/cli/program.h"
#include "otseq2set/cli/training_program.h"
#include "otseq2set/kernels/highest_target.h"

int main(int argc, char** argv) {
  otseq2set::let_idle_threads_sleep(argv);
  return otseq2set::run_program(argc, argv, [&](CLI::App& program, const std::vector<std::string>& arguments) {
    otseq2set::hand_over_training(argc, argv);
    otseq2set::apply_highest_target();
    otseq2set::add_train_name(program);
    otseq2set::add_reproduce(program, arguments);
    otseq2set::add_search(program, arguments);
    otseq2set::add_eval(program);
    otseq2set::add_tune(program);
    otseq2set::add_quantize(program);
    otseq2set::add_predict(program);
    otseq2set::add_explain(program);
    otseq2set::add_info(program);
    otseq2set::add_convert(program);
    otseq2set::add_check(program);
    otseq2set::add_serve(program);
  });
}
