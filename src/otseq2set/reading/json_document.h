// What the two kinds of JSON lines share. Each function returns what is wrong, empty when nothing is.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "otseq2set/reading/document.h"
#include "otseq2set/reading/problem.h"

namespace otseq2set::inline reading {

// Parses one line after the other.
//
// Numbers matter only as ids, which are kept as they are written. simdjson refuses a document for a number
// that no type of the machine holds, wherever it stands; such a line is parsed once more with its numbers
// replaced by zeros.
class JsonLine {
 public:
  // The line, which is followed by readable bytes (LineReader::kPadding), as an object that is valid until
  // the next call. `example` is what is expected.
  Problem parse(std::string_view line, std::string_view example, simdjson::dom::object& object);

  // An id may be missing, null, a string or a number. `object` is the one just parsed.
  std::string read_id(const simdjson::dom::object& object, const char* key, Document& document);

 private:
  std::string_view number_as_written(const char* key);

  simdjson::dom::parser parser_;
  simdjson::ondemand::parser raw_parser_;
  std::string_view line_;
  simdjson::padded_string without_numbers_;
  bool replaced_ = false;
};

Problem parse_text(const simdjson::dom::object& object, Document& document);

}  // namespace otseq2set::inline reading
