// A figure on its way to gnuplot: axes, series, and how they look.
//
// Colours are not drawn but named. gnuplot gets a colour of its own for each role, and svg.h replaces it by
// the page's variable for that role, so that a figure follows light, dark and print.
//
//   Plot plot;
//   plot.axes("true labels", "predicted labels");
//   plot.add({{1, 1.2}, {2, 2.1}}, "using 1:2 with lines", Role::series(1), "OTSeq2Set");
//   plot.script()
#pragma once

#include <string>
#include <vector>

namespace otseq2set::inline report {

// What a colour is for.
struct Role {
  int group, number;

  static Role ink() { return {1, 1}; }   // text
  static Role axis() { return {2, 1}; }  // axes, lines that only guide the eye
  static Role grid() { return {3, 1}; }
  static Role series(int number) { return {4, number}; }  // 1 .. kSeriesColours
};
constexpr int kSeriesColours = 4;

std::string gnuplot_colour(Role role);                           // "'#040002'"
std::string css_colour(int red, int green, int blue);            // "var(--series-2)"; empty for other colours
std::string gnuplot_text(const std::string& text, size_t most);  // quoted, of at most so many characters
std::string gnuplot_number(double value);                        // NaN for what is not finite

class Plot {
 public:
  // Width of all figures, in the unit of the text (13). On a phone it becomes about 330 pixels.
  static constexpr int kWidth = 400;

  Plot& axes(const std::string& x_label, const std::string& y_label);
  Plot& height(int pixels);  // of the area of the data
  Plot& left(int pixels);    // room for the numbers or names at the left axis
  Plot& set(const std::string& command);
  Plot& names_at(char axis, const std::vector<std::string>& names);  // instead of the numbers 0, 1, ...

  // Rows of numbers drawn as `how` says; with a title it is in the legend above the data.
  Plot& add(const std::vector<std::vector<double>>& rows, const std::string& how, Role role,
            const std::string& title = "");

  bool empty() const { return series_.empty(); }
  std::string script() const;

 private:
  struct Series {
    std::string data, how, title;
    Role role;
  };

  std::string x_label_, y_label_, settings_;
  int height_ = 220, left_ = 38;
  std::vector<Series> series_;
};

}  // namespace otseq2set::inline report
