// Free spans are found by size in bins (two-level segregated fit). Sizes below sixteen units have a bin each, larger ones
// sixteen bins per doubling. Free neighbours of one kind are joined at once, through marks at both ends of a span. A free span
// without memory consists of whole granules; one that has memory may begin and end anywhere.
#include "allocator/offset_allocator.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>

namespace manyrt::allocator {
namespace {

constexpr int kLooks = 8;  // spans of a bin that are looked at

uint32_t roundUp(uint32_t number, uint32_t alignment) { return (number + alignment - 1) & ~(alignment - 1); }
uint32_t roundDown(uint32_t number, uint32_t alignment) { return number & ~(alignment - 1); }

}  // namespace

void OffsetAllocator::Deallocate::operator()(Unit* units) const { std::free(units); }

OffsetAllocator::Span OffsetAllocator::Fresh::taken() const {
  const uint32_t first = std::min(span.first, commit.first);
  return {first, std::max(span.first + span.count, commit.first + commit.count) - first};
}

OffsetAllocator::OffsetAllocator(uint32_t units, uint32_t granule) : units_(units), granule_(granule) {
  // Zeros that take no memory until they are written: most of a range is never used.
  unit_.reset(static_cast<Unit*>(std::calloc(units, sizeof(Unit))));
  if (unit_ == nullptr) throw std::bad_alloc();
  for (Bins& bins : bins_) {
    std::fill(std::begin(bins.first), std::end(bins.first), kNone);
    std::fill(std::begin(bins.nonempty), std::end(bins.nonempty), 0);
  }
  link({0, units}, kUncommitted);
}

uint32_t OffsetAllocator::binOf(uint32_t count) {
  if (count < kExact) return count;
  // Sixteen bins for each doubling: a span of the next bin is larger by a sixteenth at most.
  const uint32_t exponent = 31 - static_cast<uint32_t>(__builtin_clz(count));  // 4 or more
  return kExact * (exponent - 3) + (count >> (exponent - 4) & (kExact - 1));
}

uint32_t OffsetAllocator::firstBin(const Bins& bins, uint32_t from) {
  for (uint32_t word = from / 64; word < kWords; ++word) {
    const uint64_t set = bins.nonempty[word] & (word == from / 64 ? ~uint64_t{0} << from % 64 : ~uint64_t{0});
    if (set != 0) return word * 64 + static_cast<uint32_t>(__builtin_ctzll(set));
  }
  return kBins;
}

uint32_t OffsetAllocator::lastBin(const Bins& bins) {
  for (uint32_t word = kWords; word-- > 0;) {
    if (bins.nonempty[word] != 0) return word * 64 + 63 - static_cast<uint32_t>(__builtin_clzll(bins.nonempty[word]));
  }
  return kBins;
}

// The smallest of those looked at in the bin of the size, else the first of the next bin, which has larger ones alone.
uint32_t OffsetAllocator::find(Kind kind, uint32_t count) const {
  const Bins& bins = bins_[kind];
  const uint32_t own = binOf(count);
  uint32_t best = kNone;
  int looks = 0;
  for (uint32_t at = bins.first[own]; at != kNone && looks < kLooks; at = unit_[at].next, ++looks) {
    if (unit_[at].count >= count && (best == kNone || unit_[at].count < unit_[best].count)) best = at;
  }
  if (best != kNone) return best;
  const uint32_t bin = firstBin(bins, own + 1);
  return bin == kBins ? kNone : bins.first[bin];
}

void OffsetAllocator::link(Span span, Kind kind) {
  const uint32_t bin = binOf(span.count);
  Unit& first = unit_[span.first];
  Unit& last = unit_[span.first + span.count - 1];
  // Both ends have the length, so that a neighbour on either side finds the other end.
  last.count = span.count;
  last.kind = kind;
  last.ends = true;
  first.count = span.count;
  first.kind = kind;
  first.begins = true;
  first.previous = kNone;
  first.next = bins_[kind].first[bin];
  if (first.next != kNone) unit_[first.next].previous = span.first;
  bins_[kind].first[bin] = span.first;
  bins_[kind].nonempty[bin / 64] |= uint64_t{1} << bin % 64;
  free_[kind] += span.count;
  // Whole granules alone can lose their memory. The count spares takeSpare() a search in vain.
  if (kind == kCommitted) granules_ += granulesOf(span, UINT32_MAX).count / granule_;
}

void OffsetAllocator::unlink(uint32_t at) {
  Unit& first = unit_[at];
  Bins& bins = bins_[first.kind];
  const uint32_t bin = binOf(first.count);
  if (first.previous == kNone) {
    bins.first[bin] = first.next;
    if (first.next == kNone) bins.nonempty[bin / 64] &= ~(uint64_t{1} << bin % 64);
  } else {
    unit_[first.previous].next = first.next;
  }
  if (first.next != kNone) unit_[first.next].previous = first.previous;
  free_[first.kind] -= first.count;
  if (first.kind == kCommitted) granules_ -= granulesOf({at, first.count}, UINT32_MAX).count / granule_;
  // The marks go, so that no neighbour joins a span that is in use.
  unit_[at + first.count - 1].ends = false;
  first.begins = false;
}

// The free span of the kind that ends right before the unit, or begins at it.
OffsetAllocator::Span OffsetAllocator::before(uint32_t unit, Kind kind) const {
  if (unit == 0 || !unit_[unit - 1].ends || unit_[unit - 1].kind != kind) return {};
  const uint32_t count = unit_[unit - 1].count;
  return {unit - count, count};
}

OffsetAllocator::Span OffsetAllocator::after(uint32_t unit, Kind kind) const {
  if (unit == units_ || !unit_[unit].begins || unit_[unit].kind != kind) return {};
  return {unit, unit_[unit].count};
}

void OffsetAllocator::join(Span span, Kind kind) {
  if (!span) return;
  // Its own kind only: the border between memory and none must stay.
  if (const Span left = before(span.first, kind)) {
    unlink(left.first);
    span = {left.first, left.count + span.count};
  }
  if (const Span right = after(span.first + span.count, kind)) {
    unlink(right.first);
    span.count += right.count;
  }
  link(span, kind);
}

OffsetAllocator::Span OffsetAllocator::granulesOf(Span span, uint32_t most) const {
  const uint32_t first = roundUp(span.first, granule_), end = roundDown(span.first + span.count, granule_);
  if (end <= first) return {};
  const uint32_t count = std::min(end - first, most);
  return {end - count, count};
}

void OffsetAllocator::finish(const Fresh& fresh) {
  const Span taken = fresh.taken();
  const uint32_t end = fresh.span.first + fresh.span.count;
  join({taken.first, fresh.span.first - taken.first}, kCommitted);
  join({end, taken.first + taken.count - end}, kCommitted);
}

void OffsetAllocator::cancel(const Fresh& fresh) {
  const Span taken = fresh.taken();
  const uint32_t end = fresh.commit.first + fresh.commit.count;
  join({taken.first, fresh.commit.first - taken.first}, kCommitted);
  join({end, taken.first + taken.count - end}, kCommitted);
  // The driver gave no memory: these units are as they were.
  join(fresh.commit, kUncommitted);
}

void OffsetAllocator::give(Span span) { join(span, kCommitted); }
void OffsetAllocator::giveUncommitted(Span span) { join(span, kUncommitted); }

OffsetAllocator::Span OffsetAllocator::take(uint32_t count, uint32_t alignment) {
  const uint64_t wanted = uint64_t{count} + alignment - 1;  // with room for any beginning
  uint32_t at = count == 0 || count > units_ ? kNone : find(kCommitted, count);
  // Aligned, it does not fit. A span with room for any beginning always does, so one more search is enough.
  if (at != kNone && roundUp(at, alignment) + count > at + unit_[at].count) {
    at = wanted > units_ ? kNone : find(kCommitted, static_cast<uint32_t>(wanted));
  }
  if (at == kNone) return {};
  const Span whole{at, unit_[at].count};
  unlink(at);
  const uint32_t first = roundUp(at, alignment);
  // link() and not join(): the neighbours on both sides are in use, or have no memory, or these parts would have been one span.
  if (first > at) link({at, first - at}, kCommitted);
  const uint32_t end = first + count, whole_end = whole.first + whole.count;
  if (whole_end > end) link({end, whole_end - end}, kCommitted);
  return {first, count};
}

OffsetAllocator::Fresh OffsetAllocator::takeFresh(uint32_t count, uint32_t alignment) {
  const uint64_t wanted = uint64_t{count} + alignment - 1;
  if (count == 0 || wanted > units_) return {};
  if (alignment == 1) {
    if (const Fresh extended = extendSpare(count); extended.span) return extended;
  }
  return takeHole(count, alignment);
}

// Extends a large spare span into a hole without memory beside it, where the lacking part is committed. The largest spans would
// lose their memory otherwise.
OffsetAllocator::Fresh OffsetAllocator::extendSpare(uint32_t count) {
  // Only the bin of the largest spans, and a few looks: this is a preference, and takeHole() serves otherwise.
  const uint32_t bin = lastBin(bins_[kCommitted]);
  if (bin == kBins) return {};
  Span best, hole;
  int looks = 0;
  for (uint32_t at = bins_[kCommitted].first[bin]; at != kNone && looks < kLooks; at = unit_[at].next, ++looks) {
    const Span spare{at, unit_[at].count};
    if (spare.count >= count || spare.count <= best.count) continue;  // one that is large enough is not where it could begin
    const uint32_t lacking = count - spare.count;
    if (const Span right = after(at + spare.count, kUncommitted); right.count >= lacking) {
      best = spare;
      hole = right;
    } else if (const Span left = before(at, kUncommitted); left.count >= lacking) {
      best = spare;
      hole = left;
    }
  }
  if (!best) return {};
  const uint32_t lacking = count - best.count;
  const uint32_t granules = roundUp(lacking, granule_);
  unlink(best.first);
  unlink(hole.first);
  Fresh fresh;
  if (hole.first > best.first) {
    fresh.commit = {hole.first, granules};
    fresh.span = {best.first, count};
    if (hole.count > granules) link({hole.first + granules, hole.count - granules}, kUncommitted);
  } else {
    fresh.commit = {best.first - granules, granules};
    fresh.span = {best.first - lacking, count};
    if (hole.count > granules) link({hole.first, hole.count - granules}, kUncommitted);
  }
  return fresh;
}

// The granules before an aligned beginning stay without memory. A hole begins with a granule, and so does any multiple of an
// alignment larger than one.
OffsetAllocator::Fresh OffsetAllocator::takeHole(uint32_t count, uint32_t alignment) {
  const uint32_t at = find(kUncommitted, count + alignment - 1);
  if (at == kNone) return {};
  const Span hole{at, unit_[at].count};
  // A free part with memory before the hole saves its units of the commit. An aligned block may not begin in it.
  const Span left = alignment == 1 ? before(at, kCommitted) : Span{};
  unlink(at);
  const bool extends = left.count != 0 && left.count < count;
  if (extends) unlink(left.first);
  const uint32_t first = extends ? left.first : roundUp(at, alignment);
  const uint32_t begin = extends ? at : first;
  const uint32_t end = roundUp(first + count, granule_), hole_end = hole.first + hole.count;
  if (begin > at) link({at, begin - at}, kUncommitted);
  if (hole_end > end) link({end, hole_end - end}, kUncommitted);
  return {{first, count}, {begin, end - begin}};
}

// The largest span mostly has a whole granule: one without is shorter than two of them. There is one that has, as the count
// says.
OffsetAllocator::Span OffsetAllocator::takeSpare(uint32_t most) {
  if (most == 0 || granules_ == 0) return {};
  const uint32_t wanted = most > units_ ? units_ : roundUp(most, granule_);
  for (uint32_t bin = lastBin(bins_[kCommitted]);; --bin) {
    for (uint32_t at = bins_[kCommitted].first[bin]; at != kNone; at = unit_[at].next) {
      const Span whole{at, unit_[at].count};
      // A span of many units may have no whole granule, if it begins and ends inside of two.
      const Span spare = granulesOf(whole, wanted);
      if (!spare) continue;
      unlink(at);
      const uint32_t end = spare.first + spare.count, whole_end = at + whole.count;
      if (spare.first > at) link({at, spare.first - at}, kCommitted);
      if (whole_end > end) link({end, whole_end - end}, kCommitted);
      return spare;
    }
  }
}

}  // namespace manyrt::allocator
