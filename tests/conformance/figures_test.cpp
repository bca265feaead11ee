// The values of what tells about memory, plans, builds and times, not only that the call succeeds; what kernels leave in memory
// of every kind; what a replay does for others; and that waiting for a context or a device waits.
#include <atomic>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "support/capable_devices.h"
#include "support/portable_kernels.h"

namespace rttest {
namespace {

class FiguresTest : public DeviceTest {
 protected:
  bool isNull() const { return GetParam().starts_with("null"); }
  static std::string dump(rtMemPool_t pool) {
    std::string text(1 << 16, '\0');
    EXPECT_RT_OK(rtMemPoolDumpJson(text.data(), text.size(), nullptr, pool));
    return text.c_str();
  }
  static size_t countOf(const std::string& text, const std::string& word) {
    size_t count = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
  }
};
INSTANTIATE_TEST_SUITE_P(, FiguresTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(FiguresTest, FreeMemoryIsThatOfTheDeviceWithWhatPoolsHoldUnused) {
  uint64_t free_before = 0, free_now = 0, total = 0, device_free = 0, device_total = 0;
  ASSERT_RT_OK(rtMemGetInfo(&free_before, &total, context_));
  ASSERT_RT_OK(rtDeviceGetMemInfo(&device_free, &device_total, device_));
  EXPECT_EQ(total, device_total);
  EXPECT_GT(free_before, 0u);
  EXPECT_LE(free_before, total);
  if (!isNull()) return;  // other processes take and give memory meanwhile: no figure of a moment holds
  constexpr uint64_t kSize = 64 << 20;
  Memory memory;
  // Whole granules are taken. With AddressSanitizer 64 bytes after the allocation are part of them.
  ASSERT_RT_OK(rtMalloc(memory.out(), kSize - 64, context_));
  ASSERT_RT_OK(rtMemGetInfo(&free_now, nullptr, context_));
  EXPECT_EQ(free_now, free_before - kSize);
  ASSERT_RT_OK(memory.reset());
  ASSERT_RT_OK(rtMemGetInfo(&free_now, nullptr, context_));
  EXPECT_EQ(free_now, free_before) << "what a pool keeps is free for the context";
}

TEST_P(FiguresTest, TheDumpOfAPoolHasTheFiguresOfItsStatisticsAndEachBlock) {
  NEEDS_POOLS();
  Pool pool;
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), nullptr, context_));
  void* kept[3] = {};
  for (size_t i = 0; i < 3; ++i) ASSERT_RT_OK(rtMallocFromPool(&kept[i], 1000 * (i + 1), 0, stream_, pool));
  ASSERT_RT_OK(rtFreeAsync(kept[1], stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  ASSERT_RT_OK(rtMemPoolGetStats(&stats, pool));
  const std::string text = dump(pool);
  const std::pair<const char*, uint64_t> figures[] = {{"live_bytes", stats.live_bytes},
                                                      {"live_count", stats.live_count},
                                                      {"reserved_bytes", stats.reserved_bytes},
                                                      {"peak_live_bytes", stats.peak_live_bytes},
                                                      {"allocation_count", stats.allocation_count},
                                                      {"free_count", stats.free_count},
                                                      {"driver_allocation_count", stats.driver_allocation_count}};
  for (const auto& [name, value] : figures) {
    EXPECT_NE(text.find("\"" + std::string(name) + "\":" + std::to_string(value) + ","), std::string::npos)
        << name << ": " << text;
  }
  rtContextStats_t context = RT_CONTEXT_STATS_INIT;
  ASSERT_RT_OK(rtContextGetStats(&context, context_));
  EXPECT_NE(text.find("\"streams\":{\"created\":" + std::to_string(context.streams_created) + ","), std::string::npos) << text;
  EXPECT_NE(text.find("\"events\":{"), std::string::npos) << text;
  EXPECT_NE(text.find("\"points\":{"), std::string::npos) << text;
  EXPECT_EQ(stats.live_bytes, 4000u);
  EXPECT_EQ(stats.peak_live_bytes, 6000u);
  EXPECT_EQ(countOf(text, "\"state\":\"live\""), 2u) << text;
  for (const char* size : {"\"size\":1000,\"state\":\"live\"", "\"size\":3000,\"state\":\"live\""}) {
    EXPECT_EQ(countOf(text, size), 1u) << size << " in " << text;
  }
  EXPECT_EQ(text.find("\"size\":2000,\"state\":\"live\""), std::string::npos) << text;
  for (void* each : {kept[0], kept[2]}) EXPECT_RT_OK(rtFree(each));
}

TEST_P(FiguresTest, APlanTellsWhereEachTemporaryIsAndWhoUsesIt) {
  Graph graph;
  CapturePlan plan;
  rtGraphBuffer_t out = nullptr, first = nullptr, second = nullptr, unused = nullptr;
  ASSERT_RT_OK(rtGraphCreate(graph.out()));
  ASSERT_RT_OK(rtGraphAddBuffer(&out, 4096, RT_GRAPH_BUFFER_OUTPUT, "out", graph));
  ASSERT_RT_OK(rtGraphAddBuffer(&first, 4096, RT_GRAPH_BUFFER_TEMPORARY, "first", graph));
  ASSERT_RT_OK(rtGraphAddBuffer(&second, 4096, RT_GRAPH_BUFFER_TEMPORARY, "second", graph));
  ASSERT_RT_OK(rtGraphAddBuffer(&unused, 512, RT_GRAPH_BUFFER_TEMPORARY, "unused", graph));
  rtGraphNode_t nodes[3] = {};
  rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
  fill.pattern_size = 1;
  fill.count = 4096;
  fill.dst.buffer = first;
  ASSERT_RT_OK(rtGraphAddFillNode(&nodes[0], &fill, nullptr, 0, graph));
  rtGraphMemcpyParams_t copy = RT_GRAPH_MEMCPY_PARAMS_INIT;
  copy.size = 4096;
  copy.src.buffer = first;
  copy.dst.buffer = second;
  ASSERT_RT_OK(rtGraphAddMemcpyNode(&nodes[1], &copy, &nodes[0], 1, graph));
  copy.src.buffer = second;
  copy.dst.buffer = out;
  ASSERT_RT_OK(rtGraphAddMemcpyNode(&nodes[2], &copy, &nodes[1], 1, graph));
  ASSERT_RT_OK(rtCapturePlanCreate(plan.out(), nullptr, graph, context_));
  rtCapturePlanBuffer_t seen[4];
  for (uint32_t i = 0; i < 4; ++i) {
    seen[i] = RT_CAPTURE_PLAN_BUFFER_INIT;
    ASSERT_RT_OK(rtCapturePlanGetBuffer(&seen[i], i, plan));
  }
  EXPECT_EQ(seen[0].role, RT_GRAPH_BUFFER_OUTPUT);
  EXPECT_EQ(seen[0].offset, UINT64_MAX) << "bound by the program";
  EXPECT_EQ(seen[0].first_step, 2u);
  EXPECT_EQ(seen[0].last_step, 2u);
  for (uint32_t i : {1u, 2u}) {
    EXPECT_EQ(seen[i].role, RT_GRAPH_BUFFER_TEMPORARY);
    EXPECT_EQ(seen[i].size, 4096u);
    EXPECT_EQ(seen[i].first_step, i - 1);
    EXPECT_EQ(seen[i].last_step, i);
    EXPECT_NE(seen[i].offset, UINT64_MAX);
  }
  EXPECT_TRUE(seen[1].offset + 4096 <= seen[2].offset || seen[2].offset + 4096 <= seen[1].offset) << "both live in step 1";
  EXPECT_EQ(seen[3].size, 512u);
  EXPECT_EQ(seen[3].offset, UINT64_MAX);
  EXPECT_GT(seen[3].first_step, seen[3].last_step) << "no step names it";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtCapturePlanGetBuffer(&seen[0], 4, plan));
}

TEST_P(FiguresTest, TimesOfEventsHaveStepsOfAMicrosecondAtMost) {
  if (!has(RT_CAPABILITY_TIMING)) GTEST_SKIP() << "the device has no times";
  constexpr int kEvents = 200;
  std::vector<Event> events(kEvents);
  for (Event& event : events) {
    ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
    ASSERT_RT_OK(rtEventRecord(event, stream_));
  }
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  std::set<int64_t> times;  // since the first one
  int64_t before = 0;
  for (const Event& event : events) {
    int64_t time = -1;
    ASSERT_RT_OK(rtEventElapsedNanoseconds(&time, events[0], event));
    EXPECT_GE(time, before) << "a stream passes its events in order";
    before = time;
    times.insert(time);
  }
  ASSERT_GE(times.size(), 2u) << "200 records took no time at all";
  int64_t step = 0;  // of the clock: all times are multiples of it
  for (const int64_t time : times) step = std::gcd(step, time);
  EXPECT_LE(step, 1000);
}

// Event and fence nodes tell others of a launch, and wait for others.
TEST_P(FiguresTest, AReplaySignalsRecordsAndWaitsForOthers) {
  Graph graph;
  GraphExec exec;
  Fence wanted;
  Fence told;
  Event event;
  rtGraphNode_t nodes[3] = {};
  ASSERT_RT_OK(rtGraphCreate(graph.out()));
  ASSERT_RT_OK(rtFenceCreate(wanted.out(), 0, context_));
  ASSERT_RT_OK(rtFenceCreate(told.out(), 0, context_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  rtGraphFenceParams_t fence = RT_GRAPH_FENCE_PARAMS_INIT;
  fence.fence = wanted;
  fence.value = 3;
  ASSERT_RT_OK(rtGraphAddFenceWaitNode(&nodes[0], &fence, nullptr, 0, graph));
  rtGraphEventParams_t record = RT_GRAPH_EVENT_PARAMS_INIT;
  record.event = event;
  ASSERT_RT_OK(rtGraphAddEventRecordNode(&nodes[1], &record, &nodes[0], 1, graph));
  fence.fence = told;
  fence.value = 8;
  ASSERT_RT_OK(rtGraphAddFenceSignalNode(&nodes[2], &fence, &nodes[1], 1, graph));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
  uint64_t value = 1;
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  EXPECT_RT(RT_NOT_READY, rtEventQuery(event)) << "the fence stands below 3";
  ASSERT_RT_OK(rtFenceGetValue(&value, told));
  EXPECT_EQ(value, 0u);
  ASSERT_RT_OK(rtFenceSignal(2, wanted));
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(stream_));
  ASSERT_RT_OK(rtFenceSignal(3, wanted));
  ASSERT_RT_OK(rtFenceWait(8, told));
  EXPECT_RT_OK(rtEventSynchronize(event));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtFenceGetValue(&value, told));
  EXPECT_EQ(value, 8u);
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_)) << "again: the fence stands, the signal is no step back";
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(FiguresTest, AnEventWaitNodeWaitsForTheRecordThatStandsAtTheLaunch) {
  Graph graph;
  GraphExec exec;
  Event event;
  Stream other;
  Gate gate(context_);
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtGraphCreate(graph.out()));
  rtGraphEventParams_t wait = RT_GRAPH_EVENT_PARAMS_INIT;
  wait.event = event;
  ASSERT_RT_OK(rtGraphAddEventWaitNode(&node, &wait, nullptr, 0, graph));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_)) << "never recorded";
  ASSERT_RT_OK(gate.close(other));
  ASSERT_RT_OK(rtEventRecord(event, other));
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(stream_));
  ASSERT_RT_OK(gate.open());
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

// The waiting thread comes back after the gate was opened, and sees what stood after it.
TEST_P(FiguresTest, AContextAndADeviceAreWaitedForAsAWhole) {
  for (const bool device : {false, true}) {
    SCOPED_TRACE(device ? "rtDeviceSynchronize" : "rtContextSynchronize");
    Memory memory;
    Stream last;
    Gate gate(context_);
    std::atomic<bool> entered{false}, opened{false};
    std::atomic<int> ran{0};
    ASSERT_RT_OK(rtStreamCreate(last.out(), nullptr, context_));
    ASSERT_RT_OK(gate.close(last));
    ASSERT_RT_OK(
        rtLaunchHostFunction([](void* user, rtStatus_t) { static_cast<std::atomic<int>*>(user)->fetch_add(1); }, &ran, last));
    bool came_late = false;
    rtStatus_t status = RT_ERROR_INTERNAL;
    int seen = -1;
    std::thread waiting([&] {
      entered = true;
      status = device ? rtDeviceSynchronize(device_) : rtContextSynchronize(context_);
      came_late = opened;
      seen = ran;
    });
    while (!entered) std::this_thread::yield();
    for (int i = 0; i < 2000; ++i) {  // time for one that does not wait
      EXPECT_RT(RT_NOT_READY, rtStreamQuery(last));
      std::this_thread::yield();
    }
    opened = true;
    EXPECT_RT_OK(gate.open());
    waiting.join();
    EXPECT_RT_OK(status);
    EXPECT_TRUE(came_late);
    EXPECT_EQ(seen, 1);
  }
}

class KernelFiguresTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(iota_.make(context_, "iota"));
  }
  void TearDown() override {
    EXPECT_RT_OK(iota_.reset());
    DeviceTest::TearDown();
  }
  void expectWritten(const uint32_t* values) {
    for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(values[i], 7 + i);
  }
  rtStatus_t run(void* memory) { return launchOver(iota_, stream_, 10, 100, memory, 1000u, 7u); }
  PortableKernel iota_;
};
INSTANTIATE_TEST_SUITE_P(, KernelFiguresTest, testing::ValuesIn(devicesWith({RT_CAPABILITY_KERNELS})), testName);

TEST_P(KernelFiguresTest, AKernelWritesSharedMemoryThatTheHostReads) {
  if (!has(RT_CAPABILITY_SHARED_MEMORY)) GTEST_SKIP() << "the device has no shared memory";
  Memory shared;
  ASSERT_RT_OK(rtMallocShared(shared.out(), 4000, context_));
  ASSERT_RT_OK(run(shared));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  expectWritten(shared.as<uint32_t>());
}

TEST_P(KernelFiguresTest, AKernelWritesRegisteredMemory) {
  if (!has(RT_CAPABILITY_HOST_REGISTER)) GTEST_SKIP() << "the device registers no host memory";
  std::vector<uint32_t> own(1000);
  void* address = nullptr;
  ASSERT_RT_OK(rtHostRegister(own.data(), 4000, context_));
  ASSERT_RT_OK(rtHostGetDevicePointer(&address, own.data(), context_));
  EXPECT_RT_OK(run(address));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  expectWritten(own.data());
  EXPECT_RT_OK(rtHostUnregister(own.data(), context_));
}

TEST_P(KernelFiguresTest, AKernelWritesMemoryOfAPeer) {
  bool any = false;
  for (const std::string& name : deviceNames()) {
    rtDevice_t device = nullptr;
    int32_t can = 0;
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    if (name == GetParam() || name.starts_with("null")) continue;
    ASSERT_RT_OK(rtDeviceCanAccessPeer(&can, device, device_));
    if (can == 0) continue;
    any = true;
    Context peer;
    Memory memory;
    ASSERT_RT_OK(rtContextCreate(peer.out(), nullptr, device));
    ASSERT_RT_OK(rtMalloc(memory.out(), 4000, peer));
    ASSERT_RT_OK(rtContextEnablePeerAccess(peer, context_));
    ASSERT_RT_OK(run(memory));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    std::vector<uint32_t> values(1000);
    ASSERT_RT_OK(rtMemcpy(values.data(), memory, 4000, RT_MEMCPY_DEFAULT));
    expectWritten(values.data());
  }
  if (!any) GTEST_SKIP() << "the device has no peer";
}

TEST_P(KernelFiguresTest, TheBuildLogHasAWarningOfTheSource) {
  Module module;
  std::vector<char> log(1 << 16);
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), "#warning look at this\n__kernel void k(__global int* p) { p[0] = 1; }\n",
                                        nullptr, context_));
  ASSERT_RT_OK(rtModuleGetBuildLog(log.data(), log.size(), nullptr, module));
  const std::string text = log.data();
  EXPECT_NE(text.find("look at this"), std::string::npos) << text;
  EXPECT_NE(text.find("warning"), std::string::npos) << text;
  EXPECT_NE(text.find(":1:"), std::string::npos) << "with its line: " << text;
}

}  // namespace
}  // namespace rttest
