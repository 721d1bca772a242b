#include "otseq2set/http/http_server.h"

#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/http/http_connection.h"
#include "otseq2set/http/tell.h"

namespace otseq2set::inline http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Socket = HttpConnection::Socket;

namespace {

constexpr size_t kThreads = 2;
constexpr std::chrono::milliseconds kAcceptAgain{100};  // when the process has no descriptor left

asio::ip::address parse_address(const std::string& host) {
  error_code error;
  auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (error) fail_usage("--host {}: not an address such as 127.0.0.1, ::1 or 0.0.0.0", host);
  return address;
}

}  // namespace

bool is_loopback(const std::string& host) { return parse_address(host).is_loopback(); }

class HttpServer::Impl {
 public:
  Impl(const HttpOptions& options, HttpApplication& application);

  uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void run();
  void stop();
  void wait();

 private:
  using Strand = asio::strand<asio::io_context::executor_type>;

  void run_loop();
  void accept();
  void accepted(Socket socket);
  void accept_next();
  void accept_later();
  void accept_what_waits();

  HttpConnections connections_;
  asio::io_context context_;
  Strand strand_{asio::make_strand(context_)};  // of the acceptor
  asio::basic_socket_acceptor<tcp, Strand> acceptor_{strand_};
  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Strand>
      accept_timer_{strand_};
  std::vector<std::thread> threads_;
};

HttpServer::Impl::Impl(const HttpOptions& options, HttpApplication& application) : connections_(options, application) {
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
  for (size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { run_loop(); });
}

// What a handler throws, such as that there is no memory, ends its connection and nothing else.
void HttpServer::Impl::run_loop() {
  for (;;) {
    try {
      context_.run();
      return;
    } catch (const std::exception& error) {
      tell("error: a connection was dropped: {}", error.what());
    }
  }
}

void HttpServer::Impl::accept() {
  if (connections_.stopping()) return;
  acceptor_.async_accept(asio::make_strand(context_), [this](const error_code& error, Socket socket) {
    if (!error) accepted(std::move(socket));
    if (connections_.stopping()) return;
    if (!error) return accept_next();
    if (error == asio::error::no_descriptors) connections_.make_room();
    accept_later();
  });
}

// At once when there is room for a connection. When there is none, the next that comes gets the place of another.
void HttpServer::Impl::accept_next() {
  if (!connections_.full()) return accept();
  acceptor_.async_wait(tcp::acceptor::wait_read, [this](const error_code& error) {
    if (error || connections_.stopping()) return;
    !connections_.full() || connections_.make_room() ? accept() : accept_later();
  });
}

void HttpServer::Impl::accept_later() {
  accept_timer_.expires_after(kAcceptAgain);
  accept_timer_.async_wait([this](const error_code& error) {
    if (!error && !connections_.stopping()) accept_next();
  });
}

void HttpServer::Impl::accepted(Socket socket) {
  error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error || !connections_.admit(remote.address().to_string())) return;
  std::make_shared<HttpConnection>(connections_, std::move(socket))->start();
}

void HttpServer::Impl::stop() {
  asio::post(strand_, [this] {
    if (connections_.stopping()) return;
    accept_what_waits();
    connections_.stop();
    acceptor_.close();
    accept_timer_.cancel();
  });
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
  connections_.finish_work();
}

HttpServer::HttpServer(const HttpOptions& options, HttpApplication& application)
    : impl_(std::make_unique<Impl>(options, application)) {}
HttpServer::~HttpServer() = default;
uint16_t HttpServer::port() const { return impl_->port(); }
void HttpServer::run() { impl_->run(); }
void HttpServer::stop() { impl_->stop(); }
void HttpServer::wait() { impl_->wait(); }

}  // namespace otseq2set::inline http
