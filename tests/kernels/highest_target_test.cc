#include "otseq2set/kernels/highest_target.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/kernels/int8_targets.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

constexpr char kVariable[] = "OTSEQ2SET_HIGHEST_TARGET";

// Leaves everything as it was: the tests may run under this variable.
class HighestTargetTest : public ::testing::Test {
 protected:
  HighestTargetTest() {
    if (const char* value = std::getenv(kVariable)) before_ = value;
    hwy::DisableTargets(0);
  }
  void TearDown() override {
    hwy::DisableTargets(0);
    setenv(kVariable, before_.c_str(), 1);
    apply_highest_target();
  }

 private:
  std::string before_;
};

TEST_F(HighestTargetTest, LeavesOutWhatIsBetter) {
  const std::vector<int64_t> all = hwy::SupportedAndGeneratedTargets();  // the best first
  for (size_t i = 0; i < all.size(); ++i) {
    setenv(kVariable, hwy::TargetName(all[i]), 1);
    apply_highest_target();
    EXPECT_EQ(hwy::SupportedAndGeneratedTargets(), std::vector<int64_t>(all.begin() + i, all.end()));
  }
}

TEST_F(HighestTargetTest, NothingSaidMeansAll) {
  const std::vector<int64_t> all = hwy::SupportedAndGeneratedTargets();
  for (const bool empty : {false, true}) {
    empty ? setenv(kVariable, "", 1) : unsetenv(kVariable);
    apply_highest_target();
    EXPECT_EQ(hwy::SupportedAndGeneratedTargets(), all);
  }
}

TEST_F(HighestTargetTest, AnUnknownNameIsRefusedWithTheKnownOnes) {
  setenv(kVariable, "AVX9", 1);
  const std::string message = message_of<UsageError>([] { apply_highest_target(); });
  EXPECT_NE(message.find("OTSEQ2SET_HIGHEST_TARGET is 'AVX9'"), std::string::npos) << message;
  EXPECT_NE(message.find(hwy::TargetName(HWY_STATIC_TARGET)), std::string::npos) << message;
}

}  // namespace
}  // namespace otseq2set::testing
