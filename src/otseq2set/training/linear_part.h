// The linear model of a model folder, which stands alone or beside a network.
#pragma once

#include "otseq2set/corpus/dataset.h"
#include "otseq2set/store/model_folder.h"
#include "otseq2set/training.h"

namespace otseq2set::inline training {

// Trains it or takes it over, and saves it, unless the folder has it already.
void train_linear_part(const TrainingOptions& options, const ModelFolder& folder, const ModelDescription& description,
                       const Dataset& train);

// Marks a folder as finished that has no network.
void finish_linear(const ModelFolder& folder, const ModelDescription& description);

}  // namespace otseq2set::inline training
