// gnuplot as a child process, its scripts, and its SVG made ready for a page.
#include "otseq2set/report/figures.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "otseq2set/core/error.h"
#include "otseq2set/report/gnuplot.h"
#include "otseq2set/report/illustrator.h"
#include "otseq2set/report/svg.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool has_gnuplot() {
  try {
    run_gnuplot("gnuplot", "");
    return true;
  } catch (const Error&) {
    return false;
  }
}

Plot small_plot(const std::string& title) {
  Plot plot;
  plot.axes("x axis", "y axis").add({{0, 1}, {1, 2}}, "using 1:2 with linespoints pt 7", Role::series(2), title);
  return plot;
}

TEST(Gnuplot, MissingProgram) {
  EXPECT_EQ(message_of<Error>([] { run_gnuplot("no-such-gnuplot", ""); }),
            "no-such-gnuplot is not installed (Debian: apt install gnuplot-nox)");
}

TEST(Gnuplot, ScriptThatFails) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string message = message_of<Error>([] { run_gnuplot("gnuplot", "plot nothing\n"); });
  EXPECT_TRUE(has(message, "gnuplot failed: line ")) << message;
  EXPECT_FALSE(has(message, "\n"));
}

TEST(Gnuplot, NamesAreNeverCommands) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const TempFolder folder;
  const std::string file = folder.path("made");
  const std::string command = "touch " + file;
  for (const std::string& name : {"`" + command + "`", "' ; system '" + command + "' ; '", "\"`" + command + "`\"",
                                  "x\n!" + command + "\n", "'.system('" + command + "').'", "\\' `" + command + "`"}) {
    Plot plot = small_plot(name);
    plot.axes(name, name).names_at('x', {name});
    const std::string svg = run_gnuplot("gnuplot", plot.script());
    EXPECT_TRUE(has(svg, "</svg>"));
    EXPECT_FALSE(std::filesystem::exists(file)) << name;
  }
}

TEST(Plot, TextsAreQuotedAndCut) {
  EXPECT_EQ(gnuplot_text("it's", 10), "'it’s'");
  EXPECT_EQ(gnuplot_text("a\nb\tc", 10), "'a b c'");
  EXPECT_EQ(gnuplot_text("äöüß", 2), "'äö…'");
  EXPECT_EQ(gnuplot_text("a\xFF", 10), "'a\uFFFD'");
  EXPECT_EQ(gnuplot_number(1.5), "1.5");
  EXPECT_EQ(gnuplot_number(1.0 / 0.0), "NaN");
}

TEST(Plot, EveryRoleHasItsVariable) {
  EXPECT_EQ(gnuplot_colour(Role::series(3)), "'#040003'");
  EXPECT_EQ(css_colour(4, 0, 3), "var(--series-3)");
  EXPECT_EQ(css_colour(4, 0, 5), "");
  EXPECT_EQ(css_colour(1, 0, 1), "var(--ink)");
  EXPECT_EQ(css_colour(255, 255, 255), "");
}

TEST(Svg, ReadyForThePage) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string raw = run_gnuplot("gnuplot", small_plot("<a> & b").script());
  const std::string svg = inline_svg(raw, "fig-1", "A <title>", "What is seen").markup;
  EXPECT_TRUE(has(svg, "role=\"img\" aria-labelledby=\"fig-1-title fig-1-description\""));
  EXPECT_TRUE(has(svg, "<title id=\"fig-1-title\">A &lt;title&gt;</title>"));
  EXPECT_TRUE(has(svg, "<desc id=\"fig-1-description\">What is seen</desc>"));
  EXPECT_TRUE(has(svg, "&lt;a> &amp; b"));
  EXPECT_TRUE(has(svg, "y axis") && has(svg, "x axis"));
  EXPECT_TRUE(has(svg, "var(--series-2)") && has(svg, "var(--ink)") && has(svg, "var(--grid)"));
  for (const char* left :
       {"rgb(", "black", "white", "http", "font-family", "xlink", "gnuplot_plot_1<", "id=\"gp", "#gp"})
    EXPECT_FALSE(has(svg, left)) << left;
  EXPECT_TRUE(has(svg, "href=\"#fig-1-gpPt6\"") && has(svg, "id=\"fig-1-gpPt6\""));
}

TEST(Svg, OfSomethingElse) {
  EXPECT_EQ(message_of<Error>([] { inline_svg("", "f", "", ""); }), "gnuplot did not draw an SVG");
}

TEST(Illustrator, WithoutGnuplotTheNumbersStandThere) {
  Illustrator illustrator("no-such-gnuplot");
  Table numbers("Numbers of it");
  numbers.head({"x", "y"}).row(escaped("1"), {text_cell("2")});
  for (const char* id : {"a", "b"}) {
    const std::string html = illustrator.figure(id, "Title", "Caption", small_plot(""), numbers).markup;
    EXPECT_FALSE(has(html, "<svg") || has(html, "<details"));
    EXPECT_TRUE(has(html, "<td>2</td>") && has(html, "Title."));
  }
  ASSERT_EQ(illustrator.warnings().size(), 1);
  EXPECT_EQ(illustrator.warnings()[0],
            "the report has tables instead of figures: no-such-gnuplot is not installed (Debian: apt install "
            "gnuplot-nox)");
}

TEST(Figures, DrawnEvenWhenThereIsLittle) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::vector<Series> one = {{"one", 1, {{1, 0, 0}}}};
  DataResult data;
  data.documents_with_size = {0, 3};
  data.mean_labels = data.share_at_most_mean = 1;
  for (const Plot& plot : {size_shares_plot(data), frequency_plot(one, {"0", "1+"}), sweep_plot(one, "key", {"1", "2"}),
                           time_plot({{"one", {1, 0, 0, 0, 0}}}), curve_plot(one, "y", "[0:5]"),
                           predicted_size_plot(one, 1), size_distribution_plot(one), calibration_plot(one)}) {
    EXPECT_NO_THROW(inline_svg(run_gnuplot("gnuplot", plot.script()), "f", "t", "d")) << plot.script();
  }
}

}  // namespace
}  // namespace otseq2set
