// Free ranges of addresses, first fit. A device has one over its window, in units of 2 MiB, and one for each unit that is cut
// into small allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace manyrt::simulated {

class Ranges {
 public:
  Ranges(uintptr_t base, size_t size) : size_(size) { free_[base] = size; }

  uintptr_t take(size_t size) {  // 0: nothing fits
    for (auto at = free_.begin(); at != free_.end(); ++at) {
      if (at->second < size) continue;
      const uintptr_t base = at->first;
      const size_t rest = at->second - size;
      free_.erase(at);
      if (rest != 0) free_[base + size] = rest;
      return base;
    }
    return 0;
  }

  void give(uintptr_t base, size_t size) {
    auto next = free_.lower_bound(base);
    if (next != free_.end() && base + size == next->first) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == base) {
        before->second += size;
        return;
      }
    }
    free_[base] = size;
  }

  bool whole() const { return free_.size() == 1 && free_.begin()->second == size_; }

 private:
  const size_t size_;
  std::map<uintptr_t, size_t> free_;
};

}  // namespace manyrt::simulated
