// The library beside a program's own CUDA calls. Streams, events, memory and contexts that CUDA made are imported, and native
// calls take their place in a stream. The thread's current context stays the program's.
#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backends/cuda/declarations.h"
#include "support/device_test.h"
#include "support/portable_kernels.h"
#include "support/simulated_cuda.h"

namespace rttest {
namespace {

using namespace manyrt::cuda;

#define EXPECT_CUDA_OK(call) EXPECT_EQ(call, 0) << #call

// The driver's functions that the program calls itself.
struct Native {
  template <typename Function>
  static Function* driver(const char* name) {
    void* found = nullptr;
    int outcome = 0;
    using ByVersion = Error(const char*, void**, unsigned, unsigned long long, int*);
    if (auto* find = cudaFunction<ByVersion>("cudaGetDriverEntryPointByVersion")) {
      const bool good = find(name, &found, 12000, 0, &outcome) == 0 && outcome == 0;
      return good ? reinterpret_cast<Function*>(found) : nullptr;
    }
    auto* find = cudaFunction<Error(const char*, void**, unsigned long long, int*)>("cudaGetDriverEntryPoint");
    return find != nullptr && find(name, &found, 0, &outcome) == 0 && outcome == 0 ? reinterpret_cast<Function*>(found)
                                                                                   : nullptr;
  }
  Error (*malloc)(void**, size_t) = cudaFunction<Error(void**, size_t)>("cudaMalloc");
  Error (*free)(void*) = cudaFunction<Error(void*)>("cudaFree");
  Error (*copy)(void*, const void*, size_t, int,
                NativeStream) = cudaFunction<Error(void*, const void*, size_t, int, NativeStream)>("cudaMemcpyAsync");
  Error (*create_stream)(NativeStream*, unsigned,
                         int) = cudaFunction<Error(NativeStream*, unsigned, int)>("cudaStreamCreateWithPriority");
  Error (*destroy_stream)(NativeStream) = cudaFunction<Error(NativeStream)>("cudaStreamDestroy");
  Error (*synchronize)(NativeStream) = cudaFunction<Error(NativeStream)>("cudaStreamSynchronize");
  Error (*create_event)(NativeEvent*, unsigned) = cudaFunction<Error(NativeEvent*, unsigned)>("cudaEventCreateWithFlags");
  Error (*destroy_event)(NativeEvent) = cudaFunction<Error(NativeEvent)>("cudaEventDestroy");
  Error (*host_function)(NativeStream, HostFunction,
                         void*) = cudaFunction<Error(NativeStream, HostFunction, void*)>("cudaLaunchHostFunc");
  Error (*begin_capture)(NativeStream, int) = cudaFunction<Error(NativeStream, int)>("cudaStreamBeginCapture");
  Error (*end_capture)(NativeStream, void**) = cudaFunction<Error(NativeStream, void**)>("cudaStreamEndCapture");
  Error (*push)(NativeContext) = driver<Error(NativeContext)>("cuCtxPushCurrent");
  Error (*pop)(NativeContext*) = driver<Error(NativeContext*)>("cuCtxPopCurrent");
  Error (*current)(NativeContext*) = driver<Error(NativeContext*)>("cuCtxGetCurrent");
  Error (*context_of)(NativeStream, NativeContext*) = driver<Error(NativeStream, NativeContext*)>("cuStreamGetCtx");
  Error (*record)(NativeEvent, NativeStream) = driver<Error(NativeEvent, NativeStream)>("cuEventRecord");
  Error (*fill)(DriverAddress, unsigned char, size_t,
                NativeStream) = driver<Error(DriverAddress, unsigned char, size_t, NativeStream)>("cuMemsetD8Async");
};

template <typename Handle>
uint64_t number(Handle handle) {
  return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(handle));
}

class CudaInteropTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    uint64_t native[2];
    ASSERT_RT_OK(rtContextGetNative(native, context_));
    native_context_ = reinterpret_cast<NativeContext>(native[0]);
    ASSERT_NE(cuda_.push, nullptr);
    ASSERT_EQ(cuda_.push(native_context_), 0);
  }
  void TearDown() override {
    NativeContext now = nullptr;
    EXPECT_CUDA_OK(cuda_.current(&now));
    EXPECT_EQ(now, native_context_) << "the library left another context current";
    EXPECT_CUDA_OK(cuda_.pop(&now));
    DeviceTest::TearDown();
    if (simulatedCuda().here()) {
      EXPECT_EQ(simulatedCuda().violations(), 0);
    }
  }

  // A context of the device beside this one.
  NativeContext contextOfOther(Context* other) {
    const std::vector<std::string> names = cudaDevices(2);
    rtDevice_t device = nullptr;
    uint64_t native[2] = {0, 0};
    EXPECT_RT_OK(rtDeviceGetByName(&device, (GetParam() == names[0] ? names[1] : names[0]).c_str()));
    EXPECT_RT_OK(rtContextCreate(other->out(), nullptr, device));
    EXPECT_RT_OK(rtContextGetNative(native, *other));
    return reinterpret_cast<NativeContext>(native[0]);
  }

  Native cuda_;
  NativeContext native_context_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(, CudaInteropTest, testing::ValuesIn(cudaDevices()), testName);

TEST_P(CudaInteropTest, KernelsAndCopiesKeepTheirOrderWithNativeCallsOnAnImportedStream) {
  constexpr uint32_t kCount = 100'000;
  NativeStream native_stream = nullptr;
  void* bytes = nullptr;
  ASSERT_EQ(cuda_.create_stream(&native_stream, kStreamNonBlocking, 0), 0);
  ASSERT_EQ(cuda_.malloc(&bytes, kCount * 4), 0);
  const uint64_t stream_words[2] = {number(native_stream), 0};
  const uint64_t memory_words[2] = {number(bytes), 0};
  Stream stream;
  Memory memory, host;
  PortableKernel affine;
  ASSERT_RT_OK(rtStreamImport(stream.out(), stream_words, context_));
  ASSERT_RT_OK(rtMemImport(memory.out(), memory_words, kCount * 4, context_));
  ASSERT_RT_OK(rtMallocHost(host.out(), kCount * 4, context_));
  ASSERT_RT_OK(affine.make(context_, "affine"));

  rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
  ASSERT_RT_OK(rtPointerGetAttributes(&attributes, memory.as(8)));
  EXPECT_EQ(attributes.kind, RT_POINTER_IMPORTED);
  EXPECT_EQ(attributes.base, memory.get());
  EXPECT_EQ(attributes.size, kCount * 4u);

  for (uint32_t round = 0; round < 5; ++round) {
    ASSERT_EQ(cuda_.fill(number(bytes), static_cast<unsigned char>(round), kCount * 4, native_stream), 0);
    ASSERT_RT_OK(launchOver(affine, stream, (kCount + 63) / 64, 64, memory.as<void>(), kCount, 3u));
    ASSERT_EQ(cuda_.copy(host, bytes, kCount * 4, kCopyDefault, native_stream), 0);
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    for (uint32_t i : {0u, kCount / 2, kCount - 1}) ASSERT_EQ(host.as<uint32_t>()[i], round * 0x01010101u * 3 + 1);
  }
  ASSERT_RT_OK(affine.reset());
  ASSERT_RT_OK(stream.reset());
  ASSERT_RT_OK(memory.reset());
  EXPECT_CUDA_OK(cuda_.fill(number(bytes), 9, 100, native_stream)) << "both are only detached";
  EXPECT_CUDA_OK(cuda_.synchronize(native_stream));
  EXPECT_CUDA_OK(cuda_.free(bytes));
  EXPECT_CUDA_OK(cuda_.destroy_stream(native_stream));
}

// rtStreamDestroy of an import is the last moment at which its native stream is known to exist.
class CudaEndedImports : public CudaInteropTest {
 protected:
  static constexpr size_t kSize = 10'000;

  void SetUp() override {
    CudaInteropTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(cuda_.create_stream(&native_stream_, kStreamNonBlocking, 0), 0);
    const uint64_t words[2] = {number(native_stream_), 0};
    ASSERT_RT_OK(rtStreamImport(stream_of_other_.out(), words, context_));
    ASSERT_RT_OK(rtMalloc(memory_.out(), kSize, context_));
    ASSERT_RT_OK(rtMallocHost(host_.out(), kSize, context_));
    std::memset(host_.get(), 0, kSize);
  }
  void TearDown() override {
    ends_ = true;
    memory_.reset();
    host_.reset();
    stream_of_other_.reset();
    CudaInteropTest::TearDown();
  }
  void keepBusy() {  // the device, until ends_
    ASSERT_EQ(cuda_.host_function(
                  native_stream_,
                  [](void* user) {
                    while (!*static_cast<std::atomic<bool>*>(user)) std::this_thread::yield();
                  },
                  &ends_),
              0);
  }
  void endBoth() {
    ASSERT_RT_OK(stream_of_other_.reset());
    ASSERT_EQ(cuda_.destroy_stream(native_stream_), 0) << "its work goes on";
  }

  NativeStream native_stream_ = nullptr;
  Stream stream_of_other_;
  Memory memory_, host_;
  std::atomic<bool> ends_{false};
};
INSTANTIATE_TEST_SUITE_P(, CudaEndedImports, testing::ValuesIn(cudaDevices()), testName);

TEST_P(CudaEndedImports, WorkOfTheDeviceIsFollowedWithoutTheNativeStream) {
  Event event;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  keepBusy();
  ASSERT_RT_OK(rtMemsetAsync(memory_, 7, kSize, stream_of_other_));
  ASSERT_RT_OK(rtMemcpyAsync(host_, memory_, kSize, RT_MEMCPY_DEFAULT, stream_of_other_));
  ASSERT_RT_OK(rtEventRecord(event, stream_of_other_));
  endBoth();
  EXPECT_RT(RT_NOT_READY, rtEventQuery(event));
  ASSERT_RT_OK(rtStreamWaitContext(context_, stream_));
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(stream_));
  ASSERT_RT_OK(memory_.reset()) << "pending until the work is over";
  ends_ = true;
  ASSERT_RT_OK(rtContextSynchronize(context_));
  EXPECT_EQ(host_.as()[kSize - 1], 7);
  EXPECT_RT_OK(rtEventQuery(event));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(CudaEndedImports, WorkThatWasHeldBackRunsWithoutTheNativeStream) {
  Gate gate(context_);
  std::atomic<int> calls{0};
  ASSERT_RT_OK(rtMemsetAsync(memory_, 7, kSize, stream_of_other_));
  ASSERT_RT_OK(gate.close(stream_of_other_));
  ASSERT_RT_OK(rtMemcpyAsync(host_, memory_, kSize, RT_MEMCPY_DEFAULT, stream_of_other_));
  ASSERT_RT_OK(
      rtLaunchHostFunction([](void* user, rtStatus_t) { ++*static_cast<std::atomic<int>*>(user); }, &calls, stream_of_other_));
  ASSERT_RT_OK(rtMemsetAsync(memory_, 8, kSize, stream_of_other_));
  endBoth();
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtContextSynchronize(context_));
  EXPECT_EQ(host_.as()[kSize - 1], 7);
  EXPECT_EQ(calls, 1);
  ASSERT_RT_OK(rtMemcpy(host_, memory_, kSize, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(host_.as()[0], 8);
}

TEST_P(CudaEndedImports, TheOtherImportOfAStreamGoesOn) {
  const uint64_t words[2] = {number(native_stream_), 0};
  Stream again;
  ASSERT_RT_OK(rtStreamImport(again.out(), words, context_));
  keepBusy();
  ASSERT_RT_OK(rtMemsetAsync(memory_, 7, kSize, stream_of_other_));
  ASSERT_RT_OK(stream_of_other_.reset());
  uint64_t native[2] = {0, 0};
  EXPECT_RT_OK(rtStreamGetNative(native, again));
  EXPECT_EQ(native[0], number(native_stream_));
  ASSERT_RT_OK(rtMemcpyAsync(host_, memory_, kSize, RT_MEMCPY_DEFAULT, again));
  ASSERT_RT_OK(again.reset());
  ASSERT_EQ(cuda_.destroy_stream(native_stream_), 0);
  ends_ = true;
  ASSERT_RT_OK(rtContextSynchronize(context_));
  EXPECT_EQ(host_.as()[0], 7);
}

// With the context go its imports: what was held back runs, and is followed, without the native stream.
TEST_P(CudaEndedImports, DestroyingTheContextEndsThem) {
  for (int round = 1; round <= 20 && !HasFailure(); ++round) {
    Gate gate(context_);
    Fence fence;
    Context owner;
    Memory memory;
    rtStream_t import = nullptr, again = nullptr;
    const uint64_t words[2] = {number(native_stream_), 0};
    ASSERT_RT_OK(stream_of_other_.reset());
    ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
    ASSERT_RT_OK(rtContextCreate(owner.out(), nullptr, device_));
    ASSERT_RT_OK(rtStreamImport(&import, words, owner));
    ASSERT_RT_OK(rtStreamImport(&again, words, owner)) << "of two handles the last one ends it";
    ASSERT_RT_OK(rtMalloc(memory.out(), kSize, owner));
    ASSERT_RT_OK(rtMemsetAsync(memory, 0, kSize, import));
    if (round % 2 == 0) {
      ASSERT_RT_OK(gate.close(import));
    }
    ASSERT_RT_OK(rtMemsetAsync(memory, round, kSize, import));
    ASSERT_RT_OK(rtMemcpyAsync(host_, memory, kSize, RT_MEMCPY_DEFAULT, again));
    ASSERT_RT_OK(rtStreamSignalFence(fence, 1, import));
    std::atomic<bool> waits{false};
    std::thread waiter([&] {  // keeps the stream's object beyond its handle
      waits = true;
      const rtStatus_t status = rtStreamSynchronize(import);
      EXPECT_TRUE(status == RT_SUCCESS || status == RT_ERROR_INVALID_HANDLE) << lastMessage();
    });
    while (!waits) std::this_thread::yield();
    for (int yields = 0; yields < 100; ++yields) std::this_thread::yield();
    EXPECT_RT_OK(owner.reset());
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamQuery(import));
    EXPECT_EQ(cuda_.destroy_stream(native_stream_), 0) << "its work goes on";
    if (round % 2 == 0) {
      EXPECT_RT_OK(gate.open());
    }
    EXPECT_RT_OK(rtFenceWait(1, fence));
    waiter.join();
    EXPECT_EQ(host_.as()[kSize - 1], round);
    ASSERT_EQ(cuda_.create_stream(&native_stream_, kStreamNonBlocking, 0), 0);
  }
  EXPECT_EQ(cuda_.destroy_stream(native_stream_), 0);
}

// Beside a thread that waits for the context, and so asks its streams.
TEST_P(CudaEndedImports, AThreadThatWaitsMeanwhileAsksNoMore) {
  ASSERT_RT_OK(stream_of_other_.reset());
  ASSERT_EQ(cuda_.destroy_stream(native_stream_), 0);
  std::atomic<bool> over{false};
  std::thread waiter([&] {
    while (!over) EXPECT_RT_OK(rtContextSynchronize(context_));
  });
  for (int round = 0; round < 200 && !HasFailure(); ++round) {
    EXPECT_EQ(cuda_.create_stream(&native_stream_, kStreamNonBlocking, 0), 0);
    const uint64_t words[2] = {number(native_stream_), 0};
    EXPECT_RT_OK(rtStreamImport(stream_of_other_.out(), words, context_));
    Memory memory;  // of the round: nothing orders the streams
    EXPECT_RT_OK(rtMalloc(memory.out(), kSize, context_));
    EXPECT_RT_OK(rtMemsetAsync(memory, round, kSize, stream_of_other_));
    endBoth();
  }
  over = true;
  waiter.join();
}

TEST_P(CudaInteropTest, AStreamOfTheLibraryWaitsForAnImportedEvent) {
  constexpr size_t kSize = size_t{4} << 20;
  NativeStream native_stream = nullptr;
  NativeEvent native_event = nullptr;
  ASSERT_EQ(cuda_.create_stream(&native_stream, kStreamNonBlocking, 0), 0);
  ASSERT_EQ(cuda_.create_event(&native_event, kEventDisableTiming), 0);
  Memory memory, host;
  ASSERT_RT_OK(rtMalloc(memory.out(), kSize, context_));
  ASSERT_RT_OK(rtMallocHost(host.out(), kSize, context_));
  for (int round = 1; round <= 10; ++round) {
    const uint64_t words[2] = {number(native_event), 0};
    Event event;
    ASSERT_EQ(cuda_.fill(number(memory.get()), static_cast<unsigned char>(round), kSize, native_stream), 0);
    ASSERT_EQ(cuda_.record(native_event, native_stream), 0);
    ASSERT_RT_OK(rtEventImport(event.out(), words, context_));
    ASSERT_RT_OK(rtStreamWaitEvent(event, stream_));
    ASSERT_RT_OK(rtMemcpyAsync(host, memory, kSize, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_EQ(host.as()[0], round);
    ASSERT_EQ(host.as()[kSize - 1], round);
    EXPECT_RT_OK(rtEventQuery(event));
  }
  EXPECT_CUDA_OK(cuda_.destroy_event(native_event)) << "events are only detached";
  EXPECT_CUDA_OK(cuda_.destroy_stream(native_stream));
}

TEST_P(CudaInteropTest, NativeCallsTakeTheirPlaceInAStream) {
  struct Call {
    Native* cuda;
    void* memory;
    Error error;
  } call{&cuda_, nullptr, -1};
  constexpr size_t kSize = 100'000;
  Memory memory;
  std::vector<unsigned char> bytes(kSize);
  ASSERT_RT_OK(rtMalloc(memory.out(), kSize, context_));
  call.memory = memory;
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtMemsetAsync(memory, 1, kSize, stream_));
  ASSERT_RT_OK(rtStreamLaunchNative(
      [](const uint64_t native[2], void* user) -> rtStatus_t {
        auto& at = *static_cast<Call*>(user);
        at.error = at.cuda->fill(number(at.memory), 2, kSize / 2, reinterpret_cast<NativeStream>(native[0]));
        return at.error == 0 ? RT_SUCCESS : RT_ERROR_DRIVER;
      },
      &call, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(bytes.data(), memory, kSize, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(call.error, 0);
  EXPECT_EQ(bytes[0], 2);
  EXPECT_EQ(bytes[kSize - 1], 1);
}

TEST_P(CudaInteropTest, AHostFunctionSeesWhatCameBeforeIt) {
  constexpr size_t kSize = size_t{1} << 20;
  Memory memory, host;
  ASSERT_RT_OK(rtMalloc(memory.out(), kSize, context_));
  ASSERT_RT_OK(rtMallocHost(host.out(), kSize, context_));
  struct Look {
    const unsigned char* at;
    int seen;
  };
  for (int round = 1; round <= 10; ++round) {
    Look look{host.as(kSize - 1), -1};
    ASSERT_RT_OK(rtMemsetAsync(memory, round, kSize, stream_));
    ASSERT_RT_OK(rtMemcpyAsync(host, memory, kSize, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtLaunchHostFunction(
        [](void* user, rtStatus_t) {
          auto& its = *static_cast<Look*>(user);
          its.seen = *its.at;
        },
        &look, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_EQ(look.seen, round);
  }
}

TEST_P(CudaInteropTest, MemoryOfTheProgramMayBeFreedByCudaRightAfterItWasUsed) {
  constexpr size_t kSize = size_t{1} << 20;
  Memory host;
  ASSERT_RT_OK(rtMallocHost(host.out(), kSize, context_));
  for (int round = 1; round <= 10; ++round) {
    void* bytes = nullptr;
    ASSERT_EQ(cuda_.malloc(&bytes, kSize), 0);
    const uint64_t words[2] = {number(bytes), 0};
    Memory memory;
    ASSERT_RT_OK(rtMemImport(memory.out(), words, kSize, context_));
    ASSERT_RT_OK(rtMemsetAsync(memory, round, kSize, stream_));
    ASSERT_RT_OK(rtMemcpyAsync(host, memory, kSize, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_EQ(cuda_.free(bytes), 0) << "waits for the device";
    EXPECT_EQ(host.as()[kSize - 1], round);
    ASSERT_RT_OK(memory.reset());
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_EQ(host.as()[0], round);
  }
}

TEST_P(CudaInteropTest, WorkGoesToItsOwnDeviceWhateverIsCurrent) {
  for (const std::string& name : cudaDevices()) {
    rtDevice_t device = nullptr;
    Context context;
    Stream stream;
    Memory memory;
    uint64_t native[2];
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtContextGetNative(native, context));
    const auto wanted = reinterpret_cast<NativeContext>(native[0]);
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
    ASSERT_RT_OK(rtStreamGetNative(native, stream));
    NativeContext owner = nullptr;
    ASSERT_EQ(cuda_.context_of(reinterpret_cast<NativeStream>(native[0]), &owner), 0);
    EXPECT_EQ(owner, wanted);
    ASSERT_RT_OK(rtMalloc(memory.out(), 1000, context));
    EXPECT_RT_OK(rtMemsetAsync(memory, 1, 1000, stream));
    EXPECT_RT_OK(rtStreamSynchronize(stream));
  }
}

// A host function of the program's that keeps a stream busy until it is let go.
struct Gate {
  std::atomic<bool> open{false};
  static void pass(void* gate) {
    while (!static_cast<Gate*>(gate)->open.load()) std::this_thread::yield();
  }
};

TEST_P(CudaInteropTest, AStreamThatIsImportedAgainHasNoFailureOfTheImportBefore) {
  const uint64_t zero[2] = {0, 0};
  for (int round = 0; round < 3; ++round) {
    Stream import;
    ASSERT_RT_OK(rtStreamImport(import.out(), zero, context_));
    EXPECT_RT_OK(rtStreamQuery(import)) << "round " << round;
    ASSERT_RT_OK(
        rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_LAUNCH_FAILED; }, nullptr, import));
    EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronizeFor(RT_TIMEOUT_INFINITE, import)) << "which clears nothing";
  }
}

TEST_P(CudaInteropTest, ZeroIsTheLegacyDefaultStreamAsInTheRuntime) {
  const uint64_t zero[2] = {0, 0}, one[2] = {kLegacyStream, 0};
  uint64_t of_zero[2] = {7, 7}, of_one[2] = {8, 8};
  Stream first;
  Stream second;
  Memory memory;
  ASSERT_RT_OK(rtStreamImport(first.out(), zero, context_));
  ASSERT_RT_OK(rtStreamImport(second.out(), one, context_));
  ASSERT_RT_OK(rtStreamGetNative(of_zero, first));
  ASSERT_RT_OK(rtStreamGetNative(of_one, second));
  EXPECT_EQ(of_zero[0], of_one[0]);
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  unsigned char host[64] = {};
  ASSERT_RT_OK(rtMemsetAsync(memory, 5, 64, first));
  ASSERT_RT_OK(rtMemcpyAsync(host, memory, 64, RT_MEMCPY_DEFAULT, second)) << "one stream by two names";
  ASSERT_RT_OK(rtStreamSynchronize(second));
  EXPECT_EQ(host[63], 5);
}

// The handle of the default stream names one of each context: waits belong into that of the context that it was imported in.
TEST_P(CudaInteropTest, TheDefaultStreamStaysThatOfItsContextWhateverIsCurrent) {
  if (cudaDevices().size() < 2) GTEST_SKIP() << "needs two devices";
  Context context;
  const NativeContext another = contextOfOther(&context);
  uint64_t native[2];
  const uint64_t legacy[2] = {kLegacyStream, 0};
  Stream standard;
  Event event;
  Gate gate;
  ASSERT_RT_OK(rtStreamImport(standard.out(), legacy, context_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamGetNative(native, stream_));
  ASSERT_EQ(cuda_.host_function(reinterpret_cast<NativeStream>(native[0]), Gate::pass, &gate), 0);
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_EQ(cuda_.push(another), 0);
  EXPECT_RT_OK(rtStreamWaitEvent(event, standard));
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(standard)) << "the wait is in the other device's default stream";
  EXPECT_RT_OK(rtEventRecord(event, standard));
  gate.open = true;
  EXPECT_RT_OK(rtEventRecord(event, standard)) << "in place";
  EXPECT_RT_OK(rtEventSynchronize(event));
  NativeContext popped = nullptr;
  ASSERT_EQ(cuda_.pop(&popped), 0);
  EXPECT_EQ(popped, another);
  EXPECT_RT_OK(rtStreamSynchronize(standard));
}

// The thread that looks after callbacks asks the device every 20 ms while one is pending.
TEST_P(CudaInteropTest, WhoWaitsForTheDeviceEndsNoCaptureOfTheProgram) {
  rtDevice_t cpu = nullptr;
  Context context;
  Stream waiting;
  Event event;
  Gate gate;
  uint64_t native[2];
  NativeStream captured = nullptr;
  ASSERT_RT_OK(rtDeviceGetByName(&cpu, "cpu"));
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, cpu));
  ASSERT_RT_OK(rtStreamCreate(waiting.out(), nullptr, context));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_EQ(cuda_.create_stream(&captured, kStreamNonBlocking, 0), 0);
  ASSERT_RT_OK(rtStreamGetNative(native, stream_));
  ASSERT_EQ(cuda_.host_function(reinterpret_cast<NativeStream>(native[0]), Gate::pass, &gate), 0);
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_RT_OK(rtStreamWaitEvent(event, waiting));
  const bool simulated = simulatedCuda().here();
  if (simulated) {
    (void)simulatedCuda().capture(1);
  } else {
    ASSERT_EQ(cuda_.begin_capture(captured, 0), 0);  // in global mode
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  if (simulated) {
    EXPECT_EQ(simulatedCuda().capture(0), 1) << "a thread of the library has ended it";
  } else {
    void* graph = nullptr;
    EXPECT_CUDA_OK(cuda_.end_capture(captured, &graph));
  }
  gate.open = true;
  EXPECT_RT_OK(rtStreamSynchronize(waiting));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_CUDA_OK(cuda_.destroy_stream(captured));
}

TEST_P(CudaInteropTest, EventsAreMadeAgainWithTheirContextWhereTheDriverInsists) {
  if (!simulatedCuda().here()) GTEST_SKIP() << "the driver insists on demand";
  Context context;
  const NativeContext another = contextOfOther(&context);
  Stream second;
  Event event;
  ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  simulatedCuda().insist_on_current(1);
  ASSERT_EQ(cuda_.push(another), 0);
  for (int round = 0; round < 20; ++round) {
    EXPECT_RT_OK(rtEventRecord(event, stream_));
    EXPECT_RT_OK(rtStreamWaitEvent(event, second));
    EXPECT_GE(rtEventQuery(event), RT_SUCCESS);
  }
  NativeContext popped = nullptr;
  ASSERT_EQ(cuda_.pop(&popped), 0);
  simulatedCuda().insist_on_current(0);
  EXPECT_EQ(popped, another);
  EXPECT_RT_OK(rtStreamSynchronize(second));
}

TEST_P(CudaInteropTest, WhatIsForeignOrUnknownIsRefused) {
  const uint64_t nothing[2] = {0, 0};
  int local = 0;
  const uint64_t host[2] = {number(&local), 0};
  rtEvent_t event = nullptr;
  void* memory = nullptr;
  rtContext_t context = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtEventImport(&event, nothing, context_));
  EXPECT_RT(RT_ERROR_NOT_FOUND, rtMemImport(&memory, host, sizeof local, context_));
  EXPECT_RT(RT_ERROR_NOT_FOUND, rtContextImport(&context, host, device_));
  void* bytes = nullptr;
  ASSERT_EQ(cuda_.malloc(&bytes, 1000), 0);
  const uint64_t words[2] = {number(bytes), 0};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemImport(&memory, words, size_t{1} << 30, context_)) << "larger than it is";
  rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
  ASSERT_RT_OK(rtPointerGetAttributes(&attributes, bytes));
  EXPECT_EQ(attributes.kind, RT_POINTER_UNKNOWN) << "not imported: not the library's";
  EXPECT_CUDA_OK(cuda_.free(bytes));
}

// CUDA has no bound of its own: each stream is one of the driver's.
TEST_P(CudaInteropTest, EveryStreamHasANativeStreamOfItsOwn) {
  constexpr size_t kStreams = 200;
  std::vector<Stream> streams(kStreams);
  std::set<uint64_t> natives;
  for (Stream& stream : streams) {
    uint64_t native[2] = {};
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    ASSERT_RT_OK(rtStreamGetNative(native, stream));
    natives.insert(native[0]);
  }
  EXPECT_EQ(natives.size(), kStreams);
  if (simulatedCuda().here()) {
    EXPECT_GE(simulatedCuda().live("stream"), static_cast<int>(kStreams));
  }
}

}  // namespace
}  // namespace rttest
