#include "otseq2set/text/word_vectors.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <exception>
#include <optional>
#include <system_error>

#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set {

namespace {

bool is_separator(char c) { return c == ' ' || c == '\t'; }

std::string_view trim_end(std::string_view text) {
  while (!text.empty() && is_separator(text.back())) text.remove_suffix(1);
  return text;
}

// Takes the first field off a text that begins with one, or with separators.
std::string_view take_field(std::string_view& text) {
  size_t begin = 0;
  while (begin < text.size() && is_separator(text[begin])) ++begin;
  size_t end = begin;
  while (end < text.size() && !is_separator(text[end])) ++end;
  const std::string_view field = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return field;
}

size_t count_fields(std::string_view text) {
  size_t count = 0;
  while (!take_field(text).empty()) ++count;
  return count;
}

// from_chars refuses what is too small for a float, which is a harmless zero here; hence the way over double.
std::optional<float> parse_number(std::string_view field) {
  const char* begin = field.data();
  const char* end = begin + field.size();
  if (begin < end && *begin == '+') ++begin;
  float value;
  const auto [stopped, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) {
    double wide = 0;
    if (std::from_chars(begin, end, wide).ec != std::errc()) return std::nullopt;
    value = static_cast<float>(wide);
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  if (stopped != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

template <typename Integer>
bool parse_integer(std::string_view field, Integer& value) {
  const auto [stopped, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && stopped == field.data() + field.size();
}

// A line of the file, and what errors call it.
struct Line {
  std::string_view text;
  const std::string& file;
  size_t number;

  std::string place() const { return fmt::format("{}:{}", file, number); }
};

[[noreturn]] void fail_width(const Line& line, size_t width, size_t dimension) {
  fail("{}: vectors of {} numbers, but model.word_embedding is {}", line.place(), width, dimension);
}

// The first line of a .vec file. Checks its dimension.
bool is_header(const Line& line, size_t dimension) {
  uint64_t count, width;
  std::string_view text = line.text;
  if (line.number != 1 || count_fields(text) != 2 || !parse_integer(take_field(text), count)) return false;
  if (!parse_integer(take_field(text), width)) return false;
  if (width != dimension) fail_width(line, width, dimension);
  return true;
}

// Is this `dimension` + 1 fields with a space between any two, as nearly all lines are? The loop is one that
// compilers vectorise.
bool is_plain(std::string_view text, size_t dimension) {
  size_t spaces = 0, unusual = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    spaces += text[i] == ' ';
    unusual += static_cast<int>(text[i] == '\t') |
               (static_cast<int>(text[i] == ' ') & static_cast<int>(text[i + 1] == ' '));
  }
  return spaces == dimension && unusual == 0 && text.front() != ' ';
}

// Splits a line into its word and its last `dimension` fields. A word of several fields whose last is a
// number is taken for a vector that is too wide.
std::string_view split_word(const Line& line, size_t dimension, std::string_view& numbers) {
  const std::string_view text = line.text;
  if (is_plain(text, dimension)) {
    numbers = text.substr(text.find(' '));
    return text.substr(0, text.size() - numbers.size());
  }
  size_t end = text.size();
  for (size_t i = 0; i < dimension && end > 0; ++i) {
    while (end > 0 && is_separator(text[end - 1])) --end;
    while (end > 0 && !is_separator(text[end - 1])) --end;
  }
  if (end == 0) fail_width(line, count_fields(text) - 1, dimension);
  numbers = text.substr(end);
  const std::string_view word = trim_end(text.substr(0, end));
  const size_t last = word.find_last_of(" \t");
  if (last != std::string_view::npos && parse_number(word.substr(last + 1))) {
    fail_width(line, count_fields(text) - 1, dimension);
  }
  return word;
}

// Takes a number such as -0.081263 off the text: whole digits, a point, more digits, and a separator or the
// end. When all digits together make a number below 2^24 and at most ten follow the point, that number and
// the power of ten are floats without rounding, and so their quotient is rounded once, as it should be.
// False, with nothing taken, for everything else.
bool take_plain_number(std::string_view& text, float& value) {
  static constexpr float kPowers[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
  constexpr uint64_t kExact = 1 << 24;
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at < end && *at == '-';
  if (negative) ++at;
  uint64_t digits = 0;
  const auto take_digits = [&] {
    const char* const begin = at;
    while (at < end && *at >= '0' && *at <= '9' && digits < kExact) digits = 10 * digits + (*at++ - '0');
    return static_cast<size_t>(at - begin);
  };
  if (take_digits() == 0 || at == end || *at != '.') return false;
  ++at;
  const size_t places = take_digits();
  if (places == 0 || places > 10 || digits >= kExact || (at < end && !is_separator(*at))) return false;
  const float magnitude = static_cast<float>(digits) / kPowers[places];
  value = negative ? -magnitude : magnitude;
  text.remove_prefix(at - text.data());
  return true;
}

void parse_numbers(const Line& line, std::string_view numbers, size_t dimension, float* values) {
  for (size_t i = 0; i < dimension; ++i) {
    while (is_separator(numbers.front())) numbers.remove_prefix(1);
    if (take_plain_number(numbers, values[i])) continue;
    const std::string_view field = take_field(numbers);
    const std::optional<float> number = parse_number(field);
    if (!number) fail("{}: '{}' is not a finite number", line.place(), field);
    values[i] = *number;
  }
}

// Some lines of the file, copied, for the threads to work on.
class Batch {
 public:
  explicit Batch(const std::string& file) : file_(file) {}

  // The next lines that are not blank; false when there are none.
  bool read(LineReader& lines) {
    text_.clear();
    lines_.clear();
    for (std::string_view line; text_.size() < kBytes && lines.next(line);) {
      if (lines.too_long()) fail("{}: a line longer than {} MB", lines.place(), lines.max_line() >> 20);
      line = trim_end(line);
      if (line.empty()) continue;
      lines_.push_back({text_.size(), line.size(), lines.line()});
      text_ += line;
    }
    return !lines_.empty();
  }

  size_t size() const { return lines_.size(); }
  Line line(size_t i) const {
    return {std::string_view(text_).substr(lines_[i].begin, lines_[i].size), file_, lines_[i].number};
  }

 private:
  static constexpr size_t kBytes = size_t{8} << 20;
  struct Place {
    size_t begin, size, number;
  };

  const std::string& file_;
  std::string text_;
  std::vector<Place> lines_;
};

}  // namespace

size_t vector_dimension(const std::string& path) {
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    const size_t fields = count_fields(line);
    if (fields == 0) continue;
    uint64_t count, width;
    std::string_view rest = line;
    const bool header = fields == 2 && lines.line() == 1 && parse_integer(take_field(rest), count) &&
                        parse_integer(take_field(rest), width);
    const size_t dimension = header ? width : fields - 1;
    if (dimension == 0) fail("{}: a word and the numbers of its vector are expected", lines.place());
    return dimension;
  }
  fail("{}: no word vectors", lines.name());
}

// In a batch words are found on all threads and taken over in their order; then the numbers of those that are
// wanted are parsed on all threads.
class WordVectors::Reader {
 public:
  Reader(WordVectors& vectors, const Wanted& wanted) : vectors_(vectors), wanted_(wanted) {}

  void add(const Batch& batch) {
    kept_.clear();
    std::exception_ptr failure;  // of a line after those kept, whose own faults come first
    try {
      find_words(batch);
    } catch (const Error&) {
      failure = std::current_exception();
    }
    parse_kept(batch);
    if (failure) std::rethrow_exception(failure);
  }

  bool any() const { return any_; }

 private:
  static constexpr size_t kBlock = 256;  // lines

  struct Split {
    size_t line;
    std::string_view word, numbers;
  };

  static size_t blocks(size_t count) { return (count + kBlock - 1) / kBlock; }

  struct Block {
    std::vector<Split> words;
    std::exception_ptr failure;  // of the line after them
  };

  Block split(const Batch& batch, size_t begin) const {
    Block block;
    try {
      for (size_t i = begin; i < std::min(begin + kBlock, batch.size()); ++i) {
        const Line line = batch.line(i);
        if (is_header(line, vectors_.dimension_)) continue;
        std::string_view numbers;
        const std::string_view word = split_word(line, vectors_.dimension_, numbers);
        block.words.push_back({i, word, numbers});
      }
    } catch (const Error&) {
      block.failure = std::current_exception();
    }
    return block;
  }

  void find_words(const Batch& batch) {
    parallel_for_in_groups(
        static_cast<int64_t>(blocks(batch.size())),
        [&](int64_t i) { return split(batch, static_cast<size_t>(i) * kBlock); },
        [&](int64_t, const Block& block) {
          for (const Split& word : block.words) keep(word);
          if (block.failure) std::rethrow_exception(block.failure);
        });
  }

  void keep(const Split& split) {
    any_ = true;
    if (!wanted_(split.word) || vectors_.words_.find(split.word) >= 0) return;
    vectors_.words_.add(split.word);
    kept_.push_back(split);
  }

  void parse_kept(const Batch& batch) {
    const size_t first = vectors_.words_.size() - kept_.size();
    vectors_.values_.resize(vectors_.words_.size() * vectors_.dimension_);
    parallel_for(static_cast<int64_t>(blocks(kept_.size())), [&](int64_t block) {
      const size_t begin = static_cast<size_t>(block) * kBlock;
      for (size_t i = begin; i < std::min(begin + kBlock, kept_.size()); ++i) {
        parse_numbers(batch.line(kept_[i].line), kept_[i].numbers, vectors_.dimension_,
                      vectors_.values_.data() + (first + i) * vectors_.dimension_);
      }
    });
  }

  WordVectors& vectors_;
  const Wanted& wanted_;
  std::vector<Split> kept_;
  bool any_ = false;
};

WordVectors WordVectors::read(const std::string& path, size_t dimension, const Wanted& wanted) {
  assert(dimension > 0);
  WordVectors vectors(dimension);
  LineReader lines(path);
  Batch batch(lines.name());
  Reader reader(vectors, wanted);
  while (batch.read(lines)) reader.add(batch);
  if (!reader.any()) fail("{}: no word vectors", lines.name());
  return vectors;
}

}  // namespace otseq2set
