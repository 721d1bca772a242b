#include "otseq2set/text/code_points.h"

#include <gtest/gtest.h>

#include "otseq2set/text/unicode.h"

namespace otseq2set {
namespace {

TEST(CodePoints, CountsCharactersOfAllWidths) {
  EXPECT_EQ(CodePoints("")(0), 0u);
  EXPECT_EQ(CodePoints("plain")(5), 5u);
  const CodePoints german("größer als");
  EXPECT_EQ(german(2), 2u);
  EXPECT_EQ(german(4), 3u);
  EXPECT_EQ(german(7), 5u);
  EXPECT_EQ(german(12), 10u);
  // e + combining acute, an emoji of four code points, Chinese
  const std::string text = "e\u0301 \U0001F469\u200D\U0001F52C\uFE0F 中文";
  const CodePoints place(text);
  EXPECT_EQ(place(text.find("\U0001F469")), 3u);
  EXPECT_EQ(place(text.find("中")), 8u);
  EXPECT_EQ(place(text.find("文")), 9u);
  EXPECT_EQ(place(text.size()), 10u);
}

TEST(CodePoints, BrokenBytesCountAsTheirRepair) {
  const std::string broken = "ä\xff\xe4\xb8 b\xf0\x9f z";
  const std::string repaired = repair_utf8(broken);
  EXPECT_EQ(CodePoints(broken)(broken.find('z')), CodePoints(repaired)(repaired.find('z')));
  EXPECT_EQ(CodePoints(broken)(broken.size()), CodePoints(repaired)(repaired.size()));
}

}  // namespace
}  // namespace otseq2set
