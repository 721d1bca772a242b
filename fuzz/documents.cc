// Every reader of documents, and what is done with a document first: it is split into words.
#include <set>

#include "fuzz.h"
#include "otseq2set/data/document_reader.h"
#include "otseq2set/text/tokenizer.h"

namespace otseq2set::fuzz {

namespace {

// One line a format: how its files are passed. The first byte of the input chooses.
constexpr DataFiles (*kFormats[])(const std::string& a, const std::string& b, const std::string& c) = {
    [](const auto& a, const auto&, const auto&) {
      return DataFiles{a, "", ""};
    },  // JSON lines
    [](const auto& a, const auto& b, const auto&) {
      return DataFiles{a, b, ""};
    },  // texts and labels
    [](const auto& a, const auto& b, const auto& c) {
      return DataFiles{a, b, c};
    },  // with label names
};

void check(const Document& document) {
  require(!document.place.empty());
  require(std::set<std::string>(document.labels.begin(), document.labels.end()).size() ==
              document.labels.size() ||
          !document.error.empty());
  static const auto kTokenizer = Tokenizer::make("icu");
  kTokenizer->for_each_word(document.text, [&](std::string_view word, size_t begin, size_t end) {
    require(!word.empty() && begin < end && end <= document.text.size());
  });
}

}  // namespace

void run(std::string_view input) {
  const unsigned choice = take_byte(input);
  const auto parts = split(input, 3);
  const MemoryFile a(parts[0]), b(parts[1]), c(parts[2]);
  const DataFiles files = kFormats[choice / 2 % std::size(kFormats)](a.path(), b.path(), c.path());
  const auto reader = open_documents(files, choice % 2 == 0);
  for (Document document; reader->next(document);) check(document);
}

}  // namespace otseq2set::fuzz
