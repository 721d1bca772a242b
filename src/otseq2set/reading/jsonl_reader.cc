#include "otseq2set/reading/jsonl_reader.h"

#include <utility>

#include "otseq2set/reading/label_list.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

namespace {

std::string parse_labels(const simdjson::dom::object& object, Document& document) {
  const auto element = object["labels"];
  if (element.error()) return "\"labels\" is missing; a document without labels has \"labels\":[]";
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

}  // namespace

JsonlReader::JsonlReader(LineReader lines, bool need_labels)
    : LineDocumentReader(std::move(lines), need_labels) {}

Problem JsonlReader::parse(std::string_view line, Document& document) {
  simdjson::dom::object object;
  Problem problem = json_.parse(line, R"({"id":"d1","text":"...","labels":["fish"]})", object);
  if (!problem.empty()) return problem;
  problem = both(json_.read_id(object, "id", document), parse_text(object, document));
  return need_labels() ? both(problem, parse_labels(object, document)) : problem;
}

}  // namespace otseq2set::inline reading
