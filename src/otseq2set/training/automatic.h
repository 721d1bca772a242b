// The settings of a training for which nobody chose a preset: they follow from the documents (store/automatic_settings.h).
#pragma once

#include <set>
#include <string>

#include "otseq2set/corpus/corpus.h"
#include "otseq2set/store/model_folder.h"
#include "otseq2set/training.h"

namespace otseq2set::inline training {

constexpr const char* kAutomatic = "auto";  // the name of the preset

// The keys that "key=value" settings name; they are not chosen.
std::set<std::string> keys_of(const std::vector<std::string>& settings);

// Before the documents are read. refit: they can be read twice.
Config before_reading(const TrainingOptions& options, bool refit);

// Chooses the rest of the settings, and tells which and why.
Config chosen_settings(const TrainingOptions& options, const Corpus& corpus, Config config);

// What was chosen for the model in the folder, with the values given now in the place of those given then.
Config chosen_before(const TrainingOptions& options, const ModelFolder& folder, const Config& config);

}  // namespace otseq2set::inline training
