#include "otseq2set/report/plot.h"

#include <fmt/format.h>

#include <cmath>

#include "otseq2set/text/escaping.h"

namespace otseq2set::inline report {

namespace {

constexpr int kFontSize = 13;
constexpr int kLine = 19;    // from one line of text to the next
constexpr int kBelow = 46;   // numbers and name of the lower axis
constexpr int kRight = 390;  // where the data end
constexpr size_t kLongestTitle = 48, kLongestName = 26;

}  // namespace

std::string gnuplot_colour(Role role) { return fmt::format("'#{:02x}00{:02x}'", role.group, role.number); }

std::string css_colour(int red, int green, int blue) {
  if (green != 0) return "";
  if (red == Role::ink().group && blue == 1) return "var(--ink)";
  if (red == Role::axis().group && blue == 1) return "var(--axis)";
  if (red == Role::grid().group && blue == 1) return "var(--grid)";
  if (red == Role::series(1).group && blue >= 1 && blue <= kSeriesColours) return fmt::format("var(--series-{})", blue);
  return "";
}

// In single quotes gnuplot takes everything as it stands, but a doubled quote at the beginning
// ends the text after all, and what follows would be commands. So no quote that gnuplot knows goes
// in; readers see an apostrophe.
std::string gnuplot_text(const std::string& given, size_t most) {
  const std::string text = xml_text(given);
  std::string kept;
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool starts = (byte & 0xC0) != 0x80;
    if (starts && ++characters > most) {
      kept += "…";
      break;
    }
    if (byte < 0x20 || byte == 0x7F) {
      kept += ' ';
    } else if (text[i] == '\'' || text[i] == '`') {
      kept += "’";
    } else {
      kept += text[i];
    }
  }
  return "'" + kept + "'";
}

std::string gnuplot_number(double value) { return std::isfinite(value) ? fmt::format("{:.8g}", value) : "NaN"; }

Plot& Plot::axes(const std::string& x_label, const std::string& y_label) {
  x_label_ = x_label;
  y_label_ = y_label;
  return *this;
}

Plot& Plot::height(int pixels) {
  height_ = pixels;
  return *this;
}

Plot& Plot::left(int pixels) {
  left_ = pixels;
  return *this;
}

Plot& Plot::set(const std::string& command) {
  settings_ += command + "\n";
  return *this;
}

Plot& Plot::names_at(char axis, const std::vector<std::string>& names) {
  std::string list;
  for (size_t i = 0; i < names.size(); ++i)
    list += fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot_text(names[i], kLongestName), i);
  return set(fmt::format("set {}tics ({})", axis, list));
}

Plot& Plot::add(const std::vector<std::vector<double>>& rows, const std::string& how, Role role,
                const std::string& title) {
  if (rows.empty()) return *this;
  std::string data;
  for (const std::vector<double>& row : rows) {
    for (double value : row) data += gnuplot_number(value) + " ";
    data += "\n";
  }
  series_.push_back({data, how, title, role});
  return *this;
}

std::string Plot::script() const {
  int lines = y_label_.empty() ? 0 : 1;
  for (const Series& series : series_) lines += series.title.empty() ? 0 : 1;
  const int above = lines * kLine + 10, total = above + height_ + kBelow;
  const auto from_top = [total](double pixels) { return 1 - pixels / total; };
  const std::string ink = gnuplot_colour(Role::ink());

  std::string script = fmt::format(
      "set encoding utf8\nset terminal svg noenhanced size {0},{1} dynamic font 'sans-serif,{2}'\n"
      "set lmargin at screen {3:.4f}\nset rmargin at screen {4:.4f}\n"
      "set tmargin at screen {5:.4f}\nset bmargin at screen {6:.4f}\n"
      "set border 1 lc rgb {7}\nset tics nomirror scale 0.4 textcolor rgb {8}\nset ytics scale 0\n"
      "set grid ytics lt 1 lw 1 dt solid lc rgb {9}\nset pointintervalbox 0\n"
      "set style fill solid 1 noborder\n",
      kWidth, total, kFontSize, static_cast<double>(left_) / kWidth, static_cast<double>(kRight) / kWidth,
      from_top(above), static_cast<double>(kBelow) / total, gnuplot_colour(Role::axis()), ink,
      gnuplot_colour(Role::grid()));
  script +=
      fmt::format("set xlabel {} textcolor rgb {} offset 0,0.3\n", gnuplot_text(x_label_, kLongestTitle + 16), ink);
  if (!y_label_.empty()) {
    script += fmt::format("set label 1 {} at screen 0.01,{:.4f} left textcolor rgb {} front\n",
                          gnuplot_text(y_label_, kLongestTitle), from_top(kLine / 2.0), ink);
  }
  script += fmt::format(
      "set key at screen 0.01,{:.4f} left top Left reverse maxcols 1 samplen 1.6 spacing {:.3f} textcolor rgb {}\n",
      from_top(y_label_.empty() ? 0 : kLine), kLine / 18.0, ink);
  script += settings_;

  std::string plot;
  for (size_t i = 0; i < series_.size(); ++i) {
    const Series& series = series_[i];
    script += fmt::format("$data{} << END\n{}END\n", i, series.data);
    const std::string title = series.title.empty() ? "notitle" : "title " + gnuplot_text(series.title, kLongestTitle);
    plot += fmt::format("{}$data{} {} lc rgb {} {}", i == 0 ? "plot " : ", ", i, series.how,
                        gnuplot_colour(series.role), title);
  }
  return script + plot + "\n";
}

}  // namespace otseq2set::inline report
