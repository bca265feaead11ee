// Each kind of memory by the call of the runtime that makes it.
#include "backends/cuda/memory.h"

#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "base/checked.h"
#include "base/log.h"

namespace manyrt::cuda {
namespace {

constexpr uint64_t kAlignment = 256;  // of every allocation of the driver, at least

using Number = unsigned long long;

// The call of the runtime for a kind of memory.
Error allocateKind(void** address, int32_t kind, uint64_t bytes, const char** call) {
  switch (kind) {
    case RT_MEMORY_HOST:
      *call = "cudaHostAlloc";
      return RT_CUDA_CALL(cudaHostAlloc, address, bytes, kHostAllocPortable);
    case RT_MEMORY_SHARED:
      *call = "cudaMallocManaged";
      return RT_CUDA_CALL(cudaMallocManaged, address, bytes, kManagedAttachGlobal);
    default:
      *call = "cudaMalloc";
      return RT_CUDA_CALL(cudaMalloc, address, bytes);
  }
}

Error freeKind(void* address, int32_t kind) {
  return kind == RT_MEMORY_HOST ? table().cudaFreeHost(address) : table().cudaFree(address);
}

// Whether the driver has mapped the memory at an address, as it does for ranges. Then it may be one of several pieces.
bool isMapped(DriverAddress address) {
  MemoryHandle handle = 0;
  // Succeeds for mapped memory only, and takes a reference, which is given back at once.
  const auto retain = table().cuMemRetainAllocationHandle;
  if (retain == nullptr || retain(&handle, reinterpret_cast<void*>(static_cast<uintptr_t>(address))) != kSuccess) return false;
  (void)table().cuMemRelease(handle);
  return true;
}

// Bytes around `address` that the driver has mapped or allocated at once.
bool findAround(DriverAddress address, DriverAddress* base, uint64_t* bytes) {
  size_t size = 0;
  if (table().cuMemGetAddressRange(base, &size, address) != kSuccess) return false;
  *bytes = size;
  return true;
}

}  // namespace

Status outOfMemory(Device& device, uint64_t size) {
  size_t free_now = 0, total = 0;
  if (table().cudaMemGetInfo(&free_now, &total) != kSuccess) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "An allocation of %llu bytes failed on cuda:%d.", static_cast<Number>(size),
                         device.ordinal());
  }
  return Status::error(RT_ERROR_OUT_OF_MEMORY,
                       "An allocation of %llu bytes failed on cuda:%d; %llu of its %llu bytes are free.",
                       static_cast<Number>(size), device.ordinal(), static_cast<Number>(free_now), static_cast<Number>(total));
}

// The driver aligns to kAlignment, and large memory to its pages. For more, enough is asked for to cut an aligned block out of
// it; `tag` keeps the driver's own address for the release.
Status allocateBuffer(backend::Memory* memory, Device& device, int32_t kind, uint64_t size, uint64_t alignment) {
  void* address = nullptr;
  const char* call = "";
  Error error = allocateKind(&address, kind, size, &call);
  uint64_t given = reinterpret_cast<uintptr_t>(address);
  if (error == kSuccess && alignment > kAlignment && given % alignment != 0) {
    // Most memory is aligned as wanted. Only the rare other case asks for more than it needs.
    (void)freeKind(address, kind);
    uint64_t bytes;
    if (addOverflows(size, alignment, &bytes)) return outOfMemory(device, size);
    error = allocateKind(&address, kind, bytes, &call);
    given = reinterpret_cast<uintptr_t>(address);
  }
  if (error == kOutOfMemory) {
    // Expected, and told with the sizes: it must not be found by the program's next query.
    (void)table().cudaGetLastError();
    return outOfMemory(device, size);
  }
  if (error != kSuccess) return device.failed(call, error);
  const uint64_t aligned = alignment > kAlignment ? (given + alignment - 1) & ~(alignment - 1) : given;
  memory->address = reinterpret_cast<void*>(aligned);
  memory->size = size;
  memory->kind = kind;
  memory->native[0] = aligned;
  memory->native[1] = 0;
  // The release needs the driver's own address, which a larger alignment has moved.
  memory->tag = given;
  memory->host_visible = kind != RT_MEMORY_DEVICE;
  return Status();
}

void releaseBuffer(const backend::Memory& memory, Device& device) {
  if (memory.tag == kBorrowed) return;
  if (memory.tag == kReserved) return device.ranges()->release(memory);
  const Error error = freeKind(reinterpret_cast<void*>(memory.tag), memory.kind);
  if (error == kSuccess || error == kUnloading) return;
  const Status status = device.failed(memory.kind == RT_MEMORY_HOST ? "cudaFreeHost" : "cudaFree", error);
  if (!device.isLost())
    log::write(RT_LOG_ERROR, "Memory of cuda:%d was not given back: %s", device.ordinal(), status.message());
}

Status registerRange(Device& device, void* pointer, uint64_t size, void** device_pointer) {
  // Portable and mapped: any context of CUDA may copy it, and kernels reach it by an address.
  Error error = RT_CUDA_CALL(cudaHostRegister, pointer, size, kHostRegisterPortable | kHostRegisterMapped);
  if (error != kSuccess) return device.failed("cudaHostRegister", error);
  error = RT_CUDA_CALL(cudaHostGetDevicePointer, device_pointer, pointer, 0);
  if (error == kSuccess) return Status();
  Status status = device.failed("cudaHostGetDevicePointer", error);
  (void)table().cudaHostUnregister(pointer);
  return status;
}

Status importBuffer(backend::Memory* memory, Device& device, uint64_t address, uint64_t size) {
  PointerAttributes facts = {};
  const Error error = RT_CUDA_CALL(cudaPointerGetAttributes, &facts, reinterpret_cast<void*>(address));
  if (error != kSuccess || facts.type == kMemoryUnregistered) {
    if (error != kSuccess) (void)device.failed("cudaPointerGetAttributes", error);
    return Status::error(RT_ERROR_NOT_FOUND, "0x%llx is not memory that CUDA knows.", static_cast<Number>(address));
  }
  // Memory belongs to one device, also where peers reach it.
  if (facts.type == kMemoryDevice && facts.device != device.ordinal()) {
    return Status::error(RT_ERROR_NOT_FOUND, "0x%llx is memory of cuda:%d, not of cuda:%d.", static_cast<Number>(address),
                         facts.device, device.ordinal());
  }
  DriverAddress base = 0, piece = 0;
  uint64_t bytes = 0, more = 0;
  // The driver has ranges of device and managed memory. The end of pinned memory is the program's word.
  if (facts.type != kMemoryHost && findAround(address, &base, &bytes)) {
    const uint64_t offset = address - base;
    // Mapped memory may consist of many pieces that follow each other, such as those of another library's growing pool. The
    // piece before has to be mapped too: plain allocations that follow each other are two objects.
    while (size > bytes - offset && isMapped(base + bytes - 1) && isMapped(base + bytes) &&
           findAround(base + bytes, &piece, &more) && piece == base + bytes && more != 0) {
      bytes += more;
    }
    RT_CHECK_ARG(offset <= bytes && size <= bytes - offset,
                 "%llu bytes at 0x%llx leave the CUDA allocation of %llu bytes at 0x%llx.", static_cast<Number>(size),
                 static_cast<Number>(address), static_cast<Number>(bytes), base);
  }
  memory->address = reinterpret_cast<void*>(address);
  memory->size = size;
  memory->kind = facts.type == kMemoryHost      ? RT_MEMORY_HOST
                 : facts.type == kMemoryManaged ? RT_MEMORY_SHARED
                                                : RT_MEMORY_DEVICE;
  memory->native[0] = address;
  memory->native[1] = 0;
  memory->tag = kBorrowed;
  // Managed and pinned memory have one address on both sides.
  memory->host_visible = facts.type != kMemoryDevice;
  return Status();
}

bool isPageable(const void* pointer) {
  PointerAttributes facts = {};
  // Where CUDA gives no answer, the copy itself does, with its own failure.
  if (table().cudaPointerGetAttributes(&facts, pointer) != kSuccess) {
    (void)table().cudaGetLastError();
    return false;
  }
  return facts.type == kMemoryUnregistered;
}

}  // namespace manyrt::cuda
