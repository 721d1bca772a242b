#include <fmt/format.h>

#include <cmath>
#include <map>

#include "otseq2set/report/figures.h"
#include "otseq2set/report/numbers.h"
#include "otseq2set/report/sections.h"

namespace otseq2set::inline report {

namespace {

constexpr double kFewestPredictions = 20;  // in a bin; below it, the share of right ones says little

// A bin over all runs of a system.
struct PooledBin {
  WeightedMean score, share;
};

std::map<double, PooledBin> pooled(const SystemResult& system) {
  std::map<double, PooledBin> bins;  // by the lower bound
  for (const RunResult& run : system.runs) {
    for (const CalibrationBin& bin : run.calibration) {
      if (bin.predictions == 0) continue;
      bins[bin.least].score.add(bin.mean_score, static_cast<double>(bin.predictions));
      bins[bin.least].share.add(bin.share_true, static_cast<double>(bin.predictions));
    }
  }
  return bins;
}

std::string reading(const SystemResult& system, const std::map<double, PooledBin>& bins) {
  WeightedMean error, excess;
  for (const auto& [least, bin] : bins) {
    const double difference = bin.score.mean() - bin.share.mean();
    error.add(std::abs(difference), bin.score.weight);
    excess.add(difference, bin.score.weight);
  }
  return fmt::format("{}: scores are off by {} points on average and {} points too {} overall. ", plain_title(system),
                     percent(error.mean(), 1), percent(std::abs(excess.mean()), 1),
                     excess.mean() >= 0 ? "high" : "low");
}

}  // namespace

Section calibration_section(const SectionInput& input) {
  Section section{"calibration", "Calibration of the scores", {}};
  std::vector<Series> series;
  std::string text;
  for (const SystemResult* system : champions(input.systems)) {
    const std::map<double, PooledBin> bins = pooled(*system);
    Series one{plain_title(*system), series_colour(*system), {}};
    for (const auto& [least, bin] : bins) {
      if (bin.score.weight >= kFewestPredictions) one.points.push_back({bin.score.mean(), 100 * bin.share.mean(), 0});
    }
    if (one.points.empty()) continue;
    series.push_back(one);
    text += reading(*system, bins);
  }
  if (series.empty()) return section;
  const Table numbers = numbers_table(
      "Share of correct labels in percent by mean score.", "Mean score", series,
      [](double score) { return decimal(score, 3); }, [](double share) { return decimal(share, 1); });
  section.body += paragraph(
      "A score can be taken as a probability if the points lie on the dashed line; below it, scores are "
      "too high. " +
      text);
  section.body += figure_row(input.illustrator.figure(
      "figure-calibration", "Calibration",
      fmt::format("Labels with a score of at least 0.01, and how "
                  "many of them are correct; bins with fewer than {:.0f} predictions are left out.",
                  kFewestPredictions),
      calibration_plot(series), numbers));
  return section;
}

}  // namespace otseq2set::inline report
