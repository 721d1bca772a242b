#include "otseq2set/report/paper_tables.h"

#include "otseq2set/report/numbers.h"
#include "otseq2set/report/paper_scores.h"

namespace otseq2set::inline report {

namespace {

// One heading over the columns of each dataset.
void head_by_dataset(Table& table, const std::vector<std::string>& columns) {
  std::vector<Table::Span> spans = {{"", 1}};
  std::vector<std::string> names = {"Method"};
  for (const char* dataset : kPaperDatasetNames) {
    spans.push_back({dataset, columns.size()});
    names.insert(names.end(), columns.begin(), columns.end());
  }
  table.spans(spans).head(names);
}

// The largest of each column in bold; values are in percent.
void add_rows(Table& table, const std::vector<PaperRow>& rows) {
  std::vector<std::vector<bool>> best;
  for (size_t column = 0; column < rows.front().on.size(); ++column) {
    std::vector<Summary> values;
    for (const PaperRow& row : rows) values.push_back({1, row.on[column], 0});
    best.push_back(best_of(values, kPercentDecimals));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<Cell> cells;
    for (size_t column = 0; column < rows[i].on.size(); ++column)
      cells.push_back({escaped(decimal(rows[i].on[column], 2)), best[column][i]});
    table.row(escaped(rows[i].method), cells);
  }
}

Html marked_as_paper(const Table& table) {
  return Html{"<div class=\"paper\">\n"} + paragraph("The paper’s numbers, measured on other data", "badge") +
         table.html() + Html{"</div>\n"};
}

}  // namespace

Html paper_micro_table() {
  Table table("Micro-averages in percent. BM uses the scheme that the paper chose for the dataset.");
  head_by_dataset(table, {"P", "R", "F1"});
  add_rows(table, kPaperMicro);
  return marked_as_paper(table);
}

Html paper_improvement_table() {
  Table table("Improvement of micro-F1 over the best of Seq2Seq, MLC2Seq and SGM.");
  std::vector<std::string> names = {"Method"};
  names.insert(names.end(), std::begin(kPaperDatasetNames), std::end(kPaperDatasetNames));
  table.head(names);
  for (const PaperRow& paper : kPaperImprovements) {
    std::vector<Cell> cells;
    for (double percents : paper.on) cells.push_back(text_cell(signed_percent(percents / 100, 2)));
    table.row(escaped(paper.method), cells);
  }
  return marked_as_paper(table);
}

Html paper_scheme_table() {
  Table table("micro-F1 of BM in percent.");
  table.head({"Dataset", "all", "first-n", "first-n against all"});
  for (size_t i = 0; i < kPaperSchemes.size(); ++i) {
    const PaperScheme& paper = kPaperSchemes[i];
    table.row(escaped(kPaperDatasetNames[i]),
              {{escaped(decimal(paper.all, 2)), paper.all > paper.first_n},
               {escaped(decimal(paper.first_n, 2)), paper.first_n > paper.all},
               text_cell(signed_percent(relative_change(paper.all, paper.first_n), 2))});
  }
  return marked_as_paper(table);
}

Html paper_averages_table() {
  Table table("F1 in percent: macro, weighted, example-based.");
  head_by_dataset(table, {"macro", "weighted", "example"});
  add_rows(table, kPaperAverages);
  return marked_as_paper(table);
}

Html paper_cost_table() {
  Table table("Hours of training and millions of parameters.");
  head_by_dataset(table, {"Hours", "Parameters"});
  for (const PaperRow& paper : kPaperCosts) {
    std::vector<Cell> cells;
    for (size_t i = 0; i < paper.on.size(); i += 2) {
      cells.push_back(text_cell(decimal(paper.on[i], 2)));
      cells.push_back(text_cell(decimal(paper.on[i + 1], 1) + " M"));
    }
    table.row(escaped(paper.method), cells);
  }
  return marked_as_paper(table);
}

}  // namespace otseq2set::inline report
