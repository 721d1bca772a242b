#include "otseq2set/text/string_index.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_map>
#include <vector>

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

// Short and long strings that differ in one byte anywhere, which hashing and comparing in words must see.
TEST(StringIndex, SeesEveryByte) {
  StringIndex index;
  int32_t next = 0;
  for (size_t size = 0; size < 40; ++size) {
    EXPECT_EQ(index.add(std::string(size, 'a')), next++);
    for (size_t i = 0; i < size; ++i) {
      std::string text(size, 'a');
      text[i] = 'b';
      EXPECT_EQ(index.find(text), -1) << text;
      EXPECT_EQ(index.add(text), next++) << text;
    }
  }
}

TEST(StringIndex, AddAllIsAddOfEach) {
  StringIndex index, same, other;
  for (int i = 0; i < 3000; ++i) {
    index.add(std::to_string(i));
    same.add(std::to_string(i));
  }
  for (int i = 0; i < 5000; ++i) other.add(std::to_string(7 * i));
  const std::vector<int32_t> numbers = index.add_all(other);
  ASSERT_EQ(numbers.size(), other.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(numbers[i], same.add(other[static_cast<int32_t>(i)])) << i;
  }
  EXPECT_EQ(index.size(), same.size());
  EXPECT_TRUE(index.add_all(StringIndex()).empty());
}

}  // namespace
}  // namespace otseq2set
