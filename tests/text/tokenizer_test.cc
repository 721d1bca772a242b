#include "otseq2set/text/tokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/core/random.h"
#include "otseq2set/text/icu_tokenizer.h"
#include "support/temp_folder.h"

namespace otseq2set {

static bool operator==(const Token& a, const Token& b) {
  return a.text == b.text && a.begin == b.begin && a.end == b.end;
}

namespace {

using Words = std::vector<std::string>;

Words words(const std::string& tokenizer, std::string_view text) {
  std::vector<Token> tokens;
  Tokenizer::make(tokenizer)->tokenize(text, tokens);
  Words words;
  for (const Token& token : tokens) words.push_back(token.text);
  return words;
}

// The raw bytes that each token stands for.
Words sources(const std::string& tokenizer, std::string_view text) {
  std::vector<Token> tokens;
  Tokenizer::make(tokenizer)->tokenize(text, tokens);
  Words sources;
  for (const Token& token : tokens) sources.emplace_back(text.substr(token.begin, token.end - token.begin));
  return sources;
}

// Returns whether the fast way and ICU alone agree, and reports the text when they do not.
bool agree(const IcuTokenizer& tokenizer, std::string_view text) {
  std::vector<Token> fast, slow;
  tokenizer.tokenize(text, fast);
  tokenizer.tokenize_by_icu_alone(text, slow);
  EXPECT_TRUE(fast == slow) << testing::PrintToString(std::string(text));
  return fast == slow;
}

std::string random_text(RandomStream& random, const Words& pieces, size_t most) {
  std::string text;
  for (uint64_t left = random.below(most + 1); left > 0; --left) text += pieces[random.below(pieces.size())];
  return text;
}

TEST(Tokenizer, EnglishWords) {
  EXPECT_EQ(words("icu", "The EU's Fish, well-known since 1,000.5 (e.g. co_op 3rd)!"),
            (Words{"the", "eu's", "fish", "well", "known", "since", "1,000.5", "e.g", "co_op", "3rd"}));
}

TEST(Tokenizer, NothingFromNoWords) {
  for (const char* text :
       {"", " ", "\r\n\t", "... --- !!! ___ 'quoted' ", "\u3000\u00a0", "\U0001F600 \u20ac \u2022"}) {
    EXPECT_EQ(words("icu", text),
              std::string_view(text).find("quoted") == std::string_view::npos ? Words{} : Words{"quoted"});
  }
}

TEST(Tokenizer, ReplacesWhatWasInTheVector) {
  std::vector<Token> tokens(7);
  Tokenizer::make("icu")->tokenize("one", tokens);
  ASSERT_EQ(tokens.size(), 1u);
  Tokenizer::make("whitespace")->tokenize("one", tokens);
  ASSERT_EQ(tokens.size(), 1u);
}

TEST(Tokenizer, LanguagesWithoutSpaces) {
  EXPECT_EQ(words("icu", "我们学习中文。"), (Words{"我们", "学习", "中文"}));
  EXPECT_EQ(words("icu", "私は日本語を勉強します。"), (Words{"私", "は", "日本語", "を", "勉強", "し", "ます"}));
  EXPECT_EQ(words("icu", "ภาษาไทยง่าย"), (Words{"ภาษา", "ไทย", "ง่าย"}));
}

// Between English words, with the places of the words in the raw text.
TEST(Tokenizer, LanguagesWithoutSpacesAmongOthers) {
  const std::string text = "EU: 欧洲联盟委员会, ヨーロッパ連合の法律 and กฎหมายของสหภาพยุโรป (2022).";
  const Words tokens = words("icu", text);
  EXPECT_EQ(tokens, (Words{"eu", "欧洲", "联盟", "委员", "会", "ヨーロッパ", "連合", "の", "法律", "and", "กฎหมาย",
                           "ของ", "สหภาพ", "ยุโรป", "2022"}));
  Words raw = sources("icu", text);
  raw[0] = "eu";
  EXPECT_EQ(raw, tokens);
}

TEST(Tokenizer, NormalisesAndLowersEachWord) {
  EXPECT_EQ(words("icu", "ＦＩＳＨ ﬁsh ① ℂ ÉTÉ e\u0301te\u0301 ΟΔΟΣ Straße"),
            (Words{"fish", "fish", "1", "c", "été", "été", "οδος", "straße"}));
}

TEST(Tokenizer, PlacesAreThoseOfTheRawText) {
  const std::string text = "a ＦＩＳＨ, l’été d'Émile\n日本語 \xff end";
  EXPECT_EQ(words("icu", text), (Words{"a", "fish", "l’été", "d'émile", "日本語", "end"}));
  EXPECT_EQ(sources("icu", text), (Words{"a", "ＦＩＳＨ", "l’été", "d'Émile", "日本語", "end"}));
  EXPECT_EQ(sources("whitespace", text), (Words{"a", "ＦＩＳＨ,", "l’été", "d'Émile", "日本語", "\xff", "end"}));
}

TEST(Tokenizer, AsciiPathEqualsIcuOnEveryShortText) {
  const IcuTokenizer tokenizer;
  std::string text(3, ' ');
  for (int a = 0; a < 128; ++a) {
    for (int b = 0; b < 128; ++b) {
      for (const char c : {'a', 'Z', '1', '_', '.', '\'', ' '}) {
        text = {static_cast<char>(a), static_cast<char>(b), c};
        if (!agree(tokenizer, text)) return;
      }
    }
  }
}

TEST(Tokenizer, AsciiPathEqualsIcuOnRandomTexts) {
  const IcuTokenizer tokenizer;
  RandomStream random(1, "tokenizer_test");
  Words all, telling;
  for (int c = 0; c < 128; ++c) all.emplace_back(1, static_cast<char>(c));
  for (const char c : std::string("aB19_@.,;:'\"- \n\r\t/")) telling.emplace_back(1, c);
  for (int i = 0; i < 125000; ++i) {
    if (!agree(tokenizer, random_text(random, all, 24))) return;
    if (!agree(tokenizer, random_text(random, telling, 24))) return;
  }
}

// Most of Latin, Greek, Cyrillic and Arabic.
TEST(Tokenizer, CharactersOfTwoBytesEqualIcu) {
  const IcuTokenizer tokenizer;
  for (int code = 0x80; code < 0x800; ++code) {
    const std::string c = {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
    for (const std::string& text : {c,
                                    c + c,
                                    "a" + c + "B",
                                    "1" + c + "2",
                                    c + "'" + c,
                                    c + "." + c,
                                    "1," + c,
                                    c + ",1",
                                    c + "_" + c,
                                    "- " + c + " x",
                                    "x " + c + "y",
                                    c + "\u0301",
                                    "a\u0301" + c,
                                    c + "\"" + c,
                                    "Α" + c + "Σ",
                                    "Σ" + c,
                                    c + "\u05d0",
                                    c + "\u30ab",
                                    c + ":" + c,
                                    c + "\u200d" + c}) {
      if (!agree(tokenizer, text)) return;
    }
  }
}

TEST(Tokenizer, LettersEqualIcuOnRandomTexts) {
  const IcuTokenizer tokenizer;
  RandomStream random(4, "tokenizer_test");
  const Words pieces = {"a", "Z",      "5", ".", "'",    " ",  "-", "É", "ß", "İ",      "ı",
                        "Σ", "ς",      "Ω", "ж", "Й",    "ŉ",  "ſ", "ǅ", "ا", "\u064f", "\u0345",
                        "ב", "\u0301", "’", "–", "\xc3", "中", "ʼ", "՚", "ﬁ"};
  for (int i = 0; i < 60000; ++i) {
    if (!agree(tokenizer, random_text(random, pieces, 30))) return;
  }
}

TEST(Tokenizer, MixedPathEqualsIcuOnRandomTexts) {
  const IcuTokenizer tokenizer;
  RandomStream random(2, "tokenizer_test");
  const Words pieces = {"a",        "B",      "9",      ".",      ",",      "'",      "_",      " ",    "  ",   "\n",
                        "\r\n",     "é",      "\u0301", "’",      "\u200d", "中",     "日本",   "カ",   "ไทย",  "ב",
                        "\"",       "\u00ad", "\u3000", "\u00a0", "™",      "Ⅷ",      "😀",      "🇩🇪🇫🇷", "\xff", "\xc3",
                        "\xe2\x82", ":",      "@",      "word ",  " The ",  " 12 ",   "\ufe0f", "–",    "“",    "”",
                        "…",        "·",      "€",      "«",      "\x01",   "\u2028", "½",      "‘"};
  for (int i = 0; i < 60000; ++i) {
    if (!agree(tokenizer, random_text(random, pieces, 30))) return;
  }
}

TEST(Tokenizer, RealSentences) {
  const IcuTokenizer tokenizer;
  for (const char* text :
       {"Council Regulation (EEC) No 1408/71 of 14 June 1971; see O.J. L149/2, p.2 (cf. Art. 3.1(a)).",
        "Write to name.surname@example.org or visit https://www.example.org/a_b?c=d&e=1,5;6#x - it's free!",
        "R&D costs $1.5m... 'Tis \"quoted\"; 10:30am, 3.14.15, x,y a.b.c. U.S.A.'s -5 +6 #tag @user"}) {
    agree(tokenizer, text);
  }
}

// A text that is split piece by piece has the words that it has as a whole.
TEST(Tokenizer, LongTexts) {
  const IcuTokenizer tokenizer;
  const Words pieces = {"fish",         " ",
                        "\n",           " ",
                        ", ",           "\u0e40\u0e23\u0e35\u0e22\u0e19\u0e23\u0e39\u0e49",
                        "\u6587\u5b57", "\u0301",
                        "\u200d",       "\u00ad",
                        "\u3002",       "caf\u00e9",
                        "1,0",          "\U0001F1E9",
                        "\U0001F469",   "\u05d0\"",
                        "\r\n",         "  ",
                        "\u30ab",       "'s"};
  RandomStream random(5, "long_texts");
  for (int i = 0; i < 10; ++i) {
    std::string text;
    while (text.size() < 5 * Tokenizer::kPiece) text += random_text(random, pieces, 1000);
    if (!agree(tokenizer, text)) break;
  }
  // Without any letter of ASCII, and with spaces alone.
  std::string thai, words_of_space;
  while (thai.size() < 3 * Tokenizer::kPiece) {
    thai +=
        "\u0e01\u0e32\u0e23\u0e40\u0e23\u0e35\u0e22\u0e19\u0e23\u0e39\u0e49\u0e02\u0e2d\u0e07\u0e40\u0e04\u0e23\u0e37"
        "\u0e48\u0e2d\u0e07 ";
    words_of_space += "a1 b\n";
  }
  EXPECT_TRUE(agree(tokenizer, thai));
  std::vector<Token> whitespace, icu;
  Tokenizer::make("whitespace")->tokenize(words_of_space, whitespace);
  tokenizer.tokenize(words_of_space, icu);
  EXPECT_TRUE(whitespace == icu);
}

TEST(Tokenizer, StopsWhenItIsEnough) {
  for (const char* name : {"icu", "whitespace"}) {
    std::string words;
    while (words.size() < 10 * Tokenizer::kPiece) words += "word \u0e04\u0e33 ";
    size_t visited = 0, pieces = 0;
    Tokenizer::make(name)->for_each_word(
        words, [&](std::string_view, size_t, size_t) { ++visited; }, [&] { return ++pieces == 2; });
    EXPECT_GT(visited, 0u);
    EXPECT_LT(visited, 2 * words.size() / 12 / 4) << "a fifth of it was enough";
  }
}

// What nobody writes: the marks of one letter would take ICU the square of their number to put in order.
TEST(Tokenizer, NoWordIsEndless) {
  std::string marks = "a", run;
  while (marks.size() < 3 * Tokenizer::kPiece) marks += "\u0315\u0300\u0316\u0327";
  while (run.size() < 5 * Tokenizer::kPiece) run += "\u0e01";
  for (const std::string& text : {marks, run}) {
    std::vector<Token> tokens;
    Tokenizer::make("icu")->tokenize(text, tokens);
    ASSERT_FALSE(tokens.empty());
    EXPECT_EQ(tokens.front().begin, 0u);
    for (const Token& token : tokens) EXPECT_LE(token.end - token.begin, 1024u);
  }
}

TEST(Tokenizer, BrokenUtf8DoesNoHarm) {
  RandomStream random(3, "tokenizer_test");
  for (const char* name : {"icu", "whitespace"}) {
    const auto tokenizer = Tokenizer::make(name);
    std::vector<Token> tokens;
    for (int i = 0; i < 20000; ++i) {
      std::string text(random.below(20), ' ');
      for (char& c : text) c = static_cast<char>(random.below(256));
      tokenizer->tokenize(text, tokens);
      size_t last = 0;
      for (const Token& token : tokens) {
        ASSERT_LE(last, token.begin);
        ASSERT_LT(token.begin, token.end);
        last = token.end;
      }
      ASSERT_LE(last, text.size());
    }
  }
  EXPECT_EQ(words("icu", "\xff\xfe ab\xc3 cd"), (Words{"ab", "cd"}));
}

TEST(Tokenizer, OneTokenizerServesManyThreads) {
  const auto tokenizer = Tokenizer::make("icu");
  const std::string text = "L’été à Paris, 日本語を勉強します and the rest.";
  std::vector<Token> expected;
  tokenizer->tokenize(text, expected);
  std::vector<int> failures(4, 0);
  std::vector<std::thread> threads;
  for (int& failure : failures) {
    threads.emplace_back([&] {
      std::vector<Token> tokens;
      for (int i = 0; i < 500; ++i) {
        tokenizer->tokenize(text, tokens);
        failure += !(tokens == expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, std::vector<int>(4, 0));
}

TEST(Tokenizer, WhitespaceLeavesWordsAsTheyAre) {
  EXPECT_EQ(words("whitespace", "  The\tEU 's\u3000Fish ,\u00a0...\n"), (Words{"The", "EU", "'s", "Fish", ",", "..."}));
  EXPECT_EQ(words("whitespace", ""), Words{});
  EXPECT_EQ(words("whitespace", " \n"), Words{});
}

TEST(Tokenizer, UnknownNameSaysWhatIsValid) {
  EXPECT_EQ(message_of<UsageError>([] { Tokenizer::make("bert"); }),
            "text.tokenizer: unknown tokenizer 'bert'; the tokenizers are icu, whitespace");
}

}  // namespace
}  // namespace otseq2set
