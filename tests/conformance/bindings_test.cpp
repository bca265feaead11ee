// The needs of bindings to other languages: release functions of lent memory, waits for memory, descriptors of events, the
// device numbers of DLPack.
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "support/device_test.h"

namespace rttest {
namespace {

// A function that a program lends: it counts its calls, and the releases.
struct Lent {
  std::atomic<int> calls{0};
  std::atomic<int> releases{0};
  std::atomic<int> calls_after_release{0};

  static void call(void* user, rtStatus_t) {
    auto* lent = static_cast<Lent*>(user);
    if (lent->releases != 0) ++lent->calls_after_release;
    ++lent->calls;
  }
  static rtStatus_t callNative(const uint64_t*, void* user) {
    call(user, RT_SUCCESS);
    return RT_SUCCESS;
  }
  static void release(void* user) {
    auto* lent = static_cast<Lent*>(user);
    ++lent->releases;
    lent->releases.notify_all();
  }
  // Releases may come on a thread of the library, soon after.
  bool waitForRelease() const {
    for (int i = 0; i < 5000 && releases == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return releases == 1;
  }
};

bool readable(int descriptor, int milliseconds) {
  pollfd request{descriptor, POLLIN, 0};
  return poll(&request, 1, milliseconds) == 1 && (request.revents & POLLIN) != 0;
}

class BindingsTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(, BindingsTest, testing::ValuesIn(deviceNames()), testName);

// Tests that need memory of the program, or functions of the program as kernels.
class HostBindingsTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(, HostBindingsTest, testing::Values("cpu"), testName);

TEST_P(BindingsTest, AHostFunctionsPointerIsReleasedAfterItsCall) {
  Lent lent;
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtLaunchHostFunctionWithRelease(Lent::call, &lent, Lent::release, stream_));
  EXPECT_EQ(lent.releases, 0) << "before the call";
  ASSERT_RT_OK(gate.open());
  EXPECT_TRUE(lent.waitForRelease());
  EXPECT_EQ(lent.calls, 1);
  EXPECT_EQ(lent.calls_after_release, 0);
  Lent plain;
  ASSERT_RT_OK(rtLaunchHostFunctionWithRelease(Lent::call, &plain, nullptr, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(plain.calls, 1);
}

TEST_P(BindingsTest, ARefusedHostFunctionsPointerStaysTheCallers) {
  Lent lent;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchHostFunctionWithRelease(nullptr, &lent, Lent::release, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtLaunchHostFunctionWithRelease(Lent::call, &lent, Lent::release, garbage<rtStream_t>()));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(lent.releases, 0);
  EXPECT_EQ(lent.calls, 0);
}

TEST_P(BindingsTest, ACapturedFunctionIsCalledByEachLaunchAndReleasedAfterTheLastExec) {
  Lent lent;
  Graph graph;
  GraphExec exec;
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtLaunchHostFunctionWithRelease(Lent::call, &lent, Lent::release, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
  ASSERT_RT_OK(graph.reset());
  for (int i = 0; i < 3; ++i) ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(lent.calls, 3);
  EXPECT_EQ(lent.releases, 0) << "the exec can be launched again";
  ASSERT_RT_OK(exec.reset());
  EXPECT_TRUE(lent.waitForRelease());
  EXPECT_EQ(lent.calls_after_release, 0);
}

TEST_P(BindingsTest, ACaptureThatIsThrownAwayReleasesWhatItHas) {
  Lent host, native;
  Graph graph;
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtLaunchHostFunctionWithRelease(Lent::call, &host, Lent::release, stream_));
  ASSERT_RT_OK(rtStreamLaunchNativeWithRelease(Lent::callNative, &native, Lent::release, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
  ASSERT_RT_OK(graph.reset());
  EXPECT_TRUE(host.waitForRelease());
  EXPECT_TRUE(native.waitForRelease());
  EXPECT_EQ(host.calls + native.calls, 0);
}

TEST_P(BindingsTest, ANativeFunctionsPointerIsReleasedAfterItsCall) {
  Lent lent;
  ASSERT_RT_OK(rtStreamLaunchNativeWithRelease(Lent::callNative, &lent, Lent::release, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_TRUE(lent.waitForRelease());
  EXPECT_EQ(lent.calls, 1);
}

TEST_P(BindingsTest, AHostFunctionOfADestroyedStreamIsReleasedToo) {
  Lent lent;
  Gate gate(context_);
  Stream stream;
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  ASSERT_RT_OK(gate.close(stream));
  ASSERT_RT_OK(rtLaunchHostFunctionWithRelease(Lent::call, &lent, Lent::release, stream));
  ASSERT_RT_OK(stream.reset());
  EXPECT_EQ(lent.releases, 0);
  ASSERT_RT_OK(gate.open());
  EXPECT_TRUE(lent.waitForRelease());
  EXPECT_EQ(lent.calls, 1);
}

TEST_P(HostBindingsTest, ImportedMemoryIsReleasedAfterItsLastUse) {
  alignas(4096) static unsigned char foreign[4096];
  const uint64_t native[2] = {reinterpret_cast<uintptr_t>(foreign), 0};
  Lent lent;
  Gate gate(context_);
  void* memory = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemImportWithRelease(&memory, native, 0, &lent, Lent::release, context_));
  ASSERT_RT_OK(rtMemImportWithRelease(&memory, native, sizeof foreign, &lent, Lent::release, context_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtMemsetAsync(memory, 0x42, sizeof foreign, stream_));
  ASSERT_RT_OK(rtFree(memory));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(lent.releases, 0) << "a stream still writes to it";
  ASSERT_RT_OK(gate.open());
  EXPECT_TRUE(lent.waitForRelease());
  EXPECT_EQ(foreign[4095], 0x42);
}

TEST_P(HostBindingsTest, ImportedMemoryOfAGraphIsReleasedAfterTheExec) {
  alignas(4096) static unsigned char foreign[4096];
  const uint64_t native[2] = {reinterpret_cast<uintptr_t>(foreign), 0};
  Lent lent;
  Memory memory;
  Graph graph;
  GraphExec exec;
  ASSERT_RT_OK(rtMemImportWithRelease(memory.out(), native, sizeof foreign, &lent, Lent::release, context_));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtMemsetAsync(memory, 7, sizeof foreign, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
  ASSERT_RT_OK(memory.reset());
  ASSERT_RT_OK(graph.reset());
  EXPECT_EQ(lent.releases, 0);
  ASSERT_RT_OK(exec.reset());
  EXPECT_TRUE(lent.waitForRelease());
}

TEST_P(HostBindingsTest, EachFreeOfAnAddressThatWasImportedTwiceGivesBackOneImport) {
  alignas(256) static unsigned char foreign[1024];
  const uint64_t native[2] = {reinterpret_cast<uintptr_t>(foreign), 0};
  Lent first, second;
  void *one = nullptr, *two = nullptr;
  ASSERT_RT_OK(rtMemImportWithRelease(&one, native, sizeof foreign, &first, Lent::release, context_));
  ASSERT_RT_OK(rtMemImportWithRelease(&two, native, sizeof foreign, &second, Lent::release, context_));
  ASSERT_EQ(one, two);
  ASSERT_RT_OK(rtFree(one));
  EXPECT_TRUE(second.waitForRelease()) << "the last one first";
  EXPECT_EQ(first.releases, 0);
  EXPECT_RT_OK(rtMemset(two, 1, sizeof foreign)) << "it is still known";
  ASSERT_RT_OK(rtFree(two));
  EXPECT_TRUE(first.waitForRelease());
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(two));
}

TEST_P(BindingsTest, AStreamWaitsForTheLastUseOfMemory) {
  Memory memory;
  Stream producer;
  Gate gate(context_);
  Event after;
  ASSERT_RT_OK(rtMalloc(memory.out(), 1000, context_));
  ASSERT_RT_OK(rtStreamCreate(producer.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(after.out(), nullptr, context_));
  ASSERT_RT_OK(gate.close(producer));
  ASSERT_RT_OK(rtMemsetAsync(memory, 0x37, 1000, producer));
  ASSERT_RT_OK(rtStreamWaitPointer(memory.as(500), stream_));
  ASSERT_RT_OK(rtEventRecord(after, stream_));
  EXPECT_RT(RT_NOT_READY, rtEventQuery(after));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtEventSynchronize(after));
  unsigned char bytes[1000] = {};
  ASSERT_RT_OK(rtMemcpy(bytes, memory, 1000, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(bytes[999], 0x37);
}

// The memory is one context's, the work another one's, and the wait a third one's.
TEST_P(HostBindingsTest, AStreamWaitsForTheUsesOfOtherContexts) {
  Context other;
  Stream user;
  Memory memory;
  Event after;
  Kernel kernel;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(makeKernel(
      &kernel, other, [](const rtHostGroup_t*, void* const*) {}, {kPointerArg}, "uses"));
  ASSERT_RT_OK(rtStreamCreate(user.out(), nullptr, other));
  ASSERT_RT_OK(rtMalloc(memory.out(), 1000, context_));
  ASSERT_RT_OK(rtEventCreate(after.out(), nullptr, context_));
  Gate gate(other);
  ASSERT_RT_OK(gate.close(user));
  ASSERT_RT_OK(launchOver(kernel, user, 1, 1, memory.as<void>()));
  ASSERT_RT_OK(rtStreamWaitPointer(memory, stream_));
  ASSERT_RT_OK(rtEventRecord(after, stream_));
  EXPECT_RT(RT_NOT_READY, rtEventQuery(after));
  ASSERT_RT_OK(gate.open());
  EXPECT_RT_OK(rtEventSynchronize(after));
}

TEST_P(BindingsTest, WaitsForMemoryAreRefusedWhereThereIsNone) {
  int own = 0;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamWaitPointer(nullptr, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamWaitPointer(&own, stream_));
  Memory memory;
  Graph graph;
  ASSERT_RT_OK(rtMalloc(memory.out(), 100, context_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamWaitPointer(memory, garbage<rtStream_t>()));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamWaitPointer(memory, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
}

TEST_P(BindingsTest, ADescriptorCanBeReadOnceItsEventIsReached) {
  Event event;
  Gate gate(context_);
  int32_t early = -1, late = -1;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventGetDescriptor(&early, event));
  EXPECT_TRUE(readable(early, 0)) << "an event that was never recorded is reached";
  EXPECT_EQ(close(early), 0);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_RT_OK(rtEventGetDescriptor(&early, event));
  EXPECT_FALSE(readable(early, 20));
  ASSERT_RT_OK(gate.open());
  EXPECT_TRUE(readable(early, 10000));
  EXPECT_RT_OK(rtEventSynchronize(event));
  ASSERT_RT_OK(rtEventGetDescriptor(&late, event));
  EXPECT_TRUE(readable(late, 0)) << "reached before the question";
  uint64_t value = 0;
  EXPECT_EQ(read(early, &value, sizeof value), 8);
  EXPECT_EQ(value, 1u);
  EXPECT_EQ(close(early), 0);
  EXPECT_EQ(close(late), 0);
}

TEST_P(BindingsTest, ADescriptorIsOfTheRecordThatItWasOpenedFor) {
  Event event;
  Gate first(context_), second(context_);
  int32_t descriptor = -1;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(first.close(stream_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_RT_OK(rtEventGetDescriptor(&descriptor, event));
  ASSERT_RT_OK(second.close(stream_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_RT_OK(first.open());
  EXPECT_TRUE(readable(descriptor, 10000));
  EXPECT_RT(RT_NOT_READY, rtEventQuery(event));
  ASSERT_RT_OK(second.open());
  EXPECT_EQ(close(descriptor), 0);
}

TEST_P(BindingsTest, ADescriptorMayBeClosedBeforeAndOutlivesItsEvent) {
  Gate gate(context_);
  int32_t closed = -1, kept = -1;
  {
    Event event;
    ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
    ASSERT_RT_OK(gate.close(stream_));
    ASSERT_RT_OK(rtEventRecord(event, stream_));
    ASSERT_RT_OK(rtEventGetDescriptor(&closed, event));
    ASSERT_RT_OK(rtEventGetDescriptor(&kept, event));
    EXPECT_EQ(close(closed), 0);
  }
  EXPECT_FALSE(readable(kept, 0));
  ASSERT_RT_OK(gate.open());
  EXPECT_TRUE(readable(kept, 10000));
  EXPECT_EQ(close(kept), 0);
}

TEST_P(BindingsTest, ADescriptorOfCapturedWorkIsRefused) {
  Event event;
  Graph graph;
  int32_t descriptor = 5;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtEventGetDescriptor(&descriptor, event));
  EXPECT_EQ(descriptor, -1);
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
}

TEST_P(BindingsTest, DevicesHaveTheNumbersOfDlpack) {
  int64_t type = 0, id = -1;
  int32_t backend = 0, ordinal = -1;
  ASSERT_RT_OK(rtDeviceGetBackend(&backend, &ordinal, device_));
  ASSERT_RT_OK(rtDeviceGetAttribute(&type, RT_ATTRIBUTE_DLPACK_TYPE, device_));
  ASSERT_RT_OK(rtDeviceGetAttribute(&id, RT_ATTRIBUTE_DLPACK_ID, device_));
  EXPECT_EQ(id, ordinal);
  EXPECT_EQ(type, backend == RT_BACKEND_CPU ? 1 : backend == RT_BACKEND_CUDA ? 2 : backend == RT_BACKEND_OPENCL ? 4 : 12);
}

}  // namespace
}  // namespace rttest
