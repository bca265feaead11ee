// Calls that the profile counts without a time: which times are asked for, that counts are exact, what the estimate is made of,
// threads.
#include "base/trace/tally.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/trace.h"

namespace manyrt::trace {
namespace {

constexpr int64_t kTime = 100, kLong = Tally::kShort;

// One of the program's, which takes so long. True: it was timed.
bool pass(Tally& tally, int64_t nanoseconds) {
  if (tally.skips()) return false;
  tally.add(nanoseconds, 0);
  return true;
}

// How many are skipped from here to the next one that is timed, which takes so long.
uint64_t skippedAhead(Tally& tally, int64_t nanoseconds = kTime) {
  uint64_t skipped = 0;
  while (!pass(tally, nanoseconds)) ++skipped;
  return skipped;
}

void warm(Tally& tally, int64_t nanoseconds = kTime) {
  for (uint32_t i = 0; i < Tally::kRow; ++i) EXPECT_EQ(skippedAhead(tally, nanoseconds), 0u);
}

TEST(TallyTest, FirstOnesAreAllTimed) {
  Tally tally("one", nullptr);
  warm(tally);
  EXPECT_EQ(tally.sum(20).count, Tally::kRow);
  EXPECT_EQ(tally.sum(20).total, Tally::kRow * kTime) << "nothing is subtracted where all are timed";
  EXPECT_FALSE(pass(tally, kTime));
}

TEST(TallyTest, WhatIsToldLaterIsChosenWhenItIsSubmitted) {
  Tally tally("one", nullptr);
  bool is_sample = false;
  for (uint32_t i = 0; i < Tally::kRow; ++i) EXPECT_FALSE(tally.skipsLate(&is_sample) || is_sample) << i;
  uint64_t skipped = 0;
  for (int timed = 0; timed < 20; ++timed) {
    uint64_t gap = 0;
    while (tally.skipsLate(&is_sample)) ++gap;
    EXPECT_TRUE(is_sample);
    EXPECT_GE(gap, Tally::kInterval / 2);
    EXPECT_LT(gap, 3 * Tally::kInterval / 2);
    skipped += gap;
  }
  EXPECT_EQ(tally.sum(20).count, skipped) << "those that are timed are added up elsewhere";
  EXPECT_EQ(tally.sum(20).timed, 0u);
}

TEST(TallyTest, ShortOnesAreTimedAtRandomDistances) {
  Tally tally("one", nullptr);
  warm(tally);
  uint64_t all = 0, least = UINT64_MAX, most = 0;
  constexpr uint64_t kGaps = 1000;
  for (uint64_t i = 0; i < kGaps; ++i) {
    const uint64_t gap = skippedAhead(tally);
    all += gap;
    least = std::min(least, gap);
    most = std::max(most, gap);
  }
  EXPECT_GE(least, Tally::kInterval / 2);
  EXPECT_LT(most, 3 * Tally::kInterval / 2);
  EXPECT_NEAR(static_cast<double>(all) / kGaps, Tally::kInterval, Tally::kInterval / 10.0);
  EXPECT_LT(least, most);
}

TEST(TallyTest, CountsAreExact) {
  Tally tally("one", nullptr);
  constexpr uint64_t kMany = 100'000;
  uint64_t timed = 0;
  for (uint64_t i = 0; i < kMany; ++i) timed += pass(tally, kTime) ? 1 : 0;
  const Tally::Sum sum = tally.sum(0);
  EXPECT_EQ(sum.count, kMany);
  EXPECT_EQ(sum.timed, timed);
  EXPECT_LT(timed, kMany / Tally::kInterval * 2 + Tally::kRow);
  EXPECT_EQ(sum.total, static_cast<int64_t>(kMany) * kTime);
  EXPECT_EQ(sum.least, kTime);
  EXPECT_EQ(sum.most, kTime);
}

TEST(TallyTest, LongOnesAreAllTimed) {
  Tally tally("one", nullptr);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(pass(tally, kLong));
  warm(tally);
  EXPECT_FALSE(pass(tally, kTime));
  skippedAhead(tally, kLong);
  warm(tally);  // all are timed again
  EXPECT_EQ(tally.sum(20).most, kLong - 20);
}

TEST(TallyTest, EstimateIsTheMeanOfTheSamplesWithoutTheLook) {
  Tally tally("one", nullptr);
  warm(tally, 10 * kTime);  // the first ones are slow: they stand for themselves alone
  uint64_t skipped = 0;
  for (int i = 0; i < 100; ++i) skipped += skippedAhead(tally, kTime);
  const auto expected = static_cast<int64_t>(Tally::kRow * (10 * kTime - 20) + (skipped + 100) * (kTime - 20));
  EXPECT_EQ(tally.sum(20).total, expected);
  EXPECT_EQ(tally.sum(20).least, kTime - 20);
}

TEST(TallyTest, BeforeTheFirstSampleTheLatestTimeStandsForTheRest) {
  Tally tally("one", nullptr);
  warm(tally, 3 * kTime);
  EXPECT_FALSE(pass(tally, kTime));
  EXPECT_EQ(tally.sum(0).total, (Tally::kRow + 1) * 3 * kTime);
  EXPECT_EQ(tally.sum(1'000'000).total, 0) << "a look that took longer than the work";
}

TEST(TallyTest, OneThatTookLongAfterAllCountsOnceWithItsTime) {
  Tally tally("one", nullptr);
  warm(tally);
  ASSERT_TRUE(tally.skips());
  tally.promote(50 * kLong, 40 * kLong);
  const Tally::Sum sum = tally.sum(20);
  EXPECT_EQ(sum.count, Tally::kRow + 1);
  EXPECT_EQ(sum.timed, Tally::kRow + 1);
  EXPECT_EQ(sum.waited, 40 * kLong);
  EXPECT_EQ(sum.most, 50 * kLong);
  EXPECT_TRUE(pass(tally, kTime)) << "all are timed again";
}

// A kernel as LaunchCounter sees it.
struct Kernel {
  const Row* row() const { return &row_; }
  Row row_{.device = "cpu", .name = "a"};
};

uint64_t countOf(const Row& row) {
  uint64_t count = 0;
  Tallies::forEach([&](const Tally& tally) { count += tally.row() == &row ? tally.sum(0).count : 0; });
  return count;
}

TEST(LaunchCounterTest, EachLaunchCountsOnce) {
  static const Kernel kernels[2];  // rows are kept: the profile of a later test reads them
  uint64_t launches[2] = {};
  for (int stream = 0; stream < 400; ++stream) {
    LaunchCounter counter;
    for (int i = 0; i < stream; ++i) {
      const int which = i / 5 % 2 == 0 || stream % 3 == 0 ? 0 : 1;
      ++launches[which];
      LaunchCounter inner;  // as of a stream that a function of the first one waits for
      if (!(i % 7 == 0 ? inner : counter).skips(kernels[which])) Tallies::find(kernels[which].row())->add(kTime, 0);
    }
  }
  EXPECT_EQ(countOf(kernels[0].row_), launches[0]);
  EXPECT_EQ(countOf(kernels[1].row_), launches[1]);
  Tallies::forEach([&](const Tally& tally) {
    if (tally.row() != &kernels[0].row_) return;
    EXPECT_LT(tally.sum(0).timed, launches[0] / 10);
  });
}

TEST(LaunchCounterTest, KernelWithoutARowIsTimed) {
  struct Nameless {
    const Row* row() const { return nullptr; }
  } const nameless;
  LaunchCounter counter;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(counter.skips(nameless));
}

TEST(TalliesTest, ThreadsCountTheirOwnAndAllAreFound) {
  static const char* const kName = "ThreadsCountTheirOwnAndAllAreFound";
  static const Row kRow{.device = "cpu", .name = "b"};
  constexpr uint64_t kThreads = 4, kEach = 20'000;
  std::atomic<bool> over{false};
  const auto counts = [](uint64_t* calls, uint64_t* launches) {
    *calls = *launches = 0;
    Tallies::forEach([&](const Tally& tally) {
      if (tally.function() == kName) *calls += tally.sum(0).count;
      if (tally.row() == &kRow) *launches += tally.sum(0).count;
    });
  };
  std::thread reader([&] {
    uint64_t calls = 0, launches = 0;
    while (!over.load()) {
      counts(&calls, &launches);
      EXPECT_LE(calls, 2 * kThreads * kEach);
    }
  });
  for (int round = 0; round < 2; ++round) {  // the second round goes on with what the threads of the first have left
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([] {
        for (uint64_t n = 0; n < kEach; ++n) {
          pass(*Tallies::find(kName), kTime);
          pass(*Tallies::find(&kRow), kTime);
        }
      });
    }
    for (std::thread& each : threads) each.join();
  }
  over.store(true);
  reader.join();
  uint64_t calls = 0, launches = 0;
  counts(&calls, &launches);
  EXPECT_EQ(calls, 2 * kThreads * kEach);
  EXPECT_EQ(launches, 2 * kThreads * kEach);
}

TEST(TalliesTest, ThreadsLeaveTheirTalliesToLaterOnes) {
  const auto own = [] {
    const Tallies* tallies = nullptr;
    std::thread([&] { tallies = Tallies::ownOrNew(); }).join();
    return tallies;
  };
  const Tallies* const first = own();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(own(), first);
}

}  // namespace
}  // namespace manyrt::trace
