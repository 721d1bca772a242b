// Lines to where nobody takes them (serving/line_writer.h).
#include "otseq2set/serving/line_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

const std::string kLine = std::string(99, 'x') + "\n";

std::string content(const std::string& path) {
  std::stringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST(LineWriter, WritesEverythingInItsOrder) {
  const TempFolder folder;
  const std::string path = folder.path("log");
  std::string expected;
  {
    LineWriter writer(path);
    for (int i = 0; i < 5000; ++i) {
      const std::string line = std::to_string(i) + "\n";
      writer.write(line);
      expected += line;
    }
  }
  EXPECT_EQ(content(path), expected);
}

TEST(LineWriter, ReopensWhatWasMovedAway) {
  const TempFolder folder;
  const std::string path = folder.path("log");
  LineWriter writer(path);
  writer.write("first\n");
  while (content(path).empty()) std::this_thread::yield();
  std::filesystem::rename(path, path + ".1");
  writer.reopen();
  writer.write("second\n");
  while (content(path).empty()) std::this_thread::yield();
  EXPECT_EQ(content(path), "second\n");
  EXPECT_EQ(content(path + ".1"), "first\n");
}

TEST(LineWriter, AReaderThatHangsHoldsNobodyUp) {
  const TempFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDWR | O_NONBLOCK);  // reads nothing
  // At most kMostWaiting bytes wait, as many are in the writer's hands, and the pipe holds less: of four times as much,
  // a part is always lost.
  const size_t lines = 4 * LineWriter::kMostWaiting / kLine.size();
  {
    LineWriter writer(path);
    for (size_t i = 0; i < lines; ++i) writer.write(kLine);
    EXPECT_GT(writer.lost(), lines / 4);
    EXPECT_LT(writer.lost(), lines);
  }
  // What is in the pipe are whole lines.
  std::string read;
  char bytes[4096];
  for (ssize_t got = 0; (got = ::read(reader, bytes, sizeof(bytes))) > 0;) read.append(bytes, static_cast<size_t>(got));
  close(reader);
  EXPECT_GT(read.size(), kLine.size());
  EXPECT_EQ(read.size() % kLine.size(), 0u);
  EXPECT_EQ(read.substr(0, kLine.size()), kLine);
}

TEST(LineWriter, AFullDiskIsToldOnceAndItsLinesAreCounted) {
  ::testing::internal::CaptureStderr();
  {
    LineWriter writer("/dev/full");
    for (int i = 0; i < 100; ++i) writer.write(kLine);
    while (writer.lost() < 100) std::this_thread::yield();
  }
  const std::string told = ::testing::internal::GetCapturedStderr();
  const size_t first = told.find("No space left on device");
  EXPECT_NE(first, std::string::npos) << told;
  EXPECT_EQ(told.find("No space left on device", first + 1), std::string::npos) << told;
  EXPECT_NE(told.find("100 lines of the access log were lost"), std::string::npos) << told;
}

}  // namespace
}  // namespace otseq2set::testing
