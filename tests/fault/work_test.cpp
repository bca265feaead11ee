// Fault scenarios of work: copies, fills, launches, host and native functions, records, waits within and across contexts and
// backends. Threads of the library meet fault points, too: their faults show as failures of the stream.
#include <atomic>

#include "driver.h"
#include "support/repeats.h"

namespace rttest {
namespace {

using WorkFaults = FaultTest;
INSTANTIATE_TEST_SUITE_P(, WorkFaults, testing::ValuesIn(faultDevices()), testName);

using HostKernelWorkFaults = FaultTest;
INSTANTIATE_TEST_SUITE_P(, HostKernelWorkFaults, testing::ValuesIn(hostKernelDevices()), testName);

constexpr size_t kSize = 65536;

TEST_P(WorkFaults, CopySynchronous) {
  exhaust({"synchronous copies",
           [](World& w) {
             TRY(rtMemcpy(w.memory, w.pageable, kSize, RT_MEMCPY_DEFAULT));
             TRY(rtMemcpy(w.target, w.memory, kSize, RT_MEMCPY_DEFAULT));
             TRY(rtMemcpy(w.pageable, w.target, kSize, RT_MEMCPY_DEFAULT));
             return rtMemcpy(w.pageable, w.target, 16, RT_MEMCPY_DEFAULT);
           },
           0, "small copies of an idle stream of the CPU are done at once, and its commands lie in a ring that is there"});
}

TEST_P(WorkFaults, CopyAsynchronous) {
  exhaust({"asynchronous copies", [](World& w) {
             TRY(rtMemcpyAsync(w.memory, w.host, kSize, RT_MEMCPY_DEFAULT, w.stream));
             TRY(rtMemcpyAsync(w.target, w.memory, kSize, RT_MEMCPY_DEFAULT, w.stream));
             return rtStreamSynchronize(w.stream);
           }});
}

// On CUDA such a copy goes through pinned slots, and would like to have several threads.
TEST_P(WorkFaults, CopyOfManyMegabytesAfterAHostFunction) {
  exhaust({"large copies after a host function", [](World& w) {
             static std::vector<unsigned char> bytes(size_t{8} << 20, 7);
             Memory memory;
             TRY(rtMalloc(memory.out(), bytes.size(), w.context));
             TRY(rtLaunchHostFunction([](void*, rtStatus_t) {}, nullptr, w.stream));
             TRY(rtMemcpyAsync(memory, bytes.data(), bytes.size(), RT_MEMCPY_DEFAULT, w.stream));
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(WorkFaults, Copy2D) {
  exhaust({"rectangles", [](World& w) {
             TRY(rtMemcpy2D(w.memory, 256, w.pageable, 200, 100, 50, RT_MEMCPY_DEFAULT));
             TRY(rtMemcpy2DAsync(w.target, 300, w.memory, 256, 100, 50, RT_MEMCPY_DEFAULT, w.stream));
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(WorkFaults, CopyBetweenDevices) {
  exhaust({"copies between devices of two backends", [](World& w) {
             TRY(rtMemcpy(w.foreign_memory, w.memory, kSize, RT_MEMCPY_DEFAULT));
             TRY(rtMemcpyAsync(w.memory, w.foreign_memory, kSize, RT_MEMCPY_DEFAULT, w.stream));
             TRY(rtStreamSynchronize(w.stream));
             TRY(rtMemcpyAsync(w.foreign_memory, w.memory, kSize, RT_MEMCPY_DEFAULT, w.foreign_stream));
             return rtStreamSynchronize(w.foreign_stream);
           }});
}

TEST_P(WorkFaults, CopyBetweenContexts) {
  exhaust({"copies between contexts", [](World& w) {
             TRY(rtMemcpyAsync(w.second_memory, w.memory, kSize, RT_MEMCPY_DEFAULT, w.stream));
             TRY(rtStreamSynchronize(w.stream));
             TRY(rtMemcpyAsync(w.memory, w.second_memory, kSize, RT_MEMCPY_DEFAULT, w.second_stream));
             return rtStreamSynchronize(w.second_stream);
           }});
}

TEST_P(WorkFaults, Fills) {
  exhaust({"fills", [](World& w) {
             const uint64_t pattern = 7;
             TRY(rtMemsetAsync(w.memory, 1, kSize, w.stream));
             TRY(rtMemset2DAsync(w.memory, 256, 1, 100, 50, w.stream));
             TRY(rtMemFillAsync(w.memory, &pattern, 8, 1000, w.stream));
             TRY(rtStreamSynchronize(w.stream));
             return rtMemset(w.memory, 1, 100);  // on the default stream
           }});
}

TEST_P(WorkFaults, Launch) {
  exhaust({"launches", [](World& w) {
             for (uint32_t i = 0; i < 4; ++i) TRY(launchOver(w.kernel, w.stream, 8, 4, w.memory.as<void>(), i));
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(HostKernelWorkFaults, LaunchWithManyArguments) {
  exhaust({"a launch with many arguments", [](World& w) {
             static rtHostArg_t filled[64];
             static uint64_t values[64];
             void* pointers[64];
             for (int i = 0; i < 64; ++i) {
               filled[i] = {8, RT_ARG_VALUE};
               pointers[i] = &values[i];
             }
             rtHostKernel_t host = RT_HOST_KERNEL_INIT;
             host.function = emptyKernel;
             host.args = filled;
             host.arg_count = 64;
             Kernel kernel;
             TRY(rtKernelCreateFromHost(kernel.out(), &host, w.context));
             for (int i = 0; i < 300; ++i) TRY(rtLaunchKernel(kernel, 4, 1, 1, 1, 1, 1, 0, w.stream, pointers, 64));
             TRY(kernel.reset());
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(WorkFaults, LaunchWithLocalMemory) {
  exhaust({"local memory", [](World& w) {
             for (size_t bytes : {size_t{64}, size_t{30000}}) {
               TRY(launchOver(w.local, w.stream, 64, 1, bytes, w.memory.as<void>()));
               void* target = w.memory.get();
               void* args[] = {&bytes, &target};
               const uint32_t more = w.module == nullptr ? 128 : 0;  // kernels from source say themselves what they need
               TRY(rtLaunchKernel(w.local, 16, 1, 1, 4, 1, 1, more, w.stream, args, 2));
             }
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(HostKernelWorkFaults, LaunchInANewContext) {
  exhaust({"local memory in a new context", [](World& w) {
             Context made;
             Stream stream;
             Kernel kernel;
             TRY(rtContextCreate(made.out(), nullptr, w.device));
             TRY(rtStreamCreate(stream.out(), nullptr, made));
             TRY(makeKernel(&kernel, made, emptyKernel, {kLocalArg}, "local"));
             TRY(launchOver(kernel, stream, 64, 1, size_t{20000}));
             TRY(rtStreamSynchronize(stream));
             TRY(kernel.reset());
             TRY(stream.reset());
             return made.reset();
           }});
}

TEST_P(WorkFaults, LaunchWithOptions) {
  exhaust({"cooperative launch", [](World& w) {
             const uint32_t one[3] = {1, 1, 1};
             rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
             int32_t can = 0;
             TRY(rtDeviceHasCapability(&can, RT_CAPABILITY_COOPERATIVE_LAUNCH, w.device));
             options.flags = can != 0 ? RT_LAUNCH_COOPERATIVE : 0;
             void* target = w.memory.get();
             uint32_t value = 1;
             void* args[] = {&target, &value};
             TRY(rtLaunchKernelWithOptions(w.kernel, one, one, 0, &options, args, 2, w.stream));
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(WorkFaults, ManySubmissionsAfterAGate) {
  exhaust({"many submissions after a gate", [](World& w) {
             // Where there is a driver each is a call of it, and so a fault of its own.
             const int count = w.module == nullptr ? 2 * repeats(100) : 50;
             Gate gate(w.context);
             TRY(gate.close(w.busy));
             for (int i = 0; i < count; ++i) TRY(rtMemsetAsync(w.memory, i, 64, w.busy));
             TRY(gate.open());
             return rtStreamSynchronize(w.busy);
           }});
}

TEST_P(WorkFaults, HostFunction) {
  static std::atomic<int> calls;
  exhaust({"host functions", [](World& w) {
             calls.store(0);
             int accepted = 0;
             rtStatus_t first = RT_SUCCESS;
             for (int i = 0; i < 4; ++i) {
               const rtStatus_t status = rtLaunchHostFunction([](void*, rtStatus_t) { calls.fetch_add(1); }, nullptr, w.stream);
               if (status == RT_SUCCESS) ++accepted;
               if (first == RT_SUCCESS) first = status;
             }
             const rtStatus_t later = rtStreamSynchronize(w.stream);
             if (calls.load() != accepted) return rtStatus_t{RT_ERROR_INTERNAL};  // exactly once for each success
             return first != RT_SUCCESS ? first : later;
           }});
}

TEST_P(WorkFaults, NativeFunction) {
  exhaust({"native functions", [](World& w) {
             TRY(rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_SUCCESS; }, nullptr, w.stream));
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(WorkFaults, NativeFunctionAtOnce) {
  exhaust({"native functions at once", [](World& w) {
             TRY(rtStreamSynchronize(w.stream));
             TRY(rtStreamCallNative([](const uint64_t*, void*) -> rtStatus_t { return RT_SUCCESS; }, nullptr, w.stream));
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(WorkFaults, RecordWaitElapsed) {
  exhaust({"record, wait, elapsed", [](World& w) {
             int64_t nanoseconds = 0;
             TRY(rtEventRecord(w.event, w.stream));
             TRY(rtEventRecord(w.end, w.stream));
             TRY(rtStreamWaitEvent(w.end, w.busy));
             TRY(rtEventSynchronize(w.end));
             TRY(rtEventElapsedNanoseconds(&nanoseconds, w.event, w.end));
             TRY(rtStreamSynchronize(w.busy));
             return rtStreamSynchronize(w.stream);
           }});
}

// The clock of a device gets a stream and events of its own, once in a process, which are not the scenario's.
class TimestampFaults : public FaultTest {
 protected:
  void SetUp() override {
    rtDevice_t device = nullptr;
    Context context;
    Event event;
    uint64_t host_ns = 0;
    ASSERT_RT_OK(rtDeviceGetByName(&device, GetParam().c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtContextSetCurrent(context));
    ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context));
    ASSERT_RT_OK(rtEventRecord(event, nullptr));
    ASSERT_RT_OK(rtEventSynchronize(event));
    ASSERT_RT_OK(rtEventGetTimestamp(&host_ns, nullptr, event));
    ASSERT_RT_OK(rtContextSetCurrent(nullptr));
    ASSERT_NO_FATAL_FAILURE(FaultTest::SetUp());
  }
};
INSTANTIATE_TEST_SUITE_P(, TimestampFaults, testing::ValuesIn(faultDevices()), testName);

TEST_P(TimestampFaults, RecordAndTimestamp) {
  exhaust({"record and timestamp", [](World& w) {
             uint64_t host_ns = 0, error_ns = 0;
             TRY(rtEventRecord(w.event, w.stream));
             TRY(rtEventSynchronize(w.event));
             TRY(rtEventGetTimestamp(&host_ns, &error_ns, w.event));
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(WorkFaults, FenceSignalledByAStream) {
  exhaust({"fence signalled by a stream", [](World& w) {
             Fence fence;
             TRY(rtFenceCreate(fence.out(), 0, w.context));
             TRY(rtStreamWaitFence(fence, 1, w.busy));
             if (const rtStatus_t status = rtStreamSignalFence(fence, 1, w.stream); status != RT_SUCCESS) {
               (void)rtFenceSignal(1, fence);  // no wait lasts for ever
               return status;
             }
             TRY(rtStreamSynchronize(w.busy));
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(WorkFaults, WaitStreamOfAnotherContext) {
  exhaust({"wait for a stream of another context", [](World& w) {
             Gate gate(w.context);
             TRY(gate.close(w.busy));
             TRY(rtStreamWaitStream(w.busy, w.second_stream));
             TRY(gate.open());
             return rtStreamSynchronize(w.second_stream);
           }});
}

TEST_P(WorkFaults, WaitContext) {
  exhaust({"wait for a context", [](World& w) {
             Gate gate(w.context);
             TRY(gate.close(w.busy));
             TRY(rtStreamWaitContext(w.context, w.second_stream));
             TRY(gate.open());
             return rtStreamSynchronize(w.second_stream);
           }});
}

TEST_P(WorkFaults, WaitForAnotherBackend) {
  exhaust({"wait for an event of another backend", [](World& w) {
             Gate gate(w.context);
             TRY(gate.close(w.busy));
             TRY(rtEventRecord(w.event, w.busy));
             TRY(rtStreamWaitEvent(w.event, w.foreign_stream));
             TRY(gate.open());
             return rtStreamSynchronize(w.foreign_stream);
           }});
}

TEST_P(WorkFaults, Prefetch) {
  exhaust({"prefetch", [](World& w) {
             TRY(rtMemPrefetchAsync(w.host, 1000, w.device, w.stream));
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(WorkFaults, Synchronise) {
  exhaust({"synchronise", [](World& w) {
             TRY(rtMemsetAsync(w.memory, 1, 100, w.stream));
             TRY(rtContextSynchronize(w.context));
             TRY(rtDeviceSynchronize(w.device));
             return rtStreamSynchronizeFor(RT_TIMEOUT_INFINITE, w.stream);
           }});
}

TEST_P(WorkFaults, ErrorsNeedNoMemory) {
  // A refused call under faults is still refused for its own reason: the sentence may be lost, the code is not.
  exhaust({"refused calls",
           [](World& w) {
             const rtStatus_t status = rtMemcpy(w.memory.as(1), w.pageable, kSize, RT_MEMCPY_DEFAULT);
             return status == RT_ERROR_INVALID_VALUE ? rtStatus_t{RT_SUCCESS} : status;
           },
           1, "the sentence is the one allocation"});
}

}  // namespace
}  // namespace rttest
