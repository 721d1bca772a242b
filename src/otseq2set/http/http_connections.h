// What the connections of the HTTP server share: its options, its memory for bodies, and who is connected.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

#include "otseq2set/http/http_server.h"

namespace otseq2set::inline http {

class HttpConnection;

// A part of the memory for bodies and answers, given back at the end.
class Reservation {
 public:
  explicit Reservation(std::atomic<size_t>& total) : total_(total) {}
  ~Reservation() { total_ -= bytes_; }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  size_t bytes() const { return bytes_; }
  bool take(size_t bytes, size_t limit);  // once; false when the total would pass the limit
  void shrink(size_t bytes) { total_ -= std::exchange(bytes_, bytes) - bytes; }

 private:
  std::atomic<size_t>& total_;
  size_t bytes_ = 0;
};

// Used from several threads.
class HttpConnections {
 public:
  HttpConnections(const HttpOptions& options, HttpApplication& application)
      : options_(options), application_(application) {}

  const HttpOptions& options() const { return options_; }
  HttpApplication& application() { return application_; }

  // Null when there is no memory for this many bytes.
  std::shared_ptr<Reservation> reserve(size_t bytes);

  void opened(HttpConnection* connection);
  void closed(HttpConnection* connection);
  bool full();

  bool stopping() const { return stopping_; }
  void stop();  // from now on every connection closes after its answer, and after a moment without a request

 private:
  std::vector<std::shared_ptr<HttpConnection>> open();

  const HttpOptions options_;
  HttpApplication& application_;
  std::atomic<bool> stopping_{false};
  std::atomic<size_t> reserved_{0};
  std::mutex mutex_;
  std::unordered_set<HttpConnection*> connections_;
};

}  // namespace otseq2set::inline http
