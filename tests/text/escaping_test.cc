#include "otseq2set/text/escaping.h"

#include <gtest/gtest.h>

namespace otseq2set {
namespace {

TEST(Escaping, TextNeverBecomesMarkup) {
  EXPECT_EQ(escape_markup(R"(<b a="1">'&'</b>)"), "&lt;b a=&quot;1&quot;&gt;&#39;&amp;&#39;&lt;/b&gt;");
  EXPECT_EQ(escape_markup("naïve 分類 🙂"), "naïve 分類 🙂");
  EXPECT_EQ(escape_markup("a\r\nb\tc"), "a&#13;\nb\tc");
}

TEST(Escaping, WhatXmlForbidsIsReplaced) {
  EXPECT_EQ(xml_text("a\xFF"
                     "b"),
            "a\uFFFD"
            "b");
  EXPECT_EQ(xml_text("\xC0\xAF"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(xml_text("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(xml_text("\xE5\x88"), "\uFFFD");                  // cut off
  EXPECT_EQ(xml_text("\xEF\xBF\xBE\xEF\xBF\xBF"), "\uFFFD\uFFFD");
  EXPECT_EQ(xml_text(std::string_view("a\0b\x1b\x7f", 5)),
            "a\uFFFD"
            "b\uFFFD\uFFFD");
  EXPECT_EQ(xml_text("a\tb\nc\rd\fe"), "a\tb\nc\rd e");
}

TEST(Escaping, CsvFieldsAreQuotedWhereTheyMust) {
  EXPECT_EQ(csv_field("plain text; 1"), "plain text; 1");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a \"b\"\n"), "\"a \"\"b\"\"\n\"");
  EXPECT_EQ(csv_field("\r"), "\"\r\"");
  EXPECT_EQ(csv_field(""), "");
}

TEST(Escaping, OneField) { EXPECT_EQ(one_field("a\tb\r\nc d"), "a b  c d"); }

}  // namespace
}  // namespace otseq2set
