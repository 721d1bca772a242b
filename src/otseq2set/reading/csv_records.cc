#include "otseq2set/reading/csv_records.h"

#include <fmt/format.h>

#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

void CsvRecord::clear() {
  state_ = State::kFieldStart;
  count_ = 0;
  bytes_.clear();
  ends_.clear();
}

bool CsvRecord::add_line(std::string_view line, std::string_view line_end) {
  for (size_t i = 0; i < line.size();) {
    switch (state_) {
      case State::kFieldStart:
        state_ = line[i] == '"' ? State::kQuoted : State::kPlain;
        i += line[i] == '"' ? 1 : 0;
        break;
      case State::kPlain: {
        const size_t comma = std::min(line.find(',', i), line.size());
        append(line.substr(i, comma - i));
        if (comma < line.size()) end_field();
        i = comma + 1;
        break;
      }
      case State::kQuoted: {
        const size_t quote = std::min(line.find('"', i), line.size());
        append(line.substr(i, quote - i));
        if (quote < line.size()) state_ = State::kQuoteInQuoted;
        i = quote + 1;
        break;
      }
      case State::kQuoteInQuoted:  // the end of the field, unless it is doubled
        state_ = line[i] == '"' ? State::kQuoted : State::kPlain;
        if (line[i] == '"') {
          append("\"");
          ++i;
        }
        break;
    }
  }
  if (open()) {
    append(line_end);
    return false;
  }
  end_field();
  return true;
}

std::string_view CsvRecord::field(size_t i) const {
  if (i >= ends_.size()) return "";
  const size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(bytes_).substr(begin, ends_[i] - begin);
}

void CsvRecord::append(std::string_view text) {
  if (count_ < kMaxFields) bytes_ += text;
}

void CsvRecord::end_field() {
  if (count_ < kMaxFields) ends_.push_back(bytes_.size());
  ++count_;
  state_ = State::kFieldStart;
}

bool CsvRecords::next() {
  record_.clear();
  problem_.clear();
  line_ = 0;
  for (std::string_view line; lines_.next(line);) {
    if (line_ == 0 && is_blank(line) && !lines_.too_long()) continue;
    if (line_ == 0) line_ = lines_.line();
    if (lines_.too_long() || record_.bytes() + line.size() > lines_.max_line()) {
      problem_ = fmt::format("the record is longer than {} bytes; is a closing quote missing?", lines_.max_line());
      return true;
    }
    if (record_.add_line(line, lines_.ended_with_return() ? "\r\n" : "\n")) return true;
  }
  if (line_ == 0) return false;
  problem_ = "a quote is never closed";
  return true;
}

}  // namespace otseq2set::inline reading
