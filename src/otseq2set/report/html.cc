#include "otseq2set/report/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "otseq2set/report/comparison.h"
#include "otseq2set/report/numbers.h"
#include "otseq2set/text/escaping.h"

namespace otseq2set::inline report {

Html escaped(std::string_view text) { return {escape_markup(text)}; }

Html element(const char* name, const Html& content, const char* css_class) {
  const std::string attribute = *css_class ? fmt::format(" class=\"{}\"", css_class) : "";
  return {fmt::format("<{0}{1}>{2}</{0}>", name, attribute, content.markup)};
}

Html paragraph(const std::string& text, const char* css_class) {
  return element("p", escaped(text), css_class) + Html{"\n"};
}

Html command_line(const std::string& command) {
  Html words;
  for (size_t begin = 0; begin < command.size();) {
    const size_t end = std::min(command.find(' ', begin), command.size());
    words += element("span", escaped(command.substr(begin, end - begin)));
    if (end < command.size()) words += {" "};
    begin = end + 1;
  }
  return Html{"<pre class=\"command\">"} + words + Html{"</pre>\n"};
}

Html title_of(const SystemResult& system) {
  const TitleParts parts = title_parts(system);
  Html title = escaped(parts.head);
  if (!parts.scheme.empty()) title += element("sub", escaped(parts.scheme));
  return title + escaped(parts.tail);
}

Cell text_cell(const std::string& text) { return {escaped(text)}; }

Cell percent_cell(const Summary& value, bool best, bool align) {
  if (value.count == 0 && !align) return text_cell("–");
  Html content = escaped(value.count == 0 ? "–" : percent(value.mean));
  const std::string spread = value.count > 1 ? "± " + percent(value.spread) : "";
  if (!spread.empty() || align) content += Html{" "} + element("span", escaped(spread), "spread");
  return {content, best};
}

Table& Table::spans(const std::vector<Span>& spans) {
  head_ += {"<tr class=\"spans\">"};
  for (const Span& span : spans) {
    head_ += {fmt::format("<th scope=\"colgroup\" colspan=\"{}\">{}</th>", span.columns, escaped(span.name).markup)};
  }
  head_ += {"</tr>\n"};
  return *this;
}

Table& Table::head(const std::vector<std::string>& names) {
  columns_ = names.size();
  head_ += {"<tr>"};
  for (const std::string& name : names) head_ += Html{"<th scope=\"col\">"} + escaped(name) + Html{"</th>"};
  head_ += {"</tr>\n"};
  return *this;
}

Table& Table::group(const std::string& title) {
  body_ += {fmt::format("<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\"><span>{}</span></th></tr>\n",
                        columns_, escaped(title).markup)};
  return *this;
}

Table& Table::rule() {
  ruled_ = true;
  return *this;
}

Table& Table::row(const Html& heading, const std::vector<Cell>& cells) {
  body_ += {ruled_ ? "<tr class=\"rule\">" : "<tr>"};
  body_ += Html{"<th scope=\"row\">"} + heading + Html{"</th>"};
  for (const Cell& cell : cells) body_ += element("td", cell.content, cell.best ? "best" : "");
  body_ += {"</tr>\n"};
  ruled_ = false;
  ++rows_;
  return *this;
}

Table& Table::mark(const char* css_class) {
  css_class_ = css_class;
  return *this;
}

// The caption stands outside of what scrolls, so that it can be read without scrolling.
Html Table::html() const {
  const std::string attribute = css_class_.empty() ? "" : fmt::format(" class=\"{}\"", css_class_);
  return {
      fmt::format("<div class=\"table\">\n<p class=\"caption\">{0}</p>\n"
                  "<div class=\"scroll\" role=\"region\" aria-label=\"{0}\" tabindex=\"0\"><table{1}>\n"
                  "<thead>{2}</thead>\n<tbody>\n{3}</tbody>\n</table></div>\n</div>\n",
                  caption_.markup, attribute, head_.markup, body_.markup)};
}

}  // namespace otseq2set::inline report
