// Measures of label sets and scores over the test documents, as results.h wants them.
#pragma once

#include <string>
#include <vector>

#include "otseq2set/evaluation/metrics.h"
#include "otseq2set/report/results.h"

namespace otseq2set::inline reproduction {

// The sets that one rule makes.
class SetMeasures {
 public:
  // name, rule: of SetResult.
  SetMeasures(std::string name, std::string rule, const MetricsOptions& options);

  void add(const DocumentResult& document);

  SetResult result() const;
  std::vector<RankingMetrics> rankings() const { return evaluator_.report().at; }

 private:
  struct Size {
    uint64_t documents = 0, predicted = 0, labels_predicted = 0;
  };

  std::string name_, rule_;
  MetricsOptions options_;
  Evaluator evaluator_;
  std::vector<Size> sizes_;  // [size]
};

// How far scores can be taken for probabilities: bins of equal width. Scores below kLeast are not counted:
// tools differ in how many labels they list that they do not believe in.
class Calibration {
 public:
  static constexpr double kLeast = 0.01;

  void add(double score, bool is_true);
  std::vector<CalibrationBin> bins() const;  // without those that have no prediction

 private:
  static constexpr size_t kBins = 10;
  struct Bin {
    uint64_t predictions = 0, trues = 0;
    double scores = 0;
  };
  std::vector<Bin> bins_ = std::vector<Bin>(kBins);
};

}  // namespace otseq2set::inline reproduction
