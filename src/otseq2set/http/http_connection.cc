#include "otseq2set/http/http_connection.h"

#include <fmt/chrono.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string_view>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/http/client_address.h"
#include "otseq2set/http/problem.h"

namespace otseq2set::inline http {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr size_t kMaxHeader = 16 << 10;
constexpr size_t kReadAhead = 64 << 10;                 // bytes read at once from a body; a larger one is parsed aside
constexpr std::chrono::milliseconds kLastRequest{300};  // for a request that is on its way while stopping
constexpr std::chrono::milliseconds kLingering{2000};   // for a client to stop sending what is refused
constexpr std::chrono::milliseconds kCancelAgain{100};
constexpr int kMostCancels = 50;
constexpr int kNotTaken = 499;

std::string to_string(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string date() { return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr))); }

HttpResponse too_large(size_t max_body) {
  return problem_response(413, fmt::format("the body is larger than {} bytes", max_body));
}

// The answer to what could not be read as a request; none when there is nobody to hear it.
std::optional<HttpResponse> unreadable(const error_code& error, size_t max_body) {
  if (error == beast_http::error::body_limit) return too_large(max_body);
  if (error == beast_http::error::header_limit || error == beast_http::error::buffer_overflow) {
    return problem_response(431, fmt::format("the header is larger than {} bytes", kMaxHeader));
  }
  if (error == boost::system::errc::not_enough_memory) {
    return busy_response("there is not enough memory for more requests; try again in a moment");
  }
  if (error == beast_http::error::end_of_stream || error == beast_http::error::partial_message) return std::nullopt;
  if (error.category() == make_error_code(beast_http::error::bad_method).category()) {
    return problem_response(400, "not an HTTP/1.1 request: " + error.message());
  }
  return std::nullopt;
}

// Of a socket that is readable: at its end, or broken. A client that only ends its own side looks the same.
bool is_at_end(int socket) {
  char byte = 0;
  const ssize_t got = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

// The library looks at the first field of this name only.
bool asks_to_close(const beast_http::fields& head) {
  const auto [first, last] = head.equal_range(beast_http::field::connection);
  return std::any_of(first, last,
                     [](const auto& field) { return beast_http::token_list(field.value()).exists("close"); });
}

}  // namespace

HttpConnection::HttpConnection(HttpConnections& all, Socket socket)
    : all_(all), socket_(std::move(socket)), timer_(socket_.get_executor()), buffer_(kReadAhead + kMaxHeader) {
  error_code error;
  const auto remote = socket_.remote_endpoint(error);
  if (!error) remote_ = remote.address().to_string();
  socket_.set_option(tcp::no_delay(true), error);
  place_ = all_.opened(this, remote_);
}

HttpConnection::~HttpConnection() {
  if (place_) all_.closed(*place_);
}

void HttpConnection::start() {
  asio::dispatch(socket_.get_executor(), [self = shared_from_this()] {
    if (self->all_.stopping()) self->expect_no_more();
    self->read_head();
  });
}

void HttpConnection::stop() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->expect_no_more();
    if (self->activity_ == Activity::kIdle) self->set_timer(kLastRequest);
  });
}

void HttpConnection::expect_no_more() {
  if (std::exchange(stopping_, true)) return;
  error_code ignored;
  expected_ = buffer_.size() + socket_.available(ignored);
}

void HttpConnection::give_up() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->place_ && self->all_.leaves(*self->place_)) self->set_timer(std::chrono::milliseconds(0));
  });
}

void HttpConnection::enter(Activity activity) {
  activity_ = activity;
  if (place_) all_.enter(*place_, activity);
}

void HttpConnection::set_timer(std::chrono::milliseconds time) {
  timed_out_ = false;
  cancelled_ = 0;
  arm_timer(time, ++turn_);
}

// A read that has ended cannot be cancelled any more, and when its handler comes it begins the next one: so
// again and again, until a handler has seen it. If none ever does, one has thrown, and nothing is under way.
void HttpConnection::arm_timer(std::chrono::milliseconds time, uint64_t turn) {
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this(), turn](const error_code& error) {
    if (error || turn != self->turn_) return;
    if (++self->cancelled_ > kMostCancels) return self->close();
    self->timed_out_ = true;
    error_code ignored;
    self->socket_.cancel(ignored);
    self->arm_timer(kCancelAgain, turn);
  });
}

void HttpConnection::stop_timer() {
  ++turn_;
  timer_.cancel();
}

// What an operation calls when it is over.
auto HttpConnection::then(void (HttpConnection::*next)(), void (HttpConnection::*failed)(const error_code&)) {
  return [self = shared_from_this(), next, failed](const error_code& error, size_t bytes = 0) {
    self->expected_ -= std::min(bytes, self->expected_);
    error ? ((*self).*failed)(error) : ((*self).*next)();
  };
}

void HttpConnection::read_head() {
  parser_.emplace();
  parser_->header_limit(kMaxHeader);
  parser_->body_limit(UINT64_MAX);  // got_head looks at the length, when it knows who asks
  request_ = {};
  request_.remote = remote_;
  is_head_ = false;
  version_ = 11;
  enter(Activity::kIdle);
  set_timer(stopping_ ? kLastRequest : all_.options().idle_time);
  // First of all for any byte: what has begun to arrive has its own time limit.
  if (buffer_.size() > 0) return read_rest_of_head();
  socket_.async_wait(Socket::wait_read, then(&HttpConnection::read_rest_of_head, &HttpConnection::close));
}

void HttpConnection::read_rest_of_head() {
  enter(Activity::kTransfer);
  set_timer(all_.options().transfer_time);
  beast_http::async_read_header(socket_, buffer_, *parser_,
                                then(&HttpConnection::got_head, &HttpConnection::failed_to_read));
}

void HttpConnection::failed_to_read(const error_code& error) {
  started_ = std::chrono::steady_clock::now();
  keep_alive_ = false;
  parser_->get().body() = {};
  if (timed_out_) {
    write(problem_response(408, "the request did not arrive in time"));
  } else if (std::optional<HttpResponse> answer = unreadable(error, all_.options().max_body)) {
    write(std::move(*answer));
  } else {
    close();
  }
}

void HttpConnection::take_head() {
  const auto& head = parser_->get();
  request_.method = to_string(head.method_string());
  request_.host = to_string(head[beast_http::field::host]);
  request_.content_type = to_string(head[beast_http::field::content_type]);
  request_.content_encoding = to_string(head[beast_http::field::content_encoding]);
  request_.authorization = to_string(head[beast_http::field::authorization]);
  request_.origin = to_string(head[beast_http::field::origin]);
  const auto [first, last] = head.equal_range("X-Forwarded-For");
  for (auto field = first; field != last; ++field) {
    request_.forwarded_for += (field == first ? "" : ",") + to_string(field->value());
  }
  request_.from_other_site = boost::beast::iequals(head["Sec-Fetch-Site"], "cross-site");
  std::string target = to_string(head.target());
  // As a proxy is asked: http://host:port/path
  if (const size_t scheme = target.find("://"); scheme < target.find('/')) {
    const size_t path = std::min(target.find_first_of("/?", scheme + 3), target.size());
    request_.host = target.substr(scheme + 3, path - scheme - 3);
    target.erase(0, path);
    if (target.empty() || target.front() != '/') target.insert(0, "/");
  }
  request_.path = target.substr(0, target.find('?'));
  if (request_.path.size() < target.size()) request_.query = target.substr(request_.path.size() + 1);
  version_ = head.version();
  is_head_ = head.method() == beast_http::verb::head;
}

std::optional<HttpResponse> HttpConnection::refusal() {
  const auto& head = parser_->get();
  // RFC 9112, 6.1: who speaks HTTP/1.0 may have copied the field without knowing what it means.
  if (head.version() < 11 && head.count(beast_http::field::transfer_encoding) > 0) keep_alive_ = false;
  if (head.count(beast_http::field::transfer_encoding) > 0 &&
      !(parser_->chunked() && boost::beast::iequals(head[beast_http::field::transfer_encoding], "chunked"))) {
    keep_alive_ = false;  // where this body ends, nobody knows
    return problem_response(501, "a body must be sent as it is or in chunks, not in another coding");
  }
  if (head.version() >= 11 && head.count(beast_http::field::host) != 1) {
    return problem_response(400, "an HTTP/1.1 request must have one header 'Host'");
  }
  return all_.application().refuse_head(request_);
}

void HttpConnection::got_head() {
  take_head();
  keep_alive_ = parser_->keep_alive() && !asks_to_close(parser_->get());
  started_ = std::chrono::steady_clock::now();
  const size_t max_body = all_.options().max_body;
  if (std::optional<HttpResponse> refused = refusal()) {
    refuse(std::move(*refused));
  } else if (parser_->content_length().value_or(0) > max_body) {
    refuse(too_large(max_body));
  } else if (version_ >= 11 && boost::beast::iequals(parser_->get()[beast_http::field::expect], "100-continue")) {
    ask_for_body();
  } else {
    read_body();
  }
}

// The body stays unread, so nothing that follows on this connection could be understood.
void HttpConnection::refuse(HttpResponse response) {
  if (!parser_->is_done()) keep_alive_ = false;
  parser_->get().body() = {};
  write(std::move(response));
}

bool HttpConnection::has_memory_for(size_t bytes) {
  if (!memory_) memory_ = all_.reservation();
  return !place_ || all_.reserve(*place_, *memory_, bytes);
}

void HttpConnection::ask_for_body() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(
      socket_, asio::buffer(kContinue.data(), kContinue.size()),
      [self = shared_from_this()](const error_code& error, size_t) { error ? self->close(error) : self->read_body(); });
}

void HttpConnection::read_body() {
  if (parser_->is_done()) return got_request();
  parser_->body_limit(all_.options().max_body);
  parser_->eager(true);  // many small chunks at once
  buffer_.reserve(std::min<uint64_t>(kReadAhead, parser_->content_length_remaining().value_or(kReadAhead)));
  beast_http::async_read_some(socket_, buffer_, *parser_,
                              then(&HttpConnection::got_some_body, &HttpConnection::failed_to_read));
}

void HttpConnection::got_some_body() {
  if (has_memory_for(parser_->get().body().size())) return read_body();
  refuse(busy_response("there is not enough memory for more requests; try again in a moment"));
}

void HttpConnection::got_request() {
  enter(Activity::kAnswer);
  await_answer();
  started_ = std::chrono::steady_clock::now();
  request_.body = std::move(parser_->get().body());
  bytes_in_ = request_.body.size();
  HttpRequest request = std::move(request_);
  request_.method = request.method;  // for the log
  request_.path = request.path;
  request_.route = request.route;
  request_.remote = request.remote;
  request_.user = request.user;
  parser_.reset();
  buffer_.shrink_to_fit();
  watch_client();
  answer(std::move(request));
}

void HttpConnection::answer(HttpRequest request) {
  unwanted_ = std::make_shared<std::atomic<bool>>(false);
  // The text lives as long as this function, in the queue, even when nobody waits for the answer any more.
  const auto send = [self = shared_from_this(), turn = turn_, memory = std::move(memory_)](HttpResponse response) {
    const auto executor = self->socket_.get_executor();
    asio::post(executor, [self, turn, response = std::move(response)]() mutable {
      if (turn == self->turn_) self->write(std::move(response));
    });
  };
  Respond respond(send, network_of(request.remote), unwanted_);
  if (request.body.size() <= kReadAhead) return all_.application().answer(std::move(request), std::move(respond));
  all_.work_aside([&application = all_.application(), request = std::move(request), respond]() mutable {
    application.answer(std::move(request), std::move(respond));
  });
}

// What the application says after this time is dropped.
void HttpConnection::await_answer() {
  timer_.expires_after(all_.options().answer_time);
  timer_.async_wait([self = shared_from_this(), turn = ++turn_](const error_code& error) {
    if (error || turn != self->turn_) return;
    *self->unwanted_ = true;
    self->write(busy_response("there was no answer in time; send fewer documents at once, or try later"));
  });
}

// Has the client gone while it waits? What it sends meanwhile is its next request, which stays unread.
void HttpConnection::watch_client() {
  if (buffer_.size() > 0) return;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this(), turn = turn_](const error_code& error) {
    if (error || turn != self->turn_ || !is_at_end(self->socket_.native_handle())) return;
    *self->unwanted_ = true;
    self->finished({}, 0, asio::error::eof);
    self->close();
  });
}

void HttpConnection::write(HttpResponse response) {
  memory_.reset();
  enter(Activity::kTransfer);
  if (stopping_ && expected_ == 0) keep_alive_ = false;
  if (!has_memory_for(response.body.size())) {
    response = busy_response("there is not enough memory for an answer this long; try again, or ask for less");
  }
  response_.emplace();
  response_->version(version_);
  response_->result(static_cast<unsigned>(response.status));
  response_->keep_alive(keep_alive_);
  response_->set(beast_http::field::content_type, response.content_type);
  response_->set(beast_http::field::date, date());
  response_->set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : response.headers) response_->set(name, value);
  if (response_->find(beast_http::field::cache_control) == response_->end()) {
    response_->set(beast_http::field::cache_control, "no-store");
  }
  const size_t bytes = response.body.size();
  response_->content_length(bytes);
  if (!is_head_) response_->body() = std::move(response.body);
  set_timer(all_.options().transfer_time);
  beast_http::async_write(
      socket_, *response_,
      [self = shared_from_this(), response = std::move(response), bytes](const error_code& error, size_t) {
        self->finished(response, bytes, error);
        if (error) {
          self->close();
        } else {
          self->written();
        }
      });
}

void HttpConnection::finished(const HttpResponse& response, size_t bytes_out, const error_code& error) {
  Exchange exchange;
  exchange.ended = std::chrono::system_clock::now();
  exchange.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  exchange.remote = request_.remote;
  exchange.user = request_.user;
  exchange.method = request_.method;
  exchange.path = request_.path;
  exchange.status = error ? kNotTaken : response.status;
  exchange.route = request_.route;
  exchange.subject = response.subject;
  exchange.items = response.items;
  exchange.bytes_in = bytes_in_;
  exchange.bytes_out = bytes_out;
  all_.application().finished(exchange);
  memory_.reset();
  bytes_in_ = 0;
  response_.reset();
}

void HttpConnection::written() {
  if (keep_alive_) return read_head();
  enter(Activity::kIdle);
  // Closing with unread bytes would reset the connection, and the client might never see the answer: take
  // for a moment what it still sends.
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  parser_.reset();
  buffer_.clear();
  set_timer(kLingering);
  drain();
}

void HttpConnection::drain() {
  socket_.async_read_some(buffer_.prepare(kReadAhead), [self = shared_from_this()](const error_code& error, size_t) {
    if (error || self->timed_out_) {
      self->close();
    } else {
      self->drain();
    }
  });
}

void HttpConnection::close(const error_code& /*reason*/) {
  activity_ = Activity::kLeaving;  // a `stop` may still be on its way
  memory_.reset();
  if (place_) all_.closed(*std::exchange(place_, std::nullopt));
  stop_timer();
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace otseq2set::inline http
