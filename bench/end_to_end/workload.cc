#include "workload.h"

#include <algorithm>
#include <chrono>

#include "otseq2set/autograd/choice.h"
#include "otseq2set/core/random.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/loss/set_loss.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/text/vocabulary.h"
#include "otseq2set/training/training_step.h"

namespace otseq2set::bench {

namespace {

void add_document(Dataset& data, int64_t words, int64_t label_count, const Config& config, RandomStream& random) {
  std::vector<int32_t> ids(words), labels;
  for (int32_t& id : ids) id = kFirstWord + static_cast<int32_t>(random.below(config.text.vocabulary));
  while (labels.size() < static_cast<size_t>(label_count)) {
    const auto label = static_cast<int32_t>(random.below(config.model.labels));
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
  }
  data.add(std::to_string(data.size()), {ids.data(), ids.size()}, {labels.data(), labels.size()});
}

}  // namespace

PlainKernels::PlainKernels() {
  use_plain_kernels(true);
  at::set_num_threads(thread_count());
}

PlainKernels::~PlainKernels() {
  use_plain_kernels(false);
  at::set_num_threads(1);
}

Workload::Workload(const Config& config, int64_t shortest, int64_t labels_per_document)
    : config(config), data(SIZE_MAX, config.model.labels) {
  RandomStream random(1, "benchmark");
  const int64_t batch = config.training.batch, longest = config.model.max_words;
  for (int64_t i = 0; i < batch; ++i) {
    const int64_t range = shortest > 0 ? longest - shortest : 0;
    add_document(data, longest - range * i / std::max<int64_t>(batch - 1, 1), labels_per_document, config, random);
    documents.push_back(static_cast<uint32_t>(i));
  }
  network = Network(config.text.vocabulary + kFirstWord, config.model.labels + kFirstLabel, config);
  torch::manual_seed(1);
  torch::NoGradGuard no_gradient;
  for (torch::Tensor& parameter : network->parameters()) parameter.uniform_(-0.1, 0.1);
}

int64_t Workload::words() const {
  int64_t sum = 0;
  for (uint32_t document : documents) sum += static_cast<int64_t>(data.words(document).size());
  return sum;
}

std::vector<Span<const int32_t>> Workload::all_words() const {
  std::vector<Span<const int32_t>> all;
  for (uint32_t document : documents) all.push_back(data.words(document));
  return all;
}

FastStep::FastStep(Workload& workload, Loss loss)
    : workload_(workload), loss_(std::move(loss)), adam_(workload.network->parameters()) {
  for (const torch::Tensor& parameter : workload.network->parameters()) {
    gradients_.push_back(torch::empty_like(parameter.detach()));
  }
}

StepResult FastStep::gradients() {
  const TrainingBatch batch = training_batch(workload_.data, workload_.documents, workload_.config, 1);
  return loss_ ? fused_step(
                     workload_.network, batch, workload_.config, {},
                     [&](LabelSoftmax& softmax) { return loss_(softmax, batch); }, gradients_)
               : compute_gradients(workload_.network, batch, workload_.config, gradients_);
}

double FastStep::loss() { return gradients().loss.total; }

void FastStep::run() {
  times_ = gradients().times;
  const auto start = std::chrono::steady_clock::now();
  const double norm = gradient_norm(gradients_);
  adam_.step(gradients_, 1e-4, std::min(1.0, workload_.config.training.clip / norm));
  times_.optimiser = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

PlainStep::PlainStep(Workload& workload)
    : workload_(workload), adam_(workload.network->parameters(), torch::optim::AdamOptions(1e-4)) {}

torch::Tensor PlainStep::forward() {
  const Config& config = workload_.config;
  const TrainingBatch batch = training_batch(workload_.data, workload_.documents, config, 1);
  const Batch words = make_batch(batch.words, receptive_field(config.model.light_conv), torch::kCPU);
  const Decoded decoded = workload_.network->decode(words, config.model.steps, batch.dropout);
  return set_loss(decoded.logits, workload_.network->label_vectors(), batch.labels,
                  set_loss_counts(batch.labels, config.model.steps, config.loss), config.loss,
                  variant_of(config).transport)
      .total;
}

double PlainStep::loss() {
  const PlainKernels plain;
  torch::NoGradGuard no_gradient;
  return forward().item<double>();
}

void PlainStep::run() {
  const PlainKernels plain;
  adam_.zero_grad();
  forward().backward();
  for (torch::Tensor& parameter : workload_.network->parameters()) {
    if (parameter.grad().defined() && parameter.grad().is_sparse()) {
      parameter.mutable_grad() = parameter.grad().to_dense();
    }
  }
  torch::nn::utils::clip_grad_norm_(workload_.network->parameters(), workload_.config.training.clip);
  adam_.step();
}

}  // namespace otseq2set::bench
