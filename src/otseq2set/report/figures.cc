#include "otseq2set/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "otseq2set/report/numbers.h"

namespace otseq2set::inline report {

namespace {

using Rows = std::vector<std::vector<double>>;

// Circle, square, triangle, diamond: series can be told apart without their colours.
constexpr int kSymbols[kSeriesColours] = {7, 5, 9, 13};
constexpr double kSymbolSizes[kSeriesColours] = {0.7, 0.6, 0.8, 0.8};

Rows rows_of(const Series& series) {
  Rows rows;
  for (const Point& point : series.points) rows.push_back({point.x, point.y, point.spread});
  return rows;
}

std::string symbols(int colour) { return fmt::format("pt {} ps {}", kSymbols[colour - 1], kSymbolSizes[colour - 1]); }

void add_lines(Plot& plot, const std::vector<Series>& all) {
  for (const Series& series : all) {
    plot.add(rows_of(series), "using 1:2 with linespoints lw 2 " + symbols(series.colour), Role::series(series.colour),
             series.title);
  }
}

void add_diagonal(Plot& plot, double from, double to) {
  plot.add({{from, from}, {to, to}}, "using 1:2 with lines lw 1.5 dt (5,5)", Role::axis());
}

// A little room at both ends of an axis of names.
std::string range_of_names(size_t names) {
  return fmt::format("set xrange [-0.4:{}]", static_cast<double>(names) - 0.6);
}

// Tics of whole labels, about eight of them.
std::string whole_tics(double largest) {
  const double step = std::max(1.0, std::ceil(largest / 8));
  return fmt::format("set xtics {0}\n", step);
}

}  // namespace

Table numbers_table(const std::string& caption, const std::string& x_name, const std::vector<Series>& series,
                    const NumberText& x_text, const NumberText& y_text) {
  std::vector<std::string> names = {x_name};
  std::set<double> places;
  for (const Series& one : series) {
    names.push_back(one.title);
    for (const Point& point : one.points) places.insert(point.x);
  }
  Table table(caption);
  table.head(names);
  for (double x : places) {
    std::vector<Cell> cells;
    for (const Series& one : series) {
      cells.push_back(text_cell("–"));
      for (const Point& point : one.points) {
        if (point.x == x) cells.back() = text_cell(y_text(point.y));
      }
    }
    table.row(escaped(x_text(x)), cells);
  }
  return table;
}

int series_colour(const SystemResult& system) {
  if (system.kind == SystemResult::Kind::kOwn) return 1;
  return system.kind == SystemResult::Kind::kBaseline ? 2 : 3;
}

Plot size_shares_plot(const DataResult& data) {
  const double documents = std::accumulate(data.documents_with_size.begin(), data.documents_with_size.end(), 0.0);
  Rows small, large;
  for (size_t size = 0; size < data.documents_with_size.size(); ++size) {
    const auto count = static_cast<double>(data.documents_with_size[size]);
    const auto place = static_cast<double>(size);
    if (count > 0) (place <= data.mean_labels ? small : large).push_back({place, 100 * count / documents});
  }
  Plot plot;
  if (documents == 0) return plot;
  const auto largest = static_cast<double>(data.documents_with_size.size());
  plot.axes("labels of a document", "documents, %");
  plot.set("set boxwidth 0.8").set("set yrange [0:*]").set(whole_tics(largest));
  plot.set(fmt::format("set xrange [-0.6:{}]", largest - 0.4));
  plot.add(small, "using 1:2 with boxes", Role::series(1),
           fmt::format("no more than the mean of {}: {} %", decimal(data.mean_labels, 2),
                       percent(data.share_at_most_mean, 1)));
  plot.add(large, "using 1:2 with boxes", Role::series(2),
           fmt::format("more: {} %", percent(1 - data.share_at_most_mean, 1)));
  return plot;
}

Plot frequency_plot(const std::vector<Series>& series, const std::vector<std::string>& bands) {
  Plot plot;
  plot.axes("training documents with the label", "micro-F1, %").names_at('x', bands);
  plot.set(range_of_names(bands.size())).set("set yrange [0:*]");
  add_lines(plot, series);
  return plot;
}

Plot sweep_plot(const std::vector<Series>& series, const std::string& key, const std::vector<std::string>& values) {
  Plot plot;
  plot.axes(key, "micro-F1, %").names_at('x', values);
  plot.set(range_of_names(values.size())).set("set offsets 0,0,graph 0.05,graph 0.05").left(44);
  for (const Series& one : series) {
    plot.add(rows_of(one), "using 1:($2-$3):(0):(2*$3) with vectors nohead lw 1.2", Role::series(one.colour));
  }
  add_lines(plot, series);
  return plot;
}

Plot time_plot(const std::vector<TimeBar>& bars) {
  Plot plot;
  if (bars.empty()) return plot;
  double longest = 0;
  for (const TimeBar& bar : bars) {
    longest = std::max(longest, std::accumulate(bar.seconds.begin(), bar.seconds.end(), 0.0));
  }
  const bool hours = longest >= 3 * 3600, minutes = !hours && longest >= 180;
  const double unit = hours ? 3600 : minutes ? 60 : 1;

  std::vector<std::string> names;
  std::vector<Rows> rows(5);
  for (size_t i = 0; i < bars.size(); ++i) {
    names.push_back(bars[i].title);
    double from = 0;
    for (size_t part = 0; part < 5; ++part) {
      const double to = from + bars[i].seconds[part] / unit, place = static_cast<double>(i);
      if (to > from) rows[part].push_back({(from + to) / 2, place, from, to, place - 0.36, place + 0.36});
      from = to;
    }
  }
  plot.axes(hours ? "hours of training" : minutes ? "minutes of training" : "seconds of training", "");
  plot.names_at('y', names).left(132).height(static_cast<int>(24 * bars.size()) + 8);
  plot.set(fmt::format("set yrange [{}:-0.6]", static_cast<double>(bars.size()) - 0.4)).set("set xrange [0:*]");
  plot.set("unset grid").set("set grid xtics lt 1 lw 1 dt solid lc rgb " + gnuplot_colour(Role::grid()));
  const char* titles[] = {"encoder", "decoder", "loss", "optimiser", "other"};
  for (int part = 0; part < 5; ++part) {
    plot.add(rows[part], "using 1:2:3:4:5:6 with boxxyerror", part < 4 ? Role::series(part + 1) : Role::axis(),
             titles[part]);
  }
  return plot;
}

Plot curve_plot(const std::vector<Series>& series, const std::string& y_label, const std::string& y_range) {
  double epochs = 1;
  for (const Series& one : series) {
    for (const Point& point : one.points) epochs = std::max(epochs, point.x);
  }
  Plot plot;
  plot.axes("epoch", y_label).left(44);
  plot.set(fmt::format("set xrange [{}:{}]", epochs > 1 ? 1 - 0.03 * epochs : 0, epochs * 1.03 + (epochs > 1 ? 0 : 1)));
  plot.set(whole_tics(epochs)).set("set yrange " + y_range);
  add_lines(plot, series);
  return plot;
}

Plot predicted_size_plot(const std::vector<Series>& series, double largest) {
  Plot plot;
  plot.axes("true labels of a document", "predicted labels, mean");
  plot.set(whole_tics(largest)).set(fmt::format("set xrange [0:{}]", largest + 0.4)).set("set yrange [0:*]");
  if (!series.empty()) add_diagonal(plot, 0, largest);
  add_lines(plot, series);
  return plot;
}

Plot size_distribution_plot(const std::vector<Series>& series) {
  double largest = 1;
  for (const Series& one : series) {
    for (const Point& point : one.points) largest = std::max(largest, point.x);
  }
  Plot plot;
  plot.axes("labels of a document", "documents, %");
  plot.set(whole_tics(largest)).set(fmt::format("set xrange [-0.4:{}]", largest + 0.4)).set("set yrange [0:*]");
  add_lines(plot, series);
  return plot;
}

Plot calibration_plot(const std::vector<Series>& series) {
  Plot plot;
  plot.axes("score", "correct labels, %");
  plot.set("set xrange [0:1]").set("set yrange [0:100]").set("set xtics 0.2").set("set ytics 20");
  if (!series.empty()) plot.add({{0, 0}, {1, 100}}, "using 1:2 with lines lw 1.5 dt (5,5)", Role::axis());
  add_lines(plot, series);
  return plot;
}

}  // namespace otseq2set::inline report
