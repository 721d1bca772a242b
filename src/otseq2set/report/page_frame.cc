#include "otseq2set/report/page_frame.h"

#include <fmt/format.h>

#include "otseq2set/report/style.h"

namespace otseq2set::inline report {

namespace {

Html navigation(const std::vector<Section>& sections) {
  Html list;
  for (const Section& section : sections)
    list += {fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, escaped(section.title).markup)};
  return Html{"<nav aria-label=\"Sections\"><ol>\n"} + list + Html{"</ol></nav>\n"};
}

}  // namespace

std::string whole_page(const std::string& title, const std::string& facts, const std::vector<Section>& sections) {
  Html body;
  for (const Section& section : sections) {
    body += {fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", section.id, escaped(section.title).markup,
                         section.body.markup)};
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n{2}</header>\n{3}<main>\n{4}</main>\n"
      "</body>\n</html>\n",
      escaped(title).markup, kStyle, paragraph(facts, "facts").markup, navigation(sections).markup, body.markup);
}

}  // namespace otseq2set::inline report
