#include "otseq2set/reading/annif_jsonl_reader.h"

#include <fmt/format.h>

#include <utility>

#include "otseq2set/reading/label_list.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

namespace {

constexpr const char* kExpected =
    "\"subjects\" is not a list of objects such as {\"uri\":\"http://example.org/fish\",\"label\":\"Fish\"}";

// A string, empty when there is none. False when it is something else.
bool find_string(const simdjson::dom::object& object, const char* key, std::string_view& value) {
  value = "";
  const auto element = object[key];
  if (element.error() || element.is_null()) return true;
  return !element.get(value);
}

std::string parse_subject(const simdjson::dom::element& element, Document& document) {
  simdjson::dom::object subject;
  std::string_view uri, name;
  if (element.get(subject) || !find_string(subject, "uri", uri) || !find_string(subject, "label", name)) {
    return kExpected;
  }
  uri = without_brackets(uri);
  if (is_blank(uri)) std::swap(uri, name);
  if (is_blank(uri)) return "\"subjects\" has an entry with neither \"uri\" nor \"label\"";
  return add_label(document, uri, is_blank(name) ? "" : name);
}

std::string parse_subjects(const simdjson::dom::object& object, Document& document) {
  const auto element = object["subjects"];
  if (element.error()) return "\"subjects\" is missing; a document without subjects has \"subjects\":[]";
  simdjson::dom::array subjects;
  if (element.get(subjects)) return kExpected;
  for (const simdjson::dom::element subject : subjects) {
    if (std::string problem = parse_subject(subject, document); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace

AnnifJsonlReader::AnnifJsonlReader(LineReader lines, bool need_labels)
    : LineDocumentReader(std::move(lines), need_labels) {}

Problem AnnifJsonlReader::parse(std::string_view line, Document& document) {
  simdjson::dom::object object;
  Problem problem =
      json_.parse(line, R"({"document_id":"d1","text":"...","subjects":[{"uri":"..."}]})", object);
  if (!problem.empty()) return problem;
  problem = both(json_.read_id(object, "document_id", document), parse_text(object, document));
  return need_labels() ? both(problem, parse_subjects(object, document)) : problem;
}

}  // namespace otseq2set::inline reading
