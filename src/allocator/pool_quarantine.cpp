// RT_MEMORY_DEBUG in a pool: a guard after each allocation, and a quarantine for freed blocks. A freed block waits until its
// stamps have passed. Then its guard is compared, and its bytes get the freed pattern. It leaves the quarantine when enough was
// freed after it, or memory is missing. Its bytes are compared then.
//
// Memory that the host sees is compared in place. The free does so if no work is in flight. Else a task in the freeing stream's
// order does, or the library's thread for pools. Other memory is filled and compared through a stream of the context, and
// waited for. So only that thread does it, or a call that holds neither a guard nor a lock.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "allocator/address_map.h"
#include "allocator/allocation_records.h"
#include "allocator/poison.h"
#include "allocator/pool.h"
#include "base/fault.h"
#include "base/handles/epoch.h"
#include "base/os/futex.h"
#include "base/task.h"
#include "base/trace.h"

namespace manyrt::allocator {
namespace {

constexpr uint64_t kQuarantineBytes = uint64_t{64} << 20;
constexpr uint64_t kLimitPart = 8;              // of a pool's limit, where that is less
constexpr uint64_t kMostGuardBytes = 64 << 10;  // of a guard that is written and compared
constexpr uint64_t kLookNanoseconds = 100'000;  // between two looks at whether another thread has done with a block

// Numbers frees in all pools, since memory may come to another one. Relaxed: the numbers only have to differ.
std::atomic<uint64_t> inspections{0};

struct Piece {
  uintptr_t begin;
  uint64_t size;
};

// The parts that get the freed pattern: the whole, or both ends.
std::vector<Piece> ends(uintptr_t address, uint64_t size) {
  std::vector<Piece> pieces{{address, std::min(size, kPatternBytes)}};
  if (size > kPatternBytes) pieces.push_back({address + size - kPatternBytes, kPatternBytes});
  return pieces;
}

// The first byte that differs; `size`: none.
uint64_t firstOther(const unsigned char* bytes, uint64_t size, int pattern) {
  uint64_t at = 0;
  while (at < size && bytes[at] == pattern) ++at;
  return at;
}

Status fill(backend::Stream& stream, Piece piece, int pattern) {
  backend::Fill fill{};
  fill.dst = reinterpret_cast<void*>(piece.begin);
  fill.pattern[0] = static_cast<unsigned char>(pattern);
  fill.pattern_size = 1;
  fill.width = fill.pitch = piece.size;
  return stream.fill(fill);
}

Status copy(backend::Stream& stream, Piece piece, std::vector<unsigned char>* bytes) {
  bytes->resize(piece.size);
  return stream.copy({bytes->data(), reinterpret_cast<void*>(piece.begin), piece.size});
}

// Inspects a block in the order of the stream that freed it. The task holds an address, not a block, as the region may be gone
// when it runs. A stale serial tells it that the block was reused.
class InspectTask final : public Task {
 public:
  InspectTask(uintptr_t address, uint64_t serial) : address_(address), serial_(serial) {}
  Status run(const Status&) override {
    // The guard keeps the region that the map shows: a task is no call of the program, and has none of its own.
    const epoch::Guard guard;
    Region* region = address_map::find(reinterpret_cast<void*>(address_));
    if (region == nullptr || region->pool() == nullptr) return Status();
    Block* block = region->blockAt(address_);
    if (block != nullptr) region->pool()->inspectPending(*region, *block, serial_);
    return Status();
  }

 private:
  const uintptr_t address_;
  const uint64_t serial_;
};

}  // namespace

template <class Body>
Status Pool::throughStream(Body body) {
  Ref<backend::Stream> stream;
  backend::StreamOptions options;
  options.label = "memory debugging";
  // A stream of its own: the program's streams must neither wait for a comparison nor latch its failure.
  RT_TRY(resources_->takeStream(&stream, options));
  Status status = body(*stream);
  // Waited for even if the body failed: what it submitted writes to buffers of the caller.
  (void)stream->wait(stream->submitted(), Deadline::never());
  if (status.ok() && stream->latch.failed()) status = stream->latch.get();
  stream->claims.store(0, std::memory_order_release);  // as ContextResources::returnStream()
  resources_->giveBackStream(std::move(stream));
  return status;
}

bool Pool::recordAllocation(const void* pointer, const char* label) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  Region& region = *address_map::find(pointer);
  const Block& block = *region.blockAt(address);
  const uint64_t size = block.size.load(std::memory_order_relaxed);
  records::allocated(address, size, label);
  // A block of a stretch of pin mode may be handed out while work that used more of it is in flight.
  if (!guards_ || block.pinned) return false;
  if (!region.memory().host_visible) return true;
  // All bytes up to the end of the block, since the program may use none of them. A limit keeps allocations cheap.
  const uint64_t guard = std::min(region.capacityOf(block) - size, kMostGuardBytes);
  memset(reinterpret_cast<void*>(address + size), kGuardPattern, guard);
  records::setGuard(address, guard);
  return false;
}

void Pool::fillDistant(const void* pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  uint64_t size, guard;
  {
    const epoch::Guard reads;
    Region& region = *address_map::find(pointer);
    // The guard is for the look-up alone: a wait under it would hold up every reclaim.
    size = address_map::locate(pointer).size;
    const Block& block = *region.blockAt(address);
    guard = std::min(region.capacityOf(block) - size, kMostGuardBytes);
  }
  try {
    const Status status = throughStream([&](backend::Stream& stream) {
      for (const Piece piece : ends(address, size)) RT_TRY(fill(stream, piece, kFreshPattern));
      return guard == 0 ? Status() : fill(stream, {address + size, guard}, kGuardPattern);
    });
    if (status.ok()) records::setGuard(address, guard);
  } catch (const std::bad_alloc&) {  // the allocation has succeeded, and is not checked
  }
}

// The block is in no list, or this thread's alone.
void Pool::inspect(const Region& region, const Block& block) {
  const uintptr_t address = region.addressOf(block);
  const uint64_t size = block.size.load(std::memory_order_relaxed);
  // Taken out of the record: the guard holds for one life of the block.
  const uint64_t guard = records::takeGuard(address);
  const auto compare = [&](const unsigned char* bytes) {
    const uint64_t at = firstOther(bytes, guard, kGuardPattern);
    if (at != guard) records::reportOverrun(address, at, bytes[at]);
  };
  try {
    if (region.memory().host_visible) {
      compare(reinterpret_cast<const unsigned char*>(address + size));
      for (const Piece piece : ends(address, size)) memset(reinterpret_cast<void*>(piece.begin), kFreedPattern, piece.size);
    } else {
      std::vector<unsigned char> bytes;
      const Status status = throughStream([&](backend::Stream& stream) {
        if (guard != 0) RT_TRY(copy(stream, {address + size, guard}, &bytes));
        for (const Piece piece : ends(address, size)) RT_TRY(fill(stream, piece, kFreedPattern));
        return Status();
      });
      if (!status.ok()) return;  // of a device that is lost: there is nothing to compare
      compare(bytes.data());
    }
    records::setFilled(address);
  } catch (const std::bad_alloc&) {  // a free must not fail: the block is not checked
  }
}

// As inspect(), at the end of the quarantine.
void Pool::inspectFreed(const Region& region, const Block& block) {
  const uintptr_t address = region.addressOf(block);
  if (!records::takeFilled(address)) return;
  try {
    for (const Piece piece : ends(address, block.size.load(std::memory_order_relaxed))) {
      std::vector<unsigned char> copied;
      const auto* bytes = reinterpret_cast<const unsigned char*>(piece.begin);
      if (!region.memory().host_visible) {
        const Status status = throughStream([&](backend::Stream& stream) { return copy(stream, piece, &copied); });
        if (!status.ok()) return;
        bytes = copied.data();
      }
      const uint64_t at = firstOther(bytes, piece.size, kFreedPattern);
      if (at == piece.size) continue;
      records::reportWriteAfterFree(address, piece.begin - address + at, bytes[at]);
      return;
    }
  } catch (const std::bad_alloc&) {  // as in inspect()
  }
}

uint64_t Pool::quarantineLimit() {
  std::lock_guard lock(lock_);
  if (isClosed()) return 0;
  return options_.maximum_bytes == 0 ? kQuarantineBytes : std::min(kQuarantineBytes, options_.maximum_bytes / kLimitPart);
}

// In the place of the end of free(), which has written the stamps.
void Pool::quarantine(Region& region, Block& block, bool pending) {
  const bool at_once = !pending && region.memory().host_visible && !block.pinned;
  if (at_once) inspect(region, block);
  const uint64_t size = block.size.load(std::memory_order_relaxed);
  // The state changes together with the counters, so that a reader of the statistics sees the block as live or as pending.
  bool held;
  {
    std::lock_guard lock(lock_);
    if (std::exchange(block.freed_early, false)) {
      leased_bytes_.fetch_sub(size, std::memory_order_relaxed);
    } else {
      countFree(size);
    }
    held = holdPinned(block);
    if (!held) {
      block.state.store(Block::kQuarantined, std::memory_order_release);
      if (at_once) {
        keepFreed(block);
      } else {
        pending_bytes_ += size;
        waiting_blocks_.append(&block);
      }
    }
  }
  if (trace::tellsMemory()) [[unlikely]]
    traceLiveBytes();
  if (held) return;  // its stretch gives it back
  if (at_once) {
    endQuarantine(quarantineLimit(), false);
  } else {
    releaseWhenPassed();
  }
}

// Under the lock.
void Pool::keepFreed(Block& block) {
  quarantined_.append(&block);
  quarantined_bytes_ += block.region->capacityOf(block);
}

// Inspects the blocks whose work is done. Without `may_wait` those alone that the host sees.
void Pool::inspectPassed(bool may_wait) {
  for (bool more = true; more;) {
    Dropped dropped;
    Block* found = nullptr;
    more = false;
    {
      std::lock_guard lock(lock_);
      for (Block* block = waiting_blocks_.first; block != nullptr && !more; block = block->next) {
        if ((!may_wait && !block->region->memory().host_visible) || !passed(*block, nullptr)) continue;
        more = true;
        // The references go when `dropped` ends, without the lock. The outer loop then looks again from the start.
        if (!dropped.take(*block, nullptr)) break;  // there is no more room: again
        found = block;
      }
      if (found != nullptr) {
        waiting_blocks_.remove(found);
        found->serial = 0;
        // The block is in no list while it is inspected without the lock. emptyQuarantine() waits for this count.
        ++inspecting_;
      }
    }
    if (found != nullptr) inspectTaken(*found);
  }
}

// Compares a block that was taken from the list of those that wait. `inspecting_` has counted it since then.
void Pool::inspectTaken(Block& block) {
  inspect(*block.region, block);
  std::lock_guard lock(lock_);
  --inspecting_;
  pending_bytes_ -= block.size.load(std::memory_order_relaxed);
  keepFreed(block);
}

// Lets the oldest blocks go until `keep` bytes are left. Without `may_wait` those alone that the host sees.
void Pool::endQuarantine(uint64_t keep, bool may_wait) {
  for (;;) {
    Block* block;
    {
      std::lock_guard lock(lock_);
      block = quarantined_.first;
      if (block == nullptr || quarantined_bytes_ <= keep) return;
      if (!may_wait && !block->region->memory().host_visible) return;
      quarantined_.remove(block);
      quarantined_bytes_ -= block->region->capacityOf(*block);
      ++inspecting_;
    }
    inspectFreed(*block->region, *block);
    Region* released = nullptr;
    bool at_once;
    {
      std::lock_guard lock(lock_);
      --inspecting_;
      // Only now may another allocation get the block: its bytes have been compared.
      makeReady(*block->region, *block);
      at_once = releasesAtOnce();
      if (at_once) released = detachUnused(0);
    }
    giveBack(released);
    if (at_once) trimRanges(0);
  }
}

void Pool::emptyQuarantine() {
  if (!guards_) return;
  for (;;) {
    inspectPassed(true);
    endQuarantine(0, true);
    {
      std::lock_guard lock(lock_);
      // Both under one lock: a block that another thread inspects is in no list, and comes back to one.
      if (inspecting_ == 0 && quarantined_.first == nullptr) return;  // another thread may have kept one meanwhile
    }
    std::atomic<uint32_t> word{0};  // another thread is at a block
    (void)futexWait(&word, 0, Deadline::after(kLookNanoseconds));
  }
}

void Pool::inspectAfter(Region& region, Block& block, backend::Stream& stream) {
  if (!region.memory().host_visible) return;
  uint64_t serial;
  {
    std::lock_guard lock(lock_);
    if (block.state.load(std::memory_order_relaxed) != Block::kQuarantined) return;
    // Work of other streams that uses it is waited for by the library's thread.
    if (block.every_stream || block.stamps == nullptr || block.stamps->size() != 1) return;
    if (block.stamps->front().stream.get() != &stream) return;
    // The number ties the task to this free: the block may be inspected, reused and freed again before the task runs.
    serial = block.serial = inspections.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  try {
    (void)stream.call(new InspectTask(region.addressOf(block), serial), backend::TaskKind::kInternal);
  } catch (const std::bad_alloc&) {  // a free must not fail: the library's thread inspects the block
  }
}

// The library's thread may have inspected the block in the meantime, and it may have been handed out again and freed again.
void Pool::inspectPending(Region&, Block& block, uint64_t serial) {
  Dropped dropped;
  {
    std::lock_guard lock(lock_);
    if (block.state.load(std::memory_order_relaxed) != Block::kQuarantined || block.serial != serial) return;
    // Without room for references the block stays in the list, and the library's thread inspects it later.
    if (!dropped.take(block, nullptr)) return;
    waiting_blocks_.remove(&block);
    block.serial = 0;
    ++inspecting_;
  }
  inspectTaken(block);
  endQuarantine(quarantineLimit(), false);
}

}  // namespace manyrt::allocator
