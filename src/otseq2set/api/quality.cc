#include "otseq2set/api/quality.h"

namespace otseq2set::inline api {

Quality quality_of(const MetricsReport& report) {
  Quality quality;
  quality.documents = report.documents;
  quality.documents_with_neither = report.documents_with_neither;
  quality.mean_true_labels = report.mean_true_labels;
  quality.mean_predicted_labels = report.mean_predicted_labels;
  quality.micro_p = report.micro_p;
  quality.micro_r = report.micro_r;
  quality.micro_f1 = report.micro_f1;
  quality.macro_f1 = report.macro_f1;
  quality.weighted_f1 = report.weighted_f1;
  quality.example_f1 = report.example_f1;
  for (const RankingMetrics& at : report.at) {
    quality.at.push_back({at.k, at.precision, at.recall, at.ndcg, at.psp, at.psndcg});
  }
  return quality;
}

}  // namespace otseq2set::inline api
