#include "otseq2set/report/html.h"

#include <fmt/format.h>

#include "otseq2set/report/comparison.h"
#include "otseq2set/report/numbers.h"

namespace otseq2set {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Bytes of the valid UTF-8 character that starts here; 0 if there is none.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0, surrogate = first == 0xED && second > 0x9F;
    const bool noncharacter = first == 0xEF && second == 0xBF && byte(2) >= 0xBE;
    return follows(1) && follows(2) && !overlong && !surrogate && !noncharacter ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90, beyond = first == 0xF4 && second > 0x8F;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::string_view entity(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

bool forbidden(char character) {
  const auto code = static_cast<unsigned char>(character);
  return (code < 0x20 && character != '\t' && character != '\n') || code == 0x7F;
}

}  // namespace

Html escaped(std::string_view text) {
  std::string markup;
  markup.reserve(text.size());
  while (!text.empty()) {
    const size_t length = character_length(text);
    if (length == 0 || (length == 1 && forbidden(text[0]))) {
      markup += kReplacement;
    } else if (const std::string_view name = entity(text[0]); !name.empty()) {
      markup += name;
    } else {
      markup += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return {markup};
}

Html element(const char* name, const Html& content, const char* css_class) {
  const std::string attribute = *css_class ? fmt::format(" class=\"{}\"", css_class) : "";
  return {fmt::format("<{0}{1}>{2}</{0}>", name, attribute, content.markup)};
}

Html paragraph(const std::string& text, const char* css_class) {
  return element("p", escaped(text), css_class) + Html{"\n"};
}

Html title_of(const SystemResult& system) {
  const TitleParts parts = title_parts(system);
  Html title = escaped(parts.head);
  if (!parts.scheme.empty()) title += element("sub", escaped(parts.scheme));
  return title + escaped(parts.tail);
}

Cell text_cell(const std::string& text) { return {escaped(text)}; }

Cell percent_cell(const Summary& value, bool best) {
  if (value.count == 0) return text_cell("–");
  Html content = escaped(percent(value.mean));
  if (value.count > 1)
    content += Html{" "} + element("span", escaped("± " + percent(value.spread)), "spread");
  return {content, best};
}

Table& Table::head(const std::vector<std::string>& names) {
  columns_ = names.size();
  head_ = {"<tr>"};
  for (const std::string& name : names) head_ += Html{"<th scope=\"col\">"} + escaped(name) + Html{"</th>"};
  head_ += {"</tr>\n"};
  return *this;
}

Table& Table::group(const std::string& title) {
  body_ +=
      {fmt::format("<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\"><span>{}</span></th></tr>\n",
                   columns_, escaped(title).markup)};
  return *this;
}

Table& Table::row(const Html& heading, const std::vector<Cell>& cells) {
  body_ += Html{"<tr><th scope=\"row\">"} + heading + Html{"</th>"};
  for (const Cell& cell : cells) body_ += element("td", cell.content, cell.best ? "best" : "");
  body_ += {"</tr>\n"};
  ++rows_;
  return *this;
}

Table& Table::mark(const char* css_class) {
  css_class_ = css_class;
  return *this;
}

Html Table::html() const {
  const std::string attribute = css_class_.empty() ? "" : fmt::format(" class=\"{}\"", css_class_);
  return {
      fmt::format("<div class=\"scroll\" tabindex=\"0\"><table{}>\n<caption>{}</caption>\n<thead>{}</thead>\n"
                  "<tbody>\n{}</tbody>\n</table></div>\n",
                  attribute, caption_.markup, head_.markup, body_.markup)};
}

}  // namespace otseq2set
