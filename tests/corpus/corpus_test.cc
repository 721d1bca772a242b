#include "otseq2set/corpus/corpus.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/core/random.h"
#include "otseq2set/core/threads.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

using Strings = std::vector<std::string>;

// A document's words and labels as strings again.
Strings words_of(const Dataset& dataset, const Vocabulary& vocabulary, size_t i) {
  Strings words;
  for (const int32_t id : dataset.words(i)) words.emplace_back(vocabulary.word(id));
  return words;
}

Strings labels_of(const Dataset& dataset, const LabelVocabulary& labels, size_t i) {
  Strings names;
  for (const int32_t label : dataset.labels(i)) {
    const size_t known = labels.size();
    const auto index = static_cast<size_t>(label);
    names.emplace_back(index < known ? labels.name(label) : dataset.unknown_label_name(index - known));
  }
  return names;
}

std::string text_of(const Vocabulary& vocabulary) {
  std::ostringstream out;
  vocabulary.save(out);
  return out.str();
}

std::string text_of(const LabelVocabulary& labels) {
  std::ostringstream out;
  labels.save(out);
  return out.str();
}

// Documents of random words w0, w1, ... and labels l0, l1, ..., small numbers being frequent.
std::string random_jsonl(size_t count) {
  RandomStream random(1, "corpus_test");
  const auto draw = [&](size_t most) { return std::to_string(random.below(1 + random.below(most))); };
  std::string lines;
  for (size_t i = 0; i < count; ++i) {
    lines += "{\"id\":" + std::to_string(i) + ",\"text\":\"start";
    for (uint64_t words = random.below(60); words > 0; --words) lines += " W" + draw(800);
    lines += "\",\"labels\":[\"l" + draw(100) + "\"";
    for (uint64_t labels = random.below(4); labels > 0; --labels) lines += ",\"l" + draw(100) + "\"";
    lines += "]}\n";
  }
  return lines;
}

class CorpusTest : public testing::Test {
 protected:
  ~CorpusTest() override { set_threads(0); }

  DataFiles file(std::string_view content, const std::string& name = "data.jsonl") {
    return {folder_.write(name, content), "", ""};
  }

  std::string error(std::string_view content) {
    const DataFiles files = file(content);
    const std::string message = message_of<Error>([&] { read_training_corpus(files, {}, {}); });
    return message.rfind(folder_.path(""), 0) == 0 ? message.substr(folder_.path("").size()) : message;
  }

  TempFolder folder_;
};

TEST_F(CorpusTest, SmallExample) {
  CorpusOptions options;
  options.max_words = 4;
  options.min_count = 2;
  const Corpus corpus = read_training_corpus(
      file("{\"id\":\"x\",\"text\":\"Fish eat fish. Cats eat fish, too\",\"labels\":[\"animals\",\"food\"]}\n"
           "{\"text\":\"The cats!\",\"labels\":[\"pets\",\"animals\"]}\n"
           "{\"text\":\"...\",\"labels\":[]}\n"),
      {}, options);
  EXPECT_EQ(text_of(corpus.words), "fish\ncats\neat\n");  // all seven words of the first text are counted
  EXPECT_EQ(text_of(corpus.labels),
            "{\"label\":\"animals\",\"count\":2}\n{\"label\":\"food\",\"count\":1}\n{\"label\":\"pets\","
            "\"count\":1}\n");
  ASSERT_EQ(corpus.train.size(), 3u);
  EXPECT_EQ(words_of(corpus.train, corpus.words, 0), (Strings{"fish", "eat", "fish", "cats"}));
  EXPECT_EQ(words_of(corpus.train, corpus.words, 1), (Strings{"<unknown>", "cats"}));
  EXPECT_EQ(words_of(corpus.train, corpus.words, 2), Strings{});
  EXPECT_EQ(labels_of(corpus.train, corpus.labels, 1), (Strings{"pets", "animals"}));
  EXPECT_EQ(labels_of(corpus.train, corpus.labels, 2), Strings{});
  EXPECT_EQ(corpus.train.id(0), "x");
  EXPECT_EQ(corpus.train.id(1), "2");
  EXPECT_EQ(corpus.train.known_labels(), 3u);
  EXPECT_EQ(corpus.valid.size(), 0u);
  EXPECT_EQ(corpus.words_read, 9u);
  EXPECT_EQ(corpus.words_known, 7u);
  EXPECT_EQ(corpus.documents_cut, 1u);
}

TEST_F(CorpusTest, FileForValidationAddsNothingToTheVocabularies) {
  CorpusOptions options;
  options.valid_fraction = 0.5;  // of no effect
  const Corpus corpus = read_training_corpus(
      file("{\"text\":\"a b\",\"labels\":[\"x\"]}\n{\"text\":\"a\",\"labels\":[\"x\",\"y\"]}\n"),
      file("{\"text\":\"b z\",\"labels\":[\"new\",\"y\"]}\n{\"text\":\"a\",\"labels\":[\"newer\",\"new\"]}\n",
           "valid.jsonl"),
      options);
  EXPECT_EQ(corpus.train.size(), 2u);
  EXPECT_EQ(text_of(corpus.words), "a\nb\n");
  EXPECT_EQ(corpus.labels.size(), 2u);
  ASSERT_EQ(corpus.valid.size(), 2u);
  EXPECT_EQ(words_of(corpus.valid, corpus.words, 0), (Strings{"b", "<unknown>"}));
  EXPECT_EQ(labels_of(corpus.valid, corpus.labels, 0), (Strings{"new", "y"}));
  EXPECT_EQ(labels_of(corpus.valid, corpus.labels, 1), (Strings{"newer", "new"}));
  EXPECT_EQ(corpus.valid.labels(0)[0], 2);
  EXPECT_EQ(corpus.valid.labels(1)[0], 3);
  EXPECT_EQ(corpus.valid.unknown_labels(), 2u);
}

TEST_F(CorpusTest, DisplayNamesWhateverTheOrderOfTheDocuments) {
  const std::string one = R"({"text":"a","subjects":[{"uri":"u","label":"Yew"},{"uri":"v"}]})"
                          "\n";
  const std::string other = R"({"text":"b","subjects":[{"uri":"u","label":"Ewe"},{"uri":"u"}]})"
                            "\n";
  for (const std::string& content : {one + other, other + one}) {
    const Corpus corpus = read_training_corpus(file(content), {}, {});
    EXPECT_EQ(text_of(corpus.labels),
              "{\"label\":\"u\",\"name\":\"Ewe\",\"count\":2}\n{\"label\":\"v\",\"count\":1}\n");
  }
}

// Counts words and labels again from the documents of the training part, the plain way.
TEST_F(CorpusTest, HeldOutPartIsNotCounted) {
  const DataFiles files = file(random_jsonl(3000));
  CorpusOptions options;
  options.valid_fraction = 0.2;
  const Corpus corpus = read_training_corpus(files, {}, options);
  ASSERT_EQ(corpus.train.size(), 2400u);
  ASSERT_EQ(corpus.valid.size(), 600u);

  std::set<std::string> training_ids;
  for (size_t i = 0; i < corpus.train.size(); ++i) training_ids.emplace(corpus.train.id(i));
  for (size_t i = 0; i < corpus.valid.size(); ++i) ASSERT_EQ(training_ids.count(std::string(corpus.valid.id(i))), 0u);

  const auto tokenizer = Tokenizer::make("icu");
  std::map<std::string, uint64_t> words, labels;
  std::vector<Token> tokens;
  const auto reader = open_documents(files, true);
  for (Document document; reader->next(document);) {
    if (!training_ids.count(document.id)) continue;
    tokenizer->tokenize(document.text, tokens);
    for (const Token& token : tokens) ++words[token.text];
    for (const std::string& label : document.labels) ++labels[label];
  }
  EXPECT_EQ(text_of(corpus.words), text_of(Vocabulary::from_counts({words.begin(), words.end()}, 50000, 1)));
  EXPECT_EQ(text_of(corpus.labels), text_of(LabelVocabulary::from_counts({labels.begin(), labels.end()})));
}

TEST_F(CorpusTest, DocumentsComeBackWordByWord) {
  const DataFiles files = file(random_jsonl(2500));
  CorpusOptions options;
  options.max_words = 30;
  const Corpus corpus = read_training_corpus(files, {}, options);
  const auto tokenizer = Tokenizer::make("icu");
  const Dataset again = read_dataset(files, *tokenizer, corpus.words, corpus.labels, 30);
  EXPECT_EQ(again.fingerprint(), corpus.train.fingerprint());
  const auto reader = open_documents(files, true);
  std::vector<Token> tokens;
  Document document;
  for (size_t i = 0; reader->next(document); ++i) {
    tokenizer->tokenize(document.text, tokens);
    Strings words;
    for (size_t t = 0; t < tokens.size() && t < 30; ++t) words.push_back(tokens[t].text);
    ASSERT_EQ(words_of(corpus.train, corpus.words, i), words);
    ASSERT_EQ(labels_of(corpus.train, corpus.labels, i), document.labels);
    ASSERT_EQ(corpus.train.id(i), document.id);
  }
}

TEST_F(CorpusTest, SameWithAnyNumberOfThreads) {
  const DataFiles files = file(random_jsonl(3000));
  CorpusOptions options;
  options.valid_fraction = 0.1;
  options.vocabulary = 300;
  options.max_words = 20;
  set_threads(1);
  const Corpus one = read_training_corpus(files, {}, options);
  for (const int threads : {2, 5}) {
    set_threads(threads);
    const Corpus many = read_training_corpus(files, {}, options);
    EXPECT_EQ(text_of(many.words), text_of(one.words));
    EXPECT_EQ(text_of(many.labels), text_of(one.labels));
    EXPECT_EQ(many.train.fingerprint(), one.train.fingerprint());
    EXPECT_EQ(many.valid.fingerprint(), one.valid.fingerprint());
    EXPECT_EQ(many.words_read, one.words_read);
  }
}

TEST_F(CorpusTest, SeedChoosesWhatIsHeldOut) {
  const DataFiles files = file(random_jsonl(200));
  CorpusOptions options;
  options.valid_fraction = 0.1;
  const uint64_t first = read_training_corpus(files, {}, options).valid.fingerprint();
  EXPECT_EQ(read_training_corpus(files, {}, options).valid.fingerprint(), first);
  options.seed = 2;
  EXPECT_NE(read_training_corpus(files, {}, options).valid.fingerprint(), first);
}

TEST_F(CorpusTest, Errors) {
  EXPECT_EQ(error(""), "data.jsonl: no documents");
  EXPECT_EQ(error("\n\n"), "data.jsonl: no documents");
  EXPECT_EQ(error("{\"text\":\"a\",\"labels\":[]}\n"), "data.jsonl: no document for training has a label");
  EXPECT_EQ(error("{\"text\":\"a\",\"labels\":[\"x\"]}\n\n{\"text\":\"\",\"labels\":[]}\n{oops\n"),
            "data.jsonl:3: the document has no text (\"text\" is empty)");
}

TEST_F(CorpusTest, ErrorBehindTheFirstChunk) {
  const std::string message = error(random_jsonl(1024) + "{\"text\":\"a\"}\n");
  EXPECT_EQ(message.rfind("data.jsonl:1025: \"labels\" is missing", 0), 0u) << message;
}

}  // namespace
}  // namespace otseq2set
