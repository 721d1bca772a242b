#include "otseq2set/report/results_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "otseq2set/core/error.h"
#include "report/example_results.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

using nlohmann::json;

std::string error_of(const json& value) {
  return message_of<Error>([&] { results_from_json(value.dump(), "r.json"); });
}

json example() { return json::parse(to_json(testing::example_results())); }

TEST(ResultsJson, RoundTrip) {
  const std::string text = to_json(testing::example_results());
  const Results read = results_from_json(text, "r.json");
  EXPECT_EQ(to_json(read), text);

  const Results made = testing::example_results();
  ASSERT_EQ(read.systems.size(), made.systems.size());
  EXPECT_EQ(read.systems[0].kind, SystemResult::Kind::kBaseline);
  EXPECT_EQ(read.systems[4].kind, SystemResult::Kind::kOwn);
  EXPECT_EQ(read.systems.back().kind, SystemResult::Kind::kPeer);
  const RunResult &a = read.systems[7].runs[1], &b = made.systems[7].runs[1];
  EXPECT_EQ(a.sets[1].micro_f1, b.sets[1].micro_f1);
  EXPECT_EQ(a.sets[0].by_frequency[3].most, b.sets[0].by_frequency[3].most);
  EXPECT_EQ(a.curve[2].valid_micro_f1, b.curve[2].valid_micro_f1);
  EXPECT_EQ(a.times->loss, b.times->loss);
  EXPECT_EQ(a.config, b.config);
  EXPECT_EQ(read.test.documents_with_size, made.test.documents_with_size);
}

TEST(ResultsJson, OneRun) {
  const RunResult run = testing::example_results().systems[0].runs[1];
  const RunResult read = run_from_json(to_json(run), "run.json");
  EXPECT_EQ(read.seed, 2);
  EXPECT_EQ(to_json(read), to_json(run));
}

TEST(ResultsJson, EmptyAndOptional) {
  EXPECT_EQ(to_json(results_from_json(to_json(Results()), "r.json")), to_json(Results()));
  const RunResult read = run_from_json(to_json(RunResult()), "r.json");
  EXPECT_FALSE(read.parameters || read.training_seconds || read.times);
  EXPECT_TRUE(read.config.is_null());
}

TEST(ResultsJson, NotANumber) {
  RunResult run;
  run.curve = {{1, std::numeric_limits<double>::quiet_NaN(), std::nullopt, 2}};
  EXPECT_TRUE(std::isnan(run_from_json(to_json(run), "r.json").curve[0].loss));
}

TEST(ResultsJson, ErrorsNameTheField) {
  json wrong = example();
  wrong["systems"][2]["runs"][0]["sets"][1]["micro_f1"] = "high";
  EXPECT_EQ(error_of(wrong), "r.json: systems[2].runs[0].sets[1].micro_f1: expected a number, found \"high\"");

  wrong = example();
  wrong["systems"][0]["kind"] = "friend";
  EXPECT_EQ(error_of(wrong), "r.json: systems[0].kind: expected baseline, own or peer, found \"friend\"");

  wrong = example();
  wrong["test"]["documents"] = -1;
  EXPECT_EQ(error_of(wrong), "r.json: test.documents: expected a count, found -1");

  wrong = example();
  wrong["systems"][0]["runs"][0]["seed"] = 1.5;
  EXPECT_EQ(error_of(wrong), "r.json: systems[0].runs[0].seed: expected an integer, found 1.5");

  wrong = example();
  wrong["systems"] = 3;
  EXPECT_EQ(error_of(wrong), "r.json: systems: expected a list, found 3");

  wrong = example();
  wrong["train"].erase("labels");
  EXPECT_EQ(error_of(wrong), "r.json: train.labels is missing");

  wrong = example();
  wrong["train"]["colour"] = "red";
  EXPECT_EQ(error_of(wrong), "r.json: unknown key train.colour");
}

TEST(ResultsJson, WrongFiles) {
  EXPECT_EQ(message_of<Error>([] { results_from_json("{", "r.json"); }), "r.json: not a JSON object");
  EXPECT_EQ(message_of<Error>([] { results_from_json("[]", "r.json"); }), "r.json: not a JSON object");
  EXPECT_EQ(error_of(json::object()), "r.json: no format number; were these results written by otseq2set?");
  json newer = example();
  newer["format"] = 2;
  EXPECT_NE(error_of(newer).find("format 2, written by a newer otseq2set"), std::string::npos);
}

}  // namespace
}  // namespace otseq2set
