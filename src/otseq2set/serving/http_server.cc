#include "otseq2set/serving/http_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/serving/problem.h"

namespace otseq2set {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr size_t kThreads = 2;  // a body of megabytes that is parsed does not keep others from being read
constexpr size_t kMaxHeader = 16 << 10;
constexpr size_t kReadAhead = 64 << 10;                 // bytes read at once from a body
constexpr std::chrono::milliseconds kLastRequest{300};  // for a request that is on its way while stopping
constexpr std::chrono::milliseconds kLingering{2000};   // for a client to stop sending what is refused
constexpr std::chrono::milliseconds kAcceptAgain{100};  // when the process has no descriptor left

using Socket = asio::basic_stream_socket<tcp, asio::strand<asio::io_context::executor_type>>;
using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                               asio::strand<asio::io_context::executor_type>>;

std::string to_string(boost::beast::string_view text) { return {text.data(), text.size()}; }

asio::ip::address parse_address(const std::string& host) {
  error_code error;
  auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (error) fail_usage("--host {}: not an address such as 127.0.0.1, ::1 or 0.0.0.0", host);
  return address;
}

// The answer to what could not be read as a request; none when there is nobody to hear it.
std::optional<HttpResponse> unreadable(const error_code& error, size_t max_body) {
  if (error == http::error::body_limit) {
    return problem_response(413, fmt::format("the body is larger than {} bytes", max_body));
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return problem_response(431, fmt::format("the header is larger than {} bytes", kMaxHeader));
  }
  if (error == http::error::end_of_stream || error == http::error::partial_message) return std::nullopt;
  if (error.category() == make_error_code(http::error::bad_method).category()) {
    return problem_response(400, "not a request in HTTP/1.1: " + error.message());
  }
  return std::nullopt;
}

}  // namespace

bool is_loopback(const std::string& host) { return parse_address(host).is_loopback(); }

class HttpServer::Impl {
 public:
  class Connection;

  Impl(const HttpOptions& options, HttpApplication& application);

  uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void run();
  void stop();
  void wait();

  const HttpOptions& options() const { return options_; }
  HttpApplication& application() { return application_; }
  bool stopping() const { return stopping_; }
  // False when there is no memory for a body of this size.
  bool reserve(size_t bytes);
  void release(size_t bytes) { reserved_ -= bytes; }
  void opened(Connection* connection);
  void closed(Connection* connection);

 private:
  void accept();
  void accepted(Socket socket);
  void accept_again(std::chrono::milliseconds after);
  void accept_what_waits();
  std::vector<std::shared_ptr<Connection>> open_connections();

  HttpOptions options_;
  HttpApplication& application_;
  asio::io_context context_;
  asio::strand<asio::io_context::executor_type> strand_{asio::make_strand(context_)};  // of the acceptor
  asio::basic_socket_acceptor<tcp, asio::strand<asio::io_context::executor_type>> acceptor_{strand_};
  Timer accept_timer_{strand_};
  std::atomic<bool> stopping_{false};
  std::atomic<size_t> reserved_{0};
  std::mutex mutex_;
  std::unordered_set<Connection*> connections_;
  std::vector<std::thread> threads_;
};

// Everything in it runs on its strand.
class HttpServer::Impl::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Impl& server, Socket socket)
      : server_(server), socket_(std::move(socket)), timer_(socket_.get_executor()) {
    error_code error;
    const auto remote = socket_.remote_endpoint(error);
    if (!error) remote_ = remote.address().to_string();
    socket_.set_option(tcp::no_delay(true), error);
    server_.opened(this);
  }
  ~Connection() {
    server_.release(reserved_);
    server_.closed(this);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    asio::dispatch(socket_.get_executor(), [self = shared_from_this()] { self->read_head(); });
  }

  // From any thread, while the connection is alive.
  void stop() {
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
      if (self->idle_) self->set_timer(kLastRequest);
    });
  }

 private:
  // Cancels what is under way when the time is over; whose handler then sees timed_out_.
  void set_timer(std::chrono::milliseconds time) {
    timed_out_ = false;
    timer_.expires_after(time);
    timer_.async_wait([self = shared_from_this(), turn = ++turn_](const error_code& error) {
      if (error || turn != self->turn_) return;
      self->timed_out_ = true;
      error_code ignored;
      self->socket_.cancel(ignored);
    });
  }
  void stop_timer() {
    ++turn_;
    timer_.cancel();
  }

  void read_head() {
    parser_.emplace();
    parser_->header_limit(kMaxHeader);
    parser_->body_limit(server_.options().max_body);
    request_ = {};
    is_head_ = false;
    idle_ = true;
    set_timer(server_.stopping() ? kLastRequest : server_.options().idle_time);
    // First of all for any byte: what has begun to arrive has its own time limit.
    if (buffer_.size() > 0) {
      read_rest_of_head();
      return;
    }
    socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const error_code& error) {
      if (error) {
        self->close();
      } else {
        self->read_rest_of_head();
      }
    });
  }

  void read_rest_of_head() {
    idle_ = false;
    set_timer(server_.options().transfer_time);
    http::async_read_header(socket_, buffer_, *parser_,
                            [self = shared_from_this()](const error_code& error, size_t) {
                              if (error) {
                                self->failed_to_read(error);
                              } else {
                                self->got_head();
                              }
                            });
  }

  void failed_to_read(const error_code& error) {
    started_ = std::chrono::steady_clock::now();
    keep_alive_ = false;
    if (timed_out_) {
      write(problem_response(408, "the request did not arrive in time"));
      return;
    }
    if (std::optional<HttpResponse> answer = unreadable(error, server_.options().max_body)) {
      write(std::move(*answer));
    } else {
      close();
    }
  }

  void got_head() {
    const auto& head = parser_->get();
    request_.method = to_string(head.method_string());
    const std::string target = to_string(head.target());
    request_.path = target.substr(0, target.find('?'));
    if (request_.path.size() < target.size()) request_.query = target.substr(request_.path.size() + 1);
    request_.host = to_string(head[http::field::host]);
    request_.content_type = to_string(head[http::field::content_type]);
    request_.authorization = to_string(head[http::field::authorization]);
    keep_alive_ = head.keep_alive();
    is_head_ = head.method() == http::verb::head;
    started_ = std::chrono::steady_clock::now();

    if (std::optional<HttpResponse> refusal = server_.application().refuse_head(request_)) {
      refuse(std::move(*refusal));
    } else if (!reserve_body()) {
      refuse(busy_response("there is no memory for more requests; try again in a moment"));
    } else if (boost::beast::iequals(head[http::field::expect], "100-continue")) {
      ask_for_body();
    } else {
      read_body();
    }
  }

  // The body stays unread, so nothing that follows on this connection could be understood.
  void refuse(HttpResponse response) {
    if (!parser_->is_done()) keep_alive_ = false;
    write(std::move(response));
  }

  bool reserve_body() {
    size_t bytes = 0;
    if (parser_->chunked()) {
      bytes = server_.options().max_body;
    } else if (const auto length = parser_->content_length()) {
      bytes = static_cast<size_t>(*length);
    }
    if (!server_.reserve(bytes)) return false;
    reserved_ = bytes;
    return true;
  }

  void ask_for_body() {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                      [self = shared_from_this()](const error_code& error, size_t) {
                        if (error) {
                          self->close();
                        } else {
                          self->read_body();
                        }
                      });
  }

  void read_body() {
    if (!parser_->is_done()) buffer_.reserve(kReadAhead);
    http::async_read(socket_, buffer_, *parser_,
                     [self = shared_from_this()](const error_code& error, size_t) {
                       if (error) {
                         self->failed_to_read(error);
                       } else {
                         self->got_request();
                       }
                     });
  }

  void got_request() {
    stop_timer();
    started_ = std::chrono::steady_clock::now();
    request_.body = std::move(parser_->get().body());
    bytes_in_ = request_.body.size();
    HttpRequest request = std::move(request_);
    request_.method = request.method;  // for the log
    request_.path = request.path;
    parser_.reset();
    buffer_.shrink_to_fit();
    server_.application().answer(std::move(request), [self = shared_from_this()](HttpResponse response) {
      const auto executor = self->socket_.get_executor();
      asio::post(executor,
                 [self, response = std::move(response)]() mutable { self->write(std::move(response)); });
    });
  }

  void write(HttpResponse response) {
    if (server_.stopping()) keep_alive_ = false;
    response_.emplace();
    response_->result(static_cast<unsigned>(response.status));
    response_->keep_alive(keep_alive_);
    response_->set(http::field::content_type, response.content_type);
    response_->set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response.headers) response_->set(name, value);
    if (response_->find(http::field::cache_control) == response_->end()) {
      response_->set(http::field::cache_control, "no-store");
    }
    const size_t bytes = response.body.size();
    response_->content_length(bytes);
    if (!is_head_) response_->body() = std::move(response.body);
    set_timer(server_.options().transfer_time);
    http::async_write(
        socket_, *response_,
        [self = shared_from_this(), response = std::move(response), bytes](const error_code& error, size_t) {
          self->finished(response, bytes);
          if (error) {
            self->close();
          } else {
            self->written();
          }
        });
  }

  void finished(const HttpResponse& response, size_t bytes_out) {
    Exchange exchange;
    exchange.ended = std::chrono::system_clock::now();
    exchange.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    exchange.remote = remote_;
    exchange.method = request_.method;
    exchange.path = request_.path;
    exchange.status = response.status;
    exchange.route = response.route;
    exchange.model = response.model;
    exchange.documents = response.documents;
    exchange.bytes_in = bytes_in_;
    exchange.bytes_out = bytes_out;
    server_.application().finished(exchange);
    server_.release(std::exchange(reserved_, 0));
    bytes_in_ = 0;
    response_.reset();
  }

  void written() {
    if (keep_alive_) {
      read_head();
      return;
    }
    // Closing with unread bytes would reset the connection, and the client might never see the answer: take
    // for a moment what it still sends.
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    parser_.reset();
    buffer_.clear();
    set_timer(kLingering);
    drain();
  }

  void drain() {
    socket_.async_read_some(buffer_.prepare(kReadAhead),
                            [self = shared_from_this()](const error_code& error, size_t) {
                              if (error) {
                                self->close();
                              } else {
                                self->drain();
                              }
                            });
  }

  void close() {
    stop_timer();
    error_code ignored;
    socket_.close(ignored);
  }

  Impl& server_;
  Socket socket_;
  // The event loop ends when nothing is under way; a request that waits for its answer is.
  asio::executor_work_guard<Socket::executor_type> work_{socket_.get_executor()};
  Timer timer_;
  std::string remote_;
  boost::beast::flat_buffer buffer_{kReadAhead + kMaxHeader};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  HttpRequest request_;  // without its body
  std::chrono::steady_clock::time_point started_;
  size_t reserved_ = 0, bytes_in_ = 0;
  uint64_t turn_ = 0;  // of the timer; an expiry of an earlier turn counts no more
  bool idle_ = false, timed_out_ = false, keep_alive_ = false, is_head_ = false;
};

HttpServer::Impl::Impl(const HttpOptions& options, HttpApplication& application)
    : options_(options), application_(application) {
  const tcp::endpoint endpoint(parse_address(options.host), options.port);
  try {
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen(asio::socket_base::max_listen_connections);
    acceptor_.non_blocking(true);
  } catch (const boost::system::system_error& error) {
    fail("cannot listen on {} port {}: {}", options.host, options.port, error.code().message());
  }
}

void HttpServer::Impl::run() {
  asio::post(strand_, [this] { accept(); });
  for (size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { context_.run(); });
}

void HttpServer::Impl::accept() {
  if (stopping_) return;
  acceptor_.async_accept(asio::make_strand(context_), [this](const error_code& error, Socket socket) {
    if (stopping_) {
      if (!error) accepted(std::move(socket));
    } else if (error) {
      accept_again(kAcceptAgain);  // no descriptor left, or the client is gone already
    } else {
      accepted(std::move(socket));
      accept_again(std::chrono::milliseconds(0));
    }
  });
}

// At once when there is room for a connection, else when there is again.
void HttpServer::Impl::accept_again(std::chrono::milliseconds after) {
  bool full = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    full = connections_.size() >= options_.max_connections;
  }
  if (!full && after.count() == 0) {
    accept();
    return;
  }
  accept_timer_.expires_after(kAcceptAgain);
  accept_timer_.async_wait([this](const error_code& error) {
    if (!error) accept_again(std::chrono::milliseconds(0));
  });
}

void HttpServer::Impl::accepted(Socket socket) {
  std::make_shared<Connection>(*this, std::move(socket))->start();
}

void HttpServer::Impl::stop() {
  asio::post(strand_, [this] {
    if (stopping_.exchange(true)) return;
    accept_what_waits();
    acceptor_.close();
    accept_timer_.cancel();
    for (const std::shared_ptr<Connection>& connection : open_connections()) connection->stop();
  });
}

// Without those that are about to go: they wait in `closed` for the lock.
std::vector<std::shared_ptr<HttpServer::Impl::Connection>> HttpServer::Impl::open_connections() {
  std::vector<std::shared_ptr<Connection>> open;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Connection* connection : connections_) {
    if (auto alive = connection->weak_from_this().lock()) open.push_back(std::move(alive));
  }
  return open;
}

// Clients that are connected as far as they know are answered like the others.
void HttpServer::Impl::accept_what_waits() {
  for (;;) {
    error_code error;
    Socket socket(asio::make_strand(context_));
    acceptor_.accept(socket, error);
    if (error) return;
    accepted(std::move(socket));
  }
}

void HttpServer::Impl::wait() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool HttpServer::Impl::reserve(size_t bytes) {
  size_t before = reserved_.load();
  do {
    if (before > 0 && before + bytes > options_.body_memory) return false;
  } while (!reserved_.compare_exchange_weak(before, before + bytes));
  return true;
}

void HttpServer::Impl::opened(Connection* connection) {
  application_.connection_opened();
  const std::lock_guard<std::mutex> lock(mutex_);
  connections_.insert(connection);
}

void HttpServer::Impl::closed(Connection* connection) {
  application_.connection_closed();
  const std::lock_guard<std::mutex> lock(mutex_);
  connections_.erase(connection);
}

HttpServer::HttpServer(const HttpOptions& options, HttpApplication& application)
    : impl_(std::make_unique<Impl>(options, application)) {}
HttpServer::~HttpServer() = default;
uint16_t HttpServer::port() const { return impl_->port(); }
void HttpServer::run() { impl_->run(); }
void HttpServer::stop() { impl_->stop(); }
void HttpServer::wait() { impl_->wait(); }

}  // namespace otseq2set
