// Golden files: values made from the authors' formulas in float64 (see docs/paper_to_code.md).
//
// The folder is $OTSEQ2SET_GOLDEN_DIR, by default tests/golden; every file there of a kind that a test knows
// is run. Label ids in a file may number the special ids in any way; they are renumbered here to the
// program's own.
#pragma once

#include <torch/torch.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/loss/matching_loss.h"
#include "otseq2set/model/network.h"

namespace otseq2set::testing {

using nlohmann::json;

// All files of one kind, by name; throws when the folder, or a file in it, cannot be read as JSON.
std::vector<json> golden_files(const std::string& kind);

// {"shape", "dtype", "data"} as a tensor, float64 or int64.
torch::Tensor tensor_of(const json& value);

// A model file ("set_step", "ragged", "decode"): configuration, network with its parameters, and its tensors.
class GoldenModel {
 public:
  GoldenModel(const json& file, torch::Dtype dtype);

  // The file's parameters again, disturbed unless run is 0 (see support/torch_rounding.h).
  void disturb(int run);

  Config config() const { return config_; }
  Network& network() { return network_; }
  int64_t steps() const { return file_.at("steps"); }
  int64_t least_words() const { return receptive_field(config_.model.light_conv); }
  // Terms of the longest sum in a gradient, which is attention's: one for each word at each step.
  int64_t longest_sum() const;

  // `targets`: the labels among the ids after the start id, in their order.
  LabelSets label_sets() const;
  // Ids renumbered; works on any shape.
  torch::Tensor own_ids(const torch::Tensor& ids) const;
  // The last dimension of logits, [..., label ids], renumbered.
  torch::Tensor own_logits(const torch::Tensor& logits) const;
  // Parameters or gradients by name, with label rows renumbered.
  std::map<std::string, torch::Tensor> own_parameters(const json& named) const;

 private:
  json file_;
  Config config_;
  torch::Tensor file_id_of_;                         // [label ids]: which id of the file is our id i
  std::map<std::string, torch::Tensor> parameters_;  // in float64
  Network network_{nullptr};
};

// Gradients of word vectors are sparse; everything else is returned as it is.
torch::Tensor dense(const torch::Tensor& tensor);

// largest |actual - expected| / max(largest |expected|, floor); sparse tensors are made dense
double relative_difference(const torch::Tensor& actual, const torch::Tensor& expected, double floor = 0);

}  // namespace otseq2set::testing
