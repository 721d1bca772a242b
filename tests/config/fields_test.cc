#include "otseq2set/config/fields.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

// Values at and beyond the ends of every field's range.
struct Range {
  std::vector<Json> valid;
  std::vector<Json> invalid;
};

Range integers(int64_t low, int64_t high) {
  return {{low, high, low + 1}, {low - 1, high + 1, low + 0.5, "5", nullptr, Json::array({low}), true, 1e300}};
}
Range numbers(double low, double high) {
  return {{low, high, (low + high) / 2}, {low - 0.1, high * 1.01, "0.5", nullptr, Json::array({low}), false}};
}
Range numbers_above(double low, double high) {
  Range range = numbers(low, high);
  range.valid[0] = low + 1e-9;
  range.invalid.push_back(low);
  return range;
}
Range truth() { return {{false, true}, {0, 1, "true", nullptr, Json::array({true})}}; }
Range choices(const std::vector<Json>& names) {
  return {names, {"none of them", "", 3, nullptr, Json::array({names[0]})}};
}

constexpr int64_t kMany = 1LL << 40;

const std::map<std::string, Range>& ranges() {
  static const std::map<std::string, Range> kRanges = {
      {"variant", choices({"otseq2set", "bm", "bm_ot", "bm_lc", "linear"})},
      {"model.hidden", integers(1, 65536)},
      {"model.word_embedding", integers(1, 65536)},
      {"model.label_embedding", integers(1, 65536)},
      {"model.encoder_layers", integers(1, 16)},
      {"model.bottleneck", integers(0, 65536)},
      {"model.max_words", integers(1, 1000000)},
      {"model.steps", integers(0, 65536)},
      {"model.labels", integers(0, 100000000)},
      {"model.words", integers(0, 100000000)},
      {"model.dropout", numbers(0, 0.95)},
      {"model.label_vectors", choices({"words", "random"})},
      {"model.light_conv.kernels",
       {{Json::array({1}), Json::array({3, 7, 1000})},
        {Json::array(), Json::array({0}), Json::array({3, 1001}), Json::array({2.5}), Json::array({"3"}), 3, "3",
         Json::array({18446744073709551615ULL}), Json(std::vector<int>(65, 1))}}},
      {"model.light_conv.last_stride", integers(1, 1000)},
      {"model.light_conv.heads", integers(0, 131072)},
      {"loss.scheme", choices({"all", "first_n"})},
      {"loss.lambda", numbers(0, 1e6)},
      {"loss.lambda_empty", numbers_above(0, 1e6)},
      {"training.epochs", integers(1, 1000000)},
      {"training.batch", integers(1, 65536)},
      {"training.learning_rate", numbers_above(0, 1e6)},
      {"training.schedule", choices({"epochs", "steps"})},
      {"training.warmup", numbers(0, 0.9)},
      {"training.average", numbers(0, 0.99999)},
      {"training.word_dropout", numbers(0, 0.95)},
      {"training.clip", numbers_above(0, 1e12)},
      {"training.valid_fraction", numbers(0, 0.9)},
      {"training.early_stopping", integers(0, 1000000)},
      {"training.lazy_adam", truth()},
      {"training.seed", integers(0, kMany)},
      {"training.more_seeds",
       {{Json::array(), Json::array({2, 3}), Json::array({kMany})},
        {Json::array({-1}), Json::array({2.5}), 3, "3", nullptr, Json(std::vector<int>(65, 1))}}},
      {"training.refit", truth()},
      {"text.tokenizer", choices({"icu", "whitespace"})},
      {"text.vocabulary", integers(1, 100000000)},
      {"text.min_count", integers(1, kMany)},
      {"linear.hybrid", truth()},
      {"linear.max_words", integers(1, 100000000)},
      {"linear.vocabulary", integers(1, 100000000)},
      {"linear.pairs", integers(0, kMany)},
      {"linear.c", numbers_above(0, 1e6)},
      {"linear.tolerance", numbers_above(0, 1)},
      {"linear.prune", numbers(0, 1e6)},
      {"linear.flat_labels", integers(1, 100000000)},
      {"linear.neighbours", truth()},
      {"linear.names", truth()},
      {"evaluation.propensity_a", numbers(0, 100)},
      {"evaluation.propensity_b", numbers(0, 1e6)},
  };
  return kRanges;
}

Json nested(const std::string& key, const Json& value) {
  const size_t dot = key.find('.');
  if (dot == std::string::npos) return {{key, value}};
  return {{key.substr(0, dot), nested(key.substr(dot + 1), value)}};
}

std::string usage_error(const std::function<void()>& call) { return message_of<UsageError>(call); }

void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
  }
}

TEST(Fields, EachHasATestedRangeAndOneKey) {
  std::set<std::string> keys;
  for (const Field& field : fields()) {
    EXPECT_TRUE(ranges().count(field.key)) << field.key << " has no range in this test";
    EXPECT_TRUE(keys.insert(field.key).second) << field.key << " stands twice";
    EXPECT_FALSE(field.help.empty()) << field.key;
  }
  EXPECT_EQ(keys.size(), ranges().size());
}

TEST(Fields, DefaultsAreValid) {
  for (const Field& field : fields()) {
    Config config;
    EXPECT_TRUE(field.set(config, field.get(Config()))) << field.key;
    EXPECT_TRUE(differences(Config(), config).empty()) << field.key;
  }
  EXPECT_NO_THROW(check_consistency(Config()));
}

// A value set by JSON, by --set or by the field itself comes back, and changes no other field.
TEST(Fields, TakeEveryValidValue) {
  for (const auto& [key, range] : ranges()) {
    for (const Json& value : range.valid) {
      SCOPED_TRACE(key + " = " + value.dump());
      Config from_json, from_text;
      apply_json(from_json, nested(key, value), "test");
      apply_assignment(from_text, key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
      EXPECT_TRUE(differences(from_json, from_text).empty());
      const Json expected = nested(key, value).flatten(), before = to_json(Config()).flatten();
      const Json after = to_json(from_json).flatten();
      for (const auto& [pointer, item] : expected.items()) EXPECT_EQ(after.at(pointer), item);
      for (const auto& [pointer, item] : after.items()) {
        // A list of another length has other pointers.
        const bool own = pointer.rfind(nested(key, 0).flatten().items().begin().key(), 0) == 0;
        EXPECT_TRUE(own || item == before.at(pointer)) << pointer;
      }
    }
  }
}

TEST(Fields, RefuseInvalidValuesAndNameKeyValueAndRange) {
  for (const Field& field : fields()) {
    for (const Json& value : ranges().at(field.key).invalid) {
      SCOPED_TRACE(field.key + " = " + value.dump());
      Config config;
      const std::string message = usage_error([&] { apply_json(config, nested(field.key, value), "run.json"); });
      expect_parts(message, {"run.json", field.key, value.dump(), field.valid});
      EXPECT_TRUE(differences(Config(), config).empty()) << "a refused value changed the configuration";
    }
  }
}

TEST(Fields, TheRangeInTheMessageIsTheRangeInForce) {
  for (const char* key : {"training.seed", "text.min_count", "model.hidden", "training.batch"}) {
    const Json high = ranges().at(key).valid[1];
    Config config;
    const std::string message = usage_error([&] { apply_json(config, nested(key, high.get<int64_t>() + 1), "x"); });
    expect_parts(message, {" to " + high.dump()});
  }
}

TEST(Json, RoundTrip) {
  Config config;
  for (const Field& field : fields()) ASSERT_TRUE(field.set(config, ranges().at(field.key).valid[1])) << field.key;
  EXPECT_EQ(differences(Config(), config).size(), fields().size()) << "some value equals its default";
  Config back;
  apply_json(back, Json::parse(to_json(config).dump()), "round trip");
  EXPECT_TRUE(differences(config, back).empty());
  EXPECT_EQ(to_json(config), to_json(back));
  EXPECT_EQ(to_json(Config()).at("model").at("light_conv").at("kernels"), Json({3, 7, 15, 30}));
}

TEST(Json, UnknownKeysAreErrorsWithASuggestion) {
  Config config;
  expect_parts(usage_error([&] {
                 apply_json(config, {{"model", {{"hiden", 3}}}}, "run.json");
               }),
               {"run.json", "'model.hiden'", "'model.hidden'"});
  expect_parts(usage_error([&] {
                 apply_json(config, {{"modle", {{"hidden", 3}}}}, "run.json");
               }),
               {"'modle.hidden'", "'model.hidden'"});
  expect_parts(usage_error([&] { apply_json(config, {{"model", 3}}, "run.json"); }), {"'model'"});
  expect_parts(usage_error([&] {
                 apply_json(config, {{"model.hidden", {{"x", 3}}}}, "run.json");
               }),
               {"'model.hidden.x'"});
  expect_parts(usage_error([&] { apply_json(config, Json::array({1}), "run.json"); }), {"run.json", "object"});
  expect_parts(usage_error([&] { apply_json(config, {{std::string(100000, 'x'), 3}}, "run.json"); }), {"unknown"});
  EXPECT_TRUE(differences(Config(), config).empty());
}

TEST(Json, WhatIsNotGivenStays) {
  Config config;
  config.model.hidden = 7;
  apply_json(config, {{"training", {{"batch", 5}}}}, "test");
  EXPECT_EQ(config.model.hidden, 7);
  EXPECT_EQ(config.training.batch, 5);
  EXPECT_EQ(config.training.epochs, Config().training.epochs);
}

TEST(Assignment, Lists) {
  const std::vector<std::pair<std::string, std::vector<int64_t>>> lists = {
      {"3,7,15", {3, 7, 15}}, {"[3,7]", {3, 7}}, {"3, 7", {3, 7}}, {"5", {5}}, {"[5]", {5}}};
  for (const auto& [text, expected] : lists) {
    Config config;
    apply_assignment(config, "model.light_conv.kernels=" + text);
    EXPECT_EQ(config.model.light_conv.kernels, expected) << text;
  }
  Config config;
  for (const char* text : {"", "3,", "3;7", "a,b", "3,x"}) {
    expect_parts(usage_error([&] { apply_assignment(config, std::string("model.light_conv.kernels=") + text); }),
                 {"--set", "model.light_conv.kernels", "a list of integers"});
  }
}

TEST(Assignment, NumbersAndText) {
  Config config;
  apply_assignment(config, "training.learning_rate=1e-3");
  EXPECT_EQ(config.training.learning_rate, 1e-3);
  apply_assignment(config, "loss.lambda=4");  // an integer is a number
  EXPECT_EQ(config.loss.lambda, 4);
  apply_assignment(config, "text.tokenizer=whitespace");
  EXPECT_EQ(config.text.tokenizer, "whitespace");
  apply_assignment(config, "text.tokenizer=\"icu\"");
  EXPECT_EQ(config.text.tokenizer, "icu");
}

TEST(Assignment, TheLastCounts) {
  Config config;
  for (const char* text : {"model.hidden=3", "model.steps=5", "model.hidden=9"}) apply_assignment(config, text);
  EXPECT_EQ(config.model.hidden, 9);
  EXPECT_EQ(config.model.steps, 5);
}

TEST(Assignment, WrongOnesSayWhy) {
  Config config;
  expect_parts(usage_error([&] { apply_assignment(config, "model.hidden"); }), {"model.hidden", "key=value"});
  expect_parts(usage_error([&] { apply_assignment(config, "=3"); }), {"unknown configuration key"});
  expect_parts(usage_error([&] { apply_assignment(config, "model.hidden=1,2"); }), {"model.hidden", "[1,2]", "65536"});
  expect_parts(usage_error([&] { apply_assignment(config, "model.hidden=x=y"); }), {"model.hidden", "x=y"});
  expect_parts(usage_error([&] { apply_assignment(config, "training.learnrate=1"); }), {"'training.learning_rate'"});
  for (const char* value : {"nan", "inf", "1e999", "-1e999"}) {
    expect_parts(usage_error([&] { apply_assignment(config, std::string("loss.lambda=") + value); }), {"loss.lambda"});
  }
  EXPECT_TRUE(differences(Config(), config).empty());
}

TEST(Differences, NameKeyOldAndNewValue) {
  Config before, now;
  EXPECT_TRUE(differences(before, now).empty());
  now.model.hidden = 7;
  now.loss.scheme = "first_n";
  now.model.light_conv.kernels = {3, 5};
  EXPECT_EQ(differences(before, now),
            (std::vector<std::string>{"model.hidden was 512, is now 7",
                                      "model.light_conv.kernels was [3,7,15,30], is now [3,5]",
                                      "loss.scheme was \"all\", is now \"first_n\""}));
  for (const Field& field : fields()) {
    Config changed;
    for (const Json& value : ranges().at(field.key).valid) {
      if (value != field.get(Config())) field.set(changed, value);
    }
    const std::vector<std::string> lines = differences(Config(), changed);
    ASSERT_EQ(lines.size(), 1u) << field.key;
    EXPECT_EQ(lines[0].rfind(field.key + " was ", 0), 0u) << lines[0];
  }
}

TEST(Config, ReceptiveFieldFollowsFromTheKernels) {
  EXPECT_EQ(receptive_field(Config().model.light_conv), 52);
  EXPECT_EQ(receptive_field({{1}, 1, 0}), 1);
  EXPECT_EQ(receptive_field({{2, 3}, 9, 0}), 4);  // strides do not matter
}

TEST(Config, Consistency) {
  Config config;
  config.model.max_words = 52;
  EXPECT_NO_THROW(check_consistency(config));
  config.model.max_words = 51;
  expect_parts(usage_error([&] { check_consistency(config); }), {"model.max_words is 51", "52 words"});
  config = Config();
  config.model.light_conv.heads = 1024;
  EXPECT_NO_THROW(check_consistency(config));
  config.model.light_conv.heads = 1025;
  expect_parts(usage_error([&] { check_consistency(config); }), {"heads is 1025", "1024 channels"});
}

TEST(Config, VariantsAreTheRowsOfThePaper) {
  auto parts = [](const std::string& name) {
    Config config;
    config.variant = name;
    const Variant& variant = variant_of(config);
    EXPECT_EQ(variant.name, name);
    return std::pair(variant.light_conv, variant.transport);
  };
  EXPECT_EQ(parts("otseq2set"), std::pair(true, true));
  EXPECT_EQ(parts("bm"), std::pair(false, false));
  EXPECT_EQ(parts("bm_ot"), std::pair(false, true));
  EXPECT_EQ(parts("bm_lc"), std::pair(true, false));
}

// Neither walking down nor writing out may follow a file as deep as it goes.
TEST(Fields, DeepNestingIsAnErrorNotACrash) {
  constexpr int kDepth = 200000;
  std::string objects, lists;
  for (int i = 0; i < kDepth; ++i) objects += "{\"model\":";
  objects += "1" + std::string(kDepth, '}');
  lists = "{\"model\":{\"hidden\":" + std::string(kDepth, '[') + std::string(kDepth, ']') + "}}";
  Config config;
  EXPECT_THROW(apply_json(config, Json::parse(objects), "file"), UsageError);
  EXPECT_THROW(apply_json(config, Json::parse(lists), "file"), UsageError);
  EXPECT_THROW(apply_json(config, Json{{"model", {{"hidden", {{"x", 1}}}}}}, "file"), UsageError);
}

}  // namespace
}  // namespace otseq2set
