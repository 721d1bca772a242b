#include "otseq2set/data/format_detection.h"

#include <simdjson.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/data/annif_csv_reader.h"
#include "otseq2set/data/bag_of_words.h"
#include "otseq2set/data/fasttext_reader.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set {

namespace {

constexpr size_t kLines = 32;                      // are looked at,
constexpr size_t kBytes = size_t{256} << 10;       // at most so much of them,
constexpr size_t kLongestLine = size_t{16} << 20;  // but of the first line so much

using Lines = std::vector<std::string_view>;

// The beginning of the file. How much more a pipe has offered by now must not matter.
std::string_view look_ahead(LineReader& reader, size_t count) {
  std::string_view ahead = reader.peek(count, kBytes);
  if (ahead.substr(0, kBytes).find('\n') != std::string_view::npos) return ahead.substr(0, kBytes);
  ahead = reader.peek(1, kLongestLine).substr(0, kLongestLine);
  return ahead.substr(0, ahead.find('\n'));
}

// Those of the next lines that are not blank.
Lines lines_ahead(LineReader& reader, size_t count) {
  std::string_view ahead = look_ahead(reader, count);
  Lines lines;
  for (size_t i = 0; i < count && !ahead.empty(); ++i) {
    const size_t end = std::min(ahead.find('\n'), ahead.size());
    std::string_view line = ahead.substr(0, end);
    ahead.remove_prefix(std::min(end + 1, ahead.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!is_blank(line)) lines.push_back(line);
  }
  return lines;
}

std::string_view without_spaces_before(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

// {"key... or {} or { alone; a text may begin with a brace, but hardly with these.
bool starts_like_object(std::string_view line) {
  line = without_spaces_before(line);
  if (line.empty() || line.front() != '{') return false;
  line = without_spaces_before(line.substr(1));
  return line.empty() || line.front() == '"' || line.front() == '}';
}

bool starts_like_json(std::string_view line) {
  line = without_spaces_before(line);
  return !line.empty() && (line.front() == '{' || line.front() == '[');
}

// Ours has "labels", Annif's "subjects"; with neither, the id's key tells. What does not parse may be the
// beginning of a long line.
Format kind_of_json(std::string_view line) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const bool parsed = parser.parse(simdjson::padded_string(line)).get(root) == simdjson::SUCCESS;
  const auto has = [&](const char* key) {
    return parsed ? root[key].error() == simdjson::SUCCESS
                  : line.find(fmt::format("\"{}\":", key)) != std::string_view::npos;
  };
  if (has("labels") || has("id")) return Format::kJsonl;
  return has("subjects") || has("document_id") ? Format::kAnnifJsonl : Format::kJsonl;
}

bool is_csv_header(std::string_view line) {
  CsvRecord record;
  if (!record.add_line(line, "\n")) return false;
  const AnnifColumns columns(record);
  return columns.text && (columns.uris || columns.id);
}

bool is_uri(std::string_view token) {
  if (token.size() > 2 && token.front() == '<' && token.back() == '>') return true;
  const size_t colon = token.find("://");
  if (colon == std::string_view::npos || colon == 0) return token.substr(0, 4) == "urn:";
  return std::all_of(token.begin(), token.begin() + static_cast<int64_t>(colon),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

bool is_list_of_uris(std::string_view column) {
  bool any = false;
  for (;;) {
    column.remove_prefix(std::min(column.find_first_not_of(" \t"), column.size()));
    if (column.empty()) return any;
    const std::string_view token = column.substr(0, column.find_first_of(" \t"));
    if (!is_uri(token)) return false;
    any = true;
    column.remove_prefix(token.size());
  }
}

// 0,1,2 or 0::0.1,1::0.2
bool is_pecos_labels(std::string_view column) {
  if (column.empty() || std::isdigit(static_cast<unsigned char>(column.front())) == 0) return false;
  return column.find_first_not_of("0123456789,:.eE+-") == std::string_view::npos;
}

// What the lines with a tab have in common.
struct Tabs {
  size_t lines = 0;
  size_t uris = 0;            // nothing but URIs behind the first tab
  size_t not_uris = 0;        // something else
  size_t numbers = 0;         // nothing but label numbers before it
  size_t not_numbers = 0;     // something else
  size_t three_columns = 0;   // exactly
  bool number_lists = false;  // a comma or a relevance among the numbers

  explicit Tabs(const Lines& all) {
    for (std::string_view line : all) {
      const size_t tab = line.find('\t');
      if (tab == std::string_view::npos) continue;
      const std::string_view before = line.substr(0, tab), behind = line.substr(tab + 1);
      ++lines;
      if (!is_blank(behind)) ++(is_list_of_uris(behind) ? uris : not_uris);
      if (!is_blank(before)) ++(is_pecos_labels(before) ? numbers : not_numbers);
      three_columns += std::count(line.begin(), line.end(), '\t') == 2;
      number_lists = number_lists || (is_pecos_labels(before) && before.find_first_of(",:") != before.npos);
    }
  }
};

Format kind_of_table(const LineReader& lines, const Tabs& tabs, const DataFiles& files, bool need_labels) {
  if (tabs.uris > tabs.not_uris) return Format::kAnnifTsv;
  if (tabs.numbers == 0 || tabs.not_numbers > 0) return Format::kLibMultiLabel;
  if (!files.label_names.empty() && tabs.three_columns < tabs.lines) return Format::kPecos;
  if (!tabs.number_lists) return Format::kLibMultiLabel;
  if (!need_labels) return Format::kPecos;
  fail(
      "{}:1: label numbers such as 0,1,2, as PECOS has them, need a file of their names: --label-names; "
      "--format libmultilabel takes them for names",
      lines.name());
}

[[noreturn]] void refuse_bag_of_words(const LineReader& lines) {
  fail(
      "{}:1: this is a bag of words (labels word:weight word:weight ..., as in the XC repository and "
      "LIBSVM): "
      "the order of the words is lost, and this model reads sequences of words. Give it the texts: the raw "
      "texts of the data set with --labels, or JSON lines; docs/formats.md lists the formats",
      lines.name());
}

}  // namespace

Format detect_format(LineReader& reader, const DataFiles& files, bool need_labels) {
  // One line is enough for JSON, so that a program that sends one document and waits is answered.
  Lines lines = lines_ahead(reader, 1);
  if (!lines.empty() && starts_like_object(lines.front()) && files.labels.empty()) {
    return kind_of_json(lines.front());
  }
  lines = lines_ahead(reader, kLines);
  if (is_bag_of_words(lines)) refuse_bag_of_words(reader);
  if (!files.labels.empty()) return Format::kAttentionXml;
  if (lines.empty()) return Format::kJsonl;
  if (is_csv_header(lines.front())) return Format::kAnnifCsv;
  const auto has_label = [](std::string_view line) {
    return find_fasttext_label(line) != std::string_view::npos;
  };
  if (std::any_of(lines.begin(), lines.end(), has_label)) return Format::kFastText;
  auto json = std::find_if(lines.begin(), lines.end(), starts_like_object);
  if (json != lines.end()) return kind_of_json(*json);
  const Tabs tabs(lines);
  if (tabs.lines > 0) return kind_of_table(reader, tabs, files, need_labels);
  json = std::find_if(lines.begin(), lines.end(), starts_like_json);
  if (json != lines.end()) return kind_of_json(*json);
  fail(
      "{}:1: the format is not recognised: not JSON, no tab between labels and text, no __label__, no header "
      "text,subject_uris{}; --format forces one of {}, docs/formats.md shows each",
      reader.name(), need_labels ? "" : " (--format attentionxml takes every line for a text)",
      fmt::join(format_names(), ", "));
}

}  // namespace otseq2set
