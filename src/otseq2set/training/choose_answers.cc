#include "otseq2set/training/choose_answers.h"

#include <filesystem>

#include "otseq2set/inference/tuning.h"
#include "otseq2set/store/manifest.h"
#include "otseq2set/training/tell.h"

namespace otseq2set::inline training {

namespace fs = std::filesystem;

void choose_answers(const TrainingOptions& options, const ModelFolder& folder, const Dataset& valid) {
  if (valid.size() == 0) return;
  if (join_models(folder, valid)) {
    tell(options, "{} on {} documents",
         fs::exists(folder.weights()) ? "the scores of network and linear model are combined"
                                      : "the margins are calibrated",
         valid.size());
  }
  if (!fs::exists(folder.set_rule())) {
    const TunedRule tuned = tune(Predictor(folder), valid, options.measure);
    save_set_rule(folder, tuned);
    tell(options, "set rule: {}", describe(tuned));
  }
}

void take_over_answers(const ModelFolder& from, const ModelFolder& to) {
  if (fs::exists(from.joining())) take_over(from, from.joining(), to, to.joining());
  if (fs::exists(from.set_rule())) take_over(from, from.set_rule(), to, to.set_rule());
}

}  // namespace otseq2set::inline training
