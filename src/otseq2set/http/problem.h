// What is wrong with a request, as application/problem+json (RFC 7807), which Annif's clients expect too:
//
//   {"type":"about:blank","title":"Not Found","status":404,
//    "detail":"no model 'fish'; the models are birds, trees"}
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "otseq2set/http/http_message.h"

namespace otseq2set::inline http {

HttpResponse problem_response(int status, std::string_view detail);

// 503 with Retry-After: the same request may succeed in a moment.
HttpResponse busy_response(std::string_view detail);

// Thrown where a request is read; ends as the answer above.
class Problem : public std::runtime_error {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  Problem(int status, const std::string& detail, Headers headers = {})
      : std::runtime_error(detail), status_(status), headers_(std::move(headers)) {}

  HttpResponse response() const;

 private:
  int status_;
  Headers headers_;
};

// refuse(404, "no model '{}'", name)
template <typename... Args>
[[noreturn]] void refuse(int status, fmt::format_string<Args...> format, Args&&... args) {
  throw Problem(status, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace otseq2set::inline http
