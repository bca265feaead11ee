// Pools: creation, allocation in a stream's order, statistics, limits, trim and threshold, the out-of-memory callback.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "support/device_test.h"
#include "support/json.h"

namespace rttest {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

class PoolTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(rtMemPoolCreate(pool_.out(), nullptr, context_));
  }
  void TearDown() override {
    EXPECT_RT_OK(pool_.reset());
    DeviceTest::TearDown();
  }
  rtMemPoolStats_t stats() const {
    rtMemPoolStats_t now = RT_MEM_POOL_STATS_INIT;
    EXPECT_RT_OK(rtMemPoolGetStats(&now, pool_));
    return now;
  }
  rtStatus_t allocate(Memory* memory, size_t size) { return rtMallocFromPool(memory->out(), size, 0, stream_, pool_); }
  // Allocates pieces until the pool refuses; the status of the refusal.
  rtStatus_t exhaust(std::vector<Memory>* memories, size_t piece, size_t most) {
    for (size_t i = 0; i < most; ++i) {
      Memory memory;
      const rtStatus_t status = allocate(&memory, piece);
      if (status != RT_SUCCESS) return status;
      memories->push_back(std::move(memory));
    }
    return RT_SUCCESS;
  }
  Pool pool_;
};
INSTANTIATE_TEST_SUITE_P(, PoolTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(PoolTest, OptionsFollowTheRulesOfStructs) {
  checkOptions<rtMemPoolOptions_t>(RT_MEM_POOL_OPTIONS_INIT, [&](const rtMemPoolOptions_t* options) {
    rtMemPool_t pool = nullptr;
    const rtStatus_t status = rtMemPoolCreate(&pool, options, context_);
    EXPECT_EQ(pool == nullptr, status < 0);
    (void)rtMemPoolDestroy(pool);
    return status;
  });
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  rtMemPool_t pool = garbage<rtMemPool_t>();
  options.kind = RT_MEMORY_SHARED + 1;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemPoolCreate(&pool, &options, context_));
  EXPECT_EQ(pool, nullptr);
  options.kind = RT_MEMORY_DEVICE;
  options.initial_bytes = 2 * kMiB;
  options.maximum_bytes = kMiB;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemPoolCreate(&pool, &options, context_)) << "more at once than ever";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemPoolCreate(nullptr, nullptr, context_));
}

TEST_P(PoolTest, EveryKindGivesItsMemory) {
  const std::pair<int32_t, int32_t> kinds[] = {
      {RT_MEMORY_DEVICE, RT_POINTER_DEVICE}, {RT_MEMORY_HOST, RT_POINTER_HOST}, {RT_MEMORY_SHARED, RT_POINTER_SHARED}};
  for (const auto& [kind, pointer_kind] : kinds) {
    rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
    options.kind = kind;
    Pool pool;
    if (kind == RT_MEMORY_SHARED && !has(RT_CAPABILITY_SHARED_MEMORY)) {
      EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtMemPoolCreate(pool.out(), &options, context_));
      continue;
    }
    ASSERT_RT_OK(rtMemPoolCreate(pool.out(), &options, context_));
    Memory memory;
    rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
    ASSERT_RT_OK(rtMallocFromPool(memory.out(), 100, 0, stream_, pool));
    ASSERT_RT_OK(rtPointerGetAttributes(&attributes, memory.as(50)));
    EXPECT_EQ(attributes.kind, pointer_kind);
    if (kind != RT_MEMORY_DEVICE) {
      EXPECT_RT(RT_ERROR_INVALID_VALUE, rtContextSetDefaultPool(pool, context_)) << "not a pool of device memory";
    }
  }
}

TEST_P(PoolTest, MallocFromPoolHonoursAlignmentAndChecksIts) {
  for (size_t alignment : {0, 1, 256, 4096, 65536}) {
    Memory memory;
    ASSERT_RT_OK(rtMallocFromPool(memory.out(), 100, alignment, stream_, pool_));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.get()) % (alignment == 0 ? 256 : alignment), 0u) << alignment;
    ASSERT_RT_OK(rtMemsetAsync(memory, 1, 100, stream_));
  }
  void* pointer = garbage<void*>();
  ASSERT_RT_OK(rtMallocFromPool(&pointer, 0, 0, stream_, pool_));
  EXPECT_EQ(pointer, nullptr);
  for (size_t alignment : {size_t{3}, size_t{257}, SIZE_MAX}) {
    pointer = garbage<void*>();
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMallocFromPool(&pointer, 100, alignment, stream_, pool_));
    EXPECT_EQ(pointer, nullptr);
  }
  pointer = garbage<void*>();
  EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtMallocFromPool(&pointer, SIZE_MAX, 0, stream_, pool_));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtMallocFromPool(&pointer, 100, size_t{1} << 62, stream_, pool_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMallocFromPool(nullptr, 100, 0, stream_, pool_));
}

TEST_P(PoolTest, PoolAndStreamShareOneContext) {
  Context other;
  Stream stream;
  void* pointer = garbage<void*>();
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMallocFromPool(&pointer, 100, 0, stream, pool_));
  EXPECT_EQ(pointer, nullptr);
}

TEST_P(PoolTest, StatsCountTheBytesAskedFor) {
  Memory a;
  Memory b;
  ASSERT_RT_OK(allocate(&a, 1000));
  ASSERT_RT_OK(allocate(&b, 77));
  rtMemPoolStats_t now = stats();
  EXPECT_EQ(now.live_bytes, 1077u);
  EXPECT_EQ(now.live_count, 2u);
  EXPECT_GE(now.reserved_bytes, 1077u);
  EXPECT_EQ(now.peak_live_bytes, 1077u);
  EXPECT_GE(now.peak_reserved_bytes, now.reserved_bytes);
  EXPECT_EQ(now.allocation_count, 2u);
  EXPECT_EQ(now.free_count, 0u);
  EXPECT_GE(now.driver_allocation_count, 1u);
  EXPECT_EQ(now.reserved, 0u);
  ASSERT_RT_OK(b.reset());
  now = stats();
  EXPECT_EQ(now.live_bytes, 1000u);
  EXPECT_EQ(now.live_count, 1u);
  EXPECT_EQ(now.free_count, 1u);
  EXPECT_EQ(now.peak_live_bytes, 1077u);
  ASSERT_RT_OK(rtMemPoolResetPeak(pool_));
  EXPECT_EQ(stats().peak_live_bytes, 1000u);
  checkResult<rtMemPoolStats_t>(RT_MEM_POOL_STATS_INIT, [&](rtMemPoolStats_t* out) { return rtMemPoolGetStats(out, pool_); });
}

TEST_P(PoolTest, FreedMemoryIsReused) {
  NEEDS_POOLS();
  ASSERT_RT_OK(rtMemPoolSetReleaseThreshold(UINT64_MAX, pool_));
  for (int i = 0; i < 20; ++i) {
    Memory memory;
    ASSERT_RT_OK(allocate(&memory, 10000));
  }
  EXPECT_GE(stats().reuse_count, 15u);
  EXPECT_LE(stats().driver_allocation_count, 5u);
}

TEST_P(PoolTest, MemoryThatWaitsForWorkIsPending) {
  Gate gate(context_);
  Memory memory;
  ASSERT_RT_OK(allocate(&memory, 5000));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtMemsetAsync(memory, 1, 5000, stream_));
  ASSERT_RT_OK(memory.reset());
  EXPECT_GE(stats().pending_bytes, 5000u);
  EXPECT_EQ(stats().live_bytes, 0u);
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  EXPECT_EQ(stats().pending_bytes, 0u);
}

TEST_P(PoolTest, TrimGivesUnusedMemoryBack) {
  NEEDS_POOLS();
  ASSERT_RT_OK(rtMemPoolSetReleaseThreshold(UINT64_MAX, pool_));
  std::vector<Memory> memories;
  ASSERT_RT_OK(exhaust(&memories, kMiB, 16));
  EXPECT_GE(stats().reserved_bytes, 16 * kMiB);
  memories.resize(8);
  ASSERT_RT_OK(rtContextSynchronize(context_));
  EXPECT_GE(stats().reserved_bytes, 16 * kMiB) << "below the threshold nothing goes back by itself";
  memories.clear();
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  EXPECT_EQ(stats().reserved_bytes, 0u);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPoolTrim(0, garbage<rtMemPool_t>()));
}

TEST_P(PoolTest, AboveTheReleaseThresholdMemoryGoesBackWhenStreamsAreSynchronised) {
  std::vector<Memory> memories;
  ASSERT_RT_OK(exhaust(&memories, kMiB, 16));
  memories.clear();
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(stats().reserved_bytes, 0u) << "the threshold is 0 by default";
}

TEST_P(PoolTest, InitialBytesAreReservedAtOnce) {
  NEEDS_POOLS();
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  options.initial_bytes = 8 * kMiB;
  options.release_threshold = UINT64_MAX;
  ASSERT_RT_OK(rtMemPoolCreate(pool_.out(), &options, context_));
  EXPECT_GE(stats().reserved_bytes, 8 * kMiB);
}

TEST_P(PoolTest, TheLimitIsHard) {
  ASSERT_RT_OK(rtMemPoolSetLimit(8 * kMiB, pool_));
  std::vector<Memory> memories;
  EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, exhaust(&memories, kMiB, 16));
  EXPECT_GE(memories.size(), 4u);
  EXPECT_LE(memories.size(), 8u);
  EXPECT_LE(stats().peak_reserved_bytes, 8 * kMiB);
  memories.pop_back();
  Memory memory;
  EXPECT_RT_OK(allocate(&memory, kMiB)) << "what was freed may be had again";
  ASSERT_RT_OK(rtMemPoolSetLimit(0, pool_));
  EXPECT_RT_OK(exhaust(&memories, kMiB, 8)) << "0: none";
  ASSERT_RT_OK(rtMemPoolSetLimit(kMiB, pool_)) << "below what is taken only further memory is refused";
  EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, exhaust(&memories, kMiB, 1));
}

TEST_P(PoolTest, MaximumBytesIsTheLimitFromTheStart) {
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  options.maximum_bytes = 4 * kMiB;
  ASSERT_RT_OK(rtMemPoolCreate(pool_.out(), &options, context_));
  void* pointer = garbage<void*>();
  EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtMallocFromPool(&pointer, 5 * kMiB, 0, stream_, pool_));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_NE(lastMessage().find(std::to_string(5 * kMiB)), std::string::npos) << lastMessage();
  Memory memory;
  EXPECT_RT_OK(allocate(&memory, 2 * kMiB));
}

struct Rescue {
  std::vector<Memory> memories;
  std::vector<uint64_t> sizes;
};

TEST_P(PoolTest, ALimitBelowTheSizeOfASlabLeavesThePoolUsable) {
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  options.maximum_bytes = 64 << 10;
  Pool pool;
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), &options, context_));
  Memory first, second;
  ASSERT_RT_OK(rtMallocFromPool(first.out(), 256, 0, stream_, pool));
  EXPECT_EQ(rtMallocFromPool(second.out(), 100 << 10, 0, stream_, pool), RT_ERROR_OUT_OF_MEMORY);
}

TEST_P(PoolTest, TheOutOfMemoryCallbackMayFreeSomethingAndAskForAnotherTry) {
  ASSERT_RT_OK(rtMemPoolSetLimit(8 * kMiB, pool_));
  Rescue rescue;
  ASSERT_RT(RT_ERROR_OUT_OF_MEMORY, exhaust(&rescue.memories, kMiB, 16));
  ASSERT_RT_OK(rtMemPoolSetOutOfMemoryCallback(
      [](uint64_t size, void* user) -> int32_t {
        Rescue* all = static_cast<Rescue*>(user);
        all->sizes.push_back(size);
        if (all->memories.empty()) return 0;
        all->memories.clear();  // rt calls are legal inside
        return 1;
      },
      &rescue, pool_));
  Memory first;
  ASSERT_RT_OK(allocate(&first, 2 * kMiB));
  EXPECT_EQ(rescue.sizes, std::vector<uint64_t>{2 * kMiB});
  Memory second;
  EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, allocate(&second, 20 * kMiB));
  EXPECT_EQ(rescue.sizes.size(), 2u) << "0: no further try";
  ASSERT_RT_OK(rtMemPoolSetOutOfMemoryCallback(nullptr, nullptr, pool_));
  EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, allocate(&second, 20 * kMiB));
  EXPECT_EQ(rescue.sizes.size(), 2u);
}

TEST_P(PoolTest, AnAllocationWaitsOnceForWorkThatHoldsFreedMemory) {
  ASSERT_RT_OK(rtMemPoolSetLimit(8 * kMiB, pool_));
  Gate gate(context_);
  Memory first, second;
  ASSERT_RT_OK(allocate(&first, 6 * kMiB));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtMemsetAsync(first, 1, 4096, stream_));
  ASSERT_RT_OK(rtFreeAsync(first.release(), stream_));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_RT_OK(gate.open());
  });
  Stream other;
  EXPECT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  EXPECT_RT_OK(rtMallocFromPool(second.out(), 6 * kMiB, 0, other, pool_));
  opener.join();
}

// It may end while the allocation looks for memory, at any point.
TEST_P(PoolTest, WorkThatEndsDuringAnAllocationGivesItsMemory) {
  ASSERT_RT_OK(rtMemPoolSetLimit(8 * kMiB, pool_));
  Stream other;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    Gate gate(context_);
    Memory first, second;
    ASSERT_RT_OK(allocate(&first, 6 * kMiB));
    ASSERT_RT_OK(gate.close(stream_));
    ASSERT_RT_OK(rtMemsetAsync(first, 1, 4096, stream_));
    ASSERT_RT_OK(rtFreeAsync(first.release(), stream_));
    std::atomic<bool> started{false};
    std::thread opener([&] {
      while (!started) {
      }
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(2 * round);
      while (std::chrono::steady_clock::now() < end) {
      }
      EXPECT_RT_OK(gate.open());
    });
    started = true;
    EXPECT_RT_OK(rtMallocFromPool(second.out(), 6 * kMiB, 0, other, pool_));
    opener.join();
    if (HasFailure()) break;
  }
}

TEST_P(PoolTest, WorkThatIsHeldBackDoesNotKeepAnAllocationForEver) {
  if (poolsAreOff()) GTEST_SKIP() << "a block that waits for work has memory of its own then";
  ASSERT_RT_OK(rtMemPoolSetLimit(8 * kMiB, pool_));
  Gate gate(context_);
  Memory first, second, third;
  ASSERT_RT_OK(allocate(&first, 6 * kMiB));
  ASSERT_RT_OK(allocate(&third, kMiB));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtMemsetAsync(first, 1, 4096, stream_));
  ASSERT_RT_OK(rtFreeAsync(first.release(), stream_));
  Stream other;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtMallocFromPool(second.out(), 6 * kMiB, 0, other, pool_));
  for (const char* figure : {"6291456 bytes", "1048576 live", "6291456 freed and still in use", " cached; the device has "}) {
    EXPECT_NE(lastMessage().find(figure), std::string::npos) << figure << " in: " << lastMessage();
  }
  ASSERT_RT_OK(gate.open());
  EXPECT_RT_OK(rtMallocFromPool(second.out(), 6 * kMiB, 0, other, pool_));
}

TEST_P(PoolTest, AHostFunctionThatFindsNoMemoryWaitsForNothing) {
  ASSERT_RT_OK(rtMemPoolSetLimit(8 * kMiB, pool_));
  Memory first;
  ASSERT_RT_OK(allocate(&first, 6 * kMiB));
  struct Seen {
    rtMemPool_t pool;
    rtStream_t stream;
    void* freed;
    rtStatus_t status = RT_SUCCESS;
  } seen{pool_, stream_, first.release()};
  const auto inside = [](void* user, rtStatus_t) {
    Seen& all = *static_cast<Seen*>(user);
    EXPECT_RT_OK(rtFreeAsync(all.freed, all.stream));  // after this very function
    void* pointer = nullptr;
    all.status = rtMallocFromPool(&pointer, 6 * kMiB, 0, nullptr, all.pool);
  };
  ASSERT_RT_OK(rtLaunchHostFunction(inside, &seen, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen.status, RT_ERROR_OUT_OF_MEMORY);
}

TEST_P(PoolTest, TheOutOfMemoryCallbackCannotEndTheLibrary) {
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  options.maximum_bytes = 1 << 20;
  Pool pool;
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), &options, context_));
  static std::atomic<rtStatus_t> inside;
  inside = RT_SUCCESS;
  auto callback = [](uint64_t, void*) -> int32_t {
    inside = rtShutdown();
    return 0;
  };
  ASSERT_RT_OK(rtMemPoolSetOutOfMemoryCallback(callback, nullptr, pool));
  void* pointer = nullptr;
  EXPECT_EQ(rtMallocFromPool(&pointer, 2 << 20, 0, stream_, pool), RT_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(inside.load(), RT_ERROR_BUSY);
}

TEST_P(PoolTest, AllocationsOutliveTheirPool) {
  Memory memory;
  ASSERT_RT_OK(allocate(&memory, 5000));
  ASSERT_RT_OK(pool_.reset());
  ASSERT_RT_OK(rtMemset(memory, 1, 5000));
  rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
  ASSERT_RT_OK(rtPointerGetAttributes(&attributes, memory.as(4999)));
  EXPECT_EQ(attributes.size, 5000u);
  EXPECT_RT_OK(memory.reset());
}

TEST_P(PoolTest, DumpJsonIsValidJsonAndFollowsTheRulesOfTexts) {
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  std::snprintf(options.label, sizeof options.label, "quote \" backslash \\ tab \t end");
  ASSERT_RT_OK(rtMemPoolCreate(pool_.out(), &options, context_));
  EXPECT_TRUE(isJson(checkText([&](char* buffer, size_t size, size_t* needed) {
    return rtMemPoolDumpJson(buffer, size, needed, pool_);
  }))) << "an empty pool";
  std::vector<Memory> memories;
  for (size_t size : {10, 1000, 100000}) {
    memories.emplace_back();
    ASSERT_RT_OK(allocate(&memories.back(), size));
  }
  memories.pop_back();
  const std::string text =
      checkText([&](char* buffer, size_t size, size_t* needed) { return rtMemPoolDumpJson(buffer, size, needed, pool_); });
  EXPECT_TRUE(isJson(text)) << text;
}

TEST_P(PoolTest, PinnedAllocationsStayAtAnAddressOfTheirOwn) {
  EXPECT_RT_OK(rtMemPoolSetPinMode(1, pool_));
  std::vector<Memory> memories;
  ASSERT_RT_OK(exhaust(&memories, 1000, 10));
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  for (Memory& memory : memories) EXPECT_RT_OK(rtMemsetAsync(memory, 1, 1000, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_RT_OK(rtMemPoolSetPinMode(0, pool_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemPoolSetPinMode(2, pool_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemPoolSetPinMode(-1, pool_));
}

TEST_P(PoolTest, WithoutPoolsEachAllocationIsOneOfTheDriver) {
  if (!poolsAreOff()) GTEST_SKIP() << "the entry conformance.pool_off runs it";
  ASSERT_RT_OK(rtMemPoolSetReleaseThreshold(UINT64_MAX, pool_));
  for (size_t size : {size_t{10}, size_t{5000}, size_t{3} << 20}) {
    const rtMemPoolStats_t before = stats();
    Memory memory;
    ASSERT_RT_OK(allocate(&memory, size));
    EXPECT_EQ(stats().driver_allocation_count, before.driver_allocation_count + 1);
    EXPECT_EQ(stats().reserved_bytes, size) << "not a byte more";
    ASSERT_RT_OK(memory.reset());
    EXPECT_EQ(stats().reserved_bytes, 0u);
  }
  EXPECT_EQ(stats().reuse_count, 0u);
  Gate gate(context_);
  Memory memory;
  ASSERT_RT_OK(allocate(&memory, 5000));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtMemsetAsync(memory, 1, 5000, stream_));
  ASSERT_RT_OK(memory.reset());
  EXPECT_EQ(stats().reserved_bytes, 5000u) << "while work may use it";
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  while (stats().reserved_bytes != 0) std::this_thread::yield();  // it goes back by itself
}

TEST_P(PoolTest, HandlesOfOtherKindsAreRefused) {
  const auto wrong = reinterpret_cast<rtMemPool_t>(stream_.get());
  for (rtMemPool_t pool : {static_cast<rtMemPool_t>(nullptr), wrong, garbage<rtMemPool_t>()}) {
    rtMemPoolStats_t now = RT_MEM_POOL_STATS_INIT;
    void* pointer = garbage<void*>();
    size_t needed = 7;
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMallocFromPool(&pointer, 100, 0, stream_, pool));
    EXPECT_EQ(pointer, nullptr);
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPoolGetStats(&now, pool));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPoolDumpJson(nullptr, 0, &needed, pool));
    EXPECT_EQ(needed, 0u);
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPoolSetLimit(0, pool));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPoolSetReleaseThreshold(0, pool));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPoolResetPeak(pool));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPoolSetPinMode(1, pool));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPoolSetOutOfMemoryCallback(nullptr, nullptr, pool));
  }
  const rtMemPool_t stale = pool_;
  ASSERT_RT_OK(pool_.reset());
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPoolTrim(0, stale));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPoolDestroy(stale));
}

}  // namespace
}  // namespace rttest
