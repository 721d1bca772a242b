#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "otseq2set/report/figures.h"
#include "otseq2set/report/numbers.h"
#include "otseq2set/report/paper_tables.h"
#include "otseq2set/report/sections.h"

namespace otseq2set::inline report {

namespace {

std::string title_with_set(const SystemResult& system) {
  const std::string set = main_set(system);
  return plain_title(system) + (set == "greedy" ? "" : ", " + set);
}

std::string whole(double value) { return fmt::format("{:.0f}", value); }
std::string one_decimal(double value) { return decimal(value, 1); }
std::string two_decimals(double value) { return decimal(value, 2); }

// The same system trained with both schemes.
struct SchemePair {
  const SystemResult *all, *first_n;
};

std::vector<SchemePair> scheme_pairs(const Systems& systems) {
  std::vector<SchemePair> pairs;
  for (const SystemResult* all : systems) {
    for (const SystemResult* first_n : systems) {
      if (all->scheme == "all" && first_n->scheme == "first_n" && all->title == first_n->title)
        pairs.push_back({all, first_n});
    }
  }
  return pairs;
}

Html scheme_table(const std::vector<SchemePair>& pairs) {
  Table table("micro-F1 in percent, greedy sets. The higher one in bold.");
  table.head({"System", "all", "first-n", "first-n against all"});
  for (const SchemePair& pair : pairs) {
    const std::vector<Summary> f1 = {over_runs(*pair.all, "greedy", &SetResult::micro_f1),
                                     over_runs(*pair.first_n, "greedy", &SetResult::micro_f1)};
    const std::vector<bool> best = best_of(f1, kPercentDecimals + 2);
    const bool both = f1[0].count > 0 && f1[1].count > 0;
    table.row(escaped(pair.all->title),
              {percent_cell(f1[0], best[0]), percent_cell(f1[1], best[1]),
               text_cell(both ? signed_percent(relative_change(f1[0].mean, f1[1].mean), 2) : "–")});
  }
  return table.html();
}

// What the systems trained both ways say about the schemes, as far as the seeds can tell.
class SchemeVerdict {
 public:
  explicit SchemeVerdict(const std::vector<SchemePair>& pairs) {
    for (const SchemePair& pair : pairs) {
      add(over_runs(*pair.all, "greedy", &SetResult::micro_f1),
          over_runs(*pair.first_n, "greedy", &SetResult::micro_f1));
    }
  }

  bool compared() const { return compared_ > 0; }
  std::string text() const {
    if (compared_ == alike_) return "Here the two do equally well. ";
    return compared_ == 1 ? of_one() : of_several();
  }

 private:
  void add(const Summary& all, const Summary& first_n) {
    if (all.count == 0 || first_n.count == 0) return;
    ++compared_;
    difference_ = first_n.mean - all.mean;
    const Difference difference = difference_of(all, first_n);
    if (percent(first_n.mean) == percent(all.mean)) {
      ++alike_;
    } else if (difference == Difference::kWithinSpread) {
      ++within_;
    } else {
      ++(difference_ > 0 ? first_n_ahead_ : all_ahead_);
      unsure_ += difference == Difference::kUnknown;
    }
  }
  std::string of_one() const {
    const char* ahead = difference_ > 0 ? "first-n" : "all";
    const std::string points = percent(std::abs(difference_));
    if (within_ > 0) return fmt::format("Here {} has {} points more, within the spread of the seeds. ", ahead, points);
    if (unsure_ > 0)
      return fmt::format("Here {} has {} points more; with one run, that may be chance. ", ahead, points);
    return fmt::format("Here {} does better, by {} points. ", ahead, points);
  }
  std::string of_several() const {
    std::string text = fmt::format("Of {} systems trained both ways, ", compared_);
    text += first_n_ahead_ + all_ahead_ == 0
                ? "none does better with either"
                : fmt::format("{} {} better with first-n and {} with all", number(first_n_ahead_),
                              first_n_ahead_ > 1 ? "do" : "does", number(all_ahead_));
    if (within_ > 0) {
      text +=
          fmt::format("; {} {} by no more than the spread of the seeds", within_, within_ > 1 ? "differ" : "differs");
    }
    return text + (unsure_ > 0 ? ". With one run of a system, a difference may be chance. " : ". ");
  }
  static std::string number(size_t count) { return count == 0 ? "none" : std::to_string(count); }

  size_t compared_ = 0, alike_ = 0, within_ = 0, first_n_ahead_ = 0, all_ahead_ = 0;
  size_t unsure_ = 0;      // of those ahead, without a second run
  double difference_ = 0;  // of the last pair
};

std::string scheme_text(const std::vector<SchemePair>& pairs, const Systems& systems) {
  const SchemeVerdict verdict(pairs);
  if (verdict.compared()) return verdict.text();
  for (const SystemResult* system : systems) {
    if (!system->scheme.empty())
      return fmt::format("Here all were trained with {}. ", system->scheme == "all" ? "all" : "first-n");
  }
  return "";
}

std::string share_text(const DataResult& data) {
  return fmt::format(
      "{} % of the training documents have no more labels than the mean of {}. The paper ties the difference "
      "between the schemes to this share, and found little difference where it is about half.",
      percent(data.share_at_most_mean, 1), decimal(data.mean_labels, 2));
}

Html share_figure(Illustrator& illustrator, const DataResult& data) {
  Table numbers("Training documents by the number of their labels.");
  numbers.head({"Labels", "Documents", "Share"});
  uint64_t documents = 0;
  for (uint64_t count : data.documents_with_size) documents += count;
  for (size_t size = 0; size < data.documents_with_size.size(); ++size) {
    const uint64_t count = data.documents_with_size[size];
    if (count == 0) continue;
    numbers.row(escaped(std::to_string(size)),
                {text_cell(count_text(count)),
                 text_cell(percent(static_cast<double>(count) / static_cast<double>(documents), 1) + " %")});
  }
  return illustrator.figure("figure-sizes", "Sizes of label sets", "Training documents by the number of their labels.",
                            size_shares_plot(data), numbers);
}

// F1 of a band, over runs. Bands are told apart by where they begin: the last one ends where the most
// frequent label of a run's training documents does, which differs from seed to seed.
std::map<uint64_t, std::vector<double>> f1_by_band(const SystemResult& system) {
  std::map<uint64_t, std::vector<double>> values;
  for (const RunResult& run : system.runs) {
    if (const SetResult* set = find_set(run, main_set(system))) {
      for (const FrequencyBand& band : set->by_frequency)
        if (band.labels > 0) values[band.least].push_back(band.micro_f1);
    }
  }
  return values;
}

// A band of labels, from rare to frequent; the last has no end.
struct Band {
  uint64_t least, labels;
  std::optional<uint64_t> most;
};

std::string band_text(const Band& band) {
  if (!band.most) return count_text(band.least) + " or more";
  if (band.least == *band.most) return count_text(band.least);
  return count_text(band.least) + "–" + count_text(*band.most);
}

std::string frequency_text(const std::vector<Series>& series, const std::vector<Band>& bands) {
  if (bands.size() < 2) return "";
  const size_t tail = bands[0].least == 0 && bands.size() > 2 ? 1 : 0;
  std::string text = fmt::format("Labels with {} training documents against those with {}: ", band_text(bands[tail]),
                                 band_text(bands.back()));
  bool first = true;
  for (const Series& one : series) {
    double rare = NAN, frequent = NAN;
    for (const Point& point : one.points) {
      if (point.x == static_cast<double>(tail)) rare = point.y;
      if (point.x == static_cast<double>(bands.size() - 1)) frequent = point.y;
    }
    if (std::isnan(rare) || std::isnan(frequent)) continue;
    text += fmt::format("{}{} has a micro-F1 of {} % against {} %", first ? "" : "; ", one.title, decimal(rare, 1),
                        decimal(frequent, 1));
    first = false;
  }
  return first ? "" : text + ". ";
}

// The size up to which all but a thousandth of the documents lie; what is beyond is too little to be drawn.
uint64_t common_size(const SetResult& set) {
  double documents = 0, seen = 0;
  for (const SizeRow& row : set.sizes) documents += static_cast<double>(row.documents);
  for (const SizeRow& row : set.sizes) {
    seen += static_cast<double>(row.documents);
    if (documents > 0 && seen >= 0.999 * documents) return row.size;
  }
  return set.sizes.empty() ? 0 : set.sizes.back().size;
}

struct SizeSeries {
  std::vector<Series> means;
  double largest = 1;
};

SizeSeries predicted_sizes(const Systems& systems) {
  SizeSeries result;
  for (const SystemResult* system : systems) {
    std::map<uint64_t, WeightedMean> by_size;
    for (const RunResult& run : system->runs) {
      const SetResult* set = find_set(run, main_set(*system));
      if (!set) continue;
      const uint64_t last = common_size(*set);
      for (const SizeRow& row : set->sizes) {
        if (row.documents > 0 && row.size <= last)
          by_size[row.size].add(row.mean_predicted, static_cast<double>(row.documents));
      }
    }
    Series series{title_with_set(*system), series_colour(*system), {}};
    for (const auto& [size, mean] : by_size) {
      series.points.push_back({static_cast<double>(size), mean.mean(), 0});
      result.largest = std::max(result.largest, static_cast<double>(size));
    }
    if (!series.points.empty()) result.means.push_back(series);
  }
  return result;
}

// Shares of documents by their number of true and of predicted labels.
std::vector<Series> size_distribution(const SystemResult& system) {
  std::map<uint64_t, std::pair<double, double>> counts;
  double truths = 0, predictions = 0;
  for (const RunResult& run : system.runs) {
    const SetResult* set = find_set(run, main_set(system));
    if (!set) continue;
    for (const SizeRow& row : set->sizes) {
      counts[row.size].first += static_cast<double>(row.documents);
      counts[row.size].second += static_cast<double>(row.documents_predicted);
      truths += static_cast<double>(row.documents);
      predictions += static_cast<double>(row.documents_predicted);
    }
  }
  if (truths == 0 || predictions == 0) return {};
  Series truth{"true", 4, {}}, predicted{"predicted by " + title_with_set(system), series_colour(system), {}};
  for (const auto& [size, count] : counts) {
    truth.points.push_back({static_cast<double>(size), 100 * count.first / truths, 0});
    predicted.points.push_back({static_cast<double>(size), 100 * count.second / predictions, 0});
  }
  return {truth, predicted};
}

std::string size_text(const SectionInput& input, const Systems& systems) {
  std::string text;
  for (const SystemResult* system : systems) {
    const Summary mean = over_runs(*system, main_set(*system), &SetResult::mean_predicted_labels);
    if (mean.count > 0)
      text += fmt::format("{}{} predicts {}", text.empty() ? "" : ", ", title_with_set(*system), decimal(mean.mean, 2));
  }
  if (text.empty()) return "";
  return fmt::format("Test documents have {} labels on average; {}. ", decimal(input.results.test.mean_labels, 2),
                     text);
}

}  // namespace

Section scheme_section(const SectionInput& input) {
  Section section{"schemes", "All against first-n", {}};
  const std::vector<SchemePair> pairs = scheme_pairs(input.systems);
  const DataResult& train = input.results.train;
  const bool sizes = std::any_of(train.documents_with_size.begin(), train.documents_with_size.end(),
                                 [](uint64_t count) { return count > 0; });
  if (!sizes && pairs.empty()) return section;
  section.body += paragraph(
      "The matching loss either assigns labels and empty places to all steps of the decoder (all), or labels to the "
      "first n steps and empty places to the rest (first-n). " +
      scheme_text(pairs, input.systems) + (sizes ? share_text(train) : ""));
  Html content;
  if (sizes) content += share_figure(input.illustrator, train);
  Html tables;
  if (!pairs.empty()) tables += scheme_table(pairs);
  if (input.options.compare_paper) tables += paper_scheme_table();
  if (!tables.markup.empty()) content += Html{"<div>\n"} + tables + Html{"</div>\n"};
  section.body += figure_row(content);
  return section;
}

Section frequency_section(const SectionInput& input) {
  Section section{"frequency", "Rare and frequent labels", {}};
  std::map<uint64_t, size_t> places;
  std::map<uint64_t, FrequencyBand> found;
  const Systems shown = champions(input.systems);
  for (const SystemResult* system : shown) {
    for (const auto& [least, values] : f1_by_band(*system)) places[least] = 0;
    for (const RunResult& run : system->runs) {
      for (const SetResult& set : run.sets) {
        for (const FrequencyBand& band : set.by_frequency) found[band.least] = band;
      }
    }
  }
  if (places.empty()) return section;
  std::vector<Band> bands;
  std::vector<std::string> names;
  for (auto& [least, place] : places) {
    place = bands.size();
    bands.push_back({least, found[least].labels, found[least].most});
    names.push_back(least == 0 ? "0" : count_text(least) + "+");
  }
  if (bands.back().least > 0) bands.back().most.reset();
  std::vector<Series> series;
  for (const SystemResult* system : shown) {
    Series one{title_with_set(*system), series_colour(*system), {}};
    for (const auto& [band, values] : f1_by_band(*system))
      one.points.push_back({static_cast<double>(places[band]), 100 * summarise(values).mean, 0});
    if (!one.points.empty()) series.push_back(one);
  }
  const Table numbers = numbers_table(
      "micro-F1 in percent by the number of training documents that have the label.", "Training documents (labels)",
      series,
      [&](double place) {
        const Band& band = bands[static_cast<size_t>(place)];
        return fmt::format("{} ({})", band_text(band), count_text(band.labels));
      },
      two_decimals);
  section.body += paragraph(frequency_text(series, bands) +
                            "The best set model, the best baseline and the best other tool are shown.");
  section.body += figure_row(input.illustrator.figure("figure-frequency", "F1 by frequency of labels",
                                                      "Each band of labels reaches from its number to "
                                                      "that of the next band; rare labels are on the left.",
                                                      frequency_plot(series, names), numbers));
  return section;
}

Section size_section(const SectionInput& input) {
  Section section{"sizes", "Predicted and true set sizes", {}};
  const Systems shown = champions(input.systems);
  const SizeSeries sizes = predicted_sizes(shown);
  if (sizes.means.empty()) return section;
  Html figures = input.illustrator.figure(
      "figure-predicted-sizes", "Predicted against true size",
      "Mean number of predicted labels by number of true labels; on the dashed line they agree.",
      predicted_size_plot(sizes.means, sizes.largest),
      numbers_table("Mean number of predicted labels.", "True labels", sizes.means, whole, two_decimals));
  const std::vector<Series> distribution = size_distribution(*shown.front());
  if (!distribution.empty()) {
    figures += input.illustrator.figure(
        "figure-size-distribution", "Distribution of sizes", "Test documents by their number of labels.",
        size_distribution_plot(distribution),
        numbers_table("Share of the test documents in percent.", "Labels", distribution, whole, one_decimal));
  }
  section.body += paragraph(size_text(input, shown) + "A system that is right about sizes follows the dashed line.");
  section.body += figure_row(figures);
  return section;
}

}  // namespace otseq2set::inline report
