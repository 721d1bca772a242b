// A request and its answer, free of the library that carries them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace otseq2set::inline http {

struct HttpRequest {
  std::string method;
  std::string path;   // as sent, percent signs and all
  std::string query;  // behind the question mark
  std::string host, origin, content_type, content_encoding, authorization;
  std::string forwarded_for;     // what proxies say of whom they ask for, addresses separated by commas
  bool from_other_site = false;  // a browser says that a page from elsewhere asks
  std::string body;
  std::string route;  // such as POST /v1/predict; empty until one is found to fit
  // For the log: the address of the client, which is the other end of the connection unless the application knows
  // better, and the name that the application has for it.
  std::string remote, user;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = {};
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};  // besides those that every answer has
  // For what the application counts and logs; not sent.
  std::string subject = {};
  size_t items = 0;
};

// Called once for each request, from any thread.
using Respond = std::function<void(HttpResponse)>;

inline HttpResponse json_response(std::string body) {
  return {.content_type = "application/json", .body = std::move(body)};
}

}  // namespace otseq2set::inline http
