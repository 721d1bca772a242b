#include "otseq2set/corpus/corpus.h"

#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/corpus/corpus_builder.h"
#include "otseq2set/corpus/held_out.h"
#include "otseq2set/reading/document_chunks.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set::inline corpus {

namespace {

using WordIds = std::vector<int32_t>;

std::vector<WordIds> look_up_words(const DocumentChunks& chunk, const Tokenizer& tokenizer, const Vocabulary& words,
                                   size_t max_words) {
  std::vector<WordIds> ids(chunk.documents().size());
  parallel_for(static_cast<int64_t>(chunk.blocks()), [&](int64_t block) {
    chunk.for_each_in_block(static_cast<size_t>(block), [&](size_t i) {
      tokenizer.for_each_word(chunk.documents()[i].text, [&](std::string_view word, size_t, size_t) {
        if (ids[i].size() < max_words) ids[i].push_back(words.id(word));
      });
    });
  });
  return ids;
}

}  // namespace

Corpus read_training_corpus(const DataFiles& train, const std::optional<DataFiles>& valid,
                            const CorpusOptions& options) {
  CorpusBuilder builder(options);
  HeldOut held_out(valid || options.train_on_all ? 0 : options.valid_fraction, options.seed);
  const auto add = [&](const DataFiles& files) {
    DocumentChunks chunk(files);
    while (chunk.next()) builder.add(chunk, held_out.choose(chunk.documents().size()));
  };
  add(train);
  if (valid && options.train_on_all) add(*valid);
  Corpus corpus = builder.finish();
  if (corpus.labels.size() == 0) fail("{}: no document for training has a label", display_name(train.data));
  if (valid && !options.train_on_all) {
    const auto tokenizer = Tokenizer::make(options.tokenizer);
    corpus.valid = read_dataset(*valid, *tokenizer, corpus.words, corpus.labels, options.max_words);
  }
  return corpus;
}

Dataset read_dataset(const DataFiles& files, const Tokenizer& tokenizer, const Vocabulary& words,
                     const LabelVocabulary& labels, size_t max_words) {
  Dataset dataset(max_words, labels.size());
  DocumentChunks chunk(files);
  std::vector<int32_t> indexes;
  while (chunk.next()) {
    const std::vector<WordIds> ids = look_up_words(chunk, tokenizer, words, max_words);
    for (size_t i = 0; i < ids.size(); ++i) {
      indexes.clear();
      for (const std::string& name : chunk.documents()[i].labels) {
        const int32_t index = labels.index(name);
        indexes.push_back(index >= 0 ? index : dataset.unknown_label(name));
      }
      dataset.add(chunk.documents()[i].id, ids[i], indexes);
      dataset.warnings().add(chunk.documents()[i]);
    }
  }
  return dataset;
}

}  // namespace otseq2set::inline corpus
