// The loss of a whole batch, as numbers and as what it asks of the output layer.
#pragma once

#include "otseq2set/autograd/label_softmax.h"

namespace otseq2set::inline loss {

struct BatchLoss {
  RowLoss rows;
  double total = 0, matching = 0, transport = 0;  // sequence losses have the first only
};

}  // namespace otseq2set::inline loss
