#include "otseq2set/text/word_vectors.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/core/random.h"
#include "support/packing.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

bool all(std::string_view) { return true; }

class WordVectorsTest : public testing::Test {
 protected:
  WordVectors read(std::string_view content, size_t dimension, const WordVectors::Wanted& wanted = all) {
    path_ = folder_.write("vectors.txt", content);
    return WordVectors::read(path_, dimension, wanted);
  }

  // The error without the folder's name.
  std::string error(std::string_view content, size_t dimension) {
    const std::string message = message_of<Error>([&] { read(content, dimension); });
    return message.rfind(folder_.path(""), 0) == 0 ? message.substr(folder_.path("").size()) : message;
  }

  TempFolder folder_;
  std::string path_;
};

using Numbers = std::vector<float>;

Numbers numbers(const WordVectors& vectors, std::string_view word) {
  const float* found = vectors.find(word);
  return found ? Numbers(found, found + vectors.dimension()) : Numbers{};
}

TEST_F(WordVectorsTest, Glove) {
  const WordVectors vectors = read("the 0.5 -1 2e-3\n, 1 2 3\nfish +4 5 6\n", 3);
  EXPECT_EQ(vectors.size(), 3u);
  EXPECT_EQ(vectors.dimension(), 3u);
  EXPECT_EQ(numbers(vectors, "the"), (Numbers{0.5f, -1, 0.002f}));
  EXPECT_EQ(numbers(vectors, ","), (Numbers{1, 2, 3}));
  EXPECT_EQ(numbers(vectors, "fish"), (Numbers{4, 5, 6}));
  EXPECT_EQ(vectors.find("cat"), nullptr);
}

TEST_F(WordVectorsTest, FastTextHeaderTrailingSpaceBomCrlf) {
  const WordVectors vectors = read(
      "\xef\xbb\xbf"
      "2 3\r\nthe 1 2 3 \r\n\r\n2 4 5 6 \r\n",
      3);
  EXPECT_EQ(vectors.size(), 2u);
  EXPECT_EQ(numbers(vectors, "the"), (Numbers{1, 2, 3}));
  EXPECT_EQ(numbers(vectors, "2"), (Numbers{4, 5, 6}));
}

TEST_F(WordVectorsTest, Packed) {
  for (const auto pack : {gzip, zstd, xz}) {
    EXPECT_EQ(numbers(read(pack("1 2\nfish 1 2\n"), 2), "fish"), (Numbers{1, 2}));
    EXPECT_NE(error(pack("fish 1 2\n").substr(0, 15), 2).find("vectors.txt: "), 1u);
  }
}

TEST_F(WordVectorsTest, WordsWithSpaces) {
  const WordVectors vectors = read("at name@domain.com 1 2\n. . . 3 4\nat 5 6\nnew\tyork 7\t8", 2);
  EXPECT_EQ(numbers(vectors, "at name@domain.com"), (Numbers{1, 2}));
  EXPECT_EQ(numbers(vectors, ". . ."), (Numbers{3, 4}));
  EXPECT_EQ(numbers(vectors, "at"), (Numbers{5, 6}));
  EXPECT_EQ(numbers(vectors, "new\tyork"), (Numbers{7, 8}));
}

TEST_F(WordVectorsTest, KeepsOnlyWantedWordsAndTheFirstOfEqualOnes) {
  const WordVectors vectors = read("a 1 2\nb x y\na 3 4\n", 2, [](std::string_view word) { return word == "a"; });
  EXPECT_EQ(vectors.size(), 1u);
  EXPECT_EQ(numbers(vectors, "a"), (Numbers{1, 2}));
  EXPECT_EQ(read("a 1 2\n", 2, [](std::string_view) { return false; }).size(), 0u);
}

TEST_F(WordVectorsTest, TinyNumbersAreZeroOrNearly) {
  const WordVectors vectors = read("a 1e-50 -1.4e-45\n", 2);
  EXPECT_EQ(vectors.find("a")[0], 0.0f);
  EXPECT_LT(vectors.find("a")[1], 0.0f);
}

TEST_F(WordVectorsTest, OtherWidthIsAnErrorWithFileAndLine) {
  EXPECT_EQ(error("a 1 2 3 4\n", 3), "vectors.txt:1: vectors of 4 numbers, but model.word_embedding is 3");
  EXPECT_EQ(error("a 1 2\n", 3), "vectors.txt:1: vectors of 2 numbers, but model.word_embedding is 3");
  EXPECT_EQ(error("a 1\n", 3), "vectors.txt:1: vectors of 1 numbers, but model.word_embedding is 3");
  EXPECT_EQ(error("a\n", 3), "vectors.txt:1: vectors of 0 numbers, but model.word_embedding is 3");
  EXPECT_EQ(error("a 1 2 3\nb 1 2 3 4 5\n", 3), "vectors.txt:2: vectors of 5 numbers, but model.word_embedding is 3");
  EXPECT_EQ(error("10 50\na 1 2 3\n", 3), "vectors.txt:1: vectors of 50 numbers, but model.word_embedding is 3");
  EXPECT_EQ(error("2 3\na 1 2 3\nb 1 2\n", 3), "vectors.txt:3: vectors of 2 numbers, but model.word_embedding is 3");
}

TEST_F(WordVectorsTest, WhatIsNotAFiniteNumberIsAnErrorWithFileAndLine) {
  EXPECT_EQ(error("a 1 2 3\nb 1 x 3\n", 3), "vectors.txt:2: 'x' is not a finite number");
  EXPECT_EQ(error("a 1 2,5 3\n", 3), "vectors.txt:1: '2,5' is not a finite number");
  EXPECT_EQ(error("a 1 nan 3\n", 3), "vectors.txt:1: 'nan' is not a finite number");
  EXPECT_EQ(error("a 1 2 -inf\n", 3), "vectors.txt:1: '-inf' is not a finite number");
  EXPECT_EQ(error("a 1e39 2 3\n", 3), "vectors.txt:1: '1e39' is not a finite number");
  EXPECT_EQ(error("a 1e999 2 3\n", 3), "vectors.txt:1: '1e999' is not a finite number");
}

// Digits with a point anywhere, of every length up to far more than a float holds, rounded as strtof does.
TEST_F(WordVectorsTest, NumbersRoundAsStrtofDoes) {
  RandomStream random(1, "word_vectors_test");
  std::string content;
  std::vector<std::string> fields;
  for (int i = 0; i < 50000; ++i) {
    std::string digits;
    for (uint64_t left = 1 + random.below(i % 3 == 0 ? 20 : 9); left > 0; --left) {
      digits += static_cast<char>('0' + random.below(10));
    }
    std::string field = random.below(2) ? "-" : "";
    const uint64_t point = random.below(digits.size() + 1);
    field += digits.substr(0, point) + (random.below(8) ? "." : "") + digits.substr(point);
    if (random.below(10) == 0) field += "e" + std::to_string(static_cast<int>(random.below(40)) - 30);
    fields.push_back(field);
    content += "w" + std::to_string(i) + " " + field + "\n";
  }
  // Halfway between two floats, and 2^24 and its neighbours, where exactness ends.
  for (const char* field : {"16777215.0", "16777216.0", "16777217.0", "16777218.0", "1.6777217", "0.0", "-0.0",
                            "0.00000001", "8388608.5", "8388609.5", "0.1", "1677721.5"}) {
    content += "w" + std::to_string(fields.size()) + " " + field + "\n";
    fields.emplace_back(field);
  }
  const WordVectors vectors = read(content, 1);
  for (size_t i = 0; i < fields.size(); ++i) {
    const float expected = std::strtof(fields[i].c_str(), nullptr);
    const float* value = vectors.find("w" + std::to_string(i));
    ASSERT_NE(value, nullptr);
    ASSERT_EQ(std::memcmp(value, &expected, sizeof expected), 0) << fields[i] << ": " << *value;
  }
}

// More lines than a block and a batch have; the first fault of the file is the one that is told.
TEST_F(WordVectorsTest, ManyLinesKeepTheirOrder) {
  std::string content;
  for (int i = 0; i < 5000; ++i) content += "w" + std::to_string(i % 4000) + " " + std::to_string(i) + " 2.5\n";
  const WordVectors vectors = read(content, 2);
  EXPECT_EQ(vectors.size(), 4000u);
  for (int i = 0; i < 4000; ++i) EXPECT_EQ(*vectors.find("w" + std::to_string(i)), static_cast<float>(i));
  EXPECT_EQ(error(content + "a 1 x\nb 1\n", 2), "vectors.txt:5001: 'x' is not a finite number");
  EXPECT_EQ(error(content + "b 1\na 1 x\n", 2),
            "vectors.txt:5001: vectors of 1 numbers, but model.word_embedding is 2");
}

TEST_F(WordVectorsTest, FewerWordsThanTheHeaderSays) {
  EXPECT_EQ(error("9999999999 2\na 1 2\n", 2),
            "vectors.txt:1: 9999999999 words are announced, but there are 1; is the file complete? If it is, "
            "correct this line");
  EXPECT_EQ(read("2 2\na 1 2\na 3 4\n", 2).size(), 1u) << "a word that comes again counts";
  EXPECT_EQ(read("1 2\na 1 2\nb 3 4\n", 2).size(), 2u) << "more are welcome";
}

TEST_F(WordVectorsTest, CheckLooksAtAllNumbers) {
  const auto check = [&](const char* content, size_t dimension) {
    std::string words;
    const std::string path = folder_.write("vectors.txt", content);
    const std::string message =
        message_of<Error>([&] { WordVectors::check(path, dimension, [&](std::string_view word) { words += word; }); });
    return words + ": " + (message.rfind(path, 0) == 0 ? message.substr(path.size()) : message);
  };
  EXPECT_EQ(check("3 2\na 1 2\nb 3 4\na 5 6\n", 2), "aba: nothing was thrown");
  EXPECT_EQ(check("a 1 2\nb nan 4\nc 1 2\n", 2), "a: :2: 'nan' is not a finite number");
  EXPECT_EQ(check("a 1 1e99\n", 2), ": :1: '1e99' is not a finite number");
  EXPECT_EQ(check("a 1 abc\n", 2), ": :1: 'abc' is not a finite number");
  EXPECT_EQ(check("1 9999999999\na 1\n", 9999999999),
            ": :2: vectors of 1 numbers, but model.word_embedding is 9999999999");
}

TEST_F(WordVectorsTest, DimensionOfAFile) {
  const auto dimension = [&](const char* content) { return vector_dimension(folder_.write("vectors.txt", content)); };
  EXPECT_EQ(dimension("a 1 2 3\nb 1\n"), 3u);
  EXPECT_EQ(dimension("\n10 50\n"), 1u) << "only a first line is a header";
  EXPECT_EQ(dimension("10 50\na 1\n"), 50u);
  EXPECT_THROW(dimension("word\n"), Error);
  EXPECT_THROW(dimension(""), Error);
}

TEST_F(WordVectorsTest, EmptyOrMissingFile) {
  EXPECT_EQ(error("", 3), "vectors.txt: no word vectors");
  EXPECT_EQ(error("\n\n", 3), "vectors.txt: no word vectors");
  EXPECT_EQ(error("0 3\n", 3), "vectors.txt: no word vectors");
  const std::string missing = folder_.path("missing.vec");
  EXPECT_EQ(message_of<Error>([&] { WordVectors::read(missing, 3, all); }),
            "cannot read " + missing + ": No such file or directory");
}

}  // namespace
}  // namespace otseq2set
