#include "otseq2set/http/http_connection.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <string_view>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/http/problem.h"

namespace otseq2set::inline http {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr size_t kMaxHeader = 16 << 10;
constexpr size_t kReadAhead = 64 << 10;                 // bytes read at once from a body
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
  if (error == beast_http::error::end_of_stream || error == beast_http::error::partial_message) return std::nullopt;
  if (error.category() == make_error_code(beast_http::error::bad_method).category()) {
    return problem_response(400, "not an HTTP/1.1 request: " + error.message());
  }
  return std::nullopt;
}

}  // namespace

HttpConnection::HttpConnection(HttpConnections& all, Socket socket)
    : all_(all), socket_(std::move(socket)), timer_(socket_.get_executor()), buffer_(kReadAhead + kMaxHeader) {
  error_code error;
  const auto remote = socket_.remote_endpoint(error);
  if (!error) remote_ = remote.address().to_string();
  socket_.set_option(tcp::no_delay(true), error);
  all_.opened(this);
}

HttpConnection::~HttpConnection() { all_.closed(this); }

void HttpConnection::start() {
  asio::dispatch(socket_.get_executor(), [self = shared_from_this()] { self->read_head(); });
}

void HttpConnection::stop() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->idle_) self->set_timer(kLastRequest);
  });
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
  return [self = shared_from_this(), next, failed](const error_code& error, size_t /*bytes*/ = 0) {
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
  idle_ = true;
  set_timer(all_.stopping() ? kLastRequest : all_.options().idle_time);
  // First of all for any byte: what has begun to arrive has its own time limit.
  if (buffer_.size() > 0) return read_rest_of_head();
  socket_.async_wait(Socket::wait_read, then(&HttpConnection::read_rest_of_head, &HttpConnection::close));
}

void HttpConnection::read_rest_of_head() {
  idle_ = false;
  set_timer(all_.options().transfer_time);
  beast_http::async_read_header(socket_, buffer_, *parser_,
                                then(&HttpConnection::got_head, &HttpConnection::failed_to_read));
}

void HttpConnection::failed_to_read(const error_code& error) {
  started_ = std::chrono::steady_clock::now();
  keep_alive_ = false;
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
  if (head.version() >= 11 && head.count(beast_http::field::host) != 1) {
    return problem_response(400, "an HTTP/1.1 request must have one header 'Host'");
  }
  if (head.count(beast_http::field::transfer_encoding) > 0 &&
      !(parser_->chunked() && boost::beast::iequals(head[beast_http::field::transfer_encoding], "chunked"))) {
    keep_alive_ = false;  // where this body ends, nobody knows
    return problem_response(501, "a body must be sent as it is or in chunks, not in another coding");
  }
  return all_.application().refuse_head(request_);
}

void HttpConnection::got_head() {
  take_head();
  keep_alive_ = parser_->get().keep_alive();
  started_ = std::chrono::steady_clock::now();
  const size_t max_body = all_.options().max_body;
  const uint64_t length = parser_->chunked() ? max_body : parser_->content_length().value_or(0);
  if (std::optional<HttpResponse> refused = refusal()) {
    refuse(std::move(*refused));
  } else if (length > max_body) {
    refuse(too_large(max_body));
  } else if (!has_memory_for(static_cast<size_t>(length))) {
    refuse(busy_response("there is not enough memory for more requests; try again in a moment"));
  } else if (version_ >= 11 && boost::beast::iequals(parser_->get()[beast_http::field::expect], "100-continue")) {
    ask_for_body();
  } else {
    read_body();
  }
}

// The body stays unread, so nothing that follows on this connection could be understood.
void HttpConnection::refuse(HttpResponse response) {
  if (!parser_->is_done()) keep_alive_ = false;
  write(std::move(response));
}

bool HttpConnection::has_memory_for(size_t bytes) {
  if (bytes <= kReadAhead) return true;  // many large bodies that are slow to arrive keep out no small one
  if (memory_ && bytes <= memory_->bytes()) return true;
  memory_.reset();
  memory_ = all_.reserve(bytes);
  return memory_ != nullptr;
}

void HttpConnection::ask_for_body() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                    then(&HttpConnection::read_body, &HttpConnection::close));
}

void HttpConnection::read_body() {
  parser_->body_limit(all_.options().max_body);
  if (!parser_->is_done()) buffer_.reserve(kReadAhead);
  beast_http::async_read(socket_, buffer_, *parser_,
                         then(&HttpConnection::got_request, &HttpConnection::failed_to_read));
}

void HttpConnection::got_request() {
  await_answer();
  started_ = std::chrono::steady_clock::now();
  request_.body = std::move(parser_->get().body());
  bytes_in_ = request_.body.size();
  if (memory_) memory_->shrink(bytes_in_);  // in chunks it might have been more
  HttpRequest request = std::move(request_);
  request_.method = request.method;  // for the log
  request_.path = request.path;
  request_.route = request.route;
  request_.remote = request.remote;
  request_.user = request.user;
  parser_.reset();
  buffer_.shrink_to_fit();
  // The text lives as long as this function, in the queue, even when nobody waits for the answer any more.
  const auto respond = [self = shared_from_this(), turn = turn_, memory = memory_](HttpResponse response) {
    const auto executor = self->socket_.get_executor();
    asio::post(executor, [self, turn, response = std::move(response)]() mutable {
      if (turn == self->turn_) self->write(std::move(response));
    });
  };
  all_.application().answer(std::move(request), respond);
}

// What the application says after this time is dropped.
void HttpConnection::await_answer() {
  timer_.expires_after(all_.options().answer_time);
  timer_.async_wait([self = shared_from_this(), turn = ++turn_](const error_code& error) {
    if (error || turn != self->turn_) return;
    self->write(busy_response("there was no answer in time; send fewer documents at once, or try later"));
  });
}

void HttpConnection::write(HttpResponse response) {
  if (all_.stopping()) keep_alive_ = false;
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
  idle_ = false;  // a `stop` may still be on its way
  stop_timer();
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace otseq2set::inline http
