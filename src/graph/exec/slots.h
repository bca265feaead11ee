// The values that steps of an exec share. They are the address of each buffer at each offset that kernels name, and each named
// value of the graph. A step points to the slot, so that one write changes what every step gets. An exec makes its slots when
// it is made; their places stay. Under the lock of the exec.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/replay.h"
#include "graph/model/node.h"

namespace manyrt::graph {

class Slots {
 public:
  // The values of the graph get the first slots, in their order. Throws bad_alloc.
  void addValues(const std::vector<Value>& values);
  // For an address; a second one for the same place is none. Throws bad_alloc.
  void addAddress(uint32_t buffer, uint64_t offset);

  static uint32_t ofValue(uint32_t value) { return value; }
  uint32_t ofAddress(uint32_t buffer, uint64_t offset) const;  // kNoSlot: there is none
  void* at(uint32_t slot) const { return slots_[slot].memory.get(); }
  uint32_t sizeOf(uint32_t slot) const { return slots_[slot].size; }

  // Visits the slots of a buffer with their offsets.
  template <class Visitor>
  void forEachAddress(uint32_t buffer, Visitor visit) const {
    for (auto each = addresses_.lower_bound({buffer, 0}); each != addresses_.end() && each->first.first == buffer; ++each) {
      visit(each->second, each->first.second);
    }
  }
  void point(uint32_t buffer, char* pointer) const {  // null: not bound
    forEachAddress(buffer, [&](uint32_t slot, uint64_t offset) {
      char* const address = pointer == nullptr ? nullptr : pointer + offset;
      memcpy(at(slot), &address, sizeof address);
    });
  }
  std::vector<backend::Slot> list() const;  // throws bad_alloc

 private:
  uint32_t add(uint32_t size);
  struct Place {
    std::unique_ptr<unsigned char[]> memory;
    uint32_t size;
  };
  std::vector<Place> slots_;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> addresses_;  // by buffer and offset
};

}  // namespace manyrt::graph
