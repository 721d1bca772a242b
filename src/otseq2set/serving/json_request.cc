#include "otseq2set/serving/json_request.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "otseq2set/http/problem.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline serving {

namespace {

template <typename Value>
std::optional<Value> typed(const simdjson::dom::object& object, std::string_view field, const char* type) {
  simdjson::dom::element element;
  if (object.at_key(field).get(element) || element.is_null()) return std::nullopt;
  Value value;
  if (element.get(value)) refuse(400, "\"{}\" is not {}", field, type);
  return value;
}

}  // namespace

JsonRequest::JsonRequest(std::string_view body) {
  simdjson::dom::element root;
  const simdjson::error_code error = parser_.parse(body.data(), body.size()).get(root);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error) refuse(400, "the body is not JSON: {}", simdjson::error_message(error));
  if (root.get(object_)) refuse(400, "the body is not a JSON object");
}

void refuse_other_fields(const simdjson::dom::object& object, std::initializer_list<std::string_view> known) {
  for (const simdjson::dom::key_value_pair field : object) {
    if (std::find(known.begin(), known.end(), field.key) == known.end()) {
      refuse(400, "unknown field \"{}\"; the fields are {}", excerpt(field.key), fmt::join(known, ", "));
    }
  }
}

std::optional<std::string> optional_string(const simdjson::dom::object& object, std::string_view field) {
  const auto value = typed<std::string_view>(object, field, "a string");
  if (!value) return std::nullopt;
  return std::string(*value);
}

std::optional<bool> optional_flag(const simdjson::dom::object& object, std::string_view field) {
  return typed<bool>(object, field, "true or false");
}

std::optional<double> optional_number(const simdjson::dom::object& object, std::string_view field) {
  return typed<double>(object, field, "a number");
}

std::optional<simdjson::dom::array> optional_array(const simdjson::dom::object& object, std::string_view field) {
  return typed<simdjson::dom::array>(object, field, "a list");
}

size_t checked_limit(double limit) {
  if (!(limit >= 1) || limit != std::floor(limit))
    refuse(400, "\"limit\" is {}, but must be a whole number of at least 1", limit);
  return static_cast<size_t>(std::min(limit, 1e9));
}

double checked_threshold(double threshold) {
  if (!(threshold >= 0 && threshold <= 1)) {
    refuse(400, "\"threshold\" is {}, but must be a number from 0 to 1", threshold);
  }
  return threshold;
}

}  // namespace otseq2set::inline serving
