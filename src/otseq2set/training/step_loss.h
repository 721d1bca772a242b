// The loss of a batch, or a sum or mean of several.
#pragma once

namespace otseq2set {

struct StepLoss {
  double total = 0, matching = 0, transport = 0;
};

}  // namespace otseq2set
