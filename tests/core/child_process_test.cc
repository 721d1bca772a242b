#include "otseq2set/core/child_process.h"

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

TEST(ChildProcess, ReadsAndWritesNamelessFiles) {
  NamelessFile in, out, err;
  in.write("what goes in\n");
  in.rewind();
  ChildOptions options;
  options.in = &in;
  options.out = &out;
  options.err = &err;
  EXPECT_EQ(run_child({"sh", "-c", "cat; echo wrong >&2"}, options), 0);
  std::string written, errors;
  out.read([&](std::string_view bytes) { written += bytes; });
  err.read([&](std::string_view bytes) { errors += bytes; });
  EXPECT_EQ(written, "what goes in\n");
  EXPECT_EQ(errors, "wrong\n");
}

TEST(ChildProcess, EndsWhenItShall) {
  ChildOptions options;
  options.stop = [] { return true; };
  EXPECT_EQ(run_child({"sleep", "60"}, options), 128 + SIGTERM);
  options.stop = {};
  options.abort = [] { return true; };
  EXPECT_EQ(run_child({"sleep", "60"}, options), 128 + SIGKILL);
}

}  // namespace
}  // namespace otseq2set
