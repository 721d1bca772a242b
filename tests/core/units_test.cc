#include "otseq2set/core/units.h"

#include <gtest/gtest.h>

namespace otseq2set {
namespace {

TEST(Units, Durations) {
  EXPECT_EQ(format_duration(0), "0:00");
  EXPECT_EQ(format_duration(-3), "0:00");
  EXPECT_EQ(format_duration(75), "1:15");
  EXPECT_EQ(format_duration(59.6), "1:00");
  EXPECT_EQ(format_duration(3599), "59:59");
  EXPECT_EQ(format_duration(4000), "1:06:40");
}

TEST(Units, Bytes) {
  EXPECT_EQ(format_bytes(1536000000), "1.5 GB");
  EXPECT_EQ(format_bytes(250000000), "250 MB");
  EXPECT_EQ(format_bytes(0), "0 MB");
}

}  // namespace
}  // namespace otseq2set
