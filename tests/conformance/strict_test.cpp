// A strict context (RT_CONTEXT_STRICT) on every device: launches and fills refuse each address that is not live memory of the
// device. They do so at once, held back and captured.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "support/device_test.h"
#include "support/portable_kernels.h"

namespace rttest {
namespace {

class StrictTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    rtContextOptions_t options = RT_CONTEXT_OPTIONS_INIT;
    options.flags = RT_CONTEXT_STRICT;
    ASSERT_RT_OK(rtContextCreate(strict_.out(), &options, device_));
    ASSERT_RT_OK(rtStreamCreate(ordered_.out(), nullptr, strict_));
    if (has(RT_CAPABILITY_KERNELS)) {
      ASSERT_RT_OK(portable_.make(strict_, "iota"));
      kernel_ = portable_;
    } else {
      ASSERT_RT_OK(makeKernel(&host_, strict_, iotaKernel, {kPointerArg, kUintArg, kUintArg}, "iota"));
      kernel_ = host_;
    }
  }
  void TearDown() override {
    EXPECT_RT_OK(portable_.reset());
    EXPECT_RT_OK(host_.reset());
    EXPECT_RT_OK(ordered_.reset());
    EXPECT_RT_OK(strict_.reset());
    DeviceTest::TearDown();
  }
  rtStatus_t launch(void* address) { return launchOver(kernel_, ordered_, 1, 4, address, 4u, 5u); }

  // By each way in which a launch and a fill can be given it.
  void expectRefused(void* address, const char* what) {
    SCOPED_TRACE(what);
    EXPECT_RT(RT_ERROR_INVALID_VALUE, launch(address));
    EXPECT_NE(lastMessage().find("rgument 0"), std::string::npos) << lastMessage();
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemsetAsync(address, 1, 16, ordered_));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemset(address, 1, 16));
    Gate gate(strict_);
    ASSERT_RT_OK(gate.close(ordered_));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, launch(address)) << "held back";
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemsetAsync(address, 1, 16, ordered_)) << "held back";
    ASSERT_RT_OK(gate.open());
    Graph graph;
    ASSERT_RT_OK(rtStreamBeginCapture(ordered_));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, launch(address)) << "captured";
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemsetAsync(address, 1, 16, ordered_)) << "captured";
    ASSERT_RT_OK(rtStreamEndCapture(graph.out(), ordered_));
    EXPECT_RT_OK(rtStreamSynchronize(ordered_));
  }

  Context strict_;
  Stream ordered_;
  PortableKernel portable_;
  Kernel host_;
  rtKernel_t kernel_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(, StrictTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(StrictTest, FreedMemoryIsRefusedWhetherOrNotItsWorkIsDone) {
  Memory beside;  // the region of the freed memory stays
  ASSERT_RT_OK(rtMalloc(beside.out(), 400, strict_));
  void* freed = nullptr;
  ASSERT_RT_OK(rtMalloc(&freed, 400, strict_));
  ASSERT_RT_OK(launch(freed));
  ASSERT_RT_OK(rtStreamSynchronize(ordered_));
  ASSERT_RT_OK(rtFree(freed));
  expectRefused(freed, "freed");
  expectRefused(static_cast<char*>(freed) + 100, "inside freed memory");

  void* in_order = nullptr;
  ASSERT_RT_OK(rtMallocAsync(&in_order, 3000, ordered_));
  Gate gate(strict_);
  ASSERT_RT_OK(gate.close(ordered_));
  ASSERT_RT_OK(rtFreeAsync(in_order, ordered_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launch(in_order)) << "its stream may still use it";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemsetAsync(in_order, 1, 16, ordered_));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(ordered_));
  expectRefused(in_order, "freed in the order of its stream");
  EXPECT_RT_OK(launch(beside));
  EXPECT_RT_OK(rtStreamSynchronize(ordered_));
}

// The address of the memory where that of the pointer is asked for: on a GPU, reading the value would be a crash.
TEST_P(StrictTest, AValueThatIsItselfInDeviceMemoryIsRefused) {
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 400, strict_));
  void* pointer = memory.as<void>();
  uint32_t count = 4, first = 0;
  void* right[] = {&pointer, &count, &first};
  EXPECT_RT_OK(rtLaunchKernel(kernel_, 1, 1, 1, 4, 1, 1, 0, ordered_, right, 3));
  EXPECT_RT_OK(rtStreamSynchronize(ordered_));
  void* wrong_pointer[] = {pointer, &count, &first};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(kernel_, 1, 1, 1, 4, 1, 1, 0, ordered_, wrong_pointer, 3));
  EXPECT_NE(lastMessage().find("args[0]"), std::string::npos) << lastMessage();
  EXPECT_NE(lastMessage().find("itself device memory"), std::string::npos) << lastMessage();
  void* wrong_count[] = {&pointer, memory.as<void>(8), &first};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(kernel_, 1, 1, 1, 4, 1, 1, 0, ordered_, wrong_count, 3));
  EXPECT_NE(lastMessage().find("args[1]"), std::string::npos) << lastMessage();
}

TEST_P(StrictTest, AddressesBesideAnAllocationAreRefused) {
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 100, strict_));
  EXPECT_RT_OK(launch(memory.as<void>(84))) << "inside";
  EXPECT_RT_OK(rtStreamSynchronize(ordered_));
  expectRefused(memory.as<void>(100), "the first byte after it");
  EXPECT_RT_OK(launchOver(kernel_, ordered_, 1, 1, static_cast<void*>(nullptr), 0u, 5u)) << "NULL is no address";
  EXPECT_RT_OK(rtStreamSynchronize(ordered_));
}

TEST_P(StrictTest, HostMemoryOfTheProgramIsRefused) {
  alignas(16) unsigned char own[64] = {};
  expectRefused(own, "of the stack");
  const std::unique_ptr<void, decltype(&std::free)> heap(std::calloc(1, 64), &std::free);
  expectRefused(heap.get(), "of the heap");
  EXPECT_EQ(std::count(own, own + sizeof own, 0), 64) << "nothing was written";
}

TEST_P(StrictTest, MemoryThatTheDeviceDoesNotReachIsRefused) {
  for (const std::string& name : deviceNames()) {
    if (name == GetParam()) continue;
    SCOPED_TRACE(name);
    rtDevice_t device = nullptr;
    Context context;
    Memory memory;
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtMalloc(memory.out(), 100, context));
    const bool reaches = launchOver(kernel_, ordered_, 1, 1, memory.get(), 0u, 5u) == RT_SUCCESS;  // writes nothing
    EXPECT_RT_OK(rtStreamSynchronize(ordered_));
    if (reaches) continue;
    EXPECT_RT(RT_ERROR_INVALID_VALUE, launch(memory));
    EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMemsetAsync(memory, 1, 16, ordered_));
  }
}

// A graph holds the memory that its nodes name: freeing it does not end that.
TEST_P(StrictTest, AGraphMayGoOnWithFreedMemoryThatItHolds) {
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 400, strict_));
  Graph graph;
  ASSERT_RT_OK(rtStreamBeginCapture(ordered_));
  ASSERT_RT_OK(launch(memory));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), ordered_));
  void* held = memory.get();
  ASSERT_RT_OK(memory.reset());
  GraphExec exec;
  EXPECT_RT_OK(rtGraphInstantiate(exec.out(), graph, strict_));
  EXPECT_RT_OK(rtGraphLaunch(exec, ordered_));
  EXPECT_RT_OK(rtStreamSynchronize(ordered_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launch(held)) << "the program's own launch is not the graph's";
}

}  // namespace
}  // namespace rttest
