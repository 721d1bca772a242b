#include "otseq2set/training/trainer.h"

#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "otseq2set/core/error.h"
#include "otseq2set/core/memory.h"
#include "otseq2set/core/units.h"
#include "otseq2set/corpus/batches.h"
#include "otseq2set/model/weights.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/manifest.h"
#include "otseq2set/training/schedule.h"
#include "otseq2set/training/tell.h"
#include "otseq2set/training/validation.h"

namespace otseq2set::inline training {

namespace {

using Clock = std::chrono::steady_clock;

StepLoss mean(const StepLoss& sums, int64_t batches) {
  const auto n = static_cast<double>(std::max<int64_t>(batches, 1));
  return {sums.total / n, sums.matching / n, sums.transport / n};
}

// The tables of which a batch uses few rows, if they are to be treated so.
std::vector<torch::Tensor> lazy_tables(const Network& network, const Config& config) {
  if (!config.training.lazy_adam) return {};
  const auto parameters = network->named_parameters();
  return {parameters["encoder.embedding.weight"], parameters["decoder.embedding.weight"]};
}

}  // namespace

Trainer::Trainer(const ModelFolder& folder, const ModelDescription& description, const Dataset& train,
                 const Dataset& valid, const TrainingOptions& options, int64_t epochs)
    : folder_(folder),
      description_(description),
      config_(description.config),
      train_(train),
      valid_(valid),
      options_(options),
      epochs_(epochs),
      network_(description.word_ids(), description.label_ids(), description.config),
      adam_(network_->parameters(), lazy_tables(network_, config_)) {
  for (const torch::Tensor& parameter : network_->parameters()) {
    gradients_.push_back(torch::zeros_like(parameter.detach()));
  }
}

void Trainer::start(const WordVectors* vectors) {
  const auto tokenizer = Tokenizer::make(config_.text.tokenizer);
  set_start_values(network_, {static_cast<uint64_t>(config_.training.seed), description_.words, description_.labels,
                              *tokenizer, vectors, config_.model.label_vectors == "words"});
  make_average();
}

void Trainer::resume() {
  make_average();
  position_ = load_checkpoint(folder_.state(), network_, adam_, average_ ? &*average_ : nullptr);
}

void Trainer::make_average() {
  if (config_.training.average > 0) average_.emplace(network_->parameters(), config_.training.average);
}

void Trainer::run() {
  start_ = Clock::now();
  done_ = done_before_ = train_.size() * position_.epoch + position_.batches_done * config_.training.batch;
  while (position_.epoch < epochs_ && !stops_early()) run_epoch();
  finish();
}

void Trainer::tell_progress(double rate) const {
  if (!options_.progress) return;
  const StepLoss loss = mean(position_.sums, position_.batches_done);
  const uint64_t total = train_.size() * epochs_;
  const double speed = static_cast<double>(done_ - done_before_) / seconds_since(start_);
  options_.progress({position_.epoch + 1, epochs_, done_, total, loss.total, loss.matching, loss.transport, rate, speed,
                     static_cast<double>(total - std::min(done_, total)) / speed});
}

void Trainer::run_epoch() {
  const auto batches = epoch_batches(train_.lengths(), config_.training.batch, config_.training.seed, position_.epoch);
  const auto count = static_cast<int64_t>(batches.size());
  const double seconds_before = position_.seconds;
  const auto start = Clock::now();
  auto saved = start;
  while (position_.batches_done < count) {
    const auto& documents = batches[position_.batches_done];
    const double rate = learning_rate(config_.training, position_.epoch, position_.batches_done, count);
    train_batch(documents, rate);
    position_.seconds = seconds_before + seconds_since(start);
    done_ += documents.size();
    tell_progress(rate);
    if (options_.stop && options_.stop()) {
      save(/*epoch_ended=*/false);
      throw Interrupted("the checkpoint is saved");
    }
    if (seconds_since(saved) > 60 * options_.checkpoint_minutes) {
      save(/*epoch_ended=*/false);
      saved = Clock::now();
    }
  }
  end_epoch(learning_rate(config_.training, position_.epoch, count - 1, count));
}

void Trainer::train_batch(const std::vector<uint32_t>& documents, double rate) {
  const TrainingBatch batch = training_batch(train_, documents, config_, position_.steps_done);
  StepResult result = compute_gradients(network_, batch, config_, gradients_);
  const StepLoss& loss = result.loss;
  const auto start = Clock::now();
  if (!std::isfinite(loss.total)) fail_not_finite(documents, "loss");
  const double norm = gradient_norm(gradients_);
  if (!std::isfinite(norm)) fail_not_finite(documents, "gradient");
  adam_.step(gradients_, rate, std::min(1.0, config_.training.clip / (norm + 1e-6)));
  ++position_.batches_done;
  ++position_.steps_done;
  if (average_) average_->step(position_.steps_done);
  result.times.optimiser += seconds_since(start);
  position_.times.add(result.times);
  position_.sums.add(loss);
}

void Trainer::end_epoch(double rate) {
  const auto start = Clock::now();
  const StepLoss loss = mean(position_.sums, position_.batches_done);
  Json entry = {{"epoch", position_.epoch + 1},     {"loss", loss.total},      {"matching_loss", loss.matching},
                {"transport_loss", loss.transport}, {"learning_rate", rate},   {"valid_micro_f1", nullptr},
                {"valid_micro_p", nullptr},         {"valid_micro_r", nullptr}};
  double micro_f1 = 0;
  if (average_) average_->swap();
  if (valid_.size() > 0) {
    const MetricsReport report = validate(network_, valid_, config_);
    entry["valid_micro_f1"] = micro_f1 = report.micro_f1;
    entry["valid_micro_p"] = report.micro_p;
    entry["valid_micro_r"] = report.micro_r;
  }
  const double training_seconds = position_.seconds;
  position_.seconds += seconds_since(start);
  entry["seconds"] = position_.seconds;
  entry["training_seconds"] = training_seconds;
  entry["encoder_seconds"] = position_.times.encoder;
  entry["decoder_seconds"] = position_.times.decoder;
  entry["loss_seconds"] = position_.times.loss;
  entry["optimiser_seconds"] = position_.times.optimiser;
  entry["documents_per_second"] = static_cast<double>(train_.size()) / std::max(training_seconds, 1e-9);
  entry["peak_memory_bytes"] = peak_resident_memory();
  // Without validation the latest model is the best there is.
  const bool better = valid_.size() == 0 || micro_f1 > position_.best_micro_f1;
  if (better) {
    position_.best_micro_f1 = micro_f1;
    position_.best_epoch = position_.epoch;
    save_weights(vouched(folder_, folder_.weights()), *network_);
  }
  if (average_) average_->swap();
  if (options_.log) {
    options_.log(fmt::format("epoch {}/{}: loss {:.4f} (matching {:.4f}, transport {:.4f}), {}{}, {}",
                             position_.epoch + 1, epochs_, loss.total, loss.matching, loss.transport,
                             valid_.size() > 0 ? fmt::format("validation micro-F1 {:.4f}", micro_f1) : "no validation",
                             better ? " (best so far)" : "", format_duration(position_.seconds)));
  }
  position_.log.push_back(entry);
  ++position_.epoch;
  position_.batches_done = 0;
  position_.sums = {};
  position_.times = {};
  position_.seconds = 0;
  save(/*epoch_ended=*/true);
}

bool Trainer::stops_early() const {
  const int64_t patience = config_.training.early_stopping;
  return patience > 0 && valid_.size() > 0 && position_.best_epoch >= 0 &&
         position_.epoch - 1 - position_.best_epoch >= patience;
}

// The state goes first: what the other files say can be made again from it, not the other way round.
void Trainer::save(bool epoch_ended) {
  save_checkpoint(vouched(folder_, folder_.state()), network_, adam_, average_ ? &*average_ : nullptr, position_);
  save_weights(vouched(folder_, folder_.last()), *network_);
  if (!epoch_ended) return;
  std::string log;
  for (const Json& entry : position_.log) log += entry.dump() + "\n";
  write_file(vouched(folder_, folder_.log()), log);
}

void Trainer::finish() {
  save(/*epoch_ended=*/true);  // a run killed right after its last checkpoint may lack the latest files
  Json metrics = {{"epochs", position_.epoch},
                  {"best_epoch", position_.best_epoch + 1},
                  {"steps", position_.steps_done},
                  {"valid_documents", valid_.size()},
                  {"best", position_.log.at(position_.best_epoch)}};
  write_file(vouched(folder_, folder_.metrics()), metrics.dump(2) + "\n");
}

void Trainer::fail_not_finite(const std::vector<uint32_t>& documents, const char* what) const {
  std::vector<std::string_view> ids;
  for (uint32_t document : documents) ids.push_back(train_.id(document));
  const bool saved = std::filesystem::exists(folder_.state());
  fail("the {} is not finite at epoch {}, batch {}, documents {}; {}; a smaller training.learning_rate may help", what,
       position_.epoch + 1, position_.batches_done + 1, fmt::join(ids, ", "),
       saved ? "the last checkpoint is kept in " + folder_.path() : "no checkpoint was made yet");
}

}  // namespace otseq2set::inline training
