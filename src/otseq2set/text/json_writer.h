// JSON piece by piece, for answers and lines that need no tree in memory:
//
//   std::string out;
//   JsonWriter json(out);
//   json.begin_object().field("id", "d1").begin_list("labels").value("fish").end_list().end_object();
//
// It keeps no state but the text: a comma comes before whatever follows a finished value. So any part may be
// written by a writer of its own on the same text.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

namespace otseq2set::inline text {

// Appends the text in quotes, with escapes only where JSON wants them. What is not UTF-8 becomes U+FFFD, as
// JSON has no other bytes.
void append_json_string(std::string& out, std::string_view text);

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& begin_list(std::string_view key) { return this->key(key).begin('['); }
  JsonWriter& begin_list() { return begin('['); }
  JsonWriter& end_object() { return raw('}'); }
  JsonWriter& end_list() { return raw(']'); }
  // Ends a line of JSON lines.
  JsonWriter& end_line() { return end_object().raw('\n'); }

  JsonWriter& key(std::string_view key) {
    separate();
    append_json_string(out_, key);
    return raw(':');
  }

  // A string, a number in as few digits as give it back, true or false, or null.
  template <typename Value>
  JsonWriter& value(const Value& value) {
    separate();
    if constexpr (std::is_same_v<Value, std::nullptr_t>) {
      out_ += "null";
    } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
      append_json_string(out_, value);
    } else {
      fmt::format_to(std::back_inserter(out_), "{}", value);
    }
    return *this;
  }
  template <typename Value>
  JsonWriter& field(std::string_view key, const Value& value) {
    return this->key(key).value(value);
  }
  // A number in a format of its own.
  template <typename Value>
  JsonWriter& value(fmt::format_string<const Value&> format, const Value& value) {
    separate();
    fmt::format_to(std::back_inserter(out_), format, value);
    return *this;
  }
  template <typename Value>
  JsonWriter& field(std::string_view key, fmt::format_string<const Value&> format, const Value& value) {
    return this->key(key).value(format, value);
  }

 private:
  JsonWriter& begin(char bracket) {
    separate();
    return raw(bracket);
  }
  JsonWriter& raw(char character) {
    out_ += character;
    return *this;
  }
  void separate() {
    constexpr std::string_view kNothingBefore = "{[:\n";
    if (!out_.empty() && kNothingBefore.find(out_.back()) == std::string_view::npos) out_ += ',';
  }

  std::string& out_;
};

}  // namespace otseq2set::inline text
