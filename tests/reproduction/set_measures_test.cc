#include "otseq2set/reproduction/set_measures.h"

#include <gtest/gtest.h>

namespace otseq2set {
namespace {

MetricsOptions options() {
  MetricsOptions options;
  options.labels = 4;
  options.training_counts = {1200, 60, 7, 2};
  options.training_documents = 2000;
  options.ks = {1};
  return options;
}

// Label 4 is not known to the model.
SetMeasures measures() {
  SetMeasures measures("tuned", "labels with luck", options());
  measures.add({{0, 1}, {0}, {0}});
  measures.add({{0, 3, 4}, {0, 1, 3}, {3}});
  measures.add({{}, {}, {1}});
  return measures;
}

TEST(SetMeasures, BandsByTrainingFrequency) {
  const SetResult result = measures().result();
  EXPECT_EQ(result.name, "tuned");
  EXPECT_EQ(result.rule, "labels with luck");
  std::vector<std::vector<double>> bands;
  for (const FrequencyBand& band : result.by_frequency) {
    bands.push_back({static_cast<double>(band.least), static_cast<double>(band.most), static_cast<double>(band.labels),
                     band.micro_f1, band.macro_f1});
  }
  // Label 2 (count 7) is never true, so its band is left out.
  EXPECT_EQ(bands, (std::vector<std::vector<double>>{
                       {0, 0, 1, 0, 0}, {1, 4, 1, 1, 1}, {50, 99, 1, 0, 0}, {1000, 1200, 1, 1, 1}}));
}

TEST(SetMeasures, SizesTrueAndPredicted) {
  std::vector<std::vector<double>> rows;
  for (const SizeRow& row : measures().result().sizes) {
    rows.push_back({static_cast<double>(row.size), static_cast<double>(row.documents),
                    static_cast<double>(row.documents_predicted), row.mean_predicted});
  }
  EXPECT_EQ(rows, (std::vector<std::vector<double>>{{0, 1, 1, 0}, {1, 0, 1, 0}, {2, 1, 0, 1}, {3, 1, 1, 3}}));
}

TEST(SetMeasures, AgreeWithTheEvaluator) {
  const SetResult result = measures().result();
  EXPECT_DOUBLE_EQ(result.micro_p, 3.0 / 4);
  EXPECT_DOUBLE_EQ(result.micro_r, 3.0 / 5);
  EXPECT_DOUBLE_EQ(measures().rankings().at(0).precision, 2.0 / 3);
}

TEST(Calibration, SharesOfTruthByScore) {
  Calibration calibration;
  calibration.add(0.95, true);
  calibration.add(1.0, false);
  calibration.add(0.05, false);
  const auto bins = calibration.bins();
  ASSERT_EQ(bins.size(), 2u);
  EXPECT_EQ(bins[0].least, 0);
  EXPECT_EQ(bins[0].share_true, 0);
  EXPECT_DOUBLE_EQ(bins[1].least, 0.9);
  EXPECT_EQ(bins[1].predictions, 2u);
  EXPECT_DOUBLE_EQ(bins[1].mean_score, 0.975);
  EXPECT_DOUBLE_EQ(bins[1].share_true, 0.5);
}

}  // namespace
}  // namespace otseq2set
