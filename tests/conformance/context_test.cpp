// Contexts: creation, the thread's current one, default objects, what survives a destroy, reset, user data.
#include <atomic>
#include <thread>
#include <vector>

#include "support/device_test.h"
#include "support/repeats.h"

namespace rttest {
namespace {

class ContextTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(, ContextTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(ContextTest, OptionsFollowTheRulesOfStructs) {
  checkOptions<rtContextOptions_t>(RT_CONTEXT_OPTIONS_INIT, [&](const rtContextOptions_t* options) {
    rtContext_t context = nullptr;
    const rtStatus_t status = rtContextCreate(&context, options, device_);
    EXPECT_EQ(context == nullptr, status < 0);
    (void)rtContextDestroy(context);
    return status;
  });
}

TEST_P(ContextTest, EveryWaitPolicyWaits) {
  for (int32_t policy : {RT_WAIT_DEFAULT, RT_WAIT_SPIN, RT_WAIT_YIELD, RT_WAIT_BLOCK}) {
    rtContextOptions_t options = RT_CONTEXT_OPTIONS_INIT;
    options.wait_policy = policy;
    options.cpu_threads = 1;
    std::snprintf(options.label, sizeof options.label, "policy %d", policy);
    Context context;
    Stream stream;
    ASSERT_RT_OK(rtContextCreate(context.out(), &options, device_));
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
    std::atomic<bool> called{false};
    ASSERT_RT_OK(rtLaunchHostFunction([](void* user, rtStatus_t) { static_cast<std::atomic<bool>*>(user)->store(true); },
                                      &called, stream));
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    EXPECT_TRUE(called.load());
  }
}

TEST_P(ContextTest, OptionsOutsideTheirRangeAreRefused) {
  rtContext_t context = garbage<rtContext_t>();
  rtContextOptions_t options = RT_CONTEXT_OPTIONS_INIT;
  options.wait_policy = RT_WAIT_BLOCK + 1;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtContextCreate(&context, &options, device_));
  EXPECT_EQ(context, nullptr);
  options.wait_policy = RT_WAIT_INVALID;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtContextCreate(&context, &options, device_));
  options = RT_CONTEXT_OPTIONS_INIT;
  options.flags = 2;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtContextCreate(&context, &options, device_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtContextCreate(nullptr, nullptr, device_));
}

TEST_P(ContextTest, CreatingOneLeavesTheCurrentOneAlone) {
  Context other;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  rtContext_t current = nullptr;
  ASSERT_RT_OK(rtContextGetCurrent(&current));
  EXPECT_EQ(current, context_.get());
}

TEST_P(ContextTest, CurrentBelongsToTheThread) {
  rtContext_t there = garbage<rtContext_t>();
  std::thread([&] { EXPECT_RT_OK(rtContextGetCurrent(&there)); }).join();
  EXPECT_EQ(there, nullptr) << "NULL where none is set";
  ASSERT_RT_OK(rtContextSetCurrent(nullptr));
  ASSERT_RT_OK(rtContextGetCurrent(&there));
  EXPECT_EQ(there, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtContextGetCurrent(nullptr));
}

TEST_P(ContextTest, NullMeansTheCurrentContext) {
  Stream stream;
  rtContext_t context = nullptr;
  rtStream_t default_stream = nullptr;
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, nullptr));
  ASSERT_RT_OK(rtStreamGetContext(&context, stream));
  EXPECT_EQ(context, context_.get());
  ASSERT_RT_OK(rtStreamGetContext(&context, nullptr));
  EXPECT_EQ(context, context_.get());
  ASSERT_RT_OK(rtContextGetDefaultStream(&default_stream, nullptr));
  ASSERT_RT_OK(rtStreamGetContext(&context, default_stream));
  EXPECT_EQ(context, context_.get());
}

TEST_P(ContextTest, WithNoneSetNullMeansThePrimaryOfTheDefaultDevice) {
  ASSERT_RT_OK(rtContextSetCurrent(nullptr));
  rtDevice_t device = nullptr;
  rtContext_t primary = nullptr;
  rtContext_t context = nullptr;
  ASSERT_RT_OK(rtDeviceGetByName(&device, nullptr));
  ASSERT_RT_OK(rtContextGetPrimary(&primary, device));
  ASSERT_RT_OK(rtStreamGetContext(&context, nullptr));
  EXPECT_EQ(context, primary);
}

TEST_P(ContextTest, DestroyedWhileCurrentMakesNullAnInvalidHandleUntilItIsSetAgain) {
  rtContext_t gone = nullptr;
  ASSERT_RT_OK(rtContextCreate(&gone, nullptr, device_));
  ASSERT_RT_OK(rtContextSetCurrent(gone));
  ASSERT_RT_OK(rtContextDestroy(gone));
  void* memory = garbage<void*>();
  rtStream_t stream = garbage<rtStream_t>();
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMalloc(&memory, 16, nullptr));
  EXPECT_EQ(memory, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamCreate(&stream, nullptr, nullptr));
  EXPECT_EQ(stream, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(nullptr));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextSynchronize(nullptr));
  ASSERT_RT_OK(rtContextSetCurrent(context_));
  EXPECT_RT_OK(rtStreamSynchronize(nullptr));
}

TEST_P(ContextTest, PrimaryIsOnePerDeviceAndCannotBeDestroyed) {
  rtContext_t first = nullptr;
  rtContext_t second = nullptr;
  rtDevice_t device = nullptr;
  ASSERT_RT_OK(rtContextGetPrimary(&first, device_));
  ASSERT_RT_OK(rtContextGetPrimary(&second, device_));
  EXPECT_EQ(first, second);
  ASSERT_RT_OK(rtContextGetDevice(&device, first));
  EXPECT_EQ(device, device_);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtContextDestroy(first));
  EXPECT_RT_OK(rtContextSynchronize(first));
}

TEST_P(ContextTest, DestroyOfNullNeverMeansTheCurrentContext) {
  EXPECT_RT_OK(rtContextDestroy(nullptr));
  EXPECT_RT_OK(rtContextSynchronize(nullptr));
  EXPECT_RT_OK(rtStreamDestroy(nullptr));
  EXPECT_RT_OK(rtStreamSynchronize(nullptr));
  EXPECT_RT_OK(rtEventDestroy(nullptr));
  EXPECT_RT_OK(rtFenceDestroy(nullptr));
  EXPECT_RT_OK(rtMemPoolDestroy(nullptr));
  EXPECT_RT_OK(rtKernelDestroy(nullptr));
  EXPECT_RT_OK(rtFree(nullptr));
  EXPECT_RT_OK(rtFreeAsync(nullptr, nullptr));
}

TEST_P(ContextTest, DestroyTwiceIsAnInvalidHandle) {
  rtContext_t context = nullptr;
  ASSERT_RT_OK(rtContextCreate(&context, nullptr, device_));
  ASSERT_RT_OK(rtContextDestroy(context));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextDestroy(context));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextSynchronize(context));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextSetCurrent(context));
}

TEST_P(ContextTest, DestroyMakesChildrenStaleWhileMemoryLives) {
  rtContext_t context = nullptr;
  ASSERT_RT_OK(rtContextCreate(&context, nullptr, device_));
  rtStream_t stream = nullptr;
  rtStream_t default_stream = nullptr;
  rtEvent_t event = nullptr;
  rtFence_t fence = nullptr;
  rtMemPool_t pool = nullptr;
  Memory memory;
  Memory host;
  Memory pooled;
  ASSERT_RT_OK(rtStreamCreate(&stream, nullptr, context));
  ASSERT_RT_OK(rtContextGetDefaultStream(&default_stream, context));
  ASSERT_RT_OK(rtEventCreate(&event, nullptr, context));
  ASSERT_RT_OK(rtFenceCreate(&fence, 3, context));
  ASSERT_RT_OK(rtMemPoolCreate(&pool, nullptr, context));
  ASSERT_RT_OK(rtMalloc(memory.out(), 5000, context));
  ASSERT_RT_OK(rtMallocHost(host.out(), 5000, context));
  ASSERT_RT_OK(rtMallocFromPool(pooled.out(), 5000, 0, stream, pool));
  ASSERT_RT_OK(rtContextDestroy(context));

  uint64_t value = 7;
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamQuery(stream));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamQuery(default_stream));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventQuery(event));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtFenceGetValue(&value, fence));
  EXPECT_EQ(value, 0u);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPoolGetStats(&stats, pool));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamDestroy(stream));

  std::memset(host.get(), 1, 5000);  // still there
  rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
  ASSERT_RT_OK(rtPointerGetAttributes(&attributes, memory.as(100)));
  EXPECT_EQ(attributes.kind, RT_POINTER_DEVICE);
  EXPECT_EQ(attributes.base, memory.get());
  EXPECT_RT_OK(memory.reset());
  std::thread([&] { EXPECT_RT_OK(host.reset()); }).join();
  EXPECT_RT_OK(pooled.reset());
}

TEST_P(ContextTest, DestroyWithWorkInFlightCompletesIt) {
  rtContext_t context = nullptr;
  rtStream_t stream = nullptr;
  Gate gate(context_);
  std::atomic<int> calls{0};
  ASSERT_RT_OK(rtContextCreate(&context, nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(&stream, nullptr, context));
  ASSERT_RT_OK(gate.close(stream));
  ASSERT_RT_OK(rtLaunchHostFunction(
      [](void* user, rtStatus_t) {
        static_cast<std::atomic<int>*>(user)->fetch_add(1);
        static_cast<std::atomic<int>*>(user)->notify_all();
      },
      &calls, stream));
  ASSERT_RT_OK(rtContextDestroy(context));
  EXPECT_EQ(calls.load(), 0);
  ASSERT_RT_OK(gate.open());
  calls.wait(0);
  EXPECT_EQ(calls.load(), 1);
}

TEST_P(ContextTest, DefaultStreamAndPoolBelongToTheContextAndStay) {
  rtStream_t stream = nullptr;
  rtMemPool_t pool = nullptr;
  ASSERT_RT_OK(rtContextGetDefaultStream(&stream, context_));
  ASSERT_RT_OK(rtContextGetDefaultPool(&pool, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamDestroy(stream));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemPoolDestroy(pool));
  EXPECT_RT_OK(rtStreamSynchronize(stream));
  rtStream_t again = nullptr;
  ASSERT_RT_OK(rtContextGetDefaultStream(&again, nullptr));
  EXPECT_EQ(again, stream);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtContextGetDefaultStream(nullptr, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtContextGetDefaultPool(nullptr, context_));
}

TEST_P(ContextTest, SetDefaultPoolIsWhereMallocTakesFromUntilItIsDestroyed) {
  Pool pool;
  rtMemPool_t own = nullptr;
  rtMemPool_t now = nullptr;
  ASSERT_RT_OK(rtContextGetDefaultPool(&own, context_));
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), nullptr, context_));
  ASSERT_RT_OK(rtContextSetDefaultPool(pool, context_));
  ASSERT_RT_OK(rtContextGetDefaultPool(&now, context_));
  EXPECT_EQ(now, pool.get());
  Memory first;
  Memory second;
  ASSERT_RT_OK(rtMalloc(first.out(), 100, context_));
  ASSERT_RT_OK(rtMallocAsync(second.out(), 200, stream_));
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  ASSERT_RT_OK(rtMemPoolGetStats(&stats, pool));
  EXPECT_EQ(stats.live_bytes, 300u);
  ASSERT_RT_OK(pool.reset());
  ASSERT_RT_OK(rtContextGetDefaultPool(&now, context_));
  EXPECT_EQ(now, own) << "the context's own takes its place again";
  Context other;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), nullptr, other));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtContextSetDefaultPool(pool, context_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextSetDefaultPool(nullptr, context_));
}

TEST_P(ContextTest, SynchronizeWaitsForEveryStream) {
  Stream other;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  std::atomic<int> calls{0};
  for (rtStream_t stream : {stream_.get(), other.get(), static_cast<rtStream_t>(nullptr)}) {
    ASSERT_RT_OK(rtLaunchHostFunction([](void* user, rtStatus_t) { static_cast<std::atomic<int>*>(user)->fetch_add(1); },
                                      &calls, stream));
  }
  ASSERT_RT_OK(rtContextSynchronize(context_));
  EXPECT_EQ(calls.load(), 3);
}

TEST_P(ContextTest, ResetIsBusyWhileAChildIsAlive) {
  Context context;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  EXPECT_RT_OK(rtContextReset(context));
  Stream stream;
  Event event;
  Fence fence;
  Pool pool;
  Memory memory;
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  EXPECT_RT(RT_ERROR_BUSY, rtContextReset(context));
  ASSERT_RT_OK(stream.reset());
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context));
  EXPECT_RT(RT_ERROR_BUSY, rtContextReset(context));
  ASSERT_RT_OK(event.reset());
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context));
  EXPECT_RT(RT_ERROR_BUSY, rtContextReset(context));
  ASSERT_RT_OK(fence.reset());
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), nullptr, context));
  EXPECT_RT(RT_ERROR_BUSY, rtContextReset(context));
  ASSERT_RT_OK(pool.reset());
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context));
  EXPECT_RT(RT_ERROR_BUSY, rtContextReset(context));
  ASSERT_RT_OK(memory.reset());
  if (acceptsKernels()) {
    Kernel kernel;
    ASSERT_RT_OK(makeKernel(&kernel, context, emptyKernel, {}, "empty"));
    EXPECT_RT(RT_ERROR_BUSY, rtContextReset(context));
  }
  EXPECT_RT_OK(rtContextReset(context));
}

TEST_P(ContextTest, AfterAResetTheNextUseStartsItAgain) {
  rtContext_t primary = nullptr;
  ASSERT_RT_OK(rtContextGetPrimary(&primary, device_));
  for (rtContext_t context : {context_.get(), primary}) {
    if (context == context_.get()) {
      ASSERT_RT_OK(stream_.reset());
    }
    for (int round = 0; round < 3; ++round) {
      ASSERT_RT_OK(rtContextReset(context));
      Memory memory;
      Stream stream;
      ASSERT_RT_OK(rtMalloc(memory.out(), 1000, context));
      ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
      ASSERT_RT_OK(rtMemsetAsync(memory, 1, 1000, stream));
      ASSERT_RT_OK(rtStreamSynchronize(stream));
    }
  }
}

TEST_P(ContextTest, IsOpenAgainAfterResetsBesideAllocations) {
  Context context;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!stop.load()) {
        void* pointer = nullptr;
        rtStatus_t status = rtMalloc(&pointer, 100, context);
        EXPECT_TRUE(status == RT_SUCCESS || status == RT_ERROR_BUSY) << status;
        EXPECT_RT_OK(rtFree(pointer));
      }
    });
  }
  for (int i = 0; i < repeats(300); ++i) {
    rtStatus_t status = rtContextReset(context);
    EXPECT_TRUE(status == RT_SUCCESS || status == RT_ERROR_BUSY) << status;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  Memory memory;
  EXPECT_RT_OK(rtMalloc(memory.out(), 100, context));
  EXPECT_RT_OK(memory.reset());
  EXPECT_RT_OK(rtContextReset(context));
}

TEST_P(ContextTest, DefaultsBelongToTheContextAfterResetsBesideTheirFirstUse) {
  Context context;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  std::atomic<bool> stop{false};
  std::thread user([&] {
    while (!stop.load()) {
      rtStream_t stream = nullptr;
      rtMemPool_t pool = nullptr;
      (void)rtContextGetDefaultStream(&stream, context);
      (void)rtContextGetDefaultPool(&pool, context);
    }
  });
  for (int i = 0; i < 300; ++i) (void)rtContextReset(context);
  stop = true;
  user.join();
  Memory memory;
  rtStream_t stream = nullptr;
  EXPECT_RT_OK(rtMalloc(memory.out(), 100, context));
  EXPECT_RT_OK(rtContextGetDefaultStream(&stream, context));
  EXPECT_RT_OK(rtMemsetAsync(memory, 1, 100, stream));
  EXPECT_RT_OK(rtStreamSynchronize(stream));
}

TEST_P(ContextTest, ResetWaitsForWorkThatOutlivesItsStream) {
  Context context;
  Stream stream;
  std::atomic<int> calls{0};
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  ASSERT_RT_OK(
      rtLaunchHostFunction([](void* user, rtStatus_t) { static_cast<std::atomic<int>*>(user)->fetch_add(1); }, &calls, stream));
  ASSERT_RT_OK(stream.reset());
  ASSERT_RT_OK(rtContextReset(context));
  EXPECT_EQ(calls.load(), 1);
}

// As many streams as are kept idle, and some more: those that go must not be the one that copies of the memory go over.
TEST_P(ContextTest, MemoryThatOutlivedItsContextIsCopiedOrRefused) {
  for (const size_t count : {0, 127, 300}) {
    constexpr size_t kSize = 1000;
    const std::vector<unsigned char> bytes(kSize, 7);
    std::vector<unsigned char> out(kSize);
    Context context;
    Memory memory;
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
    ASSERT_RT_OK(rtMalloc(memory.out(), kSize, context));
    ASSERT_RT_OK(rtMemcpy(memory, bytes.data(), kSize, RT_MEMCPY_DEFAULT));
    std::vector<rtStream_t> streams(count);
    for (rtStream_t& stream : streams) ASSERT_RT_OK(rtStreamCreate(&stream, nullptr, context));
    ASSERT_RT_OK(context.reset());
    const rtStatus_t status = rtMemcpy(out.data(), memory, kSize, RT_MEMCPY_DEFAULT);
    EXPECT_TRUE(status == RT_SUCCESS || status == RT_ERROR_NOT_SUPPORTED) << rtGetErrorName(status) << ": " << lastMessage();
    if (status == RT_SUCCESS) {
      EXPECT_EQ(out, bytes);
    }
  }
}

TEST_P(ContextTest, PeerAccessIsEnabledOrNotSupported) {
  Context other;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  const rtStatus_t status = rtContextEnablePeerAccess(other, context_);
  EXPECT_TRUE(status == RT_SUCCESS || status == RT_ERROR_NOT_SUPPORTED) << rtGetErrorName(status);
  EXPECT_EQ(rtContextEnablePeerAccess(other, context_), status) << "asking twice is no error of its own";
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextEnablePeerAccess(garbage<rtContext_t>(), context_));
}

void countRelease(void* user) { static_cast<std::atomic<int>*>(user)->fetch_add(1); }

TEST_P(ContextTest, UserDataIsReleasedOnceWhenItIsReplacedOrTheContextEnds) {
  std::atomic<int> first{0};
  std::atomic<int> second{0};
  Context context;
  void* user = garbage<void*>();
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtContextGetUserData(&user, context));
  EXPECT_EQ(user, nullptr);
  ASSERT_RT_OK(rtContextSetUserData(&first, countRelease, context));
  ASSERT_RT_OK(rtContextGetUserData(&user, context));
  EXPECT_EQ(user, &first);
  ASSERT_RT_OK(rtContextSetUserData(&second, countRelease, context));
  EXPECT_EQ(first.load(), 1);
  EXPECT_EQ(second.load(), 0);
  ASSERT_RT_OK(context.reset());
  EXPECT_EQ(first.load(), 1);
  EXPECT_EQ(second.load(), 1);
  ASSERT_RT_OK(rtContextSetUserData(&first, nullptr, context_));
  ASSERT_RT_OK(rtContextSetUserData(nullptr, nullptr, nullptr));
  ASSERT_RT_OK(rtContextGetUserData(&user, nullptr));
  EXPECT_EQ(user, nullptr);
  EXPECT_EQ(first.load(), 1);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtContextGetUserData(nullptr, context_));
}

TEST_P(ContextTest, StreamsEventsAndPointsAreCounted) {
  Context context;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  rtContextStats_t fresh = RT_CONTEXT_STATS_INIT;
  ASSERT_RT_OK(rtContextGetStats(&fresh, context));
  EXPECT_EQ(fresh.streams_created + fresh.events_created + fresh.points_created, 0u) << "before the first use";
  const auto stats = [&] {
    rtContextStats_t now = RT_CONTEXT_STATS_INIT;
    EXPECT_RT_OK(rtContextGetStats(&now, context));
    return now;
  };
  for (int round = 0; round < 2; ++round) {
    Stream streams[3];
    Event events[3];
    for (Stream& stream : streams) ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
    for (Event& event : events) ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context));
    for (int i = 0; i < 3; ++i) ASSERT_RT_OK(rtEventRecord(events[i], streams[i]));
    ASSERT_RT_OK(rtContextSynchronize(context));
    const rtContextStats_t now = stats();
    EXPECT_GE(now.streams_live, 3u);
    EXPECT_GE(now.streams_native, now.streams_live);
    EXPECT_EQ(now.events_live, 3u);
    EXPECT_EQ(now.events_created, 3u * (round + 1));
    EXPECT_LE(now.events_recycled, now.events_created);
    if (!GetParam().starts_with("null")) {  // which keeps no points
      EXPECT_GE(now.points_live, 3u);
      EXPECT_GE(now.points_created, now.points_live);
      EXPECT_GE(now.points_native, now.points_live);
    }
  }
  const rtContextStats_t last = stats();
  EXPECT_EQ(last.events_live, 0u);
  EXPECT_GE(last.events_recycled, 1u) << "the slots of the first three";
  EXPECT_GE(last.streams_created, 6u);
  EXPECT_GE(last.streams_recycled, 3u);
  EXPECT_LE(last.streams_native, last.streams_created - last.streams_recycled + 1);
  if (!GetParam().starts_with("null")) {
    EXPECT_GE(last.points_recycled, 1u);
  }
  checkResult<rtContextStats_t>(RT_CONTEXT_STATS_INIT, [&](rtContextStats_t* out) { return rtContextGetStats(out, context); });
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextGetStats(&fresh, garbage<rtContext_t>()));
}

TEST_P(ContextTest, StaleHandlesNameTheArgument) {
  rtContext_t context = nullptr;
  ASSERT_RT_OK(rtContextCreate(&context, nullptr, device_));
  ASSERT_RT_OK(rtContextDestroy(context));
  rtDevice_t device = garbage<rtDevice_t>();
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextGetDevice(&device, context));
  EXPECT_EQ(device, nullptr);
  EXPECT_NE(lastMessage().find("context"), std::string::npos) << lastMessage();
  rtStream_t stream = garbage<rtStream_t>();
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextGetDefaultStream(&stream, context));
  EXPECT_EQ(stream, nullptr);
  rtMemPool_t pool = garbage<rtMemPool_t>();
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextGetDefaultPool(&pool, context));
  EXPECT_EQ(pool, nullptr);
}

}  // namespace
}  // namespace rttest
