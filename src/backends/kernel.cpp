// The part of a kernel that all backends share: the layout of its arguments.
#include "backends/backend.h"
#include "base/text.h"
#include "base/trace.h"

namespace manyrt::backend {

void Kernel::addArgument(uint32_t size, int32_t kind) {
  // As a C compiler aligns scalars and vectors, so that a backend may hand out addresses into the packed values.
  constexpr uint32_t kMaxAlignment = 16;
  uint32_t alignment = 1;
  while (alignment < size && alignment < kMaxAlignment) alignment *= 2;
  const uint32_t end = arguments_.empty() ? 0 : arguments_.back().offset + arguments_.back().size;
  const uint32_t offset = (end + alignment - 1) & ~(alignment - 1);
  arguments_.push_back({size, kind, offset});
  // Noted once, so that a launch of a kernel without any looks at no argument.
  has_pointers_ = has_pointers_ || kind == RT_ARG_POINTER;
  has_locals_ = has_locals_ || kind == RT_ARG_LOCAL;
  argument_bytes_ = (offset + size + kMaxAlignment - 1) & ~(kMaxAlignment - 1);
}

void Kernel::limitGroup(uint32_t max_group_items, uint32_t device_max_group_items) {
  const bool own = max_group_items != 0 && max_group_items < device_max_group_items;
  // The release pairs with maxGroupItems(): what prepare() found out before is there for a thread that reads a number.
  max_group_items_.store(own ? max_group_items : device_max_group_items, std::memory_order_release);
}

// Every thread that finds none keeps the same text. The release publishes its letters to the acquire of another one.
const char* Kernel::kept(std::atomic<const char*>& place, const char* text) {
  const char* known = place.load(std::memory_order_acquire);
  if (known == nullptr) {
    known = trace::keep(text);
    place.store(known, std::memory_order_release);
  }
  return known;
}

void Kernel::describeCode(rtKernelInfo_t* info) const {
  info->tier = RT_TIER_READY_MADE;
  info->lane_dimension = -1;
}

bool Kernel::describe(const rtHostKernel_t& host, uint32_t device_max_group_items) {
  arguments_.reserve(host.arg_count);
  for (uint32_t i = 0; i < host.arg_count; ++i) {
    addArgument(host.args[i].kind == RT_ARG_VALUE ? host.args[i].size : 8, host.args[i].kind);
  }
  limitGroup(host.max_group_items, device_max_group_items);
  if (host.name != nullptr) copyLetters(name_, sizeof name_, host.name);
  return true;
}

}  // namespace manyrt::backend
