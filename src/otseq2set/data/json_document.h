// What the two kinds of JSON lines share. Each function returns what is wrong, empty when nothing is.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "otseq2set/data/document.h"

namespace otseq2set {

// The line as an object, valid until the parser is used again. `example` is what is expected.
std::string parse_object(simdjson::dom::parser& parser, std::string_view line, std::string_view example,
                         simdjson::dom::object& object);

// An id may be missing, null, a string or a number.
std::string parse_id(const simdjson::dom::object& object, const char* key, Document& document);

std::string parse_text(const simdjson::dom::object& object, Document& document);

}  // namespace otseq2set
