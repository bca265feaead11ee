// Pin mode: memory that a graph names as a value, so that the library cannot see it, stays reserved until the graph is gone.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "support/device_test.h"
#include "support/json.h"

namespace rttest {
namespace {

// Memory of the host, which a host function of a graph can write.
class PinModeTest : public DeviceTest {
 protected:
  static constexpr size_t kSize = 4096;
  struct Write {
    unsigned char* address;
    unsigned char value;
  };

  void SetUp() override {
    DeviceTest::SetUp();
    rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
    options.kind = RT_MEMORY_HOST;
    options.release_threshold = UINT64_MAX;
    ASSERT_RT_OK(rtMemPoolCreate(pool_.out(), &options, context_));
  }
  void TearDown() override {
    EXPECT_RT_OK(exec_.reset());
    EXPECT_RT_OK(graph_.reset());
    EXPECT_RT_OK(pool_.reset());
    DeviceTest::TearDown();
  }
  void* allocate(size_t size = kSize, rtStream_t stream = nullptr) {
    void* pointer = nullptr;
    EXPECT_RT_OK(rtMallocFromPool(&pointer, size, 0, stream == nullptr ? stream_.get() : stream, pool_));
    return pointer;
  }
  static void write(void* user, rtStatus_t status) {
    if (status != RT_SUCCESS) return;
    const Write& job = *static_cast<Write*>(user);
    memset(job.address, job.value, kSize);
  }
  void capture(Graph* graph) {
    ASSERT_RT_OK(rtStreamBeginCapture(stream_));
    ASSERT_RT_OK(rtLaunchHostFunction(write, &write_, stream_));
    ASSERT_RT_OK(rtStreamEndCapture(graph->out(), stream_));
  }
  // Whether the pool gives the address out again: it is asked for more blocks of the size than it has.
  bool givesAgain(const void* address, size_t size = kSize) {
    std::vector<void*> blocks;
    for (int i = 0; i < 1200; ++i) blocks.push_back(allocate(size));
    const bool found = std::find(blocks.begin(), blocks.end(), address) != blocks.end();
    for (void* block : blocks) EXPECT_RT_OK(rtFree(block));
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    return found;
  }
  rtMemPoolStats_t stats() const {
    rtMemPoolStats_t now = RT_MEM_POOL_STATS_INIT;
    EXPECT_RT_OK(rtMemPoolGetStats(&now, pool_));
    return now;
  }

  Write write_ = {};
  Pool pool_;
  Graph graph_;
  GraphExec exec_;
};
INSTANTIATE_TEST_SUITE_P(, PinModeTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(PinModeTest, AReplayWritesToNoOtherMemory) {
  ASSERT_RT_OK(rtMemPoolSetPinMode(1, pool_));
  void* pinned = allocate();
  write_ = {static_cast<unsigned char*>(pinned), 0xAB};
  capture(&graph_);
  ASSERT_RT_OK(rtMemPoolSetPinMode(0, pool_));
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_));
  ASSERT_RT_OK(rtFree(pinned));
  EXPECT_EQ(stats().live_bytes, 0u);
  EXPECT_EQ(stats().pending_bytes, kSize) << "freed, and held for the graph";
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  ASSERT_RT_OK(graph_.reset()) << "the exec keeps it as well";

  std::vector<unsigned char*> others;
  for (int i = 0; i < 1200; ++i) {
    others.push_back(static_cast<unsigned char*>(allocate()));
    ASSERT_NE(others.back(), pinned);
    memset(others.back(), 0x11, kSize);
  }
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (unsigned char* other : others) {
    EXPECT_EQ(std::count(other, other + kSize, 0x11), static_cast<std::ptrdiff_t>(kSize));
    ASSERT_RT_OK(rtFree(other));
  }
  EXPECT_FALSE(givesAgain(pinned));
  ASSERT_RT_OK(exec_.reset());
  EXPECT_EQ(stats().pending_bytes, 0u);
  EXPECT_TRUE(givesAgain(pinned) || stats().driver_allocation_count > 0u);
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  EXPECT_EQ(stats().reserved_bytes, 0u) << "nothing is held any more";
}

TEST_P(PinModeTest, LargeMemoryIsPinnedToo) {
  constexpr size_t kLarge = size_t{3} << 20;
  ASSERT_RT_OK(rtMemPoolSetPinMode(1, pool_));
  void* pinned = allocate(kLarge);
  capture(&graph_);
  ASSERT_RT_OK(rtMemPoolSetPinMode(0, pool_));
  ASSERT_RT_OK(rtFree(pinned));
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  EXPECT_GE(stats().reserved_bytes, kLarge);
  void* other = allocate(kLarge);
  EXPECT_NE(other, pinned);
  ASSERT_RT_OK(rtFree(other));
  ASSERT_RT_OK(graph_.reset());
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  EXPECT_EQ(stats().reserved_bytes, 0u);
}

TEST_P(PinModeTest, MemoryThatIsLiveWhenItsGraphGoesIsOrdinaryFromThenOn) {
  ASSERT_RT_OK(rtMemPoolSetPinMode(1, pool_));
  void* pinned = allocate();
  capture(&graph_);
  ASSERT_RT_OK(rtMemPoolSetPinMode(0, pool_));
  ASSERT_RT_OK(graph_.reset());
  EXPECT_EQ(stats().live_bytes, kSize);
  ASSERT_RT_OK(rtFreeAsync(pinned, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(stats().pending_bytes, 0u);
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  EXPECT_EQ(stats().reserved_bytes, 0u);
}

// Temporary memory of one capture is used again in it, and by no other graph.
TEST_P(PinModeTest, OneCaptureMayUseItsMemoryAgain) {
  Stream side;
  ASSERT_RT_OK(rtStreamCreate(side.out(), nullptr, context_));
  ASSERT_RT_OK(rtMemPoolSetPinMode(1, pool_));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  void* first = allocate(kSize, side);
  ASSERT_RT_OK(rtFreeAsync(first, side));
  for (int i = 0; i < 10; ++i) {
    void* again = allocate(kSize, side);
    EXPECT_EQ(again, first);
    ASSERT_RT_OK(rtFreeAsync(again, side));
  }
  ASSERT_RT_OK(rtStreamEndCapture(graph_.out(), stream_));
  void* other = allocate(kSize, side);
  EXPECT_NE(other, first) << "the graph may name it";
  ASSERT_RT_OK(rtFree(other));
  ASSERT_RT_OK(rtMemPoolSetPinMode(0, pool_));
}

TEST_P(PinModeTest, AStretchWithinACaptureCounts) {
  Stream side;
  ASSERT_RT_OK(rtStreamCreate(side.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtMemPoolSetPinMode(1, pool_));
  void* pinned = allocate(kSize, side);
  ASSERT_RT_OK(rtFreeAsync(pinned, side));
  ASSERT_RT_OK(rtMemPoolSetPinMode(0, pool_));
  ASSERT_RT_OK(rtStreamEndCapture(graph_.out(), stream_));
  ASSERT_RT_OK(rtStreamSynchronize(side));
  EXPECT_EQ(stats().pending_bytes, kSize);
  EXPECT_FALSE(givesAgain(pinned));
  ASSERT_RT_OK(graph_.reset());
  EXPECT_EQ(stats().pending_bytes, 0u);
}

TEST_P(PinModeTest, AGraphThatIsInstantiatedMeanwhileCounts) {
  capture(&graph_);
  Graph child;
  ASSERT_RT_OK(rtMemPoolSetPinMode(1, pool_));
  void* pinned = allocate();
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_));
  ASSERT_RT_OK(rtFree(pinned));
  ASSERT_RT_OK(rtMemPoolSetPinMode(0, pool_));
  ASSERT_RT_OK(graph_.reset());
  EXPECT_EQ(stats().pending_bytes, kSize);
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_)) << "a copy as a node of another graph";
  ASSERT_RT_OK(rtStreamEndCapture(child.out(), stream_));
  ASSERT_RT_OK(exec_.reset());
  EXPECT_EQ(stats().pending_bytes, kSize);
  ASSERT_RT_OK(child.reset());
  EXPECT_EQ(stats().pending_bytes, 0u);
}

TEST_P(PinModeTest, WithoutAGraphTheStretchAloneHoldsTheMemory) {
  ASSERT_RT_OK(rtMemPoolSetPinMode(1, pool_));
  ASSERT_RT_OK(rtMemPoolSetPinMode(1, pool_)) << "on already";
  void* pinned = allocate();
  ASSERT_RT_OK(rtFree(pinned));
  ASSERT_RT_OK(rtMemPoolTrim(0, pool_));
  EXPECT_EQ(stats().pending_bytes, kSize);
  EXPECT_NE(checkText([&](char* text, size_t size, size_t* needed) {
              return rtMemPoolDumpJson(text, size, needed, pool_);
            }).find("\"state\":\"pending\",\"pinned\":true"),
            std::string::npos);
  ASSERT_RT_OK(rtMemPoolSetPinMode(0, pool_));
  EXPECT_EQ(stats().pending_bytes, 0u);
  ASSERT_RT_OK(rtMemPoolSetPinMode(0, pool_)) << "off already";
}

TEST_P(PinModeTest, ACaptureThatFailsHoldsNothing) {
  Stream side;
  ASSERT_RT_OK(rtStreamCreate(side.out(), nullptr, context_));
  ASSERT_RT_OK(rtMemPoolSetPinMode(1, pool_));
  void* pinned = allocate(kSize, side);
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtFree(pinned));
  ASSERT_RT_OK(rtMemPoolSetPinMode(0, pool_));
  EXPECT_EQ(stats().pending_bytes, kSize) << "the capture is at work";
  ASSERT_RT_OK(stream_.reset()) << "nothing can end it";
  EXPECT_EQ(stats().pending_bytes, 0u);
}

TEST_P(PinModeTest, APoolMayGoBeforeTheGraph) {
  ASSERT_RT_OK(rtMemPoolSetPinMode(1, pool_));
  void* pinned = allocate();
  write_ = {static_cast<unsigned char*>(pinned), 0xCD};
  capture(&graph_);
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_));
  ASSERT_RT_OK(rtFree(pinned));
  ASSERT_RT_OK(pool_.reset());
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(static_cast<unsigned char*>(pinned)[kSize - 1], 0xCD) << "the exec keeps the memory";
}

TEST_P(PinModeTest, FiftyPoolsOfOneThreadArePinnedAtOnce) {
  std::vector<Pool> pools(50);
  std::vector<void*> pinned;
  for (Pool& pool : pools) {
    ASSERT_RT_OK(rtMemPoolCreate(pool.out(), nullptr, context_));
    ASSERT_RT_OK(rtMemPoolSetPinMode(1, pool));
    pinned.emplace_back();
    ASSERT_RT_OK(rtMallocFromPool(&pinned.back(), kSize, 0, stream_, pool));
  }
  capture(&graph_);
  for (void* each : pinned) ASSERT_RT_OK(rtFree(each));
  for (Pool& pool : pools) {
    ASSERT_RT_OK(rtMemPoolSetPinMode(0, pool));
    rtMemPoolStats_t now = RT_MEM_POOL_STATS_INIT;
    ASSERT_RT_OK(rtMemPoolGetStats(&now, pool));
    EXPECT_EQ(now.pending_bytes, kSize);
  }
  ASSERT_RT_OK(graph_.reset());
  for (Pool& pool : pools) {
    rtMemPoolStats_t now = RT_MEM_POOL_STATS_INIT;
    ASSERT_RT_OK(rtMemPoolGetStats(&now, pool));
    EXPECT_EQ(now.pending_bytes, 0u);
  }
}

}  // namespace
}  // namespace rttest
