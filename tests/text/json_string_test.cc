#include "otseq2set/text/json_string.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace otseq2set {
namespace {

TEST(JsonString, AsALibraryWritesIt) {
  std::string all;
  for (int c = 0; c < 0x80; ++c) all += static_cast<char>(c);
  for (const std::string& text : {std::string(), all, std::string("日本 \"x\" \\ 😀\u2028")}) {
    EXPECT_EQ(json_string(text), nlohmann::json(text).dump());
  }
}

TEST(JsonString, BrokenBytesAreReplaced) {
  EXPECT_EQ(json_string("a\xff"
                        "b\xc3"),
            "\"a\ufffdb\ufffd\"");
  EXPECT_EQ(json_string("\xed\xa0\x80").find('\xed'), std::string::npos) << "a lone surrogate is not UTF-8";
}

}  // namespace
}  // namespace otseq2set
