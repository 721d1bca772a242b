// The parameters of a network: names (those of the authors' code, so that weights can be exchanged with it) and
// shapes. The one list that training, prediction and the files agree on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/config/config.h"

namespace otseq2set::inline store {

struct Parameter {
  std::string name;            // encoder.rnn.weight_ih_l0, dl_conv.0.0.weight, ...
  std::vector<int64_t> shape;  // row-major
};

// word_ids and label_ids count the special ids too.
std::vector<Parameter> parameters_of(int64_t word_ids, int64_t label_ids, const Config& config);

// The number of values in all of them.
int64_t parameter_count(int64_t word_ids, int64_t label_ids, const Config& config);

// Whether a quantised model has it as int8: matrices, whose rows are products or vectors; not biases, the v of the
// attention and the kernels of LightConv, which are few values.
bool is_quantised(const Parameter& parameter);

// Sizes that several places need.
int64_t context_width(const Config& config);  // of all contexts of a step: 2 hidden each
int64_t feature_width(const Config& config);  // [state; contexts; label vector], which the output layer reads
int64_t light_conv_heads(const Config& config);

}  // namespace otseq2set::inline store
