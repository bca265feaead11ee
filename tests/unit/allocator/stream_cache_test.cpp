// The caches of streams over the null backend: blocks that move between streams, counters that are added up, streams that end.
#include "allocator/stream_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "allocator/address_map.h"
#include "allocator/block_lease.h"
#include "allocator/context_resources.h"
#include "allocator/pool.h"
#include "allocator/pool_fast.h"
#include "base/handles/epoch.h"
#include "unit/allocator/null_context.h"

namespace manyrt::allocator {
namespace {

class StreamCacheTest : public NullPoolTest {
 protected:
  void SetUp() override {
    NullPoolTest::SetUp();
    for (Ref<backend::Stream>& stream : streams_) ASSERT_TRUE(owner_->takeStream(&stream, {}).ok());
    pool();
  }
  void* allocate(uint64_t size, backend::Stream& stream) {
    if (void* cached = pool_->allocateFromCache(size, stream)) return cached;
    void* pointer = nullptr;
    const Status status = pool_->allocate(&pointer, size, kAlignment, &stream);
    EXPECT_TRUE(status.ok()) << status.message();
    return pointer;
  }
  Pool::Freed release(void* pointer, backend::Stream* stream) {
    epoch::Guard guard;
    Region* region = address_map::find(pointer);
    Block* block = region->blockAt(reinterpret_cast<uintptr_t>(pointer));
    return pool_->release(*region, *block, stream);
  }
  void free(void* pointer, backend::Stream& stream) { EXPECT_EQ(release(pointer, &stream), Pool::Freed::kYes); }

  Ref<backend::Stream> streams_[4];
};

TEST_F(StreamCacheTest, WhatOneStreamHasDoneWithServesTheOthers) {
  for (const uint64_t size : {uint64_t{300}, uint64_t{20'000}, uint64_t{700'000}}) {
    const int count = 64;
    uint64_t reserved = 0;
    for (const Ref<backend::Stream>& stream : streams_) {
      std::vector<void*> blocks;
      for (int i = 0; i < count; ++i) blocks.push_back(allocate(size, *stream));
      for (void* each : blocks) free(each, *stream);
      const uint64_t now = pool_->unusedBytes();
      if (reserved == 0) reserved = statistics().reserved_bytes;
      EXPECT_EQ(statistics().reserved_bytes, reserved) << size;
      EXPECT_EQ(now, reserved) << size;
    }
    pool_->trim(0);
    EXPECT_EQ(statistics().reserved_bytes, 0u);
  }
}

// Without a look at the statistics, which collects what has passed.
TEST_F(StreamCacheTest, AnAllocationFindsWhatLiesInAnotherStreamsCache) {
  void* first = allocate(700'000, *streams_[0]);
  void* second = allocate(700'000, *streams_[0]);
  const uint64_t driver_allocations = statistics().driver_allocation_count;
  free(first, *streams_[0]);
  free(second, *streams_[0]);
  for (int i = 1; i < 4; ++i) {
    void* one = allocate(700'000, *streams_[i]);
    EXPECT_TRUE(one == first || one == second);
    void* two = allocate(700'000, *streams_[i]);
    EXPECT_TRUE(two == first || two == second);
    free(one, *streams_[i]);
    free(two, *streams_[i]);
  }
  EXPECT_EQ(statistics().driver_allocation_count, driver_allocations);
}

TEST_F(StreamCacheTest, ABusyStreamKeepsWhatItFrees) {
  const Ref<backend::Point> gate = block(*streams_[0]);
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i) blocks.push_back(allocate(1000, *streams_[0]));
  for (void* each : blocks) free(each, *streams_[0]);  // more than a cache keeps: the rest waits in the pool
  EXPECT_EQ(statistics().pending_bytes, 1'000'000u);
  for (int i = 0; i < 1000; ++i) {
    void* other = allocate(1000, *streams_[1]);
    EXPECT_EQ(std::count(blocks.begin(), blocks.end(), other), 0);
  }
  for (int i = 0; i < 100; ++i) {
    void* same = allocate(1000, *streams_[0]);
    EXPECT_EQ(std::count(blocks.begin(), blocks.end(), same), 1);
  }
  EXPECT_EQ(statistics().pending_bytes, 900'000u);
  gate->complete(Status(), 0);
  ASSERT_TRUE(streams_[0]->wait(streams_[0]->submitted(), Deadline::never()));
  EXPECT_EQ(statistics().pending_bytes, 0u);
  EXPECT_EQ(statistics().live_count, 1100u);
}

TEST_F(StreamCacheTest, AStreamThatFreesForAnotherMayUseTheMemoryAtOnce) {
  const Ref<backend::Point> gate = block(*streams_[1]);
  void* first = allocate(1000, *streams_[0]);
  free(first, *streams_[1]);
  EXPECT_NE(allocate(1000, *streams_[0]), first);
  EXPECT_EQ(allocate(1000, *streams_[1]), first);
  EXPECT_EQ(statistics().live_count, 2u);
  gate->complete(Status(), 0);
  ASSERT_TRUE(streams_[1]->wait(streams_[1]->submitted(), Deadline::never()));
}

TEST_F(StreamCacheTest, AProducerAndAConsumerNeedNoMoreMemoryThanIsLive) {
  for (int i = 0; i < 100'000; ++i) free(allocate(4000, *streams_[0]), *streams_[1]);
  EXPECT_LE(statistics().reserved_bytes, 2 * kSlabBytes);
}

// 200 streams at a time: those beyond the ones that are kept end, and their numbers are given to later ones.
TEST_F(StreamCacheTest, AStreamThatEndsLeavesItsMemoryToItsSuccessors) {
  for (int round = 0; round < 5; ++round) {
    std::vector<Ref<backend::Stream>> many(200);
    for (Ref<backend::Stream>& stream : many) {
      ASSERT_TRUE(owner_->takeStream(&stream, {}).ok());
      free(allocate(100'000, *stream), *stream);
    }
    for (Ref<backend::Stream>& stream : many) owner_->giveBackStream(std::move(stream));
    EXPECT_LT(owner_->streams().size(), 200u);
    EXPECT_EQ(statistics().live_count, 0u);
    EXPECT_EQ(statistics().pending_bytes, 0u);
  }
  EXPECT_EQ(pool_->unusedBytes(), statistics().reserved_bytes);
  pool_->trim(0);
  EXPECT_EQ(statistics().reserved_bytes, 0u);
}

TEST_F(StreamCacheTest, AClosedPoolGivesBackWhatLiesInCaches) {
  void* live = allocate(1000, *streams_[0]);
  free(allocate(1000, *streams_[0]), *streams_[0]);
  free(allocate(1000, *streams_[1]), *streams_[1]);
  const Ref<backend::Point> gate = block(*streams_[2]);
  free(allocate(1000, *streams_[2]), *streams_[2]);
  pool_->close();
  EXPECT_EQ(statistics().pending_bytes, 1000u);
  gate->complete(Status(), 0);
  ASSERT_TRUE(streams_[2]->wait(streams_[2]->submitted(), Deadline::never()));
  free(live, *streams_[0]);  // into no cache
  while (statistics().reserved_bytes != 0) std::this_thread::yield();
}

TEST_F(StreamCacheTest, AGraphsLeaseAndAFreeOnAStreamMeet) {
  void* pointer = allocate(1000, *streams_[0]);
  for (const int freeing : {0, 1}) {  // the home of the block, another stream
    BlockLease lease;
    {
      epoch::Guard guard;
      ASSERT_TRUE(BlockLease::take(&lease, pointer));
    }
    EXPECT_EQ(release(pointer, streams_[freeing].get()), Pool::Freed::kLater);
    EXPECT_EQ(release(pointer, streams_[freeing].get()), Pool::Freed::kNotLive);
    EXPECT_EQ(statistics().live_count, 0u);
    EXPECT_EQ(statistics().pending_bytes, 1000u);
    lease = BlockLease();
    EXPECT_EQ(statistics().pending_bytes, 0u);
    EXPECT_EQ(allocate(1000, *streams_[0]), pointer);
  }
  free(pointer, *streams_[0]);
  EXPECT_EQ(statistics().allocation_count, statistics().free_count);
}

TEST_F(StreamCacheTest, OfTwoThreadsThatFreeOneBlockOneSucceeds) {
  for (int round = 0; round < 2000; ++round) {
    void* pointer = allocate(1000, *streams_[0]);
    std::atomic<int> ready{0}, freed{0};
    auto body = [&](backend::Stream* stream) {
      ready.fetch_add(1);
      while (ready.load() < 2) {
      }
      if (release(pointer, stream) == Pool::Freed::kYes) freed.fetch_add(1);
    };
    std::thread other(body, round % 3 == 0 ? nullptr : streams_[round % 2].get());
    body(streams_[0].get());
    other.join();
    ASSERT_EQ(freed.load(), 1);
  }
  EXPECT_EQ(statistics().live_count, 0u);
  EXPECT_EQ(statistics().free_count, 2000u);
}

// Each thread writes its own number all over its blocks, and finds it there when it frees them.
TEST_F(StreamCacheTest, ThreadsOnTheirStreamsAndOnOneStreamNeverShareABlock) {
  std::atomic<bool> shared{false};
  auto body = [&](unsigned number) {
    std::mt19937 random(number);
    std::vector<std::pair<unsigned*, uint64_t>> live;
    for (int i = 0; i < 20'000; ++i) {
      backend::Stream& stream = *streams_[number % 2 == 0 ? 0 : number % 4];  // some share a stream
      if (live.size() < 20 || random() % 2 == 0) {
        const uint64_t words = 1 + random() % (random() % 50 == 0 ? 100'000 : 500);
        auto* words_of = static_cast<unsigned*>(allocate(words * sizeof(unsigned), stream));
        words_of[0] = words_of[words - 1] = number;
        live.emplace_back(words_of, words);
      } else {
        const size_t index = random() % live.size();
        if (live[index].first[0] != number || live[index].first[live[index].second - 1] != number) shared.store(true);
        free(live[index].first, *streams_[random() % 4]);
        live[index] = live.back();
        live.pop_back();
      }
      if (i % 4096 == 0) pool_->trim(1 << 20);
      if (i % 1024 == 0) (void)statistics();
    }
    for (const auto& [pointer, words] : live) free(pointer, *streams_[0]);
  };
  std::vector<std::thread> threads;
  for (unsigned number = 1; number <= 6; ++number) threads.emplace_back(body, number);
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(shared.load());
  EXPECT_EQ(statistics().live_count, 0u);
  EXPECT_EQ(statistics().live_bytes, 0u);
  EXPECT_EQ(statistics().pending_bytes, 0u);
  EXPECT_EQ(pool_->unusedBytes(), statistics().reserved_bytes);
  pool_->trim(0);
  EXPECT_EQ(statistics().reserved_bytes, 0u);
}

// `shared`: several threads change the pool's count. Returns how often the credit changed in 100,000 calls.
int expectCredit(bool shared) {
  Counters counters;
  std::mt19937 random(7);
  int64_t credit = 0, live = 0, peak = 0, highest = 0;
  int changes = 0;
  std::vector<uint64_t> sizes;
  const auto change = [&](int64_t by) {
    credit += by;
    changes += by != 0;
  };
  for (int i = 0; i < 100'000; ++i) {
    if (sizes.size() < 10 || (sizes.size() < 20 && random() % 2 == 0)) {
      const uint64_t most = random() % 4 == 0 ? 1'000'000 : 3000;
      const uint64_t size = 1 + random() % most;
      sizes.push_back(size);
      live += static_cast<int64_t>(size);
      if (counters.allocated(size)) change(counters.raised(size, shared));
    } else {
      std::swap(sizes[random() % sizes.size()], sizes.back());
      live -= static_cast<int64_t>(sizes.back());
      if (counters.freed(sizes.back())) change(counters.lowered(sizes.back(), shared));
      sizes.pop_back();
    }
    peak = std::max(peak, live);
    highest = std::max(highest, live);
    EXPECT_GE(credit, live);
    EXPECT_LE(credit,
              shared ? highest + std::max(Counters::kSlack, highest / 8) : live + std::max(Counters::kSlack, credit / 64));
    EXPECT_EQ(counters.peak(), peak);
    if (testing::Test::HasFailure()) return changes;
    if (i % 1000 == 0) {
      counters.restartPeak();
      peak = live;
    }
  }
  return changes;
}

TEST(CountersTest, TheCreditCoversWhatIsLiveAndLittleMore) { (void)expectCredit(false); }

TEST(CountersTest, WhereThreadsMeetTheCreditSeldomChanges) {
  EXPECT_GT(expectCredit(false), 20'000);
  EXPECT_LT(expectCredit(true), 5000);
}

TEST(CountersTest, WhereThreadsMeetTheCreditComesDownWithinAWindow) {
  Counters counters;
  int64_t credit = 0;
  const auto pair = [&](uint64_t size) {
    if (counters.allocated(size)) credit += counters.raised(size, true);
    if (counters.freed(size)) credit += counters.lowered(size, true);
  };
  pair(10'000'000);
  EXPECT_GE(credit, 10'000'000);
  for (uint32_t i = 0; i < 2 * Counters::kWindow; ++i) pair(100'000);
  EXPECT_LE(credit, 100'000 + Counters::kSlack);
}

TEST(TurnsTest, OnlySeveralThreadsAtOnceShare) {
  Turns turns;
  for (int i = 0; i < 1000; ++i) turns.note();
  EXPECT_FALSE(turns.shared());
  std::thread([&] {  // has its time, after the first
    for (int i = 0; i < 1000; ++i) turns.note();
  })
      .join();
  EXPECT_FALSE(turns.shared());
  for (int i = 0; i < 100; ++i) std::thread([&] { turns.note(); }).join(), turns.note();
  EXPECT_TRUE(turns.shared());
  for (int i = 0; i < 1000; ++i) turns.note();  // one thread goes on alone
  EXPECT_FALSE(turns.shared());
  EXPECT_EQ(turns.count(), 3200u);
}

}  // namespace
}  // namespace manyrt::allocator
