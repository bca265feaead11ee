// Which units of a range of addresses are in use: numbers alone, without a device or a lock. A free unit is committed (it has
// memory) or not. An allocation takes committed units where enough lie side by side, else it says which ones to commit.
#pragma once

#include <cstdint>
#include <memory>

namespace manyrt::allocator {

class OffsetAllocator {
 public:
  struct Span {
    uint32_t first = 0;
    uint32_t count = 0;  // 0: none
    explicit operator bool() const { return count != 0; }
  };
  struct Fresh {
    Span span;    // what is taken
    Span commit;  // the part of it that has no memory yet
  };

  explicit OffsetAllocator(uint32_t units);  // without memory; throws bad_alloc
  OffsetAllocator(const OffsetAllocator&) = delete;
  OffsetAllocator& operator=(const OffsetAllocator&) = delete;

  // `count` committed units, the first at a multiple of `alignment` (a power of two). A good fit: what is left over is small,
  // or large enough to be of use. None: so many do not lie side by side.
  Span take(uint32_t count, uint32_t alignment);
  // The same with units that are not committed, beside committed ones where that saves memory. None: the range is full.
  Fresh takeFresh(uint32_t count, uint32_t alignment);
  void give(Span span);  // free, with memory
  // At most `most` units of the largest free span that has memory, from its end, for the caller to take the memory away.
  Span takeSpare(uint32_t most);
  void giveUncommitted(Span span);  // free, without memory

  uint32_t units() const { return units_; }
  uint32_t used() const { return units_ - free_[kCommitted] - free_[kUncommitted]; }
  uint32_t spare() const { return free_[kCommitted]; }  // free, with memory
  bool isEmpty() const { return free_[kUncommitted] == units_; }

 private:
  enum Kind : uint8_t { kCommitted, kUncommitted, kTaken };
  // Of the first and of the last unit of a free span; other units hold nothing.
  struct Unit {
    uint32_t count;
    uint32_t next, previous;  // in the list of its bin; of the first unit
    Kind kind;
    bool begins, ends;
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint32_t kExact = 16;  // sizes below have a bin each; above there are so many bins in a doubling
  static constexpr uint32_t kBins = kExact + (32 - 4) * kExact;
  static constexpr uint32_t kWords = (kBins + 63) / 64;
  struct Bins {
    uint32_t first[kBins];
    uint64_t nonempty[kWords];
  };
  struct Deallocate {
    void operator()(Unit* units) const;
  };

  static uint32_t binOf(uint32_t count);
  static uint32_t firstBin(const Bins& bins, uint32_t from);  // the first bin from there on that has a span; kBins: none
  static uint32_t lastBin(const Bins& bins);
  uint32_t find(Kind kind, uint32_t count) const;  // the first unit of a free span of at least so many; kNone: there is none
  void link(Span span, Kind kind);
  void unlink(uint32_t first);
  void join(Span span, Kind kind);  // with its free neighbours of the same kind
  Span before(uint32_t unit, Kind kind) const;
  Span behind(uint32_t unit, Kind kind) const;
  Fresh extendSpare(uint32_t count);
  Fresh takeHole(uint32_t count, uint32_t alignment);

  const uint32_t units_;
  std::unique_ptr<Unit[], Deallocate> unit_;
  Bins bins_[2];
  uint32_t free_[2] = {};
};

}  // namespace manyrt::allocator
