// A JSON body, read strictly: what a client misspelt it shall hear, with the name of the field.
#pragma once

#include <simdjson.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace otseq2set::inline serving {

// Holds the memory of what `object` gives out. Every complaint is a Problem, 400.
class JsonRequest {
 public:
  explicit JsonRequest(std::string_view body);  // an object in UTF-8

  const simdjson::dom::object& object() const { return object_; }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::object object_;
};

void refuse_other_fields(const simdjson::dom::object& object, std::initializer_list<std::string_view> known);

// Each is none where the field is missing or null.
std::optional<std::string> optional_string(const simdjson::dom::object& object, std::string_view field);
std::optional<bool> optional_flag(const simdjson::dom::object& object, std::string_view field);
std::optional<double> optional_number(const simdjson::dom::object& object, std::string_view field);
std::optional<simdjson::dom::array> optional_array(const simdjson::dom::object& object, std::string_view field);

// Limits as both interfaces have them: 1 or more, and 0 to 1.
size_t checked_limit(double limit);
double checked_threshold(double threshold);

}  // namespace otseq2set::inline serving
