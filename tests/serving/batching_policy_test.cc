// Which documents go together, and when; no threads.
#include "otseq2set/serving/batching_policy.h"

#include <gtest/gtest.h>

#include "serving/stand_in.h"

namespace otseq2set::testing {
namespace {

using std::chrono::milliseconds;

class Policy : public ::testing::Test {
 protected:
  void add(size_t length, int at = 0, const std::shared_ptr<const Suggester>& model = nullptr,
           std::optional<milliseconds> turn = std::nullopt) {
    QueuedDocument document;
    document.model = model ? model : model_;
    document.length = length;
    document.arrived = start_ + milliseconds(at);
    document.turn = turn ? start_ + *turn : document.arrived;
    add(std::move(document));
  }
  void add(QueuedDocument document) {
    document.index = next_++;
    policy_.add(std::move(document));
  }
  std::vector<size_t> take() {
    std::vector<size_t> indexes;
    for (const QueuedDocument& document : policy_.take()) indexes.push_back(document.index);
    return indexes;
  }
  using Indexes = std::vector<size_t>;

  const Clock::time_point start_ = Clock::now();
  const std::shared_ptr<const Suggester> model_ = std::make_shared<StandIn>();
  BatchingPolicy policy_{{3, milliseconds(8)}};
  size_t next_ = 0;
};

TEST_F(Policy, NothingIsNeverDue) {
  EXPECT_FALSE(policy_.due());
  EXPECT_TRUE(policy_.take().empty());
}

TEST_F(Policy, WaitsWhileOthersCome) {
  add(10, 0);
  EXPECT_EQ(policy_.due(), start_ + milliseconds(1));
  add(10, 1);
  EXPECT_EQ(policy_.due(), start_ + milliseconds(2));
}

TEST_F(Policy, TheOldestWaitsNoLonger) {
  add(10, 0);
  add(10, 8);
  EXPECT_EQ(policy_.due(), start_ + milliseconds(8));
}

TEST_F(Policy, FullIsDueAtOnce) {
  for (int i = 0; i < 3; ++i) add(10);
  EXPECT_LE(*policy_.due(), start_);
  EXPECT_EQ(take(), (Indexes{0, 1, 2}));
  EXPECT_FALSE(policy_.due());
}

TEST_F(Policy, TheOldestGoesWithThoseLikeIt) {
  for (size_t length : {500, 20, 480, 510, 22}) add(length);
  EXPECT_EQ(take(), (Indexes{0, 2, 3}));
  EXPECT_EQ(take(), (Indexes{1, 4}));
  EXPECT_EQ(policy_.size(), 0u);
}

TEST_F(Policy, OfEquallyLongOnesTheOldestGo) {
  for (int i = 0; i < 5; ++i) add(10, i);
  EXPECT_EQ(take(), (Indexes{0, 1, 2}));
  EXPECT_EQ(take(), (Indexes{3, 4}));
}

TEST_F(Policy, ABatchHasOneModel) {
  const auto other = std::make_shared<const StandIn>();
  add(10, 0);
  add(10, 1, other);
  add(10, 2);
  add(10, 3, other);
  EXPECT_EQ(take(), (Indexes{0, 2}));
  EXPECT_EQ(*policy_.due(), start_ + milliseconds(3 + 1));
  EXPECT_EQ(take(), (Indexes{1, 3}));
}

// However many short ones keep coming, the long one is answered after as many batches as were before it.
TEST_F(Policy, NobodyIsOvertakenForEver) {
  add(10);
  add(1000);
  for (int i = 0; i < 10; ++i) add(10);
  EXPECT_EQ(take(), (Indexes{0, 2, 3}));
  for (int i = 0; i < 10; ++i) add(10);
  EXPECT_EQ(take(), (Indexes{1, 4, 5}));
}

TEST_F(Policy, ALargeRequestLetsOthersIn) {
  for (int i = 0; i < 6; ++i) add(10, 0, nullptr, milliseconds(i));
  add(10, 2, nullptr, milliseconds(2));
  EXPECT_EQ(take(), (Indexes{0, 1, 2}));
  EXPECT_EQ(take(), (Indexes{3, 4, 6}));
  EXPECT_EQ(take(), (Indexes{5}));
}

TEST_F(Policy, ABatchHasNoMoreTextThanItMay) {
  BatchingPolicy policy({10, milliseconds(8), 100});
  for (const size_t bytes : {40, 50, 20, 200, 60}) {
    QueuedDocument document;
    document.question.text.resize(bytes);
    policy.add(std::move(document));
  }
  EXPECT_EQ(policy.take().size(), 2u);
  EXPECT_EQ(policy.take().size(), 1u);
  EXPECT_EQ(policy.take().size(), 1u);
  EXPECT_EQ(policy.take().size(), 1u);
  EXPECT_EQ(policy.size(), 0u);
}

TEST_F(Policy, WordsAreLeftOutOfOneDocumentAtATime) {
  for (int i = 0; i < 5; ++i) {
    QueuedDocument document;
    document.model = model_;
    document.question.leave_out = i == 1 || i == 2;
    add(std::move(document));
  }
  EXPECT_EQ(take(), (Indexes{0, 3, 4}));
  EXPECT_EQ(take(), (Indexes{1}));
  EXPECT_EQ(take(), (Indexes{2}));
}

TEST_F(Policy, WhatIsLate) {
  for (int deadline : {9, 1, 5, 2}) {
    QueuedDocument document;
    document.deadline = start_ + milliseconds(deadline);
    add(std::move(document));
  }
  Indexes late;
  for (const QueuedDocument& document : policy_.take_useless(start_ + milliseconds(5))) {
    late.push_back(document.index);
  }
  EXPECT_EQ(late, (Indexes{1, 3}));
  EXPECT_EQ(policy_.size(), 2u);
}

TEST(PolicyOfOne, TakesThemOneByOne) {
  BatchingPolicy policy({1, milliseconds(5)});
  policy.add({});
  policy.add({});
  EXPECT_EQ(*policy.due(), Clock::time_point::min());
  EXPECT_EQ(policy.take().size(), 1u);
  EXPECT_EQ(policy.size(), 1u);
}

}  // namespace
}  // namespace otseq2set::testing
