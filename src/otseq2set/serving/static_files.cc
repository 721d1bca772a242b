#include "otseq2set/serving/static_files.h"

#include <string>
#include <string_view>

#include "static_files_data.inc"  // made by CMake: kFiles, {name, text}

namespace otseq2set::inline serving {

namespace {

// Nothing from elsewhere, nothing inline, nobody may frame it: a label or a text that is taken for markup
// still cannot do anything.
constexpr const char* kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string content_type(std::string_view name) {
  const std::string_view ending = name.substr(name.rfind('.') + 1);
  if (ending == "html") return "text/html; charset=utf-8";
  if (ending == "css") return "text/css; charset=utf-8";
  if (ending == "js") return "text/javascript; charset=utf-8";
  if (ending == "svg") return "image/svg+xml";
  return "application/json";
}

}  // namespace

void add_static_files(Router& router) {
  for (const auto& file : kFiles) {
    const std::string name = file.name;
    HttpResponse response{.content_type = content_type(name), .body = file.text};
    // Another version of the program may stand at the same address tomorrow.
    response.headers.emplace_back("Cache-Control", "no-cache");
    if (name != "openapi.json") response.headers.emplace_back("Content-Security-Policy", kContentSecurityPolicy);
    const std::string pattern = name == "index.html" ? "/" : (name == "openapi.json" ? "/v1/" : "/") + name;
    router.add(
        {"GET", pattern, "", /*open=*/true, [response](const Call&, const Respond& respond) { respond(response); }});
  }
}

}  // namespace otseq2set::inline serving
