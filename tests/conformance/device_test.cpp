// Backends and devices: what is found, how it is named, what it says of itself.
#include "support/device_test.h"

#include <atomic>
#include <thread>

namespace rttest {
namespace {

class BackendTest : public testing::TestWithParam<int32_t> {};
class DeviceHandleTest : public DeviceTest {};
std::string backendName(const testing::TestParamInfo<int32_t>& info) {
  const char* names[] = {"", "cpu", "cuda", "opencl", "null"};
  return names[info.param];
}
INSTANTIATE_TEST_SUITE_P(, BackendTest, testing::Values(RT_BACKEND_CPU, RT_BACKEND_CUDA, RT_BACKEND_OPENCL, RT_BACKEND_NULL),
                         backendName);
INSTANTIATE_TEST_SUITE_P(, DeviceHandleTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(BackendTest, InfoSaysWhetherItIsAvailableAndIfNotWhy) {
  rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
  ASSERT_RT_OK(rtBackendGetInfo(&info, GetParam()));
  int32_t count = -1;
  ASSERT_RT_OK(rtDeviceGetCount(&count, GetParam()));
  EXPECT_EQ(info.backend, GetParam());
  EXPECT_EQ(info.device_count, count);
  EXPECT_STRNE(info.name, "");
  if (info.available != 0) {
    EXPECT_EQ(info.available, 1);
    EXPECT_STREQ(info.reason, "");
    EXPECT_STRNE(info.driver_name, "");
  } else {
    EXPECT_EQ(count, 0) << "0 and success where a driver is missing";
    EXPECT_STRNE(info.reason, "");
    EXPECT_STREQ(info.driver_name, "");
    rtDevice_t device = garbage<rtDevice_t>();
    EXPECT_RT(RT_ERROR_BACKEND_UNAVAILABLE, rtDeviceGet(&device, GetParam(), 0));
    EXPECT_EQ(device, nullptr);
  }
  checkResult<rtBackendInfo_t>(RT_BACKEND_INFO_INIT,
                               [](rtBackendInfo_t* out) { return rtBackendGetInfo(out, RT_BACKEND_CPU); });
}

TEST(BackendTest0, CpuAndNullAreAlwaysAvailable) {
  for (int32_t backend : {RT_BACKEND_CPU, RT_BACKEND_NULL}) {
    rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
    ASSERT_RT_OK(rtBackendGetInfo(&info, backend));
    EXPECT_EQ(info.available, 1);
    EXPECT_GE(info.device_count, 1);
  }
}

TEST(BackendTest0, AllCountsEveryBackendButNull) {
  int32_t all = 0;
  int32_t sum = 0;
  ASSERT_RT_OK(rtDeviceGetCount(&all, RT_BACKEND_ALL));
  for (int32_t backend : {RT_BACKEND_CPU, RT_BACKEND_CUDA, RT_BACKEND_OPENCL}) {
    int32_t count = 0;
    ASSERT_RT_OK(rtDeviceGetCount(&count, backend));
    sum += count;
  }
  EXPECT_EQ(all, sum);
  for (int32_t ordinal = 0; ordinal < all; ++ordinal) {
    rtDevice_t device = nullptr;
    int32_t backend = 0;
    ASSERT_RT_OK(rtDeviceGet(&device, RT_BACKEND_ALL, ordinal));
    ASSERT_RT_OK(rtDeviceGetBackend(&backend, nullptr, device));
    EXPECT_NE(backend, RT_BACKEND_NULL);
  }
}

TEST(BackendTest0, UnknownBackendsAreInvalidValues) {
  rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtBackendGetInfo(&info, RT_BACKEND_ALL));
  for (int32_t backend : {-1, 5, INT32_MAX, INT32_MIN}) {
    int32_t count = 7;
    rtDevice_t device = garbage<rtDevice_t>();
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtBackendGetInfo(&info, backend));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceGetCount(&count, backend));
    EXPECT_EQ(count, 0);
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceGet(&device, backend, 0));
    EXPECT_EQ(device, nullptr);
  }
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceGetCount(nullptr, RT_BACKEND_ALL));
}

TEST(BackendTest0, OrdinalsOutsideAreInvalidDevices) {
  for (int32_t backend : {RT_BACKEND_ALL, RT_BACKEND_CPU, RT_BACKEND_NULL}) {
    int32_t count = 0;
    ASSERT_RT_OK(rtDeviceGetCount(&count, backend));
    for (int32_t ordinal : {-1, count, INT32_MAX, INT32_MIN}) {
      rtDevice_t device = garbage<rtDevice_t>();
      EXPECT_RT(RT_ERROR_INVALID_DEVICE, rtDeviceGet(&device, backend, ordinal));
      EXPECT_EQ(device, nullptr);
    }
  }
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceGet(nullptr, RT_BACKEND_CPU, 0));
}

TEST(BackendTest0, AnUnknownNameIsNotFound) {
  for (const char* name :
       {"", "cpu:", "cpu:99", "gpu", "null", "null:-1", "null:0x", "CPU ", "cuda:4294967296", "opencl:00000000000"}) {
    rtDevice_t device = garbage<rtDevice_t>();
    const rtStatus_t status = rtDeviceGetByName(&device, name);
    if (status == RT_SUCCESS) continue;  // "null" may stand for its first device
    EXPECT_RT(RT_ERROR_NOT_FOUND, rtDeviceGetByName(&device, name)) << name;
    EXPECT_EQ(device, nullptr);
  }
  rtDevice_t device = garbage<rtDevice_t>();
  EXPECT_RT(RT_ERROR_NOT_FOUND, rtDeviceGetByName(&device, "gpu:0"));
  EXPECT_EQ(device, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceGetByName(nullptr, "cpu"));
}

TEST(BackendTest0, NoNameIsTheDefaultDevice) {
  rtDevice_t device = nullptr;
  ASSERT_RT_OK(rtDeviceGetByName(&device, nullptr));
  EXPECT_NE(device, nullptr);
}

TEST_P(DeviceHandleTest, EqualForTheSameDevice) {
  int32_t backend = 0;
  int32_t ordinal = -1;
  rtDevice_t again = nullptr;
  ASSERT_RT_OK(rtDeviceGetBackend(&backend, &ordinal, device_));
  ASSERT_RT_OK(rtDeviceGet(&again, backend, ordinal));
  EXPECT_EQ(again, device_);
  ASSERT_RT_OK(rtDeviceGetByName(&again, GetParam().c_str()));
  EXPECT_EQ(again, device_);
  ASSERT_RT_OK(rtContextGetDevice(&again, context_));
  EXPECT_EQ(again, device_);
  EXPECT_RT_OK(rtDeviceGetBackend(&backend, nullptr, device_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceGetBackend(nullptr, &ordinal, device_));
  EXPECT_EQ(ordinal, 0);
}

TEST_P(DeviceHandleTest, PropertiesAreConsistent) {
  rtDeviceProperties_t p = RT_DEVICE_PROPERTIES_INIT;
  ASSERT_RT_OK(rtDeviceGetProperties(&p, device_));
  int32_t backend = 0;
  int32_t ordinal = 0;
  ASSERT_RT_OK(rtDeviceGetBackend(&backend, &ordinal, device_));
  EXPECT_EQ(p.backend, backend);
  EXPECT_EQ(p.ordinal, ordinal);
  EXPECT_EQ(GetParam(), p.id);
  EXPECT_STRNE(p.name, "");
  if (runsKernels()) {
    EXPECT_STRNE(p.architecture, "");
  }
  EXPECT_GE(p.kind, RT_DEVICE_KIND_CPU);
  EXPECT_LE(p.kind, RT_DEVICE_KIND_ACCELERATOR);
  EXPECT_GE(p.compute_units, 1u);
  EXPECT_GE(p.simd_width, 1u);
  EXPECT_GE(p.max_group_items, 1u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_GE(p.max_group_size[i], 1u);
    EXPECT_GE(p.max_grid_size[i], 1u);
  }
  EXPECT_GT(p.memory_bytes, 0u);
  EXPECT_GT(p.max_allocation_bytes, 0u);
  EXPECT_LE(p.unified_memory, 1u);
  EXPECT_EQ(p.priority_least, 0);
  EXPECT_LE(p.priority_greatest, 0);
  EXPECT_EQ(p.reserved, 0u);
  checkResult<rtDeviceProperties_t>(RT_DEVICE_PROPERTIES_INIT,
                                    [&](rtDeviceProperties_t* out) { return rtDeviceGetProperties(out, device_); });
}

TEST_P(DeviceHandleTest, EveryIntegerPropertyIsAnAttribute) {
  rtDeviceProperties_t p = RT_DEVICE_PROPERTIES_INIT;
  ASSERT_RT_OK(rtDeviceGetProperties(&p, device_));
  EXPECT_EQ(attribute(RT_ATTRIBUTE_KIND), p.kind);
  EXPECT_EQ(attribute(RT_ATTRIBUTE_COMPUTE_UNITS), p.compute_units);
  EXPECT_EQ(attribute(RT_ATTRIBUTE_SIMD_WIDTH), p.simd_width);
  EXPECT_EQ(attribute(RT_ATTRIBUTE_MAX_GROUP_ITEMS), p.max_group_items);
  EXPECT_EQ(attribute(RT_ATTRIBUTE_MAX_GROUP_SIZE_X), p.max_group_size[0]);
  EXPECT_EQ(attribute(RT_ATTRIBUTE_MAX_GROUP_SIZE_Y), p.max_group_size[1]);
  EXPECT_EQ(attribute(RT_ATTRIBUTE_MAX_GROUP_SIZE_Z), p.max_group_size[2]);
  EXPECT_EQ(attribute(RT_ATTRIBUTE_MAX_GRID_SIZE_X), static_cast<int64_t>(p.max_grid_size[0]));
  EXPECT_EQ(attribute(RT_ATTRIBUTE_MAX_GRID_SIZE_Y), static_cast<int64_t>(p.max_grid_size[1]));
  EXPECT_EQ(attribute(RT_ATTRIBUTE_MAX_GRID_SIZE_Z), static_cast<int64_t>(p.max_grid_size[2]));
  EXPECT_EQ(attribute(RT_ATTRIBUTE_MEMORY_BYTES), static_cast<int64_t>(p.memory_bytes));
  EXPECT_EQ(attribute(RT_ATTRIBUTE_MAX_ALLOCATION_BYTES), static_cast<int64_t>(p.max_allocation_bytes));
  EXPECT_EQ(attribute(RT_ATTRIBUTE_LOCAL_BYTES_PER_GROUP), static_cast<int64_t>(p.local_bytes_per_group));
  EXPECT_EQ(attribute(RT_ATTRIBUTE_UNIFIED_MEMORY), p.unified_memory);
  EXPECT_EQ(attribute(RT_ATTRIBUTE_MEMORY_TIER), p.memory_tier);
  EXPECT_EQ(attribute(RT_ATTRIBUTE_PRIORITY_LEAST), p.priority_least);
  EXPECT_EQ(attribute(RT_ATTRIBUTE_PRIORITY_GREATEST), p.priority_greatest);
  EXPECT_GE(attribute(RT_ATTRIBUTE_NUMA_NODES), 1);
  EXPECT_GE(attribute(RT_ATTRIBUTE_HOST_THREADS), 0);
  if (p.backend == RT_BACKEND_CPU) {
    EXPECT_GE(attribute(RT_ATTRIBUTE_HOST_THREADS), 1);
  }
  const std::pair<int32_t, uint64_t> told[] = {{RT_ATTRIBUTE_CLOCK_MHZ, p.clock_mhz},
                                               {RT_ATTRIBUTE_CACHE_LINE_BYTES, p.cache_line_bytes},
                                               {RT_ATTRIBUTE_L1_BYTES, p.l1_bytes},
                                               {RT_ATTRIBUTE_L2_BYTES, p.l2_bytes},
                                               {RT_ATTRIBUTE_L3_BYTES, p.l3_bytes}};
  for (const auto& [which, property] : told) {
    if (property != 0) {
      EXPECT_EQ(attribute(which), static_cast<int64_t>(property)) << which;
      continue;
    }
    int64_t value = 7;  // what the driver does not tell is no number
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtDeviceGetAttribute(&value, which, device_)) << which;
    EXPECT_EQ(value, 0);
    EXPECT_NE(lastMessage().find(p.id), std::string::npos) << lastMessage();
  }
  for (int32_t unknown : {-1, RT_ATTRIBUTE_DLPACK_ID + 1, INT32_MAX}) {
    int64_t value = 7;
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceGetAttribute(&value, unknown, device_));
    EXPECT_EQ(value, 0);
  }
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceGetAttribute(nullptr, RT_ATTRIBUTE_KIND, device_));
}

TEST_P(DeviceHandleTest, CapabilitiesAreYesOrNo) {
  for (int32_t capability = RT_CAPABILITY_KERNELS; capability <= RT_CAPABILITY_SUBGROUPS; ++capability) {
    int32_t yes = -1;
    EXPECT_RT_OK(rtDeviceHasCapability(&yes, capability, device_));
    EXPECT_TRUE(yes == 0 || yes == 1) << capability;
  }
  int32_t yes = 7;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceHasCapability(&yes, -1, device_));
  EXPECT_EQ(yes, 0);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceHasCapability(&yes, RT_CAPABILITY_SUBGROUPS + 1, device_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceHasCapability(nullptr, RT_CAPABILITY_KERNELS, device_));
  EXPECT_EQ(has(RT_CAPABILITY_STREAM_PRIORITIES), attribute(RT_ATTRIBUTE_PRIORITY_GREATEST) < 0);
  EXPECT_TRUE(has(RT_CAPABILITY_TIMING));
}

TEST_P(DeviceHandleTest, MemInfoIsFreeAndTotal) {
  uint64_t free_bytes = 0;
  uint64_t total_bytes = 0;
  ASSERT_RT_OK(rtDeviceGetMemInfo(&free_bytes, &total_bytes, device_));
  EXPECT_GT(total_bytes, 0u);
  EXPECT_LE(free_bytes, total_bytes);
  EXPECT_RT_OK(rtDeviceGetMemInfo(nullptr, &total_bytes, device_));
  EXPECT_RT_OK(rtDeviceGetMemInfo(&free_bytes, nullptr, device_));
}

TEST_P(DeviceHandleTest, CanAccessPeerIsYesOrNoAndNeverAboutUnknownDevices) {
  for (const std::string& name : deviceNames()) {
    rtDevice_t peer = nullptr;
    int32_t can = -1;
    ASSERT_RT_OK(rtDeviceGetByName(&peer, name.c_str()));
    ASSERT_RT_OK(rtDeviceCanAccessPeer(&can, peer, device_));
    EXPECT_TRUE(can == 0 || can == 1);
  }
  int32_t can = 7;
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtDeviceCanAccessPeer(&can, nullptr, device_));
  EXPECT_EQ(can, 0);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtDeviceCanAccessPeer(&can, device_, nullptr));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceCanAccessPeer(nullptr, device_, device_));
}

TEST_P(DeviceHandleTest, SynchronizeWaitsForEveryContextOfTheDevice) {
  Context other;
  Stream stream;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
  std::atomic<int> calls{0};
  const auto count = [](void* user, rtStatus_t) { static_cast<std::atomic<int>*>(user)->fetch_add(1); };
  ASSERT_RT_OK(rtLaunchHostFunction(count, &calls, stream));
  ASSERT_RT_OK(rtLaunchHostFunction(count, &calls, stream_));
  ASSERT_RT_OK(rtDeviceSynchronize(device_));
  EXPECT_EQ(calls.load(), 2);
}

TEST_P(DeviceHandleTest, SynchronizeWaitsForTheWorkOfDestroyedContexts) {
  std::atomic<bool> done{false};
  Context context;
  Stream stream;
  Fence fence;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream));
  ASSERT_RT_OK(
      rtLaunchHostFunction([](void* user, rtStatus_t) { static_cast<std::atomic<bool>*>(user)->store(true); }, &done, stream));
  ASSERT_RT_OK(context.reset());
  std::thread releaser([&] { EXPECT_RT_OK(rtFenceSignal(1, fence)); });
  EXPECT_RT_OK(rtDeviceSynchronize(device_));
  EXPECT_TRUE(done.load());
  releaser.join();
}

TEST_P(DeviceHandleTest, ADeviceThatIsNotLostSaysSo) {
  rtStatus_t status = RT_ERROR_INTERNAL;
  ASSERT_RT_OK(rtDeviceGetStatus(&status, device_));
  EXPECT_EQ(status, RT_SUCCESS);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtDeviceGetStatus(nullptr, device_));
  EXPECT_EQ(checkText([&](char* buffer, size_t size, size_t* needed) {
              return rtDeviceGetLossMessage(buffer, size, needed, device_);
            }),
            "");
}

TEST_P(DeviceHandleTest, HandlesOfOtherKindsAreRefused) {
  const auto wrong = reinterpret_cast<rtDevice_t>(stream_.get());
  for (rtDevice_t device : {static_cast<rtDevice_t>(nullptr), wrong, garbage<rtDevice_t>()}) {
    rtContext_t context = garbage<rtContext_t>();
    int32_t backend = 7;
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextCreate(&context, nullptr, device));
    EXPECT_EQ(context, nullptr);
    EXPECT_NE(lastMessage().find("device"), std::string::npos) << "the message says which argument: " << lastMessage();
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtContextGetPrimary(&context, device));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtDeviceGetBackend(&backend, nullptr, device));
    EXPECT_EQ(backend, 0);
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtDeviceSynchronize(device));
  }
}

}  // namespace
}  // namespace rttest
