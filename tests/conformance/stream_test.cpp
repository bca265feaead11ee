// Streams: creation, priorities, destroy with work in flight, synchronise, query, time limits.
#include <atomic>
#include <thread>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

class StreamTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(, StreamTest, testing::ValuesIn(deviceNames()), testName);

void add(void* user, rtStatus_t) {
  auto* counter = static_cast<std::atomic<int>*>(user);
  counter->fetch_add(1);
  counter->notify_all();
}

TEST_P(StreamTest, OptionsFollowTheRulesOfStructs) {
  checkOptions<rtStreamOptions_t>(RT_STREAM_OPTIONS_INIT, [&](const rtStreamOptions_t* options) {
    rtStream_t stream = nullptr;
    const rtStatus_t status = rtStreamCreate(&stream, options, context_);
    EXPECT_EQ(stream == nullptr, status < 0);
    (void)rtStreamDestroy(stream);
    return status;
  });
  rtStream_t stream = garbage<rtStream_t>();
  rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
  options.flags = 1;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamCreate(&stream, &options, context_));
  EXPECT_EQ(stream, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamCreate(nullptr, nullptr, context_));
}

TEST_P(StreamTest, PrioritiesAreClampedToTheDevicesRange) {
  const int64_t greatest = attribute(RT_ATTRIBUTE_PRIORITY_GREATEST);
  const std::pair<int32_t, int64_t> cases[] = {
      {0, 0}, {1, 0}, {INT32_MAX, 0}, {-1, std::max<int64_t>(-1, greatest)}, {INT32_MIN, greatest}};
  for (const auto& [asked, expected] : cases) {
    rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
    options.priority = asked;
    Stream stream;
    int32_t priority = 99;
    ASSERT_RT_OK(rtStreamCreate(stream.out(), &options, context_));
    ASSERT_RT_OK(rtStreamGetPriority(&priority, stream));
    EXPECT_EQ(priority, expected) << "asked for " << asked;
  }
  int32_t priority = 99;
  ASSERT_RT_OK(rtStreamGetPriority(&priority, nullptr));
  EXPECT_EQ(priority, 0);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamGetPriority(nullptr, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamGetPriority(&priority, garbage<rtStream_t>()));
  EXPECT_EQ(priority, 0);
}

TEST_P(StreamTest, GetContextIsTheOwner) {
  rtContext_t context = nullptr;
  ASSERT_RT_OK(rtStreamGetContext(&context, stream_));
  EXPECT_EQ(context, context_.get());
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamGetContext(nullptr, stream_));
}

TEST_P(StreamTest, AnEmptyStreamIsComplete) {
  EXPECT_RT_OK(rtStreamQuery(stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_RT_OK(rtStreamSynchronizeFor(0, stream_));
  EXPECT_RT_OK(rtStreamQuery(nullptr));
}

TEST_P(StreamTest, PendingIsNotReadyAndTimesOut) {
  Gate gate(context_);
  std::atomic<int> calls{0};
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtLaunchHostFunction(add, &calls, stream_));
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(stream_));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronizeFor(0, stream_));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronizeFor(2000000, stream_));
  EXPECT_EQ(calls.load(), 0);
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronizeFor(RT_TIMEOUT_INFINITE, stream_));
  EXPECT_EQ(calls.load(), 1);
  EXPECT_RT_OK(rtStreamQuery(stream_));
  EXPECT_RT_OK(rtStreamSynchronizeFor(0, stream_)) << "0 polls";
}

TEST_P(StreamTest, SubmittedWorkProgressesWithoutFurtherCalls) {
  std::atomic<int> calls{0};
  ASSERT_RT_OK(rtLaunchHostFunction(add, &calls, stream_));
  calls.wait(0);  // no rt call
  EXPECT_EQ(calls.load(), 1);
}

TEST_P(StreamTest, DestroyNeverBlocksAndWorkSubmittedBeforeCompletes) {
  Gate gate(context_);
  std::atomic<int> calls{0};
  rtStream_t stream = nullptr;
  ASSERT_RT_OK(rtStreamCreate(&stream, nullptr, context_));
  ASSERT_RT_OK(gate.close(stream));
  for (int i = 0; i < 3; ++i) ASSERT_RT_OK(rtLaunchHostFunction(add, &calls, stream));
  ASSERT_RT_OK(rtStreamDestroy(stream));
  EXPECT_EQ(calls.load(), 0);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamQuery(stream));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamDestroy(stream));
  EXPECT_NE(lastMessage().find("stream"), std::string::npos) << lastMessage();
  ASSERT_RT_OK(gate.open());
  for (int seen = calls.load(); seen < 3; seen = calls.load()) calls.wait(seen);
}

TEST_P(StreamTest, ARecycledStreamHasNothingOfTheOldOne) {
  rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
  options.priority = INT32_MIN;
  rtStream_t old = nullptr;
  ASSERT_RT_OK(rtStreamCreate(&old, &options, context_));
  poison(old);
  ASSERT_RT_OK(rtStreamDestroy(old)) << "a destroy never reports an older failure";
  for (int i = 0; i < 100; ++i) {
    Stream stream;
    int32_t priority = 99;
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    EXPECT_NE(stream.get(), old);
    ASSERT_RT_OK(rtStreamQuery(stream));
    ASSERT_RT_OK(rtStreamGetPriority(&priority, stream));
    EXPECT_EQ(priority, 0);
  }
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamQuery(old));
}

TEST_P(StreamTest, TheDefaultStreamHasNoOrderTowardsOthers) {
  Gate gate(context_);
  std::atomic<int> calls{0};
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtLaunchHostFunction(add, &calls, stream_));
  ASSERT_RT_OK(rtLaunchHostFunction(add, &calls, nullptr));
  ASSERT_RT_OK(rtStreamSynchronize(nullptr));
  EXPECT_EQ(calls.load(), 1) << "the default stream does not wait for the closed one";
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(StreamTest, ManyThreadsMaySynchroniseOneStream) {
  Gate gate(context_);
  std::atomic<int> calls{0};
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtLaunchHostFunction(add, &calls, stream_));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      EXPECT_RT_OK(rtStreamSynchronize(stream_));
      EXPECT_EQ(calls.load(), 1);
    });
  }
  ASSERT_RT_OK(gate.open());
  for (std::thread& thread : threads) thread.join();
}

TEST_P(StreamTest, AWaitingThreadIsWokenWhenTheStreamIsDestroyedAndItsWorkIsDone) {
  Gate gate(context_);
  rtStream_t stream = nullptr;
  ASSERT_RT_OK(rtStreamCreate(&stream, nullptr, context_));
  ASSERT_RT_OK(gate.close(stream));
  std::atomic<int> started{0};
  std::thread waiter([&] {
    started.store(1);
    started.notify_all();
    const rtStatus_t status = rtStreamSynchronize(stream);
    EXPECT_TRUE(status == RT_SUCCESS || status == RT_ERROR_INVALID_HANDLE) << rtGetErrorName(status);
  });
  started.wait(0);
  EXPECT_RT_OK(rtStreamDestroy(stream));
  EXPECT_RT_OK(gate.open());
  waiter.join();
}

TEST_P(StreamTest, SixtyFourStreamsEachRunTheirWork) {
  constexpr int kStreams = 64;
  std::vector<Stream> streams(kStreams);
  std::atomic<int> calls{0};
  for (Stream& stream : streams) {
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    for (int i = 0; i < 10; ++i) ASSERT_RT_OK(rtLaunchHostFunction(add, &calls, stream));
  }
  ASSERT_RT_OK(rtContextSynchronize(context_));
  EXPECT_EQ(calls.load(), kStreams * 10);
}

TEST_P(StreamTest, ContextSynchronizeWaitsForStreamsThatAreDestroyed) {
  std::atomic<int> calls{0};
  rtStream_t stream = nullptr;
  ASSERT_RT_OK(rtStreamCreate(&stream, nullptr, context_));
  ASSERT_RT_OK(rtLaunchHostFunction(add, &calls, stream));
  ASSERT_RT_OK(rtStreamDestroy(stream));
  ASSERT_RT_OK(rtContextSynchronize(context_));
  EXPECT_EQ(calls.load(), 1);
}

}  // namespace
}  // namespace rttest
