// Addresses of OpenCL's memory: at any byte, two into one allocation, where none may be, and more than there is.
#include <cstring>
#include <numeric>

#include "opencl_test.h"

namespace rttest {
namespace {

using OpenClMemoryTest = OpenClDeviceTest;
INSTANTIATE_TEST_SUITE_P(, OpenClMemoryTest, testing::ValuesIn(openClDevices()), testName);

constexpr char kWriters[] =
    "__kernel void words(__global uint* a, __global uint* b) { a[0] = 11; b[0] = 22; a[1] = b[0] + 1; }\n"
    "__kernel void bytes(__global uchar* a, __global uchar* b) { a[0] = 11; b[0] = 22; a[1] = b[0] + 1; }\n";

TEST_P(OpenClMemoryTest, TwoAddressesIntoOneAllocationAtAnyOffsetAreWrittenThrough) {
  Memory memory;
  constexpr size_t kBytes = 8192;
  ASSERT_RT_OK(rtMalloc(memory.out(), kBytes, context_));
  rtKernel_t words = kernelOf(kWriters, "words");
  for (size_t first : {4u, 60u, 4100u}) {
    for (size_t second : {first + 8, first + 1024}) {
      std::vector<unsigned char> expected(kBytes, 0xEE), seen(kBytes);
      const uint32_t values[] = {11, 23};
      const uint32_t other = 22;
      std::memcpy(&expected[first], values, sizeof values);
      std::memcpy(&expected[second], &other, sizeof other);
      ASSERT_RT_OK(rtMemsetAsync(memory, 0xEE, kBytes, stream_));
      ASSERT_RT_OK(launchOver(words, stream_, 1, 1, memory.as<void>(first), memory.as<void>(second)));
      ASSERT_RT_OK(rtMemcpyAsync(seen.data(), memory, kBytes, RT_MEMCPY_DEFAULT, stream_));
      ASSERT_RT_OK(rtStreamSynchronize(stream_));
      EXPECT_EQ(seen, expected) << first << " and " << second;
    }
  }
}

TEST_P(OpenClMemoryTest, AddressesOfBytesMayBeOdd) {
  Memory memory;
  unsigned char seen[16] = {};
  ASSERT_RT_OK(rtMalloc(memory.out(), sizeof seen, context_));
  rtKernel_t bytes = kernelOf(kWriters, "bytes");
  ASSERT_RT_OK(rtMemsetAsync(memory, 0, sizeof seen, stream_));
  ASSERT_RT_OK(launchOver(bytes, stream_, 1, 1, memory.as<void>(1), memory.as<void>(7)));
  ASSERT_RT_OK(rtMemcpyAsync(seen, memory, sizeof seen, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  const unsigned char expected[16] = {0, 11, 23, 0, 0, 0, 0, 22};
  EXPECT_EQ(std::memcmp(seen, expected, sizeof seen), 0);
}

TEST_P(OpenClMemoryTest, NullIsPassedAsNull) {
  Memory memory;
  uint32_t seen[2] = {7, 7};
  ASSERT_RT_OK(rtMalloc(memory.out(), sizeof seen, context_));
  rtKernel_t kernel = kernelOf(
      "__kernel void f(__global uint* out, __global const uint* a, __constant uint* b) { out[0] = a == 0; out[1] = b == 0; }",
      "f");
  void* null = nullptr;
  ASSERT_RT_OK(launchOver(kernel, stream_, 1, 1, memory.get(), null, null));
  ASSERT_RT_OK(rtMemcpyAsync(seen, memory, sizeof seen, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen[0], 1u);
  EXPECT_EQ(seen[1], 1u);
}

TEST_P(OpenClMemoryTest, AnArgumentMayBecomeNullAndAnAddressAgain) {
  Memory memory, other;
  ASSERT_RT_OK(rtMalloc(memory.out(), 4, context_));
  ASSERT_RT_OK(rtMalloc(other.out(), 4, context_));
  ASSERT_RT_OK(rtMemset(memory, 0, 4));
  rtKernel_t kernel = kernelOf(
      "__kernel void f(__global uint* out, __global const uint* a) { out[0] = out[0] * 2 + (a == 0 ? 1u : 0u); }", "f");
  for (void* argument : {other.get(), static_cast<void*>(nullptr), other.get(), other.get(), static_cast<void*>(nullptr)}) {
    ASSERT_RT_OK(launchOver(kernel, stream_, 1, 1, memory.get(), argument));
  }
  uint32_t seen = 0;
  ASSERT_RT_OK(rtMemcpyAsync(&seen, memory, 4, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen, 0b01001u);
}

// A driver may take the bytes of a copy from pinned memory when it is enqueued; what still writes them comes first all the
// same.
TEST_P(OpenClMemoryTest, WhatIsCopiedToTheHostAndBackAgainIsWhatWasOnTheDevice) {
  constexpr size_t kBytes = 3000;
  Memory from, to, pinned;
  Stream other;
  Event event;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtMalloc(from.out(), kBytes, context_));
  ASSERT_RT_OK(rtMalloc(to.out(), kBytes, context_));
  ASSERT_RT_OK(rtMallocHost(pinned.out(), 2 * kBytes, context_));
  auto* const host = pinned.as<unsigned char>();
  auto* const between = pinned.as<unsigned char>(kBytes);
  for (int round = 1; round < 50; ++round) {
    std::vector<unsigned char> seen(kBytes, 0);
    std::fill_n(host, 2 * kBytes, 0);
    const auto value = static_cast<unsigned char>(round);
    rtStream_t second = round % 2 == 0 ? other.get() : stream_.get();
    ASSERT_RT_OK(rtMemsetAsync(from, value, kBytes, stream_));
    ASSERT_RT_OK(rtMemcpyAsync(host, from, kBytes, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtEventRecord(event, stream_));
    ASSERT_RT_OK(rtStreamWaitEvent(event, second));
    const unsigned char* source = host;
    if (round % 3 == 0) {  // by way of more memory of the host
      ASSERT_RT_OK(rtMemcpyAsync(between, host, kBytes, RT_MEMCPY_DEFAULT, second));
      source = between;
    }
    ASSERT_RT_OK(rtMemcpyAsync(to, source + 100, kBytes - 100, RT_MEMCPY_DEFAULT, second));
    ASSERT_RT_OK(rtMemcpyAsync(seen.data(), to, kBytes - 100, RT_MEMCPY_DEFAULT, second));
    ASSERT_RT_OK(rtStreamSynchronize(second));
    seen.resize(kBytes - 100);
    ASSERT_EQ(seen, std::vector<unsigned char>(kBytes - 100, value)) << "round " << round;
  }
}

TEST_P(OpenClMemoryTest, AnAllocationAboveTheDevicesLimitIsRefusedWithBothFigures) {
  const auto most = static_cast<uint64_t>(attribute(RT_ATTRIBUTE_MAX_ALLOCATION_BYTES));
  void* pointer = nullptr;
  const uint64_t asked = (most + (2 << 20)) / (1 << 20) * (1 << 20);  // a size that no pool rounds up
  EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtMalloc(&pointer, asked, context_));
  EXPECT_NE(lastMessage().find(std::to_string(most)), std::string::npos) << lastMessage();
  EXPECT_NE(lastMessage().find(std::to_string(asked)), std::string::npos) << lastMessage();
}

TEST_P(OpenClMemoryTest, AddressesThatAreNotTheLibrarysAreRefused) {
  uint32_t own[4] = {};
  void* pointer = own;
  rtKernel_t words = kernelOf(kWriters, "words");
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(words, stream_, 1, 1, pointer, pointer));
  EXPECT_NE(lastMessage().find("rgument 0"), std::string::npos) << lastMessage();
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(OpenClMemoryTest, AnAddressInsideAStructIsFollowedOrRefused) {
  Memory memory;
  uint32_t seen = 0;
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  ASSERT_RT_OK(rtMemsetAsync(memory, 0, 64, stream_));
  rtKernel_t kernel = kernelOf(
      "typedef struct { uint before; ulong address; } Packet;\n"
      "__kernel void f(Packet packet) { *(__global uint*)packet.address = packet.before; }\n",
      "f");
  struct Packet {
    uint32_t before;
    uint64_t address;
  } packet = {42, reinterpret_cast<uintptr_t>(memory.as<void>(8))};
  if (!has(RT_CAPABILITY_POINTERS_IN_MEMORY)) {
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, launchOver(kernel, stream_, 1, 1, packet));
    EXPECT_NE(lastMessage().find("rgument 0"), std::string::npos) << lastMessage();
    Gate gate(context_);
    ASSERT_RT_OK(gate.close(stream_));
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, launchOver(kernel, stream_, 1, 1, packet)) << "also where the stream is held back";
    EXPECT_NE(lastMessage().find("rgument 0"), std::string::npos) << lastMessage();
    ASSERT_RT_OK(gate.open());
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    Graph graph;
    ASSERT_RT_OK(rtStreamBeginCapture(stream_));
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, launchOver(kernel, stream_, 1, 1, packet)) << "and where it captures";
    ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
    rtGraphArg_t argument = {};
    argument.kind = RT_ARG_VALUE;
    argument.value = &packet;
    argument.size = sizeof packet;
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
    params.kernel = kernel;
    params.args = &argument;
    params.arg_count = 1;
    rtGraphNode_t node = nullptr;
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtGraphAddKernelNode(&node, &params, nullptr, 0, graph));
    packet.address = 12345;  // a number is a number; nothing is launched that would follow it
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    return;
  }
  ASSERT_RT_OK(launchOver(kernel, stream_, 1, 1, packet));
  ASSERT_RT_OK(rtMemcpyAsync(&seen, memory.as<void>(8), 4, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen, 42u);
}

TEST_P(OpenClMemoryTest, NumbersInsideAStructMayHaveTheBitsOfAnAddress) {
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  struct Sizes {
    uint32_t width, height;
  } sizes;
  const auto address = reinterpret_cast<uintptr_t>(memory.as<void>(8));
  std::memcpy(&sizes, &address, sizeof sizes);
  rtKernel_t kernel = kernelOf(
      "typedef struct { uint width, height; } Sizes;\n"
      "__kernel void f(__global uint* out, Sizes sizes) { out[0] = sizes.width; out[1] = sizes.height; }\n",
      "f");
  Sizes seen = {};
  ASSERT_RT_OK(launchOver(kernel, stream_, 1, 1, memory.as<void>(), sizes));
  ASSERT_RT_OK(rtMemcpyAsync(&seen, memory, sizeof seen, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen.width, sizes.width);
  EXPECT_EQ(seen.height, sizes.height);
}

// The program has a place where a number becomes an address. A value that is no address of memory is a number there too.
TEST_P(OpenClMemoryTest, NumbersInsideAStructAreNoAddressesWhereThereIsNoMemory) {
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  struct Packet {
    uint64_t follow, number;
  } packet = {0, reinterpret_cast<uintptr_t>(memory.as<void>()) + (uint64_t{1} << 32)};  // in the same window
  rtKernel_t kernel = kernelOf(
      "typedef struct { ulong follow, number; } Packet;\n"
      "__kernel void f(__global ulong* out, Packet packet) {\n"
      "  if (packet.follow != 0) *(__global uint*)packet.number = 1;\n"
      "  out[0] = packet.number;\n"
      "}\n",
      "f");
  uint64_t seen = 0;
  ASSERT_RT_OK(launchOver(kernel, stream_, 1, 1, memory.as<void>(), packet));
  ASSERT_RT_OK(rtMemcpyAsync(&seen, memory, sizeof seen, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen, packet.number);
}

TEST_P(OpenClMemoryTest, AddressesOfBuffersAreClosedToTheHost) {
  if (!inBuffers()) GTEST_SKIP() << "the addresses are the driver's";
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  EXPECT_DEATH(*memory.as<volatile unsigned char>() = 1, "");
}

TEST_P(OpenClMemoryTest, MemoryThatIsAllocatedAgainAtTheSameAddressIsTheNewOne) {
  rtKernel_t words = kernelOf(kWriters, "words");
  for (uint32_t round = 0; round < 20; ++round) {
    Memory memory;
    uint32_t seen[4] = {};
    ASSERT_RT_OK(rtMalloc(memory.out(), 3 << 20, context_));  // of its own root, given back with the pool's trim
    ASSERT_RT_OK(launchOver(words, stream_, 1, 1, memory.as<void>(0), memory.as<void>(8)));
    ASSERT_RT_OK(rtMemcpyAsync(seen, memory, sizeof seen, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_EQ(seen[1], 23u);
    ASSERT_RT_OK(memory.reset());
    rtMemPool_t pool = nullptr;
    ASSERT_RT_OK(rtContextGetDefaultPool(&pool, context_));
    ASSERT_RT_OK(rtMemPoolTrim(0, pool));
  }
}

TEST_P(OpenClMemoryTest, RectanglesInsideOneAllocation) {
  Memory memory;
  std::vector<unsigned char> bytes(64 * 64), seen(64 * 64);
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  ASSERT_RT_OK(rtMalloc(memory.out(), bytes.size(), context_));
  ASSERT_RT_OK(rtMemcpyAsync(memory, bytes.data(), bytes.size(), RT_MEMCPY_DEFAULT, stream_));
  // From rows of 64 at the top to rows of 32 at the bottom.
  ASSERT_RT_OK(rtMemcpy2DAsync(memory.as<void>(2048), 32, memory.as<void>(3), 64, 5, 7, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(seen.data(), memory, seen.size(), RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (size_t row = 0; row < 7; ++row) std::memcpy(&bytes[2048 + row * 32], &bytes[3 + row * 64], 5);
  EXPECT_EQ(seen, bytes);
}

}  // namespace
}  // namespace rttest
