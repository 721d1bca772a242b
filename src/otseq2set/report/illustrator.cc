#include "otseq2set/report/illustrator.h"

#include <fmt/format.h>

#include "otseq2set/core/error.h"
#include "otseq2set/report/gnuplot.h"
#include "otseq2set/report/svg.h"

namespace otseq2set::inline report {

// After a first failure no more is tried: one line says it all.
Html Illustrator::drawn(const std::string& id, const std::string& title, const std::string& caption, const Plot& plot) {
  if (!warnings_.empty() || plot.empty()) return {};
  try {
    return inline_svg(run_gnuplot(gnuplot_, plot.script()), id, title, caption);
  } catch (const Error& error) {
    warnings_.push_back(fmt::format("the report has tables instead of figures: {}", error.what()));
    return {};
  }
}

Html Illustrator::figure(const std::string& id, const std::string& title, const std::string& caption, const Plot& plot,
                         const Table& numbers) {
  const Html svg = drawn(id, title, caption, plot);
  Html content = svg;
  content += element("figcaption", element("strong", escaped(title + ".")) + escaped(" " + caption)) + Html{"\n"};
  if (svg.markup.empty()) {
    content += numbers.html();
  } else {
    content += Html{"<details><summary>Numbers</summary>\n"} + numbers.html() + Html{"</details>\n"};
  }
  return element("figure", content) + Html{"\n"};
}

Html figure_row(const Html& figures) { return Html{"<div class=\"figures\">\n"} + figures + Html{"</div>\n"}; }

}  // namespace otseq2set::inline report
