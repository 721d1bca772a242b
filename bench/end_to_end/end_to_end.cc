// Whole training steps and predictions of the paper's sizes, against the plain version of the same
// mathematics and against what a matrix product reaches on this machine.
//
//   otseq2set_bench_end_to_end [SECTION...]     all sections without an argument; see kSections
//
// Compared things are run in turn, several rounds, and the best of each counts: on a machine with other work
// on it, only ratios from one run mean something.
#include <cblas.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "otseq2set/config/presets.h"
#include "otseq2set/core/memory.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/inference/engine.h"
#include "otseq2set/inference/quantising.h"
#include "otseq2set/loss/set_loss.h"
#include "otseq2set/model/weights.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/parameters.h"
#include "otseq2set/training/fused_step.h"
#include "workload.h"

namespace otseq2set::bench {
namespace {

constexpr int kRounds = 3, kPairs = 8, kLatencyRounds = 15;
constexpr int64_t kDemoLabels = 600, kDemoSteps = 24;  // about what the demo's data has

double seconds(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Runs all of them in turn, `rounds` times, and keeps the best time of each.
std::vector<double> best_of(int rounds, const std::vector<std::function<void()>>& bodies) {
  std::vector<double> best(bodies.size(), 1e30);
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < bodies.size(); ++i) best[i] = std::min(best[i], seconds(bodies[i]));
  }
  return best;
}

// A large square product on all threads, split by BLAS itself: what "the machine's SGEMM" means here. It runs
// for a second or so, as long as what it is compared with meets the same neighbours.
class MatrixProduct {
 public:
  double gigaflops() const { return 2.0 * kSize * kSize * kSize * kTimes * 1e-9; }

  void run() {
    at::set_num_threads(thread_count());
    for (int i = 0; i < kTimes; ++i) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSize, kSize, kSize, 1, a_.data(), kSize, b_.data(), kSize,
                  0, c_.data(), kSize);
    }
    at::set_num_threads(1);
  }

 private:
  static constexpr int kSize = 2048, kTimes = 10;
  std::vector<float> a_ = std::vector<float>(kSize * kSize, 0.5F), b_ = a_, c_ = a_;
};

// Multiplications and additions of the matrix products that the mathematics needs, in 10^9. Backward counts
// twice forward: one product for each of the two factors.
struct Products {
  double encoder = 0, attention = 0, decoder = 0, output = 0, transport = 0;
  double total() const { return encoder + attention + decoder + output + transport; }
};

Products products(const Workload& workload) {
  const ModelConfig& m = workload.config.model;
  const Variant& variant = variant_of(workload.config);
  auto number = [](int64_t value) { return static_cast<double>(value); };
  const double words = number(workload.words()), hidden = number(m.hidden);
  const double rows = number(workload.config.training.batch * m.steps), labels = number(m.labels + kFirstLabel);
  const double contexts = (variant.light_conv ? 4 : 2) * hidden, label = number(m.label_embedding);
  const double features = hidden + contexts + label;
  const double positions = words * (variant.light_conv ? 1 + 1 / number(m.light_conv.last_stride) : 1);
  const double bottleneck = number(m.bottleneck);
  constexpr double kBoth = 2 * 3 * 1e-9;  // multiply and add; forward and twice that backward

  Products p;
  for (int64_t layer = 0; layer < m.encoder_layers; ++layer) {
    const double input = layer == 0 ? number(m.word_embedding) : 2 * hidden;
    p.encoder += kBoth * words * 2 * 3 * hidden * (input + hidden);
  }
  p.attention = kBoth * positions * 2 * hidden * hidden;
  p.decoder = kBoth * rows * (3 * hidden * (label + contexts + hidden) + hidden * hidden);
  p.output = kBoth * rows * (bottleneck > 0 ? features * bottleneck + bottleneck * labels : features * labels);
  if (variant.transport) p.transport = 2 * 2 * 1e-9 * rows * labels * label;  // E^T P, and its gradient in P
  return p;
}

Config preset(const std::string& name, const std::string& variant = "otseq2set") {
  Config config;
  apply_preset(config, name);
  config.variant = variant;
  return config;
}

// --- sections ---

void formula() {
  fmt::print(
      "Matrix products counted, times 2 (multiply, add) and 3 (forward, and backward for both factors):\n"
      "  encoder    words * 2 directions * 3 hidden * (input + hidden), per layer\n"
      "  attention  (words + phrases) * 2 hidden * hidden                       U h\n"
      "  decoder    rows * (3 hidden * (label + contexts + hidden) + hidden^2)  rows = batch * steps\n"
      "  output     rows * features * label ids, or through the bottleneck\n"
      "  transport  rows * label ids * label width, times 2 instead of 3: E^T P and its gradient in P\n"
      "Words are real words; the bound of the attention itself, LightConv, gates, softmax and Adam count "
      "nothing.\n\n");
}

// Forward and backward of a batch, shards on all threads, as in a training step.
void encode_and_back(Workload& workload, const std::vector<torch::Tensor>& parameters) {
  const Config& config = workload.config;
  const TrainingBatch batch = training_batch(workload.data, workload.documents, config, 1);
  torch::AutoGradMode with_gradient(true);
  std::vector<DecoderGroup> shards =
      encode_shards(workload.network, batch.words, receptive_field(config.model.light_conv), batch.dropout);
  parallel_for(batch.shards(), [&](int64_t shard) {
    const DecoderGroup input = std::move(shards[shard]);
    torch::autograd::grad({input.memories[0].states.sum()}, parameters, {}, {}, false, true);
  });
}

void encoder() {
  const Config config = preset("eurlex_4k");
  Workload similar(config, 800), unequal(config, 52);
  MatrixProduct product;
  const auto similar_parameters = similar.network->parameters(), unequal_parameters = unequal.network->parameters();
  const std::vector<double> best =
      best_of(kRounds, {[&] { product.run(); }, [&] { encode_and_back(similar, similar_parameters); },
                        [&] { encode_and_back(unequal, unequal_parameters); }});
  const double sgemm = product.gigaflops() / best[0];
  fmt::print("encoder, forward + backward, hidden 512, 32 documents; SGEMM {:.0f} GFLOP/s\n", sgemm);
  // U h and LightConv are computed too, forward only, and not counted.
  const auto print = [&](const char* lengths, const Workload& workload, double time) {
    const double rate = products(workload).encoder / time;
    fmt::print("  {:32} {:6.2f} s   {:.0f} GFLOP/s = {:.0f} % of SGEMM's\n", lengths, time, rate, 100 * rate / sgemm);
  };
  print("similar lengths, 800-1000 words", similar, best[1]);
  print("unequal lengths, 52-1000 words", unequal, best[2]);
  fmt::print("\n");
}

// Labels in the order of the file at the first steps, without matching or transport.
BatchLoss file_order_loss(LabelSoftmax& softmax, const TrainingBatch& batch, const Config& config) {
  const int64_t steps = config.model.steps;
  BatchLoss loss;
  loss.rows.targets.assign(softmax.rows(), kEmptyLabel);
  const double weight = set_loss_counts(batch.labels, steps, config.loss).weight;
  for (int64_t i = 0; i < batch.size(); ++i) {
    for (size_t t = 0; t < batch.labels[i].size(); ++t) {
      loss.rows.targets[static_cast<int64_t>(t) * batch.size() + i] = batch.labels[i][t];
    }
  }
  for (int64_t row = 0; row < softmax.rows(); ++row) {
    const int64_t id = loss.rows.targets[row];
    loss.rows.weights.push_back((id == kEmptyLabel ? config.loss.lambda_empty : 1) / weight);
    loss.total -= loss.rows.weights.back() * softmax.log_probability(row, id);
  }
  softmax.normalise();
  return loss;
}

// Runs a step and keeps the times of its parts when it was the fastest so far.
class BestStep {
 public:
  explicit BestStep(FastStep& step) : step_(step) {}
  void run() {
    const double time = seconds([&] { step_.run(); });
    if (time < best_) best_ = time, times_ = step_.times();
  }
  double best() const { return best_; }
  const StepTimes& times() const { return times_; }

 private:
  FastStep& step_;
  double best_ = 1e30;
  StepTimes times_;
};

// Nearly equal scores may be decided differently after a rounding, hence 1 %.
void compare_losses(double fast, double plain) {
  fmt::print("  loss before training: {:.5f}, plain {:.5f}\n", fast, plain);
  if (!(std::abs(fast - plain) <= 0.01 * std::abs(plain))) {
    fmt::print("  the losses differ: times mean nothing\n");
    std::fflush(stdout);
    _exit(1);
  }
}

void step() {
  const Config config = preset("eurlex_4k"), sequence_config = preset("eurlex_4k", "seq2seq_lc");
  Workload workload(config), sequence(sequence_config, 0, config.model.steps - 1);
  FastStep fast(workload), sequence_step(sequence);
  PlainStep plain(workload);
  FastStep file_order(workload, [&](LabelSoftmax& softmax, const TrainingBatch& batch) {
    return file_order_loss(softmax, batch, config);
  });
  MatrixProduct product;
  fmt::print("training step, Eurlex-4K sizes: hidden 512, batch 32, 1000 words, 24 steps, 3,956 labels\n");
  compare_losses(fast.loss(), plain.loss());
  BestStep own(fast), in_file_order(file_order);
  const std::vector<double> best = best_of(
      kRounds, {[&] { product.run(); }, [&] { own.run(); }, [&] { sequence_step.run(); }, [&] { plain.run(); }});
  // These two are so close that it takes more rounds, each time in the other order.
  for (int pair = 0; pair < kPairs; ++pair) {
    (pair % 2 == 0 ? own : in_file_order).run();
    (pair % 2 == 0 ? in_file_order : own).run();
  }
  const Products p = products(workload);
  const StepTimes& times = own.times();
  const double time = own.best(), sgemm = product.gigaflops() / best[0], rate = p.total() / time;
  fmt::print(
      "  matrix products: encoder {:.0f}, attention {:.0f}, decoder {:.0f}, output {:.0f}, transport {:.0f}, "
      "sum {:.0f} GFLOP\n",
      p.encoder, p.attention, p.decoder, p.output, p.transport, p.total());
  fmt::print("  OTSeq2Set                        {:6.2f} s   {:.0f} GFLOP/s = {:.0f} % of SGEMM's {:.0f}\n", time, rate,
             100 * rate / sgemm, sgemm);
  fmt::print("    encoder {:.2f}, decoder and output {:.2f}, loss {:.3f} ({:.2f} %), optimiser {:.2f} s\n",
             times.encoder, times.decoder, times.loss, 100 * times.loss / time, times.optimiser);
  fmt::print("  labels in file order, lambda 0   {:6.2f} s   OTSeq2Set / this = {:.3f}\n", in_file_order.best(),
             time / in_file_order.best());
  fmt::print("  Seq2Seq + LC, 24 steps           {:6.2f} s   OTSeq2Set / this = {:.3f}\n", best[2], time / best[2]);
  fmt::print("  plain LibTorch, {} threads        {:6.2f} s   this / OTSeq2Set = {:.2f}\n\n", thread_count(), best[3],
             best[3] / time);
}

// The part of `step` that is done in a minute, for both instruction sets one after the other.
void step_rate() {
  Workload workload(preset("eurlex_4k"));
  FastStep fast(workload);
  BestStep own(fast);
  MatrixProduct product;
  const double sgemm = product.gigaflops() / best_of(2, {[&] { product.run(); }, [&] { own.run(); }})[0];
  const double rate = products(workload).total() / own.best();
  fmt::print("training step, Eurlex-4K sizes: {:.2f} s, {:.0f} GFLOP/s = {:.0f} % of SGEMM's {:.0f}\n", own.best(),
             rate, 100 * rate / sgemm, sgemm);
  fmt::print("    encoder {:.2f}, decoder and output {:.2f}, loss {:.3f}, optimiser {:.2f} s\n\n", own.times().encoder,
             own.times().decoder, own.times().loss, own.times().optimiser);
}

void memory() {
  Workload workload(preset("eurlex_4k"));
  FastStep fast(workload);
  for (int i = 0; i < 3; ++i) fast.run();
  fmt::print("peak memory, three training steps of Eurlex-4K sizes, 1000 words: {:.2f} GB\n\n",
             static_cast<double>(peak_resident_memory()) * 1e-9);
}

void amazon() {
  const Config config = preset("amazon_670k");
  Workload workload(config);
  FastStep fast(workload);
  MatrixProduct product;
  fast.run();
  BestStep own(fast);
  const double sgemm = product.gigaflops() / best_of(2, {[&] { product.run(); }, [&] { own.run(); }})[0];
  const Products p = products(workload);
  const StepTimes& times = own.times();
  fmt::print(
      "training step, Amazon-670K sizes: 670,091 labels, {:.1f} million parameters, batch 64, 500 "
      "words, 7 steps\n",
      static_cast<double>(parameter_count(50002, 670094, config)) * 1e-6);
  fmt::print("  {:.1f} s, {:.0f} GFLOP/s = {:.0f} % of SGEMM's {:.0f}; peak memory {:.1f} GB\n", own.best(),
             p.total() / own.best(), 100 * p.total() / own.best() / sgemm, sgemm,
             static_cast<double>(peak_resident_memory()) * 1e-9);
  fmt::print("    encoder {:.1f}, decoder and output {:.1f}, loss {:.1f}, optimiser {:.1f} s\n\n", times.encoder,
             times.decoder, times.loss, times.optimiser);
}

// As prediction has it, once per model, when it is loaded.
Engine engine_of(const Workload& workload) {
  return {workload.config, workload.network->label_vectors().size(0), weights_of(*workload.network)};
}

// The same with weights of one byte.
Engine int8_engine_of(const Workload& workload) {
  const torch::nn::Module& network = *workload.network;
  const int64_t label_ids = workload.network->label_vectors().size(0);
  const int64_t word_ids = network.named_parameters()["encoder.embedding.weight"].size(0);
  return {workload.config, label_ids,
          quantised(parameters_of(word_ids, label_ids, workload.config), weights_of(network))};
}

void predict_with(const Engine& engine, const Workload& workload) {
  engine.decode(workload.all_words(), /*with_attention=*/false, [](size_t, const DecodedDocument&) {});
}

void encode_with(const Engine& engine, const Workload& workload) {
  const auto documents = workload.all_words();
  const auto size = static_cast<int64_t>(documents.size());
  parallel_for((size + kShardDocuments - 1) / kShardDocuments, [&](int64_t shard) {
    const int64_t first = shard * kShardDocuments, last = std::min(first + kShardDocuments, size);
    engine.encoder().encode({documents.begin() + first, documents.begin() + last});
  });
}

// logits: [batch, steps, label ids]
torch::Tensor label_scores_plain(const torch::Tensor& logits) {
  return 1 - (1 - logits.softmax(2).slice(2, kFirstLabel)).prod(1);
}

void prediction() {
  Workload workload(preset("eurlex_4k"), 800);
  auto plain = [&] {
    const PlainKernels kernels;
    torch::NoGradGuard no_gradient;
    const Batch batch = make_batch(workload.all_words(), 52, torch::kCPU);
    label_scores_plain(workload.network->decode(batch, workload.config.model.steps, Dropout()).logits);
  };
  const Engine engine = engine_of(workload), int8 = int8_engine_of(workload);
  MatrixProduct product;
  const std::vector<double> best =
      best_of(kRounds, {[&] { product.run(); }, [&] { predict_with(engine, workload); }, plain,
                        [&] { encode_with(engine, workload); }, [&] { predict_with(int8, workload); },
                        [&] { encode_with(int8, workload); }});
  const auto documents = static_cast<double>(workload.documents.size());
  // What the matrix products alone would take at SGEMM's rate:
  // a third of a training step's, and no transport.
  const Products p = products(workload);
  const double third = 1.0 / 3 / (product.gigaflops() / best[0]);  // seconds per counted 10^9 operations
  const double least = (p.total() - p.transport) * third;
  fmt::print("prediction with scores, Eurlex-4K sizes, batch 32, 800 to 1000 words\n");
  fmt::print(
      "  {:.1f} documents/s; plain {:.1f}; ratio {:.2f}; the matrix products alone at SGEMM's rate: "
      "{:.1f}\n",
      documents / best[1], documents / best[2], best[2] / best[1], documents / least);
  fmt::print(
      "    encoder {:.2f} s (its products at SGEMM's rate {:.2f}), decoder, output and scores {:.2f} s "
      "({:.2f})\n\n",
      best[3], (p.encoder + p.attention) * third, best[1] - best[3], (p.decoder + p.output) * third);

  fmt::print("the same with int8 weights\n");
  fmt::print("  {:.1f} documents/s; {:.2f} times float32; {:.2f} times plain; encoder {:.2f} s, the rest {:.2f} s\n\n",
             documents / best[4], best[1] / best[4], best[2] / best[4], best[5], best[4] - best[5]);

  Config config = preset("eurlex_4k");
  config.training.batch = 1;
  config.model.max_words = 500;
  Workload one(config);
  auto plain_one = [&] {
    const PlainKernels kernels;
    torch::NoGradGuard no_gradient;
    label_scores_plain(
        one.network->decode(make_batch(one.all_words(), 52, torch::kCPU), config.model.steps, Dropout()).logits);
  };
  const Engine engine_one = engine_of(one), int8_one = int8_engine_of(one);
  const std::vector<double> latency =
      best_of(4 * kRounds, {[&] { predict_with(engine_one, one); }, plain_one, [&] { predict_with(int8_one, one); }});
  fmt::print("one document of 500 words, Eurlex-4K sizes\n");
  fmt::print("  {:.0f} ms; plain {:.0f} ms; ratio {:.0f} %; int8 {:.0f} ms\n\n", 1e3 * latency[0], 1e3 * latency[1],
             100 * latency[0] / latency[1], 1e3 * latency[2]);
}

// One document, which is what a person waits for: the two directions of the encoder and blocks of the decoder's
// products are what several threads can share.
void latency() {
  const std::vector<int64_t> lengths = {50, 200, 500};
  for (const char* name : {"debtags", "eurlex_4k"}) {
    Config config = preset(name);
    config.training.batch = 1;
    if (config.model.labels == 0) config.model.labels = kDemoLabels;
    if (config.model.steps == 0) config.model.steps = kDemoSteps;
    fmt::print("one document, sizes of {}: hidden {}, {} labels, {} steps\n", name, config.model.hidden,
               config.model.labels, config.model.steps);
    for (const int64_t length : lengths) {
      config.model.max_words = length;
      const Workload one(config);
      const Engine engine = engine_of(one);
      std::vector<std::function<void()>> bodies;
      for (int threads = 1; threads <= std::max(2, thread_count()); threads *= 2) {
        bodies.emplace_back([&engine, &one, threads] {
          const ThreadLimit limit(threads);
          predict_with(engine, one);
        });
      }
      const std::vector<double> best = best_of(kLatencyRounds, bodies);
      fmt::print("  {:>4} words", length);
      for (size_t i = 0; i < best.size(); ++i) fmt::print("   {} threads: {:7.2f} ms", 1 << i, 1e3 * best[i]);
      fmt::print("\n");
    }
  }
  fmt::print("\n");
}

void growth() {
  struct Axis {
    const char* name;
    std::vector<int64_t> values;
    std::function<void(Config&, int64_t)> set;
  };
  const std::vector<Axis> axes = {
      {"words", {125, 250, 500, 1000}, [](Config& c, int64_t value) { c.model.max_words = value; }},
      {"labels", {2500, 5000, 10000, 20000}, [](Config& c, int64_t value) { c.model.labels = value; }},
      {"batch", {8, 16, 32, 64}, [](Config& c, int64_t value) { c.training.batch = value; }},
      {"hidden", {64, 128, 256, 512}, [](Config& c, int64_t value) { c.model.hidden = value; }}};
  fmt::print("growth of a training step's time; start: hidden 256, batch 16, 250 words, 24 steps, 4,000 labels\n");
  for (const Axis& axis : axes) {
    std::vector<std::unique_ptr<Workload>> workloads;
    std::vector<std::unique_ptr<FastStep>> steps;
    std::vector<std::function<void()>> bodies;
    for (int64_t value : axis.values) {
      Config config = preset("eurlex_4k");
      config.model.hidden = 256;
      config.model.max_words = 250;
      config.model.labels = 4000;
      config.training.batch = 16;
      axis.set(config, value);
      workloads.push_back(std::make_unique<Workload>(config));
      steps.push_back(std::make_unique<FastStep>(*workloads.back()));
      bodies.emplace_back([step = steps.back().get()] { step->run(); });
    }
    const std::vector<double> best = best_of(kRounds, bodies);
    fmt::print("  {:7}", axis.name);
    for (size_t i = 0; i < best.size(); ++i) {
      fmt::print("  {:>6}: {:.3f} s", axis.values[i], best[i]);
      if (i > 0) fmt::print(" (x {:.2f})", best[i] / best[i - 1]);
    }
    fmt::print("\n");
  }
  fmt::print("\n");
}

struct Section {
  const char* name;
  void (*run)();
};
constexpr Section kSections[] = {{"formula", formula},       {"encoder", encoder}, {"step", step},
                                 {"step_rate", step_rate},   {"memory", memory},   {"amazon", amazon},
                                 {"prediction", prediction}, {"latency", latency}, {"growth", growth}};

// In a process of its own, so that peak memory is the section's, and none inherits another's heap.
void run_section(const Section& section) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    mallopt(M_MMAP_THRESHOLD, 1 << 30);  // as the program does
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    at::set_num_threads(1);
    section.run();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) fmt::print("{} failed\n\n", section.name);
}

}  // namespace
}  // namespace otseq2set::bench

int main(int argc, char** argv) {
  using otseq2set::bench::kSections;
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  bool any = false;
  for (const auto& section : kSections) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), section.name) == wanted.end()) continue;
    any = true;
    run_section(section);
  }
  if (!any) {
    fmt::print(stderr, "error: no such section; there are");
    for (const auto& section : kSections) fmt::print(stderr, " {}", section.name);
    fmt::print(stderr, "\n");
  }
  return any ? 0 : 2;
}
