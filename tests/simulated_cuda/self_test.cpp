// Order, events, memory and handles: what CUDA says of them, held against the simulation.
#include "self_test.h"

#include <atomic>
#include <thread>

namespace manyrt::simulated {
namespace {

class OrderTest : public SimulatedTest {
 protected:
  // A host function that holds its stream back until open().
  struct Gate {
    std::atomic<bool> is_open{false};
    void open() {
      is_open = true;
      is_open.notify_all();
    }
  };
  static void hold(NativeStream stream, Gate* gate) {
    ASSERT_EQ(cudaLaunchHostFunc(
                  stream, [](void* user) { static_cast<Gate*>(user)->is_open.wait(false); }, gate),
              kSuccess);
  }
};

TEST_F(OrderTest, AStreamKeepsItsOrder) {
  int* memory = onDevice(1000);
  for (unsigned value = 1; value <= 20; ++value) {
    ASSERT_EQ(cu().MemsetD32Async(address(memory), value, 1000, stream_), kSuccess);
  }
  EXPECT_EQ(read(memory, 1000), std::vector<int>(1000, 20));
}

TEST_F(OrderTest, AWaitTakesTheRecordOfItsMoment) {
  NativeStream other = makeStream();
  NativeEvent event = makeEvent();
  Gate first, second;
  EXPECT_EQ(cu().EventQuery(event), kSuccess);
  EXPECT_EQ(cu().StreamWaitEvent(other, event, 0), kSuccess);
  EXPECT_EQ(cudaStreamSynchronize(other), kSuccess);
  hold(stream_, &first);
  ASSERT_EQ(cu().EventRecord(event, stream_), kSuccess);
  ASSERT_EQ(cu().StreamWaitEvent(other, event, 0), kSuccess);
  hold(stream_, &second);
  ASSERT_EQ(cu().EventRecord(event, stream_), kSuccess);
  EXPECT_EQ(cu().StreamQuery(other), kNotReady);
  first.open();
  EXPECT_EQ(cudaStreamSynchronize(other), kSuccess);
  EXPECT_EQ(cu().EventQuery(event), kNotReady);
  second.open();
  EXPECT_EQ(cudaEventSynchronize(event), kSuccess);
  EXPECT_EQ(cu().EventQuery(event), kSuccess);
}

TEST_F(OrderTest, DestroyedStreamsAndEventsFinishTheirWork) {
  NativeStream other = makeStream();
  NativeEvent event = makeEvent();
  auto* memory = pinned<int>(1);
  *memory = 0;
  Gate gate;
  hold(other, &gate);
  ASSERT_EQ(cu().MemsetD32Async(address(memory), 9, 1, other), kSuccess);
  ASSERT_EQ(cu().EventRecord(event, other), kSuccess);
  ASSERT_EQ(cu().StreamWaitEvent(stream_, event, 0), kSuccess);
  ASSERT_EQ(cudaStreamDestroy(other), kSuccess);
  ASSERT_EQ(cudaEventDestroy(event), kSuccess);
  gate.open();
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(*memory, 9);
  EXPECT_EQ(cu().StreamQuery(other), kInvalidHandle);
  EXPECT_EQ(cudaEventDestroy(event), kInvalidHandle);
  EXPECT_EQ(simulatedCudaViolations(), 2);
}

TEST_F(OrderTest, TheNullStreamWaitsForBlockingStreamsAndTheyForIt) {
  NativeStream blocking = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&blocking, 0, -9), kSuccess);
  Gate gate;
  hold(blocking, &gate);
  auto* memory = pinned<int>(1);
  *memory = 0;
  ASSERT_EQ(cu().MemsetD32Async(address(memory), 1, 1, nullptr), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(cu().StreamQuery(nullptr), kNotReady);
  ASSERT_EQ(cu().MemsetD32Async(address(memory), 2, 1, blocking), kSuccess);
  gate.open();
  ASSERT_EQ(cudaStreamSynchronize(blocking), kSuccess);
  EXPECT_EQ(*memory, 2);
  EXPECT_EQ(cu().StreamQuery(nullptr), kSuccess);
}

TEST_F(OrderTest, TimesOfEvents) {
  NativeEvent start = makeEvent(kEventDefault), end = makeEvent(kEventDefault), untimed = makeEvent();
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), kInvalidHandle);
  for (NativeEvent event : {start, end, untimed}) ASSERT_EQ(cu().EventRecord(event, stream_), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, untimed), kInvalidHandle);
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, start, end), kSuccess);
  EXPECT_GE(milliseconds, 0.0f);
}

TEST_F(OrderTest, HostFunctionsMayNotCall) {
  static std::atomic<Error> code{kSuccess};
  ASSERT_EQ(cudaLaunchHostFunc(
                stream_, [](void*) { code = cudaFree(nullptr); }, nullptr),
            kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(code, kNotPermitted);
  EXPECT_EQ(simulatedCudaViolations(), 1);
}

TEST_F(OrderTest, ContextsAreKeptApart) {
  NativeContext other = nullptr;
  ASSERT_EQ(cu().DevicePrimaryCtxRetain(&other, 1), kSuccess);
  NativeEvent event = makeEvent();
  ASSERT_EQ(cu().CtxPushCurrent(other), kSuccess);
  NativeStream far = makeStream();
  NativeContext found = nullptr;
  ASSERT_EQ(cu().StreamGetCtx(far, &found), kSuccess);
  EXPECT_EQ(found, other);
  EXPECT_EQ(cu().EventRecord(event, far), kInvalidHandle);
  ASSERT_EQ(cu().EventRecord(event, stream_), kSuccess);
  EXPECT_EQ(cu().StreamWaitEvent(far, event, 0), kSuccess);
  int* there = onDevice(4);
  ASSERT_EQ(cu().CtxPopCurrent(&found), kSuccess);
  int* here = onDevice(4);
  ASSERT_EQ(cu().MemsetD32Async(address(here), 6, 4, stream_), kSuccess);
  EXPECT_EQ(cu().MemsetD32Async(address(there), 6, 4, stream_), kInvalidValue);
  ASSERT_EQ(cudaMemcpyAsync(there, here, 16, kCopyDefault, stream_), kSuccess);
  EXPECT_EQ(read(there, 4), std::vector<int>(4, 6));
  std::thread([] {
    NativeStream none = nullptr;
    EXPECT_EQ(cu().StreamQuery(none), kInvalidContext);
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 1), kSuccess);
    EXPECT_EQ(cu().StreamQuery(none), kSuccess);
  }).join();
}

using MemoryTest = SimulatedTest;

TEST_F(MemoryTest, LimitsAndFrees) {
  size_t free_before = 0, free_now = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_before, &total), kSuccess);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, total + 1), kMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), kMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), kSuccess);
  ASSERT_EQ(cudaMalloc(&memory, total / 2), kSuccess);
  void* more = nullptr;
  EXPECT_EQ(cudaMalloc(&more, total / 2 + 1), kMemoryAllocation);
  ASSERT_EQ(cudaMalloc(&more, 100), kSuccess);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(more) % 512, 0u);
  EXPECT_EQ(cudaFree(static_cast<char*>(more) + 1), kInvalidValue);
  EXPECT_EQ(cudaFreeHost(more), kInvalidValue);
  EXPECT_EQ(cudaFree(more), kSuccess);
  EXPECT_EQ(simulatedCudaViolations(), 0);
  EXPECT_EQ(cudaFree(more), kInvalidValue);
  EXPECT_EQ(simulatedCudaViolations(), 1);
  EXPECT_EQ(cudaFree(memory), kSuccess);
  ASSERT_EQ(cudaMemGetInfo(&free_now, &total), kSuccess);
  EXPECT_EQ(free_now, free_before);
}

TEST_F(MemoryTest, RangesStayInsideOneAllocation) {
  int* a = onDevice(100);
  int* b = onDevice(100);
  std::vector<int> host(300, 1);
  EXPECT_EQ(cudaMemcpyAsync(a, host.data(), 404, kCopyDefault, stream_), kInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(b + 1, host.data(), 400, kCopyDefault, stream_), kInvalidValue);
  EXPECT_EQ(cu().MemsetD8Async(address(a) + 1, 0, 400, stream_), kInvalidValue);
  EXPECT_EQ(cu().MemsetD32Async(address(a) + 1, 0, 1, stream_), kInvalidValue);
  EXPECT_EQ(cudaMemcpy2DAsync(a, 40, host.data(), 40, 40, 10, kCopyDefault, stream_), kSuccess);
  EXPECT_EQ(cudaMemcpy2DAsync(a, 40, host.data(), 40, 40, 11, kCopyDefault, stream_), kInvalidValue);
  EXPECT_EQ(cudaMemcpy2DAsync(a, 30, host.data(), 40, 40, 2, kCopyDefault, stream_), kInvalidPitch);
  ASSERT_EQ(cu().MemsetD2D16Async(address(b), 40, 0x0101, 10, 10, stream_), kSuccess);
  EXPECT_EQ(read(b, 5)[4], 0x01010101);
  DriverAddress base = 0;
  size_t size = 0;
  ASSERT_EQ(cu().MemGetAddressRange(&base, &size, address(b) + 77), kSuccess);
  EXPECT_EQ(base, address(b));
  EXPECT_EQ(size, 400u);
  EXPECT_EQ(cu().MemPrefetchAsync(address(a), 4, 0, stream_), kInvalidValue);
}

TEST_F(MemoryTest, RegisteredAndManagedMemory) {
  std::vector<char> host(10000);
  EXPECT_EQ(cudaHostUnregister(host.data()), kHostNotRegistered);
  ASSERT_EQ(cudaHostRegister(host.data(), host.size(), kHostRegisterMapped), kSuccess);
  EXPECT_EQ(cudaHostRegister(host.data() + 5000, 100, 0), kHostRegistered);
  EXPECT_EQ(cudaHostUnregister(host.data() + 1), kHostNotRegistered);
  PointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, host.data() + 9), kSuccess);
  EXPECT_EQ(attributes.type, kMemoryHost);
  void* device = nullptr;
  EXPECT_EQ(cudaHostGetDevicePointer(&device, host.data(), 0), kSuccess);
  EXPECT_EQ(cudaHostUnregister(host.data()), kSuccess);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, host.data()), kSuccess);
  EXPECT_EQ(attributes.type, kMemoryUnregistered);
  EXPECT_EQ(cudaHostRegister(reinterpret_cast<void*>(4096), 4096, 0), kInvalidValue);
  void* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 100, kManagedAttachGlobal), kSuccess);
  EXPECT_EQ(cu().MemPrefetchAsync(address(managed), 100, kHostDeviceNumber, stream_), kSuccess);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, managed), kSuccess);
  EXPECT_EQ(attributes.type, kMemoryManaged);
  EXPECT_EQ(cudaFree(managed), kSuccess);
}

TEST_F(MemoryTest, PageableMemoryIsStagedAndAwaited) {
  int* memory = onDevice(1000);
  std::vector<int> host(1000, 5);
  ASSERT_EQ(cudaMemcpyAsync(memory, host.data(), 4000, kCopyDefault, stream_), kSuccess);
  host.assign(1000, 6);
  EXPECT_EQ(read(memory, 1000), std::vector<int>(1000, 5));
}

TEST_F(MemoryTest, FailuresOnDemandAndCounts) {
  simulatedCudaFail("cudaMalloc", 2, kUnknown);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 1), kSuccess);
  EXPECT_EQ(cudaMalloc(&memory, 1), kUnknown);
  EXPECT_EQ(cudaMalloc(&memory, 1), kSuccess);
  EXPECT_EQ(simulatedCudaCount("cudaMalloc"), 3);
  EXPECT_EQ(simulatedCudaLive("device memory"), 2);
  simulatedCudaFail("cuStreamQuery", 0, kLaunchFailure);
  EXPECT_EQ(cu().StreamQuery(stream_), kLaunchFailure);
  EXPECT_EQ(cu().StreamQuery(stream_), kLaunchFailure);
  EXPECT_EQ(simulatedCudaLive("spoon"), -1);
}

}  // namespace
}  // namespace manyrt::simulated
