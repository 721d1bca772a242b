#include "otseq2set/model/answer.h"

#include <algorithm>
#include <numeric>

#include "otseq2set/core/threads.h"
#include "otseq2set/model/ids.h"

namespace otseq2set {

namespace {
// Documents decoded together; part of the result's definition, because products round differently in other
// shapes.
constexpr size_t kTogether = 16;
}  // namespace

std::vector<int32_t> label_set(const torch::Tensor& labels) {
  std::vector<int32_t> set;
  const torch::Tensor ids = labels.to(torch::kCPU).contiguous();
  for (int64_t t = 0; t < ids.size(0); ++t) {
    const int64_t id = ids.data_ptr<int64_t>()[t];
    const auto label = static_cast<int32_t>(id - kFirstLabel);
    if (id >= kFirstLabel && std::find(set.begin(), set.end(), label) == set.end()) set.push_back(label);
  }
  return set;
}

torch::Tensor label_scores(const torch::Tensor& logits) {
  const torch::Tensor probabilities = logits.softmax(2).slice(2, kFirstLabel).clamp_max(1);
  return -torch::expm1(torch::log1p(-probabilities).sum(1));
}

void decode_documents(Network& network, const std::vector<Span<const int32_t>>& documents,
                      const ModelConfig& config, const UseDecoded& use) {
  std::vector<size_t> order(documents.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return documents[a].size() > documents[b].size(); });
  const int64_t least_words = receptive_field(config.light_conv);
  const auto groups = static_cast<int64_t>((order.size() + kTogether - 1) / kTogether);
  parallel_for(groups, [&](int64_t group) {
    torch::NoGradGuard no_gradient;
    const size_t begin = group * kTogether, end = std::min(begin + kTogether, order.size());
    const std::vector<size_t> rows(order.begin() + begin, order.begin() + end);
    std::vector<Span<const int32_t>> together;
    for (size_t row : rows) together.push_back(documents[row]);
    use(rows, network->decode(make_batch(together, least_words, network->device()), config.steps, Dropout()));
  });
}

}  // namespace otseq2set
