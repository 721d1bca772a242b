// Which address leads where. Addresses are compared with patterns and with nothing else: no part of one ever
// becomes the name of a file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/http/http_message.h"

namespace otseq2set::inline http {

// A request and what stood in the places of its pattern.
struct Call {
  HttpRequest request;
  std::vector<std::string> captured;  // decoded
};

struct Route {
  std::string method;        // GET answers HEAD too
  std::string pattern;       // such as /v1/projects/{project_id}: braces take one segment
  std::string content_type;  // that the body must have; empty: any, it is not looked at
  bool open = false;         // needs no token
  std::function<void(const Call&, const Respond&)> handle;

  std::string name() const { return method + " " + pattern; }
};

class Router {
 public:
  void add(Route route) { routes_.push_back(std::move(route)); }

  struct Match {
    const Route* route;
    std::vector<std::string> captured;
  };
  // Throws a Problem: 404, or 405 when the address has other methods.
  Match find(std::string_view method, std::string_view path) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace otseq2set::inline http
