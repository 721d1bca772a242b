#include "otseq2set/reproduction/claim.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

constexpr ClaimTimes kQuick{std::chrono::milliseconds(20), std::chrono::milliseconds(400)};

// As a program on another machine would leave it.
void write_foreign_claim(const TempFolder& folder, std::chrono::seconds age) {
  const std::string path = folder.write("claim.1", R"({"machine":"elsewhere","pid":1,"started":"5"})");
  fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

TEST(Claim, OnlyOneHoldsIt) {
  const TempFolder folder;
  auto first = Claim::take(folder.path(""));
  ASSERT_TRUE(first);
  EXPECT_TRUE(Claim::held(folder.path("")));
  EXPECT_FALSE(Claim::take(folder.path("")));
  first.reset();
  EXPECT_FALSE(Claim::held(folder.path("")));
  EXPECT_TRUE(Claim::take(folder.path("")));
}

// Waiting would not help.
TEST(Claim, AFolderThatMayNotBeReadIsAnError) {
  const TempFolder folder;
  chmod(folder.path("").c_str(), 0311);
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2);  // root may read everything
    try {
      Claim::take(folder.path(""));
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("Permission denied") != std::string::npos ? 0 : 3);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  chmod(folder.path("").c_str(), 0700);  // so that it can be removed
}

TEST(Claim, ManyTakersOneGetsIt) {
  for (int round = 0; round < 20; ++round) {
    const TempFolder folder;
    if (round % 2 == 1) write_foreign_claim(folder, std::chrono::seconds(600));
    std::atomic<int> taken{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> takers;
    std::vector<std::unique_ptr<Claim>> claims(8);
    for (auto& claim : claims) {
      takers.emplace_back([&] {
        while (!go) std::this_thread::yield();
        claim = Claim::take(folder.path(""));
        taken += claim != nullptr;
      });
    }
    go = true;
    for (std::thread& taker : takers) taker.join();
    EXPECT_EQ(taken, 1) << round;
  }
}

TEST(Claim, OfAProcessThatDiedIsFreeAtOnce) {
  const TempFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    Claim::take(folder.path("")).release();
    _exit(0);  // without giving it back
  }
  siginfo_t ended;
  waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  ASSERT_TRUE(fs::exists(folder.path("claim.1")));
  EXPECT_FALSE(Claim::held(folder.path("")));  // although nobody has asked for its exit code yet
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(Claim::held(folder.path("")));
  const auto claim = Claim::take(folder.path(""));
  EXPECT_TRUE(claim);
  EXPECT_TRUE(fs::exists(folder.path("claim.2")));
}

// Whoever took over may be done before the owner looks, and a third may have begun.
TEST(Claim, IsLostWhenItsFileIsGoneOrAnothers) {
  for (const bool replaced : {false, true}) {
    const TempFolder folder;
    auto claim = Claim::take(folder.path(""), kQuick);
    ASSERT_TRUE(claim);
    fs::remove(folder.path("claim.1"));
    if (replaced) write_foreign_claim(folder, std::chrono::seconds(0));
    for (int i = 0; i < 500 && !claim->lost(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(claim->lost());
    claim.reset();
    EXPECT_EQ(fs::exists(folder.path("claim.1")), replaced) << "only one's own is given back";
  }
}

// A process that was stopped for a while, or a machine that slept.
TEST(Claim, OfALivingProcessOfThisMachineIsKept) {
  const TempFolder folder;
  const auto claim = Claim::take(folder.path(""), {std::chrono::hours(1), std::chrono::hours(1)});
  fs::last_write_time(folder.path("claim.1"), fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(Claim::held(folder.path(""), kQuick));
  EXPECT_FALSE(Claim::take(folder.path(""), kQuick));
}

TEST(Claim, OfAnotherMachineCountsWhileItIsTouched) {
  const TempFolder folder;
  write_foreign_claim(folder, std::chrono::seconds(0));
  EXPECT_TRUE(Claim::held(folder.path("")));
  EXPECT_FALSE(Claim::take(folder.path("")));
  write_foreign_claim(folder, std::chrono::seconds(120));
  EXPECT_FALSE(Claim::held(folder.path("")));
  EXPECT_TRUE(Claim::take(folder.path("")));
}

TEST(Claim, IsTouchedWhileItIsHeld) {
  const TempFolder folder;
  const auto claim = Claim::take(folder.path(""), kQuick);
  const std::string path = folder.path("claim.1");
  const auto before = fs::last_write_time(path);
  for (int i = 0; i < 200 && fs::last_write_time(path) == before; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_GT(fs::last_write_time(path), before);
}

TEST(Claim, KnowsWhenItWasTakenOver) {
  const TempFolder folder;
  auto claim = Claim::take(folder.path(""), kQuick);
  EXPECT_FALSE(claim->lost());
  folder.write("claim.2", R"({"machine":"elsewhere","pid":1,"started":"5"})");
  for (int i = 0; i < 200 && !claim->lost(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(claim->lost());
  claim.reset();
  EXPECT_TRUE(fs::exists(folder.path("claim.2"))) << "the new owner's claim stays";
}

TEST(Claim, LeavesNothingBehind) {
  const TempFolder folder;
  write_foreign_claim(folder, std::chrono::seconds(120));
  Claim::take(folder.path("")).reset();
  EXPECT_TRUE(fs::is_empty(folder.path("")));
}

}  // namespace
}  // namespace otseq2set::testing
