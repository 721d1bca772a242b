#include "otseq2set/loss/transport_loss.h"

#include <algorithm>

#include "otseq2set/core/threads.h"
#include "otseq2set/loss/ipot.h"

namespace otseq2set::inline loss {

namespace {

constexpr double kLeastNorm = 1e-8;

// [batch, most labels], filled up with some id: the filling gets no share of a plan.
torch::Tensor padded_ids(const LabelSets& labels, int64_t most) {
  torch::Tensor ids = torch::zeros({static_cast<int64_t>(labels.size()), most}, torch::kInt64);
  for (size_t row = 0; row < labels.size(); ++row) {
    std::copy(labels[row].begin(), labels[row].end(), ids.data_ptr<int64_t>() + row * most);
  }
  return ids;
}

// cost: [batch, steps, most labels]. The plan of each document, zero outside its labels.
torch::Tensor plans(const torch::Tensor& cost, const LabelSets& labels) {
  const torch::Tensor values = cost.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  torch::Tensor plan = torch::zeros_like(values);
  const int64_t steps = cost.size(1), most = cost.size(2);
  parallel_for(cost.size(0), [&](int64_t row) {
    const auto count = static_cast<int64_t>(labels[row].size());
    if (count == 0) return;
    std::vector<double> own(steps * count);
    const double* from = values.data_ptr<double>() + row * steps * most;
    for (int64_t step = 0; step < steps; ++step) std::copy_n(from + step * most, count, &own[step * count]);
    const std::vector<double> own_plan = transport_plan(own.data(), static_cast<int>(steps), static_cast<int>(count));
    double* to = plan.data_ptr<double>() + row * steps * most;
    for (int64_t step = 0; step < steps; ++step) std::copy_n(&own_plan[step * count], count, to + step * most);
  });
  return plan.to(cost.options());
}

}  // namespace

torch::Tensor transport_loss_sum(const torch::Tensor& expected, const torch::Tensor& label_vectors,
                                 const LabelSets& labels) {
  int64_t most = 0;
  for (const auto& set : labels) most = std::max<int64_t>(most, set.size());
  if (most == 0) return (expected * 0).sum();
  const torch::Tensor ids = padded_ids(labels, most).to(expected.device());
  const torch::Tensor y = label_vectors.detach().index({ids});  // [batch, most labels, width]
  const torch::Tensor norms = expected.norm(2, -1).unsqueeze(2) * y.norm(2, -1).unsqueeze(1);
  const torch::Tensor cost = 1 - torch::bmm(expected, y.transpose(1, 2)) / norms.clamp_min(kLeastNorm);
  return (plans(cost, labels) * cost).sum();
}

}  // namespace otseq2set::inline loss
