// How good are the predicted sets and rankings? Every metric of the field, from one pass over the documents.
//
// Of sets. With TP the labels both true and predicted:
//   micro-P, micro-R, micro-F1   over all (document, label) pairs
//   macro-F1                     mean of F1 over the labels that the model knows or that are true somewhere;
//                                a label never true nor predicted counts 0
//   weighted-F1                  the same, weighted by the number of documents the label is true in
//   example-F1                   mean over documents of 2 TP / (predicted + true); neither = 0, and counted
//
// Of rankings, means over documents, hit_r = the label at rank r is true, discount_r = 1 / log2(r + 1):
//   P@k     sum_{r<=k} hit_r / k                  always divided by k, however short the ranking
//   R@k     sum_{r<=k} hit_r / true               0 for a document without true labels
//   nDCG@k  sum_{r<=k} hit_r discount_r / sum_{r<=min(k, true)} discount_r, 0 likewise
//
// Of rankings, for rare labels (Jain, Prabhu and Varma 2016), ratios of sums over documents:
//   PSP@k     sum_{r<=k} hit_r / p              over the same sum for the best ranking,
//   PSnDCG@k  sum_{r<=k} hit_r discount_r / p   which has the true labels by falling 1 / p
//   1 / p_l = 1 + C (n_l + B)^-A,   C = (ln N - 1) (B + 1)^A
// with n_l of N training documents having label l. C would be negative for N < 3, where rarity means nothing;
// it is then 0 and all labels weigh the same.
//
// A quotient whose divisor is zero is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace otseq2set::inline evaluation {

// Labels are indexes. Those of the model are 0 .. labels - 1; a true label that the model does not know has
// an index beyond: a miss, with training count 0. A label given twice in a set counts once.
struct DocumentResult {
  std::vector<int32_t> truth;
  std::vector<int32_t> predicted;
  // Distinct labels, best first; as many as the largest k, or all labels if there are fewer.
  std::vector<int32_t> ranking;
};

struct MetricsOptions {
  size_t labels = 0;                      // that the model knows
  std::vector<uint32_t> training_counts;  // [labels] n_l; empty if unknown, then all 0
  uint64_t training_documents = 0;        // N
  double propensity_a = 0.55;             // 0.6 for the Amazon sets; >= 0
  double propensity_b = 1.5;              // 2.6 for the Amazon sets; > 0
  std::vector<int> ks = {1, 3, 5};        // each >= 1
};

struct RankingMetrics {
  int k = 0;
  double precision = 0, recall = 0, ndcg = 0, psp = 0, psndcg = 0;
};

struct LabelMetrics {
  int32_t label = 0;
  uint64_t truths = 0, predictions = 0, hits = 0;  // documents
  double precision = 0, recall = 0, f1 = 0;
};

// All values are fractions, 0 .. 1.
struct MetricsReport {
  uint64_t documents = 0;
  uint64_t documents_with_neither = 0;  // without true and without predicted labels: 0 in example-F1
  double mean_true_labels = 0, mean_predicted_labels = 0;
  double micro_p = 0, micro_r = 0, micro_f1 = 0;
  double macro_f1 = 0, weighted_f1 = 0, example_f1 = 0;
  std::vector<RankingMetrics> at;       // one per k, in the order of the options
  std::vector<LabelMetrics> per_label;  // all labels of the model, then the others met, by index
};

// Sums in the order in which documents are added, on one thread: the same documents give the same bits.
class Evaluator {
 public:
  explicit Evaluator(MetricsOptions options);

  void add(const DocumentResult& document);
  MetricsReport report() const;

 private:
  struct Counts {
    uint64_t truths = 0, predictions = 0, hits = 0;
  };
  struct RankingSums {
    double precision = 0, recall = 0, ndcg = 0;
    double psp = 0, best_psp = 0, psdcg = 0, best_psdcg = 0;
  };

  void add_sets(const std::vector<int32_t>& truth, const std::vector<int32_t>& predicted);
  void add_ranking(const std::vector<int32_t>& truth, const std::vector<int32_t>& ranking);
  Counts& counts(int32_t label);
  double inverse_propensity(int32_t label) const;
  void report_sets(MetricsReport& report) const;
  void report_labels(MetricsReport& report) const;
  void report_rankings(MetricsReport& report) const;

  MetricsOptions options_;
  double propensity_c_;
  uint64_t documents_ = 0, documents_with_neither_ = 0;
  Counts total_;
  double example_f1_ = 0;
  std::vector<Counts> known_;        // [labels]
  std::map<int32_t, Counts> other_;  // labels the model does not know
  std::vector<RankingSums> sums_;    // [ks]
};

}  // namespace otseq2set::inline evaluation
