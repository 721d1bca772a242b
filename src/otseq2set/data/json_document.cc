#include "otseq2set/data/json_document.h"

#include <fmt/format.h>

#include "otseq2set/data/line_document_reader.h"
#include "otseq2set/text/line_reader.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set {

static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);

std::string parse_object(simdjson::dom::parser& parser, std::string_view line, std::string_view example,
                         simdjson::dom::object& object) {
  simdjson::dom::element root;
  const simdjson::error_code error = parser.parse(line.data(), line.size(), false).get(root);
  if (error) return fmt::format("not JSON: {}", simdjson::error_message(error));
  if (root.get(object)) return fmt::format("a JSON object is expected, such as {}", example);
  return "";
}

std::string parse_id(const simdjson::dom::object& object, const char* key, Document& document) {
  const auto element = object[key];
  if (element.error() || element.is_null()) return "";  // the line number stays
  if (element.is_string()) {
    document.id = std::string_view(element);
  } else if (element.is_int64()) {
    document.id = std::to_string(int64_t(element));
  } else if (element.is_uint64()) {
    document.id = std::to_string(uint64_t(element));
  } else if (element.is_double()) {
    document.id = fmt::format("{}", double(element));
  } else {
    return fmt::format("\"{}\" is neither a string nor a number", key);
  }
  document.own_id = true;
  return "";
}

std::string parse_text(const simdjson::dom::object& object, Document& document) {
  const auto element = object["text"];
  const char* problem = nullptr;
  if (element.error()) {
    problem = "missing";
  } else if (!element.is_string()) {
    problem = "not a string";
  } else {
    document.text = std::string_view(element);
    if (is_blank(document.text)) problem = "empty";
  }
  return problem ? fmt::format("the document has no text (\"text\" is {})", problem) : "";
}

}  // namespace otseq2set
