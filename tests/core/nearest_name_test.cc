#include "otseq2set/core/nearest_name.h"

#include <gtest/gtest.h>

namespace otseq2set {
namespace {

TEST(NearestName, TakesTheFewestChanges) {
  const std::vector<std::string> names = {"--data", "--model", "--threads", "--threshold"};
  EXPECT_EQ(nearest_name("--date", names), "--data");
  EXPECT_EQ(nearest_name("--treads", names), "--threads");
  EXPECT_EQ(nearest_name("--thresold", names), "--threshold");
  EXPECT_EQ(nearest_name("", names), "--data") << "the shortest takes the fewest insertions";
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'x'), {"a", "b"}), "a") << "the first of equals, at once";
}

}  // namespace
}  // namespace otseq2set
