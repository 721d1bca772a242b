#include "otseq2set/reproduction/set_measures.h"

#include <algorithm>

namespace otseq2set::inline reproduction {

namespace {

// From labels not seen in training to frequent ones.
constexpr uint64_t kBandStarts[] = {0, 1, 5, 10, 50, 100, 500, 1000};

std::vector<FrequencyBand> bands_of(const MetricsReport& report, const std::vector<uint32_t>& counts) {
  struct Sums {
    uint64_t truths = 0, predictions = 0, hits = 0;
    double f1 = 0;
  };
  std::vector<FrequencyBand> bands;
  std::vector<Sums> sums(std::size(kBandStarts));
  for (size_t i = 0; i < std::size(kBandStarts); ++i) {
    const bool last = i + 1 == std::size(kBandStarts);
    bands.push_back({kBandStarts[i], last ? UINT64_MAX : kBandStarts[i + 1] - 1, 0, 0, 0});
  }
  for (const LabelMetrics& label : report.per_label) {
    const uint64_t count = static_cast<size_t>(label.label) < counts.size() ? counts[label.label] : 0;
    const size_t band =
        std::upper_bound(std::begin(kBandStarts), std::end(kBandStarts), count) - std::begin(kBandStarts) - 1;
    sums[band].truths += label.truths;
    sums[band].predictions += label.predictions;
    sums[band].hits += label.hits;
    if (label.truths == 0) continue;
    ++bands[band].labels;
    sums[band].f1 += label.f1;
  }
  for (size_t i = 0; i < bands.size(); ++i) {
    const uint64_t both = sums[i].truths + sums[i].predictions;
    if (both > 0) bands[i].micro_f1 = 2.0 * static_cast<double>(sums[i].hits) / static_cast<double>(both);
    if (bands[i].labels > 0) bands[i].macro_f1 = sums[i].f1 / static_cast<double>(bands[i].labels);
  }
  bands.back().most =
      std::max<uint64_t>(bands.back().least, counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()));
  bands.erase(std::remove_if(bands.begin(), bands.end(), [](const FrequencyBand& band) { return band.labels == 0; }),
              bands.end());
  return bands;
}

}  // namespace

SetMeasures::SetMeasures(std::string name, std::string rule, const MetricsOptions& options)
    : name_(std::move(name)), rule_(std::move(rule)), options_(options), evaluator_(options) {}

void SetMeasures::add(const DocumentResult& document) {
  evaluator_.add(document);
  const size_t truths = document.truth.size(), predicted = document.predicted.size();
  sizes_.resize(std::max({sizes_.size(), truths + 1, predicted + 1}));
  ++sizes_[truths].documents;
  ++sizes_[predicted].predicted;
  sizes_[truths].labels_predicted += predicted;
}

SetResult SetMeasures::result() const {
  const MetricsReport report = evaluator_.report();
  SetResult result{name_,
                   rule_,
                   report.micro_p,
                   report.micro_r,
                   report.micro_f1,
                   report.macro_f1,
                   report.weighted_f1,
                   report.example_f1,
                   report.mean_predicted_labels,
                   report.documents_with_neither,
                   bands_of(report, options_.training_counts),
                   {}};
  for (size_t size = 0; size < sizes_.size(); ++size) {
    const Size& row = sizes_[size];
    const auto documents = static_cast<double>(std::max<uint64_t>(row.documents, 1));
    result.sizes.push_back({size, row.documents, row.predicted, static_cast<double>(row.labels_predicted) / documents});
  }
  return result;
}

void Calibration::add(double score, bool is_true) {
  if (score < kLeast) return;
  const auto place = static_cast<size_t>(std::clamp(score, 0.0, 1.0) * kBins);
  Bin& bin = bins_[std::min(place, kBins - 1)];
  ++bin.predictions;
  bin.trues += is_true;
  bin.scores += score;
}

std::vector<CalibrationBin> Calibration::bins() const {
  std::vector<CalibrationBin> result;
  for (size_t i = 0; i < kBins; ++i) {
    const Bin& bin = bins_[i];
    if (bin.predictions == 0) continue;
    const auto count = static_cast<double>(bin.predictions);
    result.push_back({static_cast<double>(i) / kBins, static_cast<double>(i + 1) / kBins, bin.predictions,
                      bin.scores / count, static_cast<double>(bin.trues) / count});
  }
  return result;
}

}  // namespace otseq2set::inline reproduction
