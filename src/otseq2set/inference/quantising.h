// A model with weights of one byte: a quarter of the size, faster products, and the same answers on every processor.
//
//   networks       matrices become int8 with a scale a row; biases, the v of the attention and LightConv stay float32
//   linear model   weights become int8 with a scale a label
//
// What only training needs is left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/store/model_folder.h"
#include "otseq2set/store/model_weights.h"
#include "otseq2set/store/parameters.h"

namespace otseq2set::inline inference {

// Of a network: these parameters, of which the word vectors may be fewer than in `weights`.
ModelWeights quantised(const std::vector<Parameter>& parameters, const ModelWeights& weights);

struct QuantisingOptions {
  int64_t words = 0;  // most frequent words whose vectors the networks keep; 0: all
};

// Writes the model of `from` into the folder `to`, which is created. An Error if `from` is quantised already.
void quantise_model(const ModelFolder& from, const ModelFolder& to, const QuantisingOptions& options);

// Bytes of all files below a folder.
uint64_t folder_size(const std::string& path);

}  // namespace otseq2set::inline inference
