#include "otseq2set/evaluation/metrics_table.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "otseq2set/text/escaping.h"

namespace otseq2set::inline evaluation {

namespace {

struct Metric {
  std::string name;
  double value;
};

// The metrics in the order of every output, a vector a line of the table.
std::vector<std::vector<Metric>> lines_of(const MetricsReport& report) {
  std::vector<std::vector<Metric>> lines = {
      {{"micro-P", report.micro_p}, {"micro-R", report.micro_r}, {"micro-F1", report.micro_f1}},
      {{"macro-F1", report.macro_f1}, {"weighted-F1", report.weighted_f1}, {"example-F1", report.example_f1}}};
  const std::pair<const char*, double RankingMetrics::*> kinds[] = {{"P", &RankingMetrics::precision},
                                                                    {"R", &RankingMetrics::recall},
                                                                    {"nDCG", &RankingMetrics::ndcg},
                                                                    {"PSP", &RankingMetrics::psp},
                                                                    {"PSnDCG", &RankingMetrics::psndcg}};
  for (const auto& [kind, value] : kinds) {
    std::vector<Metric> line;
    for (const RankingMetrics& at : report.at) line.push_back({fmt::format("{}@{}", kind, at.k), at.*value});
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::string to_table(const MetricsReport& report) {
  std::string table;
  const auto out = std::back_inserter(table);
  for (const std::vector<Metric>& line : lines_of(report)) {
    const char* gap = "";
    for (const Metric& metric : line) {
      fmt::format_to(out, "{}{:<11} {:6.2f}", gap, metric.name, 100.0 * metric.value);
      gap = "   ";
    }
    table += '\n';
  }
  fmt::format_to(out, "{} document{}, {:.2f} true and {:.2f} predicted labels each\n", report.documents,
                 report.documents == 1 ? "" : "s", report.mean_true_labels, report.mean_predicted_labels);
  if (report.documents_with_neither > 0) {
    fmt::format_to(out, "documents with neither true nor predicted labels, 0 in example-F1: {}\n",
                   report.documents_with_neither);
  }
  return table;
}

std::string to_json(const MetricsReport& report) {
  nlohmann::ordered_json json;
  json["documents"] = report.documents;
  json["documents_with_neither"] = report.documents_with_neither;
  json["mean_true_labels"] = report.mean_true_labels;
  json["mean_predicted_labels"] = report.mean_predicted_labels;
  for (const std::vector<Metric>& line : lines_of(report)) {
    for (const Metric& metric : line) json[metric.name] = metric.value;
  }
  return json.dump(2) + "\n";
}

std::string per_label_tsv(const MetricsReport& report, const TextOfLabel& label, const TextOfLabel& name) {
  std::string tsv = fmt::format("label{}\ttrue\tpredicted\thits\tprecision\trecall\tf1\n", name ? "\tname" : "");
  const auto out = std::back_inserter(tsv);
  for (const LabelMetrics& row : report.per_label) {
    tsv += one_field(label(row.label));
    if (name) tsv += '\t' + one_field(name(row.label));
    fmt::format_to(out, "\t{}\t{}\t{}\t{:.6f}\t{:.6f}\t{:.6f}\n", row.truths, row.predictions, row.hits, row.precision,
                   row.recall, row.f1);
  }
  return tsv;
}

}  // namespace otseq2set::inline evaluation
