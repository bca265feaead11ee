// Causality of queries: what one call has shown to be complete, no later query calls RT_NOT_READY. The event, the stream up to
// it, and all that these waited for; also where another thread was shown it, and across devices. Each rule is tried in rounds:
// the moment between the passing of a point and the stream's own count is short.
#include <atomic>
#include <thread>

#include "support/device_test.h"

namespace rttest {
namespace {

#if defined(MANYRT_SANITIZE_THREAD) || defined(MANYRT_SANITIZE_ADDRESS)
constexpr int kRounds = 60;
#else
constexpr int kRounds = 300;
#endif

class CausalityTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(rtMalloc(memory_.out(), kBytes, context_));
    ASSERT_RT_OK(rtEventCreate(event_.out(), nullptr, context_));
  }
  void TearDown() override {
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_RT_OK(memory_.reset());
    EXPECT_RT_OK(event_.reset());
    DeviceTest::TearDown();
  }

  // Some work, more of it in later rounds, and the event after it.
  void recordAfterWork(rtStream_t stream, int round) {
    ASSERT_RT_OK(rtMemsetAsync(memory_, round, kBytes / 64 * static_cast<size_t>(1 + round % 64), stream));
    ASSERT_RT_OK(rtEventRecord(event_, stream));
  }
  // Both questions about a stream that is complete, as a call has shown.
  void expectComplete(rtStream_t stream) {
    EXPECT_RT_OK(rtStreamQuery(stream));
    EXPECT_RT_OK(rtStreamSynchronizeFor(0, stream));
  }

  static constexpr size_t kBytes = 64 * 1024;
  Memory memory_;
  Event event_;
};
INSTANTIATE_TEST_SUITE_P(, CausalityTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(CausalityTest, TheStreamOfAnEventThatWasWaitedForIsComplete) {
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    ASSERT_NO_FATAL_FAILURE(recordAfterWork(stream_, round));
    ASSERT_RT_OK(rtEventSynchronize(event_));
    expectComplete(stream_);
  }
}

TEST_P(CausalityTest, TheStreamOfAnEventThatWasSeenIsComplete) {
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    ASSERT_NO_FATAL_FAILURE(recordAfterWork(stream_, round));
    rtStatus_t status;
    while ((status = rtEventQuery(event_)) == RT_NOT_READY) std::this_thread::yield();
    ASSERT_RT_OK(status);
    expectComplete(stream_);
  }
}

TEST_P(CausalityTest, TheStreamOfAnEventWhoseTimeIsKnownIsComplete) {
  Event start;
  ASSERT_RT_OK(rtEventCreate(start.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventRecord(start, stream_));
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    ASSERT_NO_FATAL_FAILURE(recordAfterWork(stream_, round));
    int64_t nanoseconds = 0;
    rtStatus_t status;
    while ((status = rtEventElapsedNanoseconds(&nanoseconds, start, event_)) == RT_NOT_READY) std::this_thread::yield();
    ASSERT_RT_OK(status);
    expectComplete(stream_);
  }
}

TEST_P(CausalityTest, AnEventOfAStreamThatIsCompleteIsComplete) {
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    ASSERT_NO_FATAL_FAILURE(recordAfterWork(stream_, round));
    rtStatus_t status;
    while ((status = rtStreamQuery(stream_)) == RT_NOT_READY) std::this_thread::yield();
    ASSERT_RT_OK(status);
    EXPECT_RT_OK(rtEventQuery(event_));
    int64_t nanoseconds = 0;
    EXPECT_RT_OK(rtEventElapsedNanoseconds(&nanoseconds, event_, event_));
  }
}

TEST_P(CausalityTest, AStreamIsCompleteOnceAStreamThatWaitedForItsEventIs) {
  Stream second, third;
  Event after;
  ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamCreate(third.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(after.out(), nullptr, context_));
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    ASSERT_NO_FATAL_FAILURE(recordAfterWork(stream_, round));
    ASSERT_RT_OK(rtStreamWaitEvent(event_, second));
    ASSERT_RT_OK(rtEventRecord(after, second));
    ASSERT_RT_OK(rtStreamWaitEvent(after, third));
    ASSERT_RT_OK(rtStreamSynchronize(third));
    expectComplete(stream_);
    expectComplete(second);
    EXPECT_RT_OK(rtEventQuery(event_));
  }
}

TEST_P(CausalityTest, TheSameAcrossDevices) {
  for (const std::string& name : deviceNames()) {
    SCOPED_TRACE(name);
    rtDevice_t device = nullptr;
    Context context;
    Stream other;
    Event after;
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context));
    ASSERT_RT_OK(rtEventCreate(after.out(), nullptr, context));
    for (int round = 0; round < kRounds / 4 && !HasFailure(); ++round) {
      ASSERT_NO_FATAL_FAILURE(recordAfterWork(stream_, round));
      ASSERT_RT_OK(rtStreamWaitEvent(event_, other));
      ASSERT_RT_OK(rtEventRecord(after, other));
      if (round % 2 == 0) {
        ASSERT_RT_OK(rtStreamSynchronize(other));
      } else {
        ASSERT_RT_OK(rtEventSynchronize(after));
      }
      expectComplete(other);
      expectComplete(stream_);
      EXPECT_RT_OK(rtEventQuery(event_));
    }
  }
}

TEST_P(CausalityTest, AStreamIsCompleteOnceTheFenceThatItSignalsIsThere) {
  Fence fence;
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  uint64_t next = 0;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    ASSERT_RT_OK(rtMemsetAsync(memory_, round, kBytes, stream_));
    ASSERT_RT_OK(rtStreamSignalFence(fence, ++next, stream_));
    if (round % 2 == 0) {
      ASSERT_RT_OK(rtFenceWait(next, fence));
    } else {
      uint64_t value = 0;
      while (value < next) {
        std::this_thread::yield();
        ASSERT_RT_OK(rtFenceGetValue(&value, fence));
      }
    }
    expectComplete(stream_);
  }
}

TEST_P(CausalityTest, AFenceIsThereOnceTheStreamThatSignalsItIsComplete) {
  Fence fence;
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  uint64_t next = 0;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    ASSERT_RT_OK(rtStreamSignalFence(fence, ++next, stream_));
    rtStatus_t status;
    while ((status = rtStreamQuery(stream_)) == RT_NOT_READY) std::this_thread::yield();
    ASSERT_RT_OK(status);
    uint64_t value = 0;
    EXPECT_RT_OK(rtFenceGetValue(&value, fence));
    EXPECT_EQ(value, next);
    EXPECT_RT_OK(rtFenceWaitFor(0, next, fence));
  }
}

// The stream is held when the event is recorded: a thread of the library records it later.
TEST_P(CausalityTest, TheSameAfterAHostFunction) {
  const auto nothing = [](void*, rtStatus_t) {};
  Fence fence;
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  uint64_t next = 0;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    ASSERT_RT_OK(rtLaunchHostFunction(nothing, nullptr, stream_));
    if (round % 2 == 0) {
      ASSERT_RT_OK(rtEventRecord(event_, stream_));
      ASSERT_RT_OK(rtEventSynchronize(event_));
    } else {
      ASSERT_RT_OK(rtStreamSignalFence(fence, ++next, stream_));
      ASSERT_RT_OK(rtFenceWait(next, fence));
    }
    expectComplete(stream_);
  }
}

// One thread is shown the event and tells the other, which asks the stream.
TEST_P(CausalityTest, AnotherThreadMayHaveBeenShownIt) {
  std::atomic<int> recorded{0}, shown{0}, asked{0};
  std::thread waiting([&] {
    for (int round = 1; round <= kRounds; ++round) {
      for (int seen = recorded.load(); seen < round; seen = recorded.load()) recorded.wait(seen);
      EXPECT_RT_OK(rtEventSynchronize(event_));
      shown.store(round);
      shown.notify_all();
      for (int seen = asked.load(); seen < round; seen = asked.load()) asked.wait(seen);
    }
  });
  for (int round = 1; round <= kRounds; ++round) {
    recordAfterWork(stream_, round);
    recorded.store(round);
    recorded.notify_all();
    for (int seen = shown.load(); seen < round; seen = shown.load()) shown.wait(seen);
    expectComplete(stream_);
    EXPECT_RT_OK(rtEventQuery(event_));
    asked.store(round);
    asked.notify_all();
  }
  waiting.join();
}

TEST_P(CausalityTest, StreamsAreCompleteOnceTheirContextOrDeviceWasWaitedFor) {
  Stream second;
  ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, context_));
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    ASSERT_NO_FATAL_FAILURE(recordAfterWork(stream_, round));
    ASSERT_RT_OK(rtStreamWaitEvent(event_, second));
    ASSERT_RT_OK(round % 2 == 0 ? rtContextSynchronize(context_) : rtDeviceSynchronize(device_));
    expectComplete(stream_);
    expectComplete(second);
    EXPECT_RT_OK(rtEventQuery(event_));
  }
}

}  // namespace
}  // namespace rttest
