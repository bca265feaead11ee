// Which units of a range of addresses are in use: numbers alone, without a device or a lock. A free unit is committed (it has
// memory) or not. An allocation takes committed units where enough lie side by side, else it says which ones to commit. Memory
// comes and goes in whole granules of one or more units, since drivers have pages that are larger than blocks need be.
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
  // Units of which some have no memory yet. All of `span` and `commit` are taken until finish() or cancel().
  struct Fresh {
    Span span;    // what was asked for
    Span commit;  // whole granules to commit; they may begin before the span, or end after it
    Span taken() const;
  };

  // All without memory. `granule`: the units of one, a power of two; `units` is a multiple of it. Throws bad_alloc.
  explicit OffsetAllocator(uint32_t units, uint32_t granule = 1);
  OffsetAllocator(const OffsetAllocator&) = delete;
  OffsetAllocator& operator=(const OffsetAllocator&) = delete;

  // `count` committed units, the first at a multiple of `alignment` (a power of two). A good fit: what is left over is small,
  // or large enough to be of use. None: so many do not lie side by side.
  Span take(uint32_t count, uint32_t alignment);
  // The same with units that are not committed, beside committed ones where that saves memory. None: the range is full.
  Fresh takeFresh(uint32_t count, uint32_t alignment);
  void finish(const Fresh& fresh);  // it is committed: what is beyond the span becomes free
  void cancel(const Fresh& fresh);  // it is not, and the span is not used: all is as before
  void give(Span span);             // free, with memory
  // Whole granules of a large free span that has memory, for the caller to take the memory away. As many as `most` units need,
  // or fewer. None: no granule is free.
  Span takeSpare(uint32_t most);
  void giveUncommitted(Span span);  // free, without memory; whole granules

  uint32_t units() const { return units_; }
  uint32_t used() const { return units_ - free_[kCommitted] - free_[kUncommitted]; }
  uint32_t spare() const { return free_[kCommitted]; }  // free, with memory
  uint32_t spareGranules() const { return granules_; }  // of these, whole ones
  bool isEmpty() const { return free_[kUncommitted] == units_; }

 private:
  enum Kind : uint8_t { kCommitted, kUncommitted, kTaken };
  // For the first and the last unit of a free span; other units hold nothing.
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
  // The whole granules of a span: from its end, at most so many.
  Span granulesOf(Span span, uint32_t most) const;
  Span before(uint32_t unit, Kind kind) const;
  Span after(uint32_t unit, Kind kind) const;
  Fresh extendSpare(uint32_t count);
  Fresh takeHole(uint32_t count, uint32_t alignment);

  const uint32_t units_;
  const uint32_t granule_;
  std::unique_ptr<Unit[], Deallocate> unit_;
  Bins bins_[2];
  uint32_t free_[2] = {};
  uint32_t granules_ = 0;  // whole ones in committed spans
};

}  // namespace manyrt::allocator
