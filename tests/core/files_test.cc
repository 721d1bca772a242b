#include "otseq2set/core/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/memory.h"
#include "support/temp_folder.h"

namespace {
std::vector<std::string> synced;  // the paths of what was
}

// In the place of libc's.
extern "C" int fsync(int descriptor) {
  synced.push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)).string());
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

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

TEST_F(Files, TemporaryOfAKilledProcessIsRemovedByTheNext) {
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(path("x"));
    file.write(std::string(100000, 'z'));
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  ASSERT_EQ(files_in_folder(), 1u);
  write_file(path("y"), "another file's");
  EXPECT_EQ(files_in_folder(), 2u);
  write_file(path("x"), "new");
  EXPECT_EQ(read_file(path("x")), "new");
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(Files, TwoWhoWriteTheSameFileDoNotMix) {
  AtomicFile first(path("x")), second(path("x"));
  for (int i = 0; i < 3; ++i) {
    first.write(std::string(70000, '1'));
    second.write(std::string(70000, '2'));
  }
  first.commit();
  EXPECT_EQ(read_file(path("x")), std::string(210000, '1'));
  second.commit();
  EXPECT_EQ(read_file(path("x")), std::string(210000, '2'));
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(Files, OthersFilesWithSimilarNamesStay) {
  write_file(path("mine"), "mine");
  fs::create_symlink("mine", path("x.tmp"));
  std::ofstream(path(".x.otseq2set.tmp")) << "not of eight letters";
  write_file(path("x"), "new");
  EXPECT_EQ(read_file(path("x")), "new");
  EXPECT_EQ(read_file(path("mine")), "mine");
  EXPECT_TRUE(fs::is_symlink(path("x.tmp")));
  EXPECT_EQ(files_in_folder(), 4u);
}

TEST_F(Files, ALongNameIsWritten) {
  const std::string name(255, 'n');
  write_file(path(name), "new");
  EXPECT_EQ(read_file(path(name)), "new");
}

TEST_F(Files, PermissionsAreKept) {
  for (const mode_t mode : {0600, 0640, 0444}) {
    write_file(path("x"), "old");
    ASSERT_EQ(chmod(path("x").c_str(), mode), 0);
    write_file(path("x"), "new");
    struct stat status = {};
    ASSERT_EQ(stat(path("x").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, mode);
    fs::remove(path("x"));
  }
}

TEST_F(Files, WhoWantsToHearsTheSumBeforeAndAfterTheFileIsInPlace) {
  std::string heard;
  FilePlace place(path("x"));
  place.before = [&](const std::string& sum) { heard += sum + (path_exists(path("x")) ? " there " : " not there "); };
  place.after = [&](const std::string& sum) { heard += sum + (path_exists(path("x")) ? " there" : " not there"); };
  AtomicFile file(place);
  for (int i = 0; i < 1000; ++i) file.write(std::string(1000, 'a'));
  file.commit();
  // FIPS 180-2, a million times the letter a
  const std::string sum = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
  EXPECT_EQ(heard, sum + " not there " + sum + " there");
  EXPECT_EQ(sha256_of_file(path("x")), sum);
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(Files, WhoHearsMayRefuse) {
  write_file(path("x"), "old");
  FilePlace place(path("x"));
  place.before = [](const std::string&) { fail("no room for the list"); };
  EXPECT_EQ(message_of([&] { write_file(place, "new"); }), "no room for the list");
  EXPECT_EQ(read_file(path("x")), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(Files, AFolderIsCreatedWithAllAboveItAndEachIsSynced) {
  synced.clear();
  create_folder(path("a/b/../c/"));
  EXPECT_TRUE(fs::is_directory(path("a/c")));
  const std::string real = fs::canonical(folder_).string();
  EXPECT_EQ(synced, (std::vector<std::string>{real, real + "/a"}));
  synced.clear();
  create_folder(path("a/c"));
  EXPECT_TRUE(synced.empty());
  std::ofstream(path("file")) << "x";
  EXPECT_EQ(message_of([&] { create_folder(path("file/a")); }),
            "cannot create folder " + path("file/a") + ": Not a directory");
}

TEST_F(Files, WholeFilesAreRegularAndNotTooLarge) {
  write_file(path("x"), "12345");
  EXPECT_EQ(read_bytes(path("x"), 5).view(), "12345");
  EXPECT_EQ(message_of([&] { read_bytes(path("x"), 4); }),
            "cannot read " + path("x") + ": 5 bytes, but at most 4 are expected");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(message_of([&] { read_bytes(path("pipe")); }), "cannot read " + path("pipe") + ": not a regular file");
  EXPECT_EQ(message_of([&] { read_bytes("/dev/zero"); }), "cannot read /dev/zero: not a regular file");
  EXPECT_EQ(message_of([&] { read_bytes(folder_); }), "cannot read " + folder_ + ": Is a directory");
  fs::resize_file(path("x"), uint64_t{1} << 42);  // sparse
  EXPECT_NE(message_of([&] { read_bytes(path("x")); }).find("but there is memory for"), std::string::npos);
}

TEST_F(Files, AnOpenFileMayBecomeShorter) {
  write_file(path("x"), std::string(100000, 'x'));
  const RegularFile file(path("x"));
  fs::resize_file(path("x"), 10);
  std::string bytes(file.size(), ' ');
  EXPECT_EQ(file.read(0, bytes.data(), bytes.size()), 10u);
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

TEST_F(Files, ALockThatLeadsElsewhereIsRefused) {
  write_file(path("mine"), "mine");
  const std::string message = "cannot lock " + folder_ + ": " + path(".lock") + " is not a file of its own";
  const auto try_to_lock = [&] {
    EXPECT_EQ(message_of([&] { FolderLock lock(folder_); }), message);
    EXPECT_EQ(read_file(path("mine")), "mine");
    fs::remove(path(".lock"));
  };
  fs::create_symlink("mine", path(".lock"));
  try_to_lock();
  fs::create_hard_link(path("mine"), path(".lock"));
  try_to_lock();
  ASSERT_EQ(mkfifo(path(".lock").c_str(), 0600), 0);
  try_to_lock();
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

TEST(PathExists, WhatCannotBeLookedAtIsNotMissing) {
  const TempFolder folder;
  EXPECT_FALSE(path_exists(folder.path("nothing")));
  EXPECT_TRUE(path_exists(folder.write("something", "")));
  std::filesystem::create_symlink("loop", folder.path("loop"));
  EXPECT_THROW(path_exists(folder.path("loop")), Error);
}

}  // namespace
}  // namespace otseq2set
