// Memory and work in flight: allocation in a stream's order, and frees that wait, without blocking, for every stream that
// may still use the block.
#include <atomic>
#include <vector>

#include "support/device_test.h"
#include "support/portable_kernels.h"

namespace rttest {
namespace {

class AsyncMemoryTest : public DeviceTest {
 protected:
  // Allocates until memory of that size would come from freed blocks if there were any; true if `block` came back.
  bool comesBack(void* block, size_t size) {
    std::vector<Memory> memories(32);
    for (Memory& memory : memories) {
      EXPECT_RT_OK(rtMalloc(memory.out(), size, context_));
      if (memory.get() == block) return true;
    }
    return false;
  }
};
INSTANTIATE_TEST_SUITE_P(, AsyncMemoryTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(AsyncMemoryTest, MallocAsyncIsUsableByLaterWorkOfTheStreamAtOnce) {
  Memory memory;
  ASSERT_RT_OK(rtMallocAsync(memory.out(), 1000, stream_));
  ASSERT_RT_OK(rtMemsetAsync(memory, 7, 1000, stream_));
  unsigned char byte = 0;
  ASSERT_RT_OK(rtMemcpyAsync(&byte, memory.as(999), 1, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(byte, 7);
  ASSERT_RT_OK(rtFreeAsync(memory.release(), stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(AsyncMemoryTest, FreeAsyncMemoryMayBeUsedAgainByTheSameStreamWithoutWaiting) {
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  const uint64_t before = liveHandles(RT_HANDLE_ALLOCATION);
  for (int i = 0; i < 100; ++i) {
    void* memory = nullptr;
    ASSERT_RT_OK(rtMallocAsync(&memory, 1 << 20, stream_));
    ASSERT_RT_OK(rtMemsetAsync(memory, i, 1 << 20, stream_));
    ASSERT_RT_OK(rtFreeAsync(memory, stream_));
  }
  EXPECT_EQ(liveHandles(RT_HANDLE_ALLOCATION), before);
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(AsyncMemoryTest, FreeAsyncTakesMemoryOfAnyAllocator) {
  Memory device;
  Memory host;
  ASSERT_RT_OK(rtMalloc(device.out(), 100, context_));
  ASSERT_RT_OK(rtMallocHost(host.out(), 100, context_));
  EXPECT_RT_OK(rtFreeAsync(device.release(), stream_));
  EXPECT_RT_OK(rtFreeAsync(host.release(), nullptr));
  void* async = nullptr;
  ASSERT_RT_OK(rtMallocAsync(&async, 100, stream_));
  EXPECT_RT_OK(rtFree(async));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(async));
}

TEST_P(AsyncMemoryTest, AFreedBlockIsNotReusedWhileAStreamOfTheOwnerIsBusy) {
  Gate gate(context_);
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 8192, context_));
  void* block = memory.get();
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtMemsetAsync(block, 1, 8192, stream_));
  ASSERT_RT_OK(memory.reset());  // returns at once
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(stream_));
  EXPECT_FALSE(comesBack(block, 8192));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(AsyncMemoryTest, AFreedBlockIsNotReusedWhileAStreamOfAnotherContextWasGivenIt) {
  Gate gate(context_);
  Context other;
  Stream stream;
  Memory memory;
  Memory foreign;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
  ASSERT_RT_OK(rtMalloc(foreign.out(), 8192, other));
  ASSERT_RT_OK(rtMalloc(memory.out(), 8192, context_));
  void* block = memory.get();
  ASSERT_RT_OK(gate.close(stream));
  ASSERT_RT_OK(rtMemcpyAsync(foreign, memory.as(100), 1000, RT_MEMCPY_DEFAULT, stream));
  ASSERT_RT_OK(memory.reset());
  EXPECT_FALSE(comesBack(block, 8192));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream));
}

TEST_P(AsyncMemoryTest, KernelsThatRunKeepFreedMemoryToThemselves) {
  NEEDS_KERNELS();
  constexpr uint32_t kCount = 100000;
  Gate gate(context_);
  PortableKernel iota;
  Memory result;
  ASSERT_RT_OK(iota.make(context_, "iota"));
  ASSERT_RT_OK(rtMallocHost(result.out(), kCount * 4, context_));
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), kCount * 4, context_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(launchOver(iota, stream_, kCount / 100, 100, memory.as<uint32_t>(), kCount, 5u));
  ASSERT_RT_OK(rtMemcpyAsync(result, memory, kCount * 4, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(memory.reset());
  std::vector<Memory> others(16);
  Stream second;
  ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, context_));
  for (Memory& other : others) {
    ASSERT_RT_OK(rtMalloc(other.out(), kCount * 4, context_));
    ASSERT_RT_OK(rtMemsetAsync(other, 0xFF, kCount * 4, second));
  }
  ASSERT_RT_OK(rtStreamSynchronize(second));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(result.as<uint32_t>()[i], i + 5);
}

// Some drivers read the source of a short copy when it is enqueued: then a kernel that writes it is not over yet.
TEST_P(AsyncMemoryTest, HostMemoryThatAKernelWritesIsCopiedAfterIt) {
  NEEDS_KERNELS();
  constexpr uint32_t kCount = 16000, kMore = 1 << 20;
  PortableKernel iota;
  Memory host, device, busy;
  ASSERT_RT_OK(iota.make(context_, "iota"));
  ASSERT_RT_OK(rtMallocHost(host.out(), kCount * 4, context_));
  ASSERT_RT_OK(rtMalloc(device.out(), kCount * 4, context_));
  ASSERT_RT_OK(rtMalloc(busy.out(), kMore * 4, context_));
  std::vector<uint32_t> result(kCount);
  for (uint32_t round = 1; round <= 20; ++round) {
    ASSERT_RT_OK(launchOver(iota, stream_, kMore / 128, 128, busy.as<uint32_t>(), kMore, round));  // takes a while
    ASSERT_RT_OK(launchOver(iota, stream_, kCount / 100, 100, host.as<uint32_t>(), kCount, round * 7));
    ASSERT_RT_OK(rtMemcpyAsync(device, host, kCount * 4, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtMemcpyAsync(result.data(), device, kCount * 4, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(result[i], i + round * 7) << "round " << round << ", number " << i;
  }
}

TEST_P(AsyncMemoryTest, FreedMemoryComesBackOnceTheWorkIsDone) {
  Memory memory;
  rtMemPool_t pool = nullptr;
  ASSERT_RT_OK(rtContextGetDefaultPool(&pool, context_));
  for (int i = 0; i < 100; ++i) {
    ASSERT_RT_OK(rtMalloc(memory.out(), 1 << 20, context_));
    ASSERT_RT_OK(rtMemsetAsync(memory, 1, 1 << 20, stream_));
    ASSERT_RT_OK(memory.reset());
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
  }
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  ASSERT_RT_OK(rtMemPoolGetStats(&stats, pool));
  EXPECT_EQ(stats.live_bytes, 0u);
  EXPECT_LE(stats.peak_reserved_bytes, uint64_t{32} << 20) << "100 blocks of 1 MiB, one after the other";
}

TEST_P(AsyncMemoryTest, HostMemoryFreedWhileACopyReadsItStaysUntilThen) {
  Gate gate(context_);
  Memory device;
  Memory host;
  ASSERT_RT_OK(rtMalloc(device.out(), 4096, context_));
  ASSERT_RT_OK(rtMallocHost(host.out(), 4096, context_));
  std::memset(host.get(), 0x3C, 4096);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtMemcpyAsync(device, host, 4096, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(host.reset());
  ASSERT_RT_OK(rtMallocHost(host.out(), 4096, context_));
  std::memset(host.get(), 0x11, 4096);
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtMemcpy(host, device, 4096, RT_MEMCPY_DEFAULT));
  for (int i = 0; i < 4096; ++i) ASSERT_EQ(host.as()[i], 0x3C);
}

TEST_P(AsyncMemoryTest, FreeOfMemoryWhoseContextIsDestroyedWhileItWorks) {
  Gate gate(context_);
  rtContext_t other = nullptr;
  rtStream_t stream = nullptr;
  Memory memory;
  ASSERT_RT_OK(rtContextCreate(&other, nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(&stream, nullptr, other));
  ASSERT_RT_OK(rtMalloc(memory.out(), 1 << 20, other));
  ASSERT_RT_OK(gate.close(stream));
  ASSERT_RT_OK(rtMemsetAsync(memory, 3, 1 << 20, stream));
  ASSERT_RT_OK(rtContextDestroy(other));
  ASSERT_RT_OK(memory.reset());
  ASSERT_RT_OK(gate.open());
}

TEST_P(AsyncMemoryTest, FreeOnAFailedStreamSucceeds) {
  Memory first;
  Memory second;
  ASSERT_RT_OK(rtMallocAsync(first.out(), 100, stream_));
  ASSERT_RT_OK(rtMallocAsync(second.out(), 100, stream_));
  poison(stream_);
  EXPECT_RT_OK(rtFree(first.release()));
  EXPECT_RT_OK(rtFreeAsync(second.release(), stream_)) << "destroy and free never report an older failure";
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
}

TEST_P(AsyncMemoryTest, MallocAsyncOnAFailedStreamReturnsTheFailure) {
  poison(stream_);
  void* pointer = garbage<void*>();
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMallocAsync(&pointer, 100, stream_));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
}

TEST_P(AsyncMemoryTest, HandlesOfOtherKindsAreRefused) {
  Memory memory;
  void* pointer = garbage<void*>();
  ASSERT_RT_OK(rtMalloc(memory.out(), 100, context_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMallocAsync(&pointer, 100, garbage<rtStream_t>()));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtFreeAsync(memory, garbage<rtStream_t>()));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMalloc(&pointer, 100, garbage<rtContext_t>()));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMallocHost(&pointer, 100, garbage<rtContext_t>()));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMallocWithOptions(&pointer, 100, nullptr, garbage<rtContext_t>()));
}

}  // namespace
}  // namespace rttest
