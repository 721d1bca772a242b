#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "otseq2set/report/figures.h"
#include "otseq2set/report/numbers.h"
#include "otseq2set/report/paper_tables.h"
#include "otseq2set/report/sections.h"

namespace otseq2set::inline report {

namespace {

using Kind = SystemResult::Kind;

template <typename Value>
Summary mean_of(const SystemResult& system, std::optional<Value> RunResult::*field) {
  return over_runs(system, [field](const RunResult& run) -> std::optional<double> {
    if (!(run.*field)) return std::nullopt;
    return static_cast<double>(*(run.*field));
  });
}

template <typename Text>
Cell mean_cell(const Summary& value, const Text& text) {
  return text_cell(value.count == 0 ? "–" : text(value.mean));
}

// --- F1 against a value

struct Sweep {
  std::string key;
  std::vector<std::string> values;                                  // in the order given
  std::map<std::string, std::vector<const SystemResult*>> systems;  // by title
};

std::vector<Sweep> sweeps_of(const Results& results) {
  std::vector<Sweep> sweeps;
  for (const SystemResult& system : results.systems) {
    if (system.sweep_key.empty()) continue;
    auto sweep =
        std::find_if(sweeps.begin(), sweeps.end(), [&](const Sweep& one) { return one.key == system.sweep_key; });
    if (sweep == sweeps.end()) sweep = sweeps.insert(sweep, Sweep{system.sweep_key, {}, {}});
    if (std::find(sweep->values.begin(), sweep->values.end(), system.sweep_value) == sweep->values.end())
      sweep->values.push_back(system.sweep_value);
    SystemResult plain;
    plain.title = system.title.empty() ? system.name : system.title;
    plain.scheme = system.scheme;
    sweep->systems[plain_title(plain)].push_back(&system);
  }
  return sweeps;
}

std::vector<Series> sweep_series(const Sweep& sweep) {
  std::vector<Series> all;
  for (const auto& [title, systems] : sweep.systems) {
    for (const char* set : {"greedy", "tuned"}) {
      if (static_cast<int>(all.size()) == kSeriesColours) break;
      Series series{title + ", " + set, static_cast<int>(all.size()) + 1, {}};
      for (size_t i = 0; i < sweep.values.size(); ++i) {
        for (const SystemResult* system : systems) {
          const Summary f1 = over_runs(*system, set, &SetResult::micro_f1);
          if (system->sweep_value == sweep.values[i] && f1.count > 0)
            series.points.push_back({static_cast<double>(i), 100 * f1.mean, 100 * f1.spread});
        }
      }
      if (!series.points.empty()) all.push_back(series);
    }
  }
  return all;
}

std::string sweep_text(const Sweep& sweep, const std::vector<Series>& all) {
  std::string text;
  for (const Series& series : all) {
    const auto by_y = [](const Point& a, const Point& b) { return a.y < b.y; };
    const auto [worst, best] = std::minmax_element(series.points.begin(), series.points.end(), by_y);
    if (decimal(worst->y, 2) == decimal(best->y, 2)) {
      text += fmt::format("{}: {} % with every value. ", series.title, decimal(best->y, 2));
      continue;
    }
    const bool within = best->y - worst->y <= best->spread + worst->spread;
    text += fmt::format("{}: highest with {} = {} at {} %, lowest with {} at {} %{}. ", series.title, sweep.key,
                        sweep.values[static_cast<size_t>(best->x)], decimal(best->y, 2),
                        sweep.values[static_cast<size_t>(worst->x)], decimal(worst->y, 2),
                        within ? ", which is within the spread of the seeds" : "");
  }
  return text;
}

// --- what it took

std::vector<TimeBar> time_bars(const Systems& systems) {
  std::vector<TimeBar> bars;
  for (const SystemResult* system : systems) {
    const auto mean = [&](double TimeSplit::*part) {
      const auto seconds = [part](const RunResult& run) -> std::optional<double> {
        if (!run.times) return std::nullopt;
        return (*run.times).*part;
      };
      return over_runs(*system, seconds).mean;
    };
    if (system->kind == Kind::kPeer || mean_of(*system, &RunResult::training_seconds).count == 0) continue;
    TimeBar bar{
        plain_title(*system),
        {mean(&TimeSplit::encoder), mean(&TimeSplit::decoder), mean(&TimeSplit::loss), mean(&TimeSplit::optimiser)}};
    const double parts = std::accumulate(bar.seconds.begin(), bar.seconds.end(), 0.0);
    bar.seconds.back() = std::max(0.0, mean_of(*system, &RunResult::training_seconds).mean - parts);
    bars.push_back(bar);
  }
  return bars;
}

Table time_table(const std::vector<TimeBar>& bars) {
  Table table("Training time by what it was spent on, means over seeds.");
  table.head({"System", "Encoder", "Decoder", "Loss", "Optimiser", "Other"});
  for (const TimeBar& bar : bars) {
    std::vector<Cell> cells;
    for (double seconds : bar.seconds) cells.push_back(text_cell(duration(seconds)));
    table.row(escaped(bar.title), cells);
  }
  return table;
}

// Of the runs' training times, least and most.
std::pair<double, double> seconds_range(const SystemResult& system) {
  std::pair<double, double> range(std::numeric_limits<double>::infinity(), 0);
  for (const RunResult& run : system.runs) {
    if (!run.training_seconds) continue;
    range = {std::min(range.first, *run.training_seconds), std::max(range.second, *run.training_seconds)};
  }
  return range;
}

Cell seconds_cell(const SystemResult& system, const Summary& seconds) {
  if (seconds.count < 2) return mean_cell(seconds, duration);
  const auto [least, most] = seconds_range(system);
  const std::string from = duration(least), to = duration(most);
  return text_cell(from == to ? from : from + " – " + to);
}

// Of all systems, other tools too: the table shows their times as well.
std::string cost_text(const Systems& systems) {
  struct Timed {
    const SystemResult* system;
    double mean;
    std::pair<double, double> range;
  };
  std::vector<Timed> timed;
  bool other_tools = false;
  for (const SystemResult* system : systems) {
    const Summary seconds = mean_of(*system, &RunResult::training_seconds);
    if (seconds.count == 0) continue;
    timed.push_back({system, seconds.mean, seconds_range(*system)});
    other_tools = other_tools || system->kind == Kind::kPeer;
  }
  std::string note = other_tools ? "For other tools it is the time of their whole training program. " : "";
  if (timed.size() < 2) return note;
  std::stable_sort(timed.begin(), timed.end(), [](const Timed& a, const Timed& b) { return a.mean < b.mean; });
  const Timed &fastest = timed.front(), &slowest = timed.back();
  const auto apart = [](const Timed& a, const Timed& b) { return a.range.second < b.range.first; };
  if (fastest.mean <= 0 || !apart(fastest, slowest)) return note;  // who knows
  const std::string times = decimal(slowest.mean / fastest.mean, 2);
  if (apart(fastest, timed[1]) && apart(timed[timed.size() - 2], slowest)) {
    return fmt::format("{} takes longest to train, {}; that is {} times as long as {}, the quickest. ",
                       plain_title(*slowest.system), duration(slowest.mean), times, plain_title(*fastest.system)) +
           note;
  }
  return fmt::format("On average, training takes from {} ({}) to {} ({}), {} times as long. ", duration(fastest.mean),
                     plain_title(*fastest.system), duration(slowest.mean), plain_title(*slowest.system), times) +
         note;
}

// --- curves

using CurveValue = std::optional<double> (*)(const EpochPoint&);

std::vector<Series> curve_series(const Systems& systems, CurveValue value) {
  std::vector<Series> all;
  for (const SystemResult* system : leading(systems, kSeriesColours)) {
    std::map<int64_t, std::vector<double>> by_epoch;
    for (const RunResult& run : system->runs) {
      for (const EpochPoint& point : run.curve) {
        if (const std::optional<double> found = value(point)) by_epoch[point.epoch].push_back(*found);
      }
    }
    Series series{plain_title(*system), static_cast<int>(all.size()) + 1, {}};
    for (const auto& [epoch, values] : by_epoch) {
      const Summary summary = summarise(values);
      if (summary.count > 0) series.points.push_back({static_cast<double>(epoch), summary.mean, summary.spread});
    }
    if (!series.points.empty()) all.push_back(series);
  }
  return all;
}

std::optional<double> valid_percent(const EpochPoint& point) {
  if (!point.valid_micro_f1) return std::nullopt;
  return 100 * *point.valid_micro_f1;
}
std::optional<double> loss_value(const EpochPoint& point) { return point.loss; }

// One range for both figures, in steps of 5 points: from what is below all values to what is above.
std::string common_range(const std::vector<Series>& some, const std::vector<Series>& others) {
  double least = 100, most = 0;
  for (const std::vector<Series>* all : {&some, &others}) {
    for (const Series& series : *all) {
      for (const Point& point : series.points) {
        least = std::min(least, point.y);
        most = std::max(most, point.y);
      }
    }
  }
  const double from = std::max(0.0, std::floor(least / 5 - 0.1) * 5);
  return fmt::format("[{}:{}]", from, std::max(from + 5, std::ceil(most / 5 + 0.1) * 5));
}

Html curve_figure(const SectionInput& input, const std::string& id, const std::string& title,
                  const std::string& caption, const std::vector<Series>& series, const std::string& y_label,
                  const std::string& range) {
  if (series.empty()) return {};
  const Table numbers = numbers_table(
      title + ".", "Epoch", series, [](double epoch) { return fmt::format("{:.0f}", epoch); },
      [](double value) { return decimal(value, 2); });
  return input.illustrator.figure(id, title, caption, curve_plot(series, y_label, range), numbers);
}

std::string curve_text(const Systems& systems) {
  size_t rising = 0, with_curve = 0;
  for (const SystemResult* system : systems) {
    for (const RunResult& run : system->runs) {
      double best = -1;
      bool last_is_best = false;
      for (const EpochPoint& point : run.curve) {
        if (!point.valid_micro_f1) continue;
        last_is_best = *point.valid_micro_f1 > best;
        best = std::max(best, *point.valid_micro_f1);
      }
      if (best < 0) continue;
      ++with_curve;
      if (last_is_best) ++rising;
    }
  }
  if (with_curve == 0) return "";
  if (rising == 0) return "In no run was the last epoch the best one: more epochs would hardly help. ";
  return fmt::format("In {} of {} runs the last epoch was the best one: there, more epochs might do even better. ",
                     rising, with_curve);
}

}  // namespace

Section sweep_section(const SectionInput& input) {
  Section section{"sweep", "F1 against a setting", {}};
  Html figures;
  std::string text;
  int number = 0;
  for (const Sweep& sweep : sweeps_of(input.results)) {
    const std::vector<Series> series = sweep_series(sweep);
    if (series.empty()) continue;
    text += sweep_text(sweep, series);
    const Table numbers = numbers_table(
        "micro-F1 in percent.", sweep.key, series,
        [&](double place) { return sweep.values[static_cast<size_t>(place)]; },
        [](double value) { return decimal(value, 2); });
    figures += input.illustrator.figure(
        fmt::format("figure-sweep-{}", ++number), "F1 against " + sweep.key,
        "Means over seeds; bars reach one standard deviation up and down. Values are evenly spaced.",
        sweep_plot(series, sweep.key, sweep.values), numbers);
  }
  if (!figures.markup.empty()) section.body = paragraph(text) + figure_row(figures);
  return section;
}

Section cost_section(const SectionInput& input) {
  Section section{"cost", "Time and size", {}};
  Table table("Means over seeds; training times from the shortest to the longest.");
  table.head({"System", "Parameters", "Training", "Documents/s", "Peak memory"});
  bool any = false;
  for (const SystemResult* system : input.systems) {
    const Summary parameters = mean_of(*system, &RunResult::parameters);
    const Summary seconds = mean_of(*system, &RunResult::training_seconds);
    const Summary rate = mean_of(*system, &RunResult::documents_per_second);
    const Summary memory = mean_of(*system, &RunResult::peak_memory_bytes);
    if (parameters.count + seconds.count + rate.count + memory.count == 0) continue;
    any = true;
    table.row(title_of(*system),
              {mean_cell(parameters, millions), seconds_cell(*system, seconds),
               mean_cell(rate, [](double value) { return decimal(value, value < 100 ? 1 : 0); }),
               mean_cell(memory, [](double value) { return bytes_text(static_cast<uint64_t>(value)); })});
  }
  if (!any) return section;
  section.body += paragraph("Training is elapsed time without validation; other work on the machine lengthens it. " +
                            cost_text(input.systems));
  section.body += table.html();
  if (input.options.compare_paper) section.body += paper_cost_table();
  const std::vector<TimeBar> bars = time_bars(input.systems);
  if (!bars.empty()) {
    section.body += figure_row(input.illustrator.figure(
        "figure-times", "Where the time goes",
        "Training time by what it was spent on, means over seeds. Other is time that is not divided: reading "
        "batches, and for SGM all of it, since its steps run on LibTorch's own operations.",
        time_plot(bars), time_table(bars)));
  }
  return section;
}

Section curve_section(const SectionInput& input) {
  Section section{"curves", "Training curves", {}};
  const Systems baselines = of_kind(input.systems, Kind::kBaseline), own = of_kind(input.systems, Kind::kOwn);
  const std::vector<Series> f1_base = curve_series(baselines, valid_percent), f1_own = curve_series(own, valid_percent);
  const std::string range = common_range(f1_base, f1_own);
  const auto f1_figure = [&](const char* id, const char* title, const std::vector<Series>& series) {
    return curve_figure(input, id, title, "micro-F1 of greedy sets on validation documents, means over seeds.", series,
                        "micro-F1, %", range);
  };
  const auto loss_figure = [&](const char* id, const char* title, const Systems& systems) {
    return curve_figure(input, id, title, "Mean loss of an epoch, means over seeds.", curve_series(systems, loss_value),
                        "loss", "[0:*]");
  };
  const Html figures = f1_figure("figure-f1-own", "Validation F1, set models", f1_own) +
                       f1_figure("figure-f1-baselines", "Validation F1, baselines", f1_base) +
                       loss_figure("figure-loss-own", "Loss, set models", own) +
                       loss_figure("figure-loss-baselines", "Loss, baselines", baselines);
  if (figures.markup.empty()) return section;
  const bool cut = baselines.size() > kSeriesColours || own.size() > kSeriesColours;
  section.body += paragraph(
      curve_text(input.systems) +
      "Losses of set models and of baselines are defined differently and cannot be compared." +
      (cut ? fmt::format(" Of each kind, the {} systems with the best micro-F1 are shown.", kSeriesColours) : ""));
  section.body += figure_row(figures);
  return section;
}

}  // namespace otseq2set::inline report
