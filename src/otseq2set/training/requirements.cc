#include "otseq2set/training/requirements.h"

#include <algorithm>
#include <filesystem>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/memory.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/core/units.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/memory_estimate.h"
#include "otseq2set/store/parameters.h"
#include "otseq2set/text/word_vectors.h"
#include "otseq2set/training/tell.h"

namespace otseq2set::inline training {

namespace {

void check_memory(const TrainingOptions& options, uint64_t needed) {
  const uint64_t available = available_memory();
  if (!options.memory_check || available == 0 || needed <= available) return;
  fail(
      "training will not fit into memory: about {} needed, {} available; reduce training.batch, model.max_words, "
      "model.hidden or --threads (--no-memory-check tries anyway)",
      format_bytes(needed), format_bytes(available));
}

// Each network's best and latest weights, and the checkpoint of one: weights and both moments.
void check_disk(const ModelFolder& folder, const Config& config, int64_t word_ids, int64_t label_ids) {
  if (folder.holds_model()) return;  // how much of that will be replaced is not worth the question
  const auto weights = static_cast<uint64_t>(parameter_count(word_ids, label_ids, config)) * sizeof(float);
  const uint64_t needed = (2 * network_folders(folder, config).size() + 3) * weights;
  const uint64_t available = free_space(folder.path());
  if (needed <= available) return;
  fail("the model and its checkpoint will not fit on the disk: about {} needed, {} free in {}", format_bytes(needed),
       format_bytes(available), folder.path());
}

// A pipe can be read only once.
bool can_be_read_twice(const std::string& file) {
  std::error_code error;
  const auto type = std::filesystem::status(file, error).type();
  return type == std::filesystem::file_type::regular || type == std::filesystem::file_type::not_found;
}

}  // namespace

void check_before_reading(const TrainingOptions& options, const ModelFolder& folder, const Config& config,
                          bool goes_on) {
  check_writable_folder(folder.path());
  if (!variant_of(config).network) return;
  constexpr int64_t kLeastWords = kFirstWord, kLeastLabels = kFirstLabel + 1;
  Config least = config;
  least.model.steps = std::max<int64_t>(1, config.model.steps);
  const SequenceSizes lists{2, config.training.batch};
  check_memory(options, estimate_memory(least, kLeastWords, kLeastLabels, thread_count(), lists).training);
  check_disk(folder, least, kLeastWords, kLeastLabels);
  if (!options.vectors.empty() && !goes_on && options.vectors != "-" && can_be_read_twice(options.vectors)) {
    check_first_vector(options.vectors, static_cast<size_t>(config.model.word_embedding));
  }
}

void check_sizes(const TrainingOptions& options, const ModelFolder& folder, const ModelDescription& description,
                 const Dataset& train) {
  if (!variant_of(description.config).network) return;
  const uint64_t needed = estimate_memory(description.config, description.word_ids(), description.label_ids(),
                                          thread_count(), sequence_sizes(train, description.config.training.batch))
                              .training;
  tell(options, "memory: about {} needed, {} available", format_bytes(needed), format_bytes(available_memory()));
  check_memory(options, needed);
  check_disk(folder, description.config, description.word_ids(), description.label_ids());
}

}  // namespace otseq2set::inline training
