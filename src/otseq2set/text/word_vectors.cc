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
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline text {

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

// The first line of a .vec file.
struct Header {
  uint64_t count = 0, width = 0;
};

std::optional<Header> parse_header(std::string_view text, size_t line) {
  Header header;
  if (line != 1 || count_fields(text) != 2 || !parse_integer(take_field(text), header.count)) {
    return std::nullopt;
  }
  if (!parse_integer(take_field(text), header.width)) return std::nullopt;
  return header;
}

// Is this `dimension` + 1 fields with a space between any two, as nearly all lines are? The loop is one that
// compilers vectorise.
bool is_plain(std::string_view text, size_t dimension) {
  size_t spaces = 0, unusual = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    spaces += text[i] == ' ';
    unusual +=
        static_cast<int>(text[i] == '\t') | (static_cast<int>(text[i] == ' ') & static_cast<int>(text[i + 1] == ' '));
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
    if (!number) fail("{}: '{}' is not a finite number", line.place(), excerpt(field));
    values[i] = *number;
  }
}

// Before its first line is read.
void refuse_fasttext_model(LineReader& lines) {
  constexpr std::string_view kMagic = "\xba\x16\x4f\x2f";
  if (!lines.peek(1, kMagic.size()).starts_with(kMagic)) return;
  fail("{}: this is a fastText model; the vectors are in the .vec file next to it", lines.name());
}

// The first line that is not blank.
Line first_line(LineReader& lines) {
  refuse_fasttext_model(lines);
  for (std::string_view line; lines.next(line);) {
    if (line = trim_end(line); !line.empty()) return {line, lines.name(), lines.line()};
  }
  fail("{}: no word vectors", lines.name());
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
  const Line line = first_line(lines);
  const std::optional<Header> header = parse_header(line.text, line.number);
  const size_t dimension = header ? header->width : count_fields(line.text) - 1;
  if (dimension == 0) fail("{}: expected a word and the numbers of its vector", line.place());
  return dimension;
}

void check_first_vector(const std::string& path, size_t dimension) {
  LineReader lines(path);
  const Line line = first_line(lines);
  if (const auto header = parse_header(line.text, line.number)) {
    if (header->width != dimension) fail_width(line, header->width, dimension);
    return;
  }
  std::string_view numbers;
  split_word(line, dimension, numbers);
}

// In a batch words are found on all threads and taken over in their order; then the numbers of those that are
// wanted are parsed on all threads.
class WordVectors::Reader {
 public:
  // Whose numbers are parsed: of words that are kept, or of all.
  enum class Numbers { kOfKept, kOfAll };

  Reader(WordVectors& vectors, const Wanted& wanted, Numbers numbers)
      : vectors_(vectors), wanted_(wanted), numbers_(numbers) {}

  void read(const std::string& path) {
    LineReader lines(path);
    refuse_fasttext_model(lines);
    Batch batch(lines.name());
    while (batch.read(lines)) add(batch);
    if (words_ == 0) fail("{}: no word vectors", lines.name());
    if (words_ < claimed_) {
      fail("{}:1: {} words are announced, but there are {}; is the file complete? If it is, correct this line",
           lines.name(), claimed_, words_);
    }
  }

 private:
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

  static constexpr size_t kBlock = 256;  // lines

  struct Split {
    size_t line;
    std::string_view word, numbers;
  };

  static size_t blocks(size_t count) { return (count + kBlock - 1) / kBlock; }

  struct Block {
    std::vector<Split> words;
    std::exception_ptr failure;  // of the line after them
    uint64_t claimed = 0;        // words, by a header
  };

  Block split(const Batch& batch, size_t begin) const {
    const size_t dimension = vectors_.dimension_;
    Block block;
    std::vector<float> values;
    try {
      for (size_t i = begin; i < std::min(begin + kBlock, batch.size()); ++i) {
        const Line line = batch.line(i);
        if (const auto header = parse_header(line.text, line.number)) {
          if (header->width != dimension) fail_width(line, header->width, dimension);
          block.claimed = header->count;
          continue;
        }
        std::string_view numbers;
        const std::string_view word = split_word(line, dimension, numbers);
        if (numbers_ == Numbers::kOfAll) {
          values.resize(dimension);  // the line has as many, whatever a header claims
          parse_numbers(line, numbers, dimension, values.data());
        }
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
          claimed_ += block.claimed;
          for (const Split& word : block.words) keep(word);
          if (block.failure) std::rethrow_exception(block.failure);
        });
  }

  void keep(const Split& split) {
    ++words_;
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
  Numbers numbers_;
  std::vector<Split> kept_;
  uint64_t words_ = 0, claimed_ = 0;
};

WordVectors WordVectors::read(const std::string& path, size_t dimension, const Wanted& wanted) {
  assert(dimension > 0);
  WordVectors vectors(dimension);
  Reader(vectors, wanted, Reader::Numbers::kOfKept).read(path);
  return vectors;
}

void WordVectors::check(const std::string& path, size_t dimension, const std::function<void(std::string_view)>& visit) {
  assert(dimension > 0);
  WordVectors none(dimension);
  const Wanted wanted = [&](std::string_view word) {
    visit(word);
    return false;
  };
  Reader(none, wanted, Reader::Numbers::kOfAll).read(path);
}

}  // namespace otseq2set::inline text
