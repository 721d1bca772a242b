#include "otseq2set/reproduction/measure_model.h"

#include <algorithm>
#include <sstream>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/machine.h"
#include "otseq2set/inference/scored_dataset.h"
#include "otseq2set/inference/tuning.h"
#include "otseq2set/reproduction/kept_predictions.h"
#include "otseq2set/reproduction/set_measures.h"
#include "otseq2set/store/parameters.h"

namespace otseq2set::inline reproduction {

namespace {

// What the folder tells of the time that training took, and the log of the epochs.
void add_training(const ModelFolder& folder, const Config& config, RunResult& run) {
  double linear_seconds = 0;
  if (has_linear(config)) {
    const Json times = Json::parse(read_file(folder.linear_times()));
    linear_seconds = times.at("seconds");
    run.peak_memory_bytes = times.at("peak_memory_bytes");
  }
  if (!variant_of(config).network) {
    run.training_seconds = linear_seconds;
    const double documents = Json::parse(read_file(folder.metrics())).at("documents");
    run.documents_per_second = documents / std::max(linear_seconds, 1e-9);
    return;
  }
  std::istringstream log(read_file(folder.log()));
  TimeSplit times;
  double seconds = 0, documents = 0;
  uint64_t memory = 0;
  for (std::string line; std::getline(log, line);) {
    const Json entry = Json::parse(line);
    std::optional<double> f1;
    if (!entry.at("valid_micro_f1").is_null()) f1 = entry.at("valid_micro_f1");
    run.curve.push_back({entry.at("epoch"), entry.at("loss"), f1, entry.at("seconds")});
    const double trained = entry.at("training_seconds");
    seconds += trained;
    documents += trained * entry.at("documents_per_second").get<double>();
    memory = std::max(memory, entry.at("peak_memory_bytes").get<uint64_t>());
    times.encoder += entry.at("encoder_seconds").get<double>();
    times.decoder += entry.at("decoder_seconds").get<double>();
    times.loss += entry.at("loss_seconds").get<double>();
    times.optimiser += entry.at("optimiser_seconds").get<double>();
  }
  run.training_seconds = linear_seconds + seconds;
  run.documents_per_second = documents / std::max(seconds, 1e-9);
  run.peak_memory_bytes = std::max(run.peak_memory_bytes.value_or(0), memory);
  if (times.encoder > 0) run.times = times;  // SGM's steps are not split
}

void add_scores(const Dataset& data, size_t document, const ScoredDocument& scored, Calibration& calibration) {
  const auto truth = data.labels(document);
  for (const ScoredLabel& label : scored.best) {
    calibration.add(label.score, std::find(truth.begin(), truth.end(), label.label) != truth.end());
  }
}

}  // namespace

RunResult measure_model(const ModelFolder& folder, const DataFiles& test, int64_t beam,
                        const std::string& predictions) {
  const Predictor predictor(folder);
  const ModelDescription& description = predictor.description();
  const Dataset data = read_dataset(test, description);
  const MetricsOptions options =
      metrics_options(description.labels, description.data.documents, description.config.evaluation);
  SetMeasures greedy("greedy", "", options), tuned("tuned", describe(predictor.set_rule()), options);
  Calibration calibration;
  KeptPredictions answers(predictions, data, description.labels);
  const ScoredDatasetOptions scoring{static_cast<size_t>(options.ks.back()), kLeastThreshold, {}};
  score_dataset(predictor, data, scoring, [&](size_t document, const ScoredDocument& scored) {
    greedy.add(document_result(data, document, scored, SetRule()));
    tuned.add(document_result(data, document, scored, predictor.set_rule()));
    add_scores(data, document, scored, calibration);
    answers.write(document, scored.answer(predictor.set_rule()));
  });
  answers.commit();
  RunResult run;
  run.seed = description.config.training.seed;
  run.config = Json(to_json(description.config));
  run.data_fingerprint = description.data.fingerprint;
  run.program_version = OTSEQ2SET_VERSION;
  run.machine = machine_description();
  run.parameters = parameter_count(description.word_ids(), description.label_ids(), description.config);
  add_training(folder, description.config, run);
  run.sets = {greedy.result(), tuned.result()};
  run.at = greedy.rankings();
  run.calibration = calibration.bins();
  if (beam > 1 && variant_of(description.config).sequence) {
    const Predictor searching(folder, beam);
    SetMeasures found("beam", fmt::format("the most likely sequence with a beam of {}", beam), options);
    score_dataset(searching, data, scoring, [&](size_t document, const ScoredDocument& scored) {
      found.add(document_result(data, document, scored, SetRule()));
    });
    run.sets.push_back(found.result());
  }
  return run;
}

}  // namespace otseq2set::inline reproduction
