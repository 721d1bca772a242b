#include "otseq2set/serving/access_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/text/json_writer.h"

namespace otseq2set::inline serving {

namespace {

constexpr size_t kLongestPath = 200;  // bytes; addresses are at most as long as a header

std::FILE* open_log(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) fail("cannot write {}: {}", path, std::strerror(errno));
  return file;
}

std::string time_text(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const auto seconds = static_cast<std::time_t>(since / 1000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), since % 1000);
}

}  // namespace

AccessLog::AccessLog(std::string path) : path_(std::move(path)) { reopen(); }

void AccessLog::reopen() {
  if (path_ == "-" || path_ == "off") return;
  std::FILE* file = open_log(path_);
  const std::lock_guard<std::mutex> lock(mutex_);
  file_.reset(file);
}

void AccessLog::write(const Exchange& exchange) {
  if (path_ == "off") return;
  const std::string line = access_log_line(exchange);
  const std::lock_guard<std::mutex> lock(mutex_);
  std::FILE* out = file_ ? file_.get() : stdout;
  std::fwrite(line.data(), 1, line.size(), out);
  std::fflush(out);
}

std::string access_log_line(const Exchange& exchange) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("time", time_text(exchange.ended)).field("remote", exchange.remote);
  json.field("method", exchange.method);
  json.field("path", std::string_view(exchange.path).substr(0, kLongestPath));
  json.field("status", exchange.status).field("ms", "{:.1f}", 1e3 * exchange.seconds);
  json.field("bytes_in", exchange.bytes_in).field("bytes_out", exchange.bytes_out);
  if (!exchange.user.empty()) json.field("token_name", exchange.user);
  if (!exchange.subject.empty()) json.field("model", exchange.subject).field("documents", exchange.items);
  json.end_line();
  return line;
}

}  // namespace otseq2set::inline serving
