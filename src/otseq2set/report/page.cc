#include "otseq2set/report/page.h"

#include <fmt/format.h>

#include "otseq2set/report/numbers.h"
#include "otseq2set/report/sections.h"

namespace otseq2set {

namespace {

Html navigation(const std::vector<Section>& sections) {
  Html list;
  for (const Section& section : sections)
    list += {fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, escaped(section.title).markup)};
  return Html{"<nav aria-label=\"Sections\"><ol>\n"} + list + Html{"</ol></nav>\n"};
}

}  // namespace

Page make_page(const Results& results, const ReportOptions& options) {
  const SectionInput input{results, options, compared_systems(results)};
  std::vector<Section> sections;
  for (Section (*make)(const SectionInput&) :
       {main_section, improvement_section, averages_section, ranking_section, origin_section}) {
    Section section = make(input);
    if (!section.body.markup.empty()) sections.push_back(std::move(section));
  }
  Html body;
  for (const Section& section : sections) {
    body += {fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", section.id,
                         escaped(section.title).markup, section.body.markup)};
  }
  const std::string title =
      "Comparison on " + (results.test.name.empty() ? "test documents" : results.test.name);
  Page page;
  page.html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n<title>{0}</title>\n</head>\n"
      "<body>\n<header><h1>{0}</h1></header>\n{1}<main>\n{2}</main>\n</body>\n</html>\n",
      escaped(title).markup, navigation(sections).markup, body.markup);
  return page;
}

}  // namespace otseq2set
