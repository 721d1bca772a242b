#include "otseq2set/data/jsonl_reader.h"

#include <fmt/format.h>

#include <utility>

#include "otseq2set/text/unicode.h"

namespace otseq2set {

namespace {

static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);

std::string parse_id(const simdjson::dom::object& object, std::string& id) {
  const auto element = object["id"];
  if (element.error() || element.is_null()) return "";  // the line number stays
  if (element.is_string()) {
    id = std::string_view(element);
  } else if (element.is_int64()) {
    id = std::to_string(int64_t(element));
  } else if (element.is_uint64()) {
    id = std::to_string(uint64_t(element));
  } else if (element.is_double()) {
    id = fmt::format("{}", double(element));
  } else {
    return "\"id\" is neither a string nor a number";
  }
  return "";
}

std::string parse_text(const simdjson::dom::object& object, std::string& text) {
  const auto element = object["text"];
  const char* problem = nullptr;
  if (element.error()) {
    problem = "missing";
  } else if (!element.is_string()) {
    problem = "not a string";
  } else {
    text = std::string_view(element);
    if (is_blank(text)) problem = "empty";
  }
  return problem ? fmt::format("the document has no text (\"text\" is {})", problem) : "";
}

}  // namespace

JsonlReader::JsonlReader(LineReader lines, bool need_labels)
    : lines_(std::move(lines)), need_labels_(need_labels) {}

bool JsonlReader::next(Document& document) {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (is_blank(line) && !lines_.too_long());

  document.id = std::to_string(lines_.line());
  document.place = lines_.place();
  document.text.clear();
  document.labels.clear();
  const std::string problem = parse(line, document);
  document.error = problem.empty() ? "" : document.place + ": " + problem;
  return true;
}

std::string JsonlReader::parse(std::string_view line, Document& document) {
  if (lines_.too_long()) return fmt::format("the line is longer than {} bytes", lines_.max_line());
  simdjson::dom::element root;
  const simdjson::error_code error = parser_.parse(line.data(), line.size(), false).get(root);
  if (error) return fmt::format("not JSON: {}", simdjson::error_message(error));
  simdjson::dom::object object;
  if (root.get(object))
    return "a JSON object is expected, such as {\"id\":...,\"text\":...,\"labels\":[...]}";
  std::string problem = parse_id(object, document.id);
  if (problem.empty()) problem = parse_text(object, document.text);
  if (problem.empty() && need_labels_) problem = parse_labels(object, document);
  return problem;
}

std::string JsonlReader::parse_labels(const simdjson::dom::object& object, Document& document) const {
  const auto element = object["labels"];
  if (element.error()) return "\"labels\" is missing; a document without labels has \"labels\":[]";
  simdjson::dom::array names;
  if (element.get(names)) return "\"labels\" is not a list of strings";
  for (const simdjson::dom::element label : names) {
    std::string_view name;
    if (label.get(name)) return "\"labels\" is not a list of strings";
    if (is_blank(name)) return "\"labels\" has an empty name";
    document.labels.emplace_back(name);
  }
  remove_duplicates(document.labels);
  return "";
}

}  // namespace otseq2set
