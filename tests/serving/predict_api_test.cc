#include "otseq2set/serving/predict_api.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "otseq2set/http/problem.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

std::string complaint(const std::string& body) {
  return message_of<Problem>([&] { parse_predict_request(body); });
}

TEST(PredictRequest, Whole) {
  const PredictRequest request = parse_predict_request(
      R"({"model":"m","documents":[{"id":"a","text":"one"},{"text":"two"},{"id":7,"text":""}],
          "threshold":0.5,"limit":3,"explain":true,"leave_out":true})");
  EXPECT_EQ(request.model, "m");
  EXPECT_EQ(request.ids, (std::vector<std::string>{"a", "2", "7"}));
  ASSERT_EQ(request.questions.size(), 3u);
  EXPECT_EQ(request.questions[1].text, "two");
  for (const Question& question : request.questions) {
    EXPECT_EQ(question.threshold, 0.5);
    EXPECT_EQ(question.limit, 3u);
    EXPECT_TRUE(question.explain);
    EXPECT_TRUE(question.leave_out);
  }
}

TEST(PredictRequest, OneText) {
  const PredictRequest request = parse_predict_request(R"({"text":"one","limit":null})");
  EXPECT_EQ(request.model, "");
  EXPECT_EQ(request.ids, std::vector<std::string>{"1"});
  EXPECT_FALSE(request.questions[0].limit);
  EXPECT_FALSE(request.questions[0].threshold);
  EXPECT_FALSE(request.questions[0].explain);
}

TEST(PredictRequest, NoDocumentsAreNone) {
  EXPECT_TRUE(parse_predict_request(R"({"documents":[]})").questions.empty());
}

TEST(PredictRequest, ComplaintsNameTheField) {
  EXPECT_NE(complaint("").find("not JSON"), std::string::npos);
  EXPECT_NE(complaint("{\"text\":\"\xff\"}").find("UTF-8"), std::string::npos);
  EXPECT_NE(complaint("[]").find("not a JSON object"), std::string::npos);
  EXPECT_NE(complaint("{}").find("\"documents\" or \"text\""), std::string::npos);
  EXPECT_NE(complaint(R"({"text":"a","documents":[]})").find("not both"), std::string::npos);
  EXPECT_NE(complaint(R"({"text":5})").find("\"text\" is not a string"), std::string::npos);
  EXPECT_NE(complaint(R"({"text":"a","treshold":1})").find("unknown field \"treshold\""), std::string::npos);
  EXPECT_NE(complaint(R"({"text":"a","threshold":2})").find("\"threshold\" is 2"), std::string::npos);
  EXPECT_NE(complaint(R"({"text":"a","limit":0})").find("\"limit\" is 0"), std::string::npos);
  EXPECT_NE(complaint(R"({"text":"a","limit":1.5})").find("\"limit\" is 1.5"), std::string::npos);
  EXPECT_NE(complaint(R"({"text":"a","explain":1})").find("\"explain\""), std::string::npos);
  EXPECT_NE(complaint(R"({"text":"a","leave_out":true})").find("needs \"explain\""), std::string::npos);
  EXPECT_NE(complaint(R"({"documents":[{"text":"a"},"b"]})").find("document 2"), std::string::npos);
  EXPECT_NE(complaint(R"({"documents":[{"id":"a"}]})").find("document 1 has no \"text\""), std::string::npos);
  EXPECT_NE(complaint(R"({"documents":[{"id":[],"text":""}]})").find("\"id\" of document 1"), std::string::npos);
}

TEST(PredictRequest, TooMany) {
  std::string body = R"({"documents":[)";
  for (size_t i = 0; i <= kMostDocuments; ++i) body += i == 0 ? R"({"text":""})" : R"(,{"text":""})";
  EXPECT_NE(complaint(body + "]}").find("more than 256 documents"), std::string::npos);
  const std::string tested = body.substr(0, body.find("}", 1000) + 1) + R"(],"explain":true,"leave_out":true})";
  EXPECT_NE(complaint(tested).find("more than 16 documents in a request with \"leave_out\""), std::string::npos);
}

TEST(PredictRequest, DeepNestingIsRefused) {
  EXPECT_NE(complaint(std::string(1 << 20, '[')), "nothing was thrown");
  EXPECT_NE(complaint("{\"text\":" + std::string(5000, '[') + std::string(5000, ']') + "}"), "nothing was thrown");
}

TEST(PredictAnswer, IsJsonWhateverNamesContain) {
  Suggestion suggestion;
  suggestion.labels.push_back(
      {"<script>\"\\", "na\nme\x01 \xff", 0.5f, {{0, 3, 0.25f}, {5, 6, 0.125f, 0.75f}}, {{0, 6, 0.5f}}});
  suggestion.words_total = 9;
  suggestion.words_read = 2;
  suggestion.words_unknown = 1;
  suggestion.cut = 6;
  const auto answer = nlohmann::json::parse(write_predict_answer("m", {"\"id\""}, {suggestion}, /*explain=*/true));
  const auto& label = answer["documents"][0]["labels"][0];
  EXPECT_EQ(answer["documents"][0]["id"], "\"id\"");
  EXPECT_EQ(label["label"], "<script>\"\\");
  EXPECT_EQ(label["name"], "na\nme\x01 \xef\xbf\xbd");
  EXPECT_EQ(label["score"], 0.5);
  EXPECT_EQ(label["words"][1]["begin"], 5);
  EXPECT_EQ(label["words"][1]["fall"], 0.75);
  EXPECT_EQ(label["words"].size(), 2u);
  EXPECT_FALSE(label["words"][0].contains("fall"));
  EXPECT_EQ(label["ngrams"], nlohmann::json::parse(R"([{"begin":0,"end":6,"share":0.5}])"));
  EXPECT_EQ(answer["documents"][0]["words_total"], 9);
  EXPECT_EQ(answer["documents"][0]["words_read"], 2);
  EXPECT_EQ(answer["documents"][0]["words_unknown"], 1);
  EXPECT_EQ(answer["documents"][0]["cut"], 6);
  const auto without = nlohmann::json::parse(write_predict_answer("m", {"1"}, {suggestion}, false));
  EXPECT_FALSE(without["documents"][0]["labels"][0].contains("words"));
}

}  // namespace
}  // namespace otseq2set::testing
