// Makes the slots of an exec, from the values of its graph and the buffers that its kernels name. They have no value yet, but
// for what a value is at first.
#include "graph/exec/slots.h"

#include <cstring>

namespace manyrt::graph {

uint32_t Slots::add(uint32_t size) {
  slots_.push_back({std::make_unique<unsigned char[]>(size), size});  // new[] aligns to 16, as kernels want values
  return static_cast<uint32_t>(slots_.size() - 1);
}

void Slots::addValues(const std::vector<Value>& values) {
  for (const Value& value : values) {
    const uint32_t slot = add(value.size);
    if (value.initial.empty()) continue;
    memcpy(at(slot), value.initial.data(), value.size);
  }
}

void Slots::addAddress(uint32_t buffer, uint64_t offset) {
  if (addresses_.contains({buffer, offset})) return;
  addresses_[{buffer, offset}] = add(sizeof(void*));
}

uint32_t Slots::ofAddress(uint32_t buffer, uint64_t offset) const {
  const auto found = addresses_.find({buffer, offset});
  return found == addresses_.end() ? backend::kNoSlot : found->second;
}

std::vector<backend::Slot> Slots::list() const {
  std::vector<backend::Slot> all;
  for (const Place& slot : slots_) all.push_back({slot.memory.get(), slot.size});
  return all;
}

}  // namespace manyrt::graph
