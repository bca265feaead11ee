// Memory from eight threads: allocation and frees of every kind, and frees on other threads than the allocating one. Pools are
// trimmed, limited and destroyed meanwhile.
#include <barrier>
#include <cstring>

#include "support/device_test.h"
#include "support/threads.h"

namespace rttest {
namespace {

class MemoryRaces : public DeviceTest {
 protected:
  static constexpr int kSlots = 32;
  // A node that names an address.
  static rtStatus_t addFill(rtGraph_t graph, void* memory, size_t size) {
    rtGraphNode_t node = nullptr;
    rtGraphFillParams_t params = RT_GRAPH_FILL_PARAMS_INIT;
    params.pattern_size = 1;
    params.dst.pointer = memory;
    params.count = size;
    return rtGraphAddFillNode(&node, &params, nullptr, 0, graph);
  }
};
INSTANTIATE_TEST_SUITE_P(, MemoryRaces, testing::ValuesIn(deviceNames()), testName);

TEST_P(MemoryRaces, MemoryIsFreedOnOtherThreadsThanTheOneThatAllocated) {
  std::atomic<void*> slots[kSlots] = {};
  onThreads([&](int index) {
    Random random(index);
    Stream stream;
    EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    for (int round = 0; round < kRounds; ++round) {
      const size_t size = size_t{1} << (4 + random.below(16));
      void* made = nullptr;
      switch (random.below(4)) {
        case 0:
          EXPECT_RT_OK(rtMalloc(&made, size, context_));
          break;
        case 1:
          EXPECT_RT_OK(rtMallocHost(&made, size, context_));
          break;
        case 2:
          EXPECT_RT_OK(rtMallocAsync(&made, size, stream));
          break;
        default:
          break;  // only takes
      }
      if (made != nullptr) {
        EXPECT_RT_OK(rtMemsetAsync(made, index, 16, stream));
      }
      if (made != nullptr && random.below(4) == 0) {
        EXPECT_RT_OK(rtFreeAsync(made, stream));  // in the order of the one stream that has used it
        continue;
      }
      EXPECT_RT_OK(rtFree(slots[random.below(kSlots)].exchange(made)));  // waits for every stream of the context
    }
    EXPECT_RT_OK(rtStreamSynchronize(stream));
  });
  for (std::atomic<void*>& slot : slots) EXPECT_RT_OK(rtFree(slot.load()));
}

TEST_P(MemoryRaces, OfTwoThreadsThatFreeTheSameMemoryOneSucceeds) {
  for (int round = 0; round < kRounds / 10; ++round) {
    void* memory = nullptr;
    std::atomic<int> freed{0};
    ASSERT_RT_OK(rtMalloc(&memory, 1000, context_));
    onThreads(
        [&](int) {
          const rtStatus_t status = rtFree(memory);
          if (status == RT_SUCCESS) freed.fetch_add(1);
          EXPECT_TRUE(status == RT_SUCCESS || status == RT_ERROR_INVALID_VALUE) << rtGetErrorName(status);
        },
        4);
    EXPECT_EQ(freed.load(), 1);
  }
}

// The same in orders of several streams: whichever list a block would go to, it goes to one.
TEST_P(MemoryRaces, OfFreesOfTheSameMemoryInSeveralOrdersOneSucceeds) {
  constexpr int kOrders = 4;
  Stream streams[kOrders];
  for (Stream& stream : streams) ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  Event used;
  ASSERT_RT_OK(rtEventCreate(used.out(), nullptr, context_));
  for (int round = 0; round < kRounds / 10; ++round) {
    void* memory = nullptr;
    std::atomic<int> freed{0};
    ASSERT_RT_OK(rtMallocAsync(&memory, 1000, streams[0]));
    if (round % 2 == 0) {  // each order comes after the use
      ASSERT_RT_OK(rtMemsetAsync(memory, 1, 1000, streams[0]));
      ASSERT_RT_OK(rtEventRecord(used, streams[0]));
      for (int i = 1; i < kOrders; ++i) ASSERT_RT_OK(rtStreamWaitEvent(used, streams[i]));
    }
    onThreads(
        [&](int index) {
          const rtStatus_t status = index == 1 ? rtFree(memory) : rtFreeAsync(memory, streams[index]);
          if (status == RT_SUCCESS) freed.fetch_add(1);
          EXPECT_TRUE(status == RT_SUCCESS || status == RT_ERROR_INVALID_VALUE) << rtGetErrorName(status);
        },
        kOrders);
    EXPECT_EQ(freed.load(), 1);
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFreeAsync(memory, streams[0]));
  }
}

// Half of the threads have a stream each, the others share one.
TEST_P(MemoryRaces, FiguresOfAPoolAreExactAfterManyThreads) {
  constexpr size_t kSize = 5000;
  Pool pool;
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), nullptr, context_));
  std::atomic<uint64_t> made{0};
  std::atomic<uint64_t> bytes{0};
  void* kept[kThreads] = {};
  onThreads([&](int index) {
    Stream own;
    EXPECT_RT_OK(rtStreamCreate(own.out(), nullptr, context_));
    const rtStream_t stream = index % 2 == 0 ? own.get() : stream_.get();
    Random random(index + 29);
    for (int round = 0; round < kRounds; ++round) {
      void* memory = nullptr;
      const size_t size = 1 + random.below(kSize);
      EXPECT_RT_OK(rtMallocFromPool(&memory, size, 0, stream, pool));
      made.fetch_add(1);
      bytes.fetch_add(size);
      if (random.below(8) == 0) {
        EXPECT_RT_OK(rtMemsetAsync(memory, index, 1, stream));
      }
      void*& last = kept[index];
      if (last == nullptr) {  // one of each thread stays
        last = memory;
        continue;
      }
      bytes.fetch_sub(size);
      EXPECT_RT_OK(rtFreeAsync(memory, stream));
      made.fetch_sub(1);
    }
    EXPECT_RT_OK(rtStreamSynchronize(own));
  });
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  ASSERT_RT_OK(rtMemPoolGetStats(&stats, pool));
  EXPECT_EQ(stats.live_count, made.load());
  EXPECT_EQ(stats.live_bytes, bytes.load());
  EXPECT_EQ(stats.pending_bytes, 0u);
  EXPECT_EQ(stats.allocation_count, static_cast<uint64_t>(kThreads) * kRounds);
  EXPECT_EQ(stats.allocation_count - stats.free_count, made.load());
  EXPECT_GE(stats.peak_live_bytes, stats.live_bytes);
  EXPECT_LE(stats.peak_live_bytes, stats.live_bytes + kThreads * kSize);
  for (void* memory : kept) EXPECT_RT_OK(rtFree(memory));
}

// Either the graph finds the memory live, and it stays the graph's until that is gone, or the graph is told that it is not.
TEST_P(MemoryRaces, MemoryThatIsFreedWhileAGraphTakesItStaysOrIsRefused) {
  constexpr size_t kSize = 1000;
  Context context;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  for (int round = 0; round < kRounds / 10; ++round) {
    void* memory = nullptr;
    Graph graph;
    rtStatus_t added = RT_SUCCESS;
    ASSERT_RT_OK(rtMalloc(&memory, kSize, context));
    ASSERT_RT_OK(rtGraphCreate(graph.out()));
    onThreads(
        [&](int index) {
          if (index == 0) {
            EXPECT_RT_OK(rtFree(memory));
            return;
          }
          added = addFill(graph, memory, kSize);
        },
        2);
    EXPECT_TRUE(added == RT_SUCCESS || added == RT_ERROR_INVALID_VALUE) << rtGetErrorName(added);
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(memory));
    Memory next;
    ASSERT_RT_OK(rtMalloc(next.out(), kSize, context));
    if (added == RT_SUCCESS) {
      EXPECT_NE(next.get(), memory);
    }
  }
  EXPECT_RT_OK(rtContextReset(context));  // nothing is left that is still held
}

// Memory of a capture goes with the last graph that names it. One that comes too late is told so.
TEST_P(MemoryRaces, CapturedMemoryThatGoesWhileAnotherGraphTakesItStaysOrIsRefused) {
  constexpr size_t kSize = 1000;
  Context context;
  Stream stream;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  for (int round = 0; round < kRounds / 10; ++round) {
    void* memory = nullptr;
    Graph captured;
    Graph graph;
    rtStatus_t added = RT_SUCCESS;
    ASSERT_RT_OK(rtStreamBeginCapture(stream));
    ASSERT_RT_OK(rtMallocAsync(&memory, kSize, stream));
    ASSERT_RT_OK(rtStreamEndCapture(captured.out(), stream));
    ASSERT_RT_OK(rtGraphCreate(graph.out()));
    onThreads(
        [&](int index) {
          if (index == 0) {
            EXPECT_RT_OK(captured.reset());
          } else {
            added = addFill(graph, memory, kSize);
          }
        },
        2);
    EXPECT_TRUE(added == RT_SUCCESS || added == RT_ERROR_INVALID_VALUE) << rtGetErrorName(added);
    Memory next;
    ASSERT_RT_OK(rtMalloc(next.out(), kSize, context));
    if (added == RT_SUCCESS) {
      EXPECT_NE(next.get(), memory);
    }
    EXPECT_RT_OK(graph.reset());
    EXPECT_RT_OK(next.reset()) << "a block without a hold is the program's again";
  }
  EXPECT_RT_OK(stream.reset());
  EXPECT_RT_OK(rtContextReset(context));
}

// A range stays registered while a graph names it, and is found by no graph once it is being taken back.
TEST_P(MemoryRaces, ARangeIsUnregisteredOrTakenByAGraph) {
  if (!has(RT_CAPABILITY_HOST_REGISTER)) GTEST_SKIP() << "the device registers no host memory";
  std::vector<unsigned char> bytes(10000);
  for (int round = 0; round < kRounds / 10; ++round) {
    Graph graph;
    rtStatus_t unregistered = RT_SUCCESS;
    bool taken = false;
    ASSERT_RT_OK(rtHostRegister(bytes.data(), bytes.size(), context_));
    ASSERT_RT_OK(rtGraphCreate(graph.out()));
    onThreads(
        [&](int index) {
          if (index == 0) {
            unregistered = rtHostUnregister(bytes.data(), context_);
            return;
          }
          const rtStatus_t added = addFill(graph, bytes.data(), bytes.size());
          EXPECT_TRUE(added == RT_SUCCESS || added == RT_ERROR_INVALID_VALUE) << rtGetErrorName(added);
          rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
          EXPECT_RT_OK(rtPointerGetAttributes(&attributes, bytes.data()));
          // After the end of the registration it is an address like any other.
          taken = added == RT_SUCCESS && attributes.kind == RT_POINTER_REGISTERED;
        },
        2);
    EXPECT_TRUE(unregistered == RT_ERROR_BUSY || (unregistered == RT_SUCCESS && !taken)) << rtGetErrorName(unregistered);
    EXPECT_RT_OK(graph.reset());
    if (unregistered == RT_ERROR_BUSY) {
      EXPECT_RT_OK(rtHostUnregister(bytes.data(), context_));
    }
  }
}

// Whichever of the program, an exec that had it bound and a graph is the last to let go of imported memory, it goes once.
TEST_P(MemoryRaces, ImportedMemoryGoesOnce) {
  if (GetParam() != "cpu") GTEST_SKIP() << "the memory is that of the host";
  alignas(256) static unsigned char foreign[1024];
  const uint64_t native[2] = {reinterpret_cast<uintptr_t>(foreign), 0};
  Memory other;
  Graph bound;
  GraphExec exec;
  rtGraphBuffer_t buffer = nullptr;
  rtGraphNode_t node = nullptr;
  rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
  ASSERT_RT_OK(rtMalloc(other.out(), sizeof foreign, context_));
  ASSERT_RT_OK(rtGraphCreate(bound.out()));
  ASSERT_RT_OK(rtGraphAddBuffer(&buffer, sizeof foreign, RT_GRAPH_BUFFER_OUTPUT, "out", bound));
  fill.dst.buffer = buffer;
  fill.pattern_size = 1;
  fill.count = sizeof foreign;
  ASSERT_RT_OK(rtGraphAddFillNode(&node, &fill, nullptr, 0, bound));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), bound, context_));
  const uint64_t live = liveHandles();
  for (int round = 0; round < kRounds / 4; ++round) {
    void* memory = nullptr;
    Graph graph;
    ASSERT_RT_OK(rtGraphCreate(graph.out()));
    ASSERT_RT_OK(rtMemImport(&memory, native, sizeof foreign, context_));
    ASSERT_RT_OK(rtGraphExecBindBuffer(buffer, memory, exec));
    onThreads(
        [&](int index) {
          if (index == 0) {
            EXPECT_RT_OK(rtFree(memory));
          } else if (index == 1) {
            EXPECT_RT_OK(rtGraphExecBindBuffer(buffer, other, exec));
          } else {
            const rtStatus_t added = addFill(graph, memory, sizeof foreign);
            EXPECT_TRUE(added == RT_SUCCESS || added == RT_ERROR_INVALID_VALUE) << rtGetErrorName(added);
          }
        },
        3);
    EXPECT_RT_OK(graph.reset());
    ASSERT_EQ(liveHandles(), live);
  }
}

TEST_P(MemoryRaces, NoTwoThreadsEverHoldTheSameBytes) {
  onThreads([&](int index) {
    Random random(index + 7);
    for (int round = 0; round < kRounds; ++round) {
      const size_t size = 1 + random.below(3000);
      Memory memory;
      EXPECT_RT_OK(rtMallocHost(memory.out(), size, context_));
      std::memset(memory.get(), index, size);
      for (size_t at = 0; at < size; at += 97) EXPECT_EQ(memory.as()[at], index);
      EXPECT_EQ(memory.as()[size - 1], index);
    }
  });
}

TEST_P(MemoryRaces, AttributesAreAskedForWhileMemoryComesAndGoes) {
  std::atomic<void*> slots[kSlots] = {};
  onThreads([&](int index) {
    Random random(index + 13);
    for (int round = 0; round < kRounds; ++round) {
      std::atomic<void*>& slot = slots[random.below(kSlots)];
      if (random.below(3) == 0) {
        void* made = nullptr;
        EXPECT_RT_OK(rtMalloc(&made, 100 + random.below(100000), context_));
        EXPECT_RT_OK(rtFree(slot.exchange(made)));
        continue;
      }
      rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
      void* pointer = slot.load();
      EXPECT_RT_OK(rtPointerGetAttributes(&attributes, pointer));  // perhaps freed by now
      if (attributes.kind == RT_POINTER_UNKNOWN) {
        EXPECT_EQ(attributes.base, nullptr);
      } else {
        EXPECT_LE(attributes.base, pointer);
        EXPECT_GE(attributes.size, 100u);
      }
    }
  });
  for (std::atomic<void*>& slot : slots) EXPECT_RT_OK(rtFree(slot.load()));
}

TEST_P(MemoryRaces, PoolsAreDestroyedWhileTheyAreUsed) {
  std::atomic<rtMemPool_t> slots[4] = {};
  onThreads([&](int index) {
    Allowed allowed{RT_ERROR_INVALID_HANDLE, RT_ERROR_OUT_OF_MEMORY};
    Random random(index + 17);
    for (int round = 0; round < kRounds / 5; ++round) {  // each new pool makes its first slab
      std::atomic<rtMemPool_t>& slot = slots[random.below(4)];
      const rtMemPool_t pool = slot.load();
      switch (pool == nullptr ? 0 : random.below(9)) {
        case 0: {
          rtMemPool_t made = nullptr;
          EXPECT_RT_OK(rtMemPoolCreate(&made, nullptr, context_));
          EXPECT_RT_OK(rtMemPoolDestroy(slot.exchange(made)));
          break;
        }
        case 1:
          CALL(allowed, rtMemPoolTrim(random.below(1 << 20), pool));
          break;
        case 2: {
          rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
          CALL(allowed, rtMemPoolGetStats(&stats, pool));
          break;
        }
        case 3: {
          char text[256];
          CALL(allowed, rtMemPoolDumpJson(text, sizeof text, nullptr, pool));
          break;
        }
        case 4:
          CALL(allowed, rtMemPoolSetReleaseThreshold(random.below(1 << 22), pool));
          break;
        case 5:
          CALL(allowed, rtMemPoolSetLimit(random.below(2) == 0 ? 0 : 64 << 20, pool));
          CALL(allowed, rtMemPoolResetPeak(pool));
          break;
        default: {
          Memory memory;
          if (CALL(allowed, rtMallocFromPool(memory.out(), 1 + random.below(200000), 0, stream_, pool))) {
            EXPECT_RT_OK(rtMemsetAsync(memory, 1, 1, stream_));
          }
        }
      }
    }
  });
  for (std::atomic<rtMemPool_t>& slot : slots) EXPECT_RT_OK(rtMemPoolDestroy(slot.load()));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(MemoryRaces, CopiesOfManyThreadsThroughOneContextKeepTheirContents) {
  constexpr size_t kSize = 30000;
  onThreads([&](int index) {
    Memory device;
    std::vector<unsigned char> bytes(kSize);
    EXPECT_RT_OK(rtMalloc(device.out(), kSize, context_));
    for (int round = 0; round < kRounds / 10; ++round) {
      std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(index * 16 + round % 16));
      EXPECT_RT_OK(rtMemcpy(device, bytes.data(), kSize, RT_MEMCPY_DEFAULT));
      std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0xFF));
      EXPECT_RT_OK(rtMemcpy(bytes.data(), device, kSize, RT_MEMCPY_DEFAULT));
      EXPECT_EQ(bytes, std::vector<unsigned char>(kSize, static_cast<unsigned char>(index * 16 + round % 16)));
    }
  });
}

// Each thread has its own memory; the streams, and what they borrow of the other side, are shared.
TEST_P(MemoryRaces, CopiesOfManyThreadsBetweenTwoDevicesKeepTheirContents) {
  constexpr size_t kSize = 30000;
  for (const std::string& name : deviceNames()) {
    SCOPED_TRACE(name);
    rtDevice_t device = nullptr;
    Context other;
    Stream stream;
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device));
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
    onThreads([&](int index) {
      Memory here;
      Memory there;
      Memory back;
      std::vector<unsigned char> bytes(kSize);
      EXPECT_RT_OK(rtMalloc(here.out(), kSize, context_));
      EXPECT_RT_OK(rtMalloc(back.out(), kSize, context_));
      EXPECT_RT_OK(rtMalloc(there.out(), kSize, other));
      for (int round = 0; round < kRounds / 20; ++round) {
        const auto value = static_cast<unsigned char>(index * 16 + round % 16);
        const bool own = (index + round) % 2 == 0;
        EXPECT_RT_OK(rtMemset(here, value, kSize));
        EXPECT_RT_OK(rtMemcpyAsync(there, here, kSize, RT_MEMCPY_DEFAULT, own ? stream_ : stream));
        EXPECT_RT_OK(rtMemcpyAsync(back, there, kSize, RT_MEMCPY_DEFAULT, own ? stream_ : stream));
        EXPECT_RT_OK(rtStreamSynchronize(own ? stream_ : stream));
        EXPECT_RT_OK(rtMemcpy(bytes.data(), back, kSize, RT_MEMCPY_DEFAULT));
        EXPECT_EQ(bytes, std::vector<unsigned char>(kSize, value));
      }
    });
  }
}

TEST_P(MemoryRaces, RegistrationsFromManyThreads) {
  if (!has(RT_CAPABILITY_HOST_REGISTER)) GTEST_SKIP() << "the device registers no host memory";
  onThreads([&](int) {
    std::vector<unsigned char> bytes(10000);
    for (int round = 0; round < kRounds / 10; ++round) {
      EXPECT_RT_OK(rtHostRegister(bytes.data(), bytes.size(), context_));
      EXPECT_RT_OK(rtMemsetAsync(bytes.data(), round, bytes.size(), stream_));
      EXPECT_RT_OK(rtHostUnregister(bytes.data(), context_));
    }
  });
}

// If threads register ranges with a common byte at the same time, one succeeds.
TEST_P(MemoryRaces, OverlappingRangesAreRegisteredOnce) {
  if (!has(RT_CAPABILITY_HOST_REGISTER)) GTEST_SKIP() << "the device registers no host memory";
  constexpr int kCount = 4;
  std::vector<unsigned char> bytes(16 * 4096);
  std::barrier together(kCount);
  std::atomic<int> registered{0};
  onThreads(
      [&](int index) {
        unsigned char* begin = bytes.data() + 4096 * index;
        for (int round = 0; round < kRounds / 4; ++round) {
          together.arrive_and_wait();
          const rtStatus_t status = rtHostRegister(begin, size_t{4096} * 8, context_);
          if (status == RT_SUCCESS) {
            registered.fetch_add(1);
          } else {
            EXPECT_EQ(status, RT_ERROR_INVALID_VALUE) << lastMessage();
          }
          together.arrive_and_wait();
          if (index == 0) {
            EXPECT_EQ(registered.exchange(0), 1) << "in round " << round;
          }
          if (status == RT_SUCCESS) {
            EXPECT_RT_OK(rtHostUnregister(begin, context_));
          }
        }
      },
      kCount);
}

// The same memory may be imported several times, and every import is freed once.
TEST_P(MemoryRaces, EachOfSeveralImportsOfOneMemoryIsFreed) {
  if (GetParam() != "cpu") GTEST_SKIP() << "the memory is that of the host";
  alignas(256) static unsigned char foreign[1024];
  const uint64_t native[2] = {reinterpret_cast<uintptr_t>(foreign), 0};
  const uint64_t live = liveHandles();
  onThreads(
      [&](int) {
        for (int round = 0; round < kRounds * 2; ++round) {
          void* memory = nullptr;
          EXPECT_RT_OK(rtMemImport(&memory, native, sizeof foreign, context_));
          EXPECT_RT_OK(rtFree(memory));
        }
      },
      4);
  EXPECT_EQ(liveHandles(), live);
}

// A graph keeps the newest import: the older one is found after it.
TEST_P(MemoryRaces, AnImportThatAGraphHoldsDoesNotHideAnotherOne) {
  if (GetParam() != "cpu") GTEST_SKIP() << "the memory is that of the host";
  alignas(256) static unsigned char foreign[1024];
  const uint64_t native[2] = {reinterpret_cast<uintptr_t>(foreign), 0};
  const uint64_t live = liveHandles();
  Graph graph;
  void *first = nullptr, *second = nullptr;
  rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
  ASSERT_RT_OK(rtGraphCreate(graph.out()));
  ASSERT_RT_OK(rtMemImport(&first, native, sizeof foreign, context_));
  ASSERT_RT_OK(rtMemImport(&second, native, sizeof foreign, context_));
  ASSERT_RT_OK(addFill(graph, second, sizeof foreign));
  EXPECT_RT_OK(rtFree(second));
  EXPECT_RT_OK(rtPointerGetAttributes(&attributes, first));
  EXPECT_EQ(attributes.kind, RT_POINTER_IMPORTED);
  EXPECT_RT_OK(rtMemset(first, 1, sizeof foreign));
  EXPECT_RT_OK(rtFree(first));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(first));
  EXPECT_RT_OK(graph.reset());
  EXPECT_EQ(liveHandles(), live);
}

// A range that is being unregistered is known until the driver has let go of it. Another thread that registers it meanwhile is
// refused for that, and not by the driver.
TEST_P(MemoryRaces, ARangeIsRegisteredWhileAnotherThreadUnregistersIt) {
  if (!has(RT_CAPABILITY_HOST_REGISTER)) GTEST_SKIP() << "the device registers no host memory";
  std::vector<unsigned char> bytes(2 * 4096);
  onThreads(
      [&](int) {
        Allowed allowed{RT_ERROR_INVALID_VALUE};
        for (int round = 0; round < kRounds; ++round) {
          if (!CALL(allowed, rtHostRegister(bytes.data(), bytes.size(), context_))) continue;
          EXPECT_RT_OK(rtHostUnregister(bytes.data(), context_));
        }
      },
      4);
}

}  // namespace
}  // namespace rttest
