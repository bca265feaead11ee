// Asynchronous failures: the first one latches on the stream. Later work and streams that wait are skipped with the same cause,
// submits return it, one synchronise clears it.
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

class ErrorTest : public DeviceTest {
 protected:
  // A stream that fails once the gate opens, with what follows still to be submitted.
  void failLater(rtStream_t stream, Gate* gate) {
    ASSERT_RT_OK(gate->close(stream));
    ASSERT_RT_OK(rtFenceCreate(doomed_.out(), 0, context_));
    ASSERT_RT_OK(rtStreamWaitFence(doomed_, 1, stream));
  }
  void TearDown() override {
    EXPECT_RT_OK(doomed_.reset());
    DeviceTest::TearDown();
  }
  Fence doomed_;
};
INSTANTIATE_TEST_SUITE_P(, ErrorTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(ErrorTest, SubmitsMeanwhileReturnTheFailure) {
  Memory memory;
  Event event;
  Event other;
  Fence fence;
  Stream second;
  uint32_t pattern = 1;
  void* pointer = garbage<void*>();
  ASSERT_RT_OK(rtMallocHost(memory.out(), 256, context_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventRecord(other, second));
  poison(stream_);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemcpyAsync(memory, memory.as(128), 16, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemcpy2DAsync(memory, 8, memory.as(128), 8, 8, 2, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemsetAsync(memory, 1, 16, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemset2DAsync(memory, 8, 1, 8, 2, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemFillAsync(memory, &pattern, 4, 2, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMallocAsync(&pointer, 16, stream_));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventRecord(event, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamWaitEvent(other, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamWaitStream(second, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamWaitFence(fence, 1, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSignalFence(fence, 1, stream_));
  if (acceptsKernels()) {
    Kernel kernel;
    ASSERT_RT_OK(makeKernel(&kernel, context_, emptyKernel, {}, "empty"));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, 0));
  }
  EXPECT_RT_OK(rtStreamSynchronize(second)) << "other streams go on";
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
}

TEST_P(ErrorTest, QueryAndTimedSynchroniseReturnItAndOnlySynchronizeClearsIt) {
  poison(stream_);
  for (int i = 0; i < 2; ++i) {
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamQuery(stream_));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronizeFor(0, stream_));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextSynchronize(context_)) << "returns the first and clears none";
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtDeviceSynchronize(device_));
  }
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_RT_OK(rtStreamQuery(stream_));
  EXPECT_RT_OK(rtContextSynchronize(context_));
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  EXPECT_RT_OK(rtMemsetAsync(memory, 1, 64, stream_)) << "the stream works again";
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(ErrorTest, OfManyThatSynchroniseExactlyOneSeesIt) {
  for (int round = 0; round < 20; ++round) {
    Gate gate(context_);
    failLater(stream_, &gate);
    std::atomic<int> failures{0};
    std::atomic<int> successes{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const rtStatus_t status = rtStreamSynchronize(stream_);
        (status == RT_ERROR_INVALID_HANDLE ? failures : successes).fetch_add(1);
      });
    }
    ASSERT_RT_OK(doomed_.reset());
    ASSERT_RT_OK(gate.open());
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures.load(), 1);
    EXPECT_EQ(successes.load(), 3);
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
  }
}

TEST_P(ErrorTest, TheFirstFailureWins) {
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(
      rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_LAUNCH_FAILED; }, nullptr, stream_));
  ASSERT_RT_OK(rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_IO; }, nullptr, stream_));
  ASSERT_RT_OK(rtFenceCreate(doomed_.out(), 0, context_));
  ASSERT_RT_OK(rtStreamWaitFence(doomed_, 1, stream_));
  ASSERT_RT_OK(gate.open());
  EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(stream_)) << "a failed stream does not wait for the fence either";
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(ErrorTest, AnEventRecordedAfterItCarriesIt) {
  Gate gate(context_);
  Event before;
  Event after;
  ASSERT_RT_OK(rtEventCreate(before.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(after.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventRecord(before, stream_));
  failLater(stream_, &gate);
  ASSERT_RT_OK(rtEventRecord(after, stream_));
  ASSERT_RT_OK(doomed_.reset());
  ASSERT_RT_OK(gate.open());
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventSynchronize(after));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventSynchronizeFor(RT_TIMEOUT_INFINITE, after));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventQuery(after));
  EXPECT_RT_OK(rtEventSynchronize(before));
  float milliseconds = 7;
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventElapsedTime(&milliseconds, before, after));
  EXPECT_EQ(milliseconds, 0);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtEventRecord(after, stream_));
  EXPECT_RT_OK(rtEventSynchronize(after)) << "a new record replaces it";
}

TEST_P(ErrorTest, StreamsThatWaitForItsEventsAreSkippedWithTheSameCause) {
  Gate gate(context_);
  Event event;
  for (const std::string& name : deviceNames()) {
    SCOPED_TRACE(name);
    rtDevice_t device = nullptr;
    Context context;
    Stream waiting;
    Stream third;
    Event chained;
    Gate round(context_);
    std::atomic<rtStatus_t> seen{RT_SUCCESS};
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtStreamCreate(waiting.out(), nullptr, context));
    ASSERT_RT_OK(rtStreamCreate(third.out(), nullptr, context_));
    ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
    ASSERT_RT_OK(rtEventCreate(chained.out(), nullptr, context));
    failLater(stream_, &round);
    ASSERT_RT_OK(rtEventRecord(event, stream_));
    ASSERT_RT_OK(rtStreamWaitEvent(event, waiting));
    ASSERT_RT_OK(rtLaunchHostFunction(
        [](void* user, rtStatus_t status) { static_cast<std::atomic<rtStatus_t>*>(user)->store(status); }, &seen, waiting));
    ASSERT_RT_OK(rtEventRecord(chained, waiting));
    ASSERT_RT_OK(rtStreamWaitEvent(chained, third));
    ASSERT_RT_OK(doomed_.reset());
    ASSERT_RT_OK(round.open());
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(third)) << "and so on down the chain";
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(waiting));
    EXPECT_EQ(seen.load(), RT_ERROR_INVALID_HANDLE);
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
    for (rtStream_t stream : {stream_.get(), waiting.get(), third.get()}) EXPECT_RT_OK(rtStreamSynchronize(stream));
  }
}

TEST_P(ErrorTest, LaterWorkOfTheStreamIsSkipped) {
  Gate gate(context_);
  Memory memory;
  ASSERT_RT_OK(rtMallocHost(memory.out(), 256, context_));
  std::memset(memory.get(), 0x10, 256);
  failLater(stream_, &gate);
  ASSERT_RT_OK(rtMemsetAsync(memory, 0x77, 256, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(memory.as(128), memory, 64, RT_MEMCPY_DEFAULT, stream_));
  Kernel kernel;
  std::atomic<uint32_t> ran{0};
  if (acceptsKernels()) {
    ASSERT_RT_OK(makeKernel(&kernel, context_, countKernel, {kPointerArg}, "count"));
    ASSERT_RT_OK(launchOver(kernel, stream_, 4, 1, &ran));
  }
  ASSERT_RT_OK(doomed_.reset());
  ASSERT_RT_OK(gate.open());
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
  EXPECT_EQ(ran.load(), 0u);
  for (int i = 0; i < 256; ++i) ASSERT_EQ(memory.as()[i], 0x10);
}

TEST_P(ErrorTest, AHostKernelThatThrowsIsALaunchFailure) {
  NEEDS_KERNELS();
  if (!acceptsKernels()) GTEST_SKIP() << "the device runs no functions of the program";
  Kernel kernel;
  ASSERT_RT_OK(makeKernel(&kernel, context_, throwingKernel, {}, "thrower"));
  for (uint32_t groups : {1u, 100u}) {
    ASSERT_RT_OK(rtLaunchKernel(kernel, groups, 1, 1, 1, 1, 1, 0, stream_, nullptr, 0));
    EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(stream_));
    EXPECT_NE(lastMessage().find("thrower"), std::string::npos) << "the message names the kernel: " << lastMessage();
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
  }
  rtStatus_t lost = RT_ERROR_INTERNAL;
  EXPECT_RT_OK(rtDeviceGetStatus(&lost, device_));
  EXPECT_EQ(lost, RT_SUCCESS) << "a kernel's failure loses no device";
}

TEST_P(ErrorTest, AHostFunctionThatThrowsIsALaunchFailureOfItsStream) {
  ASSERT_RT_OK(rtLaunchHostFunction([](void*, rtStatus_t) { throw std::runtime_error("boom"); }, nullptr, stream_));
  EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(ErrorTest, ASynchronousCopyReturnsTheFailureOfItsDefaultStream) {
  Memory memory;
  rtStream_t stream = nullptr;
  char byte = 0;
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  ASSERT_RT_OK(rtContextGetDefaultStream(&stream, context_));
  poison(stream);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemcpy(&byte, memory, 1, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemset(memory, 1, 64));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream)) << "only rtStreamSynchronize clears it";
  EXPECT_RT_OK(rtMemcpy(&byte, memory, 1, RT_MEMCPY_DEFAULT));
}

TEST_P(ErrorTest, DestroysNeverReportAnOlderFailure) {
  Context context;
  Stream stream;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  poison(stream);
  EXPECT_RT_OK(stream.reset());
  EXPECT_RT_OK(rtContextSynchronize(context)) << "the failure went with its stream";
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  poison(stream);
  (void)stream.release();
  EXPECT_RT_OK(context.reset());
}

TEST_P(ErrorTest, TheFailureOfADestroyedStreamGoesWithIt) {
  for (int round = 0; round < 200; ++round) {
    Stream failing;
    ASSERT_RT_OK(rtStreamCreate(failing.out(), nullptr, context_));
    ASSERT_RT_OK(rtLaunchHostFunction([](void*, rtStatus_t) { throw std::runtime_error("boom"); }, nullptr, failing));
    if (round % 2 == 0) {
      EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronizeFor(RT_TIMEOUT_INFINITE, failing));
    }
    ASSERT_RT_OK(failing.reset());
    ASSERT_RT_OK(rtContextSynchronize(context_)) << "round " << round;
    ASSERT_RT_OK(rtDeviceSynchronize(device_));
  }
}

// Its work is still waited for.
TEST_P(ErrorTest, WaitContextLeavesOutTheFailureOfADestroyedStream) {
  Context other;
  Stream waiting;
  Stream failing;
  Gate gate(context_);
  std::atomic<bool> called{false};
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(waiting.out(), nullptr, other));
  ASSERT_RT_OK(rtStreamCreate(failing.out(), nullptr, context_));
  failLater(failing, &gate);
  ASSERT_RT_OK(rtLaunchHostFunction(
      [](void* user, rtStatus_t) {
        usleep(2000);
        static_cast<std::atomic<bool>*>(user)->store(true);
      },
      &called, failing));
  ASSERT_RT_OK(failing.reset());
  ASSERT_RT_OK(rtStreamWaitContext(context_, waiting));
  ASSERT_RT_OK(doomed_.reset());
  ASSERT_RT_OK(gate.open());
  EXPECT_RT_OK(rtStreamSynchronize(waiting));
  EXPECT_TRUE(called.load());
  EXPECT_RT_OK(rtContextSynchronize(context_));
}

TEST_P(ErrorTest, WaitContextTakesTheFailureOfAStreamOver) {
  Context other;
  Stream waiting;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(waiting.out(), nullptr, other));
  poison(stream_);
  const rtStatus_t status = rtStreamWaitContext(context_, waiting);
  if (status == RT_SUCCESS) {
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(waiting));
  } else {
    EXPECT_EQ(status, RT_ERROR_INVALID_HANDLE) << "known at once";
    EXPECT_RT_OK(rtStreamSynchronize(waiting));
  }
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
}

}  // namespace
}  // namespace rttest
