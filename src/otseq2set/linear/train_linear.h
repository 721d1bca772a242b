// From documents with labels to a LinearModel, on all threads; the result does not depend on how many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "otseq2set/config/config.h"
#include "otseq2set/corpus/dataset.h"
#include "otseq2set/linear/linear_model.h"

namespace otseq2set::inline linear {

// done of total: how much of the work. Called on the thread that calls train_linear; what it throws ends training.
using LinearProgress = std::function<void(size_t done, size_t total)>;

// word_ids: of the vocabulary, with the special ones. Labels beyond known_labels() are left out.
LinearModel train_linear(const Dataset& documents, size_t word_ids, const LinearConfig& config, uint64_t seed,
                         const LinearProgress& progress = {});

}  // namespace otseq2set::inline linear
