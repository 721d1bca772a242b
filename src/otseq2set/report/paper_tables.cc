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

// The largest of each column in bold. rows: [methods][columns], in percent
void add_rows(Table& table, const std::vector<const char*>& methods,
              const std::vector<std::vector<double>>& rows) {
  std::vector<std::vector<bool>> best;
  for (size_t column = 0; column < rows.front().size(); ++column) {
    std::vector<Summary> values;
    for (const std::vector<double>& row : rows) values.push_back({1, row[column], 0});
    best.push_back(best_of(values, kPercentDecimals));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<Cell> cells;
    for (size_t column = 0; column < rows[i].size(); ++column)
      cells.push_back({escaped(decimal(rows[i][column], 2)), best[column][i]});
    table.row(escaped(methods[i]), cells);
  }
}

Html marked_as_paper(const Table& table) {
  return Html{"<div class=\"paper\">\n"} + paragraph("The paper’s numbers, measured on other data", "badge") +
         table.html() + Html{"</div>\n"};
}

}  // namespace

Html paper_micro_table() {
  Table table("Micro-averages in percent. BM is with the scheme that the paper chose for the dataset.");
  head_by_dataset(table, {"P", "R", "F1"});
  std::vector<const char*> methods;
  std::vector<std::vector<double>> rows;
  for (const PaperMicro& paper : paper_micro()) {
    methods.push_back(paper.method);
    rows.emplace_back();
    for (const auto& on : paper.on) rows.back().insert(rows.back().end(), {on.p, on.r, on.f1});
  }
  add_rows(table, methods, rows);
  return marked_as_paper(table);
}

Html paper_improvement_table() {
  Table table("Improvement of micro-F1 over the best of Seq2Seq, MLC2Seq and SGM.");
  std::vector<std::string> names = {"Method"};
  names.insert(names.end(), std::begin(kPaperDatasetNames), std::end(kPaperDatasetNames));
  table.head(names);
  for (const PaperImprovement& paper : paper_improvements()) {
    std::vector<Cell> cells;
    for (double percents : paper.on) cells.push_back(text_cell(signed_percent(percents / 100, 2)));
    table.row(escaped(paper.method), cells);
  }
  return marked_as_paper(table);
}

Html paper_scheme_table() {
  Table table("micro-F1 of BM in percent.");
  table.head({"Dataset", "all", "first-n", "first-n against all"});
  for (size_t i = 0; i < paper_schemes().size(); ++i) {
    const PaperScheme& paper = paper_schemes()[i];
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
  std::vector<const char*> methods;
  std::vector<std::vector<double>> rows;
  for (const PaperAverages& paper : paper_averages()) {
    methods.push_back(paper.method);
    rows.emplace_back();
    for (const auto& on : paper.on)
      rows.back().insert(rows.back().end(), {on.macro_f1, on.weighted_f1, on.example_f1});
  }
  add_rows(table, methods, rows);
  return marked_as_paper(table);
}

Html paper_cost_table() {
  Table table("Hours of training and millions of parameters.");
  head_by_dataset(table, {"Hours", "Parameters"});
  for (const PaperCost& paper : paper_costs()) {
    std::vector<Cell> cells;
    for (const auto& on : paper.on) {
      cells.push_back(text_cell(decimal(on.hours, 2)));
      cells.push_back(text_cell(decimal(on.million_parameters, 1) + " M"));
    }
    table.row(escaped(paper.method), cells);
  }
  return marked_as_paper(table);
}

}  // namespace otseq2set::inline report
