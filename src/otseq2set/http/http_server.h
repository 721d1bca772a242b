// HTTP/1.1 over an event loop: a connection costs a few kilobytes and no thread, so that thousands may be
// slow or idle. Knows nothing of what is served.
//
// What can go wrong with a connection, and what comes of it:
//   nothing is sent                        closed after the idle time
//   sent too slowly                        408, closed
//   not HTTP                               400, closed
//   header over 16 KB                      431, closed
//   body over the limit                    413, closed, without reading it
//   no memory for a body or an answer      503 with Retry-After; first, what has been arriving for longest is given up
//   cut off midway                         closed; there is nobody to answer
//   gone while its answer is computed      closed, and the application hears that nobody wants the answer
//   no answer within the time limit        503 with Retry-After; what the application says later is dropped
//   the answer is not taken                closed after the time limit
//   more connections than there may be     the one that has been idle for longest is closed, or that has been sending
//                                          or receiving for longest; when all wait for answers, the new one waits
//   more of one address                    the longest idle one of this address is closed; if none is, the new one
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/http/http_message.h"

namespace otseq2set::inline http {

struct HttpOptions {
  std::string host = "127.0.0.1";          // an address; names are not looked up, but for localhost
  uint16_t port = 8080;                    // 0: any that is free
  size_t max_body = size_t{8} << 20;       // bytes of one request
  size_t body_memory = size_t{256} << 20;  // bytes of all bodies and answers that are around
  size_t max_connections = 10000;
  size_t connections_per_address = 0;              // 0: half of all; proxies that are trusted may have all
  std::vector<std::string> trusted_proxies;        // addresses
  std::chrono::milliseconds idle_time{60000};      // between requests
  std::chrono::milliseconds slow_time{1000};       // what takes longer to arrive makes room if there is too little
  std::chrono::milliseconds transfer_time{30000};  // for a request to arrive, and for an answer to be taken
  std::chrono::milliseconds answer_time{30000};    // for the application to answer
};

// One request and what came of it.
struct Exchange {
  std::chrono::system_clock::time_point ended;
  std::string remote, user, method, path, route;
  int status = 0;                      // 499: the client did not take the answer
  double seconds = 0;                  // from the whole request to the whole answer
  size_t bytes_in = 0, bytes_out = 0;  // of the bodies
  std::string subject;                 // of the answer, as the application says,
  size_t items = 0;                    // and how many things it is about
};

// What is served. Called from several threads at once.
class HttpApplication {
 public:
  virtual ~HttpApplication() = default;

  // After the header and before the body is read; an answer refuses the request. Sets its route and what the log says of
  // the client.
  virtual std::optional<HttpResponse> refuse_head(HttpRequest& head) = 0;
  // Calls respond once, now or later, from any thread. Called on the event loop, where it must not take long, but for
  // bodies over 64 KB, which have a thread of their own.
  virtual void answer(HttpRequest request, Respond respond) = 0;

  virtual void finished(const Exchange& exchange) = 0;
  virtual void connection_opened() = 0;
  virtual void connection_closed() = 0;
  virtual void connection_given_up() = 0;  // to make room for others
};

class HttpServer {
 public:
  // Listens from now on; throws an Error when the address cannot be had. The application must outlive it.
  HttpServer(const HttpOptions& options, HttpApplication& application);
  // After `stop` and `wait`, or without `run`.
  ~HttpServer();

  uint16_t port() const;

  void run();  // starts the threads of the event loop and returns

  // Takes no more connections, answers every request that has begun to arrive, also those that were sent without
  // waiting for answers before, and closes each connection after the last of these. One that waits for its next request
  // gets a moment more, since that may be on its way.
  void stop();

  void wait();  // until every connection is closed after `stop`

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

bool is_loopback(const std::string& host);

}  // namespace otseq2set::inline http
