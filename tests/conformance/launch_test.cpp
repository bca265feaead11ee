// Launches of portable kernels on every device that runs them: the grid, arguments, local memory, refusals, cooperative
// launches. The rules of host kernels alone are in kernel_test.cpp.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/capable_devices.h"
#include "support/portable_kernels.h"

namespace rttest {
namespace {

class LaunchTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(iota_.make(context_, "iota"));
    ASSERT_RT_OK(count_.make(context_, "count"));
    ASSERT_RT_OK(rtMalloc(counter_.out(), 4, context_));
    ASSERT_RT_OK(rtMemset(counter_, 0, 4));
  }
  void TearDown() override {
    EXPECT_RT_OK(counter_.reset());
    EXPECT_RT_OK(iota_.reset());
    EXPECT_RT_OK(count_.reset());
    DeviceTest::TearDown();
  }
  static bool says(const std::string& words) { return lastMessage().find(words) != std::string::npos; }
  uint32_t counted() {
    uint32_t value = 0;
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_RT_OK(rtMemcpy(&value, counter_, 4, RT_MEMCPY_DEFAULT));
    return value;
  }
  PortableKernel iota_;
  PortableKernel count_;
  Memory counter_;
};
INSTANTIATE_TEST_SUITE_P(, LaunchTest, testing::ValuesIn(devicesWith({RT_CAPABILITY_KERNELS})), testName);

TEST_P(LaunchTest, EveryItemOfTheGridRunsOnceAndKnowsWhereItIs) {
  PortableKernel look;
  ASSERT_RT_OK(look.make(context_, "look"));
  const uint32_t shapes[][6] = {{1, 1, 1, 1, 1, 1}, {100, 1, 1, 16, 1, 1}, {1, 37, 1, 1, 8, 1},
                                {3, 5, 7, 2, 3, 4}, {1, 1, 64, 1, 1, 4},   {13, 2, 1, 33, 1, 1}};
  for (const auto& shape : shapes) {
    const size_t items = size_t{shape[0]} * shape[1] * shape[2] * shape[3] * shape[4] * shape[5];
    Memory seen;
    ASSERT_RT_OK(rtMalloc(seen.out(), items * 4, context_));
    ASSERT_RT_OK(rtMemsetAsync(seen, 0, items * 4, stream_));
    ASSERT_RT_OK(rtMemsetAsync(counter_, 0, 4, stream_));
    uint32_t grid[4] = {shape[0], shape[1], shape[2], 0};
    uint32_t group[4] = {shape[3], shape[4], shape[5], 0};
    void* first = seen.get();
    void* second = counter_.get();
    void* args[] = {&first, &second, grid, group};
    ASSERT_RT_OK(rtLaunchKernel(look, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], 0, stream_, args, 4));
    std::vector<uint32_t> counts(items, 7);
    ASSERT_RT_OK(rtMemcpyAsync(counts.data(), seen, items * 4, RT_MEMCPY_DEFAULT, stream_));
    EXPECT_EQ(counted(), 0u) << "items with a wrong id or size";
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 1u), static_cast<std::ptrdiff_t>(items));
  }
}

TEST_P(LaunchTest, AZeroInTheGridIsSuccessAndNothingRuns) {
  void* pointer = counter_.get();
  void* args[] = {&pointer};
  EXPECT_RT_OK(rtLaunchKernel(count_, 0, 1, 1, 1, 1, 1, 0, stream_, args, 1));
  EXPECT_RT_OK(rtLaunchKernel(count_, 1, 0, 1, 1, 1, 1, 0, stream_, args, 1));
  EXPECT_RT_OK(rtLaunchKernel(count_, 1, 1, 0, 1, 1, 1, 0, stream_, args, 1));
  EXPECT_EQ(counted(), 0u);
}

TEST_P(LaunchTest, WhatIsTooLargeIsRefusedAndNothingRuns) {
  void* pointer = counter_.get();
  void* args[] = {&pointer};
  const uint32_t most = static_cast<uint32_t>(attribute(RT_ATTRIBUTE_MAX_GROUP_ITEMS));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 0, 1, 1, 0, stream_, args, 1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, most, 2, 1, 0, stream_, args, 1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, stream_, args, 1));
  const uint32_t grid[3] = {1, static_cast<uint32_t>(std::min<int64_t>(attribute(RT_ATTRIBUTE_MAX_GRID_SIZE_Y), UINT32_MAX)),
                            UINT32_MAX};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, grid[0], grid[1], grid[2], most, 1, 1, 0, stream_, args, 1))
      << "more than the direction, or the counting in 64 bits, allows";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 1, 1, 64, stream_, args, 1))
      << "kernels from OpenCL C take no bytes of the launch";
  EXPECT_EQ(counted(), 0u);
  void* two[] = {&pointer, &pointer};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 1, 1, 0, stream_, two, 2));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, RT_ARGS_ALL));
  EXPECT_RT_OK(rtLaunchKernel(count_, 5, 1, 1, 1, 1, 1, 0, stream_, args, RT_ARGS_ALL));
  EXPECT_EQ(counted(), 5u);
}

// Where items or work-groups are numbered in 32 bits, such a launch would begin again and never end.
TEST_P(LaunchTest, AsManyItemsAsNeed33BitsAreRefusedWithDirectionAndLimit) {
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  ASSERT_RT_OK(rtDeviceGetProperties(&properties, device_));
  const bool is_pocl = strcasestr(properties.architecture, "pocl") != nullptr;
  if (properties.backend == RT_BACKEND_OPENCL && !is_pocl) GTEST_SKIP() << "the driver counts in 64 bits";
  // A loader of the tests that hides the platform's name hides its limits, too.
  if (const char* loader = getenv("RT_OPENCL"); loader != nullptr && strstr(loader, "early_reader") != nullptr)
    GTEST_SKIP() << "the driver counts in 64 bits";
  void* pointer = counter_.get();
  void* args[] = {&pointer};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1u << 26, 1, 1, 64, 1, 1, 0, stream_, args, 1));
  EXPECT_TRUE(
      says("67108864 work-groups of 64 work-items has 4294967296 work-items in direction x; the kernel \"count\" takes "))
      << lastMessage();
  if (is_pocl) {
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1u << 30, 2, 1, 1, 1, 1, 0, stream_, args, 1));
    EXPECT_TRUE(says("takes 2147483647 in all")) << lastMessage();
  }
  EXPECT_EQ(counted(), 0u);
}

TEST_P(LaunchTest, RefusalsNameTheMissingArgumentWithItsType) {
  void* none[] = {nullptr};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 1, 1, 0, stream_, none, 0));
  EXPECT_TRUE(says("takes 1 argument; 0 were given: argument 0, \"counter\" (uint*) is missing.")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 1, 1, 0, stream_, none, 1));
  EXPECT_TRUE(says("is NULL: it points to no value for argument 0, \"counter\" (uint*).")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, UINT32_MAX, 1, 1, 0, stream_, none, 1));
  EXPECT_TRUE(says("direction x allows")) << lastMessage();
}

TEST_P(LaunchTest, TheLargestGroupRuns) {
  void* pointer = counter_.get();
  void* args[] = {&pointer};
  rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
  ASSERT_RT_OK(rtKernelGetInfo(&info, count_));
  const uint32_t most = std::min(info.max_group_items, static_cast<uint32_t>(attribute(RT_ATTRIBUTE_MAX_GROUP_SIZE_X)));
  ASSERT_RT_OK(rtLaunchKernel(count_, 3, 1, 1, most, 1, 1, 0, stream_, args, 1));
  EXPECT_EQ(counted(), 3u);
}

TEST_P(LaunchTest, ValuesAreCopiedBeforeTheCallReturns) { launchHeldBack(iota_); }

TEST_P(LaunchTest, ArgumentsOfManySizesArriveAligned) {
  PortableKernel wide;
  ASSERT_RT_OK(wide.make(context_, "wide"));
  float values[40];
  for (int i = 0; i < 40; ++i) values[i] = static_cast<float>(i);
  signed char a = 1;
  short c = 1000;
  float d[4] = {10000, 3, 5, 99};
  double e = 0.5;
  void* out = counter_.get();
  void* args[] = {&a, values, &c, &out, d, &e};
  ASSERT_RT_OK(rtLaunchKernel(wide, 1, 1, 1, 1, 1, 1, 0, stream_, args, 6));
  const uint32_t bits = counted();
  float result;
  std::memcpy(&result, &bits, sizeof result);
  EXPECT_EQ(result, 1 + 780 + 1000 + 10000 + 15 + 0.5f);
}

TEST_P(LaunchTest, LocalArgumentsReserveBytesForEachGroup) {
  PortableKernel locals;
  Memory memory;
  ASSERT_RT_OK(locals.make(context_, "locals"));
  uint32_t seen[64];
  ASSERT_RT_OK(mallocForKernels(memory.out(), sizeof seen));
  for (uint32_t items : {1u, 7u, 32u}) {
    ASSERT_RT_OK(rtMemset(memory, 0, sizeof seen));
    ASSERT_RT_OK(launchOver(locals, stream_, 64, items, size_t{400}, size_t{40}, memory.as<uint32_t>()));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_RT_OK(rtMemcpy(seen, memory, sizeof seen, RT_MEMCPY_DEFAULT));
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(seen[i], i * 100 + 9);
  }
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(locals, stream_, 1, 1, size_t{0}, size_t{40}, memory.as<uint32_t>()));
  EXPECT_NE(lastMessage().find("rgument 0"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(locals, stream_, 1, 1, size_t{400}, size_t{0}, memory.as<uint32_t>()));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(locals, stream_, 1, 1, SIZE_MAX, size_t{40}, memory.as<uint32_t>()));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(locals, stream_, 1, 1, size_t{1} << 40, size_t{1} << 40, memory.as<uint32_t>()));
  const size_t most = static_cast<size_t>(attribute(RT_ATTRIBUTE_LOCAL_BYTES_PER_GROUP));
  ASSERT_RT_OK(launchOver(locals, stream_, 1, 1, most - 1024, size_t{40}, memory.as<uint32_t>()))
      << "nearly all of a group's local memory, " << most << " bytes";
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(LaunchTest, AddressesThatTheDeviceCannotReachAreRefusedNamingTheArgument) {
  expectUnreachableRefused(0, [&](void* address) { return launchOver(iota_, stream_, 1, 1, address, 0u, 5u); });
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

// A strict context refuses what devices that reach no other memory refuse: at once, held back, captured and in a graph.
TEST_P(LaunchTest, AStrictContextTakesNoUnknownAddress) {
  Context strict;
  Stream stream;
  Memory known;
  PortableKernel iota;
  rtContextOptions_t options = RT_CONTEXT_OPTIONS_INIT;
  options.flags = 2;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtContextCreate(strict.out(), &options, device_));
  options.flags = RT_CONTEXT_STRICT;
  ASSERT_RT_OK(rtContextCreate(strict.out(), &options, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, strict));
  ASSERT_RT_OK(rtMalloc(known.out(), 400, strict));
  ASSERT_RT_OK(iota.make(strict, "iota"));
  uint32_t own[100] = {};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(iota, stream, 1, 100, &own[0], 100u, 5u));
  EXPECT_NE(lastMessage().find("rgument 0"), std::string::npos) << lastMessage();
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(iota, stream, 1, 100, &own[0], 100u, 5u));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream));
  Graph graph;
  ASSERT_RT_OK(rtStreamBeginCapture(stream));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(iota, stream, 1, 100, &own[0], 100u, 5u));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream));
  const uint32_t count = 100, base = 5;
  rtGraphArg_t args[3] = {};
  args[0].kind = RT_ARG_POINTER;
  args[0].memory.pointer = own;
  args[1].kind = args[2].kind = RT_ARG_VALUE;
  args[1].size = args[2].size = 4;
  args[1].value = &count;
  args[2].value = &base;
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.kernel = iota;
  params.group[0] = 100;
  params.args = args;
  params.arg_count = 3;
  rtGraphNode_t node = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddKernelNode(&node, &params, nullptr, 0, graph));
  args[0].memory.pointer = known;
  EXPECT_RT_OK(rtGraphAddKernelNode(&node, &params, nullptr, 0, graph));
  EXPECT_RT_OK(launchOver(iota, stream, 1, 100, known.as<uint32_t>(), 100u, 5u));
  EXPECT_RT_OK(launchOver(iota, stream, 1, 100, static_cast<uint32_t*>(nullptr), 0u, 5u)) << "NULL is no address";
  ASSERT_RT_OK(rtStreamSynchronize(stream));
  EXPECT_EQ(own[1], 0u);
}

TEST_P(LaunchTest, KernelAndStreamShareOneContext) {
  Context other;
  Stream stream;
  void* pointer = counter_.get();
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, launchOver(count_, stream, 1, 1, pointer));
  EXPECT_RT_OK(launchOver(count_, nullptr, 1, 1, pointer));
  EXPECT_RT_OK(rtStreamSynchronize(nullptr));
  EXPECT_EQ(counted(), 1u);
}

TEST_P(LaunchTest, ACooperativeLaunchRunsAllGroupsAtTheSameTimeOrIsRefused) {
  rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
  options.flags = RT_LAUNCH_COOPERATIVE;
  PortableKernel meet;
  uint32_t most = 0;
  const uint32_t group[3] = {1, 1, 1};
  void* pointer = counter_.get();
  void* args[] = {&pointer};
  ASSERT_RT_OK(meet.make(context_, "meet"));
  ASSERT_RT_OK(rtKernelGetMaxActiveGroups(&most, 1, 0, meet));
  uint32_t grid[3] = {most, 1, 1};
  if (!has(RT_CAPABILITY_COOPERATIVE_LAUNCH)) {
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtLaunchKernelWithOptions(meet, grid, group, 0, &options, args, 1, stream_));
    return;
  }
  ASSERT_GE(most, 1u);
  for (int round = 0; round < 5; ++round) {
    ASSERT_RT_OK(rtMemsetAsync(counter_, 0, 4, stream_));
    ASSERT_RT_OK(rtLaunchKernelWithOptions(meet, grid, group, 0, &options, args, 1, stream_));
    ASSERT_EQ(counted(), most);
  }
  grid[0] = most + 1;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernelWithOptions(meet, grid, group, 0, &options, args, 1, stream_));
}

TEST_P(LaunchTest, SuggestedGroupsFitAndRun) {
  const uint32_t shapes[][3] = {{1, 1, 1}, {1000, 1, 1}, {7, 11, 13}, {UINT32_MAX, 1, 1}, {1, 1, 100000}, {640, 480, 1}};
  rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
  ASSERT_RT_OK(rtKernelGetInfo(&info, count_));
  for (const auto& items : shapes) {
    uint32_t group[3] = {0, 0, 0};
    ASSERT_RT_OK(rtKernelSuggestGroupSize(group, items, 0, count_));
    EXPECT_GE(std::min({group[0], group[1], group[2]}), 1u);
    EXPECT_LE(uint64_t{group[0]} * group[1] * group[2], info.max_group_items);
    void* pointer = counter_.get();
    void* args[] = {&pointer};
    EXPECT_RT_OK(rtLaunchKernel(count_, 1, 1, 1, group[0], group[1], group[2], 0, stream_, args, 1));
  }
  EXPECT_EQ(counted(), 6u);
}

TEST_P(LaunchTest, ManyLaunchesInManyStreamsAllRun) {
  std::vector<Stream> streams(8);
  for (Stream& stream : streams) ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  void* pointer = counter_.get();
  for (int round = 0; round < 100; ++round) {
    for (Stream& stream : streams) ASSERT_RT_OK(launchOver(count_, stream, 2, 32, pointer));
  }
  for (Stream& stream : streams) ASSERT_RT_OK(rtStreamSynchronize(stream));
  EXPECT_EQ(counted(), 1600u);
}

// PoCL up to 5.0 counts the launches of a kernel by the width of their ranges, and ended the process (docs/opencl.md).
TEST_P(LaunchTest, WiderAndWiderLaunchesOfOneKernelRunInManyStreams) {
  constexpr char kSource[] =
      "__kernel void count(__global uint* sum, uint turns) {\n"
      "  uint number = get_global_id(0) + SALT;\n"
      "  for (uint turn = 0; turn < turns; ++turn) number = number * 1664525u + 1013904223u;\n"
      "  if (get_local_id(0) == 0) atomic_add(sum, number == 7u && turns == 1u ? 2u : 1u);\n"
      "}\n";
  std::vector<Stream> streams(6);
  for (Stream& stream : streams) ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  std::minstd_rand random(7);
  uint32_t groups = 0;
  for (int round = 0; round < 10; ++round) {
    Module module;
    rtKernel_t count = nullptr;
    ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), kSource, ("-DSALT=" + std::to_string(round) + "u").c_str(), context_));
    ASSERT_RT_OK(rtModuleGetKernel(&count, "count", module));
    for (uint32_t launch = 0; launch < 100; ++launch) {
      const uint32_t width = 1 + random() % (1 + launch), turns = random() % (random() % 6 == 0 ? 20'000 : 50);
      ASSERT_RT_OK(launchOver(count, streams[random() % streams.size()], width, 64, counter_.get(), turns));
      groups += width;
      if (launch % 8 == 0) {
        ASSERT_RT_OK(rtStreamSynchronize(streams[random() % streams.size()]));
      }
    }
    for (Stream& stream : streams) ASSERT_RT_OK(rtStreamSynchronize(stream));
  }
  EXPECT_EQ(counted(), groups);
}

}  // namespace
}  // namespace rttest
