// Each kind of memory by the call that makes it in the device's tier; a failure names the size and the limit it met.
#include "backends/opencl/memory/memory.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include "backends/opencl/device.h"
#include "backends/opencl/error.h"
#include "backends/opencl/memory/address_window.h"
#include "base/checked.h"
#include "base/lock_order.h"

namespace manyrt::opencl {
namespace {

using Number = unsigned long long;

constexpr uint64_t kAlignment = 256;        // of every allocation, at least
constexpr uint64_t kDriverAlignment = 128;  // that drivers give without being asked: of the largest type

// Memory::tag: how the memory came about. With kAddresses, native[1] is the address that the driver gave.
enum Tag : uint64_t { kRoot = 1, kHostRoot, kPlain, kAddresses };

Status tooLarge(const Device& device, uint64_t size) {
  return Status::error(RT_ERROR_OUT_OF_MEMORY,
                       "An allocation of %llu bytes is larger than opencl:%d makes: at most %llu bytes at once.",
                       static_cast<Number>(size), device.ordinal(), static_cast<Number>(device.facts().max_allocation_bytes));
}

Status outOfMemory(const Device& device, uint64_t size) {
  return Status::error(RT_ERROR_OUT_OF_MEMORY,
                       "An allocation of %llu bytes failed on opencl:%d, which has %llu bytes of memory.",
                       static_cast<Number>(size), device.ordinal(), static_cast<Number>(device.facts().memory_bytes));
}

// A failure of want of memory says how much was wanted; any other is the driver's.
Status allocationFailure(Device& device, const char* call, Error error, uint64_t size) {
  Status status = device.failed(call, error);
  if (status.code() != RT_ERROR_OUT_OF_MEMORY) return status;
  return outOfMemory(device, size);
}

// NVIDIA's driver (580) fails for good once two threads allocate or free shared virtual memory at a time.
Ranked<std::mutex, LockRank::kClSvmTurns> svm_turns;

void freeAddresses(const Device& device, cl_context context, void* given) {
  if (device.tier() == RT_MEMORY_TIER_USM) {
    (void)RT_CL_PLAIN_VIA(device.extensions(), clMemFreeINTEL, context, given);
  } else {
    std::lock_guard turn(svm_turns);
    RT_CL_PLAIN_VIA(device.extensions(), clSVMFree, context, given);
  }
}

// The driver's own addresses.
Status allocateAddresses(backend::Memory* memory, Device& device, int32_t kind, uint64_t size, uint64_t alignment) {
  cl_context context;
  RT_TRY(device.context(&context));
  uint64_t bytes;
  if (addOverflows(size, alignment > kDriverAlignment ? alignment : 0, &bytes)) return tooLarge(device, size);
  // As with CUDA, a larger alignment is cut out of a larger allocation, and native[1] keeps the driver's own address. The
  // device lists the whole allocation last; without memory for that, it is freed again.
  const Extensions& calls = device.extensions();
  const bool usm = device.tier() == RT_MEMORY_TIER_USM;
  Error error = CL_SUCCESS;
  void* given = nullptr;
  const char* call = "clSVMAlloc";
  if (!usm) {
    // Only fine-grained memory may be touched by the host and a kernel without a map between them.
    const bool fine = kind != RT_MEMORY_DEVICE && device.fineGrained();
    const cl_bitfield flags = CL_MEM_READ_WRITE | (fine ? kSvmAllocFineGrain : 0);
    std::lock_guard turn(svm_turns);
    given = fault::fails("clSVMAlloc") ? nullptr : RT_CL_PLAIN_VIA(calls, clSVMAlloc, context, flags, bytes, 0);
    if (given == nullptr) return outOfMemory(device, size);
  } else if (kind == RT_MEMORY_HOST) {
    call = "clHostMemAllocINTEL";
    given = RT_CL_MAKE_VIA(calls, &error, clHostMemAllocINTEL, context, nullptr, bytes, 0);
  } else if (kind == RT_MEMORY_SHARED) {
    call = "clSharedMemAllocINTEL";
    given = RT_CL_MAKE_VIA(calls, &error, clSharedMemAllocINTEL, context, device.id(), nullptr, bytes, 0);
  } else {
    call = "clDeviceMemAllocINTEL";
    given = RT_CL_MAKE_VIA(calls, &error, clDeviceMemAllocINTEL, context, device.id(), nullptr, bytes, 0);
  }
  if (error != CL_SUCCESS) return allocationFailure(device, call, error, size);
  const auto first = reinterpret_cast<uintptr_t>(given);
  // Without extra bytes the driver's own alignment is enough.
  const uintptr_t address = bytes == size ? first : (first + alignment - 1) & ~(alignment - 1);
  *memory = {reinterpret_cast<void*>(address), size, kind, {address, first}, kAddresses, kind != RT_MEMORY_DEVICE};
  try {
    // Last: a launch names all memory of the list to the driver.
    device.noteAddresses(given, bytes);
    return Status();
  } catch (const std::bad_alloc&) {  // the driver's memory has to go back
    freeAddresses(device, context, given);
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
}

Status allocateRoot(backend::Memory* memory, Device& device, int32_t kind, uint64_t size, uint64_t alignment) {
  cl_context context;
  RT_TRY(device.context(&context));
  Root* root = nullptr;
  Status status = createRoot(&root, context, size, alignment, nullptr);
  if (!status.ok()) return status.code() == RT_ERROR_OUT_OF_MEMORY ? outOfMemory(device, size) : status;
  *memory = {reinterpret_cast<void*>(root->address), size, kind, {reinterpret_cast<uintptr_t>(root->memory), 0}, kRoot, false};
  return Status();
}

// Memory of the host. In the buffer tier a root lies over it, where kernels can use that.
Status allocatePlain(backend::Memory* memory, Device& device, uint64_t size, uint64_t alignment) {
  uint64_t rounded;
  if (fault::fails("opencl.malloc") || roundUpOverflows(size, alignment, &rounded)) return outOfMemory(device, size);
  // The C library's memory serves as pinned memory: OpenCL 1.2 has no call that pins without a map.
  void* bytes = aligned_alloc(alignment, rounded);
  if (bytes == nullptr) return outOfMemory(device, size);
  const auto address = reinterpret_cast<uintptr_t>(bytes);
  *memory = {bytes, size, RT_MEMORY_HOST, {address, 0}, kPlain, true};
  // In the other tiers, kernels reach the memory by its address or not at all.
  if (device.tier() != RT_MEMORY_TIER_BUFFER || !device.reachesPinned()) return Status();
  cl_context context;
  Root* root = nullptr;
  Status status = device.context(&context);
  if (status.ok()) status = createRoot(&root, context, size, alignment, bytes);
  if (status.ok()) {
    try {
      status = device.hostRoots().add(root);
      memory->tag = kHostRoot;
      return status;
    } catch (const std::bad_alloc&) {  // the root has to go back
      status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
    delete root;
  }
  free(bytes);
  return status;
}

}  // namespace

Status allocateBuffer(backend::Memory* memory, Device& device, int32_t kind, uint64_t size, uint64_t alignment) {
  RT_TRY(device.lost());
  if (alignment < kAlignment) alignment = kAlignment;
  // Drivers may accept more and fail at the first use.
  if (size > device.facts().max_allocation_bytes) return tooLarge(device, size);
  Status status;
  if (device.tier() == RT_MEMORY_TIER_BUFFER) {
    status = kind == RT_MEMORY_HOST ? allocatePlain(memory, device, size, alignment)
                                    : allocateRoot(memory, device, kind, size, alignment);
  } else {
    status = kind == RT_MEMORY_HOST && !device.reachesPinned() ? allocatePlain(memory, device, size, alignment)
                                                               : allocateAddresses(memory, device, kind, size, alignment);
  }
  // For memInfo(): OpenCL has no query for free memory.
  if (status.ok() && kind != RT_MEMORY_HOST) device.countMemory(static_cast<int64_t>(size));
  return status;
}

void releaseBuffer(const backend::Memory& memory, Device& device) {
  if (memory.kind != RT_MEMORY_HOST) device.countMemory(-static_cast<int64_t>(memory.size));
  switch (memory.tag) {
    case kRoot:
      destroyRoot(locationOf(memory.address).root);
      return;
    case kHostRoot:
      delete device.hostRoots().remove(reinterpret_cast<uintptr_t>(memory.address));
      free(memory.address);
      return;
    case kPlain:
      free(memory.address);
      return;
    default:
      break;
  }
  cl_context context;
  if (!device.context(&context).ok()) return;
  auto* given = reinterpret_cast<void*>(memory.native[1]);
  // Before it is freed: a launch names all addresses in the list to the driver.
  device.forgetAddresses(given);
  freeAddresses(device, context, given);
}

Status importBuffer(backend::Memory* memory, Device& device, const uint64_t native[2], uint64_t size) {
  auto given = reinterpret_cast<cl_mem>(native[0]);
  if (given == nullptr) return Status::error(RT_ERROR_NOT_FOUND, "0 is no cl_mem.");
  if (AddressWindow::instance().contains(reinterpret_cast<uintptr_t>(given))) {  // also of memory that was freed
    return Status::error(RT_ERROR_NOT_FOUND, "%p is an address, and no cl_mem: opencl:%d imports memory as cl_mem and offset.",
                         static_cast<void*>(given), device.ordinal());
  }
  cl_context own, theirs = nullptr;
  RT_TRY(device.context(&own));
  RT_CL_TRY(clGetMemObjectInfo, given, CL_MEM_CONTEXT, sizeof theirs, &theirs, nullptr);
  if (own != theirs)
    return Status::error(RT_ERROR_NOT_FOUND, "The cl_mem belongs to another cl_context than that of opencl:%d.",
                         device.ordinal());
  size_t bytes = 0;
  RT_CL_TRY(clGetMemObjectInfo, given, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  RT_CHECK_ARG(native[1] <= bytes && size <= bytes - native[1], "%llu bytes at offset %llu leave the cl_mem of %zu bytes.",
               static_cast<Number>(size), static_cast<Number>(native[1]), bytes);
  Root* root = nullptr;
  // The whole cl_mem, so that a kernel's offsets inside it are right. The program's part begins at native[1].
  RT_TRY(borrowRoot(&root, given, bytes));
  *memory = {reinterpret_cast<void*>(root->address + native[1]), size, RT_MEMORY_DEVICE, {native[0], native[1]}, kRoot, false};
  device.countMemory(static_cast<int64_t>(size));  // release takes it back
  return Status();
}

}  // namespace manyrt::opencl
