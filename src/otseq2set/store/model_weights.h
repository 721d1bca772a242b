// The weights of a model by the names of store/parameters.h: mapped from a file, so that several processes share
// them and a model starts at once, or those of a network in memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/core/safetensors.h"

namespace otseq2set::inline store {

class ModelWeights {
 public:
  // Every parameter must be there with its shape and finite values. word_ids and label_ids count the special ids.
  static ModelWeights open(const std::string& path, int64_t word_ids, int64_t label_ids, const Config& config);

  // Values that somebody else owns and that outlive this.
  explicit ModelWeights(std::map<std::string, const float*> values) : values_(std::move(values)) {}

  const float* operator[](const std::string& name) const { return values_.at(name); }

 private:
  std::map<std::string, const float*> values_;
  std::shared_ptr<const SafetensorsFile> file_;
  std::vector<std::shared_ptr<const std::vector<float>>> copies_;  // what the file does not align
};

}  // namespace otseq2set::inline store
