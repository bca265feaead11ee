// Large blocks of CUDA devices, whose memory comes and goes in granules of 2 MiB. Covers what a pool takes and gives back,
// peers, memory that cannot be had, and captures. On the simulated driver, which says how much is mapped and fails on demand.
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "support/device_test.h"
#include "support/portable_kernels.h"
#include "support/simulated_cuda.h"

namespace rttest {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kGranule = 2 * kMiB;
constexpr int kNoMemory = 2;

constexpr char kSource[] =
    "__kernel void add(__global uint* out, __global const uint* in, uint count) {\n"
    "  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) out[i] += in[i];\n"
    "}\n";

class CudaRangesTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (simulatedCuda().here()) mapped_before_ = simulatedCuda().live("device memory");
    rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
    options.release_threshold = UINT64_MAX;
    ASSERT_RT_OK(rtMemPoolCreate(pool_.out(), &options, context_));
  }
  void TearDown() override {
    EXPECT_RT_OK(pool_.reset());
    if (simulatedCuda().here()) {
      EXPECT_EQ(simulatedCuda().violations(), 0);
    }
    DeviceTest::TearDown();
  }
  rtMemPoolStats_t statistics() {
    rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
    EXPECT_RT_OK(rtMemPoolGetStats(&stats, pool_));
    return stats;
  }
  rtStatus_t allocate(Memory* memory, uint64_t bytes) { return rtMallocFromPool(memory->out(), bytes, 0, nullptr, pool_); }
  void expectMapped(int granules, const std::string& why = "") const {
    if (!simulatedCuda().here()) return;
    EXPECT_EQ(simulatedCuda().live("device memory") - mapped_before_, granules) << why;
  }
  // Makes a context of another device that reaches the memory of this one, and the other way round.
  bool makePeer(Context* peer) {
    rtDevice_t other = nullptr;
    int32_t there = 0;
    int32_t back = 0;
    if (rtDeviceGetByName(&other, "cuda:1") != RT_SUCCESS) return false;
    EXPECT_RT_OK(rtDeviceCanAccessPeer(&there, other, device_));
    EXPECT_RT_OK(rtDeviceCanAccessPeer(&back, device_, other));
    if (there == 0 || back == 0) return false;
    EXPECT_RT_OK(rtContextCreate(peer->out(), nullptr, other));
    return true;
  }
  // Every value of the block is its index, written and read by copies.
  void expectWorks(void* memory, uint64_t bytes) {
    std::vector<uint32_t> values(bytes / 4), read(bytes / 4);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint32_t>(i);
    ASSERT_RT_OK(rtMemcpy(memory, values.data(), bytes, RT_MEMCPY_DEFAULT));
    ASSERT_RT_OK(rtMemcpy(read.data(), memory, bytes, RT_MEMCPY_DEFAULT));
    EXPECT_EQ(values, read);
  }

  Pool pool_;
  int mapped_before_ = 0;
};
INSTANTIATE_TEST_SUITE_P(, CudaRangesTest, testing::ValuesIn(cudaDevices(1)), testName);

TEST_P(CudaRangesTest, BlocksShareGranules) {
  Memory one;
  Memory two;
  Memory three;
  ASSERT_RT_OK(allocate(&one, 600 << 10));
  EXPECT_EQ(statistics().reserved_bytes, kGranule);
  ASSERT_RT_OK(allocate(&two, 600 << 10));
  ASSERT_RT_OK(allocate(&three, 600 << 10));
  EXPECT_EQ(statistics().reserved_bytes, kGranule) << "three of them fit";
  expectMapped(1);
  expectWorks(two, 600 << 10);
}

TEST_P(CudaRangesTest, ABlockOfManyGranulesIsOneRangeOfAddresses) {
  Memory block;
  ASSERT_RT_OK(allocate(&block, 9 * kMiB));
  expectMapped(5);
  expectWorks(block, 9 * kMiB);
  ASSERT_RT_OK(rtMemsetAsync(block, 7, 9 * kMiB, stream_));
  std::vector<unsigned char> bytes(9 * kMiB);
  ASSERT_RT_OK(rtMemcpyAsync(bytes.data(), block, bytes.size(), RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(bytes, std::vector<unsigned char>(9 * kMiB, 7));
}

TEST_P(CudaRangesTest, AGranuleGoesBackWhenAllThatItHasIsFree) {
  Memory left;
  Memory right;
  ASSERT_RT_OK(allocate(&left, 3 * kMiB));
  ASSERT_RT_OK(allocate(&right, 3 * kMiB));
  expectMapped(3, "the one in the middle has a half of each");
  ASSERT_RT_OK(left.reset());
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  expectMapped(2);
  EXPECT_EQ(statistics().reserved_bytes, 2 * kGranule);
  expectWorks(right, 3 * kMiB);
  ASSERT_RT_OK(right.reset());
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  expectMapped(0);
  EXPECT_EQ(statistics().reserved_bytes, 0u);
}

TEST_P(CudaRangesTest, MemoryThatAStreamStillUsesStays) {
  Memory block;
  ASSERT_RT_OK(allocate(&block, 8 * kMiB));
  Fence fence;
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream_));
  ASSERT_RT_OK(rtMemsetAsync(block, 1, 8 * kMiB, stream_));
  ASSERT_RT_OK(rtFreeAsync(block.release(), stream_));
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  expectMapped(4);
  ASSERT_RT_OK(rtFenceSignal(1, fence));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  expectMapped(0);
}

// As caches of keys and values do.
TEST_P(CudaRangesTest, BlocksThatGrowLeaveLittleBehind) {
  std::vector<Memory> caches(8);
  for (uint64_t size = kMiB; size < 12 * kMiB; size += size / 7) {
    for (Memory& cache : caches) {
      Memory longer;
      ASSERT_RT_OK(allocate(&longer, size));
      cache = std::move(longer);
    }
  }
  const rtMemPoolStats_t stats = statistics();
  EXPECT_LE(stats.peak_reserved_bytes, stats.peak_live_bytes + stats.peak_live_bytes / 8);
}

TEST_P(CudaRangesTest, WithoutMemoryForAllOfABlockNoneIsTaken) {
  if (!simulatedCuda().here()) GTEST_SKIP() << "a GPU's driver does not fail on demand";
  Memory before;
  ASSERT_RT_OK(allocate(&before, 3 * kMiB));
  const rtMemPoolStats_t stats = statistics();
  for (const char* function : {"cuMemCreate", "cuMemMap", "cuMemSetAccess"}) {
    Memory block;
    simulatedCuda().fail(function, 0, kNoMemory);
    EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, allocate(&block, 9 * kMiB)) << function;
    simulatedCuda().fail(function, 0, 0);
    expectMapped(2, function);
    EXPECT_EQ(statistics().reserved_bytes, stats.reserved_bytes) << function;
    EXPECT_EQ(statistics().live_bytes, stats.live_bytes) << function;
  }
  // In the middle, and once: the ladder asks again.
  Memory block;
  simulatedCuda().fail("cuMemCreate", 3, kNoMemory);
  EXPECT_RT_OK(allocate(&block, 9 * kMiB));
  expectMapped(6, "the tail of the first block begins the second one");
  expectWorks(block, 9 * kMiB);
  expectWorks(before, 3 * kMiB);
}

TEST_P(CudaRangesTest, AFullDeviceGivesWhatIsFreeInOtherPools) {
  uint64_t free_bytes = 0;
  ASSERT_RT_OK(rtMemGetInfo(&free_bytes, nullptr, context_));
  const uint64_t most = free_bytes / 8 * 5 / kGranule * kGranule;
  void* cached = nullptr;
  ASSERT_RT_OK(rtMalloc(&cached, most, context_));
  ASSERT_RT_OK(rtFree(cached));  // the pool of the context keeps it
  Memory block;
  EXPECT_RT_OK(allocate(&block, most));
}

TEST_P(CudaRangesTest, ALimitBelowAGranuleIsKept) {
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  options.maximum_bytes = kMiB;
  Pool small;
  ASSERT_RT_OK(rtMemPoolCreate(small.out(), &options, context_));
  Memory block;
  Memory more;
  EXPECT_RT_OK(rtMallocFromPool(block.out(), 700 << 10, 0, nullptr, small)) << "of the driver, without a granule";
  EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtMallocFromPool(more.out(), 700 << 10, 0, nullptr, small));
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  ASSERT_RT_OK(rtMemPoolGetStats(&stats, small));
  EXPECT_LE(stats.reserved_bytes, kMiB);
  ASSERT_RT_OK(block.reset());
}

TEST_P(CudaRangesTest, ADriverWithoutAddressesGivesPlainMemory) {
  if (!simulatedCuda().here()) GTEST_SKIP() << "a GPU's driver does not fail on demand";
  Context fresh;
  ASSERT_RT_OK(rtContextCreate(fresh.out(), nullptr, device_));
  const int created = simulatedCuda().count("cuMemCreate");
  simulatedCuda().fail("cuMemAddressReserve", 0, kNoMemory);
  Memory block;
  EXPECT_RT_OK(rtMalloc(block.out(), 5 * kMiB, fresh));
  simulatedCuda().fail("cuMemAddressReserve", 0, 0);
  EXPECT_EQ(simulatedCuda().count("cuMemCreate"), created);
  expectWorks(block, 5 * kMiB);
}

// The context of the other device has blocks before and after the call that gives access.
TEST_P(CudaRangesTest, KernelsReachBlocksOfAPeerThatComeBeforeAndAfterAccess) {
  Context peer;
  if (!makePeer(&peer)) GTEST_SKIP() << "there is no peer";
  Module module;
  rtKernel_t add = nullptr;
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), kSource, nullptr, context_));
  ASSERT_RT_OK(rtModuleGetKernel(&add, "add", module));
  constexpr uint64_t kBytes = 5 * kMiB;
  constexpr auto kCount = static_cast<uint32_t>(kBytes / 4);
  Memory sum;
  Memory blocks[2];
  ASSERT_RT_OK(allocate(&sum, kBytes));
  ASSERT_RT_OK(rtMemsetAsync(sum, 0, kBytes, stream_));
  std::vector<uint32_t> values(kCount);
  for (uint32_t i = 0; i < kCount; ++i) values[i] = i;
  for (Memory& block : blocks) {
    ASSERT_RT_OK(rtMalloc(block.out(), kBytes, peer));
    ASSERT_RT_OK(rtMemcpy(block, values.data(), kBytes, RT_MEMCPY_DEFAULT));
    ASSERT_RT_OK(rtContextEnablePeerAccess(peer, context_));
    ASSERT_RT_OK(launchOver(add, stream_, 256, 64, sum.as<void>(), block.as<void>(), kCount));
  }
  std::vector<uint32_t> read(kCount);
  ASSERT_RT_OK(rtMemcpyAsync(read.data(), sum, kBytes, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (uint32_t i = 0; i < kCount; i += 1009) ASSERT_EQ(read[i], 2 * i);
}

TEST_P(CudaRangesTest, CopiesBetweenDevicesGiveAccessAtFirstUse) {
  Context peer;
  if (!makePeer(&peer)) GTEST_SKIP() << "there is no peer";
  Stream of_peer;
  ASSERT_RT_OK(rtStreamCreate(of_peer.out(), nullptr, peer));
  constexpr uint64_t kBytes = 5 * kMiB;
  Memory here;
  Memory there;
  Memory back;
  ASSERT_RT_OK(allocate(&here, kBytes));
  ASSERT_RT_OK(rtMalloc(there.out(), kBytes, peer));
  ASSERT_RT_OK(rtMemsetAsync(here, 5, kBytes, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(there, here, kBytes, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(allocate(&back, kBytes));
  ASSERT_RT_OK(rtMemcpyAsync(back, there, kBytes, RT_MEMCPY_DEFAULT, of_peer));
  ASSERT_RT_OK(rtStreamSynchronize(of_peer));
  std::vector<unsigned char> bytes(kBytes);
  ASSERT_RT_OK(rtMemcpy(bytes.data(), back, kBytes, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(bytes, std::vector<unsigned char>(kBytes, 5));
}

TEST_P(CudaRangesTest, ACopyBetweenDevicesInAGraphHasAccess) {
  Context peer;
  if (!makePeer(&peer)) GTEST_SKIP() << "there is no peer";
  Graph graph;
  GraphExec exec;
  constexpr uint64_t kBytes = 3 * kMiB;
  Memory here;
  Memory there;
  ASSERT_RT_OK(allocate(&here, kBytes));
  ASSERT_RT_OK(rtMalloc(there.out(), kBytes, peer));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtMemsetAsync(here, 9, kBytes, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(there, here, kBytes, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  std::vector<unsigned char> bytes(kBytes);
  ASSERT_RT_OK(rtMemcpy(bytes.data(), there, kBytes, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(bytes, std::vector<unsigned char>(kBytes, 9));
}

TEST_P(CudaRangesTest, ABlockOfSeveralGranulesIsImportedByItsAddress) {
  Context second;
  Memory block;
  ASSERT_RT_OK(rtContextCreate(second.out(), nullptr, device_));
  ASSERT_RT_OK(allocate(&block, 5 * kMiB));
  uint64_t native[2] = {};
  ASSERT_RT_OK(rtPointerGetNative(native, block));
  void* imported = nullptr;
  ASSERT_RT_OK(rtMemImport(&imported, native, 5 * kMiB, second));
  expectWorks(imported, 5 * kMiB);
  ASSERT_RT_OK(rtFree(imported));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemImport(&imported, native, 1024 * kMiB, second)) << "after what is mapped";
}

// Threads take and give blocks while another one trims and a peer gets access: each thread finds in its block what it has put
// there.
TEST_P(CudaRangesTest, ThreadsTakeAndGiveWhileAPoolIsTrimmed) {
  constexpr uint64_t kMost = 6 * kMiB;
  Context peer;
  const bool has_peer = makePeer(&peer);
  std::atomic<int> working{4};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      Stream stream;
      std::vector<unsigned char> ends(2);
      EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
      for (int round = 0; round < 40; ++round) {
        const uint64_t bytes = kMiB + (static_cast<uint64_t>(round * 7 + thread * 13) * 131072) % (kMost - kMiB);
        const auto value = static_cast<unsigned char>(round * 4 + thread);
        void* block = nullptr;
        EXPECT_RT_OK(rtMallocFromPool(&block, bytes, 0, stream, pool_));
        EXPECT_RT_OK(rtMemsetAsync(block, value, bytes, stream));
        EXPECT_RT_OK(rtMemcpyAsync(&ends[0], block, 1, RT_MEMCPY_DEFAULT, stream));
        EXPECT_RT_OK(rtMemcpyAsync(&ends[1], static_cast<char*>(block) + bytes - 1, 1, RT_MEMCPY_DEFAULT, stream));
        EXPECT_RT_OK(rtFreeAsync(block, stream));
        if (round % 4 == 3) {
          EXPECT_RT_OK(rtStreamSynchronize(stream));
        }
      }
      EXPECT_RT_OK(rtStreamSynchronize(stream));
      EXPECT_EQ(ends[0], static_cast<unsigned char>(39 * 4 + thread));
      EXPECT_EQ(ends[1], static_cast<unsigned char>(39 * 4 + thread));
      --working;
    });
  }
  for (int round = 0; working != 0; ++round) {
    EXPECT_RT_OK(rtMemPoolTrim(0, pool_));
    if (round == 3 && has_peer) {
      EXPECT_RT_OK(rtContextEnablePeerAccess(context_, peer));
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_RT_OK(rtMemPoolTrim(0, pool_));
  expectMapped(0);
}

// Neither taking nor giving memory ends the capture of a stream that another library has begun on this thread.
TEST_P(CudaRangesTest, CapturesOfTheProgramGoOn) {
  if (!simulatedCuda().here()) GTEST_SKIP() << "a GPU's driver does not fail on demand";
  (void)simulatedCuda().capture(1);
  Memory block;
  EXPECT_RT_OK(allocate(&block, 5 * kMiB));
  EXPECT_RT_OK(block.reset());
  EXPECT_RT_OK(rtMemPoolTrim(0, pool_));
  EXPECT_EQ(simulatedCuda().capture(0), 1);
}

// As many granules would take longer to make than the driver's own allocation.
TEST_P(CudaRangesTest, VeryLargeBlocksAreAllocationsOfTheDriver) {
  Memory large;
  Memory again;
  ASSERT_RT_OK(allocate(&large, 257 * kMiB));
  expectMapped(1, "one allocation");
  ASSERT_RT_OK(large.reset());
  ASSERT_RT_OK(allocate(&again, 257 * kMiB));
  expectMapped(1, "the same");
  ASSERT_RT_OK(again.reset());
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  expectMapped(0);
  Memory first;
  Memory second;
  ASSERT_RT_OK(allocate(&first, 150 * kMiB));
  ASSERT_RT_OK(allocate(&second, 150 * kMiB));
  expectMapped(150);
  ASSERT_RT_OK(first.reset());
  ASSERT_RT_OK(second.reset());
  ASSERT_RT_OK(allocate(&large, 290 * kMiB));
  expectMapped(150, "what a range has left serves blocks of any size");
}

TEST_P(CudaRangesTest, SmallSlabsBeginSmall) {
  std::vector<Memory> blocks(8);
  uint64_t live = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const uint64_t bytes = uint64_t{300} << i;
    ASSERT_RT_OK(allocate(&blocks[i], bytes));
    live += bytes;
  }
  EXPECT_LE(statistics().reserved_bytes, 8u * (64 << 10)) << "of " << live;
  for (size_t i = 0; i < blocks.size(); ++i) expectWorks(blocks[i], uint64_t{300} << i);
}

}  // namespace
}  // namespace rttest
