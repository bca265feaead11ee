// Pools and the address map over the null backend: reuse by stamps, limits, trimming, regions that share a granule.
#include "allocator/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "allocator/address_map.h"
#include "allocator/block_lease.h"
#include "allocator/poison.h"
#include "allocator/pool_fast.h"
#include "base/handles/epoch.h"
#include "support/repeats.h"
#include "unit/allocator/null_context.h"

namespace manyrt::allocator {
namespace {

class PoolTest : public NullPoolTest {
 protected:
  void SetUp() override {
    NullPoolTest::SetUp();
    ASSERT_TRUE(owner_->takeStream(&stream_, {}).ok());
    ASSERT_TRUE(owner_->takeStream(&other_, {}).ok());
  }
  void* allocate(uint64_t size, uint64_t alignment = kAlignment, backend::Stream* stream = nullptr) {
    void* pointer = nullptr;
    Status status = pool_->allocate(&pointer, size, alignment, stream);
    EXPECT_TRUE(status.ok()) << status.message();
    return pointer;
  }
  void free(void* pointer, Ref<backend::Stream> stream = nullptr) {
    epoch::Guard guard;
    address_map::Allocation allocation = address_map::locate(pointer);
    ASSERT_TRUE(allocation);
    EXPECT_EQ(pool_->release(*allocation.region, *allocation.block, stream.get()), Pool::Freed::kYes);
  }

  Ref<backend::Stream> stream_, other_;
};

// A thread may tell of its submission after another one has told of a later one.
TEST_F(PoolTest, TheLatestUseByAStreamCountsWhicheverIsToldLast) {
  pool();
  void* pointer = allocate(1000);
  std::vector<Stamp> stamps;
  {
    epoch::Guard guard;
    Region& region = *address_map::locate(pointer).region;
    const uint64_t next = other_->submitted() + 1;
    region.noteUse(other_, next + 1);
    region.noteUse(other_, next);
    region.pendingUses(&stamps);
    ASSERT_EQ(stamps.size(), 1u);
    EXPECT_EQ(stamps[0].serial, next + 1);
  }
  stamps.clear();
  for (int i = 0; i < 2; ++i) {  // what was told of
    const Ref<backend::Point> point = block(*other_);
    point->complete(Status(), 0);
  }
  ASSERT_TRUE(other_->wait(other_->submitted(), Deadline::never()));
  free(pointer);
}

TEST_F(PoolTest, BlocksAreAlignedDisjointAndFoundByAnyAddressInside) {
  pool();
  std::mt19937 random(1);
  std::vector<std::pair<char*, uint64_t>> blocks;
  for (int i = 0; i < 400; ++i) {
    uint64_t size = 1 + random() % (i % 20 == 0 ? 3'000'000 : 5000);
    blocks.emplace_back(static_cast<char*>(allocate(size)), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks.back().first) % kAlignment, 0u);
    memset(blocks.back().first, i & 0xff, size);
  }
  epoch::Guard guard;
  for (size_t i = 0; i < blocks.size(); ++i) {
    auto [pointer, size] = blocks[i];
    for (uint64_t offset : {uint64_t{0}, size / 2, size - 1}) {
      ASSERT_EQ(static_cast<unsigned char>(pointer[offset]), i & 0xff);
      address_map::Allocation allocation = address_map::locate(pointer + offset);
      ASSERT_TRUE(allocation);
      ASSERT_EQ(allocation.base, reinterpret_cast<uintptr_t>(pointer));
      ASSERT_EQ(allocation.size, size);
    }
    const address_map::Allocation beyond = address_map::locate(pointer + size);  // without a region its base says nothing
    ASSERT_FALSE(beyond && beyond.base == reinterpret_cast<uintptr_t>(pointer));
  }
  for (auto [pointer, size] : blocks) free(pointer);
  EXPECT_EQ(statistics().live_bytes, 0u);
  pool_->trim(0);
  EXPECT_EQ(statistics().reserved_bytes, 0u);
}

TEST_F(PoolTest, LargeAlignmentsAreKept) {
  pool();
  for (uint64_t alignment = 256; alignment <= (4u << 20); alignment *= 2) {
    for (uint64_t size : {uint64_t{1}, alignment - 1, alignment + 1}) {
      void* pointer = allocate(size, alignment);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % alignment, 0u) << alignment;
      free(pointer);
    }
  }
  pool_->trim(0);
}

TEST_F(PoolTest, AFreedBlockWaitsForTheStreamsOfItsOwner) {
  pool();
  void* first = allocate(1000);
  Ref<backend::Point> gate = block(*stream_);
  free(first);
  EXPECT_EQ(statistics().pending_bytes, 1000u);
  void* second = allocate(1000);
  EXPECT_NE(second, first);
  gate->complete(Status(), 0);
  ASSERT_TRUE(stream_->wait(stream_->submitted(), Deadline::never()));
  EXPECT_EQ(statistics().pending_bytes, 0u);
  void* third = allocate(1000);
  EXPECT_EQ(third, first);
  free(second);
  free(third);
  pool_->trim(0);
}

TEST_F(PoolTest, AFreeInAStreamsOrderServesThatStreamAtOnceAndOthersLater) {
  pool();
  for (uint64_t size : {uint64_t{1000}, uint64_t{3'000'000}}) {
    void* first = allocate(size, kAlignment, stream_.get());
    Ref<backend::Point> gate = block(*stream_);
    free(first, stream_);
    void* other = allocate(size, kAlignment, other_.get());
    EXPECT_NE(other, first);
    void* same = allocate(size, kAlignment, stream_.get());
    EXPECT_EQ(same, first);
    gate->complete(Status(), 0);
    ASSERT_TRUE(stream_->wait(stream_->submitted(), Deadline::never()));
    free(other);
    free(same);
  }
  pool_->trim(0);
}

TEST_F(PoolTest, TheLimitIsHardAndNamed) {
  PoolOptions options;
  options.maximum_bytes = 4 << 20;
  pool(options);
  void* first = allocate(3 << 20);
  void* second = nullptr;
  Status status = pool_->allocate(&second, 3 << 20, kAlignment, nullptr);
  EXPECT_EQ(status.code(), RT_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(strstr(status.message(), "4194304"), nullptr) << status.message();
  EXPECT_EQ(second, nullptr);
  free(first);
  pool_->trim(0);
}

TEST_F(PoolTest, OfTwoFreesOneFindsTheBlockLive) {
  pool();
  void* pointer = allocate(1000, kAlignment, stream_.get());
  epoch::Guard guard;
  const address_map::Allocation allocation = address_map::locate(pointer);
  ASSERT_TRUE(allocation);
  EXPECT_EQ(pool_->release(*allocation.region, *allocation.block, stream_.get()), Pool::Freed::kYes);
  EXPECT_EQ(pool_->release(*allocation.region, *allocation.block, stream_.get()), Pool::Freed::kNotLive);
  EXPECT_EQ(pool_->release(*allocation.region, *allocation.block, nullptr), Pool::Freed::kNotLive);
  BlockLease lease;
  EXPECT_FALSE(BlockLease::take(&lease, pointer));
  EXPECT_FALSE(lease);
  EXPECT_EQ(statistics().free_count, 1u);
  pool_->trim(0);
}

TEST_F(PoolTest, ALeasedBlockIsFreedWithItsLastLease) {
  pool();
  void* pointer = allocate(1000);
  BlockLease lease;
  {
    epoch::Guard guard;
    ASSERT_TRUE(BlockLease::take(&lease, static_cast<char*>(pointer) + 999));
    EXPECT_EQ(pool_->release(*lease.region(), *lease.block(), nullptr), Pool::Freed::kLater);
    EXPECT_EQ(pool_->release(*lease.region(), *lease.block(), nullptr), Pool::Freed::kNotLive);
  }
  EXPECT_EQ(statistics().live_count, 0u) << "the program has freed it";
  EXPECT_EQ(owner_->liveAllocations(), 0u);
  EXPECT_EQ(statistics().pending_bytes, 1000u);
  BlockLease copy(lease);
  lease = BlockLease();
  EXPECT_EQ(statistics().pending_bytes, 1000u);
  copy = BlockLease();
  EXPECT_EQ(statistics().pending_bytes, 0u);
  pool_->trim(0);
}

// The last lease of a captured block goes in two steps: it is counted off, then it closes the block.
TEST_F(PoolTest, NoLeaseOfACapturedBlockBeginsAfterTheLast) {
  pool();
  void* pointer = allocate(1000);
  BlockLease lease;
  BlockLease late;
  {
    epoch::Guard guard;
    ASSERT_TRUE(BlockLease::take(&lease, pointer));
    lease.giveToLeases();
    ASSERT_TRUE(BlockLease::take(&late, pointer));
    late = BlockLease();
    lease.block()->leases.fetch_sub(1);  // between the two
    EXPECT_FALSE(BlockLease::take(&late, pointer));
    lease.block()->leases.fetch_add(1);
  }
  lease = BlockLease();
  EXPECT_EQ(statistics().live_count, 0u);
  EXPECT_EQ(allocate(1000), pointer);
  free(pointer);
  pool_->trim(0);
}

// Exact where one stream allocates between two looks; else too high by 64 KiB for each stream at most, and never too low.
TEST_F(PoolTest, ThePeakIsThatOfAllStreamsTogether) {
  pool();
  void* first = allocate(1000, kAlignment, stream_.get());
  free(first, stream_);
  EXPECT_EQ(statistics().peak_live_bytes, 1000u);
  void* second = allocate(600, kAlignment, other_.get());
  EXPECT_EQ(statistics().peak_live_bytes, 1000u);
  void* third = allocate(700, kAlignment, stream_.get());
  EXPECT_EQ(statistics().peak_live_bytes, 1300u);
  free(second, other_);
  free(third, stream_);
  EXPECT_EQ(statistics().peak_live_bytes, 1300u);
  pool_->resetPeak();
  EXPECT_EQ(statistics().peak_live_bytes, 0u);
  for (int round = 0; round < 100; ++round) {  // in turn: never more than one block at a time
    backend::Stream* stream = round % 2 == 0 ? stream_.get() : other_.get();
    free(allocate(300'000, kAlignment, stream), Ref<backend::Stream>(stream));
  }
  const uint64_t peak = statistics().peak_live_bytes;
  EXPECT_GE(peak, 300'000u);
  EXPECT_LE(peak, 300'000u + 2 * Counters::kSlack);
  pool_->trim(0);
}

// A second free in the order of a busy stream finds room for its stamp and takes the short way.
TEST_F(PoolTest, ABlockThatIsFreedAgainAndAgainInABusyOrderStaysWithTheStream) {
  pool();
  Ref<backend::Point> gate = block(*stream_);
  void* first = allocate(1000, kAlignment, stream_.get());
  for (int round = 0; round < 3; ++round) {
    free(first, stream_);
    EXPECT_EQ(statistics().pending_bytes, 1000u);
    void* other = allocate(1000, kAlignment, other_.get());
    EXPECT_NE(other, first);
    EXPECT_EQ(allocate(1000, kAlignment, stream_.get()), first);
    EXPECT_EQ(statistics().pending_bytes, 0u);
    free(other, other_);
  }
  gate->complete(Status(), 0);
  ASSERT_TRUE(stream_->wait(stream_->submitted(), Deadline::never()));
  free(first, stream_);
  EXPECT_EQ(statistics().pending_bytes, 0u);
  pool_->trim(0);
}

TEST_F(PoolTest, WhatIsAliveIsAddedUpOverPools) {
  const uint64_t before = liveAllocations();
  const uint64_t bytes = liveBytes();
  pool();
  Ref<Pool> second = Ref<Pool>::adopt(new Pool(owner_, {}));
  void* one = allocate(1000);
  void* two = nullptr;
  ASSERT_TRUE(second->allocate(&two, 3'000'000, kAlignment, nullptr).ok());
  EXPECT_EQ(owner_->liveAllocations(), 2u);
  EXPECT_EQ(liveAllocations(), before + 2);
  EXPECT_EQ(liveBytes(), bytes + 3'001'000);
  second->close();
  second = nullptr;  // its region keeps it
  EXPECT_EQ(owner_->liveAllocations(), 2u);
  {
    epoch::Guard guard;
    const address_map::Allocation allocation = address_map::locate(two);
    EXPECT_EQ(allocation.region->pool()->release(*allocation.region, *allocation.block, nullptr), Pool::Freed::kYes);
  }
  free(one);
  epoch::synchronize();
  epoch::collect();
  EXPECT_EQ(owner_->liveAllocations(), 0u);
  EXPECT_EQ(liveAllocations(), before);
  EXPECT_EQ(liveBytes(), bytes);
  pool_->trim(0);
}

TEST_F(PoolTest, AClosedPoolGivesBackWhatIsFreedLater) {
  pool();
  void* pointer = allocate(100);
  pool_->close();
  EXPECT_EQ(statistics().live_count, 1u);
  free(pointer);
  EXPECT_EQ(statistics().reserved_bytes, 0u);
}

TEST_F(PoolTest, AClosedPoolGivesBackWhatIsPendingOnceItHasPassed) {
  pool();
  void* pointer = allocate(100);
  Ref<backend::Point> gate = block(*stream_);
  free(pointer);
  pool_->close();
  EXPECT_GT(statistics().reserved_bytes, 0u);
  gate->complete(Status(), 0);
  ASSERT_TRUE(stream_->wait(stream_->submitted(), Deadline::never()));
  while (statistics().reserved_bytes != 0) std::this_thread::yield();
}

// As caches of keys and values do: no old region has room for the next block.
TEST_F(PoolTest, RegionsThatBlocksHaveOutgrownGoBackWhenAnotherIsNeeded) {
  pool();
  constexpr int kCaches = 8;
  void* caches[kCaches] = {};
  for (uint64_t size = 2 << 20; size < 24 << 20; size += size / 3) {
    for (void*& cache : caches) {
      void* longer = allocate(size, kAlignment, stream_.get());
      if (cache != nullptr) free(cache, stream_);
      cache = longer;
    }
  }
  const rtMemPoolStats_t stats = statistics();
  EXPECT_LE(stats.peak_reserved_bytes, stats.peak_live_bytes + stats.peak_live_bytes / 4);
  for (void* cache : caches) free(cache, stream_);
}

// Temporary memory of an iteration: one block after the other, of sizes that do not fit each other.
TEST_F(PoolTest, SizesThatComeInTurnAreKeptAfterAFewRounds) {
  pool();
  const auto round = [&] {
    for (uint64_t size = 2 << 20; size < uint64_t{200} << 20; size *= 2) free(allocate(size), stream_);
  };
  for (int i = 0; i < 6; ++i) round();
  const uint64_t before = statistics().driver_allocation_count;
  for (int i = 0; i < 20; ++i) round();
  EXPECT_EQ(statistics().driver_allocation_count, before);
}

TEST_F(PoolTest, OutgrownRegionsThatAStreamStillUsesStay) {
  pool();
  const Ref<backend::Point> point = block(*stream_);
  free(allocate((8 << 20) - kRedZone, kAlignment, stream_.get()), stream_);
  void* other = allocate((16 << 20) - kRedZone, kAlignment, other_.get());
  EXPECT_EQ(statistics().reserved_bytes, uint64_t{24} << 20) << "the first one is pending";
  point->complete(Status(), 0);
  ASSERT_TRUE(stream_->wait(stream_->submitted(), Deadline::never()));
  void* third = allocate((32 << 20) - kRedZone, kAlignment, other_.get());
  EXPECT_EQ(statistics().reserved_bytes, uint64_t{48} << 20);
  free(other, other_);
  free(third, other_);
}

TEST_F(PoolTest, AClassBeginsWithASmallSlabWhereTheDriverHasSmallPieces) {
  pool();
  ASSERT_TRUE(device_.limits().reaches_host);
  std::vector<void*> blocks;
  for (const uint64_t size : {256, 1024, 5000}) blocks.push_back(allocate(size));
  EXPECT_LE(statistics().reserved_bytes, uint64_t{3} * 64 << 10);
  while (statistics().live_bytes < 4 * kSlabBytes) blocks.push_back(allocate(5000));
  EXPECT_LE(statistics().reserved_bytes, statistics().live_bytes + kSlabBytes + (uint64_t{4} << 20) / 3);
  EXPECT_LE(statistics().driver_allocation_count, 20u);
  for (void* each : blocks) free(each);
  pool_->trim(0);
  EXPECT_EQ(statistics().reserved_bytes, 0u);
  void* again = allocate(5000);
  EXPECT_LE(statistics().reserved_bytes, uint64_t{64} << 10) << "what went back does not count";
  free(again);
}

// As of a program that makes and frees memory while its device is always at work.
TEST_F(PoolTest, BlocksThatHavePassedAreFoundAfterAnyNumberThatHaveNot) {
  constexpr int kInUse = 40;
  pool();
  for (int round = 0; round < 50; ++round) {
    const Ref<backend::Point> point = block(*stream_);
    for (int i = 0; i < kInUse; ++i) free(allocate(300'000));
    point->complete(Status(), 0);
    ASSERT_TRUE(stream_->wait(stream_->submitted(), Deadline::never()));
  }
  EXPECT_LE(statistics().peak_reserved_bytes, uint64_t{2} * kInUse * 320 << 10);
}

// A region that one thread has just got from the driver is in the pool's list before the thread hands it out.
TEST_F(PoolTest, LargeBlocksOfThreadsThatGrowAtOnceAreDisjoint) {
  constexpr int kThreads = 4, kRounds = rttest::repeats(6000);
  pool();
  std::atomic<int> arrived{0};
  void* blocks[kThreads] = {};
  std::atomic<int> doubles{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const auto meet = [&](int times) {
        arrived.fetch_add(1);
        while (arrived.load() < times * kThreads) std::this_thread::yield();
      };
      for (int round = 0; round < kRounds; ++round) {
        meet(4 * round + 1);
        blocks[i] = allocate(2 << 20);
        meet(4 * round + 2);
        for (int k = 0; k < i; ++k) doubles.fetch_add(blocks[k] == blocks[i] ? 1 : 0);
        meet(4 * round + 3);
        if (doubles.load() == 0) free(blocks[i]);
        meet(4 * round + 4);
        if (doubles.load() != 0) return;
        if (i == 0) pool_->trim(0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(doubles.load(), 0);
}

TEST_F(PoolTest, RegionsThatShareAGranuleAreToldApart) {
  alignas(4096) static char memory[3 * 4096];
  std::vector<Region*> regions;
  for (int i = 0; i < 3; ++i) {
    backend::Memory range;
    range.address = memory + i * 4096;
    range.size = 4096;
    range.kind = RT_MEMORY_HOST;
    regions.push_back(new Region(owner_, nullptr, Region::Kind::kRegistered, range, 4096));
    ASSERT_TRUE(address_map::insert(regions.back()).ok());
  }
  epoch::Guard guard;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(address_map::find(memory + i * 4096 + 17), regions[static_cast<size_t>(i)]);
  EXPECT_TRUE(address_map::overlaps(memory + 8191, 2));
  address_map::remove(regions[1]);
  EXPECT_EQ(address_map::find(memory + 4096), nullptr);
  EXPECT_EQ(address_map::find(memory + 4095), regions[0]);
  EXPECT_EQ(address_map::find(memory + 8192), regions[2]);
  EXPECT_FALSE(address_map::overlaps(memory + 4096, 4096));
  address_map::remove(regions[0]);
  address_map::remove(regions[2]);
  EXPECT_EQ(address_map::find(memory), nullptr);
  guard.leave();
  for (Region* region : regions) delete region;
  guard.enter();
}

// A stream of another context that calls into the pool when it goes, as the code of a module does that is unloaded with it.
class ForeignStream final : public backend::Stream {
 public:
  explicit ForeignStream(std::function<void()> at_end) : at_end_(std::move(at_end)) {}
  ~ForeignStream() override { at_end_(); }
  void complete() { completed_.store(1); }

  Status launch(backend::Kernel&, const backend::Launch&) override { return Status(); }
  Status copy(const backend::Copy&) override { return Status(); }
  Status fill(const backend::Fill&) override { return Status(); }
  Status prefetch(const void*, uint64_t, bool) override { return Status(); }
  Status record(Ref<backend::Point>) override { return Status(); }
  Status wait(Ref<backend::Point>, backend::Skip) override { return Status(); }
  Status call(Task* task, backend::TaskKind) override {
    delete task;
    return Status();
  }
  bool copyNow(const backend::Copy&) override { return false; }
  bool copyAndRead(const backend::Copy&, Status*) override { return false; }
  uint64_t submitted() const override { return 1; }
  uint64_t completed() override { return completed_.load(); }
  bool wait(uint64_t, Deadline) override { return true; }
  bool isInsideTask() const override { return false; }
  void native(uint64_t out[2]) override { out[0] = out[1] = 0; }

 private:
  const std::function<void()> at_end_;
  std::atomic<uint64_t> completed_{0};
};

class StampTest : public PoolTest {
 protected:
  void TearDown() override {
    for (std::thread& thread : locked_out_) thread.join();
    EXPECT_EQ(ended_.load(), made_) << "a stream is still held";
    PoolTest::TearDown();
  }
  // A block that `count` foreign streams use. Its look at the end of a stream is that of another thread, which is not let in
  // where a lock is held.
  void* allocateUsed(uint64_t size, int count) {
    void* pointer = allocate(size);
    epoch::Guard guard;
    Region& region = *address_map::locate(pointer).region;
    for (int i = 0; i < count; ++i) {
      auto look = [this, &region] {  // may run on the thread of another look
        auto looked = std::make_shared<std::promise<void>>();
        std::thread looking([this, &region, looked] {
          (void)statistics();
          region.usesPending();
          looked->set_value();
        });
        const bool let_in = looked->get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready;
        EXPECT_TRUE(let_in) << "a stream went under a lock";
        ended_.fetch_add(1);
        if (let_in) {
          looking.join();
        } else {
          std::lock_guard lock(mutex_);
          locked_out_.push_back(std::move(looking));
        }
      };
      streams_.push_back(Ref<ForeignStream>::adopt(new ForeignStream(look)));
      region.noteUse(streams_.back(), 1);
      ++made_;
    }
    return pointer;
  }
  // Frees it while they are busy, so that it has their stamps, which alone hold them in the end.
  void freeUsed(void* pointer) {
    Region& region = *address_map::locate(pointer).region;
    free(pointer);
    for (const Ref<ForeignStream>& stream : streams_) stream->complete();
    std::vector<Stamp> none;
    region.pendingUses(&none);
    EXPECT_TRUE(none.empty());
    streams_.clear();
    EXPECT_EQ(ended_.load(), 0);
  }

  std::vector<Ref<ForeignStream>> streams_;
  std::mutex mutex_;
  std::vector<std::thread> locked_out_;
  std::atomic<int> ended_{0};
  int made_ = 0;
};

TEST_F(StampTest, AStreamGoesAfterTheLockOfAnAllocation) {
  pool();
  freeUsed(allocateUsed(1000, 1));
  free(allocate(1000));
  pool_->trim(0);
}

TEST_F(StampTest, AStreamGoesAfterTheLockOfALargeAllocation) {
  pool();
  freeUsed(allocateUsed(3'000'000, 1));
  free(allocate(3'000'000));
  pool_->trim(0);
}

TEST_F(StampTest, StreamsGoAfterTheLockOfATrim) {
  pool();
  freeUsed(allocateUsed(1000, 30));
  pool_->trim(0);
  EXPECT_EQ(ended_.load(), 30);
  EXPECT_EQ(statistics().reserved_bytes, 0u);
}

TEST_F(StampTest, StreamsGoAfterTheLockOfARegion) {
  pool();
  void* pointer = allocateUsed(1000, 2);
  for (const Ref<ForeignStream>& stream : streams_) stream->complete();
  streams_.clear();
  free(pointer);
  EXPECT_EQ(ended_.load(), 2);
  pool_->trim(0);
}

// More streams go with a block than one section under the lock has room for.
TEST_F(StampTest, ABlockOfManyStreamsIsHandedOutInTheEnd) {
  pool();
  void* pointer = allocateUsed(1000, 30);
  freeUsed(pointer);
  std::vector<void*> others;
  for (int round = 0; round < 4; ++round) others.push_back(allocate(1000));
  EXPECT_EQ(std::count(others.begin(), others.end(), pointer), 1);
  for (void* other : others) free(other);
  pool_->trim(0);
}

}  // namespace
}  // namespace manyrt::allocator
