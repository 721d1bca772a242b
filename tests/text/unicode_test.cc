#include "otseq2set/text/unicode.h"

#include <gtest/gtest.h>

namespace otseq2set {
namespace {

TEST(Unicode, Blank) {
  for (const char* text : {"", " ", "\t\r\n", "\u00a0\u3000\u2003"}) EXPECT_TRUE(is_blank(text));
  for (const char* text : {"a", "  .", "\u00a0x", "\xff", "\u200b"}) EXPECT_FALSE(is_blank(text));
  EXPECT_FALSE(is_blank(std::string_view("\0", 1)));
}

TEST(Unicode, Ascii) {
  EXPECT_TRUE(is_ascii(""));
  EXPECT_TRUE(is_ascii("abc\x7f"));
  EXPECT_FALSE(is_ascii("caf\xc3\xa9"));
}

TEST(Unicode, Latin1BecomesUtf8AndUtf8Stays) {
  EXPECT_EQ(utf8_or_latin1("caf\xe9 \xff"), "café ÿ");
  EXPECT_EQ(utf8_or_latin1("café 日本"), "café 日本");
  EXPECT_EQ(utf8_or_latin1(""), "");
}

TEST(Unicode, Excerpt) {
  EXPECT_EQ(excerpt("short \xe9"), "short é");
  EXPECT_EQ(excerpt(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(excerpt("a\nb\r\t\x1b[2J\x7f \u0085 \u2028 \u202e \\"), R"(a\nb\r\t\u001b[2J\u007f \u0085 \u2028 \u202e \)")
      << "one line, whatever a terminal makes of the rest";
  EXPECT_EQ(excerpt("می\u200cشود"), "می\u200cشود") << "what joins or parts letters stays";
  EXPECT_EQ(excerpt("abcdef", 3), "abc...");
  EXPECT_EQ(excerpt(std::string(61, 'x')), std::string(60, 'x') + "...");
  EXPECT_EQ(excerpt(std::string(59, 'x') + "日本"), std::string(59, 'x') + "...") << "no half characters";
}

TEST(Unicode, Repair) {
  EXPECT_EQ(repair_utf8("a\xff"
                        "b"),
            "a\ufffdb");
  EXPECT_EQ(repair_utf8("日本"), "日本");
}

TEST(Unicode, Utf8) {
  EXPECT_TRUE(is_utf8("café 日本"));
  EXPECT_FALSE(is_utf8("caf\xe9"));
}

TEST(Unicode, SpellingWithoutCaseAndSpacing) {
  for (const char* name :
       {"trade policy", "Trade_Policy", "TRADE  POLICY", " trade\u00a0policy_", "ＴＲＡＤＥ policy"}) {
    EXPECT_EQ(fold_spelling(name), "trade policy");
  }
  EXPECT_EQ(fold_spelling("Straße"), fold_spelling("STRASSE"));
  EXPECT_EQ(fold_spelling("ΟΔΟΣ"), fold_spelling("οδος"));
  EXPECT_NE(fold_spelling("trade-policy"), "trade policy");
  EXPECT_NE(fold_spelling("tradepolicy"), "trade policy");
  EXPECT_EQ(fold_spelling("__"), "");
}

}  // namespace
}  // namespace otseq2set
