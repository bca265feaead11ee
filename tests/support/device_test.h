// The fixture of tests that run on every device found. It gives each test a context of its own, which is current, and a
// stream; afterwards it destroys them and looks whether a handle was lost. Also the helpers for the rules that hold for
// every options struct, result struct and text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/check.h"
#include "support/handles.h"
#include "support/kernels.h"

namespace rttest {

// "cpu", ..., "null:0", by asking the library.
inline std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (int32_t backend : {RT_BACKEND_ALL, RT_BACKEND_NULL}) {
    int32_t count = 0;
    if (rtDeviceGetCount(&count, backend) != RT_SUCCESS) continue;
    for (int32_t ordinal = 0; ordinal < count; ++ordinal) {
      rtDevice_t device = nullptr;
      rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
      if (rtDeviceGet(&device, backend, ordinal) != RT_SUCCESS) continue;
      if (rtDeviceGetProperties(&properties, device) == RT_SUCCESS) names.emplace_back(properties.id);
    }
  }
  return names;
}

inline std::string testName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class DeviceTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    live_before_ = liveHandles();
    ASSERT_RT_OK(rtDeviceGetByName(&device_, GetParam().c_str()));
    ASSERT_RT_OK(rtContextCreate(context_.out(), nullptr, device_));
    ASSERT_RT_OK(rtContextSetCurrent(context_));
    ASSERT_RT_OK(rtStreamCreate(stream_.out(), nullptr, context_));
  }

  void TearDown() override {
    expectNoBytesLive();
    EXPECT_RT_OK(stream_.reset());
    EXPECT_RT_OK(context_.reset());
    EXPECT_RT_OK(rtContextSetCurrent(nullptr));
    EXPECT_EQ(liveHandles(), live_before_) << "the test or the library lost a handle";
  }

  // The census of the context's pool: what a test has allocated it has freed, and with no work in flight nothing is pending.
  void expectNoBytesLive() {
    rtMemPool_t pool = nullptr;
    rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
    if (!context_ || rtContextSynchronize(context_) != RT_SUCCESS) return;  // the test has ended it, or its device
    if (rtContextGetDefaultPool(&pool, context_) != RT_SUCCESS) return;
    EXPECT_RT_OK(rtMemPoolGetStats(&stats, pool));
    // With RT_MEMORY_DEBUG a thread of the library looks at freed blocks first.
    for (int looks = 0; stats.pending_bytes != 0 && looks < 5000; ++looks) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_RT_OK(rtMemPoolGetStats(&stats, pool));
    }
    EXPECT_EQ(stats.live_bytes, 0u);
    EXPECT_EQ(stats.live_count, 0u);
    EXPECT_EQ(stats.pending_bytes, 0u);
    EXPECT_EQ(stats.allocation_count, stats.free_count);
  }

  bool has(int32_t capability) const {
    int32_t yes = 0;
    return rtDeviceHasCapability(&yes, capability, device_) == RT_SUCCESS && yes == 1;
  }
  bool acceptsKernels() const { return has(RT_CAPABILITY_HOST_KERNELS) || !runsKernels(); }
  int64_t attribute(int32_t which) const {
    int64_t value = -1;
    EXPECT_RT_OK(rtDeviceGetAttribute(&value, which, device_));
    return value;
  }
  // The null device accepts kernels and runs none: what a kernel leaves cannot be looked at. Copies and fills it does.
  bool runsKernels() const {
    int32_t backend = RT_BACKEND_NULL;
    (void)rtDeviceGetBackend(&backend, nullptr, device_);
    return backend != RT_BACKEND_NULL;
  }

  // Kernels reach pinned memory, but on OpenCL's devices with memory of their own.
  bool reachesPinned() const {
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    EXPECT_RT_OK(rtDeviceGetProperties(&properties, device_));
    return properties.backend != RT_BACKEND_OPENCL || properties.unified_memory != 0 || has(RT_CAPABILITY_SHARED_MEMORY) ||
           properties.kind == RT_DEVICE_KIND_CPU;
  }
  // Pinned memory where kernels reach it, which the host sees too, else the device's own.
  rtStatus_t mallocForKernels(void** memory, size_t size) const {
    return reachesPinned() ? rtMallocHost(memory, size, context_) : rtMalloc(memory, size, context_);
  }

  // Values of arguments, and the array of their addresses, are gone when a launch that is held back runs; the kernel's handle
  // too. `iota` is the kernel of kernels.h and portable_kernels.h, with reset().
  template <typename OwnedKernel>
  void launchHeldBack(OwnedKernel& iota) {
    Gate gate(context_);
    Memory memory;
    ASSERT_RT_OK(mallocForKernels(memory.out(), 400));
    ASSERT_RT_OK(gate.close(stream_));
    {
      uint32_t* pointer = memory.as<uint32_t>();
      uint32_t count = 100;
      uint32_t base = 42;
      void* args[] = {&pointer, &count, &base};
      ASSERT_RT_OK(rtLaunchKernel(iota, 10, 1, 1, 10, 1, 1, 0, stream_, args, 3));
      pointer = nullptr;
      count = 0;
      base = 0;
      args[0] = args[1] = args[2] = nullptr;
    }
    ASSERT_RT_OK(iota.reset());  // launches already submitted complete
    ASSERT_RT_OK(gate.open());
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    uint32_t seen[100] = {};
    ASSERT_RT_OK(rtMemcpy(seen, memory, sizeof seen, RT_MEMCPY_DEFAULT));
    for (uint32_t i = 0; i < 100; ++i) ASSERT_EQ(seen[i], 42 + i);
  }

  // Memory of every other device that this one does not reach: `launch(address)` is refused and names the argument. Devices
  // whose memory is the host's reach each other though neither is a peer, so that it has to write nothing.
  template <typename Launch>
  void expectUnreachableRefused(uint32_t argument, Launch launch) {
    for (const std::string& name : deviceNames()) {
      if (name == GetParam()) continue;
      rtDevice_t device = nullptr;
      Context context;
      Memory memory;
      ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
      ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
      ASSERT_RT_OK(rtMalloc(memory.out(), 100, context));
      if (launch(memory.as<void>(10)) == RT_SUCCESS) continue;
      EXPECT_RT(RT_ERROR_INVALID_VALUE, launch(memory.as<void>(10)));
      EXPECT_NE(lastMessage().find("rgument " + std::to_string(argument)), std::string::npos) << lastMessage();
    }
  }

  // Latches RT_ERROR_INVALID_HANDLE on a stream, on every device: it waits for a fence that is destroyed. Returns when the
  // failure is there; nothing is cleared.
  void poison(rtStream_t stream) {
    rtFence_t fence = nullptr;
    ASSERT_RT_OK(rtFenceCreate(&fence, 0, context_));
    ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream));
    ASSERT_RT_OK(rtFenceDestroy(fence));
    ASSERT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronizeFor(RT_TIMEOUT_INFINITE, stream));
  }

  rtDevice_t device_ = nullptr;
  Context context_;
  Stream stream_;
  uint64_t live_before_ = 0;
};

// The test looks at what kernels have done; where none run it is skipped and stands in skips.txt.
#define NEEDS_KERNELS() \
  if (!runsKernels()) GTEST_SKIP() << "the null device runs no kernels"

// RT_POOL=off: pools keep nothing, and there is nothing to see of what they keep.
inline bool poolsAreOff() {
  const char* value = std::getenv("RT_POOL");
  return value != nullptr && std::strcmp(value, "off") == 0;
}
#define NEEDS_POOLS() \
  if (poolsAreOff()) GTEST_SKIP() << "with RT_POOL=off pools keep nothing"

// The rules of every options struct: `create(options)` makes and destroys an object. `first`: its size in the first release.
template <typename Options>
void checkOptions(Options init, const std::function<rtStatus_t(const Options*)>& create, size_t first = sizeof(Options)) {
  struct Larger {
    Options options;
    unsigned char tail[32];
  } larger;
  EXPECT_RT_OK(create(nullptr)) << "NULL means the defaults";
  Options zero;
  std::memset(&zero, 0, sizeof zero);
  zero.struct_size = sizeof zero;
  EXPECT_RT_OK(create(&zero)) << "all zero apart from struct_size means the defaults";
  EXPECT_RT_OK(create(&init));
  zero.struct_size = 0;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create(&zero));
  zero.struct_size = static_cast<uint32_t>(first - 1);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create(&zero));
  std::memset(&larger, 0, sizeof larger);
  larger.options = init;
  larger.options.struct_size = sizeof larger;
  EXPECT_RT_OK(create(&larger.options)) << "an unknown tail of zeros is legal";
  larger.tail[sizeof larger.tail - 1] = 1;
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, create(&larger.options));
}

// The rules of every result struct: the known part is written, the tail zeroed.
template <typename Result>
void checkResult(Result init, const std::function<rtStatus_t(Result*)>& get, size_t first = sizeof(Result)) {
  struct Larger {
    Result result;
    unsigned char tail[32];
  } larger;
  std::memset(&larger, 0xA5, sizeof larger);
  larger.result.struct_size = sizeof larger;
  EXPECT_RT_OK(get(&larger.result));
  for (unsigned char byte : larger.tail) EXPECT_EQ(byte, 0);
  Result result = init;
  EXPECT_RT_OK(get(&result));
  EXPECT_EQ(result.struct_size, sizeof result);
  result.struct_size = 0;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, get(&result));
  result.struct_size = static_cast<uint32_t>(first - 1);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, get(&result));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, get(nullptr));
}

// The rules of (buffer, size, needed); returns the text.
inline std::string checkText(const std::function<rtStatus_t(char*, size_t, size_t*)>& get) {
  size_t needed = 0;
  EXPECT_RT_OK(get(nullptr, 0, &needed));
  EXPECT_GE(needed, 1u) << "needed counts the terminator";
  std::vector<char> whole(needed + 8, 'x');
  EXPECT_RT_OK(get(whole.data(), whole.size(), nullptr)) << "needed may be NULL";
  EXPECT_EQ(std::strlen(whole.data()) + 1, needed);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, get(nullptr, 8, &needed));
  EXPECT_EQ(needed, 0u) << "an output of a failed call is 0";
  if (whole[0] != '\0') {
    char small[2] = {'x', 'x'};
    EXPECT_RT_OK(get(small, sizeof small, nullptr)) << "a short buffer is truncated, terminated, success";
    EXPECT_EQ(small[0], whole[0]);
    EXPECT_EQ(small[1], '\0');
  }
  return whole.data();
}

}  // namespace rttest
