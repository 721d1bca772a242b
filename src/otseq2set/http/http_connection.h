// One connection of the HTTP server, from its first byte to its last.
#pragma once

#include <boost/asio.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "otseq2set/http/arriving_body.h"
#include "otseq2set/http/http_connections.h"

namespace otseq2set::inline http {

// Everything in it but what says otherwise runs on its strand.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                  boost::asio::strand<boost::asio::io_context::executor_type>>;

  HttpConnection(HttpConnections& all, Socket socket);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // From any thread, while the connection is alive.
  void start();
  void stop();
  void give_up();  // others need the room

 private:
  using Clock = std::chrono::steady_clock;
  using Timer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Socket::executor_type>;

  // Cancels what is under way when the time is over; whose handler then sees timed_out_.
  void set_timer(std::chrono::milliseconds time);
  void arm_timer(std::chrono::milliseconds time, uint64_t turn);
  void stop_timer();

  void enter(Activity activity);
  auto then(void (HttpConnection::*next)(), void (HttpConnection::*failed)(const boost::system::error_code&));

  // One after the other, each from the handler of the one before.
  void read_head();
  void read_rest_of_head();
  void got_head();
  void ask_for_body();
  void read_body();
  void got_some_body();
  void got_request();
  void answer(HttpRequest request);
  void await_answer();
  void watch_client();
  void write(HttpResponse response);
  void finished(const HttpResponse& response, size_t bytes_out, const boost::system::error_code& error);
  void written();

  void take_head();
  std::optional<HttpResponse> refusal();
  void failed_to_read(const boost::system::error_code& error);
  void refuse(HttpResponse response);
  bool has_memory_for(size_t bytes);
  void expect_no_more();
  void drain();
  void close(const boost::system::error_code& reason = {});

  HttpConnections& all_;
  Socket socket_;
  // The event loop ends when nothing is under way; a request that waits for its answer is.
  boost::asio::executor_work_guard<Socket::executor_type> work_{socket_.get_executor()};
  Timer timer_;
  std::string remote_;
  std::optional<HttpConnections::Place> place_;  // until it is closed
  Activity activity_ = Activity::kIdle;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<ArrivingBody>> parser_;
  std::optional<boost::beast::http::response<boost::beast::http::string_body>> response_;
  HttpRequest request_;  // without its body
  Clock::time_point started_;
  std::shared_ptr<Reservation> memory_;          // of the body, then of the answer
  std::shared_ptr<std::atomic<bool>> unwanted_;  // see Respond::unwanted
  size_t bytes_in_ = 0;
  uint64_t turn_ = 0;      // of the timer; an expiry or an answer of an earlier turn counts no more
  int cancelled_ = 0;      // times in this turn
  unsigned version_ = 11;  // of HTTP, times ten
  size_t expected_ = 0;    // bytes that had arrived when the server was told to stop, and are not read yet
  bool timed_out_ = false, keep_alive_ = false, is_head_ = false, stopping_ = false;
};

}  // namespace otseq2set::inline http
