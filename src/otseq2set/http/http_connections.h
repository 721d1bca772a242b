// What the connections of the HTTP server share: its options, its memory for bodies, and who is connected. Decides who
// goes when there is too little room for all: of connections, or of memory for what they send.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "otseq2set/http/http_server.h"
#include "otseq2set/http/trusted_proxies.h"

namespace otseq2set::inline http {

class HttpConnection;

// A part of the memory for bodies and answers, given back at the end.
class Reservation {
 public:
  explicit Reservation(std::atomic<size_t>& total) : total_(total) {}
  ~Reservation() { total_ -= bytes_; }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  // To this many bytes; false when the total would pass the limit. The first may: nothing would ever make room for it.
  bool grow(size_t bytes, size_t limit);
  void force(size_t bytes) { total_ += bytes - std::exchange(bytes_, bytes); }  // likewise, whatever the limit

 private:
  std::atomic<size_t>& total_;
  size_t bytes_ = 0;
};

enum class Activity {
  kIdle,      // between two requests, or about to be closed
  kTransfer,  // a request arrives, or an answer is sent
  kAnswer,    // the application is at work
  kLeaving,   // was told to go
};

struct Connected {
  HttpConnection* connection;
  std::string address;
  Activity activity;
  std::chrono::steady_clock::time_point since;
  size_t held;  // bytes of its body that have arrived
};

// Used from several threads.
class HttpConnections {
 public:
  using Place = std::list<Connected>::iterator;

  HttpConnections(const HttpOptions& options, HttpApplication& application);

  const HttpOptions& options() const { return options_; }
  HttpApplication& application() { return application_; }

  // Room for a body or an answer of this many bytes. If there is none, the oldest of those that still arrive goes.
  bool reserve(Place place, Reservation& reservation, size_t bytes);
  std::shared_ptr<Reservation> reservation() { return std::make_shared<Reservation>(reserved_); }

  // May there be one more from this address? Its own longest idle connection goes for it.
  bool admit(const std::string& address);
  bool full() const;
  bool make_room();  // false: nobody can go

  Place opened(HttpConnection* connection, const std::string& address);
  void enter(Place place, Activity activity);
  bool leaves(Place place) const;  // was sent away, and has begun nothing else since
  void closed(Place place);

  bool stopping() const { return stopping_; }
  void stop();  // from now on every connection closes after its answer, and after a moment without a request

  // Off the event loop, one after the other: reading megabytes of JSON.
  template <typename Work>
  void work_aside(Work work) {
    boost::asio::post(aside_, std::move(work));
  }
  void finish_work() { aside_.join(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::list<Connected>& all(Activity activity) { return connected_[static_cast<size_t>(activity)]; }
  void move(Place place, Activity activity);
  // All of these with the lock.
  std::shared_ptr<HttpConnection> send_away(Place place);
  std::vector<std::shared_ptr<HttpConnection>> open();

  const HttpOptions options_;
  const TrustedProxies proxies_;
  HttpApplication& application_;
  std::atomic<bool> stopping_{false};
  std::atomic<size_t> reserved_{0};
  mutable std::mutex mutex_;
  std::array<std::list<Connected>, 4> connected_;         // by activity; in each, those that began it first are first
  std::unordered_map<std::string, size_t> of_addresses_;  // without those that leave
  size_t staying_ = 0;                                    // likewise
  size_t leaving_bytes_ = 0;                              // of bodies whose connections leave: soon given back
  boost::asio::thread_pool aside_{1};
};

}  // namespace otseq2set::inline http
