// Streams, events, fences, kernels and host functions from eight threads on shared handles, with destroys racing uses: a call
// works or returns RT_ERROR_INVALID_HANDLE.
#include "support/device_test.h"
#include "support/threads.h"

namespace rttest {
namespace {

class HandleRaces : public DeviceTest {
 protected:
  static constexpr int kSlots = 8;
};
INSTANTIATE_TEST_SUITE_P(, HandleRaces, testing::ValuesIn(deviceNames()), testName);

void addOne(void* user, rtStatus_t) { static_cast<std::atomic<uint64_t>*>(user)->fetch_add(1); }

TEST_P(HandleRaces, StreamsAreDestroyedWhileTheyAreUsed) {
  std::atomic<rtStream_t> slots[kSlots] = {};
  std::atomic<uint64_t> submitted{0};
  std::atomic<uint64_t> called{0};
  Memory memory;
  ASSERT_RT_OK(rtMallocHost(memory.out(), size_t{64} * kThreads * kRounds, context_));
  onThreads([&](int index) {
    Allowed allowed{RT_ERROR_INVALID_HANDLE};
    Random random(index);
    for (int round = 0; round < kRounds; ++round) {
      std::atomic<rtStream_t>& slot = slots[random.below(kSlots)];
      const rtStream_t stream = slot.load();
      const rtStream_t other = slots[random.below(kSlots)].load();
      const uint32_t action = stream == nullptr ? 0 : random.below(9);
      switch (action) {
        case 0: {
          rtStream_t made = nullptr;
          EXPECT_RT_OK(rtStreamCreate(&made, nullptr, context_));
          EXPECT_RT_OK(rtStreamDestroy(slot.exchange(made)));
          break;
        }
        case 1:
          CALL(allowed, rtStreamQuery(stream));
          break;
        case 2:
          CALL(allowed, rtStreamSynchronize(stream));
          break;
        case 3:
          CALL(allowed, rtMemsetAsync(memory.as(size_t{64} * (index * kRounds + round)), round, 64, stream));
          break;
        case 4:
          if (CALL(allowed, rtLaunchHostFunction(addOne, &called, stream))) submitted.fetch_add(1);
          break;
        case 5:
          if (other != nullptr) CALL(allowed, rtStreamWaitStream(other, stream));
          break;
        case 6: {
          rtContext_t context = nullptr;
          if (CALL(allowed, rtStreamGetContext(&context, stream))) {
            EXPECT_EQ(context, context_.get());
          }
          break;
        }
        case 7: {
          int32_t priority = 0;
          CALL(allowed, rtStreamGetPriority(&priority, stream));
          break;
        }
        default:
          CALL(allowed, rtStreamWaitContext(context_, stream));
      }
    }
  });
  for (std::atomic<rtStream_t>& slot : slots) EXPECT_RT_OK(rtStreamDestroy(slot.load()));
  EXPECT_RT_OK(rtContextSynchronize(context_));
  EXPECT_EQ(called.load(), submitted.load()) << "exactly once per submission, after the stream is destroyed too";
}

TEST_P(HandleRaces, EventsAreRecordedAgainAndDestroyedWhileWaitsPend) {
  std::atomic<rtEvent_t> slots[kSlots] = {};
  Stream streams[kThreads];
  for (Stream& stream : streams) ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  onThreads([&](int index) {
    Allowed allowed{RT_ERROR_INVALID_HANDLE, RT_ERROR_INVALID_VALUE, RT_ERROR_TIMEOUT, RT_ERROR_BUSY};
    Random random(index + 100);
    for (int round = 0; round < kRounds; ++round) {
      std::atomic<rtEvent_t>& slot = slots[random.below(kSlots)];
      const rtEvent_t event = slot.load();
      const rtEvent_t other = slots[random.below(kSlots)].load();
      switch (event == nullptr ? 0 : random.below(8)) {
        case 0: {
          rtEvent_t made = nullptr;
          EXPECT_RT_OK(rtEventCreate(&made, nullptr, context_));
          EXPECT_RT_OK(rtEventDestroy(slot.exchange(made)));
          break;
        }
        case 1:
        case 2:
          CALL(allowed, rtEventRecord(event, streams[random.below(kThreads)]));
          break;
        case 3:
          CALL(allowed, rtStreamWaitEvent(event, streams[index]));
          break;
        case 4:
          CALL(allowed, rtEventQuery(event));
          break;
        case 5:
          CALL(allowed, rtEventSynchronize(event));
          break;
        case 6:
          CALL(allowed, rtEventSynchronizeFor(1000, event));
          break;
        default: {
          int64_t nanoseconds = 0;
          uint64_t host_ns = 0;
          if (other != nullptr) CALL(allowed, rtEventElapsedNanoseconds(&nanoseconds, event, other));
          CALL(allowed, rtEventGetTimestamp(&host_ns, nullptr, event));
        }
      }
    }
  });
  for (Stream& stream : streams) EXPECT_RT_OK(rtStreamSynchronize(stream));
  for (std::atomic<rtEvent_t>& slot : slots) EXPECT_RT_OK(rtEventDestroy(slot.load()));
}

TEST_P(HandleRaces, FencesAreSignalledWaitedForAndDestroyedFromManyThreads) {
  std::atomic<rtFence_t> slots[kSlots] = {};
  onThreads([&](int index) {
    // A signal below the present value is refused; a destroyed fence fails its waiters.
    Allowed allowed{RT_ERROR_INVALID_HANDLE, RT_ERROR_INVALID_VALUE, RT_ERROR_TIMEOUT};
    Random random(index + 200);
    Stream stream;
    EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    for (int round = 0; round < kRounds; ++round) {
      std::atomic<rtFence_t>& slot = slots[random.below(kSlots)];
      const rtFence_t fence = slot.load();
      const uint64_t target = static_cast<uint64_t>(round) + random.below(4);
      switch (fence == nullptr ? 0 : random.below(8)) {
        case 0: {
          rtFence_t made = nullptr;
          EXPECT_RT_OK(rtFenceCreate(&made, round, context_));
          EXPECT_RT_OK(rtFenceDestroy(slot.exchange(made)));
          break;
        }
        case 1:
        case 2:
          CALL(allowed, rtFenceSignal(target, fence));
          break;
        case 3:
          CALL(allowed, rtStreamSignalFence(fence, target, stream));
          break;
        case 4: {
          uint64_t value = 0;
          if (CALL(allowed, rtFenceGetValue(&value, fence))) CALL(allowed, rtFenceWait(value, fence));
          break;
        }
        case 5:
          CALL(allowed, rtFenceWaitFor(random.below(2000), target, fence));
          break;
        case 6: {
          uint64_t value = 0;  // a value that is reached: nothing waits for ever
          if (CALL(allowed, rtFenceGetValue(&value, fence))) CALL(allowed, rtStreamWaitFence(fence, value, stream));
          break;
        }
        default:
          CALL(allowed, rtStreamSynchronize(stream));
      }
    }
    CALL(allowed, rtStreamSynchronize(stream));
  });
  for (std::atomic<rtFence_t>& slot : slots) EXPECT_RT_OK(rtFenceDestroy(slot.load()));
}

TEST_P(HandleRaces, WaitersOfAFenceAreWokenBySignalOrDestroy) {
  for (int round = 0; round < kRounds / 10; ++round) {
    rtFence_t fence = nullptr;
    ASSERT_RT_OK(rtFenceCreate(&fence, 0, context_));
    onThreads([&](int index) {
      Allowed allowed{RT_ERROR_INVALID_HANDLE};
      if (index == 0) {
        if (round % 2 == 0) CALL(allowed, rtFenceSignal(1, fence));
        CALL(allowed, rtFenceDestroy(fence));
      } else {
        CALL(allowed, rtFenceWait(1, fence));
      }
    });
  }
}

TEST_P(HandleRaces, APingPongOfFencesBetweenThreads) {
  Fence fence;
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  onThreads([&](int index) {
    for (int round = 0; round < kRounds / 10; ++round) {
      const uint64_t turn = static_cast<uint64_t>(round) * kThreads + index;
      EXPECT_RT_OK(rtFenceWait(turn, fence));
      EXPECT_RT_OK(rtFenceSignal(turn + 1, fence));
    }
  });
}

TEST_P(HandleRaces, KernelsAreDestroyedWhileTheyAreLaunched) {
  if (!acceptsKernels()) GTEST_SKIP() << "the device runs no functions of the program";
  std::atomic<rtKernel_t> slots[kSlots] = {};
  std::atomic<uint32_t> ran{0};
  std::atomic<uint32_t> launched{0};
  onThreads([&](int index) {
    Allowed allowed{RT_ERROR_INVALID_HANDLE};
    Random random(index + 300);
    Stream stream;
    EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    for (int round = 0; round < kRounds; ++round) {
      std::atomic<rtKernel_t>& slot = slots[random.below(kSlots)];
      const rtKernel_t kernel = slot.load();
      switch (kernel == nullptr ? 0 : random.below(6)) {
        case 0: {
          Kernel made;
          EXPECT_RT_OK(makeKernel(&made, context_, countKernel, {kPointerArg}, "count"));
          EXPECT_RT_OK(rtKernelDestroy(slot.exchange(made.release())));
          break;
        }
        case 1: {
          rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
          CALL(allowed, rtKernelGetInfo(&info, kernel));
          break;
        }
        case 2: {
          const uint32_t items[3] = {1000, 1, 1};
          uint32_t group[3] = {};
          CALL(allowed, rtKernelSuggestGroupSize(group, items, 0, kernel));
          break;
        }
        default:
          if (CALL(allowed, launchOver(kernel, random.below(2) == 0 ? stream.get() : stream_.get(), 3, 2, &ran))) {
            launched.fetch_add(3);
          }
      }
    }
    EXPECT_RT_OK(rtStreamSynchronize(stream));
  });
  for (std::atomic<rtKernel_t>& slot : slots) EXPECT_RT_OK(rtKernelDestroy(slot.load()));
  EXPECT_RT_OK(rtContextSynchronize(context_));
  if (runsKernels()) {
    EXPECT_EQ(ran.load(), launched.load());
  }
}

TEST_P(HandleRaces, OneStreamTakesSubmissionsAndSynchronisesFromManyThreads) {
  std::atomic<uint64_t> called{0};
  Event event;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  onThreads([&](int index) {
    for (int round = 0; round < kRounds; ++round) {
      if (round % 4 == 0) {
        EXPECT_RT_OK(rtLaunchHostFunction(addOne, &called, stream_));
      }
      if (round % 4 == 1) {
        EXPECT_RT_OK(rtEventRecord(event, stream_));
      }
      if (round % 16 == index % 16) {
        EXPECT_RT_OK(rtStreamSynchronize(stream_));
      }
      if (round % 16 == 7) {
        EXPECT_RT_OK(rtEventSynchronize(event));
      }
    }
  });
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(called.load(), static_cast<uint64_t>(kThreads) * ((kRounds + 3) / 4));
}

TEST_P(HandleRaces, StormsOfCreationAndDestruction) {
  const uint64_t before = liveHandles();
  onThreads([&](int index) {
    for (int round = 0; round < kRounds / 2; ++round) {
      Stream stream;
      Event event;
      Fence fence;
      EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
      EXPECT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
      EXPECT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
      if ((round + index) % 3 == 0) {
        EXPECT_RT_OK(rtStreamWaitFence(fence, 1, stream));
        EXPECT_RT_OK(rtEventRecord(event, stream));
        EXPECT_RT_OK(rtFenceSignal(1, fence));
      }
    }
  });
  EXPECT_EQ(liveHandles(), before);
}

TEST_P(HandleRaces, StaleHandlesNeverNameANewObject) {
  std::atomic<uint64_t> wrong{0};
  onThreads([&](int) {
    std::vector<rtEvent_t> stale;
    for (int round = 0; round < kRounds; ++round) {
      rtEvent_t event = nullptr;
      EXPECT_RT_OK(rtEventCreate(&event, nullptr, context_));
      for (rtEvent_t old : stale) {
        if (old == event || rtEventQuery(old) != RT_ERROR_INVALID_HANDLE) wrong.fetch_add(1);
      }
      EXPECT_RT_OK(rtEventDestroy(event));
      stale.push_back(event);
      if (stale.size() > 8) stale.erase(stale.begin());
    }
  });
  EXPECT_EQ(wrong.load(), 0u);
}

}  // namespace
}  // namespace rttest
