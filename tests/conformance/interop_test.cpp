// Interop: native objects out, borrowed ones in, native calls in a stream's order.
#include <atomic>
#include <thread>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

class InteropTest : public DeviceTest {
 protected:
  // The status of a getter of native objects on this device: success, or NOT_SUPPORTED with zeros where there are none.
  void expectNative(const std::function<rtStatus_t(uint64_t*)>& get) {
    uint64_t native[2] = {7, 7};
    if (get(native) != RT_SUCCESS) {
      EXPECT_FALSE(has(RT_CAPABILITY_NATIVE_INTEROP)) << lastMessage();
      EXPECT_RT(RT_ERROR_NOT_SUPPORTED, get(native));
      EXPECT_EQ(native[0] | native[1], 0u);
    }
    EXPECT_RT(RT_ERROR_INVALID_VALUE, get(nullptr));
  }
};
INSTANTIATE_TEST_SUITE_P(, InteropTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(InteropTest, EveryObjectGivesItsNativeOneOrNotSupported) {
  Event event;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  expectNative([&](uint64_t* native) { return rtDeviceGetNative(native, device_); });
  expectNative([&](uint64_t* native) { return rtContextGetNative(native, context_); });
  expectNative([&](uint64_t* native) { return rtContextGetNative(native, nullptr); });
  expectNative([&](uint64_t* native) { return rtStreamGetNative(native, stream_); });
  expectNative([&](uint64_t* native) { return rtStreamGetNative(native, nullptr); });
  expectNative([&](uint64_t* native) { return rtEventGetNative(native, event); });
}

TEST_P(InteropTest, PointersOfTheCpuAreTheirAddresses) {
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 1000, context_));
  expectNative([&](uint64_t* native) { return rtPointerGetNative(native, memory.as(10)); });
  uint64_t native[2] = {7, 7};
  if (GetParam() == "cpu") {
    ASSERT_RT_OK(rtPointerGetNative(native, memory.as(10)));
    EXPECT_EQ(native[0], reinterpret_cast<uintptr_t>(memory.as(10)));
  }
  int local = 0;
  native[0] = native[1] = 7;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtPointerGetNative(native, &local));
  EXPECT_EQ(native[0] | native[1], 0u);
}

TEST_P(InteropTest, ImportedStreamsAreBorrowedAndDetachedByDestroy) {
  if (!has(RT_CAPABILITY_NATIVE_INTEROP)) {
    uint64_t native[2] = {1, 1};
    rtStream_t stream = garbage<rtStream_t>();
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtStreamImport(&stream, native, context_));
    EXPECT_EQ(stream, nullptr);
    native[0] = 0;
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtStreamImport(&stream, native, context_));
    return;
  }
  uint64_t native[2] = {0, 0};
  Stream borrowed;
  std::atomic<int> calls{0};
  const bool cuda = GetParam().starts_with("cuda");
  EXPECT_RT(cuda ? RT_SUCCESS : RT_ERROR_INVALID_VALUE, rtStreamImport(borrowed.out(), native, context_))
      << "0 is CUDA's legacy default stream, and elsewhere no stream";
  ASSERT_RT_OK(borrowed.reset());
  ASSERT_RT_OK(rtStreamGetNative(native, stream_));
  ASSERT_RT_OK(rtStreamImport(borrowed.out(), native, context_));
  EXPECT_NE(borrowed.get(), stream_.get());
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtLaunchHostFunction([](void* user, rtStatus_t) { static_cast<std::atomic<int>*>(user)->fetch_add(1); }, &calls,
                                    borrowed));
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(borrowed)) << "one queue under both";
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(borrowed));
  EXPECT_EQ(calls.load(), 1);
  ASSERT_RT_OK(borrowed.reset());
  EXPECT_RT_OK(rtMemPrefetchAsync(nullptr, 0, nullptr, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_)) << "the owner's goes on";
}

TEST_P(InteropTest, ImportedContextsAndEventsAreBorrowed) {
  if (!has(RT_CAPABILITY_NATIVE_INTEROP)) {
    uint64_t native[2] = {1, 1};
    rtContext_t context = garbage<rtContext_t>();
    rtEvent_t event = garbage<rtEvent_t>();
    void* pointer = garbage<void*>();
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtContextImport(&context, native, device_));
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtEventImport(&event, native, context_));
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtMemImport(&pointer, native, 100, context_));
    EXPECT_TRUE(context == nullptr && event == nullptr && pointer == nullptr);
    return;
  }
  uint64_t native[2] = {0, 0};
  Context context;
  Stream stream;
  ASSERT_RT_OK(rtContextGetNative(native, context_));
  ASSERT_RT_OK(rtContextImport(context.out(), native, device_));
  EXPECT_NE(context.get(), context_.get());
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  ASSERT_RT_OK(rtStreamSynchronize(stream));
  ASSERT_RT_OK(stream.reset());
  ASSERT_RT_OK(context.reset());
  EXPECT_RT_OK(rtStreamSynchronize(stream_));

  Event event;
  Event borrowed;
  Gate gate(context_);
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_RT_OK(rtEventGetNative(native, event));
  ASSERT_RT_OK(rtEventImport(borrowed.out(), native, context_));
  EXPECT_RT(RT_NOT_READY, rtEventQuery(borrowed));
  ASSERT_RT_OK(gate.open());
  EXPECT_RT_OK(rtEventSynchronize(borrowed));
}

TEST_P(InteropTest, ImportedMemoryOfTheHostIsBorrowed) {
  if (GetParam() != "cpu") GTEST_SKIP() << "the memory is that of the host";
  alignas(256) static unsigned char foreign[1024];
  const uint64_t native[2] = {reinterpret_cast<uintptr_t>(foreign), 0};
  Memory memory;
  rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
  ASSERT_RT_OK(rtMemImport(memory.out(), native, sizeof foreign, context_));
  ASSERT_RT_OK(rtPointerGetAttributes(&attributes, memory.as(1023)));
  EXPECT_EQ(attributes.kind, RT_POINTER_IMPORTED);
  EXPECT_EQ(attributes.size, sizeof foreign);
  ASSERT_RT_OK(rtMemset(memory, 0x21, sizeof foreign));
  EXPECT_EQ(foreign[1023], 0x21);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemset(memory.as(1), 0, sizeof foreign));
  ASSERT_RT_OK(memory.reset());
  EXPECT_EQ(foreign[0], 0x21) << "a free only detaches it";
  void* pointer = garbage<void*>();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemImport(&pointer, native, 0, context_));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemImport(&pointer, nullptr, 16, context_));
}

// rtFree only detaches an import: the address may hold other memory of the program at once, also where the import is still
// named.
TEST_P(InteropTest, MemoryOfAFreedImportIsTheProgramsAgain) {
  if (GetParam() != "cpu") GTEST_SKIP() << "the memory is that of the host";
  alignas(4096) static unsigned char foreign[4096];
  const uint64_t native[2] = {reinterpret_cast<uintptr_t>(foreign), 0};
  Memory memory;
  Graph graph;
  GraphExec exec;
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtMemImport(memory.out(), native, sizeof foreign, context_));
  rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
  fill.dst.pointer = memory.get();
  fill.pattern[0] = 0x35;
  fill.pattern_size = 1;
  fill.count = 100;
  ASSERT_RT_OK(rtGraphCreate(graph.out()));
  ASSERT_RT_OK(rtGraphAddFillNode(&node, &fill, nullptr, 0, graph));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
  ASSERT_RT_OK(memory.reset());

  unsigned char other[16] = {1, 2, 3};
  EXPECT_RT_OK(rtMemcpyAsync(foreign, other, sizeof other, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_RT_OK(rtMemcpy(other, foreign, 1, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(foreign[2], 3);
  rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
  EXPECT_RT_OK(rtPointerGetAttributes(&attributes, foreign));
  EXPECT_EQ(attributes.kind, RT_POINTER_UNKNOWN);
  rtGraphMemcpyParams_t copy = RT_GRAPH_MEMCPY_PARAMS_INIT;
  copy.dst.pointer = foreign;
  copy.src.pointer = other;
  copy.size = 8;
  EXPECT_RT_OK(rtGraphAddMemcpyNode(&node, &copy, nullptr, 0, graph));
  EXPECT_RT_OK(rtHostRegister(foreign, sizeof foreign, context_));
  EXPECT_RT_OK(rtMemsetAsync(foreign, 9, sizeof foreign, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(foreign[4095], 9);
  EXPECT_RT_OK(rtGraphLaunch(exec, stream_)) << "the graph holds what it names";
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(foreign[99], 0x35);
  ASSERT_RT_OK(exec.reset());
  ASSERT_RT_OK(graph.reset());
  EXPECT_RT_OK(rtHostUnregister(foreign, context_));
}

struct Native {
  std::atomic<int> calls{0};
  uint64_t native[2] = {0, 0};
};

rtStatus_t callNative(const uint64_t native[2], void* user) {
  Native* seen = static_cast<Native*>(user);
  seen->native[0] = native[0];
  seen->native[1] = native[1];
  seen->calls.fetch_add(1);
  return RT_SUCCESS;
}

TEST_P(InteropTest, NativeCallsRunInTheStreamsOrderWithItsNativeStream) {
  Native seen;
  uint64_t native[2] = {0, 0};
  ASSERT_RT_OK(rtStreamGetNative(native, stream_));
  for (int i = 0; i < 10; ++i) ASSERT_RT_OK(rtStreamLaunchNative(callNative, &seen, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen.calls.load(), 10);
  EXPECT_EQ(seen.native[0], native[0]);
  EXPECT_EQ(seen.native[1], native[1]);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamLaunchNative(nullptr, nullptr, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamLaunchNative(callNative, &seen, garbage<rtStream_t>()));
}

// A thread that waits for the stream may make the call itself. The current context on it is the stream's meanwhile, and
// afterwards the one that it was.
TEST_P(InteropTest, ANativeCallHasTheContextOfItsStreamOnAnyThread) {
  struct Seen {
    rtContext_t context = nullptr;
    std::atomic<bool> called{false};
  };
  const auto look = [](const uint64_t*, void* user) -> rtStatus_t {
    Seen& seen = *static_cast<Seen*>(user);
    const rtStatus_t status = rtContextGetCurrent(&seen.context);
    seen.called.store(true);
    return status;
  };
  rtContext_t before = nullptr, after = nullptr;
  ASSERT_RT_OK(rtContextGetCurrent(&before));
  rtDevice_t device = nullptr;
  ASSERT_RT_OK(rtContextGetDevice(&device, context_));
  Context other;
  Stream stream;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
  Seen waited, alone;
  ASSERT_RT_OK(rtStreamLaunchNative(look, &waited, stream));
  ASSERT_RT_OK(rtStreamSynchronize(stream));
  EXPECT_EQ(waited.context, other.get());
  ASSERT_RT_OK(rtContextGetCurrent(&after));
  EXPECT_EQ(after, before);
  ASSERT_RT_OK(rtStreamLaunchNative(look, &alone, stream));  // without a thread that waits
  while (!alone.called.load()) std::this_thread::yield();
  ASSERT_RT_OK(rtStreamSynchronize(stream));
  EXPECT_EQ(alone.context, other.get());
}

TEST_P(InteropTest, AFailureThatANativeCallReturnsIsTheStreams) {
  const rtStatus_t status =
      rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_IO; }, nullptr, stream_);
  if (status == RT_SUCCESS) {
    EXPECT_RT(RT_ERROR_IO, rtStreamSynchronize(stream_));
  } else {
    EXPECT_EQ(status, RT_ERROR_IO);
  }
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(InteropTest, ANativeCallAtOnceIsOverWhenItReturnsOrIsNotMade) {
  Native seen;
  uint64_t native[2] = {0, 0};
  ASSERT_RT_OK(rtStreamGetNative(native, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtStreamCallNative(callNative, &seen, stream_));
  EXPECT_EQ(seen.calls.load(), 1);
  EXPECT_EQ(seen.native[0], native[0]);
  EXPECT_EQ(seen.native[1], native[1]);
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  EXPECT_RT(RT_NOT_READY, rtStreamCallNative(callNative, &seen, stream_)) << "work ahead is held back";
  ASSERT_RT_OK(rtStreamLaunchNative(callNative, &seen, stream_));
  EXPECT_RT(RT_NOT_READY, rtStreamCallNative(callNative, &seen, stream_));
  EXPECT_EQ(seen.calls.load(), 1);
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen.calls.load(), 2);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamCallNative(nullptr, nullptr, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamCallNative(callNative, &seen, garbage<rtStream_t>()));
  rtGraph_t graph = nullptr;
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamCallNative(callNative, &seen, stream_));
  (void)rtStreamEndCapture(&graph, stream_);
  if (graph != nullptr) {
    EXPECT_RT_OK(rtGraphDestroy(graph));
  }
  EXPECT_EQ(seen.calls.load(), 2);
}

// Also after work that a thread of the library has run, which may still be looking for more.
TEST_P(InteropTest, ANativeCallAtOnceIsMadeOnTheCallingThread) {
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 4096, context_));
  for (int round = 0; round < 300; ++round) {
    std::thread::id caller;
    for (int i = 0; i < 20; ++i) ASSERT_RT_OK(rtMemsetAsync(memory.get(), i, 4096, stream_));
    if (round % 2 == 0) {
      while (rtStreamQuery(stream_) == RT_NOT_READY) std::this_thread::yield();
    }
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_RT_OK(rtStreamCallNative(
        [](const uint64_t*, void* user) -> rtStatus_t {
          *static_cast<std::thread::id*>(user) = std::this_thread::get_id();
          return RT_SUCCESS;
        },
        &caller, stream_));
    ASSERT_EQ(caller, std::this_thread::get_id()) << "in round " << round;
  }
}

// Inside, what the function submits follows it, a wait for the stream is refused, and so is a second call; streams nest.
TEST_P(InteropTest, InsideANativeCallAtOnceTheStreamIsHeld) {
  struct Inside {
    rtStream_t own, other;
    uint32_t* memory;
    rtStatus_t waits, calls, nests, submits;
    rtContext_t context;
  };
  Stream other;
  Memory memory;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(rtMalloc(memory.out(), 8, context_));
  ASSERT_RT_OK(rtMemset(memory, 0, 8));
  Inside inside{stream_, other, memory.as<uint32_t>(), RT_SUCCESS, RT_SUCCESS, RT_SUCCESS, RT_SUCCESS, nullptr};
  const auto inner = [](const uint64_t*, void* user) -> rtStatus_t {
    auto& in = *static_cast<Inside*>(user);
    const uint32_t value = 5;
    return rtMemFillAsync(in.memory + 1, &value, 4, 1, in.other);
  };
  static rtNativeFunction_t inner_function;
  inner_function = inner;
  const auto outer = [](const uint64_t*, void* user) -> rtStatus_t {
    auto& in = *static_cast<Inside*>(user);
    const uint32_t value = 7;
    in.submits = rtMemFillAsync(in.memory, &value, 4, 1, in.own);
    in.waits = rtStreamSynchronize(in.own);
    in.calls = rtStreamCallNative(inner_function, user, in.own);
    in.nests = rtStreamCallNative(inner_function, user, in.other);
    return rtContextGetCurrent(&in.context);
  };
  ASSERT_RT_OK(rtStreamCallNative(outer, &inside, stream_));
  EXPECT_EQ(inside.submits, RT_SUCCESS);
  EXPECT_EQ(inside.waits, RT_ERROR_BUSY);
  EXPECT_EQ(inside.calls, RT_NOT_READY);
  EXPECT_EQ(inside.nests, RT_SUCCESS);
  EXPECT_EQ(inside.context, context_);
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtStreamSynchronize(other));
  uint32_t found[2] = {0, 0};
  ASSERT_RT_OK(rtMemcpy(found, memory, 8, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(found[0], 7u);
  EXPECT_EQ(found[1], 5u);
}

TEST_P(InteropTest, AFailureOfANativeCallAtOnceIsTheCallsAndTheStreams) {
  EXPECT_RT(RT_ERROR_IO,
            rtStreamCallNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_IO; }, nullptr, stream_));
  Native seen;
  EXPECT_RT(RT_ERROR_IO, rtStreamCallNative(callNative, &seen, stream_)) << "the stream has failed";
  EXPECT_EQ(seen.calls.load(), 0);
  EXPECT_RT(RT_ERROR_IO, rtStreamSynchronize(stream_));
  EXPECT_RT_OK(rtStreamCallNative(callNative, &seen, stream_));
  EXPECT_EQ(seen.calls.load(), 1);
}

}  // namespace
}  // namespace rttest
