#include "otseq2set/text/line_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>
#include <vector>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

using Lines = std::vector<std::string>;

Lines read_all(LineReader& reader) {
  Lines lines;
  for (std::string_view line; reader.next(line);) {
    lines.push_back(reader.too_long() ? "TOO LONG" : std::string(line));
    EXPECT_EQ(reader.line(), lines.size());
  }
  return lines;
}

Lines read_all_after(LineReader& reader) {
  Lines lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

Lines lines_of(std::string_view content, size_t max_line = LineReader::kMaxLine) {
  const TempFolder folder;
  LineReader reader(folder.write("file", content), max_line);
  return read_all(reader);
}

TEST(LineReader, EndsOfLines) {
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("\n"), Lines{""});
  EXPECT_EQ(lines_of("a"), Lines{"a"});
  EXPECT_EQ(lines_of("a\n"), Lines{"a"});
  EXPECT_EQ(lines_of("a\r\n\r\n\nb\rc\n\r"), (Lines{"a", "", "", "b\rc", ""}));
  EXPECT_EQ(lines_of(std::string_view("a\0b\n", 4)), Lines{std::string("a\0b", 3)});
}

TEST(LineReader, ByteOrderMarkOnlyAtTheBeginning) {
  EXPECT_EQ(lines_of("\xef\xbb\xbf"
                     "a\n\xef\xbb\xbf"
                     "b"),
            (Lines{"a",
                   "\xef\xbb\xbf"
                   "b"}));
  EXPECT_EQ(lines_of("\xef\xbb\xbf"), Lines{});
}

TEST(LineReader, LinesAcrossBlocks) {
  Lines expected;
  std::string content;
  for (size_t length : {0ul, 1ul, 16000ul, 300ul, 16384ul, 16383ul, 16385ul, 700000ul, 1048575ul, 1048576ul, 5000000ul,
                        3ul, 1048577ul}) {
    expected.emplace_back(length, static_cast<char>('a' + length % 26));
    content += expected.back() + '\n';
  }
  EXPECT_EQ(lines_of(content), expected);
}

TEST(LineReader, PassesOverLinesThatAreTooLong) {
  EXPECT_EQ(lines_of("1234\n12345\n1\n12345678", 4), (Lines{"1234", "TOO LONG", "1", "TOO LONG"}));
  EXPECT_EQ(lines_of("1234\r\n1234\r", 4), (Lines{"1234", "1234"}));
  EXPECT_EQ(lines_of("\xef\xbb\xbf"
                     "1234\r",
                     4),
            Lines{"1234"});
  const std::string huge(3000000, 'x');
  EXPECT_EQ(lines_of("a\n" + huge + "\nb\n" + huge, 1000), (Lines{"a", "TOO LONG", "b", "TOO LONG"}));
}

TEST(LineReader, GivesALineBeforeThePipeIsClosed) {
  const TempFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::FILE* pipe = std::fopen(path.c_str(), "w");
    std::fputs("first\nsec", pipe);
    std::fflush(pipe);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::fputs("ond\n", pipe);
    std::fclose(pipe);
  });
  LineReader reader(path);
  EXPECT_EQ(read_all(reader), (Lines{"first", "second"}));
  writer.join();
}

TEST(LineReader, PeekShowsWhatNextWillGive) {
  const TempFolder folder;
  LineReader reader(folder.write("file",
                                 "\xef\xbb\xbf"
                                 "one\r\ntwo\nthree"));
  EXPECT_EQ(reader.peek(1, 1000).substr(0, 5), "one\r\n");
  EXPECT_EQ(reader.line(), 0u);
  EXPECT_EQ(reader.peek(100, 1000), "one\r\ntwo\nthree");
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_TRUE(reader.ended_with_return());
  EXPECT_EQ(reader.peek(1, 1000), "two\nthree");
  EXPECT_EQ(read_all_after(reader), (Lines{"two", "three"}));
  EXPECT_EQ(reader.peek(1, 1000), "");
}

TEST(LineReader, PeekWaitsForAsManyLinesAsAskedFor) {
  const TempFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::FILE* pipe = std::fopen(path.c_str(), "w");
    for (const char* piece : {"a", "\nb", "b\nc", "c"}) {
      std::fputs(piece, pipe);
      std::fflush(pipe);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::fclose(pipe);
  });
  LineReader reader(path);
  EXPECT_EQ(reader.peek(2, 1000).substr(0, 5), "a\nbb\n");
  EXPECT_EQ(read_all(reader), (Lines{"a", "bb", "cc"}));
  writer.join();
}

TEST(LineReader, RefusesUtf16) {
  using namespace std::string_view_literals;
  for (const std::string_view content : {"\xff\xfe{\0\"\0"sv, "\xfe\xff\0{\0\""sv, "{\0\"\0t\0"sv, "\0{\0\"\0t"sv}) {
    EXPECT_NE(message_of<Error>([&] { lines_of(content); }).find("file: the file is UTF-16, but must be UTF-8"),
              std::string::npos);
  }
  EXPECT_EQ(lines_of("\0\0\0\0"sv), Lines{std::string(4, '\0')});
  EXPECT_EQ(lines_of("a\0bc"sv), Lines{std::string("a\0bc", 4)});
}

TEST(LineReader, PlaceNamesFileAndLine) {
  const TempFolder folder;
  const std::string path = folder.write("file", "a\nb\n");
  LineReader reader(path);
  std::string_view line;
  reader.next(line);
  reader.next(line);
  EXPECT_EQ(reader.place(), path + ":2");
  EXPECT_EQ(display_name("-"), "standard input");
}

TEST(LineReader, ErrorsNamePathAndReason) {
  const TempFolder folder;
  const std::string missing = folder.path("missing");
  EXPECT_EQ(message_of<Error>([&] { LineReader reader(missing); }),
            "cannot read " + missing + ": No such file or directory");
  const std::string directory = folder.path("");
  EXPECT_EQ(message_of<Error>([&] { LineReader reader(directory); }), "cannot read " + directory + ": Is a directory");
}

}  // namespace
}  // namespace otseq2set
