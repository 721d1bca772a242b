#include "otseq2set/reproduction/child_process.h"

#include <gtest/gtest.h>

#include <csignal>

#include "otseq2set/core/error.h"

namespace otseq2set {
namespace {

TEST(ChildProcess, GivesTheExitCodeOrTheSignal) {
  EXPECT_EQ(run_child({"true"}, {}), 0);
  EXPECT_EQ(run_child({"sh", "-c", "exit 7"}, {}), 7);
  EXPECT_EQ(run_child({"sh", "-c", "kill -9 $$"}, {}), 128 + SIGKILL);
  EXPECT_THROW(run_child({"no-such-program"}, {}), Error);
}

// As it is under a parent that does not want to hear of its own children.
TEST(ChildProcess, AFailureIsNoneTheLessWhereChildrenAreIgnored) {
  std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run_child({"false"}, {}), 1);
  std::signal(SIGCHLD, SIG_DFL);
}

}  // namespace
}  // namespace otseq2set
