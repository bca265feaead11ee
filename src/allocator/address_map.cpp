// The levels of the map. A granule holds nothing, one region, or (tagged) a split if several regions share it. A part of a
// split holds nothing, one region, or (tagged) a list of entries: registered and imported ranges need not be aligned. One mutex
// orders the writers. Readers take none, so writers publish with release stores and retire what they unlink.
#include "allocator/address_map.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "base/fault.h"
#include "base/lock_order.h"

namespace manyrt::allocator::address_map {

std::atomic<internal::Leaf*> internal::root[size_t{1} << kRootBits];

namespace {

using internal::Cell;
using internal::Leaf;
using internal::root;
using internal::Split;
using internal::toSplit;

struct Entry final : epoch::Retired {
  Region* region = nullptr;
  // A reader's acquire pairs with the release of the cell, or of the `next` before, that shows the entry.
  std::atomic<Entry*> next{nullptr};
  void reclaim() override { delete this; }
};

Ranked<std::mutex, LockRank::kAddressMap> writers;

bool isTagged(uintptr_t value) { return (value & 1) != 0; }
Entry* toList(uintptr_t value) { return reinterpret_cast<Entry*>(value & ~uintptr_t{1}); }

Cell* cellOf(uint64_t granule, bool create) {
  std::atomic<Leaf*>& slot = root[granule >> kLeafBits];
  // A leaf is one piece of the upper level: most of the address space has none.
  // overlaps() comes here without the writers' lock, hence acquire; the release shows the leaf with its null cells.
  Leaf* leaf = slot.load(std::memory_order_acquire);
  if (leaf == nullptr && create) {
    if (fault::fails("address map leaf")) throw std::bad_alloc();
    leaf = new Leaf;  // never freed: readers may hold it, and its addresses may be used again
    slot.store(leaf, std::memory_order_release);
  }
  return leaf == nullptr ? nullptr : &leaf->cells[granule & ((uint64_t{1} << kLeafBits) - 1)];
}

// Allocated under the writers' lock, before the map changes: a failure leaves the map as it was.
Entry* newEntry(Region* region, Entry* next) {
  if (fault::fails("address map entry")) throw std::bad_alloc();
  Entry* entry = new Entry;
  entry->region = region;
  // Relaxed: no reader sees the entry before a cell shows it.
  entry->next.store(next, std::memory_order_relaxed);
  return entry;
}

// Runs the body for each part of a granule that the region has.
template <class Body>
void forParts(const Region& region, uint64_t granule, Body body) {
  const uint64_t begin = granule * kParts;  // in parts
  const uint64_t first = std::max(begin, uint64_t{region.begin()} >> kPartBits);
  const uint64_t last = std::min(begin + kParts - 1, uint64_t{region.end() - 1} >> kPartBits);
  for (uint64_t part = first; part <= last; ++part) body(part - begin);
}

// Relaxed loads, here and below: only writers change the map, and the caller has their lock. Each store releases what it shows.
void addTo(Cell& cell, Region* region) {
  const uintptr_t value = cell.load(std::memory_order_relaxed);
  if (value == 0) {
    cell.store(reinterpret_cast<uintptr_t>(region), std::memory_order_release);
    return;
  }
  // The new entry goes to the front: the newest region is found first. The list is whole before the cell shows it.
  Entry* rest = isTagged(value) ? toList(value) : newEntry(reinterpret_cast<Region*>(value), nullptr);
  Entry* entry;
  try {
    entry = newEntry(region, rest);
  } catch (...) {  // the first entry is in no list yet
    if (!isTagged(value)) delete rest;
    throw;
  }
  cell.store(reinterpret_cast<uintptr_t>(entry) | 1, std::memory_order_release);
}

// A reader that stands on the unlinked entry goes on through its `next`, which stays as it is until the reader's guard has
// ended.
void removeFrom(Cell& cell, Region* region) {
  const uintptr_t value = cell.load(std::memory_order_relaxed);
  if (!isTagged(value)) {
    // Else the region was never added here: an insertion that failed is undone so.
    if (value == reinterpret_cast<uintptr_t>(region)) cell.store(0, std::memory_order_release);
    return;
  }
  Entry* before = nullptr;
  for (Entry* entry = toList(value); entry != nullptr; entry = entry->next.load(std::memory_order_relaxed)) {
    if (entry->region == region) {
      Entry* next = entry->next.load(std::memory_order_relaxed);
      if (before != nullptr) {
        before->next.store(next, std::memory_order_release);
      } else {
        cell.store(next == nullptr ? 0 : reinterpret_cast<uintptr_t>(next) | 1, std::memory_order_release);
      }
      // Not deleted: a reader may stand on it until its guard has ended.
      epoch::retire(entry);
      return;
    }
    before = entry;
  }
}

// The granule's parts of a region. A split stays until its last region goes.
void removeGranule(uint64_t granule, Region* region) {
  Cell* cell = cellOf(granule, false);
  if (cell == nullptr) return;
  const uintptr_t value = cell->load(std::memory_order_relaxed);
  if (!isTagged(value)) return removeFrom(*cell, region);
  // Tagged: several regions have had parts of this granule.
  Split* split = toSplit(value);
  forParts(*region, granule, [&](uint64_t part) { removeFrom(split->cells[part], region); });
  // An empty split is given back, or addresses that come and go would leave one in each granule.
  for (const Cell& part : split->cells) {
    if (part.load(std::memory_order_relaxed) != 0) return;
  }
  cell->store(0, std::memory_order_release);
  epoch::retire(split);
}

void addGranule(uint64_t granule, Region* region) {
  Cell* cell = cellOf(granule, true);
  uintptr_t value = cell->load(std::memory_order_relaxed);
  if (value == 0) {
    cell->store(reinterpret_cast<uintptr_t>(region), std::memory_order_release);
    return;
  }
  if (!isTagged(value)) {
    if (fault::fails("address map split")) throw std::bad_alloc();
    auto* const split = new Split;
    auto* const other = reinterpret_cast<Region*>(value);
    // Relaxed: no reader sees the parts before the cell shows them.
    forParts(*other, granule,
             [&](uint64_t part) { split->cells[part].store(reinterpret_cast<uintptr_t>(other), std::memory_order_relaxed); });
    value = reinterpret_cast<uintptr_t>(split) | 1;
    // The split shows the first region before the new one is added: a reader finds it at any time.
    cell->store(value, std::memory_order_release);
  }
  try {
    forParts(*region, granule, [&](uint64_t part) { addTo(toSplit(value)->cells[part], region); });
  } catch (...) {
    removeGranule(granule, region);
    throw;
  }
}

template <class Meets>
bool anyOf(const Entry* list, Meets meets) {
  for (; list != nullptr; list = list->next.load(std::memory_order_acquire)) {
    if (meets(list->region)) return true;
  }
  return false;
}

bool contains(Region* region, uintptr_t address) { return address >= region->begin() && address < region->end(); }

}  // namespace

Status insert(Region* region) {
  // The second is an end that has wrapped.
  if (region->end() > kAddresses || region->end() < region->begin()) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "The address %p is beyond the %d bits that the library keeps track of.",
                         region->memory().address, kGranuleBits + kLeafBits + kRootBits);
  }
  std::lock_guard lock(writers);
  uint64_t first = region->begin() >> kGranuleBits, last = (region->end() - 1) >> kGranuleBits, done = first;
  try {
    for (; done <= last; ++done) addGranule(done, region);
  } catch (const std::bad_alloc&) {  // the granules before have to be undone; the sentence says what cannot be kept track of
    // In reverse: the granule that failed has undone its own parts.
    while (done-- > first) removeGranule(done, region);
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no host memory to keep track of %llu bytes.",
                         static_cast<unsigned long long>(region->memory().size));
  }
  return Status();
}

void remove(Region* region) {
  std::lock_guard lock(writers);
  uint64_t last = (region->end() - 1) >> kGranuleBits;
  // Undoes the parts that were added, and the split if it was made for this region.
  for (uint64_t granule = region->begin() >> kGranuleBits; granule <= last; ++granule) removeGranule(granule, region);
}

// Memory may be imported several times. A freed import stays in the map until it is reclaimed, or while a graph holds it. A
// live one is preferred to it.
Region* internal::findInList(uintptr_t cell, uintptr_t address) {
  Region* freed = nullptr;
  for (Entry* entry = toList(cell); entry != nullptr; entry = entry->next.load(std::memory_order_acquire)) {
    Region* region = entry->region;
    if (!contains(region, address)) continue;
    const bool live =
        region->kind() != Region::Kind::kImported || region->block(0).state.load(std::memory_order_acquire) == Block::kLive;
    if (live) return region;
    if (freed == nullptr) freed = region;
  }
  return freed;
}

bool overlaps(const void* pointer, uint64_t size) {
  uintptr_t begin = reinterpret_cast<uintptr_t>(pointer), end = begin + size;
  if (end > kAddresses || end < begin) return false;
  auto meets = [&](Region* region) {
    return region->begin() < end && begin < region->end() && !region->isProgramMemoryAgain();
  };
  for (uint64_t granule = begin >> kGranuleBits; granule <= (end - 1) >> kGranuleBits; ++granule) {
    Cell* cell = cellOf(granule, false);
    if (cell == nullptr) {
      granule |= (uint64_t{1} << kLeafBits) - 1;  // nothing in this whole leaf
      continue;
    }
    // No lock: this reads as a reader does, and the guard keeps what it finds.
    const uintptr_t value = cell->load(std::memory_order_acquire);
    if (value == 0) continue;
    if (!isTagged(value)) {
      if (meets(reinterpret_cast<Region*>(value))) return true;
      continue;
    }
    for (const Cell& part : toSplit(value)->cells) {
      const uintptr_t held = part.load(std::memory_order_acquire);
      if (isTagged(held) ? anyOf(toList(held), meets) : held != 0 && meets(reinterpret_cast<Region*>(held))) return true;
    }
  }
  return false;
}

namespace {

// For words in reports of errors and crashes, not for look-ups.
constexpr uint64_t kMostGranules = 512;  // a gibibyte: what lies further away says nothing of a wrong index

// All regions of a granule, some of them more than once.
template <class Body>
void forRegions(uint64_t granule, Body body) {
  Cell* cell = granule <= (kAddresses - 1) >> kGranuleBits ? cellOf(granule, false) : nullptr;
  const uintptr_t value = cell == nullptr ? 0 : cell->load(std::memory_order_acquire);
  const auto forEntries = [&](uintptr_t held) {
    if (held == 0) return;
    if (!isTagged(held)) return body(reinterpret_cast<Region*>(held));
    (void)anyOf(toList(held), [&](Region* region) {
      body(region);
      return false;
    });
  };
  if (!isTagged(value)) return forEntries(value);
  for (const Cell& part : toSplit(value)->cells) forEntries(part.load(std::memory_order_acquire));
}

}  // namespace

Region* nearestBefore(uintptr_t address) {
  // Granule by granule away from the address. The first granule with a region to this side has the nearest one.
  Region* best = nullptr;
  const uint64_t from = address >> kGranuleBits;
  for (uint64_t step = 0; step < kMostGranules && step <= from && best == nullptr; ++step) {
    forRegions(from - step, [&](Region* region) {
      if (region->end() <= address && (best == nullptr || region->end() > best->end())) best = region;
    });
  }
  return best;
}

Region* nearestAfter(uintptr_t address) {
  Region* best = nullptr;
  const uint64_t from = address >> kGranuleBits;
  for (uint64_t step = 0; step < kMostGranules && best == nullptr; ++step) {
    forRegions(from + step, [&](Region* region) {
      if (region->begin() > address && (best == nullptr || region->begin() < best->begin())) best = region;
    });
  }
  return best;
}

std::vector<Region*> regions() {
  std::vector<Region*> all;
  for (uint64_t leaf = 0; leaf < uint64_t{1} << kRootBits; ++leaf) {
    if (root[leaf].load(std::memory_order_acquire) == nullptr) continue;
    for (uint64_t granule = leaf << kLeafBits; granule < (leaf + 1) << kLeafBits; ++granule)
      forRegions(granule, [&](Region* region) { all.push_back(region); });
  }
  std::sort(all.begin(), all.end(), [](const Region* one, const Region* other) {
    return one->begin() != other->begin() ? one->begin() < other->begin() : one < other;
  });
  // A region has an entry in each of its granules and parts.
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Acquire pairs with Pool::handOut, which stores the size before the state. A stale address may read the size while the block
// is handed out again. The size is atomic, and the answer is that of an earlier or a later call.
Allocation locate(const void* address) {
  Region* region = find(address);
  if (region == nullptr) return Allocation();
  Block* block = region->blockAt(reinterpret_cast<uintptr_t>(address));
  if (block == nullptr || block->state.load(std::memory_order_acquire) != Block::kLive) return Allocation();
  uintptr_t base = region->addressOf(*block);
  uint64_t size = block->size.load(std::memory_order_relaxed);
  if (reinterpret_cast<uintptr_t>(address) - base >= size) return Allocation();
  return {region, block, base, size};
}

}  // namespace manyrt::allocator::address_map
