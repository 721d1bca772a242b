// The same documents in every format: read alike, packed or not, and back again byte by byte.
//
// What each format's file looks like is written down here once more, by plain means, so that readers and
// writers cannot agree on a mistake.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "otseq2set/core/files.h"
#include "otseq2set/core/random.h"
#include "otseq2set/corpus/corpus.h"
#include "otseq2set/writing/document_writer.h"
#include "support/packing.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

using Documents = std::vector<Document>;
using Files = std::map<std::string, std::string>;  // data, labels, names -> content

// What a format can hold beyond plain words.
struct Holds {
  bool ids = false, spaces = false, names = false, line_breaks = false, tabs = false;
};

struct FormatCase {
  const char* name;
  Format format;
  Holds holds;
  std::function<Files(const Documents&)> files;
};
void PrintTo(const FormatCase& test, std::ostream* out) { *out << test.name; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = replaced(replaced(text, "\\", "\\\\"), "\"", "\\\"");
  return "\"" + replaced(replaced(replaced(out, "\n", "\\n"), "\t", "\\t"), "\r", "\\r") + "\"";
}

std::string joined(const std::vector<std::string>& parts, const std::string& separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? separator : "") + parts[i];
  return text;
}

std::vector<std::string> each(std::vector<std::string> labels, const std::string& before, const std::string& behind) {
  for (std::string& label : labels) label = before + label + behind;
  return labels;
}

// Numbers by first appearance.
struct Numbering {
  std::vector<std::string> names;
  std::vector<std::string> numbers(const Document& document) {
    std::vector<std::string> numbers;
    for (const std::string& label : document.labels) {
      const auto found = std::find(names.begin(), names.end(), label);
      numbers.push_back(std::to_string(found - names.begin()));
      if (found == names.end()) names.push_back(label);
    }
    return numbers;
  }
};

Files jsonl(const Documents& documents) {
  std::string data;
  for (const Document& document : documents) {
    std::vector<std::string> labels;
    for (const std::string& label : document.labels) labels.push_back(quoted(label));
    data += document.own_id ? "{\"id\":" + quoted(document.id) + "," : "{";
    data += "\"text\":" + quoted(document.text) + ",\"labels\":[" + joined(labels, ",") + "]}\n";
  }
  return {{"data", data}};
}

Files annif_jsonl(const Documents& documents) {
  std::string data;
  for (const Document& document : documents) {
    std::vector<std::string> subjects;
    for (size_t i = 0; i < document.labels.size(); ++i) {
      subjects.push_back("{\"uri\":" + quoted(document.labels[i]));
      if (!document.label_names.empty()) subjects.back() += ",\"label\":" + quoted(document.label_names[i]);
      subjects.back() += "}";
    }
    data += document.own_id ? "{\"document_id\":" + quoted(document.id) + "," : "{";
    data += "\"text\":" + quoted(document.text) + ",\"subjects\":[" + joined(subjects, ",") + "]}\n";
  }
  return {{"data", data}};
}

Files annif_tsv(const Documents& documents) {
  std::string data;
  for (const Document& document : documents) {
    data += document.text + '\t' + joined(each(document.labels, "<", ">"), " ") + '\n';
  }
  return {{"data", data}};
}

Files annif_csv(const Documents& documents) {
  std::string data = documents[0].own_id ? "text,subject_uris,document_id\n" : "text,subject_uris\n";
  const auto field = [](const std::string& text) {
    return text.find_first_of(",\"\n\r") == std::string::npos ? text : '"' + replaced(text, "\"", "\"\"") + '"';
  };
  for (const Document& document : documents) {
    data += field(document.text) + ',' + field(joined(each(document.labels, "<", ">"), " "));
    data += (document.own_id ? ',' + field(document.id) : "") + '\n';
  }
  return {{"data", data}};
}

Files fasttext(const Documents& documents) {
  std::string data;
  for (const Document& document : documents) {
    data += joined(each(document.labels, "__label__", " "), "") + document.text + '\n';
  }
  return {{"data", data}};
}

Files libmultilabel(const Documents& documents) {
  std::string data;
  for (const Document& document : documents) {
    data += (document.own_id ? document.id + '\t' : "") + joined(document.labels, " ") + '\t' + document.text + '\n';
  }
  return {{"data", data}};
}

Files pecos(const Documents& documents) {
  Numbering numbering;
  std::string data;
  for (const Document& document : documents) {
    data += joined(numbering.numbers(document), ",") + '\t' + document.text + '\n';
  }
  return {{"data", data}, {"names", joined(each(numbering.names, "", "\n"), "")}};
}

Files attentionxml(const Documents& documents) {
  std::string data, labels;
  for (const Document& document : documents) {
    data += document.text + '\n';
    labels += joined(document.labels, " ") + '\n';
  }
  return {{"data", data}, {"labels", labels}};
}

Files attentionxml_numbers(const Documents& documents) {
  Numbering numbering;
  std::string data, labels;
  for (const Document& document : documents) {
    data += document.text + '\n';
    labels += joined(numbering.numbers(document), " ") + '\n';
  }
  return {{"data", data}, {"labels", labels}, {"names", joined(each(numbering.names, "", "\n"), "")}};
}

const FormatCase kFormats[] = {
    {"jsonl", Format::kJsonl, {true, true, false, true, true}, jsonl},
    {"annif_jsonl", Format::kAnnifJsonl, {true, true, true, true, true}, annif_jsonl},
    {"annif_tsv", Format::kAnnifTsv, {false, false, false, false, false}, annif_tsv},
    {"annif_csv", Format::kAnnifCsv, {true, false, false, true, true}, annif_csv},
    {"fasttext", Format::kFastText, {false, false, false, false, true}, fasttext},
    {"libmultilabel", Format::kLibMultiLabel, {true, false, false, false, false}, libmultilabel},
    {"pecos", Format::kPecos, {false, true, false, false, true}, pecos},
    {"attentionxml", Format::kAttentionXml, {false, false, false, false, true}, attentionxml},
    {"attentionxml_numbers", Format::kAttentionXml, {false, true, false, false, true}, attentionxml_numbers},
};

// Fifty documents with everything that the format can hold.
Documents make_documents(const Holds& holds) {
  const std::vector<std::string> words = {"fishing", "quotas", "\"quoted\"", "a,b",     "back\\slash", "日本語",
                                          "ภาษาไทย", "Größe",  "😀",          "x_y",     "{brace}",     "<tag>",
                                          "12:30",   "it's",   "5",          "http://", "naïve",       "::"};
  const std::vector<std::string> labels = {"fish", "trade policy", "été",    "環境 政策", "E11",        "x:y",
                                           "a,b",  "label 7",      "<angle", "q\"uote",   "http://a/b", "c++"};
  RandomStream random(3, "documents");
  Documents documents(50);
  for (size_t i = 0; i < documents.size(); ++i) {
    Document& document = documents[i];
    document.own_id = holds.ids;
    document.id = (holds.ids ? "d" : "") + std::to_string(i + 1);
    for (size_t word = 0; word < 3 + i % 20; ++word) {
      const char* separators[] = {" ", "  ", holds.line_breaks ? "\n" : " ", holds.tabs ? "\t" : " ",
                                  holds.line_breaks ? "\r\n" : ", "};
      if (word > 0) document.text += separators[random.below(5)];
      document.text += words[random.below(words.size())];
    }
    if (i % 10 == 3) continue;  // without labels
    const size_t first = random.below(labels.size());
    for (size_t k = 0; k < 1 + i % 4; ++k) {
      const std::string& label = labels[(first + 5 * k) % labels.size()];
      document.labels.push_back(holds.spaces ? label : replaced(label, " ", "_"));
      if (holds.names) document.label_names.push_back("The name of " + label);
    }
  }
  return documents;
}

DataFiles write(const TempFolder& folder, const Files& files, std::string (*pack)(std::string_view)) {
  const auto path = [&](const char* part) {
    return files.count(part) == 0 ? "" : folder.write(part, pack(files.at(part)));
  };
  return {path("data"), path("labels"), path("names")};
}

std::string plain(std::string_view bytes) { return std::string(bytes); }
// With a byte-order mark and CRLF, as some editors save a file.
std::string windows(std::string_view bytes) { return "\xef\xbb\xbf" + replaced(std::string(bytes), "\n", "\r\n"); }

constexpr struct {
  const char* name;
  std::string (*pack)(std::string_view);
} kPackings[] = {{"plain", plain}, {"gzip", gzip}, {"zstd", zstd}, {"xz", xz}, {"windows", windows}};

Documents read(const DataFiles& files) {
  Documents documents;
  const auto reader = open_documents(files, true);
  for (Document document; reader->next(document);) documents.push_back(document);
  return documents;
}

void expect_equal(const Documents& read, const Documents& expected) {
  ASSERT_EQ(read.size(), expected.size());
  for (size_t i = 0; i < read.size(); ++i) {
    ASSERT_EQ(read[i].error, "");
    EXPECT_EQ(read[i].id, expected[i].id);
    EXPECT_EQ(read[i].own_id, expected[i].own_id);
    EXPECT_EQ(read[i].text, expected[i].text);
    EXPECT_EQ(read[i].labels, expected[i].labels);
    EXPECT_EQ(read[i].label_names, expected[i].label_names);
  }
}

class Formats : public testing::TestWithParam<FormatCase> {
 protected:
  // Writes into files of its own and returns their content.
  Files convert(const DataFiles& from, Format to, bool labels, bool names) const {
    const TempFolder folder;
    const OutputFiles out = {folder.path("data"), labels ? folder.path("labels") : "",
                             names ? folder.path("names") : ""};
    const auto writer = DocumentWriter::open(out, to);
    for (const Document& document : read(from)) writer->write(document);
    writer->finish();
    for (size_t i = 0; i < static_cast<size_t>(Loss::kCount); ++i) {
      EXPECT_EQ(writer->lost(static_cast<Loss>(i)), 0u) << describe(static_cast<Loss>(i), 1);
    }
    Files files = {{"data", read_file(out.data)}};
    if (labels) files["labels"] = read_file(out.labels);
    if (names) files["names"] = read_file(out.label_names);
    return files;
  }
  const TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(All, Formats, testing::ValuesIn(kFormats), [](const auto& info) { return info.param.name; });

TEST_P(Formats, AreRecognisedAndReadWhatTheyCanHold) {
  const Documents documents = make_documents(GetParam().holds);
  const Files files = GetParam().files(documents);
  for (const auto& packing : kPackings) {
    if (packing.pack == windows && GetParam().holds.line_breaks) continue;  // LF and CRLF in texts are kept
    SCOPED_TRACE(packing.name);
    DataFiles data = write(folder_, files, packing.pack);
    expect_equal(read(data), documents);
    data.format = GetParam().format;
    expect_equal(read(data), documents);
  }
}

// Ids are left out, and labels are single words: this much every format holds.
TEST_P(Formats, GiveTheSameDataset) {
  const Documents documents = make_documents({});
  CorpusOptions options;
  options.valid_fraction = 0.1;
  const auto corpus_of = [&](const Files& files, std::string (*pack)(std::string_view)) {
    return read_training_corpus(write(folder_, files, pack), std::nullopt, options);
  };
  const Corpus expected = corpus_of(jsonl(documents), plain);
  ASSERT_EQ(expected.train.size(), 45u);
  for (const auto& packing : kPackings) {
    SCOPED_TRACE(packing.name);
    const Corpus corpus = corpus_of(GetParam().files(documents), packing.pack);
    EXPECT_EQ(corpus.train.fingerprint(), expected.train.fingerprint());
    EXPECT_EQ(corpus.valid.fingerprint(), expected.valid.fingerprint());
    ASSERT_EQ(corpus.labels.size(), expected.labels.size());
    for (int32_t i = 0; i < static_cast<int32_t>(corpus.labels.size()); ++i) {
      EXPECT_EQ(corpus.labels.name(i), expected.labels.name(i));
    }
  }
}

// To each other format that holds as much, and back.
TEST_P(Formats, RoundTripGivesTheSameBytes) {
  for (const FormatCase& other : kFormats) {
    SCOPED_TRACE(other.name);
    const Holds a = GetParam().holds, b = other.holds;
    const Documents documents = make_documents(
        {a.ids && b.ids, a.spaces && b.spaces, a.names && b.names, a.line_breaks && b.line_breaks, a.tabs && b.tabs});
    const Files files = GetParam().files(documents), other_files = other.files(documents);
    const TempFolder there, back;
    const Files converted = convert(write(there, files, plain), other.format, other_files.count("labels") > 0,
                                    other_files.count("names") > 0);
    EXPECT_EQ(converted, other_files);
    EXPECT_EQ(
        convert(write(back, converted, plain), GetParam().format, files.count("labels") > 0, files.count("names") > 0),
        files);
  }
}

}  // namespace
}  // namespace otseq2set
