#include "otseq2set/serving/access_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <string_view>

#include "otseq2set/text/json_writer.h"

namespace otseq2set::inline serving {

namespace {

// Bytes; what clients send is at most as long as a header. Escaped, a byte is six.
constexpr size_t kLongestPath = 200, kLongestMethod = 20, kLongestName = 100;

std::string_view beginning(std::string_view text, size_t bytes) { return text.substr(0, bytes); }

std::string time_text(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const auto seconds = static_cast<std::time_t>(since / 1000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), since % 1000);
}

}  // namespace

AccessLog::AccessLog(const std::string& path) {
  if (path != "off") lines_.emplace(path);
}

void AccessLog::reopen() {
  if (lines_) lines_->reopen();
}

void AccessLog::write(const Exchange& exchange) {
  if (lines_) lines_->write(access_log_line(exchange));
}

std::string access_log_line(const Exchange& exchange) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("time", time_text(exchange.ended)).field("remote", exchange.remote);
  json.field("method", beginning(exchange.method, kLongestMethod));
  json.field("path", beginning(exchange.path, kLongestPath));
  json.field("status", exchange.status).field("ms", "{:.1f}", 1e3 * exchange.seconds);
  json.field("bytes_in", exchange.bytes_in).field("bytes_out", exchange.bytes_out);
  if (!exchange.user.empty()) json.field("token_name", beginning(exchange.user, kLongestName));
  if (!exchange.subject.empty()) {
    json.field("model", beginning(exchange.subject, kLongestName)).field("documents", exchange.items);
  }
  json.end_line();
  return line;
}

}  // namespace otseq2set::inline serving
