// Fences: a value that only grows, waits before and after the signal, on host and streams; destroy with waiters.
#include <atomic>
#include <thread>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

class FenceTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(rtFenceCreate(fence_.out(), 5, context_));
  }
  void TearDown() override {
    EXPECT_RT_OK(fence_.reset());
    DeviceTest::TearDown();
  }
  uint64_t value() const {
    uint64_t now = 0;
    EXPECT_RT_OK(rtFenceGetValue(&now, fence_));
    return now;
  }
  Fence fence_;
};
INSTANTIATE_TEST_SUITE_P(, FenceTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(FenceTest, StartsAtTheGivenValue) {
  EXPECT_EQ(value(), 5u);
  EXPECT_RT_OK(rtFenceWait(5, fence_));
  EXPECT_RT_OK(rtFenceWait(0, fence_));
  EXPECT_RT_OK(rtFenceWaitFor(0, 5, fence_));
  Fence last;
  uint64_t now = 0;
  ASSERT_RT_OK(rtFenceCreate(last.out(), UINT64_MAX, context_));
  ASSERT_RT_OK(rtFenceGetValue(&now, last));
  EXPECT_EQ(now, UINT64_MAX);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFenceCreate(nullptr, 0, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFenceGetValue(nullptr, fence_));
}

TEST_P(FenceTest, TheValueOnlyGrows) {
  ASSERT_RT_OK(rtFenceSignal(9, fence_));
  EXPECT_EQ(value(), 9u);
  EXPECT_RT_OK(rtFenceSignal(9, fence_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFenceSignal(8, fence_));
  EXPECT_EQ(value(), 9u);
  ASSERT_RT_OK(rtStreamSignalFence(fence_, 3, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamSynchronize(stream_)) << "a stream's signal below the value is its failure";
  EXPECT_EQ(value(), 9u);
  ASSERT_RT_OK(rtFenceSignal(UINT64_MAX, fence_));
  EXPECT_EQ(value(), UINT64_MAX);
}

TEST_P(FenceTest, AWaitOnTheHostTimesOut) {
  EXPECT_RT(RT_ERROR_TIMEOUT, rtFenceWaitFor(0, 6, fence_));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtFenceWaitFor(2000000, 6, fence_));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtFenceWaitFor(1, UINT64_MAX, fence_));
}

TEST_P(FenceTest, AWaitMayComeBeforeItsSignal) {
  std::atomic<int> started{0};
  std::vector<std::thread> waiters;
  for (uint64_t target : {6, 7, 8, 8}) {
    waiters.emplace_back([&, target] {
      started.fetch_add(1);
      started.notify_all();
      EXPECT_RT_OK(rtFenceWait(target, fence_));
      EXPECT_GE(value(), target);
    });
  }
  for (int seen = started.load(); seen < 4; seen = started.load()) started.wait(seen);
  ASSERT_RT_OK(rtFenceSignal(6, fence_));
  ASSERT_RT_OK(rtFenceSignal(8, fence_));  // passes 7
  for (std::thread& waiter : waiters) waiter.join();
}

TEST_P(FenceTest, StreamsWaitBeforeTheHostSignals) {
  ASSERT_RT_OK(rtStreamWaitFence(fence_, 6, stream_));
  ASSERT_RT_OK(rtStreamSignalFence(fence_, 7, stream_));
  ASSERT_RT_OK(rtStreamWaitFence(fence_, 7, nullptr));
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(stream_));
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(nullptr));
  EXPECT_EQ(value(), 5u);
  ASSERT_RT_OK(rtFenceSignal(6, fence_));
  EXPECT_RT_OK(rtFenceWait(7, fence_));
  EXPECT_RT_OK(rtStreamSynchronize(nullptr));
}

TEST_P(FenceTest, AValueThatIsReachedHoldsNothingBack) {
  ASSERT_RT_OK(rtStreamWaitFence(fence_, 5, stream_));
  ASSERT_RT_OK(rtStreamWaitFence(fence_, 0, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(FenceTest, OneSignalReleasesManyStreams) {
  std::vector<Stream> streams(20);
  uint64_t target = 6;
  for (Stream& stream : streams) {
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    ASSERT_RT_OK(rtStreamWaitFence(fence_, target++, stream));
  }
  ASSERT_RT_OK(rtFenceSignal(15, fence_));
  for (int i = 0; i < 10; ++i) EXPECT_RT_OK(rtStreamSynchronize(streams[i]));
  for (int i = 10; i < 20; ++i) EXPECT_RT(RT_NOT_READY, rtStreamQuery(streams[i]));
  ASSERT_RT_OK(rtFenceSignal(100, fence_));
  for (Stream& stream : streams) EXPECT_RT_OK(rtStreamSynchronize(stream));
}

TEST_P(FenceTest, DestroyedWithWaitersTheyFailWithInvalidHandleLatched) {
  Stream other;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamWaitFence(fence_, 6, stream_));
  ASSERT_RT_OK(rtStreamWaitFence(fence_, 7, other));
  const rtFence_t stale = fence_;
  std::atomic<int> started{0};
  std::thread waiter([&] {
    started.store(1);
    started.notify_all();
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtFenceWait(6, stale));
  });
  started.wait(0);
  EXPECT_RT_OK(rtFenceDestroy(fence_.release()));
  waiter.join();
  for (rtStream_t stream : {stream_.get(), other.get()}) {
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronizeFor(RT_TIMEOUT_INFINITE, stream));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamQuery(stream));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream));
    EXPECT_RT_OK(rtStreamSynchronize(stream)) << "the synchronise before has cleared it";
  }
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtFenceSignal(6, stale));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtFenceDestroy(stale));
}

TEST_P(FenceTest, DestroyedWithAPendingSignalTheStreamGoesOn) {
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtStreamSignalFence(fence_, 6, stream_));
  ASSERT_RT_OK(fence_.reset());
  ASSERT_RT_OK(gate.open());
  const rtStatus_t status = rtStreamSynchronize(stream_);
  EXPECT_TRUE(status == RT_SUCCESS || status == RT_ERROR_INVALID_HANDLE) << rtGetErrorName(status);
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(FenceTest, AWaitForAValueThatHasFailedLatchesTheStream) {
  Stream failing, waiting;
  Fence fence;
  ASSERT_RT_OK(rtStreamCreate(failing.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamCreate(waiting.out(), nullptr, context_));
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(failing));
  ASSERT_RT_OK(rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_IO; }, nullptr, failing));
  ASSERT_RT_OK(rtStreamSignalFence(fence, 5, failing));
  ASSERT_RT_OK(gate.open());
  EXPECT_EQ(rtStreamSynchronize(failing), RT_ERROR_IO);
  EXPECT_RT_OK(rtStreamWaitFence(fence, 5, waiting));
  EXPECT_EQ(rtStreamSynchronize(waiting), RT_ERROR_IO);
  EXPECT_EQ(rtFenceWait(5, fence), RT_ERROR_IO);
  EXPECT_RT_OK(rtFenceSignal(5, fence));
  EXPECT_RT_OK(rtFenceWait(5, fence));
}

TEST_P(FenceTest, AFenceWorksInEveryContextOfEveryBackend) {
  for (const std::string& name : deviceNames()) {
    SCOPED_TRACE(name);
    rtDevice_t device = nullptr;
    Context context;
    Stream stream;
    Fence fence;
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
    ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
    ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream));
    ASSERT_RT_OK(rtStreamSignalFence(fence, 2, stream));
    ASSERT_RT_OK(rtStreamWaitFence(fence, 2, stream_));
    ASSERT_RT_OK(rtFenceSignal(1, fence));
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_RT_OK(rtFenceWait(2, fence));
  }
}

TEST_P(FenceTest, WaitersFailWhenTheContextOfTheFenceIsDestroyed) {
  Context owner;
  rtFence_t fence = nullptr;
  ASSERT_RT_OK(rtContextCreate(owner.out(), nullptr, device_));
  ASSERT_RT_OK(rtFenceCreate(&fence, 0, owner));
  ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream_));
  ASSERT_RT_OK(owner.reset());
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(FenceTest, HandlesOfOtherKindsAreRefused) {
  const auto wrong = reinterpret_cast<rtFence_t>(stream_.get());
  for (rtFence_t fence : {static_cast<rtFence_t>(nullptr), wrong, garbage<rtFence_t>()}) {
    uint64_t now = 7;
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtFenceGetValue(&now, fence));
    EXPECT_EQ(now, 0u);
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtFenceSignal(1, fence));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtFenceWait(0, fence));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtFenceWaitFor(0, 0, fence));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSignalFence(fence, 1, stream_));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamWaitFence(fence, 1, stream_));
  }
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamWaitFence(fence_, 1, garbage<rtStream_t>()));
  EXPECT_RT_OK(rtStreamSynchronize(stream_)) << "a refused call leaves nothing in the stream";
}

}  // namespace
}  // namespace rttest
