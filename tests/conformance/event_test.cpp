// Events: what a record means, replacing one, queries and waits, elapsed times.
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

class EventTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(rtEventCreate(event_.out(), nullptr, context_));
    ASSERT_RT_OK(rtEventCreate(end_.out(), nullptr, context_));
  }
  void TearDown() override {
    EXPECT_RT_OK(event_.reset());
    EXPECT_RT_OK(end_.reset());
    DeviceTest::TearDown();
  }
  Event event_;
  Event end_;
};
INSTANTIATE_TEST_SUITE_P(, EventTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(EventTest, OptionsFollowTheRulesOfStructs) {
  checkOptions<rtEventOptions_t>(RT_EVENT_OPTIONS_INIT, [&](const rtEventOptions_t* options) {
    rtEvent_t event = nullptr;
    const rtStatus_t status = rtEventCreate(&event, options, context_);
    EXPECT_EQ(event == nullptr, status < 0);
    (void)rtEventDestroy(event);
    return status;
  });
  rtEvent_t event = garbage<rtEvent_t>();
  rtEventOptions_t options = RT_EVENT_OPTIONS_INIT;
  options.flags = 0x80;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtEventCreate(&event, &options, context_));
  EXPECT_EQ(event, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtEventCreate(nullptr, nullptr, context_));
}

TEST_P(EventTest, NeverRecordedIsComplete) {
  EXPECT_RT_OK(rtEventQuery(event_));
  EXPECT_RT_OK(rtEventSynchronize(event_));
  EXPECT_RT_OK(rtEventSynchronizeFor(0, event_));
  EXPECT_RT_OK(rtStreamWaitEvent(event_, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(EventTest, PendingIsNotReadyAndTimesOut) {
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  EXPECT_RT(RT_NOT_READY, rtEventQuery(event_));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtEventSynchronizeFor(0, event_));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtEventSynchronizeFor(2000000, event_));
  ASSERT_RT_OK(gate.open());
  EXPECT_RT_OK(rtEventSynchronizeFor(RT_TIMEOUT_INFINITE, event_));
  EXPECT_RT_OK(rtEventSynchronize(event_));
  EXPECT_RT_OK(rtEventQuery(event_));
}

TEST_P(EventTest, ARecordCoversWhatWasSubmittedBeforeAndNothingLater) {
  Gate gate(context_);
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtEventRecord(end_, stream_));
  EXPECT_RT_OK(rtEventSynchronize(event_));
  EXPECT_RT(RT_NOT_READY, rtEventQuery(end_));
  ASSERT_RT_OK(gate.open());
  EXPECT_RT_OK(rtEventSynchronize(end_));
}

TEST_P(EventTest, RecordingAgainReplacesTheEarlierRecord) {
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  EXPECT_RT(RT_NOT_READY, rtEventQuery(event_));
  ASSERT_RT_OK(rtEventRecord(event_, nullptr));
  EXPECT_RT_OK(rtEventSynchronize(event_));
  ASSERT_RT_OK(gate.open());
}

TEST_P(EventTest, WaitsAlreadySubmittedKeepTheirRecord) {
  Gate first(context_);
  Gate second(context_);
  Stream waiting;
  Stream later;
  ASSERT_RT_OK(rtStreamCreate(waiting.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamCreate(later.out(), nullptr, context_));
  ASSERT_RT_OK(first.close(stream_));
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  ASSERT_RT_OK(rtStreamWaitEvent(event_, waiting));
  ASSERT_RT_OK(second.close(later));
  ASSERT_RT_OK(rtEventRecord(event_, later));  // not what `waiting` waits for
  ASSERT_RT_OK(first.open());
  EXPECT_RT_OK(rtStreamSynchronize(waiting));
  EXPECT_RT(RT_NOT_READY, rtEventQuery(event_));
  ASSERT_RT_OK(second.open());
  EXPECT_RT_OK(rtEventSynchronize(event_));
}

TEST_P(EventTest, AThreadThatWaitsKeepsItsRecord) {
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  std::atomic<int> started{0};
  std::thread waiter([&] {
    started.store(1);
    started.notify_all();
    const rtStatus_t status = rtEventSynchronize(event_);
    EXPECT_EQ(status, RT_SUCCESS);
  });
  started.wait(0);
  for (int i = 0; i < 100; ++i) ASSERT_RT_OK(rtEventRecord(event_, nullptr));
  ASSERT_RT_OK(gate.open());
  waiter.join();
}

TEST_P(EventTest, DestroyIsLegalWhilePendingAndWaitsKeepTheirs) {
  Gate gate(context_);
  Stream other;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  ASSERT_RT_OK(rtStreamWaitEvent(event_, other));
  const rtEvent_t stale = event_;
  ASSERT_RT_OK(event_.reset());
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventQuery(stale));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventDestroy(stale));
  EXPECT_NE(lastMessage().find("event"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(other));
  ASSERT_RT_OK(gate.open());
  EXPECT_RT_OK(rtStreamSynchronize(other));
}

TEST_P(EventTest, ARecycledEventWasNeverRecorded) {
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  for (int i = 0; i < 50; ++i) {
    Event event;
    ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
    ASSERT_RT_OK(rtEventQuery(event));
    ASSERT_RT_OK(rtEventRecord(event, stream_));
    ASSERT_RT(RT_NOT_READY, rtEventQuery(event));
  }
  ASSERT_RT_OK(gate.open());
}

TEST_P(EventTest, EventAndStreamToRecordShareOneContext) {
  Context other;
  Event foreign;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtEventCreate(foreign.out(), nullptr, other));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtEventRecord(foreign, stream_));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtEventRecord(foreign, nullptr));
  EXPECT_RT_OK(rtEventQuery(foreign));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventRecord(nullptr, stream_));
}

TEST_P(EventTest, ElapsedTimeIsNotReadyWhilePending) {
  Gate gate(context_);
  float milliseconds = 7;
  int64_t nanoseconds = 7;
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtEventRecord(end_, stream_));
  EXPECT_RT(RT_NOT_READY, rtEventElapsedTime(&milliseconds, event_, end_));
  EXPECT_RT(RT_NOT_READY, rtEventElapsedNanoseconds(&nanoseconds, end_, event_));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtEventSynchronize(end_));
  EXPECT_RT_OK(rtEventElapsedTime(&milliseconds, event_, end_));
  EXPECT_RT_OK(rtEventElapsedNanoseconds(&nanoseconds, event_, end_));
}

uint64_t hostNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

TEST_P(EventTest, ATimestampLiesBetweenTheHostsOwnTimes) {
  uint64_t last = 0, last_error = 0;
  for (int i = 0; i < 5; ++i) {
    uint64_t time = 0, error = 77;
    const uint64_t before = hostNow();
    ASSERT_RT_OK(rtEventRecord(event_, stream_));
    ASSERT_RT_OK(rtEventSynchronize(event_));
    const uint64_t after = hostNow();
    ASSERT_RT_OK(rtEventGetTimestamp(&time, &error, event_));
    EXPECT_GE(time + error, before);
    EXPECT_LE(time, after + error);
    EXPECT_GE(time + error + last_error, last) << "of one stream, in its order";
    EXPECT_LT(error, GetParam() == "cpu" ? 1u : 1000000000u);
    EXPECT_RT_OK(rtEventGetTimestamp(&time, nullptr, event_));
    last = time;
    last_error = error;
  }
}

TEST_P(EventTest, TimestampsAreAsFarApartAsElapsedTimeSays) {
  Gate gate(context_);
  uint64_t first = 0, second = 0, error = 0, second_error = 0;
  int64_t elapsed = 0;
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  ASSERT_RT_OK(rtEventSynchronize(event_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtEventRecord(end_, stream_));
  EXPECT_RT(RT_NOT_READY, rtEventGetTimestamp(&second, &error, end_));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronizeFor(2000000, stream_));  // two milliseconds that must show
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtEventSynchronize(end_));
  ASSERT_RT_OK(rtEventGetTimestamp(&first, &error, event_));
  ASSERT_RT_OK(rtEventGetTimestamp(&second, &second_error, end_));
  ASSERT_RT_OK(rtEventElapsedNanoseconds(&elapsed, event_, end_));
  const int64_t apart = static_cast<int64_t>(second - first);
  EXPECT_LE(std::abs(apart - elapsed), static_cast<int64_t>(error + second_error + 2000));  // an event of CUDA has 0.5 us
  EXPECT_GE(elapsed, 2000000);
}

TEST_P(EventTest, OnlyATimedRecordHasATimestamp) {
  Event untimed;
  rtEventOptions_t options = RT_EVENT_OPTIONS_INIT;
  options.flags = RT_EVENT_DISABLE_TIMING;
  uint64_t time = 7, error = 7;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtEventGetTimestamp(&time, &error, event_)) << "never recorded";
  EXPECT_EQ(time, 0u);
  EXPECT_EQ(error, 0u);
  ASSERT_RT_OK(rtEventCreate(untimed.out(), &options, context_));
  ASSERT_RT_OK(rtEventRecord(untimed, stream_));
  ASSERT_RT_OK(rtEventSynchronize(untimed));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtEventGetTimestamp(&time, &error, untimed));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtEventGetTimestamp(nullptr, &error, event_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventGetTimestamp(&time, &error, nullptr));
}

TEST_P(EventTest, ElapsedTimeIsNegativeIfReversed) {
  Gate gate(context_);
  float forth = -1;
  float back = 1;
  int64_t nanoseconds = -1;
  int64_t reversed = 1;
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  ASSERT_RT_OK(rtEventSynchronize(event_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtEventRecord(end_, stream_));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronizeFor(1000000, stream_));  // a millisecond that must show
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtEventSynchronize(end_));
  ASSERT_RT_OK(rtEventElapsedTime(&forth, event_, end_));
  ASSERT_RT_OK(rtEventElapsedTime(&back, end_, event_));
  ASSERT_RT_OK(rtEventElapsedNanoseconds(&nanoseconds, event_, end_));
  ASSERT_RT_OK(rtEventElapsedNanoseconds(&reversed, end_, event_));
  EXPECT_EQ(forth, -back);
  EXPECT_EQ(nanoseconds, -reversed);
  EXPECT_NEAR(forth, static_cast<double>(nanoseconds) * 1e-6, std::fabs(forth) * 1e-5);
  EXPECT_GE(nanoseconds, 1000000);
  EXPECT_LE(reversed, -1000000);
}

TEST_P(EventTest, ElapsedTimeOfAnEventWithItselfIsZero) {
  int64_t nanoseconds = 7;
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  ASSERT_RT_OK(rtEventSynchronize(event_));
  ASSERT_RT_OK(rtEventElapsedNanoseconds(&nanoseconds, event_, event_));
  EXPECT_EQ(nanoseconds, 0);
}

TEST_P(EventTest, ElapsedTimeOfStreamsOfTwoContextsOfOneDevice) {
  Context other;
  Stream stream;
  Event event;
  int64_t nanoseconds = 0;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, other));
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  ASSERT_RT_OK(rtEventSynchronize(event_));
  ASSERT_RT_OK(rtEventRecord(event, stream));
  ASSERT_RT_OK(rtEventSynchronize(event));
  ASSERT_RT_OK(rtEventElapsedNanoseconds(&nanoseconds, event_, event));
  EXPECT_GE(nanoseconds, 0);
}

TEST_P(EventTest, ElapsedTimeRefusesNeverRecordedUntimedAndTwoDevices) {
  rtEventOptions_t options = RT_EVENT_OPTIONS_INIT;
  options.flags = RT_EVENT_DISABLE_TIMING;
  Event untimed;
  float milliseconds = 7;
  int64_t nanoseconds = 7;
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  ASSERT_RT_OK(rtEventSynchronize(event_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtEventElapsedTime(&milliseconds, event_, end_));
  EXPECT_EQ(milliseconds, 0);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtEventElapsedNanoseconds(&nanoseconds, end_, event_));
  EXPECT_EQ(nanoseconds, 0);
  ASSERT_RT_OK(rtEventCreate(untimed.out(), &options, context_));
  ASSERT_RT_OK(rtEventRecord(untimed, stream_));
  ASSERT_RT_OK(rtEventSynchronize(untimed));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtEventElapsedTime(&milliseconds, event_, untimed));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtEventElapsedTime(nullptr, event_, event_));
  for (const std::string& name : deviceNames()) {
    if (name == GetParam()) continue;
    rtDevice_t device = nullptr;
    Context context;
    Event other;
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtEventCreate(other.out(), nullptr, context));
    rtStream_t stream = nullptr;
    ASSERT_RT_OK(rtContextGetDefaultStream(&stream, context));
    ASSERT_RT_OK(rtEventRecord(other, stream));
    ASSERT_RT_OK(rtEventSynchronize(other));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtEventElapsedTime(&milliseconds, event_, other));
  }
}

TEST_P(EventTest, AThousandRecordsOfManyEvents) {
  std::vector<Event> events(64);
  for (Event& event : events) ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  for (int round = 0; round < 1000; ++round) {
    ASSERT_RT_OK(rtEventRecord(events[round % events.size()], round % 2 == 0 ? stream_.get() : nullptr));
  }
  for (Event& event : events) EXPECT_RT_OK(rtEventSynchronize(event));
}

TEST_P(EventTest, HandlesOfOtherKindsAreRefused) {
  const auto wrong = reinterpret_cast<rtEvent_t>(stream_.get());
  for (rtEvent_t event : {static_cast<rtEvent_t>(nullptr), wrong, garbage<rtEvent_t>()}) {
    int64_t nanoseconds = 7;
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventQuery(event));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventSynchronize(event));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventSynchronizeFor(0, event));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventRecord(event, stream_));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamWaitEvent(event, stream_));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventElapsedNanoseconds(&nanoseconds, event, event_));
    EXPECT_EQ(nanoseconds, 0);
    nanoseconds = 7;
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventElapsedNanoseconds(&nanoseconds, event_, event));
    EXPECT_EQ(nanoseconds, 0);
  }
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventDestroy(wrong));
}

}  // namespace
}  // namespace rttest
