// Memory that is not bound to a stream's order: the four allocators, free, register, what is known of an address.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

class MemoryTest : public DeviceTest {
 protected:
  rtPointerAttributes_t attributesOf(const void* pointer) {
    rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
    EXPECT_RT_OK(rtPointerGetAttributes(&attributes, pointer));
    return attributes;
  }
};
INSTANTIATE_TEST_SUITE_P(, MemoryTest, testing::ValuesIn(deviceNames()), testName);

bool aligned(const void* pointer, uintptr_t alignment) { return reinterpret_cast<uintptr_t>(pointer) % alignment == 0; }

TEST_P(MemoryTest, EveryAddressIs256ByteAligned) {
  for (size_t size : {size_t{1}, size_t{7}, size_t{255}, size_t{4097}, size_t{100000}, size_t{3} << 20, size_t{40} << 20}) {
    Memory device;
    Memory host;
    Memory async;
    ASSERT_RT_OK(rtMalloc(device.out(), size, context_));
    ASSERT_RT_OK(rtMallocHost(host.out(), size, context_));
    ASSERT_RT_OK(rtMallocAsync(async.out(), size, stream_));
    EXPECT_TRUE(aligned(device, 256) && aligned(host, 256) && aligned(async, 256)) << size;
    Memory shared;
    if (has(RT_CAPABILITY_SHARED_MEMORY)) {
      ASSERT_RT_OK(rtMallocShared(shared.out(), size, context_));
      EXPECT_TRUE(aligned(shared, 256)) << size;
    } else {
      EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtMallocShared(shared.out(), size, context_));
      EXPECT_NE(lastMessage().find(GetParam()), std::string::npos) << lastMessage();
    }
  }
}

TEST_P(MemoryTest, SizeZeroIsNullAndSuccess) {
  void* pointer = garbage<void*>();
  ASSERT_RT_OK(rtMalloc(&pointer, 0, context_));
  EXPECT_EQ(pointer, nullptr);
  pointer = garbage<void*>();
  ASSERT_RT_OK(rtMallocHost(&pointer, 0, context_));
  EXPECT_EQ(pointer, nullptr);
  pointer = garbage<void*>();
  ASSERT_RT_OK(rtMallocAsync(&pointer, 0, stream_));
  EXPECT_EQ(pointer, nullptr);
  pointer = garbage<void*>();
  ASSERT_RT_OK(rtMallocWithOptions(&pointer, 0, nullptr, context_));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_RT_OK(rtFree(pointer));
}

TEST_P(MemoryTest, ImpossibleSizesAreOutOfMemoryAndLeaveNull) {
  for (size_t size : {SIZE_MAX, SIZE_MAX - 255, SIZE_MAX / 2, size_t{1} << 60}) {
    SCOPED_TRACE(size);
    void* pointer = garbage<void*>();
    EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtMalloc(&pointer, size, context_));
    EXPECT_EQ(pointer, nullptr);
    pointer = garbage<void*>();
    EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtMallocHost(&pointer, size, context_));
    EXPECT_EQ(pointer, nullptr);
    pointer = garbage<void*>();
    EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtMallocAsync(&pointer, size, stream_));
    EXPECT_EQ(pointer, nullptr);
  }
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMalloc(nullptr, 16, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMallocHost(nullptr, 16, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMallocAsync(nullptr, 16, stream_));
}

TEST_P(MemoryTest, OptionsFollowTheRulesOfStructs) {
  checkOptions<rtMallocOptions_t>(RT_MALLOC_OPTIONS_INIT, [&](const rtMallocOptions_t* options) {
    void* pointer = nullptr;
    const rtStatus_t status = rtMallocWithOptions(&pointer, 64, options, context_);
    EXPECT_EQ(pointer == nullptr, status < 0);
    (void)rtFree(pointer);
    return status;
  });
}

TEST_P(MemoryTest, WithOptionsHonoursKindAndAlignment) {
  const std::pair<int32_t, int32_t> kinds[] = {
      {RT_MEMORY_DEVICE, RT_POINTER_DEVICE}, {RT_MEMORY_HOST, RT_POINTER_HOST}, {RT_MEMORY_SHARED, RT_POINTER_SHARED}};
  for (const auto& [kind, pointer_kind] : kinds) {
    if (kind == RT_MEMORY_SHARED && !has(RT_CAPABILITY_SHARED_MEMORY)) continue;
    for (uint64_t alignment : {0, 1, 64, 256, 4096, 65536, 1 << 21}) {
      rtMallocOptions_t options = RT_MALLOC_OPTIONS_INIT;
      options.kind = kind;
      options.alignment = alignment;
      std::snprintf(options.label, sizeof options.label, "kind %d", kind);
      Memory memory;
      ASSERT_RT_OK(rtMallocWithOptions(memory.out(), 1000, &options, context_));
      EXPECT_TRUE(aligned(memory, alignment == 0 ? 256 : alignment)) << alignment;
      const rtPointerAttributes_t attributes = attributesOf(memory.as(999));
      EXPECT_EQ(attributes.kind, pointer_kind);
      EXPECT_EQ(attributes.size, 1000u);
    }
  }
  rtMallocOptions_t options = RT_MALLOC_OPTIONS_INIT;
  void* pointer = garbage<void*>();
  options.alignment = 3;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMallocWithOptions(&pointer, 64, &options, context_));
  EXPECT_EQ(pointer, nullptr);
  options.alignment = uint64_t{1} << 63;
  for (uint64_t size : {uint64_t{5}, options.alignment, UINT64_MAX}) {
    EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtMallocWithOptions(&pointer, size, &options, context_)) << size;
  }
  options.alignment = 0;
  for (int32_t kind : {-1, RT_MEMORY_SHARED + 1}) {
    options.kind = kind;
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMallocWithOptions(&pointer, 64, &options, context_));
  }
  options.kind = RT_MEMORY_DEVICE;
  options.flags = 1;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMallocWithOptions(&pointer, 64, &options, context_));
}

TEST_P(MemoryTest, AttributesKnowInteriorAddressesAndTheSizeAskedFor) {
  Memory device;
  Memory host;
  ASSERT_RT_OK(rtMalloc(device.out(), 1000, context_));
  ASSERT_RT_OK(rtMallocHost(host.out(), 77, context_));
  const std::tuple<Memory*, int32_t, uint64_t> cases[] = {{&device, RT_POINTER_DEVICE, 1000}, {&host, RT_POINTER_HOST, 77}};
  for (const auto& [memory, kind, size] : cases) {
    for (uint64_t offset : {uint64_t{0}, uint64_t{1}, size - 1}) {
      const rtPointerAttributes_t attributes = attributesOf(memory->as(offset));
      EXPECT_EQ(attributes.kind, kind);
      EXPECT_EQ(attributes.base, memory->get());
      EXPECT_EQ(attributes.size, size);
      EXPECT_EQ(attributes.context, context_.get());
      EXPECT_EQ(attributes.device, device_);
    }
  }
  checkResult<rtPointerAttributes_t>(RT_POINTER_ATTRIBUTES_INIT,
                                     [&](rtPointerAttributes_t* out) { return rtPointerGetAttributes(out, device.as(5)); });
}

TEST_P(MemoryTest, UnknownMemoryIsSuccessAndUnknown) {
  int local = 0;
  std::vector<char> heap(1000);
  for (const void* pointer :
       {static_cast<const void*>(nullptr), static_cast<const void*>(&local), static_cast<const void*>(heap.data()),
        static_cast<const void*>(garbage<void*>()), reinterpret_cast<const void*>(UINTPTR_MAX)}) {
    const rtPointerAttributes_t attributes = attributesOf(pointer);
    EXPECT_EQ(attributes.kind, RT_POINTER_UNKNOWN);
    EXPECT_EQ(attributes.base, nullptr);
    EXPECT_EQ(attributes.size, 0u);
    EXPECT_EQ(attributes.context, nullptr);
    EXPECT_EQ(attributes.device, nullptr);
  }
}

TEST_P(MemoryTest, MemoryAfterAnAllocationOrFreedIsUnknown) {
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 1000, context_));
  EXPECT_EQ(attributesOf(memory.as(1000)).kind, RT_POINTER_UNKNOWN) << "the sizes are those asked for";
  const void* stale = memory.get();
  ASSERT_RT_OK(memory.reset());
  EXPECT_EQ(attributesOf(stale).kind, RT_POINTER_UNKNOWN);
}

TEST_P(MemoryTest, FreeingWhatIsNoAllocationIsInvalid) {
  Memory memory;
  int local = 0;
  ASSERT_RT_OK(rtMalloc(memory.out(), 4096, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(memory.as(1)));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(memory.as(256)));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFreeAsync(memory.as(256), stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(&local));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(garbage<void*>()));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFreeAsync(&local, stream_));
  EXPECT_EQ(attributesOf(memory).kind, RT_POINTER_DEVICE) << "a refused free changes nothing";
}

TEST_P(MemoryTest, FreeingTwiceIsInvalid) {
  for (size_t size : {size_t{16}, size_t{64} << 20}) {
    void* pointer = nullptr;
    ASSERT_RT_OK(rtMalloc(&pointer, size, context_));
    ASSERT_RT_OK(rtFree(pointer));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(pointer));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFreeAsync(pointer, stream_));
    ASSERT_RT_OK(rtMallocHost(&pointer, size, context_));
    ASSERT_RT_OK(rtFree(pointer));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(pointer));
  }
}

TEST_P(MemoryTest, FreeFindsTheOwnerFromAnyThreadWithoutACurrentContext) {
  void* pointer = nullptr;
  ASSERT_RT_OK(rtMalloc(&pointer, 512, context_));
  std::thread([&] { EXPECT_RT_OK(rtFree(pointer)); }).join();
  EXPECT_EQ(attributesOf(pointer).kind, RT_POINTER_UNKNOWN);
}

TEST_P(MemoryTest, AllocationsNeverOverlap) {
  std::vector<Memory> memories(200);
  std::vector<std::pair<uintptr_t, uintptr_t>> ranges;
  for (size_t i = 0; i < memories.size(); ++i) {
    const size_t size = (i * 7919) % 20000 + 1;
    ASSERT_RT_OK(rtMalloc(memories[i].out(), size, context_));
    ranges.emplace_back(reinterpret_cast<uintptr_t>(memories[i].get()), reinterpret_cast<uintptr_t>(memories[i].get()) + size);
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) EXPECT_LE(ranges[i - 1].second, ranges[i].first);
}

TEST_P(MemoryTest, HostAndSharedMemoryAreTheProgramsToo) {
  Memory host;
  ASSERT_RT_OK(rtMallocHost(host.out(), 10000, context_));
  std::memset(host.get(), 0x5A, 10000);
  EXPECT_EQ(host.as()[9999], 0x5A);
  void* device_pointer = nullptr;
  if (reachesPinned()) {
    ASSERT_RT_OK(rtHostGetDevicePointer(&device_pointer, host.as(100), context_));
    EXPECT_NE(device_pointer, nullptr);
  } else {
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtHostGetDevicePointer(&device_pointer, host.as(100), context_));
  }
  if (has(RT_CAPABILITY_SHARED_MEMORY)) {
    Memory shared;
    ASSERT_RT_OK(rtMallocShared(shared.out(), 10000, context_));
    std::memset(shared.get(), 0x5A, 10000);
    EXPECT_EQ(attributesOf(shared.as(1)).kind, RT_POINTER_SHARED);
    ASSERT_RT_OK(rtHostGetDevicePointer(&device_pointer, shared, context_));
  }
  int local = 0;
  device_pointer = garbage<void*>();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtHostGetDevicePointer(&device_pointer, &local, context_));
  EXPECT_EQ(device_pointer, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtHostGetDevicePointer(nullptr, host, context_));
}

// The stream is another context's: it may use the range all the same, as a copy's other side.
TEST_P(MemoryTest, UnregisteringInAHostFunctionOfAStreamThatMayUseTheRangeIsBusy) {
  if (!has(RT_CAPABILITY_HOST_REGISTER)) GTEST_SKIP() << "the device registers no host memory";
  struct Scene {
    std::vector<unsigned char> range = std::vector<unsigned char>(8192);
    rtContext_t context = nullptr;
    std::atomic<bool> copy_given{false};
    rtStatus_t status = RT_SUCCESS;
  } scene;
  scene.context = context_;
  Context other;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  Stream stream;
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 8192, other));
  ASSERT_RT_OK(rtHostRegister(scene.range.data(), 8192, context_));
  ASSERT_RT_OK(rtLaunchHostFunction(
      [](void* user, rtStatus_t) {
        Scene& at = *static_cast<Scene*>(user);
        while (!at.copy_given) std::this_thread::yield();
        at.status = rtHostUnregister(at.range.data(), at.context);
      },
      &scene, stream));
  const rtStatus_t copied = rtMemcpyAsync(memory, scene.range.data(), 8192, RT_MEMCPY_DEFAULT, stream);
  scene.copy_given = true;
  ASSERT_RT_OK(rtStreamSynchronize(stream));
  ASSERT_RT_OK(copied);
  EXPECT_EQ(scene.status, RT_ERROR_BUSY);
  ASSERT_RT_OK(rtHostUnregister(scene.range.data(), context_));
}

TEST_P(MemoryTest, RegisteredMemoryIsKnownUntilItIsUnregistered) {
  std::vector<unsigned char> memory(3 * 4096);
  unsigned char* start = memory.data() + 100;  // no alignment is asked for
  if (!has(RT_CAPABILITY_HOST_REGISTER)) {
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtHostRegister(start, 8000, context_));
    EXPECT_NE(lastMessage().find(GetParam()), std::string::npos) << lastMessage();
    return;
  }
  ASSERT_RT_OK(rtHostRegister(start, 8000, context_));
  const rtPointerAttributes_t attributes = attributesOf(start + 7999);
  EXPECT_EQ(attributes.kind, RT_POINTER_REGISTERED);
  EXPECT_EQ(attributes.base, start);
  EXPECT_EQ(attributes.size, 8000u);
  EXPECT_EQ(attributes.context, context_.get());
  EXPECT_EQ(attributesOf(start + 8000).kind, RT_POINTER_UNKNOWN);
  void* device_pointer = nullptr;
  EXPECT_RT_OK(rtHostGetDevicePointer(&device_pointer, start + 5, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtHostRegister(start + 4000, 8000, context_)) << "overlaps memory that is known";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(start));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtHostUnregister(start + 1, context_));
  Context other;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtHostUnregister(start, other));
  ASSERT_RT_OK(rtHostUnregister(start, context_));
  EXPECT_EQ(attributesOf(start).kind, RT_POINTER_UNKNOWN);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtHostUnregister(start, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtHostRegister(start, 0, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtHostRegister(nullptr, 16, context_));
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto* pages =
      static_cast<unsigned char*>(mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(munmap(pages + page, page), 0);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtHostRegister(pages + page, page, context_));
  EXPECT_NE(lastMessage().find("not mapped"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtHostRegister(pages, 3 * page, context_)) << "a hole in the middle";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtHostRegister(pages + page - 1, 2, context_)) << "the last byte";
  EXPECT_RT_OK(rtHostRegister(pages + 1, page - 1, context_));
  EXPECT_RT_OK(rtHostUnregister(pages + 1, context_));
  munmap(pages, page);
  munmap(pages + 2 * page, page);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtHostRegister(start, SIZE_MAX, context_)) << "wraps around";
}

TEST_P(MemoryTest, MemGetInfoCountsWhatOurPoolsHoldAsFree) {
  uint64_t free_bytes = 0;
  uint64_t total_bytes = 0;
  ASSERT_RT_OK(rtMemGetInfo(&free_bytes, &total_bytes, context_));
  EXPECT_GT(total_bytes, 0u);
  EXPECT_LE(free_bytes, total_bytes);
  EXPECT_RT_OK(rtMemGetInfo(nullptr, &total_bytes, nullptr));
  EXPECT_RT_OK(rtMemGetInfo(&free_bytes, nullptr, nullptr));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemGetInfo(&free_bytes, &total_bytes, garbage<rtContext_t>()));
  EXPECT_EQ(free_bytes, 0u);
  EXPECT_EQ(total_bytes, 0u);
}

// Unused memory of pinned pools is no memory of the device.
TEST_P(MemoryTest, MemGetInfoDoesNotCountPinnedPools) {
  NEEDS_POOLS();
  constexpr uint64_t kBytes = uint64_t{512} << 20;
  for (int32_t kind : {RT_MEMORY_HOST, RT_MEMORY_DEVICE}) {
    // On devices whose memory is the host's the driver's own figure moves with what other programs do. Pools that are reserved
    // and not touched do not move it, so that the counted part shows.
    Pool pool;
    rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
    options.kind = kind;
    options.initial_bytes = kBytes;
    uint64_t before = 0, after = 0, driver_before = 0, driver_after = 0, total = 0;
    ASSERT_RT_OK(rtDeviceGetMemInfo(&driver_before, &total, device_));
    ASSERT_RT_OK(rtMemGetInfo(&before, &total, context_));
    if (rtMemPoolCreate(pool.out(), &options, context_) != RT_SUCCESS) continue;
    ASSERT_RT_OK(rtDeviceGetMemInfo(&driver_after, &total, device_));
    ASSERT_RT_OK(rtMemGetInfo(&after, &total, context_));
    if (driver_before + kBytes > total) continue;  // the sum is cut off at the total
    const auto pools_before = static_cast<int64_t>(before - driver_before),
               pools_after = static_cast<int64_t>(after - driver_after);
    const int64_t gained = pools_after - pools_before;
    if (kind == RT_MEMORY_HOST) {
      EXPECT_LT(gained, static_cast<int64_t>(kBytes / 2));
    } else {
      EXPECT_GT(gained, static_cast<int64_t>(kBytes / 2));
    }
  }
}

TEST_P(MemoryTest, OneContextsMemoryDoesNotEndWithAnothers) {
  Memory memory;
  {
    Context other;
    ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
    ASSERT_RT_OK(rtMalloc(memory.out(), 4096, context_));
  }
  EXPECT_EQ(attributesOf(memory).context, context_.get());
  EXPECT_RT_OK(rtMemset(memory, 1, 4096));
}

}  // namespace
}  // namespace rttest
