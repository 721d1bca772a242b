// The report's figures, one function each. All take numbers that are ready to be drawn.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "otseq2set/report/html.h"
#include "otseq2set/report/plot.h"
#include "otseq2set/report/results.h"

namespace otseq2set::inline report {

struct Point {
  double x = 0, y = 0, spread = 0;
};

struct Series {
  std::string title;
  int colour = 1;  // 1 .. kSeriesColours; also decides the symbol
  std::vector<Point> points;
};

// The numbers behind a figure of lines: a row for each x, a column for each series.
using NumberText = std::function<std::string(double)>;
Table numbers_table(const std::string& caption, const std::string& x_name, const std::vector<Series>& series,
                    const NumberText& x_text, const NumberText& y_text);

// Colours stand for the same kind in all figures that compare kinds: set model 1, baseline 2, other tool 3.
int series_colour(const SystemResult& system);

// Bars, a share of documents each, in two colours: no larger than the mean, and larger.
Plot size_shares_plot(const DataResult& data);

// Lines over bands of labels, which stand at 0, 1, ...
Plot frequency_plot(const std::vector<Series>& series, const std::vector<std::string>& bands);

// Lines with the spread over seeds; the values stand at 0, 1, ...
Plot sweep_plot(const std::vector<Series>& series, const std::string& key, const std::vector<std::string>& values);

// One bar a system, split by what the time was spent in.
struct TimeBar {
  std::string title;
  std::array<double, 5> seconds;  // encoder, decoder, loss, optimiser, and what none of them accounts for
};
Plot time_plot(const std::vector<TimeBar>& bars);

// y_range: a gnuplot range, "[0:*]"
Plot curve_plot(const std::vector<Series>& series, const std::string& y_label, const std::string& y_range);

// Against the diagonal, on which predicted and true sizes agree.
Plot predicted_size_plot(const std::vector<Series>& series, double largest);

// How many documents have how many labels.
Plot size_distribution_plot(const std::vector<Series>& series);

// Against the diagonal, on which a score of 0.7 is right 7 times in 10.
Plot calibration_plot(const std::vector<Series>& series);

}  // namespace otseq2set::inline report
