#include "otseq2set/evaluation/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "otseq2set/core/error.h"
#include "otseq2set/core/random.h"
#include "otseq2set/evaluation/metrics_table.h"

namespace otseq2set {
namespace {

// Four labels, 8 training documents, A = B = 1. Label 9 is true somewhere, but the model does not know it.
//
//        truth   predicted   ranking        TP
//   d0   0 1     0 2         0 2 1 3        1
//   d1   2 9     2           3 2 0 1        1
//   d2   -       -           0 1 2 3        0
//   d3   0       1           1 0 3 2        0
MetricsReport small_report() {
  MetricsOptions options;
  options.labels = 4;
  options.training_counts = {4, 2, 1, 0};
  options.training_documents = 8;
  options.propensity_a = 1.0;
  options.propensity_b = 1.0;
  options.ks = {1, 3};
  Evaluator evaluator(options);
  evaluator.add({{0, 1}, {0, 2}, {0, 2, 1, 3}});
  evaluator.add({{2, 9}, {2}, {3, 2, 0, 1}});
  evaluator.add({{}, {}, {0, 1, 2, 3}});
  evaluator.add({{0}, {1}, {1, 0, 3, 2}});
  return evaluator.report();
}

constexpr double kExact = 1e-15;

TEST(Metrics, SetsByHand) {
  const MetricsReport report = small_report();
  EXPECT_EQ(report.documents, 4u);
  EXPECT_EQ(report.documents_with_neither, 1u);                // d2
  EXPECT_NEAR(report.mean_true_labels, 5.0 / 4, kExact);       // 2 + 2 + 0 + 1
  EXPECT_NEAR(report.mean_predicted_labels, 4.0 / 4, kExact);  // 2 + 1 + 0 + 1
  EXPECT_NEAR(report.micro_p, 2.0 / 4, kExact);                // 2 hits of 4 predicted
  EXPECT_NEAR(report.micro_r, 2.0 / 5, kExact);                // 2 hits of 5 true
  EXPECT_NEAR(report.micro_f1, 4.0 / 9, kExact);               // 2 * 2 / (4 + 5)
  EXPECT_NEAR(report.macro_f1, (2.0 / 3 + 2.0 / 3) / 5,
              kExact);  // labels 0 and 2 have 2/3; 1, 3 and 9 have 0
  EXPECT_NEAR(report.weighted_f1, (2 * 2.0 / 3 + 1 * 2.0 / 3) / 5, kExact);  // 0 is true twice, 2 once, of 5
  EXPECT_NEAR(report.example_f1, (2.0 / 4 + 2.0 / 3 + 0 + 0) / 4, kExact);
}

TEST(Metrics, LabelsByHand) {
  const std::vector<LabelMetrics> rows = small_report().per_label;
  ASSERT_EQ(rows.size(), 5u);
  const auto expect_row = [&](size_t at, int32_t label, uint64_t truths, uint64_t predictions, uint64_t hits,
                              double precision, double recall, double f1) {
    EXPECT_EQ(rows[at].label, label);
    EXPECT_EQ(rows[at].truths, truths);
    EXPECT_EQ(rows[at].predictions, predictions);
    EXPECT_EQ(rows[at].hits, hits);
    EXPECT_NEAR(rows[at].precision, precision, kExact);
    EXPECT_NEAR(rows[at].recall, recall, kExact);
    EXPECT_NEAR(rows[at].f1, f1, kExact);
  };
  expect_row(0, 0, 2, 1, 1, 1.0, 0.5, 2.0 / 3);
  expect_row(1, 1, 1, 1, 0, 0.0, 0.0, 0.0);
  expect_row(2, 2, 1, 2, 1, 0.5, 1.0, 2.0 / 3);
  expect_row(3, 3, 0, 0, 0, 0.0, 0.0, 0.0);
  expect_row(4, 9, 1, 0, 0, 0.0, 0.0, 0.0);
}

TEST(Metrics, RankingsByHand) {
  const std::vector<RankingMetrics> at = small_report().at;
  ASSERT_EQ(at.size(), 2u);
  ASSERT_EQ(at[0].k, 1);
  ASSERT_EQ(at[1].k, 3);
  // True at ranks: d0 1 and 3; d1 2; d2 none; d3 2.
  EXPECT_NEAR(at[0].precision, (1.0 + 0 + 0 + 0) / 4, kExact);
  EXPECT_NEAR(at[1].precision, (2.0 + 1 + 0 + 1) / 3 / 4, kExact);
  EXPECT_NEAR(at[0].recall, (1.0 / 2 + 0 + 0 + 0) / 4, kExact);
  EXPECT_NEAR(at[1].recall, (2.0 / 2 + 1.0 / 2 + 0 + 1) / 4, kExact);
  // Discounts 1, second, 1/2. The best DCG@3 is 1 + second for two true labels, 1 for one.
  const double second = 1 / std::log2(3.0);
  EXPECT_NEAR(at[0].ndcg, 1.0 / 4, kExact);
  EXPECT_NEAR(at[1].ndcg, ((1 + 0.5) / (1 + second) + second / (1 + second) + 0 + second / 1) / 4, kExact);
}

TEST(Metrics, PropensitiesByHand) {
  const std::vector<RankingMetrics> at = small_report().at;
  // C = (ln 8 - 1) * 2, 1 / p = 1 + C / (n + 1) with n = 4, 2, 1, 0; label 9 has n = 0 too.
  const double c = (std::log(8.0) - 1) * 2;
  const double w0 = 1 + c / 5, w1 = 1 + c / 3, w2 = 1 + c / 2, w9 = 1 + c;
  // Best first: d0 1 0, d1 9 2, d3 0.
  EXPECT_NEAR(at[0].psp, w0 / (w1 + w9 + w0), kExact);
  EXPECT_NEAR(at[1].psp, (w0 + w1 + w2 + w0) / (w1 + w0 + w9 + w2 + w0), kExact);
  const double second = 1 / std::log2(3.0);
  EXPECT_NEAR(at[0].psndcg, w0 / (w1 + w9 + w0), kExact);
  EXPECT_NEAR(at[1].psndcg, (w0 + w1 / 2 + w2 * second + w0 * second) / (w1 + w0 * second + w9 + w2 * second + w0),
              kExact);
}

// The definitions once more, over dense 0/1 tables instead of counts.
class NaiveMetrics {
 public:
  NaiveMetrics(const MetricsOptions& options, const std::vector<DocumentResult>& documents)
      : options_(options), documents_(documents) {}

  static bool has(const std::vector<int32_t>& labels, int32_t label) {
    return std::count(labels.begin(), labels.end(), label) > 0;
  }
  static double size(const std::vector<int32_t>& labels) {
    return static_cast<double>(std::set<int32_t>(labels.begin(), labels.end()).size());
  }

  double label_f1(int32_t label) const {
    double hits = 0, misses = 0, wrong = 0;
    for (const DocumentResult& document : documents_) {
      const bool is_true = has(document.truth, label), is_predicted = has(document.predicted, label);
      hits += is_true && is_predicted;
      misses += is_true && !is_predicted;
      wrong += !is_true && is_predicted;
    }
    const double precision = hits == 0 ? 0 : hits / (hits + wrong), recall = hits == 0 ? 0 : hits / (hits + misses);
    return hits == 0 ? 0 : 2 * precision * recall / (precision + recall);
  }

  double occurrences(int32_t label) const {
    return static_cast<double>(std::count_if(documents_.begin(), documents_.end(), [&](const DocumentResult& document) {
      return has(document.truth, label);
    }));
  }

  std::set<int32_t> universe() const {
    std::set<int32_t> labels;
    for (size_t label = 0; label < options_.labels; ++label) labels.insert(static_cast<int32_t>(label));
    for (const DocumentResult& document : documents_) labels.insert(document.truth.begin(), document.truth.end());
    return labels;
  }

  double macro_f1() const {
    double sum = 0;
    for (int32_t label : universe()) sum += label_f1(label);
    return sum / static_cast<double>(universe().size());
  }

  double weighted_f1() const {
    double sum = 0, weights = 0;
    for (int32_t label : universe()) {
      sum += occurrences(label) * label_f1(label);
      weights += occurrences(label);
    }
    return sum / weights;
  }

  double hits(const DocumentResult& document) const {
    double count = 0;
    for (int32_t label : std::set<int32_t>(document.predicted.begin(), document.predicted.end())) {
      count += has(document.truth, label);
    }
    return count;
  }

  double micro_f1() const {
    double both = 0, predicted = 0, truths = 0;
    for (const DocumentResult& document : documents_) {
      both += hits(document);
      predicted += size(document.predicted);
      truths += size(document.truth);
    }
    const double precision = both / predicted, recall = both / truths;
    return 2 * precision * recall / (precision + recall);
  }

  double example_f1() const {
    double sum = 0;
    for (const DocumentResult& document : documents_) {
      const double both = size(document.predicted) + size(document.truth);
      if (both > 0) sum += 2 * hits(document) / both;
    }
    return sum / static_cast<double>(documents_.size());
  }

  double weight(int32_t label) const {
    const double n = label < static_cast<int32_t>(options_.labels) ? options_.training_counts[label] : 0;
    const double a = options_.propensity_a, b = options_.propensity_b;
    const double c = (std::log(static_cast<double>(options_.training_documents)) - 1) * std::pow(b + 1, a);
    const double propensity = 1 / (1 + c * std::exp(-a * std::log(n + b)));
    return 1 / propensity;
  }

  // sum over the first k ranks of the true labels' weights, discounted or not.
  double gain(const DocumentResult& document, const std::vector<int32_t>& ranking, int k, bool discounted,
              bool weighted) const {
    double sum = 0;
    for (int rank = 0; rank < k && rank < static_cast<int>(ranking.size()); ++rank) {
      if (!has(document.truth, ranking[rank])) continue;
      sum += (weighted ? weight(ranking[rank]) : 1.0) / (discounted ? std::log(rank + 2.0) / std::log(2.0) : 1.0);
    }
    return sum;
  }

  std::vector<int32_t> best_ranking(const DocumentResult& document) const {
    const std::set<int32_t> distinct(document.truth.begin(), document.truth.end());
    std::vector<int32_t> best(distinct.begin(), distinct.end());
    std::stable_sort(best.begin(), best.end(), [&](int32_t a, int32_t b) { return weight(a) > weight(b); });
    return best;
  }

  RankingMetrics at(int k) const {
    RankingMetrics metrics;
    double gains = 0, best_gains = 0, discounted = 0, best_discounted = 0;
    for (const DocumentResult& document : documents_) {
      const std::vector<int32_t> best = best_ranking(document);
      const double n = static_cast<double>(documents_.size());
      metrics.precision += gain(document, document.ranking, k, false, false) / k / n;
      if (!best.empty()) {
        metrics.recall += gain(document, document.ranking, k, false, false) / size(document.truth) / n;
        metrics.ndcg += gain(document, document.ranking, k, true, false) / gain(document, best, k, true, false) / n;
      }
      gains += gain(document, document.ranking, k, false, true);
      best_gains += gain(document, best, k, false, true);
      discounted += gain(document, document.ranking, k, true, true);
      best_discounted += gain(document, best, k, true, true);
    }
    metrics.psp = gains / best_gains;
    metrics.psndcg = discounted / best_discounted;
    return metrics;
  }

 private:
  const MetricsOptions& options_;
  const std::vector<DocumentResult>& documents_;
};

MetricsOptions random_options(RandomStream& random) {
  MetricsOptions options;
  options.labels = 30;
  options.training_documents = 500;
  for (size_t i = 0; i < options.labels; ++i) options.training_counts.push_back(random.below(1 + random.below(100)));
  options.ks = {1, 3, 5, 40};
  return options;
}

// Small sets of labels, some of them unknown to the model, some given twice, some empty.
DocumentResult random_document(RandomStream& random) {
  DocumentResult document;
  for (uint64_t i = random.below(8); i > 0; --i) document.truth.push_back(random.below(34));
  for (uint64_t i = random.below(8); i > 0; --i) {
    const bool copy = !document.truth.empty() && random.below(2) == 0;
    const int32_t label = copy ? document.truth[random.below(document.truth.size())] : random.below(30);
    if (label < 30) document.predicted.push_back(label);
  }
  document.ranking.resize(30);
  std::iota(document.ranking.begin(), document.ranking.end(), 0);
  random.shuffle(document.ranking);
  return document;
}

TEST(Metrics, EqualTheDefinitionsOnRandomData) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    RandomStream random(seed, "metrics test");
    const MetricsOptions options = random_options(random);
    std::vector<DocumentResult> documents;
    Evaluator evaluator(options);
    for (int i = 0; i < 200; ++i) evaluator.add(documents.emplace_back(random_document(random)));
    const MetricsReport report = evaluator.report();
    const NaiveMetrics naive(options, documents);
    EXPECT_NEAR(report.micro_f1, naive.micro_f1(), 1e-12);
    EXPECT_NEAR(report.macro_f1, naive.macro_f1(), 1e-12);
    EXPECT_NEAR(report.weighted_f1, naive.weighted_f1(), 1e-12);
    EXPECT_NEAR(report.example_f1, naive.example_f1(), 1e-12);
    for (const RankingMetrics& at : report.at) {
      const RankingMetrics expected = naive.at(at.k);
      EXPECT_NEAR(at.precision, expected.precision, 1e-12) << at.k;
      EXPECT_NEAR(at.recall, expected.recall, 1e-12) << at.k;
      EXPECT_NEAR(at.ndcg, expected.ndcg, 1e-12) << at.k;
      EXPECT_NEAR(at.psp, expected.psp, 1e-12) << at.k;
      EXPECT_NEAR(at.psndcg, expected.psndcg, 1e-12) << at.k;
    }
  }
}

TEST(Metrics, PerfectAnswersGetOne) {
  MetricsOptions options;
  options.labels = 3;
  options.training_counts = {50, 5, 1};
  options.training_documents = 100;
  options.ks = {1, 3};
  Evaluator evaluator(options);
  evaluator.add({{0, 1, 2}, {2, 1, 0}, {2, 1, 0}});
  const MetricsReport report = evaluator.report();
  for (double value :
       {report.micro_p, report.micro_r, report.micro_f1, report.macro_f1, report.weighted_f1, report.example_f1,
        report.at[0].psp, report.at[1].psp, report.at[1].psndcg, report.at[1].ndcg, report.at[1].recall}) {
    EXPECT_NEAR(value, 1.0, kExact);
  }
}

// Every quotient with nothing below it: no documents, no labels, nothing true, nothing predicted.
TEST(Metrics, NothingIsZero) {
  const auto expect_zero = [](const MetricsReport& report) {
    for (double value : {report.micro_p, report.micro_r, report.micro_f1, report.macro_f1, report.weighted_f1,
                         report.example_f1, report.mean_true_labels}) {
      EXPECT_EQ(value, 0.0);
    }
    for (const RankingMetrics& at : report.at) {
      for (double value : {at.precision, at.recall, at.ndcg, at.psp, at.psndcg}) EXPECT_EQ(value, 0.0);
    }
  };
  Evaluator evaluator(MetricsOptions{});
  expect_zero(evaluator.report());
  evaluator.add({});
  expect_zero(evaluator.report());
  evaluator.add({{}, {3}, {3}});
  expect_zero(evaluator.report());
}

TEST(Metrics, FewTrainingDocumentsWeighAllLabelsTheSame) {
  for (uint64_t training_documents : {0, 1, 2}) {
    MetricsOptions options;
    options.labels = 2;
    options.training_counts = {2, 0};
    options.training_documents = training_documents;
    options.ks = {1};
    Evaluator evaluator(options);
    evaluator.add({{0}, {}, {0, 1}});
    evaluator.add({{1}, {}, {0, 1}});
    EXPECT_EQ(evaluator.report().at[0].psp, 0.5);
  }
}

// A predicted label that is neither the model's nor true anywhere is wrong, but not a label of macro-F1.
TEST(Metrics, ForeignPredictionIsWrong) {
  MetricsOptions options;
  options.labels = 1;
  Evaluator evaluator(options);
  evaluator.add({{0}, {0, 7}, {0}});
  EXPECT_EQ(evaluator.report().micro_p, 0.5);
  EXPECT_EQ(evaluator.report().macro_f1, 1.0);
}

TEST(Metrics, WrongOptionsAreUsageErrors) {
  const auto with = [](double a, double b, int k) {
    MetricsOptions options;
    options.propensity_a = a;
    options.propensity_b = b;
    options.ks = {k};
    Evaluator evaluator(options);
  };
  EXPECT_NO_THROW(with(0.6, 2.6, 1));
  EXPECT_THROW(with(-1, 1, 1), UsageError);
  EXPECT_THROW(with(1, 0, 1), UsageError);
  EXPECT_THROW(with(1, NAN, 1), UsageError);
  EXPECT_THROW(with(1, 1, 0), UsageError);
}

TEST(MetricsTable, Text) {
  const std::string expected =
      "micro-P      50.00   micro-R      40.00   micro-F1     44.44\n"
      "macro-F1     26.67   weighted-F1  40.00   example-F1   29.17\n"
      "P@1          25.00   P@3          33.33\n"
      "R@1          12.50   R@3          62.50\n"
      "nDCG@1       25.00   nDCG@3       48.44\n"
      "PSP@1        22.69   PSP@3        67.84\n"
      "PSnDCG@1     22.69   PSnDCG@3     52.86\n"
      "4 documents, 1.25 true and 1.00 predicted labels each\n"
      "documents with neither true nor predicted labels, 0 in example-F1: 1\n";
  EXPECT_EQ(to_table(small_report()), expected);
}

TEST(MetricsTable, Json) {
  const auto json = nlohmann::ordered_json::parse(to_json(small_report()));
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  const std::vector<std::string> expected = {"documents",
                                             "documents_with_neither",
                                             "mean_true_labels",
                                             "mean_predicted_labels",
                                             "micro-P",
                                             "micro-R",
                                             "micro-F1",
                                             "macro-F1",
                                             "weighted-F1",
                                             "example-F1",
                                             "P@1",
                                             "P@3",
                                             "R@1",
                                             "R@3",
                                             "nDCG@1",
                                             "nDCG@3",
                                             "PSP@1",
                                             "PSP@3",
                                             "PSnDCG@1",
                                             "PSnDCG@3"};
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(json["documents"], 4);
  EXPECT_EQ(json["micro-P"], 0.5);
  EXPECT_EQ(json["R@3"], 0.625);
}

TEST(MetricsTable, PerLabel) {
  const std::string tsv = per_label_tsv(small_report(), [](int32_t label) {
    return label == 9 ? std::string("two\twords\n") : "label " + std::to_string(label);
  });
  EXPECT_EQ(tsv,
            "label\ttrue\tpredicted\thits\tprecision\trecall\tf1\n"
            "label 0\t2\t1\t1\t1.000000\t0.500000\t0.666667\n"
            "label 1\t1\t1\t0\t0.000000\t0.000000\t0.000000\n"
            "label 2\t1\t2\t1\t0.500000\t1.000000\t0.666667\n"
            "label 3\t0\t0\t0\t0.000000\t0.000000\t0.000000\n"
            "two words \t1\t0\t0\t0.000000\t0.000000\t0.000000\n");
}

}  // namespace
}  // namespace otseq2set
