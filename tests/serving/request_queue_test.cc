// The queue and the workers, with threads on both sides.
#include "otseq2set/serving/request_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <set>
#include <thread>

#include "otseq2set/serving/worker_pool.h"
#include "serving/stand_in.h"

namespace otseq2set::testing {
namespace {

using std::chrono::milliseconds;
using Suggestions = std::vector<Suggestion>;

// A request of these texts; its outcome can be waited for.
struct Asked {
  std::vector<QueuedDocument> documents;
  std::future<std::pair<Fate, Suggestions>> outcome;
};

Asked ask(const std::shared_ptr<const Suggester>& model, const std::vector<std::string>& texts) {
  auto promise = std::make_shared<std::promise<std::pair<Fate, Suggestions>>>();
  Asked asked;
  asked.outcome = promise->get_future();
  const auto answers = std::make_shared<PendingAnswers>(texts.size(), [promise](Fate fate, Suggestions suggestions) {
    promise->set_value({fate, std::move(suggestions)});
  });
  for (size_t i = 0; i < texts.size(); ++i) {
    QueuedDocument document;
    document.model = model;
    document.arrived = Clock::now();
    document.question.text = texts[i];
    document.answers = answers;
    document.index = i;
    asked.documents.push_back(std::move(document));
  }
  return asked;
}

class Queue : public ::testing::Test {
 protected:
  std::shared_ptr<StandIn> model_ = std::make_shared<StandIn>();
  Metrics metrics_;
};

TEST_F(Queue, TakesARequestWholeWhileThereIsAnyRoom) {
  RequestQueue queue({64, milliseconds(1)}, 3);
  EXPECT_TRUE(queue.push(ask(model_, {"a", "b"}).documents));
  EXPECT_TRUE(queue.push(ask(model_, {"c", "d", "e", "f"}).documents));
  EXPECT_FALSE(queue.push(ask(model_, {"g"}).documents));
  EXPECT_EQ(queue.take(0).size(), 6u);
  EXPECT_TRUE(queue.push(ask(model_, {"h"}).documents));
}

TEST_F(Queue, WhoHasNothingInItFindsRoomThatOthersLeaveNoOne) {
  RequestQueue queue({64, milliseconds(1)}, 3);
  const auto push = [&](const std::string& client, size_t documents) {
    Asked asked = ask(model_, std::vector<std::string>(documents, "x"));
    for (QueuedDocument& document : asked.documents) document.client = client;
    return queue.push(std::move(asked.documents));
  };
  EXPECT_TRUE(push("greedy", 4));
  EXPECT_FALSE(push("greedy", 1));
  EXPECT_TRUE(push("modest", 1));
  EXPECT_FALSE(push("modest", 1));
  EXPECT_TRUE(push("other", 1));
  EXPECT_FALSE(push("late", 1)) << "twice its size";
}

TEST_F(Queue, ClosedItGivesOutWhatItHasAndTakesNoMore) {
  RequestQueue queue({64, std::chrono::hours(1)}, 10);
  EXPECT_TRUE(queue.push(ask(model_, {"a"}).documents));
  queue.close();
  EXPECT_FALSE(queue.push(ask(model_, {"b"}).documents));
  EXPECT_EQ(queue.take(0).size(), 1u);
  EXPECT_TRUE(queue.take(0).empty());
}

// How many documents a worker gets that is asleep when this returns. Its thread is detached, so that a test
// in which nobody wakes it fails instead of waiting for it.
std::future<size_t> sleeping_worker(const std::shared_ptr<RequestQueue>& queue) {
  std::packaged_task<size_t()> take([queue] { return queue->take(0).size(); });
  std::future<size_t> taken = take.get_future();
  std::thread(std::move(take)).detach();
  // The worker holds the lock from when it becomes idle until it sleeps: who sees it idle sees it asleep.
  while (queue->idle() == 0) std::this_thread::yield();
  return taken;
}

constexpr std::chrono::seconds kLongEnough{20};  // for a thread that was woken, on a machine with much to do

TEST_F(Queue, AWorkerThatSleepsWithoutDocumentsWakesUpWhenItCloses) {
  const auto queue = std::make_shared<RequestQueue>(BatchingOptions{64, std::chrono::hours(1)}, 10);
  std::future<size_t> taken = sleeping_worker(queue);
  queue->close();
  ASSERT_EQ(taken.wait_for(kLongEnough), std::future_status::ready);
  EXPECT_EQ(taken.get(), 0u);
}

TEST_F(Queue, AWorkerThatSleepsUntilABatchIsDueWakesUpWhenItCloses) {
  const auto queue = std::make_shared<RequestQueue>(BatchingOptions{64, std::chrono::hours(1)}, 10);
  EXPECT_TRUE(queue->push(ask(model_, {"a"}).documents));
  std::future<size_t> taken = sleeping_worker(queue);
  queue->close();
  ASSERT_EQ(taken.wait_for(kLongEnough), std::future_status::ready);
  EXPECT_EQ(taken.get(), 1u);
}

TEST_F(Queue, AWorkerThatSleepsWithoutDocumentsWakesUpWhenABatchIsDue) {
  const auto queue = std::make_shared<RequestQueue>(BatchingOptions{2, std::chrono::hours(1)}, 10);
  std::future<size_t> taken = sleeping_worker(queue);
  EXPECT_TRUE(queue->push(ask(model_, {"a", "b"}).documents));
  ASSERT_EQ(taken.wait_for(kLongEnough), std::future_status::ready);
  EXPECT_EQ(taken.get(), 2u);
}

TEST_F(Queue, WorkersThatWaitShareWhatComes) {
  RequestQueue queue({64, milliseconds(0)}, 100);
  const auto take = [&] { return queue.take(0).size(); };
  auto first = std::async(std::launch::async, take), second = std::async(std::launch::async, take);
  while (queue.idle() < 2) std::this_thread::yield();
  EXPECT_TRUE(queue.push(ask(model_, std::vector<std::string>(20, "x")).documents));
  EXPECT_EQ(first.get(), 10u);
  EXPECT_EQ(second.get(), 10u);
}

TEST_F(Queue, AWorkerLeavesABusyOneItsPart) {
  RequestQueue queue({64, milliseconds(0)}, 100);
  const auto push = [&](size_t count) {
    EXPECT_TRUE(queue.push(ask(model_, std::vector<std::string>(count, "x")).documents));
  };
  push(4);
  EXPECT_EQ(queue.take(0).size(), 4u);  // alone
  push(20);
  EXPECT_EQ(queue.take(0).size(), 12u);  // a second worker: half of 4 + 20
  push(1);
  EXPECT_EQ(queue.take(4).size(), 9u);  // the first again
}

TEST_F(Queue, FewAreNotWorthSharing) {
  RequestQueue queue({64, milliseconds(0)}, 100);
  EXPECT_TRUE(queue.push(ask(model_, {"x"}).documents));
  EXPECT_EQ(queue.take(0).size(), 1u);
  EXPECT_TRUE(queue.push(ask(model_, std::vector<std::string>(8, "x")).documents));
  EXPECT_EQ(queue.take(0).size(), 8u);
}

TEST_F(Queue, RequestsOfManyThreadsAreAnsweredEachWithItsOwn) {
  RequestQueue queue({8, std::chrono::microseconds(200)}, 100000);
  const WorkerPool workers(queue, metrics_, 3);
  std::vector<std::thread> clients;
  std::atomic<int> right{0};
  for (int client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      for (int i = 0; i < 50; ++i) {
        const std::string name = std::to_string(client) + "-" + std::to_string(i);
        Asked asked = ask(model_, {name + "a", name + "b", name + "c"});
        ASSERT_TRUE(queue.push(std::move(asked.documents)));
        const auto [fate, suggestions] = asked.outcome.get();
        ASSERT_EQ(fate, Fate::kAnswered);
        right += suggestions[0].labels[0].label == name + "a" && suggestions[2].labels[0].label == name + "c";
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, 8 * 50);
}

TEST_F(Queue, WhatWaitsTogetherIsAnsweredTogether) {
  model_->hold(true);
  RequestQueue queue({64, milliseconds(0)}, 100);
  std::vector<std::future<std::pair<Fate, Suggestions>>> outcomes;
  {
    const WorkerPool workers(queue, metrics_, 1);
    for (int i = 0; i < 20; ++i) {
      Asked asked = ask(model_, {"x"});
      outcomes.push_back(std::move(asked.outcome));
      ASSERT_TRUE(queue.push(std::move(asked.documents)));
      while (i == 0 && queue.size() > 0) std::this_thread::yield();  // the first keeps the worker busy
    }
    model_->hold(false);
  }
  for (auto& outcome : outcomes) EXPECT_EQ(outcome.get().first, Fate::kAnswered);
  EXPECT_EQ(model_->batches(), (std::vector<size_t>{1, 19}));
}

TEST_F(Queue, ADocumentThatFailsFailsItsRequestAlone) {
  RequestQueue queue({8, milliseconds(0)}, 100);
  Asked bad = ask(model_, {"good", "fail"}), hungry = ask(model_, {"no memory"}), good = ask(model_, {"good"});
  for (Asked* asked : {&bad, &hungry, &good}) ASSERT_TRUE(queue.push(std::move(asked->documents)));
  const WorkerPool workers(queue, metrics_, 1);
  EXPECT_EQ(bad.outcome.get().first, Fate::kFailed);
  EXPECT_EQ(hungry.outcome.get().first, Fate::kNoMemory);
  EXPECT_EQ(good.outcome.get().first, Fate::kAnswered);
  EXPECT_EQ(model_->batches().front(), 4u);
}

TEST_F(Queue, WhatNobodyWantsIsNotComputed) {
  RequestQueue queue({8, milliseconds(0)}, 100);
  Asked gone = ask(model_, {"gone", "too"}), good = ask(model_, {"good"});
  gone.documents[0].answers->fail(Fate::kRefused);  // of the first, which never came here
  gone.documents.erase(gone.documents.begin());
  ASSERT_TRUE(queue.push(std::move(gone.documents)));
  ASSERT_TRUE(queue.push(std::move(good.documents)));
  const WorkerPool workers(queue, metrics_, 1);
  EXPECT_EQ(gone.outcome.get().first, Fate::kRefused);
  EXPECT_EQ(good.outcome.get().first, Fate::kAnswered);
  EXPECT_EQ(model_->batches(), (std::vector<size_t>{1}));
}

TEST_F(Queue, EveryWorkerIsPreparedBeforeItsFirstBatch) {
  RequestQueue queue({1, milliseconds(0)}, 100);
  std::mutex mutex;
  std::set<std::thread::id> prepared;
  const WorkerPool workers(queue, metrics_, 3, Priority::kLow, [&] {
    const std::lock_guard<std::mutex> lock(mutex);
    prepared.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(prepared.size(), 3u);
}

TEST_F(Queue, WhatIsTooLateIsNotComputed) {
  RequestQueue queue({8, milliseconds(0)}, 100);
  Asked late = ask(model_, {"late"}), good = ask(model_, {"good"});
  late.documents[0].deadline = Clock::now() - milliseconds(1);
  ASSERT_TRUE(queue.push(std::move(late.documents)));
  ASSERT_TRUE(queue.push(std::move(good.documents)));
  const WorkerPool workers(queue, metrics_, 1);
  EXPECT_EQ(late.outcome.get().first, Fate::kTooLate);
  EXPECT_EQ(good.outcome.get().first, Fate::kAnswered);
  EXPECT_EQ(model_->batches(), (std::vector<size_t>{1}));
}

TEST_F(Queue, WhatIsTooLateTakesNoRoom) {
  RequestQueue queue({8, milliseconds(0)}, 2);
  Asked late = ask(model_, {"late", "later"});
  for (QueuedDocument& document : late.documents) document.deadline = Clock::now() - milliseconds(1);
  ASSERT_TRUE(queue.push(std::move(late.documents)));
  EXPECT_TRUE(queue.push(ask(model_, {"good"}).documents));
  EXPECT_EQ(late.outcome.get().first, Fate::kTooLate);
  EXPECT_EQ(queue.take(0).size(), 1u);
}

TEST_F(Queue, TheWorkersEndWhenEverythingIsAnswered) {
  RequestQueue queue({4, std::chrono::hours(1)}, 100);
  std::vector<std::future<std::pair<Fate, Suggestions>>> outcomes;
  {
    const WorkerPool workers(queue, metrics_, 2);
    for (int i = 0; i < 10; ++i) {
      Asked asked = ask(model_, {"x"});
      outcomes.push_back(std::move(asked.outcome));
      ASSERT_TRUE(queue.push(std::move(asked.documents)));
    }
  }
  for (auto& outcome : outcomes) EXPECT_EQ(outcome.get().first, Fate::kAnswered);
}

}  // namespace
}  // namespace otseq2set::testing
