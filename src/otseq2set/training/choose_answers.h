// After training: how the scores of several models are joined, and which labels make a set. Both are found on the
// validation documents, and only if the folder does not have them yet.
#pragma once

#include "otseq2set/corpus/dataset.h"
#include "otseq2set/store/model_folder.h"
#include "otseq2set/training.h"

namespace otseq2set::inline training {

void choose_answers(const TrainingOptions& options, const ModelFolder& folder, const Dataset& valid);

// The same as another model has them.
void take_over_answers(const ModelFolder& from, const ModelFolder& to);

}  // namespace otseq2set::inline training
