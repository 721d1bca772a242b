#include "otseq2set/report/html.h"

#include <gtest/gtest.h>

#include "otseq2set/report/numbers.h"

namespace otseq2set {
namespace {

TEST(Html, TextIsNeverMarkup) { EXPECT_EQ(escaped("<b>\x1b&").markup, "&lt;b&gt;\uFFFD&amp;"); }

TEST(Html, TitlesHaveTheSchemeWhereThePaperPutsIt) {
  SystemResult system;
  system.title = "BM + LC";
  system.scheme = "first_n";
  EXPECT_EQ(title_of(system).markup, "BM<sub>first-n</sub> + LC");
  system.scheme = "";
  EXPECT_EQ(title_of(system).markup, "BM + LC");
  system.title = "";
  system.name = "<x>";
  EXPECT_EQ(title_of(system).markup, "&lt;x&gt;");
}

TEST(Html, PercentCells) {
  EXPECT_EQ(percent_cell({2, 0.62459, 0.0021}).content.markup, "62.46 <span class=\"spread\">± 0.21</span>");
  EXPECT_EQ(percent_cell({1, 0.62459, 0}).content.markup, "62.46");
  EXPECT_EQ(percent_cell({1, 0.62459, 0}, false, true).content.markup, "62.46 <span class=\"spread\"></span>");
  EXPECT_EQ(percent_cell({}).content.markup, "–");
}

TEST(Html, Tables) {
  Table table("What <it> is");
  table.head({"System", "F1"});
  EXPECT_TRUE(table.empty());
  table.group("Block").row(escaped("a & b"), {{escaped("1"), true}}).rule().row(escaped("c"), {{escaped("0")}});
  EXPECT_FALSE(table.empty());
  const std::string html = table.html().markup;
  for (const char* part : {"What &lt;it&gt; is", "<th scope=\"col\">F1</th>", "colspan=\"2\"><span>Block</span>",
                           "<tr><th scope=\"row\">a &amp; b</th><td class=\"best\">1</td></tr>",
                           "<tr class=\"rule\"><th scope=\"row\">c</th><td>0</td></tr>"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part << "\n" << html;
  }
}

TEST(Numbers, AsTheReportWritesThem) {
  EXPECT_EQ(percent(0.62459), "62.46");
  EXPECT_EQ(percent(-0.005, 1), "−0.5");
  EXPECT_EQ(signed_percent(0.0726, 2), "+7.26 %");
  EXPECT_EQ(signed_percent(-0.0082, 2), "−0.82 %");
  EXPECT_EQ(signed_percent(-0.00001, 2), "±0.00 %");
  EXPECT_EQ(signed_points(0.0504, 2), "+5.04");
  EXPECT_EQ(decimal(std::numeric_limits<double>::quiet_NaN(), 2), "–");
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(duration(8.34), "8.3 s");
  EXPECT_EQ(duration(59.96), "1 min");
  EXPECT_EQ(duration(3599), "1 h 00 min");
  EXPECT_EQ(duration(11100), "3 h 05 min");
  EXPECT_EQ(bytes_text(1'250'000'000), "1.25 GB");
  EXPECT_EQ(bytes_text(52'400'000), "52 MB");
  EXPECT_EQ(millions(3'214'000), "3.21 M");
  EXPECT_EQ(millions(38'114), "38,114");
}

}  // namespace
}  // namespace otseq2set
