// Fault scenarios of memory: every allocator, frees with work in flight, registration, the out-of-memory callback.
#include "base/fault.h"
#include "driver.h"

namespace rttest {
namespace {

using MemoryFaults = FaultTest;
INSTANTIATE_TEST_SUITE_P(, MemoryFaults, testing::ValuesIn(faultDevices()), testName);

constexpr size_t kLarge = size_t{6} << 20;  // past every size class: from the driver and back to it

// Small blocks come from slabs that are there already; a new context has none.
rtStatus_t inNewContext(World& w, rtStatus_t (*allocate)(void**, size_t, rtContext_t)) {
  Context made;
  TRY(rtContextCreate(made.out(), nullptr, w.device));
  Memory small;
  Memory large;
  TRY(allocate(small.out(), 1000, made));
  TRY(allocate(large.out(), kLarge, made));
  TRY(small.reset());
  TRY(large.reset());
  return made.reset();
}

TEST_P(MemoryFaults, Malloc) {
  exhaust({"malloc", [](World& w) { return inNewContext(w, rtMalloc); }});
}

TEST_P(MemoryFaults, MallocHost) {
  exhaust({"malloc host", [](World& w) { return inNewContext(w, rtMallocHost); }});
}

TEST_P(MemoryFaults, MallocShared) {
  if (!can(RT_CAPABILITY_SHARED_MEMORY)) GTEST_SKIP() << "the device has no shared memory";
  exhaust({"malloc shared", [](World& w) { return inNewContext(w, rtMallocShared); }});
}

TEST_P(MemoryFaults, MallocAsync) {
  exhaust({"malloc async", [](World& w) {
             Context made;
             Stream stream;
             TRY(rtContextCreate(made.out(), nullptr, w.device));
             TRY(rtStreamCreate(stream.out(), nullptr, made));
             for (size_t size : {size_t{100}, kLarge}) {
               Memory memory;
               TRY(rtMallocAsync(memory.out(), size, stream));
               TRY(rtMemsetAsync(memory, 1, 100, stream));
               TRY(rtFreeAsync(memory.release(), stream));
             }
             TRY(stream.reset());
             return made.reset();
           }});
}

TEST_P(MemoryFaults, MallocFromPool) {
  exhaust({"malloc from pool", [](World& w) {
             Pool pool;
             TRY(rtMemPoolCreate(pool.out(), nullptr, w.context));
             for (size_t size : {size_t{100}, size_t{70000}, kLarge}) {
               Memory memory;
               TRY(rtMallocFromPool(memory.out(), size, 0, w.stream, pool));
             }
             return pool.reset();
           }});
}

TEST_P(MemoryFaults, MallocWithOptions) {
  exhaust({"malloc with options", [](World& w) {
             rtMallocOptions_t options = RT_MALLOC_OPTIONS_INIT;
             options.alignment = 1 << 20;
             Memory memory;
             TRY(rtMallocWithOptions(memory.out(), kLarge, &options, w.context));
             TRY(memory.reset());
             rtMemPool_t pool = nullptr;
             TRY(rtContextGetDefaultPool(&pool, w.context));
             return rtMemPoolTrim(0, pool);  // the next run asks the driver again
           }});
}

TEST_P(MemoryFaults, FreeWithWorkInFlight) {
  exhaust({"free with work in flight", [](World& w) {
             Gate gate(w.context);  // opens itself when a fault ends the scenario early
             Memory memory;
             TRY(rtMalloc(memory.out(), 5000, w.context));
             TRY(gate.close(w.busy));
             TRY(rtMemsetAsync(memory, 1, 5000, w.busy));
             TRY(memory.reset());
             TRY(gate.open());
             return rtStreamSynchronize(w.busy);
           }});
}

// Without memory for its stamps a block waits for every stream: also for those of others that use it.
TEST_P(MemoryFaults, AFreeWithoutMemoryWaitsForTheStreamsOfOtherContexts) {
  World& w = world();
  constexpr size_t kSize = 7000;  // of no other test, so that no block of the size has room for stamps
  Gate gate(w.second);
  Memory next;
  void* memory = nullptr;
  ASSERT_RT_OK(rtMalloc(&memory, kSize, w.context));
  ASSERT_RT_OK(gate.close(w.second_stream));
  ASSERT_RT_OK(rtMemcpyAsync(w.second_memory, memory, kSize, RT_MEMCPY_DEFAULT, w.second_stream));
  manyrt::fault::arm(1, true);
  const rtStatus_t freed = rtFree(memory);
  manyrt::fault::disarm();
  EXPECT_RT_OK(freed);
  EXPECT_STRNE(manyrt::fault::lastFault(), "");  // "new", or what a thread of the library met after it
  ASSERT_RT_OK(rtMalloc(next.out(), kSize, w.context));
  EXPECT_NE(next.get(), memory);
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(w.second_stream));
  Memory last;
  ASSERT_RT_OK(rtMalloc(last.out(), kSize, w.context));
  EXPECT_EQ(last.get(), memory) << "and for nothing else";
}

TEST_P(MemoryFaults, FreeAsyncOnAStreamOfAnotherContext) {
  exhaust({"memory of one context used and freed by another's stream",
           [](World& w) {
             Memory memory;
             TRY(rtMalloc(memory.out(), 5000, w.context));
             TRY(rtMemcpyAsync(w.second_memory, memory, 5000, RT_MEMCPY_DEFAULT, w.second_stream));
             TRY(rtFreeAsync(memory.release(), w.second_stream));
             return rtStreamSynchronize(w.second_stream);
           },
           0, "the CPU's commands lie in a ring that is there, and a block has room for the stamp"});
}

TEST_P(MemoryFaults, Register) {
  if (!can(RT_CAPABILITY_HOST_REGISTER)) GTEST_SKIP() << "the device registers no host memory";
  exhaust({"register",
           [](World& w) {
             TRY(rtHostRegister(w.pageable, sizeof w.pageable, w.context));
             const rtStatus_t status = rtMemcpyAsync(w.memory, w.pageable, sizeof w.pageable, RT_MEMCPY_DEFAULT, w.stream);
             TRY(rtHostUnregister(w.pageable, w.context));
             TRY(status);
             return rtStreamSynchronize(w.stream);
           },
           3, "",
           // An unregister that found no memory has left the range registered.
           [](World& w) { (void)rtHostUnregister(w.pageable, w.context); }});
}

TEST_P(MemoryFaults, OutOfMemoryCallback) {
  exhaust({"out-of-memory callback", [](World& w) {
             Pool pool;
             Memory first;
             Memory second;
             TRY(rtMemPoolCreate(pool.out(), nullptr, w.context));
             TRY(rtMemPoolSetLimit(kLarge + (kLarge / 2), pool));
             TRY(rtMallocFromPool(first.out(), kLarge, 0, w.stream, pool));
             TRY(rtMemPoolSetOutOfMemoryCallback(
                 [](uint64_t, void* user) -> int32_t {
                   Memory* victim = static_cast<Memory*>(user);
                   const bool had = victim->get() != nullptr;
                   return had && victim->reset() == RT_SUCCESS ? 1 : 0;
                 },
                 &first, pool));
             TRY(rtMallocFromPool(second.out(), kLarge, 0, w.stream, pool));
             TRY(second.reset());
             return pool.reset();
           }});
}

TEST_P(MemoryFaults, PointerGetters) {
  exhaust({"pointer getters",
           [](World& w) {
             rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
             void* device_pointer = nullptr;
             TRY(rtPointerGetAttributes(&attributes, w.memory.as(100)));
             return rtHostGetDevicePointer(&device_pointer, w.host.as(10), w.context);
           },
           0, "look-ups in the map of addresses"});
}

}  // namespace
}  // namespace rttest
