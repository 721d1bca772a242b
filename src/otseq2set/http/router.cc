#include "otseq2set/http/router.h"

#include <optional>

#include "otseq2set/http/problem.h"
#include "otseq2set/http/url.h"

namespace otseq2set::inline http {

namespace {

// The text up to the next slash, which is taken off together with it.
std::string_view next_segment(std::string_view& path) {
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(path.size(), segment.size() + 1));
  return segment;
}

std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path) {
  std::vector<std::string> captured;
  while (!pattern.empty() && !path.empty()) {
    const bool pattern_goes_on = pattern.find('/') != std::string_view::npos;
    const bool path_goes_on = path.find('/') != std::string_view::npos;
    if (pattern_goes_on != path_goes_on) return std::nullopt;
    const std::string_view wanted = next_segment(pattern), given = next_segment(path);
    if (wanted.empty() || wanted.front() != '{') {
      if (wanted != given) return std::nullopt;
      continue;
    }
    std::optional<std::string> decoded = decode_percent(given, /*plus_is_space=*/false);
    if (!decoded || decoded->empty()) return std::nullopt;
    captured.push_back(std::move(*decoded));
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return captured;
}

}  // namespace

Router::Match Router::find(std::string_view method, std::string_view path) const {
  std::string allowed;
  for (const Route& route : routes_) {
    std::optional<std::vector<std::string>> captured = match(route.pattern, path);
    if (!captured) continue;
    if (route.method == method || (method == "HEAD" && route.method == "GET")) {
      return {&route, std::move(*captured)};
    }
    allowed += (allowed.empty() ? "" : ", ") + route.method + (route.method == "GET" ? ", HEAD" : "");
  }
  if (allowed.empty()) throw Problem(404, "there is nothing at this address; /v1/openapi.json lists the addresses");
  throw Problem(405, "this address accepts " + allowed, {{"Allow", allowed}});
}

}  // namespace otseq2set::inline http
