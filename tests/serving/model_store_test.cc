#include "otseq2set/serving/model_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "otseq2set/core/error.h"
#include "serving/stand_in.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

std::string label_of(const ServedModel& model) {
  Question question;
  question.text = "x";
  return model.suggester->suggest({&question})[0].labels[0].label;
}

TEST(ModelPlace, NameAndFolder) {
  EXPECT_EQ(parse_model_place("fish=/models/a=b").name, "fish");
  EXPECT_EQ(parse_model_place("fish=/models/a=b").folder, "/models/a=b");
  EXPECT_EQ(parse_model_place("/models/birds/").name, "birds");
  EXPECT_EQ(parse_model_place("/models/birds/").folder, "/models/birds/");
  EXPECT_EQ(parse_model_place("./a/../trees").name, "trees");
  EXPECT_EQ(parse_model_place("/mod=els/x").name, "x");
  EXPECT_EQ(parse_model_place("/mod=els/x").folder, "/mod=els/x");
  EXPECT_NE(parse_model_place(".").name, ".");
}

TEST(ModelPlace, NamesThatNoAddressHolds) {
  EXPECT_THROW(parse_model_place("/models/two words"), UsageError);
  EXPECT_THROW(parse_model_place("/models/\xc3\xa4"), UsageError);
  EXPECT_THROW(parse_model_place("/"), UsageError);
}

TEST(ModelStore, FindsByName) {
  const ModelStore store({{"a", "1"}, {"b", "2"}},
                         [](const std::string& folder) { return std::make_shared<StandIn>(folder); });
  EXPECT_EQ(label_of(store.all().front()), "1x");
  EXPECT_EQ(label_of(*store.find("b")), "2x");
  EXPECT_FALSE(store.find("c"));
  EXPECT_FALSE(store.find(""));
  EXPECT_EQ(store.names(), "a, b");
}

TEST(ModelStore, TwoOfOneName) {
  const auto load = [](const std::string&) { return std::make_shared<StandIn>(); };
  EXPECT_THROW(ModelStore({{"a", "1"}, {"a", "2"}}, load), UsageError);
}

TEST(ModelStore, AnErrorOfTheFirstLoadingIsPassedOn) {
  const auto load = [](const std::string& folder) -> std::shared_ptr<const Suggester> { fail("no {}", folder); };
  EXPECT_EQ(message_of<Error>([&] { ModelStore({{"a", "1"}}, load); }), "no 1");
}

TEST(ModelStore, ReloadReplacesWhatCanBeLoadedAndKeepsTheRest) {
  int version = 1;
  ModelStore store({{"a", "a"}, {"b", "b"}}, [&](const std::string& folder) -> std::shared_ptr<const Suggester> {
    if (version == 2 && folder == "a") fail("a is broken");
    return std::make_shared<StandIn>(folder + std::to_string(version));
  });
  const ServedModel before = *store.find("b");
  version = 2;
  std::vector<std::string> told;
  store.reload([&](const std::string& name, const std::string& error) { told.push_back(name + ":" + error); });
  EXPECT_EQ(told, (std::vector<std::string>{"a:a is broken", "b:"}));
  EXPECT_EQ(label_of(*store.find("a")), "a1x");
  EXPECT_EQ(label_of(*store.find("b")), "b2x");
  EXPECT_EQ(label_of(before), "b1x");  // who has it may go on
}

TEST(ModelStore, ReloadsWhileOthersAsk) {
  std::atomic<int> version{0};
  ModelStore store({{"a", "a"}},
                   [&](const std::string&) { return std::make_shared<StandIn>(std::to_string(version++) + "-"); });
  std::atomic<bool> over{false};
  std::vector<std::thread> askers;
  for (int i = 0; i < 3; ++i) {
    askers.emplace_back([&] {
      while (!over) EXPECT_NE(label_of(*store.find("a")).find("-x"), std::string::npos);
    });
  }
  for (int i = 0; i < 50; ++i) store.reload([](const std::string&, const std::string&) {});
  over = true;
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(label_of(store.all().front()), "50-x");
}

}  // namespace
}  // namespace otseq2set::testing
