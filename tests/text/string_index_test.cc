#include "otseq2set/text/string_index.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_map>

#include "otseq2set/core/random.h"

namespace otseq2set {
namespace {

TEST(StringIndex, EmptyFindsNothing) {
  const StringIndex index;
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(index.find(""), -1);
  EXPECT_EQ(index.find("fish"), -1);
}

TEST(StringIndex, EqualsAMap) {
  RandomStream random(1, "string_index_test");
  StringIndex index;
  std::unordered_map<std::string, int32_t> map;
  for (int i = 0; i < 50000; ++i) {
    std::string text(random.below(4), 'a');
    for (char& c : text) c = static_cast<char>(random.below(40));  // NUL among them
    const auto [place, is_new] = map.emplace(text, static_cast<int32_t>(map.size()));
    ASSERT_EQ(index.find(text), is_new ? -1 : place->second);
    ASSERT_EQ(index.add(text), place->second);
  }
  ASSERT_EQ(index.size(), map.size());
  const StringIndex copy = index;
  for (const auto& [text, number] : map) {
    ASSERT_EQ(copy.find(text), number);
    ASSERT_EQ(copy[number], text);
  }
}

}  // namespace
}  // namespace otseq2set
