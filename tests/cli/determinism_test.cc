// The same seed gives the same bytes, whatever the number of threads and the order of labels in the file.
#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

// Dropout between layers, several shards a batch, more than one epoch:
// all that draws random numbers or adds up.
const Arguments kEverything = {"--set", "model.encoder_layers=2", "--set", "model.dropout=0.3",
                               "--set", "model.bottleneck=6"};

TEST(Determinism, AnyNumberOfThreadsGivesTheSameBytes) {
  const Workspace space(70);
  space.train("one", kEverything + Arguments{"--threads", "1"});
  for (const std::string threads : {"2", "5"}) {
    space.train(threads, kEverything + Arguments{"--threads", threads});
    expect_same_weights(space.path("one"), space.path(threads));
    EXPECT_EQ(loss_texts(space.path("one")), loss_texts(space.path(threads)));
  }
  EXPECT_EQ(loss_texts(space.path("one")).size(), 8u);
}

TEST(Determinism, TheSeedDecides) {
  const Workspace space(40);
  space.train("one", {"--seed", "1"});
  space.train("again", {"--set", "training.seed=7", "--seed", "1"});
  space.train("two", {"--seed", "2"});
  expect_same_weights(space.path("one"), space.path("again"));
  EXPECT_NE(contents(space.path("one") + "/last.safetensors"), contents(space.path("two") + "/last.safetensors"));
  EXPECT_NE(loss_texts(space.path("one")), loss_texts(space.path("two")));
}

TEST(Determinism, LazyAdamIsAnotherOptimiserWithTheSamePromises) {
  const Workspace space(40);
  const Arguments lazy = {"--set", "training.lazy_adam=true"};
  space.train("dense");
  space.train("one", lazy + Arguments{"--threads", "1"});
  space.train("three", lazy + Arguments{"--threads", "3"});
  expect_same_weights(space.path("one"), space.path("three"));
  EXPECT_NE(contents(space.path("dense") + "/last.safetensors"), contents(space.path("one") + "/last.safetensors"));
}

class LabelOrder : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Schemes, LabelOrder, ::testing::Values("all", "first_n"),
                         [](const auto& info) { return info.param; });

TEST_P(LabelOrder, ChangesNoLossValue) {
  const Workspace space(0);
  const std::string given = small_corpus(64, 1), reversed = small_corpus(64, 1, /*reverse_labels=*/true);
  ASSERT_NE(given, reversed);
  const Arguments scheme = {"--set", "loss.scheme=" + GetParam()};
  space.write("data.jsonl", given);
  space.train("given", scheme);
  space.write("data.jsonl", reversed);
  space.train("reversed", scheme);
  EXPECT_EQ(loss_texts(space.path("given")), loss_texts(space.path("reversed")));
  expect_same_weights(space.path("given"), space.path("reversed"));
  EXPECT_EQ(contents(space.path("given") + "/labels.jsonl"), contents(space.path("reversed") + "/labels.jsonl"));
}

// A label given twice counts once.
TEST(LabelOrder, RepeatedLabelsDoNotMatter) {
  const Workspace space(32);
  std::string repeated;
  for (Json document : json_lines(contents(space.data()))) {
    document.at("labels").push_back(Json(document.at("labels")[0]));
    repeated += document.dump() + "\n";
  }
  space.train("once");
  space.write("data.jsonl", repeated);
  space.train("twice");
  expect_same_weights(space.path("once"), space.path("twice"));
  EXPECT_EQ(loss_texts(space.path("once")), loss_texts(space.path("twice")));
}

}  // namespace
}  // namespace otseq2set::testing
