// How good answers are, with the field's definitions: those of a model, or of any other program.
//
//   otseq2set::QualityMeter meter({.labels = 4000});
//   for (...) meter.add({.truth = {3, 17}, .predicted = {3}, .ranking = {3, 5, 17}});
//   std::cout << meter.quality().micro_f1 << '\n';
//
// docs/paper_to_code.md and `otseq2set eval` have the same names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "otseq2set/error.h"

namespace otseq2set::inline v1 {

// All measures are fractions.
struct Quality {
  struct At {
    int k = 0;
    double precision = 0, recall = 0, ndcg = 0, psp = 0, psndcg = 0;
  };

  uint64_t documents = 0;
  uint64_t documents_with_neither = 0;  // true nor predicted labels: 0 in example-F1
  double mean_true_labels = 0, mean_predicted_labels = 0;
  double micro_p = 0, micro_r = 0, micro_f1 = 0;
  double macro_f1 = 0, weighted_f1 = 0, example_f1 = 0;
  std::vector<At> at = {};  // one a k
};

// A document's labels, as numbers from 0.
struct JudgedDocument {
  std::vector<int32_t> truth = {};
  std::vector<int32_t> predicted = {};
  std::vector<int32_t> ranking = {};  // distinct, best first; as many as the largest k, or all that have a score
};

struct QualityOptions {
  size_t labels = 0;                           // over which macro-F1 is the mean, and those beyond that are true
  std::vector<uint32_t> training_counts = {};  // [labels] documents that have each, for PSP and PSnDCG; or none
  uint64_t training_documents = 0;             // 0: all labels weigh the same in PSP and PSnDCG
  double propensity_a = 0.55;                  // 0.6 for the Amazon sets
  double propensity_b = 1.5;                   // 2.6 for the Amazon sets
  std::vector<int> ks = {1, 3, 5};
};

class OTSEQ2SET_API QualityMeter {
 public:
  explicit QualityMeter(const QualityOptions& options);

  void add(const JudgedDocument& document);
  Quality quality() const;

 private:
  struct Sums;
  std::shared_ptr<Sums> sums_;  // copies go on together
};

}  // namespace otseq2set::inline v1
