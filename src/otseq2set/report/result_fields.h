// The fields of every part of the results, listed once for reading and for writing.
//
// `visit(visitor, part)` calls visitor("key", field) for each field in order. A part is const when it is
// written and not const when it is read.
#pragma once

#include <type_traits>

#include "otseq2set/report/results.h"

namespace otseq2set::inline report {

template <typename Part, typename Type>
concept Is = std::is_same_v<std::remove_const_t<Part>, Type>;

void visit(auto& visitor, Is<FrequencyBand> auto& band) {
  visitor("least", band.least);
  visitor("most", band.most);
  visitor("labels", band.labels);
  visitor("micro_f1", band.micro_f1);
  visitor("macro_f1", band.macro_f1);
}

void visit(auto& visitor, Is<SizeRow> auto& row) {
  visitor("size", row.size);
  visitor("documents", row.documents);
  visitor("documents_predicted", row.documents_predicted);
  visitor("mean_predicted", row.mean_predicted);
}

void visit(auto& visitor, Is<SetResult> auto& set) {
  visitor("name", set.name);
  visitor("rule", set.rule);
  visitor("micro_p", set.micro_p);
  visitor("micro_r", set.micro_r);
  visitor("micro_f1", set.micro_f1);
  visitor("macro_f1", set.macro_f1);
  visitor("weighted_f1", set.weighted_f1);
  visitor("example_f1", set.example_f1);
  visitor("mean_predicted_labels", set.mean_predicted_labels);
  visitor("documents_with_neither", set.documents_with_neither);
  visitor("by_frequency", set.by_frequency);
  visitor("sizes", set.sizes);
}

void visit(auto& visitor, Is<RankingMetrics> auto& ranking) {
  visitor("k", ranking.k);
  visitor("precision", ranking.precision);
  visitor("recall", ranking.recall);
  visitor("ndcg", ranking.ndcg);
  visitor("psp", ranking.psp);
  visitor("psndcg", ranking.psndcg);
}

void visit(auto& visitor, Is<CalibrationBin> auto& bin) {
  visitor("least", bin.least);
  visitor("most", bin.most);
  visitor("predictions", bin.predictions);
  visitor("mean_score", bin.mean_score);
  visitor("share_true", bin.share_true);
}

void visit(auto& visitor, Is<EpochPoint> auto& point) {
  visitor("epoch", point.epoch);
  visitor("loss", point.loss);
  visitor("valid_micro_f1", point.valid_micro_f1);
  visitor("seconds", point.seconds);
}

void visit(auto& visitor, Is<TimeSplit> auto& times) {
  visitor("encoder", times.encoder);
  visitor("decoder", times.decoder);
  visitor("loss", times.loss);
  visitor("optimiser", times.optimiser);
}

void visit(auto& visitor, Is<RunResult> auto& run) {
  visitor("seed", run.seed);
  visitor("config", run.config);
  visitor("data_fingerprint", run.data_fingerprint);
  visitor("program_version", run.program_version);
  visitor("machine", run.machine);
  visitor("parameters", run.parameters);
  visitor("training_seconds", run.training_seconds);
  visitor("documents_per_second", run.documents_per_second);
  visitor("peak_memory_bytes", run.peak_memory_bytes);
  visitor("times", run.times);
  visitor("curve", run.curve);
  visitor("sets", run.sets);
  visitor("at", run.at);
  visitor("calibration", run.calibration);
}

void visit(auto& visitor, Is<SystemResult> auto& system) {
  visitor("name", system.name);
  visitor("title", system.title);
  visitor("kind", system.kind);
  visitor("scheme", system.scheme);
  visitor("sweep_key", system.sweep_key);
  visitor("sweep_value", system.sweep_value);
  visitor("runs", system.runs);
}

void visit(auto& visitor, Is<DataResult> auto& data) {
  visitor("name", data.name);
  visitor("fingerprint", data.fingerprint);
  visitor("documents", data.documents);
  visitor("labels", data.labels);
  visitor("most_labels", data.most_labels);
  visitor("mean_labels", data.mean_labels);
  visitor("mean_words", data.mean_words);
  visitor("share_at_most_mean", data.share_at_most_mean);
  visitor("documents_with_size", data.documents_with_size);
}

void visit(auto& visitor, Is<Results> auto& results) {
  visitor("command", results.command);
  visitor("program_version", results.program_version);
  visitor("machine", results.machine);
  visitor("vectors", results.vectors);
  visitor("train", results.train);
  visitor("valid", results.valid);
  visitor("test", results.test);
  visitor("seeds", results.seeds);
  visitor("runs_planned", results.runs_planned);
  visitor("runs_done", results.runs_done);
  visitor("systems", results.systems);
}

}  // namespace otseq2set::inline report
