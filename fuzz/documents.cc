// Every reader of documents, and what is done with a document first: it is split into words.
#include <optional>
#include <set>

#include "fuzz.h"
#include "otseq2set/reading/document_reader.h"
#include "otseq2set/text/tokenizer.h"

namespace otseq2set::fuzz {

namespace {

// Detected, or one of them forced.
constexpr std::optional<Format> kFormats[] = {
    std::nullopt,      Format::kJsonl,         Format::kAnnifJsonl, Format::kAnnifTsv,     Format::kAnnifCsv,
    Format::kFastText, Format::kLibMultiLabel, Format::kPecos,      Format::kAttentionXml, Format::kText};

void check(const Document& document) {
  require(!document.place.empty());
  require(std::set<std::string>(document.labels.begin(), document.labels.end()).size() == document.labels.size() ||
          !document.error.empty());
  static const auto kTokenizer = Tokenizer::make("icu");
  kTokenizer->for_each_word(document.text, [&](std::string_view word, size_t begin, size_t end) {
    require(!word.empty() && begin < end && end <= document.text.size());
  });
}

}  // namespace

// The first byte says how files are passed, the second which format; then up to three files.
void run(std::string_view input) {
  const unsigned how = take_byte(input), format = take_byte(input);
  const auto parts = split(input, 3);
  const MemoryFile data(parts[0]), labels(parts[1]), names(parts[2]);
  DataFiles files{data.path(), "", "", kFormats[format % std::size(kFormats)]};
  if (how % 2 == 1) files.labels = labels.path();
  if (how / 2 % 2 == 1) files.label_names = names.path();
  const auto reader = open_documents(files, /*need_labels=*/how / 4 % 2 == 0);
  for (Document document; reader->next(document);) check(document);
}

}  // namespace otseq2set::fuzz
