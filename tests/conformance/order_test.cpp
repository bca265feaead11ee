// Order between submissions: in order within a stream, by events, fences, rtStreamWaitStream and rtStreamWaitContext between
// streams, contexts and backends; and that nothing of it blocks the caller.
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "support/device_test.h"
#include "support/portable_kernels.h"

namespace rttest {
namespace {

class OrderTest : public DeviceTest {
 protected:
  struct Mark {
    OrderTest* test;
    int value;
  };

  // Notes `value` when the stream gets here.
  rtStatus_t mark(int value, rtStream_t stream) {
    Mark* mark = new Mark{this, value};
    const rtStatus_t status = rtLaunchHostFunction(
        [](void* user, rtStatus_t) {
          Mark* noted = static_cast<Mark*>(user);
          {
            std::lock_guard<std::mutex> lock(noted->test->mutex_);
            noted->test->seen_.push_back(noted->value);
          }
          delete noted;
        },
        mark, stream);
    if (status != RT_SUCCESS) delete mark;
    return status;
  }
  std::vector<int> seen() {
    std::lock_guard<std::mutex> lock(mutex_);
    return seen_;
  }

  std::mutex mutex_;
  std::vector<int> seen_;
};
INSTANTIATE_TEST_SUITE_P(, OrderTest, testing::ValuesIn(deviceNames()), testName);

// Item 5 of the first milestone: the host signals only after the launch and two later submissions have returned. A library
// that ran the launch, or waited for the fence, inside one of these calls would never get there.
TEST_P(OrderTest, AKernelAfterAFenceRunsOnceTheHostSignalsAfterTheCallsHaveReturned) {
  Memory memory;
  Fence fence;
  Kernel kernel;
  uint32_t result = 0;
  std::atomic<uint32_t> ran{0};
  ASSERT_RT_OK(rtMallocHost(memory.out(), 256 * sizeof(uint32_t), context_));
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  const bool kernels = acceptsKernels();
  if (kernels) {
    ASSERT_RT_OK(makeKernel(&kernel, context_, countKernel, {kPointerArg}, "count"));
  }

  ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream_));
  if (kernels) {
    ASSERT_RT_OK(launchOver(kernel, stream_, 4, 1, &ran));
  } else {
    ASSERT_RT_OK(rtMemsetAsync(memory, 1, 256, stream_));
  }
  ASSERT_RT_OK(rtMemsetAsync(memory, 7, 256 * sizeof(uint32_t), stream_));
  ASSERT_RT_OK(mark(1, stream_));
  EXPECT_EQ(ran.load(), 0u);
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(stream_));
  EXPECT_TRUE(seen().empty());

  ASSERT_RT_OK(rtFenceSignal(1, fence));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen(), std::vector<int>{1});
  if (kernels && runsKernels()) {
    EXPECT_EQ(ran.load(), 4u);
  }
  ASSERT_RT_OK(rtMemcpy(&result, memory.as(16), sizeof result, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(result, 0x07070707u);
}

TEST_P(OrderTest, AStreamRunsInOrder) {
  std::vector<int> expected;
  for (int i = 0; i < 200; ++i) {
    ASSERT_RT_OK(mark(i, stream_));
    expected.push_back(i);
  }
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen(), expected);
}

TEST_P(OrderTest, KernelsCopiesFillsAndHostFunctionsKeepTheirOrder) {
  NEEDS_KERNELS();
  constexpr uint32_t kCount = 1000;
  Memory device;
  Memory host;
  PortableKernel iota;
  PortableKernel affine;
  ASSERT_RT_OK(rtMalloc(device.out(), kCount * 4, context_));
  ASSERT_RT_OK(rtMallocHost(host.out(), kCount * 4, context_));
  ASSERT_RT_OK(iota.make(context_, "iota"));
  ASSERT_RT_OK(affine.make(context_, "affine"));
  for (uint32_t round = 0; round < 20; ++round) {
    const uint32_t pattern = round;
    ASSERT_RT_OK(launchOver(iota, stream_, 16, 64, device.as<uint32_t>(), kCount, round));
    ASSERT_RT_OK(launchOver(affine, stream_, 16, 64, device.as<uint32_t>(), kCount, 3u));
    ASSERT_RT_OK(rtMemFillAsync(device.as(40), &pattern, 4, 5, stream_));
    ASSERT_RT_OK(launchOver(affine, stream_, 16, 64, device.as<uint32_t>(), kCount, 2u));
    ASSERT_RT_OK(rtMemcpyAsync(host, device, kCount * 4, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    for (uint32_t i = 0; i < kCount; ++i) {
      const uint32_t before = i >= 10 && i < 15 ? pattern : (round + i) * 3 + 1;
      ASSERT_EQ(host.as<uint32_t>()[i], before * 2 + 1) << "round " << round << " element " << i;
    }
  }
}

TEST_P(OrderTest, WaitEventOrdersTwoStreams) {
  Stream other;
  Event event;
  Gate gate(context_);
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(mark(1, stream_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_RT_OK(rtStreamWaitEvent(event, other));
  ASSERT_RT_OK(mark(2, other));
  ASSERT_RT_OK(event.reset());  // the wait keeps what it waits for
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(other));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(other));
  EXPECT_EQ(seen(), (std::vector<int>{1, 2}));
}

TEST_P(OrderTest, WaitStreamOrdersWhatIsSubmittedNow) {
  Stream other;
  Gate gate(context_);
  Gate later(context_);
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(mark(1, stream_));
  ASSERT_RT_OK(rtStreamWaitStream(stream_, other));
  ASSERT_RT_OK(later.close(stream_));  // not waited for
  ASSERT_RT_OK(mark(2, other));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(other));
  EXPECT_EQ(seen(), (std::vector<int>{1, 2}));
  EXPECT_RT_OK(rtStreamWaitStream(other, other)) << "the same: nothing happens";
  EXPECT_RT_OK(rtStreamSynchronize(other));
  ASSERT_RT_OK(later.open());
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamWaitStream(garbage<rtStream_t>(), stream_));
}

TEST_P(OrderTest, WaitContextWaitsForEveryStreamOfTheContext) {
  Context other;
  Stream waiting;
  Gate gate(context_);
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(waiting.out(), nullptr, other));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(mark(1, stream_));
  ASSERT_RT_OK(mark(1, nullptr));
  ASSERT_RT_OK(rtStreamWaitContext(context_, waiting));
  ASSERT_RT_OK(mark(2, waiting));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(waiting));
  EXPECT_EQ(seen(), (std::vector<int>{1, 1, 2}));
}

TEST_P(OrderTest, WaitContextWithItsOwnStreamDoesNotWaitForItself) {
  ASSERT_RT_OK(mark(1, nullptr));
  ASSERT_RT_OK(rtStreamWaitContext(context_, stream_));
  ASSERT_RT_OK(mark(2, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen(), (std::vector<int>{1, 2}));
}

TEST_P(OrderTest, WaitsJoinContextsOfEveryTwoBackends) {
  for (const std::string& name : deviceNames()) {
    SCOPED_TRACE(name);
    seen_.clear();
    rtDevice_t device = nullptr;
    Context context;
    Stream stream;
    Event event;
    Event back;
    Gate gate(context_);
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
    ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
    ASSERT_RT_OK(rtEventCreate(back.out(), nullptr, context));
    ASSERT_RT_OK(gate.close(stream_));
    ASSERT_RT_OK(mark(1, stream_));
    ASSERT_RT_OK(rtEventRecord(event, stream_));
    ASSERT_RT_OK(rtStreamWaitEvent(event, stream));
    ASSERT_RT_OK(mark(2, stream));
    ASSERT_RT_OK(rtEventRecord(back, stream));
    ASSERT_RT_OK(rtStreamWaitEvent(back, stream_));
    ASSERT_RT_OK(mark(3, stream_));
    ASSERT_RT_OK(rtStreamWaitStream(stream_, stream));
    ASSERT_RT_OK(mark(4, stream));
    EXPECT_RT(RT_NOT_READY, rtStreamQuery(stream));
    ASSERT_RT_OK(gate.open());
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    EXPECT_EQ(seen(), (std::vector<int>{1, 2, 3, 4}));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
  }
}

TEST_P(OrderTest, FencesJoinStreamsOfEveryTwoBackends) {
  for (const std::string& name : deviceNames()) {
    SCOPED_TRACE(name);
    seen_.clear();
    rtDevice_t device = nullptr;
    Context context;
    Stream stream;
    Fence fence;
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
    ASSERT_RT_OK(rtFenceCreate(fence.out(), 10, context_));
    constexpr int kRounds = 50;
    std::vector<int> expected;
    for (int i = 0; i < kRounds; ++i) {  // each round waits for a value that is signalled by a later submission
      ASSERT_RT_OK(rtStreamWaitFence(fence, 11 + 2 * i, stream));
      ASSERT_RT_OK(mark(2 * i + 1, stream));
      ASSERT_RT_OK(rtStreamSignalFence(fence, 12 + 2 * i, stream));
    }
    for (int i = 0; i < kRounds; ++i) {
      ASSERT_RT_OK(mark(2 * i, stream_));
      ASSERT_RT_OK(rtStreamSignalFence(fence, 11 + 2 * i, stream_));
      ASSERT_RT_OK(rtStreamWaitFence(fence, 12 + 2 * i, stream_));
      expected.push_back(2 * i);
      expected.push_back(2 * i + 1);
    }
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    EXPECT_EQ(seen(), expected);
    uint64_t value = 0;
    ASSERT_RT_OK(rtFenceGetValue(&value, fence));
    EXPECT_EQ(value, 10u + 2 * kRounds);
  }
}

TEST_P(OrderTest, ADiamondOfManyStreamsRunsItsJoinLast) {
  constexpr int kBranches = 16;
  Gate gate(context_);
  Stream branches[kBranches];
  Event fork;
  Event joins[kBranches];
  ASSERT_RT_OK(rtEventCreate(fork.out(), nullptr, context_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(mark(0, stream_));
  ASSERT_RT_OK(rtEventRecord(fork, stream_));
  for (int i = 0; i < kBranches; ++i) {
    ASSERT_RT_OK(rtStreamCreate(branches[i].out(), nullptr, context_));
    ASSERT_RT_OK(rtEventCreate(joins[i].out(), nullptr, context_));
    ASSERT_RT_OK(rtStreamWaitEvent(fork, branches[i]));
    ASSERT_RT_OK(mark(1, branches[i]));
    ASSERT_RT_OK(rtEventRecord(joins[i], branches[i]));
    ASSERT_RT_OK(rtStreamWaitEvent(joins[i], stream_));
  }
  ASSERT_RT_OK(mark(2, stream_));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  std::vector<int> expected(kBranches + 2, 1);
  expected.front() = 0;
  expected.back() = 2;
  EXPECT_EQ(seen(), expected);
}

TEST_P(OrderTest, AThousandSubmissionsAfterAClosedGateBlockNoThread) {
  Gate gate(context_);
  std::vector<int> expected;
  ASSERT_RT_OK(gate.close(stream_));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_RT_OK(mark(i, stream_));
    expected.push_back(i);
  }
  EXPECT_TRUE(seen().empty());
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen(), expected);
}

TEST_P(OrderTest, AChainOfWaitingStreamsTakesNoStack) {
  constexpr int kStreams = 3000;
  std::vector<Stream> streams(kStreams);
  std::vector<Event> events(kStreams);
  Fence fence;
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  for (int i = 0; i < kStreams; ++i) {
    ASSERT_RT_OK(rtStreamCreate(streams[i].out(), nullptr, context_));
    ASSERT_RT_OK(rtEventCreate(events[i].out(), nullptr, context_));
    if (i == 0) {
      ASSERT_RT_OK(rtStreamWaitFence(fence, 1, streams[i]));
    } else {
      ASSERT_RT_OK(rtStreamWaitEvent(events[i - 1], streams[i]));
    }
    ASSERT_RT_OK(rtEventRecord(events[i], streams[i]));
  }
  // On a small stack, so that a depth of one call for each stream would end here.
  pthread_attr_t small;
  ASSERT_EQ(pthread_attr_init(&small), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&small, size_t{256} << 10), 0);
  pthread_t thread;
  auto signal = [](void* raised) -> void* {
    EXPECT_RT_OK(rtFenceSignal(1, static_cast<rtFence_t>(raised)));
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &small, signal, fence.get()), 0);
  pthread_attr_destroy(&small);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_RT_OK(rtEventSynchronize(events[kStreams - 1]));
}

}  // namespace
}  // namespace rttest
