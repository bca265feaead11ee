// Any bytes as calls of the allocator of offsets. A model knows of each unit whether it is taken, and whether it has memory.
// Always: a span that is taken was free, is as long and as aligned as asked for, and has memory where that was said; what a
// take finds nothing for does not lie side by side; memory comes and goes in whole granules, of which the allocator finds each
// that is free; counts are those of the model; in the end all units are one free span.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "allocator/offset_allocator.h"

namespace {

using manyrt::allocator::OffsetAllocator;
using Span = OffsetAllocator::Span;

constexpr size_t kMostLive = 200;

void require(bool condition) {
  if (!condition) std::abort();
}

class Machine {
 public:
  Machine(uint32_t units, uint32_t granule) : allocator_(units, granule), units_(units), granule_(granule) {}

  void take(uint32_t count, uint32_t alignment) {
    const Span span = allocator_.take(count, alignment);
    if (!span) {
      // A good fit asks for room for any beginning, and for a size that fills a bin.
      require(count == 0 ||
              longest([](const Unit& unit) { return !unit.taken && unit.memory; }) < slack(count + alignment - 1));
      return;
    }
    require(span.count == count && span.first % alignment == 0);
    mark(span, true);
  }
  void takeFresh(uint32_t count, uint32_t alignment, bool fails) {
    const OffsetAllocator::Fresh fresh = allocator_.takeFresh(count, alignment);
    const auto& [span, commit] = fresh;
    if (!span) {
      require(count == 0 ||
              longest([](const Unit& unit) { return !unit.taken && !unit.memory; }) < slack(count + alignment - 1));
      return;
    }
    require(span.count == count && span.first % alignment == 0);
    require(commit.count != 0 && commit.first % granule_ == 0 && commit.count % granule_ == 0);
    require(commit.first < span.first + span.count && span.first < commit.first + commit.count);
    const Span taken = fresh.taken();
    require(taken.first == std::min(span.first, commit.first));
    require(allocator_.used() == used() + taken.count);
    for (uint32_t unit = commit.first; unit < commit.first + commit.count; ++unit) {
      require(!unit_[unit].taken && !unit_[unit].memory);
      unit_[unit].memory = true;
    }
    if (fails) {  // the memory could not be had
      for (uint32_t unit = taken.first; unit < taken.first + taken.count; ++unit) {
        require(!unit_[unit].taken && unit_[unit].memory);
      }
      for (uint32_t unit = commit.first; unit < commit.first + commit.count; ++unit) unit_[unit].memory = false;
      allocator_.cancel(fresh);
      return;
    }
    allocator_.finish(fresh);
    mark(span, true);
  }
  void give(size_t index) {
    if (live_.empty()) return;
    const Span span = live_[index % live_.size()];
    live_[index % live_.size()] = live_.back();
    live_.pop_back();
    free(span);
    allocator_.give(span);
  }
  void spare(uint32_t most) {
    const uint32_t granules = freeGranules();
    const Span span = allocator_.takeSpare(most);
    require(static_cast<bool>(span) == (most != 0 && granules != 0));
    require(span.first % granule_ == 0 && span.count % granule_ == 0);
    require(span.count < uint64_t{most} + granule_);
    for (uint32_t unit = span.first; unit < span.first + span.count; ++unit) {
      require(!unit_[unit].taken && unit_[unit].memory);
      unit_[unit].memory = false;
    }
    if (span) allocator_.giveUncommitted(span);
  }
  void check() const {
    uint32_t spare = 0;
    for (const Unit& unit : unit_) spare += !unit.taken && unit.memory;
    require(allocator_.used() == used() && allocator_.spare() == spare && allocator_.spareGranules() == freeGranules());
    for (uint32_t unit = 0; unit < units_; ++unit) require(unit_[unit].memory == unit_[unit / granule_ * granule_].memory);
  }
  void end() {
    while (!live_.empty()) give(0);
    check();
    const uint32_t spare = allocator_.spare();
    if (spare == units_) require(allocator_.take(units_, 1).count == units_), allocator_.give({0, units_});
    while (allocator_.spare() != 0) this->spare(units_);
    require(allocator_.isEmpty());
    const auto [span, commit] = allocator_.takeFresh(units_, 1);
    require(span.count == units_ && commit.count == units_);
  }
  size_t live() const { return live_.size(); }

 private:
  struct Unit {
    bool taken = false, memory = false;
  };

  uint32_t used() const {
    uint32_t used = 0;
    for (const Unit& unit : unit_) used += unit.taken;
    return used;
  }
  uint32_t freeGranules() const {
    uint32_t granules = 0;
    for (uint32_t first = 0; first < units_; first += granule_) {
      bool free = true;
      for (uint32_t unit = first; unit < first + granule_; ++unit) free = free && !unit_[unit].taken && unit_[unit].memory;
      granules += free;
    }
    return granules;
  }
  static uint32_t slack(uint32_t count) {
    uint32_t doubling = 0;
    while (count >> doubling > 1) ++doubling;
    return doubling < 4 ? count : count + (1u << (doubling - 4));
  }
  template <class Has>
  uint32_t longest(Has has) const {
    uint32_t longest = 0, length = 0;
    for (const Unit& unit : unit_) {
      length = has(unit) ? length + 1 : 0;
      longest = length > longest ? length : longest;
    }
    return longest;
  }
  void mark(Span span, bool memory) {
    require(span.first + span.count <= units_);
    for (uint32_t unit = span.first; unit < span.first + span.count; ++unit) {
      require(!unit_[unit].taken && unit_[unit].memory == memory);
      unit_[unit].taken = true;
    }
    live_.push_back(span);
  }
  void free(Span span) {
    for (uint32_t unit = span.first; unit < span.first + span.count; ++unit) unit_[unit].taken = false;
  }

  OffsetAllocator allocator_;
  const uint32_t units_, granule_;
  std::vector<Unit> unit_ = std::vector<Unit>(units_);
  std::vector<Span> live_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const uint32_t doublings = data[0] % 13;
  Machine machine(1u << doublings, 1u << std::min<uint32_t>(doublings, data[0] / 13 % 6));
  for (size_t i = 1; i + 2 < size; i += 3) {
    const uint32_t what = data[i] & 7, alignment = 1u << ((data[i] >> 3) % 5 % 4);
    const uint32_t number = data[i + 1] | (data[i + 2] & 15u) << 8;
    const uint32_t count = number >> (data[i + 2] >> 4) | (number == 0 ? 0 : 1);
    switch (what) {
      case 0:
      case 1:
        if (machine.live() < kMostLive) machine.take(count, alignment);
        break;
      case 2:
      case 3:
        if (machine.live() < kMostLive) machine.takeFresh(count, (data[i] & 0x80) != 0 ? alignment : 1, false);
        break;
      case 4:
        machine.takeFresh(count, alignment, true);
        break;
      case 5:
        machine.spare(count);
        break;
      default:
        machine.give(number);
    }
    machine.check();
  }
  machine.end();
  return 0;
}
