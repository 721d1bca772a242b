// The records of a CSV file as RFC 4180 and Python's csv module have them: fields separated by commas, a
// field that begins with a quote may hold commas, line ends and doubled quotes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/text/line_reader.h"

namespace otseq2set::inline reading {

// Takes one record line by line.
class CsvRecord {
 public:
  static constexpr size_t kMaxFields = 64;  // more are counted, but not kept

  void clear();

  // The next line of the record; `line_end` is what separates it from the line after. False when a quote is
  // still open, so that the record goes on in the next line.
  bool add_line(std::string_view line, std::string_view line_end);

  size_t count() const { return count_; }
  size_t bytes() const { return bytes_.size(); }
  bool open() const { return state_ == State::kQuoted; }

  // Field i < count(); empty when it was not kept.
  std::string_view field(size_t i) const;

 private:
  enum class State { kFieldStart, kPlain, kQuoted, kQuoteInQuoted };

  void append(std::string_view text);
  void end_field();

  State state_ = State::kFieldStart;
  size_t count_ = 0;
  std::string bytes_;         // of all fields kept
  std::vector<size_t> ends_;  // of each field in bytes_
};

// One record after the other. Blank lines between records are skipped.
class CsvRecords {
 public:
  explicit CsvRecords(LineReader lines) : lines_(std::move(lines)) {}

  // False after the last.
  bool next();

  const CsvRecord& record() const { return record_; }
  // What is wrong with the record just read, empty when nothing is.
  const std::string& problem() const { return problem_; }
  // Where it begins.
  size_t line() const { return line_; }
  std::string place() const { return lines_.name() + ':' + std::to_string(line_); }
  const LineReader& lines() const { return lines_; }

 private:
  LineReader lines_;
  CsvRecord record_;
  std::string problem_;
  size_t line_ = 0;
};

}  // namespace otseq2set::inline reading
