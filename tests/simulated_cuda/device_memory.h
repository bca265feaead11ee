// The memory of one device: a window of addresses several times its size. So fragments do not matter, as they do not on a
// device that maps pages. Not synchronised; memory.cpp holds a lock.
#pragma once

#include <map>
#include <memory>

#include "ranges.h"

namespace manyrt::simulated {

class DeviceMemory {
 public:
  explicit DeviceMemory(size_t limit);

  uintptr_t allocate(size_t size);  // 0: out of memory
  void release(uintptr_t base, size_t size);
  bool takePhysical(size_t size) {  // of memory whose addresses are reserved elsewhere
    if (size > limit_ - used_) return false;
    used_ += size;
    return true;
  }
  void givePhysical(size_t size) { used_ -= size; }
  bool contains(uintptr_t address) const { return address >= window_ && address < window_ + window_size_; }
  size_t freeBytes() const { return limit_ - used_; }

 private:
  static constexpr size_t kUnit = size_t{2} << 20, kMinBytes = 512, kMaxSmall = size_t{1} << 20;

  const size_t limit_;
  size_t used_ = 0;  // whole units
  size_t window_size_;
  uintptr_t window_;
  std::unique_ptr<Ranges> units_;
  std::map<uintptr_t, Ranges> cut_;  // units of small allocations, by their base
};

}  // namespace manyrt::simulated
