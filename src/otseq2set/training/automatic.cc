#include "otseq2set/training/automatic.h"

#include <algorithm>

#include "otseq2set/core/threads.h"
#include "otseq2set/store/automatic_settings.h"
#include "otseq2set/text/label_words.h"
#include "otseq2set/text/word_vectors.h"
#include "otseq2set/training/tell.h"

namespace otseq2set::inline training {

namespace {

bool most_have_words(const LabelVocabulary& labels, const Tokenizer& tokenizer) {
  size_t with_words = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    with_words += !label_words(std::string(labels.display_name(static_cast<int32_t>(i))), tokenizer).empty();
  }
  return 2 * with_words > labels.size();
}

CorpusFigures figures_of(const Corpus& corpus, const Tokenizer& tokenizer) {
  CorpusFigures figures;
  figures.documents = corpus.train.size();
  figures.labels = corpus.labels.size();
  const auto& counts = corpus.labels.counts();
  figures.rare_labels = static_cast<uint64_t>(
      std::count_if(counts.begin(), counts.end(), [](uint64_t count) { return count < CorpusFigures::kRareBelow; }));
  for (size_t i = 0; i < corpus.train.size(); ++i) {
    ++figures.lengths[corpus.train.words(i).size()];
    ++figures.label_set_sizes[corpus.train.labels(i).size()];
  }
  figures.named_labels = most_have_words(corpus.labels, tokenizer);
  return figures;
}

}  // namespace

std::set<std::string> keys_of(const std::vector<std::string>& settings) {
  std::set<std::string> keys;
  for (const std::string& setting : settings) keys.insert(setting.substr(0, setting.find('=')));
  return keys;
}

Config before_reading(const TrainingOptions& options, bool refit) {
  Config config;
  config.linear.hybrid = keys_of(options.settings).count("variant") == 0;
  config.training.refit = refit;
  // The width is known now, and a file of vectors that cannot be read is told now.
  if (!options.vectors.empty()) {
    config.model.word_embedding = config.model.label_embedding =
        static_cast<int64_t>(vector_dimension(options.vectors));
  }
  return config;
}

Config chosen_settings(const TrainingOptions& options, const Corpus& corpus, Config config) {
  const auto tokenizer = Tokenizer::make(config.text.tokenizer);
  const CorpusFigures data = figures_of(corpus, *tokenizer);
  const Circumstances circumstances{options.hours, thread_count(),
                                    options.vectors.empty() ? 0 : config.model.word_embedding};
  const auto chosen = choose_settings(data, circumstances, keys_of(options.settings), config);
  check_consistency(config);
  tell(options, "settings for these documents, {} hours (--hours) and {} threads; to change one, give it with --set:",
       options.hours, thread_count());
  for (const std::string& line : to_lines(chosen)) tell(options, "{}", line);
  return config;
}

Config chosen_before(const TrainingOptions& options, const ModelFolder& folder, const Config& config) {
  Config before = load_description(folder).config;
  const std::set<std::string> given = keys_of(options.settings);
  for (const Field& field : fields()) {
    if (given.count(field.key) > 0) field.set(before, field.get(config));
  }
  before.training.refit = config.training.refit;
  return before;
}

}  // namespace otseq2set::inline training
