#include "otseq2set/text/json_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace otseq2set {
namespace {

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonString, AsALibraryWritesIt) {
  std::string all;
  for (int c = 0; c < 0x7f; ++c) all += static_cast<char>(c);
  for (const std::string& text : {std::string(), all, std::string("日本 \"x\" \\ 😀\u2028")}) {
    EXPECT_EQ(json_string(text), nlohmann::json(text).dump());
  }
}

TEST(JsonString, NoControlCharacterReachesATerminal) {
  EXPECT_EQ(json_string("\x7f\u0080\u009b\u009f\u00a0\u00e4\u2028"),
            "\"\\u007f\\u0080\\u009b\\u009f\u00a0\u00e4\u2028\"");
}

TEST(JsonString, BrokenBytesAreReplaced) {
  EXPECT_EQ(json_string("a\xff"
                        "b\xc3"),
            "\"a\ufffdb\ufffd\"");
  EXPECT_EQ(json_string("\xed\xa0\x80").find('\xed'), std::string::npos) << "a lone surrogate is not UTF-8";
}

TEST(JsonWriter, CommasStandBetweenValuesAndNowhereElse) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("a", 1).field("b", std::string("{[:")).begin_list("c").end_list();
  json.begin_list("d").value("x").value(0.1F).value(true).value(nullptr);
  json.begin_object().end_object().begin_object().field("e", "{:.1f}", 2.0).end_object();
  json.begin_list().end_list().begin_list().value("\n").end_list().end_list().field("f", "").end_line();
  EXPECT_EQ(out, R"({"a":1,"b":"{[:","c":[],"d":["x",0.1,true,null,{},{"e":2.0},[],["\n"]],"f":""})"
                 "\n");
}

TEST(JsonWriter, LinesAndPartsShareAText) {
  std::string out;
  for (int line = 0; line < 2; ++line) {
    JsonWriter(out).begin_object().field("line", line).begin_list("parts");
    for (const char* part : {"a", "b"}) JsonWriter(out).begin_object().field("part", part).end_object();
    JsonWriter(out).end_list().end_line();
  }
  EXPECT_EQ(out, R"({"line":0,"parts":[{"part":"a"},{"part":"b"}]})"
                 "\n"
                 R"({"line":1,"parts":[{"part":"a"},{"part":"b"}]})"
                 "\n");
}

}  // namespace
}  // namespace otseq2set
