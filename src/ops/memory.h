// Allocates, frees, registers and imports memory, and answers questions about addresses. Pools and regions belong to
// src/allocator. This layer acts when a pool has no memory left.
#pragma once

#include "allocator/pool.h"
#include "base/handles/epoch.h"
#include "base/status.h"
#include "manager/context.h"
#include "manager/pool.h"
#include "manager/stream.h"

namespace manyrt::ops {

struct AllocationRequest {
  uint64_t size;
  uint64_t alignment = 0;  // 0: 256
  const char* label = "";
  manager::Stream* stream = nullptr;  // null: usable at once on any stream
};

// The label of a new allocation, for the report of a crash. No label, or no memory: does nothing.
void noteLabel(const void* pointer, const char* label);

// Allocates from a pool of this context, which the guard or the caller keeps. Leaves the guard if the pool has no memory. Size
// 0: null and success. BUSY during a reset of the context.
Status allocate(void** pointer, const AllocationRequest& request, allocator::Pool& pool, manager::Context& context,
                epoch::Guard& guard);
Status allocate(void** pointer, const AllocationRequest& request, int32_t kind, manager::Context& context, epoch::Guard& guard);
// Frees in the order of `stream`; null: every stream may still use the memory.
Status free(void* pointer, manager::Stream* stream);

Status registerHost(void* pointer, uint64_t size, manager::Context& context);
Status unregisterHost(void* pointer, manager::Context& context, epoch::Guard& guard);
Status hostDevicePointer(void** device_pointer, void* host, manager::Context& context);
// The owner of imported memory is told, by `release` if that is not null, when the library has done with it.
struct ImportOwner {
  void* user;
  rtReleaseFunction_t release;
};
Status importMemory(void** pointer, const uint64_t native[2], uint64_t size, ImportOwner told, manager::Context& context);
Status attributes(rtPointerAttributes_t* attributes, const void* pointer);
Status nativeOf(uint64_t native[2], const void* pointer);
Status memInfo(uint64_t* free_bytes, uint64_t* total_bytes, manager::Context& context);
Status reset(manager::Context& context, epoch::Guard& guard);

}  // namespace manyrt::ops
