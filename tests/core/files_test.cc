#include "otseq2set/core/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "otseq2set/core/error.h"
#include "otseq2set/core/memory.h"

namespace otseq2set {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/otseq2set_files_XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  size_t files_in_folder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  std::string folder_;
};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Runs in a process of its own, which a limit may then spoil; the answer comes back as the exit code.
bool holds_in_child(const std::function<bool()>& condition) {
  const pid_t child = fork();
  if (child == 0) _exit(condition() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(Files, RoundTrip) {
  std::string bytes;
  for (int i = 0; i < 300000; ++i) bytes += static_cast<char>(i * 7);
  for (size_t size : {size_t{0}, size_t{1}, size_t{65535}, size_t{65536}, size_t{65537}, bytes.size()}) {
    write_file(path("x"), bytes.substr(0, size));
    EXPECT_EQ(read_file(path("x")), bytes.substr(0, size));
    EXPECT_EQ(files_in_folder(), 1u);
  }
}

TEST_F(Files, ManyPiecesKeepTheirOrder) {
  std::string expected;
  AtomicFile file(path("x"));
  for (int i = 0; i < 3000; ++i) {
    const std::string piece(static_cast<size_t>(i % 100 == 0 ? 70000 : i % 90), static_cast<char>('a' + i % 26));
    file.write(piece);
    expected += piece;
  }
  file.commit();
  EXPECT_EQ(read_file(path("x")), expected);
}

TEST_F(Files, OldFileStaysUntilCommit) {
  write_file(path("x"), "old");
  AtomicFile file(path("x"));
  file.write(std::string(200000, 'n'));
  EXPECT_EQ(read_file(path("x")), "old");
  file.commit();
  EXPECT_EQ(read_file(path("x")), std::string(200000, 'n'));
}

TEST_F(Files, WithoutCommitNothingHappened) {
  write_file(path("x"), "old");
  { AtomicFile(path("x")).write("new"); }
  EXPECT_EQ(read_file(path("x")), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(Files, TemporaryOfAKilledProcessIsOverwritten) {
  std::ofstream(path("x.tmp")) << std::string(1000, 'z');
  write_file(path("x"), "new");
  EXPECT_EQ(read_file(path("x")), "new");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(Files, FullDiskIsAnError) {
  EXPECT_EQ(message_of([] { write_file("/dev/full", "text"); }), "cannot write /dev/full: No space left on device");
  EXPECT_EQ(message_of([] { write_file("/dev/full", std::string(1000000, 'x')); }),
            "cannot write /dev/full: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

// As on a full disk, a part of the data has been written when the write fails.
TEST_F(Files, FailureHalfwayLeavesTheOldFile) {
  write_file(path("x"), "old");
  EXPECT_TRUE(holds_in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {100000, 100000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = message_of([&] { write_file(path("x"), std::string(1000000, 'x')); });
    return message == "cannot write " + path("x") + ": File too large" && read_file(path("x")) == "old" &&
           files_in_folder() == 1;
  }));
}

TEST_F(Files, PlacesThatCannotBeWritten) {
  EXPECT_EQ(message_of([&] { write_file(path("none/x"), ""); }),
            "cannot write " + path("none/x") + ": No such file or directory");
  EXPECT_EQ(message_of([&] { write_file(folder_, ""); }), "cannot write " + folder_ + ": Is a directory");
  EXPECT_EQ(message_of([&] { write_file("", ""); }), "cannot write : No such file or directory");
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(Files, MissingPermissionIsAnError) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ASSERT_EQ(chmod(folder_.c_str(), 0500), 0);
  EXPECT_EQ(message_of([&] { write_file(path("x"), ""); }), "cannot write " + path("x") + ": Permission denied");
}

TEST_F(Files, FollowsALink) {
  write_file(path("x"), "old");
  fs::create_symlink("x", path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("x")), "new");
}

TEST_F(Files, WritesIntoAPipe) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = open(path("pipe").c_str(), O_RDWR);
  write_file(path("pipe"), "text");
  char text[5] = {};
  EXPECT_EQ(::read(reader, text, 4), 4);
  EXPECT_STREQ(text, "text");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  ::close(reader);
}

TEST_F(Files, AppendsToStandardOutputInAFile) {
  EXPECT_TRUE(holds_in_child([&] {
    if (!std::freopen(path("out").c_str(), "w", stdout)) return false;
    if (::write(STDOUT_FILENO, "before ", 7) != 7) return false;
    write_file("/dev/stdout", "metrics ");
    return read_file(path("out")) == "before metrics " && files_in_folder() == 1;
  }));
}

TEST_F(Files, ReadingErrors) {
  EXPECT_EQ(message_of([&] { read_file(path("none")); }),
            "cannot read " + path("none") + ": No such file or directory");
  EXPECT_EQ(message_of([&] { read_file(folder_); }), "cannot read " + folder_ + ": Is a directory");
  EXPECT_FALSE(read_file("/proc/self/status").empty());  // says it has 0 bytes
}

TEST_F(Files, LockKeepsOtherProcessesOut) {
  const FolderLock lock(folder_);
  const std::string expected = folder_ + " is in use by another otseq2set (process " + std::to_string(getpid()) + ")";
  EXPECT_TRUE(holds_in_child([&] { return message_of([&] { FolderLock second(folder_); }) == expected; }));
  EXPECT_EQ(message_of([&] { FolderLock second(folder_); }), expected);
}

TEST_F(Files, LockEndsWithItsObject) {
  {
    FolderLock first(folder_);
    FolderLock moved = std::move(first);
    EXPECT_NE(message_of([&] { FolderLock second(folder_); }), "no error");
  }
  EXPECT_EQ(message_of([&] { FolderLock second(folder_); }), "no error");
  EXPECT_EQ(message_of([&] { FolderLock nowhere(path("none")); }),
            "cannot lock " + path("none") + ": No such file or directory");
}

TEST_F(Files, LockEndsWithAKilledProcess) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder_);
    if (::write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(message_of([&] { FolderLock lock(folder_); }),
            folder_ + " is in use by another otseq2set (process " + std::to_string(child) + ")");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(message_of([&] { FolderLock lock(folder_); }), "no error");
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(Files, ALinkedFileStandsWhenTheFirstNameGoes) {
  const std::string from = folder_ + "/from", to = folder_ + "/to";
  write_file(from, "weights");
  write_file(to, "what was there");
  link_or_copy(from, to);
  std::filesystem::remove(from);
  EXPECT_EQ(read_file(to), "weights");
}

// A made-up /proc and /sys below the test's folder.
class Memory : public Files {
 protected:
  void put(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(path(name)).parent_path());
    write_file(path(name), text);
  }
  void SetUp() override {
    Files::SetUp();
    put("proc/meminfo", "MemTotal:       9000 kB\nMemFree:        1 kB\nMemAvailable:    8000 kB\n");
  }
};

TEST_F(Memory, OfThisProcess) {
  EXPECT_GT(available_memory(), 1u << 20);
  EXPECT_GT(resident_memory(), 1u << 20);
  EXPECT_GE(peak_resident_memory(), resident_memory());
  const std::vector<char> block(64u << 20, 'x');
  EXPECT_GT(resident_memory(), block.size());
}

TEST_F(Memory, UnknownIsZero) { EXPECT_EQ(available_memory(path("none")), 0u); }

TEST_F(Memory, WithoutGroupsTheSystemDecides) { EXPECT_EQ(available_memory(folder_), 8000u * 1024); }

TEST_F(Memory, Version2TakesTheNarrowestGroup) {
  put("proc/self/cgroup", "0::/jobs/one\n");
  put("sys/fs/cgroup/jobs/one/memory.max", "max\n");
  put("sys/fs/cgroup/jobs/one/memory.current", "1000000\n");
  EXPECT_EQ(available_memory(folder_), 8000u * 1024);
  put("sys/fs/cgroup/jobs/memory.max", "5000000\n");
  put("sys/fs/cgroup/jobs/memory.current", "2000000\n");
  EXPECT_EQ(available_memory(folder_), 3000000u);
  put("sys/fs/cgroup/jobs/memory.stat", "anon 1500000\ninactive_file 500000\nactive_file 7\n");
  EXPECT_EQ(available_memory(folder_), 3500000u);
  put("sys/fs/cgroup/jobs/memory.current", "6000000\n");  // above the limit, for a moment
  EXPECT_EQ(available_memory(folder_), 0u);
}

TEST_F(Memory, Version1InAContainer) {  // the group's own folder is not visible there
  put("proc/self/cgroup", "9:name=systemd:/docker/ab\n4:cpu,memory:/docker/ab\n0::/\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "4000000\n");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000\n");
  EXPECT_EQ(available_memory(folder_), 3000000u);
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  EXPECT_EQ(available_memory(folder_), 8000u * 1024);
}

}  // namespace
}  // namespace otseq2set
