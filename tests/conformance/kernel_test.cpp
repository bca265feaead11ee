// Host kernels: creation, what they say of themselves, launches, argument checks, local memory, cooperative launches.
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "support/capable_devices.h"

namespace rttest {
namespace {

class KernelTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(makeKernel(&iota_, context_, iotaKernel, {kPointerArg, kUintArg, kUintArg}, "iota"));
    ASSERT_RT_OK(makeKernel(&count_, context_, countKernel, {kPointerArg}, "count"));
  }
  void TearDown() override {
    EXPECT_RT_OK(iota_.reset());
    EXPECT_RT_OK(count_.reset());
    DeviceTest::TearDown();
  }
  // Every group and item count that a launch sees, for checks of the grid.
  struct Seen {
    std::mutex mutex;
    std::set<uint64_t> groups;
    bool consistent = true;
    uint32_t grid[3];
    uint32_t items[3];
    uint64_t local_bytes;
  };
  static void lookKernel(const rtHostGroup_t* group, void* const* args) {
    Seen* seen = argument<Seen*>(args, 0);
    std::lock_guard<std::mutex> lock(seen->mutex);
    seen->consistent = seen->consistent && seen->groups.insert(groupIndex(group)).second;
    for (int i = 0; i < 3; ++i) {
      seen->consistent = seen->consistent && group->group_count[i] == seen->grid[i] && group->group_size[i] == seen->items[i] &&
                         group->group_id[i] < seen->grid[i];
    }
    seen->consistent = seen->consistent && group->local_bytes == seen->local_bytes;
    if (seen->local_bytes > 0) {
      seen->consistent = seen->consistent && reinterpret_cast<uintptr_t>(group->local_memory) % 64 == 0;
      std::memset(group->local_memory, 0x77, seen->local_bytes);
    }
  }
  Kernel iota_;
  Kernel count_;
};
INSTANTIATE_TEST_SUITE_P(, KernelTest, testing::ValuesIn(devicesWithHostKernels()), testName);

TEST_P(KernelTest, CreateFromHostChecksItsDescription) {
  rtHostArg_t args[] = {kPointerArg, kUintArg, kLocalArg};
  rtHostKernel_t good = RT_HOST_KERNEL_INIT;
  good.function = emptyKernel;
  good.args = args;
  good.arg_count = 3;
  const auto create = [&](const rtHostKernel_t& host) {
    rtKernel_t kernel = garbage<rtKernel_t>();
    const rtStatus_t status = rtKernelCreateFromHost(&kernel, &host, context_);
    EXPECT_EQ(kernel == nullptr, status < 0);
    (void)rtKernelDestroy(kernel);
    return status;
  };
  EXPECT_RT_OK(create(good)) << "the name may be NULL";
  rtHostKernel_t bad = good;
  bad.struct_size = 0;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create(bad));
  bad = good;
  bad.function = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create(bad));
  bad = good;
  bad.args = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create(bad));
  bad = good;
  bad.flags = 1;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create(bad));
  for (rtHostArg_t wrong : {rtHostArg_t{4, RT_ARG_POINTER}, rtHostArg_t{4, RT_ARG_LOCAL}, rtHostArg_t{0, RT_ARG_VALUE},
                            rtHostArg_t{8, -1}, rtHostArg_t{8, RT_ARG_LOCAL + 1}}) {
    args[1] = wrong;
    EXPECT_RT(RT_ERROR_INVALID_VALUE, create(good)) << "size " << wrong.size << ", kind " << wrong.kind;
  }
  args[1] = kUintArg;
  rtKernel_t kernel = garbage<rtKernel_t>();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtKernelCreateFromHost(&kernel, nullptr, context_));
  EXPECT_EQ(kernel, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtKernelCreateFromHost(nullptr, &good, context_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtKernelCreateFromHost(&kernel, &good, garbage<rtContext_t>()));
}

TEST_P(KernelTest, InfoNameAndArgumentsAreThoseGiven) {
  rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
  ASSERT_RT_OK(rtKernelGetInfo(&info, iota_));
  EXPECT_EQ(info.arg_count, 3u);
  EXPECT_STREQ(info.name, "iota");
  EXPECT_GE(info.max_group_items, 1u);
  EXPECT_LE(info.max_group_items, attribute(RT_ATTRIBUTE_MAX_GROUP_ITEMS));
  EXPECT_GE(info.preferred_group_multiple, 1u);
  checkResult<rtKernelInfo_t>(
      RT_KERNEL_INFO_INIT, [&](rtKernelInfo_t* out) { return rtKernelGetInfo(out, iota_); }, offsetof(rtKernelInfo_t, tier));
  EXPECT_EQ(checkText([&](char* buffer, size_t size, size_t* needed) { return rtKernelGetName(buffer, size, needed, iota_); }),
            "iota");
  const rtHostArg_t expected[] = {kPointerArg, kUintArg, kUintArg};
  for (uint32_t index = 0; index < 3; ++index) {
    rtKernelArgInfo_t arg = RT_KERNEL_ARG_INFO_INIT;
    ASSERT_RT_OK(rtKernelGetArgInfo(&arg, index, iota_));
    EXPECT_EQ(arg.index, index);
    EXPECT_EQ(arg.size, expected[index].size);
    EXPECT_EQ(arg.kind, expected[index].kind);
    EXPECT_EQ(arg.access, RT_ACCESS_UNKNOWN) << "nothing tells of a function";
    EXPECT_EQ(arg.address_space, RT_ADDRESS_SPACE_UNKNOWN);
  }
  EXPECT_EQ(info.tier, RT_TIER_READY_MADE);
  EXPECT_EQ(info.lane_dimension, -1);
  EXPECT_EQ(info.no_lanes, RT_LANES_UNKNOWN);
  rtKernelArgInfo_t arg = RT_KERNEL_ARG_INFO_INIT;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtKernelGetArgInfo(&arg, 3, iota_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtKernelGetArgInfo(&arg, UINT32_MAX, iota_));
}

TEST_P(KernelTest, ANameThatIsTooLongIsCutBetweenLetters) {
  std::string name;
  for (int i = 0; i < 200; ++i) name += "\u00e4";
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = [](const rtHostGroup_t*, void* const*) {};
  host.name = name.c_str();
  Kernel kernel;
  ASSERT_RT_OK(rtKernelCreateFromHost(kernel.out(), &host, context_));
  char kept[300];
  ASSERT_RT_OK(rtKernelGetName(kept, sizeof kept, nullptr, kernel));
  EXPECT_EQ(strlen(kept) % 2, 0u);
  EXPECT_EQ(name.compare(0, strlen(kept), kept), 0);
}

TEST_P(KernelTest, EveryGroupOfTheGridRunsOnce) {
  NEEDS_KERNELS();
  Kernel look;
  ASSERT_RT_OK(makeKernel(&look, context_, lookKernel, {kPointerArg}, "look"));
  const uint32_t shapes[][6] = {
      {1, 1, 1, 1, 1, 1}, {100, 1, 1, 16, 1, 1}, {1, 37, 1, 1, 8, 1}, {3, 5, 7, 2, 3, 4}, {1, 1, 64, 1, 1, 4}};
  for (const auto& shape : shapes) {
    for (uint32_t local : {0u, 100u}) {
      Seen seen;
      for (int i = 0; i < 3; ++i) {
        seen.grid[i] = shape[i];
        seen.items[i] = shape[i + 3];
      }
      seen.local_bytes = local;
      Seen* pointer = &seen;
      void* args[] = {&pointer};
      ASSERT_RT_OK(rtLaunchKernel(look, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], local, stream_, args, 1));
      ASSERT_RT_OK(rtStreamSynchronize(stream_));
      EXPECT_TRUE(seen.consistent);
      EXPECT_EQ(seen.groups.size(), size_t{shape[0]} * shape[1] * shape[2]);
    }
  }
}

TEST_P(KernelTest, AZeroInTheGridIsSuccessAndNothingRuns) {
  std::atomic<uint32_t> ran{0};
  std::atomic<uint32_t>* pointer = &ran;
  void* args[] = {&pointer};
  EXPECT_RT_OK(rtLaunchKernel(count_, 0, 1, 1, 1, 1, 1, 0, stream_, args, 1));
  EXPECT_RT_OK(rtLaunchKernel(count_, 1, 0, 1, 1, 1, 1, 0, stream_, args, 1));
  EXPECT_RT_OK(rtLaunchKernel(count_, 1, 1, 0, 1, 1, 1, 0, stream_, args, 1));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(ran.load(), 0u);
}

TEST_P(KernelTest, AZeroOrTooLargeGroupIsRefusedAndNothingRuns) {
  std::atomic<uint32_t> ran{0};
  std::atomic<uint32_t>* pointer = &ran;
  void* args[] = {&pointer};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 0, 1, 1, 0, stream_, args, 1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 0, 1, 0, stream_, args, 1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 1, 0, 0, stream_, args, 1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 0, 1, 1, 0, 1, 1, 0, stream_, args, 1));
  const uint32_t most = static_cast<uint32_t>(attribute(RT_ATTRIBUTE_MAX_GROUP_ITEMS));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, most, 2, 1, 0, stream_, args, 1));
  EXPECT_NE(lastMessage().find(std::to_string(most)), std::string::npos) << "the limit is in it: " << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, stream_, args, 1));
  rtHostArg_t host_args[] = {kPointerArg};
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = countKernel;
  host.args = host_args;
  host.arg_count = 1;
  host.max_group_items = 4;
  Kernel small;
  ASSERT_RT_OK(rtKernelCreateFromHost(small.out(), &host, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(small, 1, 1, 1, 5, 1, 1, 0, stream_, args, 1));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(ran.load(), 0u);
  EXPECT_RT_OK(rtLaunchKernel(small, 1, 1, 1, 4, 1, 1, 0, stream_, args, 1));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(KernelTest, AWrongCountOfArgumentsIsRefused) {
  std::atomic<uint32_t> ran{0};
  std::atomic<uint32_t>* pointer = &ran;
  void* args[] = {&pointer, &pointer};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 1, 1, 0, stream_, args, 0));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 1, 1, 0, stream_, args, 2));
  EXPECT_NE(lastMessage().find("count"), std::string::npos) << "the kernel's name is in it: " << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, 1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, RT_ARGS_ALL));
  void* holes[] = {nullptr};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(count_, 1, 1, 1, 1, 1, 1, 0, stream_, holes, 1));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(ran.load(), 0u);
  EXPECT_RT_OK(rtLaunchKernel(count_, 1, 1, 1, 1, 1, 1, 0, stream_, args, RT_ARGS_ALL)) << "the kernel's own count";
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  if (runsKernels()) {
    EXPECT_EQ(ran.load(), 1u);
  }
  Kernel none;
  ASSERT_RT_OK(makeKernel(&none, context_, emptyKernel, {}, "none"));
  EXPECT_RT_OK(rtLaunchKernel(none, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, 0));
  EXPECT_RT_OK(rtLaunchKernel(none, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, RT_ARGS_ALL));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(KernelTest, ValuesAreCopiedBeforeTheCallReturns) {
  NEEDS_KERNELS();
  launchHeldBack(iota_);
}

struct Wide {
  double values[40];
};

void wideKernel(const rtHostGroup_t*, void* const* args) {
  double sum = argument<char>(args, 0);
  for (double value : argument<Wide>(args, 1).values) sum += value;
  *argument<double*>(args, 3) = sum + argument<short>(args, 2);
}

TEST_P(KernelTest, ArgumentsOfManySizesArriveAligned) {
  NEEDS_KERNELS();
  Kernel wide;
  Memory memory;
  ASSERT_RT_OK(makeKernel(&wide, context_, wideKernel,
                          {{1, RT_ARG_VALUE}, {sizeof(Wide), RT_ARG_VALUE}, {2, RT_ARG_VALUE}, kPointerArg}, "wide"));
  ASSERT_RT_OK(rtMallocHost(memory.out(), 8, context_));
  Wide values;
  for (int i = 0; i < 40; ++i) values.values[i] = i;
  ASSERT_RT_OK(launchOver(wide, stream_, 1, 1, static_cast<char>(1), values, static_cast<short>(1000), memory.as<double>()));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(*memory.as<double>(), 1 + 780 + 1000);
}

// size_t bytes as local, uint32_t* out: writes the sum over the group's own local memory.
void localKernel(const rtHostGroup_t* group, void* const* args) {
  uint32_t* first = argument<uint32_t*>(args, 0);
  uint32_t* second = argument<uint32_t*>(args, 1);
  uint32_t* out = argument<uint32_t*>(args, 2);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 100; ++i) first[i] = group->group_id[0];
  for (uint32_t i = 0; i < 10; ++i) second[i] = i;
  for (uint32_t i = 0; i < 100; ++i) sum += first[i];
  out[group->group_id[0]] = sum + second[9];
}

TEST_P(KernelTest, LocalArgumentsReserveBytesForEachGroup) {
  NEEDS_KERNELS();
  Kernel local;
  Memory memory;
  ASSERT_RT_OK(makeKernel(&local, context_, localKernel, {kLocalArg, kLocalArg, kPointerArg}, "local"));
  ASSERT_RT_OK(rtMallocHost(memory.out(), 64 * 4, context_));
  ASSERT_RT_OK(launchOver(local, stream_, 64, 1, size_t{400}, size_t{40}, memory.as<uint32_t>()));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(memory.as<uint32_t>()[i], i * 100 + 9);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(local, stream_, 1, 1, SIZE_MAX, size_t{40}, memory.as<uint32_t>()));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(local, stream_, 1, 1, size_t{1} << 40, size_t{1} << 40, memory.as<uint32_t>()));
}

TEST_P(KernelTest, NullIsALegalAddressAndAStaleOneOfAnotherContextIsRefused) {
  Kernel nothing;
  ASSERT_RT_OK(makeKernel(&nothing, context_, emptyKernel, {kPointerArg}, "nothing"));
  EXPECT_RT_OK(launchOver(nothing, stream_, 1, 1, static_cast<void*>(nullptr)));
  int local = 0;
  EXPECT_RT_OK(launchOver(nothing, stream_, 1, 1, static_cast<void*>(&local))) << "unknown addresses pass on the CPU";
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(KernelTest, AnAddressThatThisDeviceCannotReachIsRefusedNamingTheArgument) {
  Kernel nothing;
  ASSERT_RT_OK(makeKernel(&nothing, context_, emptyKernel, {kUintArg, kPointerArg}, "nothing"));
  expectUnreachableRefused(1, [&](void* address) { return launchOver(nothing, stream_, 1, 1, 5u, address); });
}

TEST_P(KernelTest, MemoryOfAPeerIsReachedOnceThatIsEnabled) {
  Kernel nothing;
  ASSERT_RT_OK(makeKernel(&nothing, context_, emptyKernel, {kPointerArg}, "nothing"));
  for (const std::string& name : deviceNames()) {
    rtDevice_t device = nullptr;
    Context context;
    Context second;
    Memory memory;
    Memory memory_second;
    int32_t can = 0;
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtDeviceCanAccessPeer(&can, device, device_));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtContextCreate(second.out(), nullptr, device));
    ASSERT_RT_OK(rtMalloc(memory.out(), 100, context));
    ASSERT_RT_OK(rtMalloc(memory_second.out(), 100, second));
    if (can == 0) {
      const rtStatus_t status = rtContextEnablePeerAccess(context, context_);
      EXPECT_EQ(status, name == GetParam() ? RT_SUCCESS : RT_ERROR_NOT_SUPPORTED);
      continue;
    }
    EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(nothing, stream_, 1, 1, memory.as<void>(10)));
    ASSERT_RT_OK(rtContextEnablePeerAccess(context, context_));
    ASSERT_RT_OK(rtContextEnablePeerAccess(context, context_)) << "asking twice is success";
    EXPECT_RT_OK(launchOver(nothing, stream_, 1, 1, memory.as<void>(10)));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(nothing, stream_, 1, 1, memory_second.as<void>(10))) << "another context";
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_RT_OK(memory.reset());
    ASSERT_RT_OK(rtContextReset(context));
    ASSERT_RT_OK(rtMalloc(memory.out(), 100, context));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(nothing, stream_, 1, 1, memory.as<void>(10))) << "a reset ends it";
    ASSERT_RT_OK(rtContextEnablePeerAccess(context, context_));
    EXPECT_RT_OK(launchOver(nothing, stream_, 1, 1, memory.as<void>(10)));
  }
}

TEST_P(KernelTest, KernelAndStreamShareOneContext) {
  Context other;
  Stream stream;
  std::atomic<uint32_t> ran{0};
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, launchOver(count_, stream, 1, 1, &ran));
  ASSERT_RT_OK(rtContextSetCurrent(other));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, launchOver(count_, nullptr, 1, 1, &ran)) << "NULL is the current context's default stream";
  ASSERT_RT_OK(rtContextSetCurrent(context_));
  EXPECT_RT_OK(launchOver(count_, nullptr, 1, 1, &ran));
  EXPECT_RT_OK(rtStreamSynchronize(nullptr));
}

TEST_P(KernelTest, LaunchWithOptionsIsTheSameLaunch) {
  std::atomic<uint32_t> ran{0};
  std::atomic<uint32_t>* pointer = &ran;
  void* args[] = {&pointer};
  const uint32_t grid[3] = {2, 3, 1};
  const uint32_t group[3] = {4, 1, 1};
  checkOptions<rtLaunchOptions_t>(
      RT_LAUNCH_OPTIONS_INIT,
      [&](const rtLaunchOptions_t* options) {
        return rtLaunchKernelWithOptions(count_, grid, group, 0, options, args, 1, stream_);
      },
      offsetof(rtLaunchOptions_t, global_offset));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  if (runsKernels()) {
    EXPECT_EQ(ran.load(), 4 * 6u);
  }
  rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
  options.flags = 0x80;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernelWithOptions(count_, grid, group, 0, &options, args, 1, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernelWithOptions(count_, nullptr, group, 0, nullptr, args, 1, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernelWithOptions(count_, grid, nullptr, 0, nullptr, args, 1, stream_));
}

// std::atomic<uint32_t>* arrived: waits until every group of the launch is here.
void meetKernel(const rtHostGroup_t* group, void* const* args) {
  auto* arrived = argument<std::atomic<uint32_t>*>(args, 0);
  arrived->fetch_add(1);
  arrived->notify_all();
  for (uint32_t seen = arrived->load(); seen < group->group_count[0]; seen = arrived->load()) arrived->wait(seen);
}

TEST_P(KernelTest, ACooperativeLaunchRunsAllGroupsAtTheSameTimeOrIsRefused) {
  rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
  options.flags = RT_LAUNCH_COOPERATIVE;
  Kernel meet;
  uint32_t most = 0;
  std::atomic<uint32_t> arrived{0};
  std::atomic<uint32_t>* pointer = &arrived;
  void* args[] = {&pointer};
  const uint32_t group[3] = {1, 1, 1};
  ASSERT_RT_OK(makeKernel(&meet, context_, meetKernel, {kPointerArg}, "meet"));
  ASSERT_RT_OK(rtKernelGetMaxActiveGroups(&most, 1, 0, meet));
  uint32_t grid[3] = {most, 1, 1};
  if (!has(RT_CAPABILITY_COOPERATIVE_LAUNCH)) {
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtLaunchKernelWithOptions(meet, grid, group, 0, &options, args, 1, stream_));
    return;
  }
  ASSERT_GE(most, 1u);
  for (int round = 0; round < 20; ++round) {
    arrived.store(0);
    ASSERT_RT_OK(rtLaunchKernelWithOptions(meet, grid, group, 0, &options, args, 1, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    if (runsKernels()) {
      ASSERT_EQ(arrived.load(), most);
    }
  }
  grid[0] = most + 1;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernelWithOptions(meet, grid, group, 0, &options, args, 1, stream_));
}

TEST_P(KernelTest, SuggestedGroupsFitTheDevice) {
  const int64_t most = attribute(RT_ATTRIBUTE_MAX_GROUP_ITEMS);
  const uint32_t shapes[][3] = {{1, 1, 1}, {1000, 1, 1}, {7, 11, 13}, {UINT32_MAX, 1, 1}, {1, 1, 100000}, {640, 480, 1}};
  for (const auto& items : shapes) {
    uint32_t group[3] = {0, 0, 0};
    ASSERT_RT_OK(rtKernelSuggestGroupSize(group, items, 0, iota_));
    EXPECT_GE(std::min({group[0], group[1], group[2]}), 1u);
    EXPECT_LE(static_cast<int64_t>(group[0]) * group[1] * group[2], most);
  }
  const uint32_t zero[3] = {0, 1, 1};
  uint32_t group[3] = {7, 7, 7};
  const rtStatus_t status = rtKernelSuggestGroupSize(group, zero, 0, iota_);
  EXPECT_TRUE(status == RT_SUCCESS || status == RT_ERROR_INVALID_VALUE);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtKernelSuggestGroupSize(nullptr, zero, 0, iota_));
  group[0] = group[1] = group[2] = 7;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtKernelSuggestGroupSize(group, nullptr, 0, iota_));
  EXPECT_EQ(group[0] + group[1] + group[2], 0u);
  uint32_t groups = 7;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtKernelGetMaxActiveGroups(&groups, 0, 0, iota_));
  EXPECT_EQ(groups, 0u);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtKernelGetMaxActiveGroups(nullptr, 1, 0, iota_));
}

TEST_P(KernelTest, HandlesOfOtherKindsAreRefused) {
  const auto wrong = reinterpret_cast<rtKernel_t>(stream_.get());
  for (rtKernel_t kernel : {static_cast<rtKernel_t>(nullptr), wrong, garbage<rtKernel_t>()}) {
    rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
    rtKernelArgInfo_t arg = RT_KERNEL_ARG_INFO_INIT;
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, 0));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtKernelGetInfo(&info, kernel));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtKernelGetArgInfo(&arg, 0, kernel));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtKernelGetName(nullptr, 0, nullptr, kernel));
  }
  std::atomic<uint32_t> ran{0};
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, launchOver(count_, garbage<rtStream_t>(), 1, 1, &ran));
  const rtKernel_t stale = count_;
  ASSERT_RT_OK(count_.reset());
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, launchOver(stale, stream_, 1, 1, &ran));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtKernelDestroy(stale));
}

}  // namespace
}  // namespace rttest
