// A request and its answer, free of the library that carries them.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
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

// The way back to the client. Called once for each request, from any thread.
class Respond {
 public:
  using Send = std::function<void(HttpResponse)>;
  using Flag = std::shared_ptr<const std::atomic<bool>>;

  explicit Respond(Send send, std::string client = {}, Flag unwanted = nullptr)
      : send_(std::move(send)), client_(std::move(client)), unwanted_(std::move(unwanted)) {}

  void operator()(HttpResponse response) const { send_(std::move(response)); }

  // Becomes true when nobody waits for the answer any more: it need not be computed, but must still be given. Null if
  // that is never known.
  const Flag& unwanted() const { return unwanted_; }

  const std::string& client() const { return client_; }  // its address, for limits

 private:
  Send send_;
  std::string client_;
  Flag unwanted_;
};

inline HttpResponse json_response(std::string body) {
  return {.content_type = "application/json", .body = std::move(body)};
}

}  // namespace otseq2set::inline http
