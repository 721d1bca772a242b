// Any text as pages and tables can hold it.
#pragma once

#include <string>
#include <string_view>

namespace otseq2set::inline text {

// As XML can hold it: bytes that are not UTF-8 and characters that XML forbids become U+FFFD, a form feed a
// space.
std::string xml_text(std::string_view bytes);

// As it stands in HTML and XML, between tags and in attributes alike: text and never markup. Every character
// stays one character; a carriage return is escaped too, since parsers would take it for a line feed.
std::string escape_markup(std::string_view bytes);

// A field of CSV (RFC 4180): in quotes where it must be.
std::string csv_field(std::string_view text);

// A field of a table without quotes: tabs and line breaks become spaces.
std::string one_field(std::string_view text);

}  // namespace otseq2set::inline text
