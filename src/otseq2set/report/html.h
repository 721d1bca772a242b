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

namespace otseq2set {

struct Html {
  std::string markup;

  Html& operator+=(const Html& other) {
    markup += other.markup;
    return *this;
  }
};
inline Html operator+(Html a, const Html& b) { return a += b; }

// & < > " ' become entities; bytes that are no UTF-8 and control characters that XML forbids become U+FFFD.
Html escaped(std::string_view text);

// <name>content</name>, <p class="note">...
Html element(const char* name, const Html& content, const char* css_class = "");
Html paragraph(const std::string& text, const char* css_class = "");

// BM<sub>first-n</sub> + LC
Html title_of(const SystemResult& system);

struct Cell {
  Html content;
  bool best = false;
};
Cell text_cell(const std::string& text);
Cell percent_cell(const Summary& value, bool best = false);  // 62.46 ± 0.21; – if there is none

// A table in a container of its own that scrolls sideways when the page is narrow. The first cell of a row
// is its heading.
class Table {
 public:
  explicit Table(const std::string& caption) : caption_(escaped(caption)) {}

  Table& head(const std::vector<std::string>& names);
  Table& group(const std::string& title);  // a line over the rows that follow
  Table& row(const Html& heading, const std::vector<Cell>& cells);
  Table& mark(const char* css_class);  // how the whole table looks
  bool empty() const { return rows_ == 0; }
  Html html() const;

 private:
  Html caption_, head_, body_;
  std::string css_class_;
  size_t columns_ = 0, rows_ = 0;
};

}  // namespace otseq2set
