// Lines, against the obvious way to find them in the unpacked bytes.
#include "otseq2set/text/line_reader.h"

#include "fuzz.h"
#include "otseq2set/core/byte_source.h"

namespace otseq2set::fuzz {

namespace {

constexpr size_t kMostBytes = 1 << 20;  // a few bytes can unpack to very many

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

std::string unpacked(const std::string& path) {
  const auto bytes = open_bytes(path);
  std::string all;
  char block[4096];
  while (const size_t count = bytes->read(block, sizeof block)) {
    all.append(block, count);
    if (all.size() > kMostBytes) fail("{} is too large to compare", path);
  }
  return all;
}

}  // namespace

void run(std::string_view input) {
  const size_t longest = 8 + take_byte(input);
  const MemoryFile file(input);
  const std::string text = unpacked(file.path());
  LineReader reader(file.path(), longest);
  for (const std::string_view expected : lines_of(text)) {
    std::string_view line;
    require(reader.next(line));
    require(reader.too_long() == (expected.size() > longest));
    require(line == (reader.too_long() ? std::string_view() : expected));
  }
  std::string_view line;
  require(!reader.next(line));
}

}  // namespace otseq2set::fuzz
