// What the kernels of all backends share: the layout of their arguments.
#include "backends/backend.h"
#include "base/text.h"

namespace manyrt::backend {

bool Kernel::describe(const rtHostKernel_t& host, uint32_t device_max_group_items) {
  constexpr uint32_t kLargestAlignment = 16;
  arguments_.reserve(host.arg_count);
  uint32_t offset = 0;
  for (uint32_t i = 0; i < host.arg_count; ++i) {
    uint32_t size = host.args[i].kind == RT_ARG_VALUE ? host.args[i].size : 8;
    uint32_t alignment = 1;
    while (alignment < size && alignment < kLargestAlignment) alignment *= 2;
    offset = (offset + alignment - 1) & ~(alignment - 1);
    arguments_.push_back({size, host.args[i].kind, offset});
    offset += size;
    has_pointers_ = has_pointers_ || host.args[i].kind == RT_ARG_POINTER;
    has_locals_ = has_locals_ || host.args[i].kind == RT_ARG_LOCAL;
  }
  argument_bytes_ = (offset + kLargestAlignment - 1) & ~(kLargestAlignment - 1);
  max_group_items_ = host.max_group_items == 0 ? device_max_group_items : host.max_group_items;
  if (max_group_items_ > device_max_group_items) max_group_items_ = device_max_group_items;
  if (host.name != nullptr) copyLetters(name_, sizeof name_, host.name);
  return true;
}

}  // namespace manyrt::backend
