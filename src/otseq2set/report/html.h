// Text, tables and figures as HTML that is also well-formed XML.
//
// Html is text that is markup already. Everything else is escaped on its way in, so that a label or a file
// name can never become markup.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/report/results.h"
#include "otseq2set/report/statistics.h"

namespace otseq2set::inline report {

struct Html {
  std::string markup;

  Html& operator+=(const Html& other) {
    markup += other.markup;
    return *this;
  }
};
inline Html operator+(Html a, const Html& b) { return a += b; }

// text/escaping.h says how.
Html escaped(std::string_view text);

// <name>content</name>, <p class="note">...
Html element(const char* name, const Html& content, const char* css_class = "");
Html paragraph(const std::string& text, const char* css_class = "");

// A command; its lines break between words only, not inside an option.
Html command_line(const std::string& command);

// BM<sub>first-n</sub> + LC
Html title_of(const SystemResult& system);

struct Cell {
  Html content;
  bool best = false;
};
Cell text_cell(const std::string& text);
// 62.46 ± 0.21; – if there is none. align: keep the place of a spread where there is none.
Cell percent_cell(const Summary& value, bool best = false, bool align = false);

// A table in a container of its own that scrolls sideways when the page is narrow. The first cell of a row
// is its heading.
class Table {
 public:
  struct Span {
    std::string name;
    size_t columns;
  };

  explicit Table(const std::string& caption) : caption_(escaped(caption)) {}

  Table& spans(const std::vector<Span>& spans);  // a line over the head, for columns that belong together
  Table& head(const std::vector<std::string>& names);
  Table& group(const std::string& title);  // a line over the rows that follow
  Table& rule();                           // a thin line above the next row
  Table& row(const Html& heading, const std::vector<Cell>& cells);
  Table& mark(const char* css_class);  // how the whole table looks
  bool empty() const { return rows_ == 0; }
  Html html() const;

 private:
  Html caption_, head_, body_;
  std::string css_class_;
  bool ruled_ = false;
  size_t columns_ = 0, rows_ = 0;
};

}  // namespace otseq2set::inline report
