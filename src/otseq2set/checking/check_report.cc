#include "otseq2set/checking/check_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace otseq2set::inline checking {

namespace {

constexpr size_t kSizeRows = 30;  // of the distribution in the text; JSON has all
constexpr size_t kBar = 40;       // characters of its longest bar

double percent(double share) { return 100 * share; }

double share(uint64_t part, uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string first_text(const PartSummary& part) {
  return part.first ? describe(part.file, part.format, *part.first) + "\n" : "";
}

std::string findings_text(const CheckReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    text += fmt::format("{}: {} {}\n", finding.refused ? "problem" : "remark", finding.count, finding.title);
    for (const std::string& place : finding.places) text += fmt::format("    {}\n", place);
    if (finding.count > finding.places.size()) {
      text += fmt::format("    and {} more\n", finding.count - finding.places.size());
    }
  }
  return text.empty() ? "nothing to report\n" : text;
}

// A row of the table; what is known of the training part alone has no second value.
std::string row(const char* what, const std::string& train, const std::string& valid) {
  return fmt::format("{:<34} {:>12} {:>12}\n", what, train, valid);
}

template <typename Value>
std::string row(const char* what, const char* format, const CheckReport& report, const Value& value) {
  const auto shown = [&](const PartSummary& part) { return fmt::format(fmt::runtime(format), value(part)); };
  return row(what, shown(report.train), report.valid ? shown(*report.valid) : "");
}

std::string table_text(const CheckReport& report) {
  std::string text = row("", "training", report.valid ? "validation" : "");
  text += row("documents (N)", "{}", report, [](const PartSummary& part) { return part.documents; });
  text += row("distinct words (D)", std::to_string(report.distinct_words), "");
  text += row("labels (L)", std::to_string(report.distinct_labels), "");
  text += row("labels per document, mean", "{:.2f}", report, [](const auto& part) { return part.mean_labels(); });
  text += row("labels per document, maximum", "{}", report, [](const auto& part) { return part.largest_label_set(); });
  text += row("samples per label, mean", fmt::format("{:.2f}", report.samples_per_label()), "");
  text += row("words per document, mean", "{:.1f}", report, [](const auto& part) { return part.mean_words(); });
  text += row("words per document, maximum", "{}", report, [](const auto& part) { return part.longest; });
  text += row("words cut by model.max_words, %", "{:.2f}", report,
              [](const auto& part) { return percent(share(part.words_cut, part.words)); });
  return text;
}

std::string sizes_text(const PartSummary& part) {
  std::string text = "labels per document: documents\n";
  uint64_t most = 1, shown = 0, rest = 0;
  for (const auto& [size, count] : part.label_set_sizes) most = std::max(most, count);
  for (const auto& [size, count] : part.label_set_sizes) {
    if (shown++ >= kSizeRows) {
      rest += count;
      continue;
    }
    const size_t bar = (count * kBar + most - 1) / most;
    text += fmt::format("{:>8} {:>10}  {}\n", size, count, std::string(bar, '#'));
  }
  if (rest > 0) text += fmt::format("{:>8} {:>10}\n", "more", rest);
  return text;
}

std::string scheme_text(const CheckReport& report) {
  const double below = share_at_or_below_mean(report.train.label_set_sizes);
  return fmt::format(
      "{:.1f} % of the documents have at most the mean number of labels, {:.1f} % have more\n"
      "this suggests --set loss.scheme={}{}\n",
      percent(below), percent(1 - below), report.scheme(),
      report.scheme_matters_little() ? "; the shares are nearly equal, so it will make little difference" : "");
}

std::string vectors_text(const CheckReport& report) {
  if (!report.vectors) return "";
  const VectorCoverage& vectors = *report.vectors;
  return fmt::format("{} vectors of {} numbers cover {:.2f} % of the training text, {:.2f} % of its words\n",
                     vectors.words, vectors.dimension, percent(share(vectors.tokens, report.train.words)),
                     percent(share(vectors.types, report.distinct_words)));
}

Json part_json(const PartSummary& part) {
  Json sizes = Json::array();
  for (const auto& [size, count] : part.label_set_sizes) sizes.push_back({{"labels", size}, {"documents", count}});
  const double below = share_at_or_below_mean(part.label_set_sizes);
  Json first;
  if (part.first) {
    first = {{"id", part.first->id},
             {"words", part.first->words},
             {"text", part.first->text},
             {"labels", part.first->labels}};
  }
  return {{"format", part.format ? Json(format_name(*part.format)) : Json()},
          {"first_document", first},
          {"documents", part.documents},
          {"words", part.words},
          {"mean_words", part.mean_words()},
          {"max_words", part.longest},
          {"words_cut", part.words_cut},
          {"mean_labels", part.mean_labels()},
          {"max_labels", part.largest_label_set()},
          {"label_set_sizes", sizes},
          {"share_at_or_below_mean", below},
          {"share_above_mean", part.documents > 0 ? 1 - below : 0}};
}

}  // namespace

std::string to_text(const CheckReport& report) {
  std::string text = first_text(report.train);
  if (report.valid) text += first_text(*report.valid);
  text += findings_text(report) + "\n" + table_text(report);
  if (report.train.documents > 0) text += "\n" + sizes_text(report.train) + "\n" + scheme_text(report);
  return text + vectors_text(report);
}

Json to_json(const CheckReport& report) {
  Json json;
  json["refused"] = report.refused();
  json["findings"] = Json::array();
  for (const Finding& finding : report.findings) {
    json["findings"].push_back({{"kind", finding.kind},
                                {"title", finding.title},
                                {"refused", finding.refused},
                                {"count", finding.count},
                                {"places", finding.places}});
  }
  json["train"] = part_json(report.train);
  json["valid"] = report.valid ? part_json(*report.valid) : Json();
  json["distinct_words"] = report.distinct_words;
  json["labels"] = report.distinct_labels;
  json["samples_per_label"] = report.samples_per_label();
  json["scheme"] = nullptr;
  if (report.train.documents > 0) {
    json["scheme"] = {{"suits", report.scheme()}, {"matters_little", report.scheme_matters_little()}};
  }
  if (report.vectors) {
    json["vectors"] = {{"words", report.vectors->words},
                       {"dimension", report.vectors->dimension},
                       {"share_of_tokens", share(report.vectors->tokens, report.train.words)},
                       {"share_of_types", share(report.vectors->types, report.distinct_words)}};
  }
  return json;
}

}  // namespace otseq2set::inline checking
