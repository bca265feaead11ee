// Large blocks of the CPU, which are cut from ranges of addresses whose pages come and go.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "allocator/address_map.h"
#include "allocator/context_resources.h"
#include "allocator/pool.h"
#include "allocator/pool_fast.h"
#include "backends/cpu/cpu.h"
#include "base/fault.h"
#include "base/handles/epoch.h"

namespace manyrt::allocator {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kUnit = RangeBlocks::kUnit;
constexpr uint64_t kPage = 4096;

class PoolRangesTest : public testing::Test {
 protected:
  void SetUp() override {
    backend::Device& device = *cpu::backend()->device(0);
    Ref<backend::Context> native;
    ASSERT_TRUE(device.createContext(&native, {}).ok());
    owner_ = Ref<ContextResources>::adopt(new ContextResources(native, device, nullptr, nullptr));
    ASSERT_TRUE(owner_->takeStream(&stream_, {}).ok());
    ASSERT_TRUE(owner_->takeStream(&other_, {}).ok());
    pool({});
  }
  void TearDown() override {
    pool_->trim(0);
    EXPECT_EQ(statistics().reserved_bytes, 0u);
    EXPECT_EQ(statistics().live_bytes, 0u);
    pool_ = nullptr;
    epoch::synchronize();
    epoch::collect();
  }
  void pool(PoolOptions options) {
    options.release_threshold = UINT64_MAX;
    pool_ = Ref<Pool>::adopt(new Pool(owner_, options));
  }
  rtMemPoolStats_t statistics() {
    rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
    pool_->statistics(&stats);
    return stats;
  }
  Status tryAllocate(void** pointer, uint64_t size, uint64_t alignment = kAlignment) {
    return pool_->allocate(pointer, size, alignment, nullptr);
  }
  void* allocate(uint64_t size, uint64_t alignment = kAlignment, backend::Stream* stream = nullptr) {
    void* pointer = nullptr;
    const Status status = pool_->allocate(&pointer, size, alignment, stream);
    EXPECT_TRUE(status.ok()) << status.message();
    return pointer;
  }
  void free(void* pointer, backend::Stream* stream = nullptr) {
    epoch::Guard guard;
    const address_map::Allocation allocation = address_map::locate(pointer);
    ASSERT_TRUE(allocation);
    EXPECT_EQ(pool_->release(*allocation.region, *allocation.block, stream), Pool::Freed::kYes);
  }
  Ref<backend::Point> holdBack(backend::Stream& stream) {
    Ref<backend::Point> point;
    EXPECT_TRUE(owner_->native().createPoint(&point, false).ok());
    EXPECT_TRUE(stream.wait(point).ok());
    return point;
  }
  static address_map::Allocation find(const void* pointer, uint64_t offset = 0) {
    return address_map::locate(static_cast<const unsigned char*>(pointer) + offset);
  }

  Ref<ContextResources> owner_;
  Ref<backend::Stream> stream_, other_;
  Ref<Pool> pool_;
};

TEST_F(PoolRangesTest, FreedNeighboursServeALargerBlock) {
  void* one = allocate(kMiB - kPage);
  void* two = allocate(kMiB - kPage);
  const rtMemPoolStats_t before = statistics();
  EXPECT_EQ(before.reserved_bytes, 2 * kMiB);
  free(one);
  free(two);
  void* both = allocate(2 * kMiB - kPage);
  EXPECT_EQ(statistics().driver_allocation_count, before.driver_allocation_count);
  EXPECT_EQ(statistics().reserved_bytes, 2 * kMiB);
  free(both);
}

// As caches of keys and values do.
TEST_F(PoolRangesTest, BlocksThatGrowLeaveLittleBehind) {
  constexpr int kCaches = 8;
  void* caches[kCaches] = {};
  for (uint64_t size = kMiB; size < 24 * kMiB; size += size / 7) {
    for (void*& cache : caches) {
      void* longer = allocate(size, kAlignment, stream_.get());
      if (cache != nullptr) free(cache, stream_.get());
      cache = longer;
    }
  }
  const rtMemPoolStats_t stats = statistics();
  EXPECT_LE(stats.peak_reserved_bytes, stats.peak_live_bytes + stats.peak_live_bytes / 10);
  for (void* cache : caches) free(cache, stream_.get());
}

// After a step of training, say: much is free, in many parts, and what comes next fits none of them.
TEST_F(PoolRangesTest, ABlockTakesItsMemoryFromManySmallParts) {
  std::vector<void*> blocks;
  for (int i = 0; i < 400; ++i) blocks.push_back(allocate(kMiB - kPage));
  for (size_t i = 0; i < blocks.size(); i += 2) free(blocks[i]);
  const uint64_t before = statistics().reserved_bytes;
  void* large = allocate(150 * kMiB);
  EXPECT_LE(statistics().peak_reserved_bytes, before + kMiB);
  for (size_t i = 1; i < blocks.size(); i += 2) free(blocks[i]);
  free(large);
}

TEST_F(PoolRangesTest, SizesThatComeInTurnTakeNothingOfTheDriverAfterOneRound) {
  const auto round = [&] {
    for (uint64_t size = kMiB; size < 200 * kMiB; size *= 3) free(allocate(size));
  };
  round();
  const uint64_t before = statistics().driver_allocation_count;
  for (int i = 0; i < 20; ++i) round();
  EXPECT_EQ(statistics().driver_allocation_count, before);
}

TEST_F(PoolRangesTest, EveryAddressFindsTheBlockThatHasItNow) {
  void* large = allocate(20 * kMiB + 1);
  for (uint64_t offset = 0; offset <= 20 * kMiB; offset += kUnit / 2) {
    ASSERT_TRUE(find(large, offset));
    EXPECT_EQ(find(large, offset).base, reinterpret_cast<uintptr_t>(large));
  }
  EXPECT_FALSE(find(large, 20 * kMiB + 1)) << "after what was asked for";
  free(large);
  for (uint64_t offset = 0; offset <= 20 * kMiB; offset += kUnit) EXPECT_FALSE(find(large, offset));
  std::vector<void*> small;
  for (int i = 0; i < 30; ++i) small.push_back(allocate(600'000));
  {
    // A block begins where the large one did, and does not have what lies after it.
    epoch::Guard guard;
    ASSERT_EQ(reinterpret_cast<uintptr_t>(small[0]) / kUnit, reinterpret_cast<uintptr_t>(large) / kUnit);
    Region& region = *find(small[0]).region;
    EXPECT_EQ(region.blockAt(reinterpret_cast<uintptr_t>(large) + 310 * kUnit), nullptr);
  }
  for (size_t i = 1; i < small.size(); i += 2) free(small[i]);
  for (size_t i = 0; i < small.size(); ++i) {
    for (uint64_t offset = 0; offset < 600'000; offset += 10'000) {
      const address_map::Allocation found = find(small[i], offset);
      ASSERT_EQ(static_cast<bool>(found), i % 2 == 0) << "block " << i << ", offset " << offset;
      if (found) {
        EXPECT_EQ(found.base, reinterpret_cast<uintptr_t>(small[i]));
        EXPECT_EQ(found.size, 600'000u);
      }
    }
  }
  for (size_t i = 0; i < small.size(); i += 2) free(small[i]);
}

TEST_F(PoolRangesTest, AFreeInAStreamsOrderServesThatStreamAtOnceAndOthersLater) {
  const Ref<backend::Point> point = holdBack(*stream_);
  void* block = allocate(kMiB, kAlignment, stream_.get());
  free(block, stream_.get());
  EXPECT_EQ(statistics().pending_bytes, kMiB);
  void* others = allocate(kMiB, kAlignment, other_.get());
  EXPECT_NE(others, block);
  void* again = allocate(kMiB, kAlignment, stream_.get());
  EXPECT_EQ(again, block);
  free(again, stream_.get());
  point->complete(Status(), 0);
  ASSERT_TRUE(stream_->wait(stream_->submitted(), Deadline::never()));
  void* at_last = allocate(kMiB, kAlignment, other_.get());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(at_last) / kUnit, reinterpret_cast<uintptr_t>(block) / kUnit);
  free(at_last, other_.get());
  free(others, other_.get());
}

TEST_F(PoolRangesTest, TheLimitCountsPagesAndSparesGoBeforeItIsReached) {
  PoolOptions options;
  options.maximum_bytes = 8 * kMiB;
  pool(options);
  void* one = allocate(3 * kMiB);
  void* two = allocate(3 * kMiB);
  free(one);
  void* three = allocate(4 * kMiB);  // beside `two`: the pages of `one` go
  EXPECT_LE(statistics().peak_reserved_bytes, 8 * kMiB);
  void* pointer = nullptr;
  const Status status = tryAllocate(&pointer, 2 * kMiB);
  EXPECT_EQ(status.code(), RT_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(std::string(status.message()).find("limit of 8388608 bytes"), std::string::npos) << status.message();
  std::vector<void*> small;
  while (tryAllocate(&pointer, 100'000).ok()) small.push_back(pointer);
  EXPECT_GE(small.size(), 5u) << "one MiB is left";
  EXPECT_LE(statistics().peak_reserved_bytes, 8 * kMiB);
  for (void* each : small) free(each);
  free(two);
  free(three);
}

TEST_F(PoolRangesTest, ALimitThatIsLoweredBelowASlabIsAnErrorAndNoEndlessSearch) {
  void* first = allocate(1000);
  pool_->setLimit(4096);
  std::vector<void*> small;
  void* pointer = nullptr;
  while (tryAllocate(&pointer, 1000).ok()) small.push_back(pointer);
  EXPECT_LE(small.size(), 4u);
  pool_->setLimit(0);
  small.push_back(allocate(1000));
  for (void* each : small) free(each);
  free(first);
}

TEST_F(PoolRangesTest, OnlyPagesThatBlocksHaveHadCountOfASlab) {
  void* block = allocate(256);
  EXPECT_LE(statistics().reserved_bytes, 64u << 10);
  EXPECT_GE(statistics().reserved_bytes, 4096u);
  free(block);
}

TEST_F(PoolRangesTest, WhatIsReservedAheadIsKept) {
  ASSERT_TRUE(pool_->reserve(64 * kMiB).ok());
  EXPECT_GE(statistics().reserved_bytes, 64 * kMiB);
  EXPECT_LE(statistics().reserved_bytes, 64 * kMiB + kUnit);
  const uint64_t before = statistics().driver_allocation_count;
  void* one = allocate(30 * kMiB);
  void* two = allocate(30 * kMiB);
  EXPECT_EQ(statistics().driver_allocation_count, before);
  free(one);
  void* more = allocate(40 * kMiB);  // which needs more, and takes nothing away
  EXPECT_GE(statistics().reserved_bytes, 70 * kMiB);
  free(two);
  free(more);
}

// So that a load does not wait for a store to another array whose address has the same last 12 bits.
TEST_F(PoolRangesTest, BlocksBeginAtDifferentPlacesOfAPage) {
  for (const uint64_t size : {64 * kMiB / 1024, 200 * kMiB / 1024, 600'000 + 0 * kMiB, 2 * kMiB, 16 * kMiB - 100}) {
    std::vector<void*> blocks;
    std::set<uint64_t> places;
    for (int i = 0; i < 16; ++i) {
      blocks.push_back(allocate(size));
      const auto address = reinterpret_cast<uintptr_t>(blocks.back());
      places.insert(address % kPage);
      EXPECT_EQ(address % kAlignment, 0u);
      EXPECT_EQ(find(blocks.back(), size - 1).base, address);
      const address_map::Allocation in_front = address_map::locate(reinterpret_cast<const void*>(address - 1));
      EXPECT_FALSE(in_front && in_front.base == address);
    }
    EXPECT_GE(places.size(), size < kMiB / 2 ? 8u : 16u) << size;  // a slab of 2 MiB begins at the first place
    const rtMemPoolStats_t before = statistics();
    for (int i = 0; i < 100; ++i) {  // a block finds the place of one as long, wherever both begin
      free(blocks[0]);
      blocks[0] = allocate(size);
      EXPECT_TRUE(find(blocks[0], size - 1));
    }
    EXPECT_EQ(statistics().driver_allocation_count, before.driver_allocation_count);
    EXPECT_EQ(statistics().reserved_bytes, before.reserved_bytes);
    for (void* block : blocks) free(block);
  }
}

TEST_F(PoolRangesTest, UnderALimitABlockIsNoLongerThanAskedFor) {
  PoolOptions options;
  options.maximum_bytes = 8 * kMiB;
  pool(options);
  void* half = allocate(4 * kMiB);
  void* other = allocate(4 * kMiB);
  free(half);
  free(other);
  free(allocate(8 * kMiB));
  pool_->trim(0);
  std::vector<void*> blocks;
  for (int i = 0; i < 64; ++i) blocks.push_back(allocate(kMiB / 8));
  EXPECT_EQ(statistics().reserved_bytes, 8 * kMiB);
  for (void* block : blocks) free(block);
}

// Blocks that are spread are further apart than a power of two.
TEST_F(PoolRangesTest, AlignedBlocksOfEverySizeAreAligned) {
  std::vector<void*> blocks;
  for (uint64_t size = 300; size < 3 * kMiB; size += size / 3) {
    for (uint64_t alignment = 2 * kAlignment; alignment <= 256 * kAlignment; alignment *= 2) {
      free(allocate(size));
      blocks.push_back(allocate(size, alignment));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks.back()) % alignment, 0u) << size << ", " << alignment;
      memset(blocks.back(), 1, size);
    }
  }
  for (void* block : blocks) free(block);
}

TEST_F(PoolRangesTest, LargeAlignmentsAreKept) {
  for (uint64_t alignment = kAlignment; alignment <= 16 * kMiB; alignment *= 4) {
    void* pad = allocate(700'000);
    void* block = allocate(700'000, alignment);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u) << alignment;
    free(pad);
    void* again = allocate(600'000, alignment);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(again) % alignment, 0u) << alignment;
    free(again);
    free(block);
  }
}

TEST_F(PoolRangesTest, ABlockOfMoreThanARangeHasARangeOfItsOwn) {
  void* small = allocate(kMiB);
  void* block = nullptr;
  const Status status = tryAllocate(&block, uint64_t{3} << 30);  // whose pages are not touched
  if (status.ok()) {
    EXPECT_EQ(find(block, (uint64_t{3} << 30) - 1).base, reinterpret_cast<uintptr_t>(block));
    free(block);
  } else {
    EXPECT_EQ(status.code(), RT_ERROR_OUT_OF_MEMORY) << "of a machine with less memory";
  }
  free(small);
}

TEST_F(PoolRangesTest, MoreThanAnyMachineHasIsAnError) {
  for (const uint64_t size : {uint64_t{1} << 44, uint64_t{1} << 47, uint64_t{1} << 60, UINT64_MAX}) {
    void* block = nullptr;
    const Status status = tryAllocate(&block, size);
    EXPECT_EQ(status.code(), RT_ERROR_OUT_OF_MEMORY) << size;
  }
  EXPECT_EQ(statistics().reserved_bytes, 0u);
}

TEST_F(PoolRangesTest, PagesThatCannotBeHadLeaveThePoolAsItWas) {
  void* one = allocate(kMiB);
  void* between = allocate(kMiB);
  free(one);
  const rtMemPoolStats_t before = statistics();
  for (uint64_t k = 1;; ++k) {
    void* block = nullptr;
    fault::arm(k, false);
    const Status status = tryAllocate(&block, 3 * kMiB);
    const uint64_t passed = fault::disarm();
    if (status.ok()) {
      free(block);
      if (passed < k) break;
      continue;  // there was another way
    }
    EXPECT_EQ(status.code(), RT_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(statistics().live_bytes, before.live_bytes);
    EXPECT_LE(statistics().reserved_bytes, before.reserved_bytes);
  }
  free(between);
}

TEST_F(PoolRangesTest, AClosedPoolGivesBackWhatIsFreedLater) {
  void* block = allocate(5 * kMiB);
  void* other = allocate(kMiB);
  pool_->close();
  free(block);
  EXPECT_EQ(statistics().reserved_bytes, kMiB + kUnit);
  free(other);
  EXPECT_EQ(statistics().reserved_bytes, 0u);
}

TEST_F(PoolRangesTest, BlocksOfThreadsAreDisjointAndKeepTheirBytes) {
  constexpr int kThreads = 4, kRounds = 400, kLive = 6;
  std::atomic<int> overwritten{0};
  const auto body = [&](int index) {
    std::mt19937_64 random(static_cast<uint64_t>(index));
    struct Live {
      unsigned char* bytes = nullptr;
      uint64_t size = 0;
    };
    Live live[kLive];
    for (int round = 0; round < kRounds; ++round) {
      Live& each = live[random() % kLive];
      const auto mark = static_cast<unsigned char>(index + 1);
      if (each.bytes != nullptr) {
        for (const uint64_t offset : {uint64_t{0}, each.size / 2, each.size - 1}) overwritten += each.bytes[offset] != mark;
        epoch::Guard guard;
        const address_map::Allocation found = find(each.bytes, each.size - 1);
        if (!found || found.base != reinterpret_cast<uintptr_t>(each.bytes)) {
          ++overwritten;
          return;
        }
        (void)pool_->release(*found.region, *found.block, index % 2 == 0 ? nullptr : stream_.get());
      }
      each.size = 500'000 + random() % (6 * kMiB);
      void* pointer = nullptr;
      if (!tryAllocate(&pointer, each.size).ok()) {
        ++overwritten;
        return;
      }
      each.bytes = static_cast<unsigned char*>(pointer);
      for (const uint64_t offset : {uint64_t{0}, each.size / 2, each.size - 1}) each.bytes[offset] = mark;
      if (round % 97 == 0) pool_->trim(0);
    }
    for (const Live& each : live) {
      if (each.bytes == nullptr) continue;
      epoch::Guard guard;
      const address_map::Allocation found = find(each.bytes);
      if (found) (void)pool_->release(*found.region, *found.block, nullptr);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(overwritten, 0);
}

}  // namespace
}  // namespace manyrt::allocator
