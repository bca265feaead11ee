// The mutex of hot paths: one thread at a time, and none sleeps for good.
#include "base/mutex.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <mutex>
#include <thread>
#include <vector>

namespace manyrt {
namespace {

TEST(MutexTest, TryingFailsWhileItIsHeld) {
  barrier::prepare();
  Mutex mutex;
  mutex.lock();
  std::thread([&] { EXPECT_FALSE(mutex.try_lock()); }).join();
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

// `held`: how often the holder gives its time slice away, so that others fall asleep.
void fight(int threads, int rounds, int held) {
  barrier::prepare();
  Mutex mutex;
  int inside = 0;
  long count = 0;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        const std::lock_guard lock(mutex);
        EXPECT_EQ(++inside, 1);
        for (int k = 0; k < held; ++k) sched_yield();
        ++count;
        --inside;
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(count, long{threads} * rounds);
}

TEST(MutexTest, ShortHoldsExcludeEachOther) { fight(4, 20'000, 0); }
TEST(MutexTest, SleepersAreWokenByEveryUnlock) { fight(8, 500, 20); }

// Two threads take turns: each unlock has to reach the one that may be about to sleep.
TEST(MutexTest, NoWakeIsLostBetweenTwo) {
  for (int i = 0; i < 20; ++i) fight(2, 500, i % 3);
}

TEST(MutexTest, WhoWaitsLongSleepsUntilItIsFree) {
  barrier::prepare();
  Mutex mutex;
  bool done = false;
  mutex.lock();
  std::vector<std::thread> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.emplace_back([&] {
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(done);
    });
  }
  for (int i = 0; i < 2'000; ++i) sched_yield();
  done = true;
  mutex.unlock();
  for (std::thread& thread : waiting) thread.join();
}

}  // namespace
}  // namespace manyrt
