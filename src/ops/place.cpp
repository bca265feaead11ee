// Looking addresses up: whose they are, whether a range stays inside, and whether a stream can reach it.
#include "ops/place.h"

#include "manager/device.h"

namespace manyrt::ops {

bool Range::deviceSide() const {
  if (!known()) return false;
  const allocator::Region& region = *place.region;
  if (region.kind() == allocator::Region::Kind::kRegistered) return false;
  return region.memory().kind != RT_MEMORY_HOST;
}

bool Range::hostSide() const { return !deviceSide() || place.region->memory().kind == RT_MEMORY_SHARED; }

Status findRange(Range* range, const void* pointer, uint64_t size, const char* word) {
  range->address = reinterpret_cast<uintptr_t>(pointer);
  range->size = size;
  uint64_t end;
  RT_CHECK_ARG(pointer != nullptr, "The %s is NULL, the size is %llu bytes.", word, static_cast<unsigned long long>(size));
  RT_CHECK_ARG(!__builtin_add_overflow(range->address, size, &end), "The %s of %llu bytes at %p leaves the address space.",
               word, static_cast<unsigned long long>(size), pointer);
  range->place = allocator::address_map::locate(pointer);
  if (!range->known()) {
    allocator::Region* region = allocator::address_map::find(pointer);
    RT_CHECK_ARG(region == nullptr, "The %s at %p is not inside a live allocation: it was freed, or lies beside one.", word,
                 pointer);
    return Status();
  }
  uint64_t offset = range->address - range->place.base;
  RT_CHECK_ARG(size <= range->place.size - offset,
               "The %s of %llu bytes at offset %llu leaves the allocation of %llu bytes at %p.", word,
               static_cast<unsigned long long>(size), static_cast<unsigned long long>(offset),
               static_cast<unsigned long long>(range->place.size), reinterpret_cast<void*>(range->place.base));
  return Status();
}

bool reachable(const allocator::Region& region, const manager::Stream& stream) {
  if (&region.owner() == stream.owner.get()) return true;
  const backend::Device& device = stream.owner->device();
  if (&region.owner().device() == &device) return true;
  return region.memory().host_visible && device.limits().reaches_host;
}

void noteUse(const Range& range, manager::Stream& stream) {
  if (!range.known() || &range.place.region->owner() == stream.owner.get()) return;
  range.place.region->noteUse(stream.native, stream.native->submitted());
}

}  // namespace manyrt::ops
