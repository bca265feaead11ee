// Contexts, devices and the library itself from eight threads. Contexts are destroyed while children are made; also user data,
// resets, the thread's own state, the log callback and latched failures.
#include "support/device_test.h"
#include "support/threads.h"

namespace rttest {
namespace {

class ContextRaces : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(, ContextRaces, testing::ValuesIn(deviceNames()), testName);

TEST_P(ContextRaces, ContextsAreDestroyedWhileChildrenAreMadeAndUsed) {
  std::atomic<rtContext_t> slots[4] = {};
  onThreads([&](int index) {
    // NOT_SUPPORTED: of memory that outlived its context, where no stream that is left reaches it.
    Allowed allowed{RT_ERROR_INVALID_HANDLE, RT_ERROR_WRONG_CONTEXT, RT_ERROR_NOT_SUPPORTED};
    Random random(index);
    for (int round = 0; round < kRounds / 4; ++round) {
      std::atomic<rtContext_t>& slot = slots[random.below(4)];
      const rtContext_t context = slot.load();
      switch (context == nullptr ? 0 : random.below(6)) {
        case 0: {
          rtContext_t made = nullptr;
          EXPECT_RT_OK(rtContextCreate(&made, nullptr, device_));
          EXPECT_RT_OK(rtContextDestroy(slot.exchange(made)));
          break;
        }
        case 1: {
          rtStream_t stream = nullptr;
          rtEvent_t event = nullptr;
          if (!CALL(allowed, rtStreamCreate(&stream, nullptr, context))) break;
          if (CALL(allowed, rtEventCreate(&event, nullptr, context))) {
            CALL(allowed, rtEventRecord(event, stream));
            CALL(allowed, rtEventDestroy(event));
          }
          CALL(allowed, rtStreamDestroy(stream));
          break;
        }
        case 2: {
          Memory memory;
          if (CALL(allowed, rtMalloc(memory.out(), 5000, context))) CALL(allowed, rtMemset(memory, 1, 5000));
          EXPECT_RT_OK(memory.reset()) << "memory outlives its context";
          break;
        }
        case 3:
          CALL(allowed, rtContextSynchronize(context));
          break;
        case 4:
          if (CALL(allowed, rtContextSetCurrent(context))) CALL(allowed, rtStreamSynchronize(nullptr));
          break;
        default: {
          rtStream_t stream = nullptr;
          rtMemPool_t pool = nullptr;
          CALL(allowed, rtContextGetDefaultStream(&stream, context));
          CALL(allowed, rtContextGetDefaultPool(&pool, context));
        }
      }
    }
  });
  for (std::atomic<rtContext_t>& slot : slots) EXPECT_RT_OK(rtContextDestroy(slot.load()));
}

TEST_P(ContextRaces, ThePrimaryContextIsOneForAllThreads) {
  std::atomic<rtContext_t> first{nullptr};
  onThreads([&](int) {
    for (int round = 0; round < kRounds / 10; ++round) {
      rtContext_t primary = nullptr;
      rtContext_t expected = nullptr;
      EXPECT_RT_OK(rtContextGetPrimary(&primary, device_));
      if (!first.compare_exchange_strong(expected, primary)) {
        EXPECT_EQ(primary, expected);
      }
    }
  });
}

// A call that comes while another thread resets the context is told that it is busy, too.
TEST_P(ContextRaces, ResetIsBusyOrWorksWhileOthersUseTheContext) {
  Context context;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  onThreads([&](int index) {
    Allowed allowed{RT_ERROR_BUSY};
    for (int round = 0; round < kRounds / 20; ++round) {
      if (index < 2) {
        CALL(allowed, rtContextReset(context));
        continue;
      }
      Stream stream;
      Memory memory;
      if (!CALL(allowed, rtStreamCreate(stream.out(), nullptr, context))) continue;
      if (!CALL(allowed, rtMalloc(memory.out(), 3000, context))) continue;
      EXPECT_RT_OK(rtMemsetAsync(memory, 1, 3000, stream));
      EXPECT_RT_OK(rtStreamSynchronize(stream));
    }
  });
  EXPECT_RT_OK(rtContextReset(context));
}

// Streams and threads that wait for a fence when its context goes: another one's, or the streams' own. Every wait ends, every
// host function after one is called once, and a stream whose context lives tells of the failure once.
TEST_P(ContextRaces, WaitsForAFenceEndWithItsContext) {
  constexpr int kStreamsEach = 3;
  for (const bool own : {false, true}) {
    for (int round = 0; round < kRounds / 20 && !HasFailure(); ++round) {
      Context owner, waiting;
      rtFence_t fence = nullptr;
      std::atomic<int> called{0}, submitted{0};
      ASSERT_RT_OK(rtContextCreate(owner.out(), nullptr, device_));
      ASSERT_RT_OK(rtContextCreate(waiting.out(), nullptr, device_));
      ASSERT_RT_OK(rtFenceCreate(&fence, 0, owner));
      const rtContext_t of_streams = own ? owner.get() : waiting.get();
      onThreads(
          [&](int index) {
            Allowed allowed{RT_ERROR_INVALID_HANDLE};
            if (index == 0) {
              for (int yields = 0; yields < round % 8; ++yields) std::this_thread::yield();
              EXPECT_RT_OK(owner.reset());
              return;
            }
            if (index == 1) {
              CALL(allowed, rtFenceWait(1, fence));
              return;
            }
            Random random(static_cast<uint64_t>(index + 10 * round));
            Stream streams[kStreamsEach];
            for (Stream& stream : streams) {
              if (!CALL(allowed, rtStreamCreate(stream.out(), nullptr, of_streams))) break;
              if (random.below(8) == 0) CALL(allowed, rtStreamSignalFence(fence, 2, stream));
              CALL(allowed, rtStreamWaitFence(fence, 1 + random.below(2), stream));
              const auto function = [](void* user, rtStatus_t) { static_cast<std::atomic<int>*>(user)->fetch_add(1); };
              if (CALL(allowed, rtLaunchHostFunction(function, &called, stream))) submitted.fetch_add(1);
            }
            for (Stream& stream : streams) {
              if (stream.get() == nullptr) continue;
              CALL(allowed, rtStreamSynchronize(stream));
              if (!own) {
                EXPECT_RT_OK(rtStreamSynchronize(stream)) << "the failure is told once";
              }
              const rtStatus_t destroyed = rtStreamDestroy(stream.release());
              EXPECT_TRUE(destroyed == RT_SUCCESS || (own && destroyed == RT_ERROR_INVALID_HANDLE)) << lastMessage();
            }
          },
          4);
      while (called.load() < submitted.load()) std::this_thread::yield();
      EXPECT_RT_OK(rtContextSynchronize(context_));
      EXPECT_EQ(called.load(), submitted.load());
    }
  }
}

// An allocation does not pin the context: it is the reset that waits for it. Memory that came during a reset is of the context
// after it, so that the next one finds it alive.
TEST_P(ContextRaces, NoResetSucceedsWhileMemoryIsHeld) {
  constexpr int kHolders = 2;
  Context context;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  std::atomic<uint64_t> turns[kHolders] = {};  // odd: the thread holds memory
  std::atomic<int> at_work{kHolders};
  std::atomic<uint64_t> resets{0};
  onThreads(
      [&](int index) {
        Allowed allowed{RT_ERROR_BUSY};
        if (index == kHolders) {
          while (at_work.load() != 0) {
            uint64_t before[kHolders];
            for (int other = 0; other < kHolders; ++other) before[other] = turns[other].load();
            const bool reset = CALL(allowed, rtContextReset(context));
            for (int other = 0; other < kHolders; ++other) {
              EXPECT_FALSE(reset && before[other] % 2 == 1 && turns[other].load() == before[other]) << other;
            }
            resets.fetch_add(1);
          }
          return;
        }
        for (int round = 0; round < kRounds / 10; ++round) {
          void* memory = nullptr;
          const bool made = round % 2 == 0 ? CALL(allowed, rtMalloc(&memory, 3000, context))
                                           : CALL(allowed, rtMallocHost(&memory, 3000, context));
          if (!made) continue;
          turns[index].fetch_add(1);
          for (const uint64_t seen = resets.load(); resets.load() < seen + 2;) std::this_thread::yield();
          turns[index].fetch_add(1);
          EXPECT_RT_OK(rtFree(memory));
        }
        at_work.fetch_sub(1);
      },
      kHolders + 1);
  EXPECT_RT_OK(rtContextReset(context));
}

TEST_P(ContextRaces, EachUserDataIsReleasedOnce) {
  std::atomic<int64_t> set{0};
  static std::atomic<int64_t> released;
  released.store(0);
  Context context;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  onThreads([&](int index) {
    for (int round = 0; round < kRounds / 4; ++round) {
      if (index % 2 == 0) {
        set.fetch_add(1);
        EXPECT_RT_OK(rtContextSetUserData(
            &set, [](void*) { released.fetch_add(1); }, context));
      } else {
        void* user = nullptr;
        EXPECT_RT_OK(rtContextGetUserData(&user, context));
        EXPECT_TRUE(user == nullptr || user == &set);
      }
    }
  });
  EXPECT_RT_OK(context.reset());
  EXPECT_EQ(released.load(), set.load());
}

TEST_P(ContextRaces, CurrentContextAndMessagesBelongToTheirThread) {
  onThreads([&](int index) {
    Context mine;
    rtContext_t current = garbage<rtContext_t>();
    EXPECT_RT_OK(rtContextGetCurrent(&current));
    EXPECT_EQ(current, nullptr);
    EXPECT_RT_OK(rtContextCreate(mine.out(), nullptr, device_));
    EXPECT_RT_OK(rtContextSetCurrent(mine));
    const std::string name = "nowhere:" + std::to_string(index + 100);
    for (int round = 0; round < kRounds / 10; ++round) {
      rtDevice_t device = nullptr;
      EXPECT_EQ(rtDeviceGetByName(&device, name.c_str()), RT_ERROR_NOT_FOUND);
      EXPECT_RT_OK(rtContextGetCurrent(&current));
      EXPECT_EQ(current, mine.get());
      EXPECT_NE(lastMessage().find(name), std::string::npos);
    }
    EXPECT_RT_OK(rtContextSetCurrent(nullptr));
  });
}

TEST_P(ContextRaces, GettersOfDevicesFromManyThreads) {
  onThreads([&](int index) {
    for (int round = 0; round < kRounds / 10; ++round) {
      rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
      rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
      int64_t value = 0;
      uint64_t free_bytes = 0;
      uint64_t count = 0;
      EXPECT_RT_OK(rtDeviceGetProperties(&properties, device_));
      EXPECT_EQ(GetParam(), properties.id);
      EXPECT_RT_OK(rtBackendGetInfo(&info, properties.backend));
      const rtStatus_t told = rtDeviceGetAttribute(&value, (index + round) % (RT_ATTRIBUTE_HOST_THREADS + 1), device_);
      EXPECT_TRUE(told == RT_SUCCESS || told == RT_ERROR_NOT_SUPPORTED) << rtGetErrorName(told);
      EXPECT_RT_OK(rtDeviceGetMemInfo(&free_bytes, nullptr, device_));
      EXPECT_RT_OK(rtGetLiveHandleCount(&count, RT_HANDLE_ALL));
      EXPECT_RT_OK(rtDeviceSynchronize(device_));
    }
  });
}

// Each callback has its own counter; once rtSetLogCallback has returned on a thread, the old one runs no more.
struct Sink {
  std::atomic<bool> replaced{false};
  std::atomic<int> late{0};
};

void receive(int32_t, const char*, void* user) {
  Sink* sink = static_cast<Sink*>(user);
  if (sink->replaced.load()) sink->late.fetch_add(1);
}

TEST_P(ContextRaces, OnceALogCallbackIsReplacedItRunsNoMore) {
  std::vector<Sink> sinks(kRounds / 10);
  onThreads([&](int index) {
    if (index == 0) {
      for (size_t i = 0; i < sinks.size(); ++i) {
        EXPECT_RT_OK(rtSetLogCallback(receive, &sinks[i], RT_LOG_DEBUG));
        if (i > 0) sinks[i - 1].replaced.store(true);
      }
      EXPECT_RT_OK(rtSetLogCallback(nullptr, nullptr, RT_LOG_WARNING));
      sinks.back().replaced.store(true);
      return;
    }
    for (int round = 0; round < kRounds / 20; ++round) {
      Context context;  // says so at level debug, perhaps
      EXPECT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
    }
  });
  for (Sink& sink : sinks) EXPECT_EQ(sink.late.load(), 0);
}

TEST_P(ContextRaces, FailuresLatchOnceWhileManyThreadsSubmit) {
  for (int round = 0; round < kRounds / 40; ++round) {
    rtFence_t fence = nullptr;
    std::atomic<int> seen{0};
    ASSERT_RT_OK(rtFenceCreate(&fence, 0, context_));
    ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream_));
    onThreads([&](int index) {
      Allowed allowed{RT_ERROR_INVALID_HANDLE};
      if (index == 0) {
        EXPECT_RT_OK(rtFenceDestroy(fence));
      }
      for (int i = 0; i < 5; ++i) {
        CALL(allowed, rtLaunchHostFunction([](void*, rtStatus_t) {}, nullptr, stream_));
        CALL(allowed, rtStreamQuery(stream_));
      }
      if (rtStreamSynchronize(stream_) == RT_ERROR_INVALID_HANDLE) seen.fetch_add(1);
    });
    EXPECT_EQ(seen.load(), 1) << "of several that synchronise exactly one sees it";
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
  }
}

TEST_P(ContextRaces, InitAndShutdownArePairedFromManyThreads) {
  ASSERT_RT_OK(rtInit());  // never paired: the library does not end here
  onThreads([&](int) {
    for (int round = 0; round < kRounds; ++round) {
      EXPECT_RT_OK(rtInit());
      EXPECT_RT_OK(rtShutdown());
    }
  });
  EXPECT_RT_OK(rtStreamQuery(stream_));
}

}  // namespace
}  // namespace rttest
