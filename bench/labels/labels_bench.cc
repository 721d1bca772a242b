// The output layer of a model with very many labels: Amazon-670K's sizes with random weights.
//
//   otseq2set_bench_labels make FOLDER      writes such a model, 1.8 GB, and a document to predict, FOLDER/text.txt
//   otseq2set_bench_labels run FOLDER       one document of 200 words and 64 of them, the 100 best labels
//
// `run` measures the scores of all labels, of which the best are taken, and the best alone, each in a process of its
// own for its peak memory, one after the other, best of several rounds: times mean something on an idle machine only.
// It fails if an answer differs in a bit.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "otseq2set/config/presets.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/memory.h"
#include "otseq2set/core/random.h"
#include "otseq2set/core/safetensors.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/inference/predictor.h"
#include "otseq2set/store/model_folder.h"
#include "otseq2set/store/parameters.h"

namespace otseq2set {
namespace {

constexpr int kRounds = 5;
constexpr int64_t kWords = 50'000;
constexpr size_t kTopLabels = 100, kDocumentWords = 200, kDocuments = 64;
// So wide that the likeliest labels have probabilities of some percent, as in a trained model.
constexpr double kLogitSpread = 4;

// Uniform, with the spread that keeps values in a layer's range; that of the output layer makes its logits.
std::vector<float> random_values(const Parameter& parameter) {
  const int64_t size = std::accumulate(parameter.shape.begin(), parameter.shape.end(), int64_t{1}, std::multiplies<>());
  const bool output = parameter.name == "decoder.bottleneck1.weight";
  const bool table = parameter.name.find("embedding") != std::string::npos;
  const double inputs = parameter.shape.size() > 1 && !table ? static_cast<double>(parameter.shape.back()) : 1;
  const double range = std::sqrt(3 / inputs) * (output ? 2 * kLogitSpread : 1);
  RandomStream random(1, parameter.name);
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(random.uniform(-range, range));
  return values;
}

void make(const std::string& path) {
  ModelDescription description;
  apply_preset(description.config, "amazon_670k");
  std::vector<std::pair<std::string, uint64_t>> words, labels;
  for (int64_t i = 0; i < kWords; ++i) words.emplace_back(fmt::format("word{}", i), 2 * kWords - i);
  const int64_t count = description.config.model.labels;
  for (int64_t i = 0; i < count; ++i) labels.emplace_back(fmt::format("label {}", i), 2 * count - i);
  description.words = Vocabulary::from_counts(words, kWords, 1);
  description.labels = LabelVocabulary::from_counts(labels);
  const ModelFolder folder(path);
  std::filesystem::create_directories(path);
  save_description(folder, description);
  const auto parameters = parameters_of(description.word_ids(), description.label_ids(), description.config);
  std::vector<std::vector<float>> values;
  std::vector<TensorView> tensors;
  for (const Parameter& parameter : parameters) {
    values.push_back(random_values(parameter));
    tensors.push_back({parameter.name, "F32", parameter.shape, values.back().data(), values.back().size() * 4});
  }
  write_safetensors(folder.weights(), tensors);
  RandomStream random(2, "text");
  std::string text;
  for (size_t i = 0; i < kDocumentWords; ++i) text += fmt::format("word{} ", random.below(kWords));
  write_file(path + "/text.txt", text + "\n");
}

double seconds(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::vector<int32_t>> random_documents(const Predictor& predictor) {
  RandomStream random(3, "documents");
  std::vector<std::vector<int32_t>> documents(kDocuments, std::vector<int32_t>(kDocumentWords));
  for (auto& words : documents) {
    for (int32_t& word : words) word = static_cast<int32_t>(random.below(predictor.description().word_ids() - 2) + 2);
  }
  return documents;
}

using Documents = std::vector<Span<const int32_t>>;

std::vector<Answer> by_all_scores(const Predictor& predictor, const Documents& documents) {
  std::vector<Answer> answers;
  for (const auto& scores : predictor.scores(documents)) answers.push_back(AllScores(scores).best(kTopLabels, 2));
  return answers;
}

std::vector<Answer> by_best(const Predictor& predictor, const Documents& documents) {
  return predictor.predict(documents, {kTopLabels, {}});
}

using Way = std::vector<Answer> (*)(const Predictor&, const Documents&);

// Times and peak memory of one way, in a process of its own.
void measure(const std::string& path, const char* name, Way way) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) fail("{} failed", name);
    return;
  }
  const Predictor predictor{ModelFolder(path)};
  const std::vector<std::vector<int32_t>> words = random_documents(predictor);
  const Documents all(words.begin(), words.end()), one(all.begin(), all.begin() + 1);
  const double size = static_cast<double>(std::filesystem::file_size(ModelFolder(path).weights()));
  const double loaded = static_cast<double>(peak_resident_memory());
  std::string times;
  for (const int threads : {1, 2}) {
    set_threads(threads);
    double best = INFINITY;
    for (int round = 0; round < kRounds; ++round) best = std::min(best, seconds([&] { way(predictor, one); }));
    times += fmt::format(" {:.0f} ms on {} thread{},", 1e3 * best, threads, threads == 1 ? "" : "s");
  }
  const double after_one = static_cast<double>(peak_resident_memory());
  double best = INFINITY;
  for (int round = 0; round < 2; ++round) best = std::min(best, seconds([&] { way(predictor, all); }));
  fmt::print("{}: one document{} {} together {:.2f} s\n", name, times, kDocuments, best);
  fmt::print("  peak memory beyond the weights' {:.0f} MB: {:.0f} when loaded, {:.0f} after one, {:.0f} after {}\n",
             size * 1e-6, (loaded - size) * 1e-6, (after_one - size) * 1e-6,
             (static_cast<double>(peak_resident_memory()) - size) * 1e-6, kDocuments);
  std::fflush(stdout);
  _exit(0);
}

void compare(const std::string& path) {
  const Predictor predictor{ModelFolder(path)};
  const std::vector<std::vector<int32_t>> words = random_documents(predictor);
  const Documents documents(words.begin(), words.end());
  const auto all = by_all_scores(predictor, documents), best = by_best(predictor, documents);
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t l = 0; l < kTopLabels; ++l) {
      if (all[i][l].label != best[i][l].label || all[i][l].score != best[i][l].score) fail("answers differ");
    }
  }
  fmt::print("all {} answers are the same; scores of the first: {:.3g} to {:.3g}\n", all.size(), all[0][0].score,
             all[0].back().score);
}

}  // namespace
}  // namespace otseq2set

int main(int argc, char** argv) {
  using namespace otseq2set;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 2 && arguments[0] == "make") {
      make(arguments[1]);
    } else if (arguments.size() == 2 && arguments[0] == "run") {
      measure(arguments[1], "scores of all labels", by_all_scores);
      measure(arguments[1], "the best alone", by_best);
      compare(arguments[1]);
    } else {
      fmt::print(stderr, "error: give make FOLDER or run FOLDER\n");
      return 2;
    }
  } catch (const std::exception& failure) {
    fmt::print(stderr, "error: {}\n", failure.what());
    return 1;
  }
  return 0;
}
