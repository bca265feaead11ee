// A block: a piece of a region that the program was given, or that waits to be. Pools write it; ops read it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/backend.h"

namespace manyrt::allocator {

class PinScope;
class Region;
class StreamCache;

// All submissions of a stream up to `serial`.
struct Stamp {
  Ref<backend::Stream> stream;
  uint64_t serial = 0;

  bool passed() const { return stream->completed() >= serial; }
};

// A line of the processor's cache for each block: neighbours belong to different streams.
struct alignas(64) Block {
  // kCached: in the cache of a stream (stream_cache.h). kPending: in the pool, with stamps that had not passed.
  // kQuarantined: freed with RT_MEMORY_DEBUG, see pool_quarantine.cpp.
  enum State : uint32_t { kFree, kLive, kClosing, kPending, kCached, kQuarantined };

  // Stored with release once the address map has the region. A reader without the pool's lock acquires kLive, and may read
  // `size` then. In any other state it uses nothing. A block of a pool leaves kLive under the lock of its home. Without a pool
  // the claim is seq_cst, against leases (block_lease.h).
  std::atomic<uint32_t> state{kFree};
  std::atomic<uint32_t> leases{0};  // see block_lease.h
  uint32_t index = 0;
  bool pinned = false;        // allocated in pin mode, see pin_scope.h; under the pool's lock
  bool freed_early = false;   // the program has freed it while leases hold it; counts as pending; under the pool's lock
  bool every_stream = false;  // without memory for stamps: pending until all streams of its context are idle
  // kLabelled: recycled or not, with a label in labels.h, until it is handed out again. A report of a crash may read it.
  enum Past : uint8_t { kFresh, kRecycled, kLabelled };
  std::atomic<uint8_t> past{kFresh};  // relaxed: changes under the lock of its home, or by the thread that has allocated it
  Region* region = nullptr;           // that it is part of
  std::atomic<uint64_t> size{0};  // as asked for; a look-up of a stale address may read it while the block is handed out again
  union {
    Block* next = nullptr;
    PinScope* scope;  // of a live block that is pinned
  };
  uint64_t serial = 0;  // cached: the stream's work that may use it; pinned: how many graphs had joined; else see
                        // pool_poison.cpp and pool_quarantine.cpp
  // The lock that a free and a first lease take while the block is live. It is that of the cache that has handed it out, or, if
  // null, the pool's. Relaxed: changes under that lock, and is read again after taking it.
  std::atomic<StreamCache*> home{nullptr};
  std::unique_ptr<std::vector<Stamp>> stamps;  // while pending; null: none
  std::vector<Stamp>& writableStamps() {
    if (stamps == nullptr) stamps = std::make_unique<std::vector<Stamp>>();
    return *stamps;
  }
};
static_assert(sizeof(Block) == 64);

}  // namespace manyrt::allocator
