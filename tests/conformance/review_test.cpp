// Rules that a review found broken once: each test is named after the rule.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/check.h"
#include "support/device_test.h"
#include "support/handles.h"

namespace {

using namespace rttest;

class ReviewTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(, ReviewTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(ReviewTest, AContextIsOpenAgainAfterResetsBesideCreations) {
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
  for (int i = 0; i < 300; ++i) {
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

TEST_P(ReviewTest, DefaultsBelongToTheContextAfterResetsBesideTheirFirstUse) {
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

TEST_P(ReviewTest, ANameIsCutBetweenLetters) {
  if (!acceptsKernels()) GTEST_SKIP() << "the device runs no functions of the program";
  std::string name;
  for (int i = 0; i < 200; ++i) name += "\u00e4";
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = [](const rtHostGroup_t*, void* const*) {};
  host.name = name.c_str();
  Kernel kernel;
  ASSERT_RT_OK(rtKernelCreateFromHost(kernel.out(), &host, context_));
  char kept[300];
  ASSERT_RT_OK(rtKernelGetName(kept, sizeof kept, nullptr, kernel));
  EXPECT_EQ(strlen(kept) % 2, 0u);
  EXPECT_EQ(name.compare(0, strlen(kept), kept), 0);
}

TEST_P(ReviewTest, AWaitForAValueThatHasFailedLatchesTheStream) {
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

TEST_P(ReviewTest, ADeviceSynchroniseWaitsForTheWorkOfDestroyedContexts) {
  struct Work {
    std::atomic<bool> release{false};
    std::atomic<bool> done{false};
  } work;
  Context context;
  Stream stream;
  Fence fence;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream));
  ASSERT_RT_OK(rtLaunchHostFunction([](void* user, rtStatus_t) { static_cast<Work*>(user)->done.store(true); }, &work, stream));
  ASSERT_RT_OK(context.reset());
  std::thread releaser([&] { EXPECT_RT_OK(rtFenceSignal(1, fence)); });
  EXPECT_RT_OK(rtDeviceSynchronize(device_));
  EXPECT_TRUE(work.done.load());
  releaser.join();
}

TEST_P(ReviewTest, AChainOfWaitingStreamsHasNoDepth) {
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

TEST_P(ReviewTest, APoolBelowTheSizeOfASlabIsUsable) {
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  options.maximum_bytes = 64 << 10;
  Pool pool;
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), &options, context_));
  Memory first, second;
  ASSERT_RT_OK(rtMallocFromPool(first.out(), 256, 0, stream_, pool));
  EXPECT_EQ(rtMallocFromPool(second.out(), 100 << 10, 0, stream_, pool), RT_ERROR_OUT_OF_MEMORY);
}

TEST_P(ReviewTest, TheLibraryCannotBeEndedInsideAnOutOfMemoryCallback) {
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  options.maximum_bytes = 1 << 20;
  Pool pool;
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), &options, context_));
  static std::atomic<rtStatus_t> inside;
  inside = RT_SUCCESS;
  auto callback = [](uint64_t, void*) -> int32_t {
    inside = rtShutdown();
    return 0;
  };
  ASSERT_RT_OK(rtMemPoolSetOutOfMemoryCallback(callback, nullptr, pool));
  void* pointer = nullptr;
  EXPECT_EQ(rtMallocFromPool(&pointer, 2 << 20, 0, stream_, pool), RT_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(inside.load(), RT_ERROR_BUSY);
}

}  // namespace
