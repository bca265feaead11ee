// A range of addresses and its allocation: the checks that copies, fills and launches share.
#pragma once

#include <string>

#include "allocator/address_map.h"
#include "base/status.h"
#include "manager/stream.h"

namespace manyrt::ops {

// A range of an operation. Memory that no region knows is the program's own.
struct Range {
  Range() {}  // findRange fills it

  allocator::address_map::Allocation allocation;
  uintptr_t address;
  uint64_t size;

  bool known() const { return static_cast<bool>(allocation); }
  allocator::ContextResources* resources() const { return known() ? &allocation.region->resources() : nullptr; }
  bool deviceSide() const {  // device or shared memory
    return known() && allocation.region->memory().kind != RT_MEMORY_HOST;
  }
  bool hostSide() const;  // everything but device memory
};

// RT_MEMCPY_* of a copy by what its sides are.
inline int32_t copyKind(bool to_device, bool from_device) {
  return RT_MEMCPY_HOST_TO_HOST + (to_device ? 1 : 0) + (from_device ? 2 : 0);
}
inline int32_t copyKind(const Range& dst, const Range& src) { return copyKind(dst.deviceSide(), src.deviceSide()); }

// The context of a region for a message: "the context 3 of opencl:0".
std::string holderOf(const allocator::Region& region);

// Finds the range and checks that it stays inside its allocation. `word` names it: "source", "destination".
Status findRange(Range* range, const void* pointer, uint64_t size, const char* word);
// Whether kernels, fills and prefetches of this stream can use an address inside the region.
bool reachable(const allocator::Region& region, allocator::ContextResources& resources);
inline bool reachable(const allocator::Region& region, const manager::Stream& stream) {
  return reachable(region, *stream.resources);
}
// Whether copies on streams of these resources can use the range. They can always use memory that no region knows.
bool copyable(const Range& range, const allocator::ContextResources& resources);
// Called after a submission: the memory is not reused before the stream has come here.
void noteUse(const Range& range, manager::Stream& stream);

}  // namespace manyrt::ops
