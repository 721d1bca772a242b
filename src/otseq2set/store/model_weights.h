// The weights of a model by the names of store/parameters.h: from a file, mapped or copied, or those of a network in
// memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "otseq2set/config/config.h"
#include "otseq2set/core/safetensors.h"

namespace otseq2set::inline store {

class ModelWeights {
 public:
  // Every parameter must be there with its shape and finite values. word_ids and label_ids count the special ids.
  static ModelWeights open(const std::string& path, int64_t word_ids, int64_t label_ids, const Config& config,
                           HeldBytes where = HeldBytes::kMapped);

  // Values that `owner` keeps alive.
  ModelWeights(std::map<std::string, const float*> values, std::shared_ptr<const void> owner)
      : values_(std::move(values)), owner_(std::move(owner)) {}

  const float* operator[](const std::string& name) const { return values_.at(name); }

 private:
  std::map<std::string, const float*> values_;
  std::shared_ptr<const void> owner_;
};

}  // namespace otseq2set::inline store
