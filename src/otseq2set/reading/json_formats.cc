#include <fmt/format.h>

#include <memory>
#include <utility>

#include "otseq2set/reading/json_document.h"
#include "otseq2set/reading/label_list.h"
#include "otseq2set/reading/line_formats.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

namespace {

using ParseLabels = std::string(const simdjson::dom::object& object, Document& document);

// `example` is what a line is expected to be; without `read_labels` none are needed.
ParseLine json_format(const char* example, const char* id_key, ParseLabels* read_labels) {
  return [=, json = std::make_shared<JsonLine>()](std::string_view line, Document& document) {
    simdjson::dom::object object;
    Problem problem = json->parse(line, example, object);
    if (!problem.empty()) return problem;
    document.open_end = false;  // what is cut short is not JSON
    problem = both(json->read_id(object, id_key, document), parse_text(object, document));
    return read_labels ? both(problem, read_labels(object, document)) : problem;
  };
}

std::string parse_labels(const simdjson::dom::object& object, Document& document) {
  const auto element = object["labels"];
  if (element.error()) {
    for (const char* other : {"label", "tags", "categories", "topics", "keywords", "subject"}) {
      if (!object[other].error()) return fmt::format("\"labels\" is missing; should \"{}\" be \"labels\"?", other);
    }
    return "\"labels\" is missing; a document without labels has \"labels\":[]";
  }
  simdjson::dom::array names;
  if (element.get(names)) return "\"labels\" is not a list of strings";
  for (const simdjson::dom::element label : names) {
    std::string_view name;
    if (label.get(name)) return "\"labels\" is not a list of strings";
    if (is_blank(name)) return "\"labels\" has an empty name";
    if (std::string problem = add_label(document, name); !problem.empty()) return problem;
  }
  return "";
}

constexpr const char* kSubjectsExpected =
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
    return kSubjectsExpected;
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
  if (element.get(subjects)) return kSubjectsExpected;
  for (const simdjson::dom::element subject : subjects) {
    if (std::string problem = parse_subject(subject, document); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace

ParseLine jsonl_format(bool need_labels) {
  return json_format(R"({"id":"d1","text":"...","labels":["fish"]})", "id", need_labels ? parse_labels : nullptr);
}

ParseLine annif_jsonl_format(bool need_labels) {
  return json_format(R"({"document_id":"d1","text":"...","subjects":[{"uri":"..."}]})", "document_id",
                     need_labels ? parse_subjects : nullptr);
}

}  // namespace otseq2set::inline reading
