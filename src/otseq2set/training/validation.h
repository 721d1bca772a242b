// How good is the network on held-out documents? Only the sets are measured, which needs no scores.
#pragma once

#include "otseq2set/config/config.h"
#include "otseq2set/corpus/dataset.h"
#include "otseq2set/evaluation/metrics.h"
#include "otseq2set/model/network.h"

namespace otseq2set::inline training {

MetricsReport validate(Network& network, const Dataset& data, const Config& config);

}  // namespace otseq2set::inline training
