// Lines, against the obvious way to find them.
#include "otseq2set/text/line_reader.h"

#include "fuzz.h"

namespace otseq2set::fuzz {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (lines.empty() && line.substr(0, 3) == "\xef\xbb\xbf") line.remove_prefix(3);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

void run(std::string_view input) {
  const size_t longest = 8 + take_byte(input);
  const MemoryFile file(input);
  LineReader reader(file.path(), longest);
  for (const std::string_view expected : lines_of(input)) {
    std::string_view line;
    require(reader.next(line));
    require(reader.too_long() == (expected.size() > longest));
    require(line == (reader.too_long() ? std::string_view() : expected));
  }
  std::string_view line;
  require(!reader.next(line));
}

}  // namespace otseq2set::fuzz
