#include "otseq2set/reproduction/kept_predictions.h"

namespace otseq2set::inline reproduction {

KeptPredictions::KeptPredictions(const std::string& path, const Dataset& data, const LabelVocabulary& labels)
    : file_(path),
      data_(data),
      writer_(PredictionWriter::make("jsonl", labels, [this](std::string_view bytes) { file_.write(bytes); })) {}

void KeptPredictions::write(size_t document, Span<const ScoredLabel> answer) {
  Document with_id;
  with_id.id = data_.id(document);
  writer_->write(with_id, answer);
  writer_->flush();
}

void KeptPredictions::commit() {
  writer_->finish();
  file_.commit();
}

}  // namespace otseq2set::inline reproduction
