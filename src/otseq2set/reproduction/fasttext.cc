#include "otseq2set/reproduction/fasttext.h"

#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/child_process.h"
#include "otseq2set/core/error.h"
#include "otseq2set/reproduction/kept_predictions.h"
#include "otseq2set/reproduction/peer.h"

namespace otseq2set::inline reproduction {

namespace {

constexpr const char* kProgram = "fasttext";
constexpr size_t kRanked = 100;  // labels of a document that it is asked for

// Labels by number: names may hold spaces.
void write_texts(const std::string& path, const Dataset& data, const Vocabulary& words, bool with_labels) {
  AtomicFile file(path);
  for (size_t i = 0; i < data.size(); ++i) {
    std::string line;
    if (with_labels) {
      for (const int32_t label : data.labels(i)) line += fmt::format("__label__{} ", label);
    }
    for (const int32_t word : data.words(i)) {
      line += words.word(word);
      line += ' ';
    }
    file.write(line + "\n");
  }
  file.commit();
}

class FastText {
 public:
  explicit FastText(const FastTextOptions& options) : options_(options) {}

  std::string path(const std::string& name) const { return options_.folder + "/" + name; }

  void run(const std::vector<std::string>& arguments, const std::string& output = "") const {
    const auto raised = [](const std::atomic<bool>* flag) { return flag != nullptr && *flag; };
    std::vector<std::string> words = {kProgram};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const int code = run_child(words, {.output = output,
                                       .quiet = true,
                                       .stop = [&] { return raised(options_.stop); },
                                       .abort = [&] { return raised(options_.lost); }});
    if (code != 0) fail("{} {} ended with code {}", kProgram, arguments[0], code);
  }

  // The labels of `data`, whose texts are in a file.
  Rankings rank(const std::string& texts, const LabelVocabulary& numbers, Dataset data) const {
    const std::string output = path(texts + ".predicted");
    run({"predict-prob", path("model.bin"), path(texts), std::to_string(kRanked), "0.001"}, output);
    return read_rankings(output, numbers, "", data);
  }

 private:
  FastTextOptions options_;
};

// Labels whose names are their indexes.
LabelVocabulary numbered(size_t labels) {
  std::vector<std::pair<std::string, uint64_t>> counts;
  // Falling counts keep the order.
  for (size_t i = 0; i < labels; ++i) counts.emplace_back(std::to_string(i), labels - i);
  return LabelVocabulary::from_counts(counts);
}

}  // namespace

bool fasttext_is_installed() { return on_path(kProgram); }

RunResult run_fasttext(const Corpus& corpus, const Dataset& test, const FastTextOptions& options) {
  const FastText fasttext(options);
  write_texts(fasttext.path("train.txt"), corpus.train, corpus.words, /*with_labels=*/true);
  write_texts(fasttext.path("valid.txt"), corpus.valid, corpus.words, /*with_labels=*/false);
  write_texts(fasttext.path("test.txt"), test, corpus.words, /*with_labels=*/false);
  const std::vector<std::string> settings = {"-loss", "ova", "-wordNgrams", "2",    "-epoch",
                                             "25",    "-lr", "0.5",         "-dim", "100"};
  std::vector<std::string> arguments = {"supervised", "-input", fasttext.path("train.txt"), "-output",
                                        fasttext.path("model")};
  arguments.insert(arguments.end(), settings.begin(), settings.end());
  arguments.insert(arguments.end(),
                   {"-thread", std::to_string(options.threads), "-seed", std::to_string(options.seed)});
  const auto start = std::chrono::steady_clock::now();
  fasttext.run(arguments);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const LabelVocabulary numbers = numbered(corpus.labels.size());
  const Rankings on_test = fasttext.rank("test.txt", numbers, test);
  const Rankings on_valid = fasttext.rank("valid.txt", numbers, corpus.valid);
  for (const char* file :
       {"model.bin", "model.vec", "train.txt", "valid.txt", "test.txt", "test.txt.predicted", "valid.txt.predicted"}) {
    std::filesystem::remove(fasttext.path(file));  // nearly a gigabyte; the predictions are kept under their names
  }
  KeptPredictions answers(options.predictions, test, corpus.labels);
  for (size_t i = 0; i < test.size(); ++i) answers.write(i, on_test[i]);
  answers.commit();
  std::optional<RankedDocuments> valid;
  if (corpus.valid.size() > 0) valid.emplace(RankedDocuments{corpus.valid, on_valid});
  RunResult run = measure_peer({test, on_test}, valid, corpus, options.evaluation);
  run.seed = options.seed;
  run.training_seconds = seconds;
  run.config = {{"fasttext", fmt::format("{}", fmt::join(settings, " "))}};
  return run;
}

}  // namespace otseq2set::inline reproduction
