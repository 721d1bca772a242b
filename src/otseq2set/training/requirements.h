// What training needs of the machine, found out as early as can be: a mistake must not cost minutes of reading.
#pragma once

#include "otseq2set/corpus/dataset.h"
#include "otseq2set/store/model_folder.h"
#include "otseq2set/training.h"

namespace otseq2set::inline training {

// An Error for what no data can mend: the folder cannot be written, even without words and labels the network will not
// fit into memory or on the disk, the word vectors are missing or have another width. goes_on: vectors are not needed.
void check_before_reading(const TrainingOptions& options, const ModelFolder& folder, const Config& config,
                          bool goes_on);

// An Error if the network will not fit into memory, or with its checkpoint on the disk.
void check_sizes(const TrainingOptions& options, const ModelFolder& folder, const ModelDescription& description,
                 const Dataset& train);

}  // namespace otseq2set::inline training
