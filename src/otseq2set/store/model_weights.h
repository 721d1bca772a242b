// The weights of a model by the names of store/parameters.h: a copy of a file, or those of a network in memory.
//
// A file has every parameter as float32 or, in a quantised model, matrices as int8 with a float32 tensor NAME.scale beside
// them, one scale a row: value = scale * byte.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "otseq2set/config/config.h"
#include "otseq2set/core/safetensors.h"
#include "otseq2set/core/weight_matrix.h"

namespace otseq2set::inline store {

constexpr char kScaleEnding[] = ".scale";  // of a name

class ModelWeights {
 public:
  // Every parameter must be there with its shape and finite values. word_ids and label_ids count the special ids.
  static ModelWeights open(const std::string& path, int64_t word_ids, int64_t label_ids, const Config& config,
                           SafetensorsLimits limits = {});

  // Values that `owner` keeps alive.
  ModelWeights(std::map<std::string, WeightMatrix<float>> values, std::shared_ptr<const void> owner)
      : values_(std::move(values)), owner_(std::move(owner)) {}

  const float* operator[](const std::string& name) const { return values_.at(name).values; }  // null for bytes
  const WeightMatrix<float>& matrix(const std::string& name) const { return values_.at(name); }

  // Gives the memory of these values back to the system if they are a file's. They must not be read again.
  void forget(const float* values, int64_t count) const;

 private:
  std::map<std::string, WeightMatrix<float>> values_;
  std::shared_ptr<const void> owner_;
  bool from_file_ = false;
};

}  // namespace otseq2set::inline store
