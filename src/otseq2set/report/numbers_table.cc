#include "otseq2set/report/numbers_table.h"

#include <set>

namespace otseq2set::inline report {

Table numbers_table(const std::string& caption, const std::string& x_name, const std::vector<Series>& series,
                    const NumberText& x_text, const NumberText& y_text) {
  std::vector<std::string> names = {x_name};
  std::set<double> places;
  for (const Series& one : series) {
    names.push_back(one.title);
    for (const Point& point : one.points) places.insert(point.x);
  }
  Table table(caption);
  table.head(names);
  for (double x : places) {
    std::vector<Cell> cells;
    for (const Series& one : series) {
      cells.push_back(text_cell("–"));
      for (const Point& point : one.points) {
        if (point.x == x) cells.back() = text_cell(y_text(point.y));
      }
    }
    table.row(escaped(x_text(x)), cells);
  }
  return table;
}

}  // namespace otseq2set::inline report
