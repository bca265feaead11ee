// Each planted defect does what its name says, in a scene that is right without it. A defect that cannot be seen here, no other
// test can notice.
#include <atomic>
#include <functional>

#include "self_test.h"

namespace manyrt::simulated {
namespace {

class PlantedDefectTest : public SimulatedTest {
 protected:
  // Runs the scene without the defect and with it: only then may it see something wrong. Delays make it likely at each try.
  void expectFound(const char* name, const std::function<bool()>& goes_wrong) {
    simulatedCudaDelay(200);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(goes_wrong()) << "without " << name;
    ASSERT_EQ(simulatedCudaDefect(name), 1);
    bool found = false;
    for (int i = 0; i < 50 && !found; ++i) found = goes_wrong();
    EXPECT_TRUE(found) << name;
    simulatedCudaDefect("");
    simulatedCudaMendDevice(0);
  }

  // One stream fills memory that another one copies after an event. Null or an unrecorded event: an older record.
  bool crossesStreams() {
    NativeStream other = makeStream();
    NativeEvent old = makeEvent(), event = makeEvent();
    auto* memory = pinned<int>(4);
    auto* seen = pinned<int>(4);
    memory[0] = seen[0] = 0;
    cu().EventRecord(old, other);
    cu().EventRecord(event, stream_);
    cudaStreamSynchronize(stream_);
    for (unsigned i = 1; i <= 5; ++i) cu().MemsetD32Async(address(memory), i, 4, stream_);
    cu().EventRecord(event, stream_);
    cu().StreamWaitEvent(other, event, 0);
    cudaMemcpyAsync(seen, memory, 8, kCopyDefault, other);
    cudaStreamSynchronize(other);
    cudaStreamSynchronize(stream_);
    const bool wrong = seen[1] != 5 || seen[0] != 5;
    cudaStreamDestroy(other);
    cudaEventDestroy(event);
    cudaEventDestroy(old);
    return wrong;
  }
};

TEST_F(PlantedDefectTest, AnUnknownNameIsRefused) {
  EXPECT_EQ(simulatedCudaDefect("no_such_defect"), 0);
  EXPECT_EQ(simulatedCudaDefect("leak,missing_wait"), 1);
  EXPECT_EQ(simulatedCudaDefect(nullptr), 1);
}

TEST_F(PlantedDefectTest, MissingWaitLetsACopyOvertakeAFill) {
  expectFound("missing_wait", [&] { return crossesStreams(); });
}
TEST_F(PlantedDefectTest, WrongEventLetsACopyOvertakeAFill) {
  expectFound("wrong_event", [&] { return crossesStreams(); });
}
TEST_F(PlantedDefectTest, EventReusedEarlyLetsACopyOvertakeAFill) {
  expectFound("event_reused_early", [&] { return crossesStreams(); });
}

TEST_F(PlantedDefectTest, MemoryReusedEarlyChangesWhatAKernelReads) {
  expectFound("memory_reused_early", [&] {
    static NativeModule module = nullptr;
    static NativeFunction function = nullptr;
    if (module == nullptr) {
      module = load("extern \"C\" __global__ void k(int* from, int* to) { *to = *from; }");
      function = kernel(module, "k");
    }
    int* memory = onDevice(1);
    auto* seen = pinned<int>(1);
    cu().MemsetD32Async(address(memory), 5, 1, stream_);
    cudaStreamSynchronize(stream_);
    launch(function, 1, 1, {&memory, &seen});
    cudaFree(memory);
    return cudaStreamSynchronize(stream_) != kSuccess || *seen != 5;
  });
}

TEST_F(PlantedDefectTest, HostReadEarlyLetsAWaitReturnBeforeAFill) {
  expectFound("host_read_early", [&] {
    static auto* memory = pinned<int>(1);
    static unsigned value = 0;
    cu().MemsetD32Async(address(memory), ++value, 1, stream_);
    cudaStreamSynchronize(stream_);
    return __atomic_load_n(memory, __ATOMIC_RELAXED) != static_cast<int>(value);
  });
}

TEST_F(PlantedDefectTest, StaleDeviceAllocatesOnAnotherDevice) {
  NativeContext other = nullptr;
  ASSERT_EQ(cu().DevicePrimaryCtxRetain(&other, 1), kSuccess);
  expectFound("stale_device", [&] {
    cu().CtxPushCurrent(other);
    void* memory = nullptr;
    cudaMalloc(&memory, 1);
    PointerAttributes attributes{};
    cudaPointerGetAttributes(&attributes, memory);
    cu().CtxPopCurrent(nullptr);
    return attributes.device != 1;
  });
}

TEST_F(PlantedDefectTest, ArgumentLifetimeLetsAKernelSeeALaterValue) {
  NativeFunction function = kernel(load("extern \"C\" __global__ void k(int* to, int value) { *to = value; }"), "k");
  expectFound("argument_lifetime", [&] {
    auto* seen = pinned<int>(1);
    static int value;
    static void* values[] = {nullptr, &value};
    values[0] = &seen;
    __atomic_store_n(&value, 1, __ATOMIC_RELAXED);
    cu().LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream_, values, nullptr);
    __atomic_store_n(&value, 2, __ATOMIC_RELAXED);
    cudaStreamSynchronize(stream_);
    return *seen != 1;
  });
}

TEST_F(PlantedDefectTest, LeakKeepsFreedMemoryAlive) {
  expectFound("leak", [&] {
    const int before = simulatedCudaLive("device memory");
    cudaFree(onDevice(1));
    return simulatedCudaLive("device memory") != before;
  });
}

TEST_F(PlantedDefectTest, DoubleFreeIsAViolation) {
  expectFound("double_free", [&] {
    const int before = simulatedCudaViolations();
    cudaFree(onDevice(1));
    return simulatedCudaViolations() != before;
  });
}

TEST_F(PlantedDefectTest, ForeignContextRefusesARecord) {
  NativeContext other = nullptr;
  ASSERT_EQ(cu().DevicePrimaryCtxRetain(&other, 1), kSuccess);
  NativeEvent event = makeEvent();
  expectFound("foreign_context", [&] { return cu().EventRecord(event, makeStream()) != kSuccess; });
}

TEST_F(PlantedDefectTest, IgnoredErrorMakesAFailureASuccess) {
  expectFound("ignored_error", [&] {
    void* memory = nullptr;
    return cudaMalloc(&memory, size_t{1} << 50) == kSuccess;
  });
}

TEST_F(PlantedDefectTest, CallbackEarlyRunsAHostFunctionBeforeAFill) {
  expectFound("callback_early", [&] {
    struct Seen {
      int* memory;
      int value;
      std::atomic<bool> called{false};
    };
    auto* memory = pinned<int>(1);
    __atomic_store_n(memory, 0, __ATOMIC_RELAXED);
    Seen seen{memory, 0, {}};
    for (unsigned i = 1; i <= 5; ++i) cu().MemsetD32Async(address(memory), i, 1, stream_);
    cudaLaunchHostFunc(
        stream_,
        [](void* user) {
          auto* its = static_cast<Seen*>(user);
          its->value = __atomic_load_n(its->memory, __ATOMIC_RELAXED);
          its->called = true;
          its->called.notify_all();
        },
        &seen);
    cudaStreamSynchronize(stream_);
    seen.called.wait(false);
    return seen.value != 5;
  });
}

}  // namespace
}  // namespace manyrt::simulated
