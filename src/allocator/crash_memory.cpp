// Words about an address, in a handler: the address map and the states of blocks are read as any reader does. A block that
// another thread frees at the same moment may be reported as live.
#include "allocator/crash_memory.h"

#include <algorithm>
#include <atomic>

#include "allocator/address_map.h"
#include "allocator/labels.h"
#include "base/crash.h"
#include "base/handles/epoch.h"

namespace manyrt::allocator::crash_memory {
namespace {

using crash::Text;

struct Found {
  const char* what = "the allocation";
  uintptr_t base = 0;
  uint64_t size = 0;
  bool labelled = false;
  bool freed = false;
  bool returned = false;  // to the system
};

// ---- Allocations whose memory went back ----

struct Returned {
  std::atomic<uintptr_t> base{0};
  std::atomic<uint64_t> size{0};
  std::atomic<bool> labelled{false};
};
// A ring of fixed size: a handler may not allocate, and only the newest are of use.
constexpr size_t kReturned = 64;
Returned returned[kReturned];
std::atomic<uint32_t> next_returned{0};

bool findReturned(uintptr_t address, Found* found) {
  for (const Returned& each : returned) {
    const uintptr_t base = each.base.load(std::memory_order_acquire);
    const uint64_t size = each.size.load(std::memory_order_acquire);
    if (base == 0 || address - base >= size) continue;
    *found = {"the allocation", base, size, each.labelled.load(std::memory_order_relaxed), true, true};
    return true;
  }
  return false;
}

// ---- Allocations of regions that the map knows ----

const char* nameOf(const Region& region) {
  switch (region.kind()) {
    case Region::Kind::kRegistered:
      return "the registered memory";
    case Region::Kind::kImported:
      return "the imported memory";
    case Region::Kind::kGlobal:
      return "the variable of a module";
    default:
      return "the allocation";
  }
}

// False: the block has never been handed out.
bool describe(Region& region, const Block& block, Found* found) {
  const uint64_t size = block.size.load(std::memory_order_relaxed);
  if (size == 0) return false;
  *found = {nameOf(region),
            region.addressOf(block),
            size,
            block.past.load(std::memory_order_relaxed) == Block::kLabelled,
            block.state.load(std::memory_order_acquire) != Block::kLive,
            false};
  return true;
}

// The block of the address, else the last one before it that was ever handed out.
bool findIn(Region& region, uintptr_t address, Found* found) {
  // A bound: the process has crashed, and a damaged region must not keep its handler busy for ever.
  constexpr uint32_t kMostSteps = 1 << 16;
  const uint64_t step = region.kind() == Region::Kind::kSlab ? region.blockSize() : RangeBlocks::kUnit;
  const bool is_cut = region.kind() == Region::Kind::kSlab || region.kind() == Region::Kind::kRange;
  uintptr_t at = std::min(address, region.end() - 1);
  for (uint32_t steps = 0; steps < kMostSteps; ++steps) {
    const Block* const block = region.blockAt(at);
    if (block != nullptr && describe(region, *block, found)) return true;
    if (!is_cut || at - region.begin() < step) return false;
    at -= step;
  }
  return false;
}

bool findBefore(uintptr_t address, Found* found) {
  Region* const region = address_map::nearestBefore(address);
  return region != nullptr && findIn(*region, address, found);
}

// The first block of the region: an index below zero comes from there.
bool findAfter(uintptr_t address, Found* found) {
  Region* const region = address_map::nearestAfter(address);
  return region != nullptr && findIn(*region, region->begin(), found) && found->base > address;
}

uint64_t distance(const Found& from, uintptr_t address) {
  return address < from.base ? from.base - address : address - from.base < from.size ? 0 : address - from.base - from.size;
}

bool find(uintptr_t address, Found* found) {
  if (Region* const region = address_map::find(reinterpret_cast<const void*>(address)); region != nullptr) {
    return findIn(*region, address, found) || findBefore(region->begin(), found);
  }
  // Before the neighbours: memory that went back is the likelier cause than an index that is far off.
  if (findReturned(address, found)) return true;
  Found after;
  const bool has_before = findBefore(address, found), has_after = findAfter(address, &after);
  if (has_after && (!has_before || distance(after, address) < distance(*found, address))) *found = after;
  return has_before || has_after;
}

void describeMemory(uintptr_t address, Text& text) {
  // A guard that a handler may take, also one that interrupted this library.
  const epoch::SignalGuard guard;
  Found found;
  if (!find(address, &found)) {
    text << "no allocation of the library is near";
    return;
  }
  const uint64_t away = distance(found, address);
  if (away == 0 && address >= found.base && address - found.base < found.size) {
    text << "byte " << uint64_t{address - found.base} << " of ";
  } else if (address < found.base) {
    text << away << " bytes before ";
  } else {
    text << away << " bytes after the end of ";
  }
  char label[labels::kMost];
  text << found.what;
  if (found.labelled && labels::read(found.base, label)) text << " \"" << label << "\"";
  text << " of " << found.size << " bytes at ";
  text.address(found.base);
  if (found.freed) text << (found.returned ? ", which was freed and is the system's again" : ", which was freed");
}

}  // namespace

void offer() { crash::describeMemoryBy(describeMemory); }

void noteLabel(Region& region, uintptr_t address, const char* label) {
  Block* const block = region.blockAt(address);
  if (block == nullptr) return;
  labels::note(address, label);
  block->past.store(Block::kLabelled, std::memory_order_relaxed);
}

void noteReturned(Region& region) {
  constexpr uint64_t kLeast = 128 << 10;  // smaller ones come from malloc, which seldom gives memory back
  Found found;
  if (region.kind() != Region::Kind::kLarge || region.memory().size < kLeast || !describe(region, region.block(0), &found))
    return;
  // Relaxed: it deals out places. A handler that reads between the stores sees no allocation here: the base comes last.
  Returned& place = returned[next_returned.fetch_add(1, std::memory_order_relaxed) % kReturned];
  place.base.store(0, std::memory_order_release);
  place.size.store(found.size, std::memory_order_release);
  place.labelled.store(found.labelled, std::memory_order_relaxed);
  place.base.store(found.base, std::memory_order_release);
}

}  // namespace manyrt::allocator::crash_memory
