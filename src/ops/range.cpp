// Finds the region of an address, checks that a range stays inside its allocation, and whether a stream can reach it.
#include "ops/range.h"

#include "manager/context.h"
#include "manager/device.h"

namespace manyrt::ops {

bool Range::hostSide() const { return !deviceSide() || allocation.region->memory().kind == RT_MEMORY_SHARED; }

namespace {

using Number = unsigned long long;

[[gnu::noinline]] Status badRange(const void* pointer, uint64_t size, const char* word) {
  RT_CHECK_ARG(pointer != nullptr, "The %s is NULL, the size is %llu bytes.", word, static_cast<Number>(size));
  return Status::error(RT_ERROR_INVALID_VALUE, "The %s of %llu bytes at %p leaves the address space.", word,
                       static_cast<Number>(size), pointer);
}

[[gnu::noinline]] Status notLive(const void* pointer, const char* word) {
  return Status::error(RT_ERROR_INVALID_VALUE,
                       "The %s at %p is not inside a live allocation: it was freed, or lies beside one.", word, pointer);
}

[[gnu::noinline]] Status leaves(const Range& range, const char* word) {
  return Status::error(RT_ERROR_INVALID_VALUE, "The %s of %llu bytes at offset %llu leaves the allocation of %llu bytes at %p.",
                       word, static_cast<Number>(range.size), static_cast<Number>(range.address - range.allocation.base),
                       static_cast<Number>(range.allocation.size), reinterpret_cast<void*>(range.allocation.base));
}

}  // namespace

Status findRange(Range* range, const void* pointer, uint64_t size, const char* word) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  range->address = address;
  range->size = size;
  if (address == 0 || address + size < address) [[unlikely]]
    return badRange(pointer, size, word);
  allocator::Region* region = allocator::address_map::find(pointer);
  if (region == nullptr) return Status();  // the program's own memory
  allocator::Block* block = region->blockAt(address);
  if (block == nullptr || block->state.load(std::memory_order_acquire) != allocator::Block::kLive) [[unlikely]]
    return region->isProgramMemoryAgain() ? Status() : notLive(pointer, word);
  const uintptr_t base = region->addressOf(*block);
  if (address - base >= block->size) [[unlikely]]
    return notLive(pointer, word);
  range->allocation = {region, block, base, block->size};
  if (size > block->size - (address - base)) [[unlikely]]
    return leaves(*range, word);
  return Status();
}

std::string holderOf(const allocator::Region& region) {
  const HandleBits context = toBits(region.resources().contextHandle());
  const manager::Device* device = manager::devices.find(toBits(region.resources().deviceHandle()));
  if (device == nullptr || manager::contexts.find(context) != nullptr) return manager::contextText(context);
  return "a context of " + device->name() + " that was destroyed";
}

bool reachable(const allocator::Region& region, allocator::ContextResources& resources) {
  if (&region.resources() == &resources) return true;
  const backend::Device& device = resources.device();
  if (&region.resources().device() == &device) return true;
  if (region.memory().host_visible && device.limits().reaches_host) return true;
  return resources.reachesPeer(region.resources());
}

bool copyable(const Range& range, const allocator::ContextResources& resources) {
  if (!range.known() || range.resources() == &resources) return true;
  if (range.allocation.region->memory().host_visible && resources.device().limits().copies_host) return true;
  return resources.device().copiesPeer(range.resources()->device());
}

void noteUse(const Range& range, manager::Stream& stream) {
  if (!range.known() || &range.allocation.region->resources() == stream.resources.get()) return;
  range.allocation.region->noteUse(stream.native, stream.native->submitted());
}

}  // namespace manyrt::ops
