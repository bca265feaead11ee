// As cudaMalloc does it: large allocations in units of 2 MiB, small ones at 512 bytes inside a unit. New memory holds one
// pattern and freed memory another, so that a read of either sees neither zeros nor what was there.
#include "device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "report.h"

namespace manyrt::simulated {
namespace {

constexpr int kFresh = 0xCD, kFreed = 0xDD;
constexpr size_t kPatternBytes = size_t{4} << 20;  // of one allocation; the rest of a larger one is zero

size_t roundUp(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

void fill(uintptr_t base, size_t size, int pattern) {
  memset(reinterpret_cast<void*>(base), pattern, std::min(size, kPatternBytes));
}

}  // namespace

DeviceMemory::DeviceMemory(size_t limit) : limit_(limit / kUnit * kUnit), window_size_(std::max(limit_ * 8, kUnit)) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* mapped = mmap(nullptr, window_size_ + kUnit, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (mapped == MAP_FAILED) {
    note("no addresses for %zu bytes of device memory", window_size_);
    abort();
  }
  window_ = roundUp(reinterpret_cast<uintptr_t>(mapped), kUnit);
  units_ = std::make_unique<Ranges>(window_, window_size_);
}

uintptr_t DeviceMemory::allocate(size_t size) {
  if (size > limit_) return 0;
  uintptr_t base = 0;
  if (size < kMaxSmall) {
    const size_t rounded = roundUp(size, kMinBytes);
    for (auto& unit : cut_) {
      base = unit.second.take(rounded);
      if (base != 0) break;
    }
    if (base == 0 && used_ + kUnit <= limit_) {
      const uintptr_t unit = units_->take(kUnit);
      if (unit == 0) return 0;
      used_ += kUnit;
      base = cut_.emplace(unit, Ranges(unit, kUnit)).first->second.take(rounded);
    }
  } else {
    const size_t rounded = roundUp(size, kUnit);
    if (used_ + rounded > limit_) return 0;
    base = units_->take(rounded);
    if (base != 0) used_ += rounded;
  }
  if (base != 0) fill(base, size, kFresh);
  return base;
}

void DeviceMemory::release(uintptr_t base, size_t size) {
  if (size >= kMaxSmall) {
    const size_t rounded = roundUp(size, kUnit);
    madvise(reinterpret_cast<void*>(base), rounded, MADV_DONTNEED);
    fill(base, std::min(size, kUnit), kFreed);
    units_->give(base, rounded);
    used_ -= rounded;
    return;
  }
  fill(base, size, kFreed);
  const uintptr_t start = base / kUnit * kUnit;
  auto unit = cut_.find(start);
  unit->second.give(base, roundUp(size, kMinBytes));
  if (!unit->second.whole()) return;
  cut_.erase(unit);
  units_->give(start, kUnit);
  used_ -= kUnit;
}

}  // namespace manyrt::simulated
