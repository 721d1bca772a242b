#include <fmt/format.h>

#include "otseq2set/report/outputs.h"
#include "otseq2set/text/escaping.h"

namespace otseq2set::inline report {

namespace {

class Lines {
 public:
  Lines(const SystemResult& system, const RunResult& run)
      : start_(fmt::format("{},{},{},{},{},{},{}", csv_field(system.name), csv_field(system.title),
                           system_kind_name(system.kind), csv_field(system.scheme), csv_field(system.sweep_key),
                           csv_field(system.sweep_value), run.seed)) {}

  void add(const std::string& measure, double value, const std::string& set = "", const std::string& rule = "") {
    text_ += fmt::format("{},{},{},{},{}\n", start_, csv_field(set), csv_field(rule), measure, value);
  }
  template <typename Value>
  void add_if_known(const std::string& measure, const std::optional<Value>& value) {
    if (value) add(measure, static_cast<double>(*value));
  }
  const std::string& text() const { return text_; }

 private:
  std::string start_, text_;
};

void add_set(Lines& lines, const SetResult& set) {
  const auto add = [&](const char* measure, double value) { lines.add(measure, value, set.name, set.rule); };
  add("micro-P", set.micro_p);
  add("micro-R", set.micro_r);
  add("micro-F1", set.micro_f1);
  add("macro-F1", set.macro_f1);
  add("weighted-F1", set.weighted_f1);
  add("example-F1", set.example_f1);
  add("mean_predicted_labels", set.mean_predicted_labels);
  if (set.documents_with_neither) {
    add("documents_with_neither", static_cast<double>(*set.documents_with_neither));
  }
  const auto add_at = [&](const char* measure, const char* what, uint64_t place, double value) {
    lines.add(fmt::format("{} ({} {})", measure, what, place), value, set.name, set.rule);
  };
  for (const FrequencyBand& band : set.by_frequency) {
    add_at("labels", "training documents from", band.least, static_cast<double>(band.labels));
    add_at("micro-F1", "training documents from", band.least, band.micro_f1);
    add_at("macro-F1", "training documents from", band.least, band.macro_f1);
  }
  for (const SizeRow& row : set.sizes) {
    add_at("documents", "true labels", row.size, static_cast<double>(row.documents));
    add_at("documents", "predicted labels", row.size, static_cast<double>(row.documents_predicted));
    add_at("mean_predicted_labels", "true labels", row.size, row.mean_predicted);
  }
}

void add_curve(Lines& lines, const EpochPoint& point) {
  const auto named = [&](const char* measure) { return fmt::format("{} (epoch {})", measure, point.epoch); };
  lines.add(named("loss"), point.loss);
  lines.add_if_known(named("validation micro-F1"), point.valid_micro_f1);
  lines.add(named("seconds"), point.seconds);
}

void add_calibration(Lines& lines, const CalibrationBin& bin) {
  const auto named = [&](const char* measure) { return fmt::format("{} (score from {})", measure, bin.least); };
  lines.add(named("predictions"), static_cast<double>(bin.predictions));
  lines.add(named("mean_score"), bin.mean_score);
  lines.add(named("share_true"), bin.share_true);
}

void add_ranking(Lines& lines, const RankingMetrics& at) {
  const auto add = [&](const char* measure, double value) { lines.add(fmt::format("{}@{}", measure, at.k), value); };
  add("P", at.precision);
  add("R", at.recall);
  add("nDCG", at.ndcg);
  add("PSP", at.psp);
  add("PSnDCG", at.psndcg);
}

std::string lines_of(const SystemResult& system, const RunResult& run) {
  Lines lines(system, run);
  for (const SetResult& set : run.sets) add_set(lines, set);
  for (const RankingMetrics& at : run.at) add_ranking(lines, at);
  for (const EpochPoint& point : run.curve) add_curve(lines, point);
  for (const CalibrationBin& bin : run.calibration) add_calibration(lines, bin);
  lines.add_if_known("parameters", run.parameters);
  lines.add_if_known("training_seconds", run.training_seconds);
  lines.add_if_known("documents_per_second", run.documents_per_second);
  lines.add_if_known("peak_memory_bytes", run.peak_memory_bytes);
  if (run.times) {
    lines.add("encoder_seconds", run.times->encoder);
    lines.add("decoder_seconds", run.times->decoder);
    lines.add("loss_seconds", run.times->loss);
    lines.add("optimiser_seconds", run.times->optimiser);
  }
  return lines.text();
}

}  // namespace

std::string to_csv(const Results& results) {
  std::string text = "system,title,kind,scheme,sweep_key,sweep_value,seed,set,rule,measure,value\n";
  for (const SystemResult& system : results.systems) {
    for (const RunResult& run : system.runs) text += lines_of(system, run);
  }
  return text;
}

}  // namespace otseq2set::inline report
