#include "otseq2set/report/svg.h"

#include <fmt/format.h>

#include <functional>
#include <regex>

#include "otseq2set/core/error.h"
#include "otseq2set/report/plot.h"

namespace otseq2set::inline report {

namespace {

std::string replaced(const std::string& text, const std::regex& pattern,
                     const std::function<std::string(const std::smatch&)>& replacement) {
  std::string result;
  auto last = text.cbegin();
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    result.append(last, (*match)[0].first);
    result += replacement(*match);
    last = (*match)[0].second;
  }
  return result.append(last, text.cend());
}

std::string themed(const std::string& svg) {
  static const std::regex kColour(R"(rgb\(\s*(\d{1,3}),\s*(\d{1,3}),\s*(\d{1,3})\))");
  static const std::regex kNamed(R"-(\b(color|stroke|fill) ?= ?["'](black|white|gray)["'])-");
  const std::string roles = replaced(svg, kColour, [](const std::smatch& match) {
    const std::string colour = css_colour(std::stoi(match[1]), std::stoi(match[2]), std::stoi(match[3]));
    return colour.empty() ? std::string("currentColor") : colour;
  });
  return replaced(roles, kNamed, [](const std::smatch& match) {
    return fmt::format("{}=\"{}\"", match[1].str(), match[2] == "white" ? "var(--paper)" : "currentColor");
  });
}

// Point symbols and filters that no series uses, titles such as gnuplot_plot_1 that browsers would show,
// groups without content.
std::string without_ballast(std::string svg) {
  static const std::regex kFilter(R"(<filter[\s\S]*?</filter>\s*)"), kTitle(R"(<title>[^<]*</title>\s*)"),
      kDescription(R"(<desc>[^<]*</desc>\s*)"), kEmpty(R"(<g [^>]*>\s*</g>\s*)"), kSpace(R"(\s*\n\s*)");
  for (const std::regex& pattern : {kFilter, kTitle, kDescription, kEmpty}) svg = std::regex_replace(svg, pattern, "");
  return std::regex_replace(svg, kSpace, "\n");
}

std::string with_unique_ids(const std::string& svg, const std::string& id) {
  static const std::regex kId(R"-(\bid=["']([^"']*)["'])-"), kLink(R"-(\b(?:xlink:)?href=["']#([^"']*)["'])-"),
      kUrl(R"(url\(#([^)]*)\))");
  std::string result =
      replaced(svg, kId, [&](const std::smatch& match) { return fmt::format("id=\"{}-{}\"", id, match[1].str()); });
  result = replaced(result, kLink,
                    [&](const std::smatch& match) { return fmt::format("href=\"#{}-{}\"", id, match[1].str()); });
  return replaced(result, kUrl,
                  [&](const std::smatch& match) { return fmt::format("url(#{}-{})", id, match[1].str()); });
}

}  // namespace

Html inline_svg(const std::string& svg, const std::string& id, const std::string& title,
                const std::string& description) {
  static const std::regex kOpening(R"-(<svg[^>]*viewBox=["']([-\d. ]+)["'][^>]*>)-"),
      kFont(R"-( font-family=["'][^"']*["'])-");
  std::smatch opening;
  const size_t end = svg.rfind("</svg>");
  if (!std::regex_search(svg, opening, kOpening) || end == std::string::npos) fail("gnuplot did not draw an SVG");
  std::string content(opening[0].second, svg.begin() + static_cast<std::ptrdiff_t>(end));
  content = std::regex_replace(with_unique_ids(themed(without_ballast(content)), id), kFont, "");
  return {
      fmt::format("<svg viewBox=\"{0}\" role=\"img\" aria-labelledby=\"{1}-title {1}-description\">"
                  "<title id=\"{1}-title\">{2}</title><desc id=\"{1}-description\">{3}</desc>{4}</svg>\n",
                  opening[1].str(), id, escaped(title).markup, escaped(description).markup, content)};
}

}  // namespace otseq2set::inline report
