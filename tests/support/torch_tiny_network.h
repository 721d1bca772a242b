// A network of a few hundred parameters with random values, and documents for it.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/core/random.h"
#include "otseq2set/model/network.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set::testing {

constexpr int64_t kTinyWords = 30;  // ids, the special ones included

inline Config tiny_config(const std::string& variant = "otseq2set") {
  Config config;
  config.variant = variant;
  config.model.hidden = 4;
  config.model.word_embedding = 5;
  config.model.label_embedding = 6;
  config.model.max_words = 20;
  config.model.steps = 3;
  config.model.labels = 7;
  config.model.dropout = 0;
  config.model.light_conv = {{2, 3}, 2, 0};
  config.training.batch = 12;
  return config;
}

// Parameters uniform in [-range, range]; large enough that steps choose different labels.
inline Network tiny_network(const Config& config, uint64_t seed = 1, torch::Dtype dtype = torch::kFloat32,
                            double range = 0.8) {
  Network network(kTinyWords, config.model.labels + kFirstLabel, config);
  torch::NoGradGuard no_gradient;
  for (const auto& item : network->named_parameters()) {
    RandomStream random(seed, item.key());
    torch::Tensor values = torch::empty(item.value().sizes(), torch::kFloat64);
    for (int64_t i = 0; i < values.numel(); ++i) values.data_ptr<double>()[i] = random.uniform(-range, range);
    item.value().copy_(values);
  }
  network->to(dtype);
  return network;
}

using Documents = std::vector<std::vector<int32_t>>;

// Word ids (never padding), of 1 to `longest` words each, longest first.
inline Documents random_documents(size_t count, size_t longest, uint64_t seed) {
  RandomStream random(seed, "documents");
  Documents documents(count);
  for (auto& words : documents) {
    words.resize(1 + random.below(longest));
    for (int32_t& word : words) word = static_cast<int32_t>(1 + random.below(kTinyWords - 1));
  }
  std::stable_sort(documents.begin(), documents.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return documents;
}

inline std::vector<Span<const int32_t>> spans(const Documents& documents) {
  return {documents.begin(), documents.end()};
}

inline double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item<double>();
}

}  // namespace otseq2set::testing
