// The examples of docs/formats.md are read as they stand there.
//
// An example is a comment and the fence behind it;
// the first file that a comment names is the fence's content:
//
//   <!-- example: pecos --data documents.txt --label-names labels.txt -->
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "otseq2set/core/files.h"
#include "support/documents.h"

namespace otseq2set {
namespace {

using Words = std::vector<std::string>;

struct Example {
  Words words;  // of the comment: the format, then options
  std::string content;
};

std::vector<Example> examples() {
  std::vector<Example> examples;
  std::istringstream lines(read_file(OTSEQ2SET_DOCS_DIR "/formats.md"));
  bool wanted = false, inside = false;
  for (std::string line; std::getline(lines, line);) {
    const std::string start = "<!-- example: ";
    if (line.rfind(start, 0) == 0) {
      std::istringstream words(line.substr(start.size(), line.rfind(" -->") - start.size()));
      examples.emplace_back();
      for (std::string word; words >> word;) examples.back().words.push_back(word);
      wanted = true;
    } else if (line.rfind("```", 0) == 0) {
      inside = wanted && !inside;
      if (!inside) wanted = false;
    } else if (inside) {
      examples.back().content += line + '\n';
    }
  }
  return examples;
}

DataFiles files_of(const TempFolder& folder, const Example& example) {
  std::map<std::string, std::string> files;
  for (size_t i = 1; i + 1 < example.words.size(); i += 2) {
    files[example.words[i]] = folder.path(example.words[i + 1]);
  }
  return {files["--data"], files["--labels"], files["--label-names"]};
}

TEST(DocsExamples, EveryFormatHasOneAndAllAreTheSameDocuments) {
  const std::vector<Example> all = examples();
  std::set<std::string> seen;
  for (const Example& example : all) {
    if (example.words.at(1) != "--data") continue;
    const std::string& format = example.words[0];
    SCOPED_TRACE(format);
    seen.insert(format);
    const TempFolder folder;
    for (const Example& file : all) {
      const bool shared = file.words.at(2) == "names.tsv";
      if (file.words[0] == format || shared) folder.write(file.words[2], file.content);
    }
    DataFiles files = files_of(folder, example);
    const bool labelled = format != "text";
    for (const std::optional<Format> forced : {std::optional<Format>(), std::optional(parse_format(format))}) {
      if (!forced && !labelled) continue;
      files.format = forced;
      const std::vector<Document> documents = read_documents(files, labelled);
      ASSERT_EQ(documents.size(), 2u);
      EXPECT_EQ(documents[0].error + documents[1].error, "");
      EXPECT_EQ(documents[0].text, "The council adopted a regulation on fishing quotas.");
      EXPECT_EQ(documents[0].labels, labelled ? (Words{"fish", "trade_policy"}) : Words{});
      EXPECT_EQ(documents[1].text, "Café, \"naïve\" 日本語: a document without labels is legal.");
      EXPECT_EQ(documents[1].labels, Words{});
      EXPECT_EQ(documents[0].id, documents[0].own_id ? "d1" : "1");
      if (format.rfind("annif", 0) == 0) {
        EXPECT_EQ(documents[0].label_names, (Words{"Fish", "Trade policy"}));
      }
    }
  }
  EXPECT_EQ(seen, std::set<std::string>(format_names().begin(), format_names().end()));
}

}  // namespace
}  // namespace otseq2set
