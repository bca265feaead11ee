// Which calls of a driver the library makes: none that waits, and for a launch no more than have to be.
#include <chrono>
#include <set>
#include <thread>

#include "opencl_test.h"

namespace rttest {
namespace {

namespace calls = manyrt::opencl::calls;

using OpenClCallsTest = OpenClDeviceTest;
INSTANTIATE_TEST_SUITE_P(, OpenClCallsTest, testing::ValuesIn(openClDevices()), testName);

constexpr char kAdd[] = "__kernel void add(__global uint* data, uint value) { data[get_global_id(0)] += value; }";

uint64_t setCalls() { return calls::count("clSetKernelArg") + calls::count("setArgument"); }

TEST_P(OpenClCallsTest, ALaunchSetsOnlyTheArgumentsThatChanged) {
  Memory memory, other;
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  ASSERT_RT_OK(rtMalloc(other.out(), 64, context_));
  rtKernel_t add = kernelOf(kAdd, "add");
  ASSERT_RT_OK(launchOver(add, stream_, 1, 1, memory.get(), 1u));
  calls::startCounting();
  for (int i = 0; i < 10; ++i) ASSERT_RT_OK(launchOver(add, stream_, 1, 1, memory.get(), 1u));
  EXPECT_EQ(calls::count("clEnqueueNDRangeKernel"), 10u);
  EXPECT_EQ(setCalls(), 0u);
  EXPECT_EQ(calls::count("clCreateKernel"), 0u);
  ASSERT_RT_OK(launchOver(add, stream_, 1, 1, memory.get(), 2u));
  EXPECT_EQ(setCalls(), 1u);
  ASSERT_RT_OK(launchOver(add, stream_, 1, 1, other.get(), 2u));
  EXPECT_EQ(setCalls(), 2u) << "another address; in buffers of one root that is its offset alone";
  calls::stopCounting();
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(OpenClCallsTest, NothingWaitsInsideADriver) {
  Memory memory;
  Stream second;
  Event event;
  std::vector<uint32_t> host(1 << 16, 5), seen(1 << 16);
  const size_t bytes = host.size() * 4;
  ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtMalloc(memory.out(), bytes, context_));
  rtKernel_t add = kernelOf(kAdd, "add");
  calls::startCounting();
  ASSERT_RT_OK(rtMemcpyAsync(memory, host.data(), bytes, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_RT_OK(rtStreamWaitEvent(event, second));
  ASSERT_RT_OK(launchOver(add, second, 1 << 10, 64, memory.get(), 3u));
  ASSERT_RT_OK(rtMemcpyAsync(seen.data(), memory, bytes, RT_MEMCPY_DEFAULT, second));
  ASSERT_RT_OK(rtStreamSynchronize(second));
  ASSERT_RT_OK(rtEventSynchronize(event));
  calls::stopCounting();
  EXPECT_EQ(seen, std::vector<uint32_t>(1 << 16, 8));
  // The tables have no call that waits; these two are here so that they are not added unseen.
  EXPECT_EQ(calls::count("clFinish"), 0u);
  EXPECT_EQ(calls::count("clWaitForEvents"), 0u);
  EXPECT_GE(calls::count("clEnqueueMarkerWithWaitList"), 1u);
  EXPECT_GE(calls::count(""), 8u);
}

TEST_P(OpenClCallsTest, StreamsOfOneDeviceWaitThereForEachOther) {
  Memory memory;
  Stream second;
  Event event;
  ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtMalloc(memory.out(), 16 << 20, context_));
  bool waited = false;
  for (int i = 0; i < 50 && !waited; ++i) {  // what is over already needs no wait
    calls::startCounting();
    ASSERT_RT_OK(rtMemsetAsync(memory, 1, 16 << 20, stream_));
    ASSERT_RT_OK(rtEventRecord(event, stream_));
    ASSERT_RT_OK(rtStreamWaitEvent(event, second));
    waited = calls::count("clEnqueueBarrierWithWaitList") != 0;
    calls::stopCounting();
    ASSERT_RT_OK(rtStreamSynchronize(second));
  }
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  ASSERT_RT_OK(rtDeviceGetProperties(&properties, device_));
  const bool at_once = std::string(properties.name).starts_with("basic-");  // PoCL's: what is enqueued there is over
  EXPECT_TRUE(waited || at_once);
}

// Everything that the driver has made for a context is given back. Contexts go on a thread of the library: it is waited for.
// Those of the test before may go late, so that more may be released than made here.
TEST_P(OpenClCallsTest, EverythingThatWasMadeIsReleased) {
  const auto moveOn = [&] {  // grace periods
    Context another;
    EXPECT_RT_OK(rtContextCreate(another.out(), nullptr, device_));
    EXPECT_RT_OK(another.reset());
    std::this_thread::yield();
  };
  for (int i = 0; i < 100; ++i) moveOn();
  calls::startCounting();
  for (int round = 0; round < 3; ++round) {
    Context context;
    Stream first, second;
    Event event;
    Memory memory, host, large;
    Module module;
    Graph graph;
    GraphExec exec;
    rtKernel_t add = nullptr;
    uint32_t seen = 0;
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
    ASSERT_RT_OK(rtStreamCreate(first.out(), nullptr, context));
    ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, context));
    ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context));
    ASSERT_RT_OK(rtMalloc(memory.out(), 64, context));
    ASSERT_RT_OK(rtMallocHost(host.out(), 64, context));
    ASSERT_RT_OK(rtMalloc(large.out(), 5 << 20, context));
    ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), kAdd, "-cl-opt-disable", context));
    ASSERT_RT_OK(rtModuleGetKernel(&add, "add", module));
    ASSERT_RT_OK(rtMemsetAsync(memory, 0, 64, first));
    for (uint32_t i = 0; i < 5; ++i) {
      ASSERT_RT_OK(launchOver(add, first, 1, 1, memory.get(), i));
      ASSERT_RT_OK(rtEventRecord(event, first));
      ASSERT_RT_OK(rtStreamWaitEvent(event, second));
    }
    ASSERT_RT_OK(rtStreamBeginCapture(first));
    for (uint32_t i = 0; i < 5; ++i) ASSERT_RT_OK(launchOver(add, first, 1, 1, memory.get(), i));
    ASSERT_RT_OK(rtStreamEndCapture(graph.out(), first));
    ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context));
    ASSERT_RT_OK(rtGraphLaunch(exec, first));
    ASSERT_RT_OK(rtGraphLaunch(exec, second));
    ASSERT_RT_OK(rtMemcpyAsync(&seen, memory, 4, RT_MEMCPY_DEFAULT, second));
    ASSERT_RT_OK(rtStreamSynchronize(second));
    EXPECT_EQ(seen, 30u);
  }
  const auto left = [] {
    const auto kind = [](const char* name, uint64_t made, uint64_t released) {
      return made <= released ? std::string()
                              : std::to_string(made) + " " + name + ", " + std::to_string(released) + " released; ";
    };
    return kind("buffers", calls::count("clCreateBuffer") + calls::count("clRetainMemObject"),
                calls::count("clReleaseMemObject")) +
           kind("allocations",
                calls::count("clSVMAlloc") + calls::count("clDeviceMemAllocINTEL") + calls::count("clHostMemAllocINTEL"),
                calls::count("clSVMFree") + calls::count("clMemFreeINTEL")) +
           kind("programs", calls::count("clCreateProgramWithSource") + calls::count("clCreateProgramWithBinary"),
                calls::count("clReleaseProgram")) +
           kind("kernels", calls::count("clCreateKernel"), calls::count("clReleaseKernel")) +
           kind("events", calls::count("clEnqueueMarkerWithWaitList") + calls::count("clRetainEvent"),
                calls::count("clReleaseEvent"));
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!left().empty() && std::chrono::steady_clock::now() < end) {
    moveOn();
  }
  EXPECT_EQ(left(), "");
  calls::stopCounting();
}

// Clones: each thread's arguments are its own.
TEST_P(OpenClCallsTest, ManyThreadsLaunchOneKernel) {
  constexpr uint32_t kThreads = 8, kLaunches = 200;
  rtKernel_t add = kernelOf(kAdd, "add");
  std::vector<Memory> memory(kThreads);
  std::vector<Stream> streams(kThreads);
  for (uint32_t i = 0; i < kThreads; ++i) {
    ASSERT_RT_OK(rtMalloc(memory[i].out(), 4, context_));
    ASSERT_RT_OK(rtStreamCreate(streams[i].out(), nullptr, context_));
    ASSERT_RT_OK(rtMemsetAsync(memory[i], 0, 4, streams[i]));
  }
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (uint32_t k = 0; k < kLaunches; ++k) ASSERT_RT_OK(launchOver(add, streams[i], 1, 1, memory[i].get(), i + k % 2));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (uint32_t i = 0; i < kThreads; ++i) {
    uint32_t seen = 0;
    ASSERT_RT_OK(rtMemcpyAsync(&seen, memory[i], 4, RT_MEMCPY_DEFAULT, streams[i]));
    ASSERT_RT_OK(rtStreamSynchronize(streams[i]));
    EXPECT_EQ(seen, kLaunches * i + kLaunches / 2);
  }
}

constexpr size_t kBound = 128;          // native queues of a device at most (src/backends/opencl/stream/queue_pool.h)
constexpr size_t kQueuesOfOthers = 16;  // of them at most: the fixture's and default streams, lanes of graphs

// Each of them needs the times of its commands, some before they have work, some after it.
TEST_P(OpenClCallsTest, EachStreamUpToTheBoundHasAQueueOfItsOwn) {
  constexpr size_t kStreams = kBound - kQueuesOfOthers;
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), kStreams * 4, context_));
  for (int round = 0; round < 3; ++round) {
    std::vector<Stream> streams(kStreams);
    std::vector<Event> events(kStreams);
    std::set<uint64_t> queues;
    calls::startCounting();
    for (size_t i = 0; i < kStreams; ++i) {
      const auto value = static_cast<uint32_t>(i + static_cast<size_t>(round));
      ASSERT_RT_OK(rtStreamCreate(streams[i].out(), nullptr, context_));
      ASSERT_RT_OK(rtEventCreate(events[i].out(), nullptr, context_));
      if (i % 2 == 0) {
        ASSERT_RT_OK(rtMemFillAsync(memory.as<uint32_t>() + i, &value, 4, 1, streams[i]));
      }
      ASSERT_RT_OK(rtEventRecord(events[i], streams[i]));
      if (i % 2 == 1) {
        ASSERT_RT_OK(rtMemFillAsync(memory.as<uint32_t>() + i, &value, 4, 1, streams[i]));
      }
    }
    for (size_t i = 0; i < kStreams; ++i) {
      uint64_t native[2] = {};
      ASSERT_RT_OK(rtStreamSynchronize(streams[i]));
      ASSERT_RT_OK(rtStreamGetNative(native, streams[i]));
      queues.insert(native[0]);
    }
    EXPECT_LE(calls::count("clCreateCommandQueue"), kBound + calls::count("clReleaseCommandQueue"));
    calls::stopCounting();
    EXPECT_EQ(queues.size(), kStreams);
    std::vector<uint32_t> seen(kStreams);
    ASSERT_RT_OK(rtMemcpy(seen.data(), memory, kStreams * 4, RT_MEMCPY_DEFAULT));
    for (size_t i = 0; i < kStreams; ++i) EXPECT_EQ(seen[i], i + static_cast<size_t>(round));
  }
}

// Streams beyond the bound share queues, and no program can tell: work that is held back on one of them holds back no other.
TEST_P(OpenClCallsTest, StreamsBeyondTheBoundShareQueuesWithoutWaitingForEachOther) {
  constexpr size_t kStreams = 300;
  std::vector<Stream> streams(kStreams);
  std::set<uint64_t> queues;
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), kStreams * 4, context_));
  calls::startCounting();
  for (size_t i = 0; i < kStreams; ++i) {
    uint64_t native[2] = {};
    ASSERT_RT_OK(rtStreamCreate(streams[i].out(), nullptr, context_));
    ASSERT_RT_OK(rtStreamGetNative(native, streams[i]));
    queues.insert(native[0]);
  }
  EXPECT_LE(calls::count("clCreateCommandQueue"), kBound + calls::count("clReleaseCommandQueue"));
  calls::stopCounting();
  EXPECT_LE(queues.size(), kBound);
  EXPECT_GE(queues.size(), kBound - kQueuesOfOthers);
  for (size_t held = 0; held < kStreams; held += 37) {
    Gate gate(context_);
    ASSERT_RT_OK(gate.close(streams[held]));
    for (size_t i = 0; i < kStreams; ++i) {
      const auto value = static_cast<uint32_t>(i + held);
      ASSERT_RT_OK(rtMemFillAsync(memory.as<uint32_t>() + i, &value, 4, 1, streams[i]));
    }
    for (size_t i = 0; i < kStreams; ++i) {
      if (i == held) continue;
      ASSERT_RT_OK(rtStreamSynchronize(streams[i]));
    }
    EXPECT_EQ(rtStreamQuery(streams[held]), RT_NOT_READY);
    ASSERT_RT_OK(gate.open());
    ASSERT_RT_OK(rtStreamSynchronize(streams[held]));
    std::vector<uint32_t> seen(kStreams);
    ASSERT_RT_OK(rtMemcpy(seen.data(), memory, kStreams * 4, RT_MEMCPY_DEFAULT));
    for (size_t i = 0; i < kStreams; ++i) EXPECT_EQ(seen[i], i + held);
  }
}

}  // namespace
}  // namespace rttest
