// Finds the set rule that suits a model best, on documents that it was not trained on.
#pragma once

#include <functional>

#include "otseq2set/corpus/dataset.h"
#include "otseq2set/evaluation/rule_search.h"
#include "otseq2set/inference/predictor.h"
#include "otseq2set/store/model_folder.h"

namespace otseq2set::inline inference {

// Thresholds below are not tried: nearly all labels would have to be looked at,
// to let in what is nearly never right.
constexpr float kLeastThreshold = 0.01F;

TunedRule tune(const Predictor& predictor, const Dataset& data, const std::string& measure,
               const std::function<void(size_t)>& progress = {});

// Finds how the scores of network and linear model are best joined, by documents that they were not trained on, and saves
// it, unless there is no linear model or it has been found already. True if it was found now.
bool join_models(const ModelFolder& folder, const Dataset& data);

// "labels with a score of at least 0.31: micro-F1 0.6275 on 2575 documents (greedy: 0.6001)"
std::string describe(const TunedRule& tuned);

}  // namespace otseq2set::inline inference
