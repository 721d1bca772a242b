#include "otseq2set/reading/format_detection.h"

#include <fmt/ranges.h>
#include <simdjson.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/reading/annif_csv_reader.h"
#include "otseq2set/reading/bag_of_words.h"
#include "otseq2set/reading/line_formats.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

namespace {

constexpr size_t kLines = 32;                      // are looked at,
constexpr size_t kBytes = size_t{256} << 10;       // at most so much of them,
constexpr size_t kLongestLine = size_t{16} << 20;  // but of the first line so much
constexpr size_t kFar = size_t{16} << 20;          // and of a file that is not recognised

using Lines = std::vector<std::string_view>;

// Lines at the beginning of a file that are not blank, and what was seen of the one behind them.
struct Ahead {
  Lines lines;
  std::string_view cut;  // empty when all lines are whole

  // Of a file with a single long line its beginning must do.
  Lines to_judge() const { return lines.empty() && !cut.empty() ? Lines{cut} : lines; }

  // With the beginning of a cut line as well, up to its last whole word.
  Lines whole_words() const {
    Lines all = lines;
    const std::string_view words = cut.substr(0, cut.find_last_of(" \t") + 1);
    if (!is_blank(words)) all.push_back(words);
    return all;
  }
};

// Up to `count` lines of at most `bytes`. How much more a pipe has offered by now must not matter.
Ahead look_ahead(LineReader& reader, size_t count, size_t bytes) {
  std::string_view ahead = reader.peek(count, bytes).substr(0, bytes);
  const bool is_all = ahead.size() < bytes;
  Ahead found;
  for (size_t i = 0; i < count && !ahead.empty(); ++i) {
    const size_t end = std::min(ahead.find('\n'), ahead.size());
    std::string_view line = ahead.substr(0, end);
    if (end == ahead.size() && !is_all) {
      found.cut = line;
      break;
    }
    ahead.remove_prefix(std::min(end + 1, ahead.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!is_blank(line)) found.lines.push_back(line);
  }
  return found;
}

// The next lines; when already the first is too long, as much of it as may be.
Ahead lines_ahead(LineReader& reader, size_t count) {
  Ahead ahead = look_ahead(reader, count, kBytes);
  return ahead.lines.empty() && !ahead.cut.empty() ? look_ahead(reader, 1, kLongestLine) : ahead;
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
  if (colon == std::string_view::npos || colon == 0) return token.starts_with("urn:");
  return std::all_of(token.begin(), token.begin() + static_cast<int64_t>(colon),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

bool is_list_of_uris(std::string_view column) {
  std::string_view token = take_token(column);
  if (token.empty()) return false;
  for (; !token.empty(); token = take_token(column)) {
    if (!is_uri(token)) return false;
  }
  return true;
}

// 0,1,2 or 0::0.1,1::0.2, but not 12:30
bool is_pecos_labels(std::string_view column) {
  if (column.empty() || std::isdigit(static_cast<unsigned char>(column.front())) == 0) return false;
  if (column.find_first_not_of("0123456789,:.eE+-") != std::string_view::npos) return false;
  for (size_t at = column.find(':'); at != std::string_view::npos; at = column.find(':', at + 2)) {
    if (column.substr(at, 2) != "::") return false;
  }
  return true;
}

// A label where fastText's files have them: at the beginning, or behind a tab.
bool begins_with_label(std::string_view line) {
  const size_t label = find_fasttext_label(line);
  if (label == std::string_view::npos) return false;
  return is_blank(line.substr(0, label)) || line[label - 1] == '\t';
}

bool has_label(std::string_view line) { return find_fasttext_label(line) != std::string_view::npos; }

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
  if (tabs.three_columns == tabs.lines) return Format::kLibMultiLabel;
  if (!files.label_names.empty()) return Format::kPecos;
  if (!tabs.number_lists) return Format::kLibMultiLabel;
  if (!need_labels) return Format::kPecos;
  fail(
      "{}:1: label numbers such as 0,1,2, as in PECOS, need a file of label names: --label-names; "
      "--format libmultilabel reads the numbers as names",
      lines.name());
}

// A word __label__ in the text of a clear table is a word; anywhere else it makes the line one of fastText's.
bool is_fasttext(const Lines& lines, const Tabs& tabs) {
  const auto count = static_cast<size_t>(std::count_if(lines.begin(), lines.end(), begins_with_label));
  if (tabs.lines == lines.size()) return 2 * count > lines.size();
  return count > 0;
}

// What the first lines are, if anything.
std::optional<Format> recognise(const LineReader& reader, const Lines& lines, const DataFiles& files,
                                bool need_labels) {
  if (is_csv_header(lines.front())) return Format::kAnnifCsv;
  const Tabs tabs(lines);
  if (is_fasttext(lines, tabs)) return Format::kFastText;
  auto json = std::find_if(lines.begin(), lines.end(), starts_like_object);
  if (json != lines.end()) return kind_of_json(*json);
  if (tabs.lines < lines.size() && std::any_of(lines.begin(), lines.end(), has_label)) {
    return Format::kFastText;
  }
  if (tabs.lines > 0) return kind_of_table(reader, tabs, files, need_labels);
  json = std::find_if(lines.begin(), lines.end(), starts_like_json);
  if (json != lines.end()) return kind_of_json(*json);
  return std::nullopt;
}

// [{... or [ alone, or { alone: the beginning of what other programs write as one value over many lines.
void refuse_one_json_value(const LineReader& reader, std::string_view line) {
  line = without_spaces_before(line);
  const std::string_view rest = line.empty() ? line : without_spaces_before(line.substr(1));
  const bool array = !line.empty() && line.front() == '[' && (rest.empty() || rest.front() == '{');
  if (!array && (line.empty() || line.front() != '{' || !rest.empty())) return;
  fail("{}:1: expected JSON lines, one object per line; this is {} (jq -c {} converts it)", reader.name(),
       array ? "a list" : "an object over several lines", array ? "'.[]'" : ".");
}

// <uri>TABname, each URI once and names short: what a vocabulary is kept in, and no documents.
bool is_vocabulary(const Lines& lines) {
  constexpr size_t kLeastLines = 3, kMostWords = 6;
  std::set<std::string_view> uris;
  for (const std::string_view line : lines) {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos || !is_uri(line.substr(0, tab)) || !uris.insert(line.substr(0, tab)).second) {
      return false;
    }
    std::string_view name = line.substr(tab + 1);
    size_t words = 0;
    while (!take_token(name).empty()) ++words;
    if (words > kMostWords) return false;
  }
  return lines.size() >= kLeastLines;
}

// A header of a table that would be read if its columns had other names or another separator.
bool is_other_header(std::string_view line) {
  std::string lower(line);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::replace(lower.begin(), lower.end(), ';', ',');
  lower.erase(std::remove(lower.begin(), lower.end(), '"'), lower.end());
  return ("," + lower + ",").find(",text,") != std::string::npos && lower.find(',') != std::string::npos;
}

}  // namespace

void refuse_bag_of_words(LineReader& reader) {
  if (!is_bag_of_words(lines_ahead(reader, kLines).whole_words())) return;
  fail(
      "{}:1: this is a bag of words (labels word:weight word:weight ..., as in the XC repository and LIBSVM): the "
      "order of the words is lost, and this model reads sequences of words. Give the texts instead: the raw texts of "
      "the "
      "data set with --labels, or JSON lines; docs/formats.md lists the formats",
      reader.name());
}

Format detect_format(LineReader& reader, const DataFiles& files, bool need_labels) {
  // One line is enough for JSON, so that a program that sends one document and waits is answered.
  Lines lines = lines_ahead(reader, 1).to_judge();
  if (!lines.empty() && files.labels.empty()) refuse_one_json_value(reader, lines.front());
  if (!lines.empty() && starts_like_object(lines.front()) && files.labels.empty()) {
    return kind_of_json(lines.front());
  }
  refuse_bag_of_words(reader);
  if (!files.labels.empty()) return Format::kAttentionXml;
  lines = lines_ahead(reader, kLines).to_judge();
  if (lines.empty()) return Format::kJsonl;
  if (is_vocabulary(lines)) {
    fail(
        "{}:1: this looks like a vocabulary, with a URI and its name on each line, not like documents; give it with "
        "--label-names (--format libmultilabel reads it as labels and texts anyway)",
        reader.name());
  }
  if (const auto format = recognise(reader, lines, files, need_labels)) return *format;
  // fastText's files may begin with many documents that have no label.
  const std::string first(lines.front());
  lines = look_ahead(reader, kFar, kFar).lines;
  if (std::any_of(lines.begin(), lines.end(), begins_with_label)) return Format::kFastText;
  if (is_other_header(first)) {
    fail(
        "{}:1: a CSV file must have the columns text and subject_uris, with commas between them and spaces between "
        "labels; this one has {}",
        reader.name(), excerpt(first));
  }
  fail(
      "{}:1: the format is not recognised: not JSON, no tab between labels and text, no __label__, no header "
      "text,subject_uris{}; choose one with --format: {}; docs/formats.md describes them",
      reader.name(), need_labels ? "" : " (--format text reads every line as a text)",
      fmt::join(need_labels ? labelled_format_names() : format_names(), ", "));
}

}  // namespace otseq2set::inline reading
