#include "otseq2set/report/gnuplot.h"

#include <algorithm>
#include <chrono>

#include "otseq2set/core/child_process.h"
#include "otseq2set/core/error.h"

namespace otseq2set::inline report {

namespace {

constexpr auto kLongest = std::chrono::seconds(30);  // a figure takes a tenth of one

std::string text_of(NamelessFile& file) {
  std::string text;
  file.read([&](std::string_view bytes) { text += bytes; });
  return text;
}

std::string first_message(const std::string& text) {
  constexpr size_t kShown = 200;
  const size_t begin = text.find("line ");
  const std::string message = text.substr(begin == std::string::npos ? 0 : begin);
  return message.substr(0, std::min(message.find('\n'), kShown));
}

}  // namespace

std::string run_gnuplot(const std::string& program, const std::string& script) {
  if (!on_path(program)) fail("{} is not installed (Debian: apt install gnuplot-nox)", program);
  NamelessFile in, out, err;
  in.write(script);
  in.rewind();
  const auto last = std::chrono::steady_clock::now() + kLongest;
  const auto late = [last] { return std::chrono::steady_clock::now() > last; };
  const int code = run_child({program, "--default-settings"}, {.abort = late, .in = &in, .out = &out, .err = &err});
  if (code != 0 && late()) fail("{} took longer than {} seconds", program, kLongest.count());
  if (code != 0) fail("{} failed: {}", program, first_message(text_of(err)));
  return text_of(out);
}

}  // namespace otseq2set::inline report
