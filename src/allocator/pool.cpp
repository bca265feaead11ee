// Pools: allocation, deferred reuse, and giving memory back to drivers. Under the lock a driver is only asked how far a stream
// has come.
//
// The states of a block: kFree -> kLive (handOut) -> kClosing (claim, or its last lease) -> kPending (makePending) or kFree
// (makeReady). All changes happen under the lock, but that of the last lease, which runs without it. A block in kClosing has
// exactly one thread that brings it further: the one that passes it to free().
#include "allocator/pool.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "allocator/block_lease.h"
#include "allocator/poison.h"
#include "base/checked.h"
#include "base/config.h"
#include "base/fault.h"
#include "base/lock_order.h"
#include "base/log.h"
#include "base/os/futex.h"

namespace manyrt::allocator {
namespace {

constexpr uint64_t kLargeGranule = 64 << 10;
constexpr int kPendingLooks = 16;            // pending blocks that an allocation tries before it takes fresh memory
constexpr uint64_t kPatternBytes = 1 << 20;  // RT_MEMORY_DEBUG fills this much at either end

using Number = unsigned long long;

bool fillsMemory() {
  static const bool fills = config::flag(config::Variable::kMemoryDebug);
  return fills;
}

// Changes a counter that is written under the lock and read without it: no read-modify-write is needed. Release pairs with the
// acquire loads of liveBytes() and liveCount().
uint64_t add(std::atomic<uint64_t>& counter, uint64_t change) {
  const uint64_t sum = counter.load(std::memory_order_relaxed) + change;
  counter.store(sum, std::memory_order_release);
  return sum;
}

[[gnu::cold]] void traceLiveBytes() { trace::liveBytes(liveBytes()); }

void fillEnds(uintptr_t address, uint64_t size, int pattern) {
  auto* bytes = reinterpret_cast<unsigned char*>(address);
  memset(bytes, pattern, std::min(size, kPatternBytes));
  if (size > kPatternBytes) memset(bytes + size - kPatternBytes, pattern, kPatternBytes);
}

bool poolsKeepMemory() {
  static const bool keep = [] {
    const char* value = config::get(config::Variable::kPool);
    const bool off = value != nullptr && strcmp(value, "off") == 0;
    if (value != nullptr && !off) log::write(RT_LOG_WARNING, "RT_POOL=%s is not used: the only value is off.", value);
    return !off;
  }();
  return keep;
}

}  // namespace

Pool::Pool(Ref<ContextResources> resources, const PoolOptions& options)
    : resources_(std::move(resources)),
      keeps_(poolsKeepMemory()),
      fills_(fillsMemory()),
      red_zone_(keeps_ && options.maximum_bytes == 0 && resources_->device().limits().reaches_host ? redZone() : 0),
      options_(options) {
  resources_->addPool(*this);
}

Pool::~Pool() { resources_->removePool(*this); }

bool Pool::passed(Block& block, backend::Stream* stream) {
  if (block.every_stream) return resources_->allIdle() && !block.region->usesPending();
  for (const Stamp& stamp : block.stamps) {
    if (stamp.stream.get() != stream && !stamp.passed()) return false;
  }
  return true;
}

bool Pool::Dropped::take(Block& block, const backend::Stream* stream) {
  for (std::vector<Stamp>& stamps = block.stamps; !stamps.empty(); stamps.pop_back()) {
    // The stamp of `stream` goes last: if there is no room, the block must still have it, since it may not have passed.
    if (stamps.back().stream.get() == stream) std::swap(stamps.front(), stamps.back());
    backend::Stream* passed = stamps.back().stream.get();
    if (!passed->dropUnlessLast()) {
      if (count_ == kRoom) return false;
      streams_[count_++] = passed;
    }
    (void)stamps.back().stream.detach();
  }
  block.every_stream = false;
  return true;
}

Block* Pool::takePending(Class& bucket, backend::Stream* stream, Dropped* dropped) {
  Block** at = &bucket.pending;
  for (int looks = 0; *at != nullptr && looks < kPendingLooks; ++looks) {  // newest first
    Block* block = *at;
    if (passed(*block, stream) && dropped->take(*block, stream)) {
      *at = block->next;
      pending_bytes_ -= block->size;
      ++reuses_;
      return block;
    }
    at = &block->next;
  }
  return nullptr;
}

// Best fit among the large regions, with a quarter of the size wasted at most.
Region* Pool::takeLarge(uint64_t size, uint64_t alignment, backend::Stream* stream, Dropped* dropped) {
  Region* best = nullptr;
  for (Region* region = large_; region != nullptr; region = region->next) {
    uint64_t bytes = region->memory().size;
    if (bytes < size || bytes - size > size / 4 || region->begin() % alignment != 0) continue;
    if (best != nullptr && best->memory().size <= bytes) continue;
    Block& block = region->block(0);
    // Relaxed under the lock. The last lease changes the state without it, but from kLive alone, which does not matter here.
    uint32_t state = block.state.load(std::memory_order_relaxed);
    if (state == Block::kFree || (state == Block::kPending && passed(block, stream))) best = region;
  }
  if (best == nullptr) return nullptr;
  Block& block = best->block(0);
  if (block.state.load(std::memory_order_relaxed) == Block::kPending) {
    if (!dropped->take(block, stream)) return nullptr;
    pending_bytes_ -= block.size;
  } else {
    unused_ -= best->memory().size;
    ++best->busy;
  }
  ++reuses_;
  return best;
}

inline void Pool::handOut(Region& region, Block& block, uint64_t size, bool pinned) {
  // Relaxed: the release of the state below publishes the size.
  block.size.store(size, std::memory_order_relaxed);
  block.pinned = pinned;
  add(allocations_, 1);
  const uint64_t live = add(live_bytes_, size);
  if (live > peak_live_) peak_live_ = live;
  if (region.memory().host_visible) unpoison(region.addressOf(block), size);
  // Release: address_map::locate reads the size behind the state.
  block.state.store(Block::kLive, std::memory_order_release);
}

// A new region of the driver, in the lists of the pool and counted as busy. The bytes are checked against the limit and
// reserved under the lock, before the driver is called without it. So two threads that grow at once cannot pass the limit
// together.
Status Pool::grow(Region** out, Region::Kind kind, uint64_t size, uint64_t alignment, uint64_t block_size) {
  {
    std::lock_guard lock(lock_);
    uint64_t total;
    if (options_.maximum_bytes != 0 && (addOverflows(reserved_, size, &total) || total > options_.maximum_bytes)) {
      return Status::error(RT_ERROR_OUT_OF_MEMORY, "The pool holds %llu bytes; %llu more would pass its limit of %llu bytes.",
                           static_cast<Number>(reserved_), static_cast<Number>(size),
                           static_cast<Number>(options_.maximum_bytes));
    }
    reserved_ += size;
  }
  auto undo = [&](Status status) {
    std::lock_guard lock(lock_);
    reserved_ -= size;
    return status;
  };
  backend::Memory memory;
  Status status = resources_->native().allocate(&memory, options_.kind, size, alignment);
  if (!status.ok()) return undo(std::move(status));
  memory.size = size;
  memory.kind = options_.kind;
  Region* region = nullptr;
  try {
    if (fault::fails("region")) throw std::bad_alloc();
    region = new Region(resources_, Ref<Pool>(this), kind, memory, block_size);
    status = address_map::insert(region);
  } catch (const std::bad_alloc&) {  // the driver's memory has to go back; the sentence says what could not be kept track of
    status = Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no host memory to keep track of %llu bytes.",
                           static_cast<Number>(size));
  }
  if (!status.ok()) {
    resources_->native().release(memory);
    delete region;
    return undo(std::move(status));
  }
  if (memory.host_visible) poison(region->begin(), size);
  std::lock_guard lock(lock_);
  ++driver_allocations_;
  region->busy = 1;  // for the caller: no trim gives the region back meanwhile
  peak_reserved_ = std::max(peak_reserved_, reserved_);
  Region*& list = kind == Region::Kind::kSlab ? slabs_ : large_;
  region->next = list;
  list = region;
  *out = region;
  return Status();
}

// The size of a slab: kSlabBytes, or what the limit of the pool leaves.
uint64_t Pool::slabBytes(uint64_t block_size) {
  std::lock_guard lock(lock_);
  if (options_.maximum_bytes == 0) return kSlabBytes;
  const uint64_t room = options_.maximum_bytes > reserved_ ? options_.maximum_bytes - reserved_ : 0;
  return std::max(block_size, std::min(kSlabBytes, room) / block_size * block_size);
}

// A block that was never handed out. Null: no slab of the class has one.
inline Block* Pool::takeUnused(uint32_t index) {
  Region* open = open_[index];
  if (open == nullptr) return nullptr;
  Block* block = &open->block(open->next_unused++);
  if (open->next_unused == open->blockCount()) open_[index] = nullptr;
  return block;
}

inline Block* Pool::allocateKept(uint32_t index, uint64_t size, backend::Stream* stream, bool pinned, bool* in_use) {
  Dropped dropped;
  std::lock_guard lock(lock_);
  Class& bucket = classes_[index];
  Block* block = bucket.pending == nullptr ? nullptr : takePending(bucket, stream, &dropped);
  *in_use = block != nullptr;
  if (block == nullptr) {
    block = bucket.ready;
    if (block != nullptr) [[likely]] {
      bucket.ready = block->next;
      ++reuses_;
    } else if ((block = takeUnused(index)) == nullptr) {
      return nullptr;
    }
    unused_ -= block->region->blockSize();
    ++block->region->busy;
  }
  handOut(*block->region, *block, size, pinned);
  return block;
}

[[gnu::cold]] Status Pool::allocateFresh(Block** block, uint32_t index, uint64_t size, bool pinned) {
  const uint64_t bytes = classBytes(index);
  const uint64_t slab = slabBytes(bytes);
  Region* fresh = nullptr;
  RT_TRY(grow(&fresh, Region::Kind::kSlab, slab, kSlabBytes, bytes));
  std::lock_guard lock(lock_);
  unused_ += slab - bytes;
  // Another thread may have opened a slab meanwhile. One slab of a class is open at a time: its unused blocks become ready.
  Region* spare = open_[index];
  open_[index] = fresh->blockCount() > 1 ? fresh : nullptr;
  while (spare != nullptr && spare->next_unused < spare->blockCount()) {
    Block& rest = spare->block(spare->next_unused++);
    rest.next = classes_[index].ready;
    classes_[index].ready = &rest;
  }
  *block = &fresh->block(fresh->next_unused++);
  handOut(*fresh, **block, size, pinned);
  return Status();
}

[[gnu::noinline]] Status Pool::allocateLarge(Block** out, uint64_t wanted, uint64_t size, uint64_t alignment,
                                             backend::Stream* stream, bool pinned, bool* in_use) {
  uint64_t bytes;
  if (wanted == UINT64_MAX || roundUpOverflows(wanted, kLargeGranule, &bytes)) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "An allocation of %llu bytes is more than any device has.",
                         static_cast<Number>(size));
  }
  if (!keeps_) bytes = size;  // exact, so that tools which check allocations of a driver see an access one byte beyond
  Region* region = nullptr;
  Dropped dropped;
  std::unique_lock lock(lock_);
  if (keeps_) region = takeLarge(wanted, std::max(alignment, kAlignment), stream, &dropped);
  if (region == nullptr) {
    lock.unlock();
    RT_TRY(grow(&region, Region::Kind::kLarge, bytes, std::max(alignment, kAlignment), bytes));
    lock.lock();
  }
  *out = &region->block(0);
  *in_use = (*out)->state.load(std::memory_order_relaxed) == Block::kPending;
  handOut(*region, **out, size, pinned);
  return Status();
}

Status Pool::allocate(void** pointer, uint64_t size, uint64_t alignment, backend::Stream* stream, bool pinned) {
  uint64_t wanted;
  if (addOverflows(size, red_zone_, &wanted)) wanted = UINT64_MAX;
  if (alignment > kAlignment) {  // a block of a power of two bytes is aligned to its size
    if (roundUpOverflows(wanted, alignment, &wanted)) wanted = UINT64_MAX;
    if (wanted <= kMaxBlock && keeps_) wanted = uint64_t{1} << (64 - __builtin_clzll(wanted - 1));
  }
  Block* block = nullptr;
  bool in_use = false;  // reused in the order of its stream, where earlier work may still use it
  if (wanted <= kMaxBlock && keeps_) [[likely]] {
    const uint32_t index = sizeClass(wanted);
    block = allocateKept(index, size, stream, pinned, &in_use);
    if (block == nullptr) [[unlikely]]
      RT_TRY(allocateFresh(&block, index, size, pinned));
  } else {
    if (!keeps_) trimPassed();
    RT_TRY(allocateLarge(&block, wanted, size, alignment, stream, pinned, &in_use));
  }
  Region& region = *block->region;
  const uintptr_t address = region.addressOf(*block);
  if (fills_ && region.memory().host_visible && !in_use) [[unlikely]]
    fillEnds(address, size, kFreshPattern);
  if (trace::enabled()) [[unlikely]]
    traceLiveBytes();
  *pointer = reinterpret_cast<void*>(address);
  return Status();
}

bool Pool::lease(Block& block) {
  std::lock_guard lock(lock_);
  return countLease(block);
}

inline void Pool::countFree(uint64_t size) {
  add(live_bytes_, 0 - size);
  add(frees_, 1);
}

// Ends the program's part of a block. Leases of a live block begin under the lock alone, so that a block without leases stays
// so here. The last lease of a block that belongs to its leases runs without the lock: it closes the state first and clears the
// word then. So the word is read before the state, both with acquire: a cleared word implies a state that is not live.
inline Pool::Freed Pool::claim(Block& block) {
  const bool leased = block.leases.load(std::memory_order_acquire) != 0;
  if (block.state.load(std::memory_order_acquire) != Block::kLive) [[unlikely]]
    return Freed::kNotLive;
  if (!leased) [[likely]]
    return Freed::kYes;
  if (belongsToLeases(block)) return Freed::kNotLive;
  block.state.store(Block::kClosing, std::memory_order_release);
  if (releaseFromProgram(block)) return Freed::kYes;
  const uint64_t size = block.size.load(std::memory_order_relaxed);
  countFree(size);
  leased_bytes_ += size;
  block.freed_early = true;  // in time: the last lease may end now, but its free() waits for the lock
  return Freed::kLater;
}

// Frees a block that no stream uses any more.
inline void Pool::makeReady(Region& region, Block& block) {
  if (region.memory().host_visible) poison(region.addressOf(block), region.blockSize());
  block.state.store(Block::kFree, std::memory_order_release);
  unused_ += region.blockSize();
  --region.busy;
  if (region.kind() == Region::Kind::kLarge) return;
  Class& bucket = classes_[region.sizeClass()];
  block.next = bucket.ready;
  bucket.ready = &block;
}

// Frees a block that may be in use until its stamps have passed.
inline void Pool::makePending(Region& region, Block& block) {
  pending_bytes_ += block.size.load(std::memory_order_relaxed);
  block.state.store(Block::kPending, std::memory_order_release);
  if (region.kind() == Region::Kind::kLarge) return;
  Class& bucket = classes_[region.sizeClass()];
  block.next = bucket.pending;
  bucket.pending = &block;
}

Pool::Freed Pool::release(Region& region, Block& block, backend::Stream* stream) {
  // The common free, in the order of a stream, of memory that no other context has used, is one section under the lock. The
  // stream is asked before: it may call a driver. Work that is submitted behind that question is ordered behind the free.
  const bool common = stream != nullptr && !region.hasUses() && !fills_;
  const uint64_t serial = common ? stream->submitted() : 0;
  const bool unused = common && stream->completed() >= serial;
  bool done = false;
  {
    std::lock_guard lock(lock_);
    const Freed freed = claim(block);
    if (freed != Freed::kYes) [[unlikely]]
      return freed;
    const bool room = block.stamps.capacity() != 0;  // nothing is allocated under the lock
    done = common && (unused || room) && !releasesAtOnce();
    if (!done) {  // free() goes on without the lock; the state keeps all others away from the block
      block.state.store(Block::kClosing, std::memory_order_release);
    } else {
      countFree(block.size.load(std::memory_order_relaxed));
      if (unused) {
        makeReady(region, block);
      } else {
        block.stamps.push_back({Ref<backend::Stream>(stream), serial});
        makePending(region, block);
      }
    }
  }
  if (done) {
    if (trace::enabled()) [[unlikely]]
      traceLiveBytes();
  } else {
    free(region, block, stream);
  }
  return Freed::kYes;
}

// The block is in the state kClosing and this thread's alone, so that its stamps are written without the lock. Without memory
// for stamps the block waits for every stream of the context, and for the uses by others: a free must not fail.
void Pool::free(Region& region, Block& block, backend::Stream* stream) {
  try {
    if (stream != nullptr) {
      uint64_t submitted = stream->submitted();
      if (stream->completed() < submitted) block.stamps.push_back({Ref<backend::Stream>(stream), submitted});
    } else {
      resources_->pendingStreams(&block.stamps);
    }
    region.pendingUses(&block.stamps);
  } catch (const std::bad_alloc&) {  // a free must not fail
    block.stamps.clear();
    block.every_stream = true;
  }
  const bool pending = block.every_stream || !block.stamps.empty();
  const uint64_t size = block.size;
  if (fills_ && region.memory().host_visible && !pending) fillEnds(region.addressOf(block), size, kFreedPattern);
  Region* released = nullptr;
  bool wait = false;
  {
    std::lock_guard lock(lock_);
    if (std::exchange(block.freed_early, false)) {
      leased_bytes_ -= size;
    } else {
      countFree(size);
    }
    if (pending) {
      makePending(region, block);
      wait = releasesAtOnce();
    } else {
      makeReady(region, block);
      if (releasesAtOnce()) released = detachUnused(0);
    }
  }
  if (trace::enabled()) [[unlikely]]
    traceLiveBytes();
  giveBack(released);
  if (wait) releaseWhenPassed();
}

// Blocks whose stamps have passed become ready. Stops when `dropped` is full: the caller gives the references back without the
// lock and calls again.
bool Pool::settle(Dropped* dropped) {
  auto ready = [&](Region& region, Block& block) {
    if (!dropped->take(block, nullptr)) return false;
    pending_bytes_ -= block.size;
    makeReady(region, block);
    return true;
  };
  for (Class& bucket : classes_) {
    for (Block** at = &bucket.pending; *at != nullptr;) {
      Block* block = *at;
      if (!passed(*block, nullptr)) {
        at = &block->next;
        continue;
      }
      Block* next = block->next;  // before makeReady() links the block into another list
      if (!ready(*block->region, *block)) return false;
      *at = next;
    }
  }
  for (Region* region = large_; region != nullptr; region = region->next) {
    Block& block = region->block(0);
    if (block.state.load(std::memory_order_relaxed) != Block::kPending || !passed(block, nullptr)) continue;
    if (!ready(*region, block)) return false;
  }
  return true;
}

// Takes regions without a live or pending block out of the lists, until `keep_bytes` are left unused. The blocks of a slab
// leave the lists of their class with it.
Region* Pool::detachUnused(uint64_t keep_bytes) {
  Region* detached = nullptr;
  for (Region** list : {&large_, &slabs_}) {
    for (Region** at = list; *at != nullptr && unused_ > keep_bytes;) {
      Region* region = *at;
      if (region->busy != 0) {
        at = &region->next;
        continue;
      }
      *at = region->next;
      region->next = detached;
      detached = region;
      reserved_ -= region->memory().size;
      unused_ -= region->memory().size;
      if (region->kind() != Region::Kind::kSlab) continue;
      uint32_t index = region->sizeClass();
      if (open_[index] == region) open_[index] = nullptr;
      for (Block** ready = &classes_[index].ready; *ready != nullptr;) {
        if ((*ready)->region == region) {
          *ready = (*ready)->next;
        } else {
          ready = &(*ready)->next;
        }
      }
    }
  }
  return detached;
}

// A call may have found a region before it leaves the map: the driver gets the memory back a grace period later
// (Region::reclaim).
void Pool::giveBack(Region* regions) {
  while (regions != nullptr) {
    Region* next = regions->next;
    address_map::remove(regions);
    epoch::retire(regions);
    regions = next;
  }
}

Status Pool::reserve(uint64_t bytes) {
  if (bytes == 0 || !keeps_) return Status();
  uint64_t size;
  if (roundUpOverflows(bytes, kLargeGranule, &size)) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "A pool of %llu bytes is more than any device has.",
                         static_cast<Number>(bytes));
  }
  Region* region;
  RT_TRY(grow(&region, Region::Kind::kLarge, size, kAlignment, size));
  std::lock_guard lock(lock_);
  --region->busy;
  unused_ += size;
  return Status();
}

void Pool::trim(uint64_t keep_bytes) {
  Ref<Pool> self(this);
  Region* released = nullptr;
  settled([&] { released = detachUnused(keep_bytes); });
  giveBack(released);
}

void Pool::trimPassed() {
  {
    std::lock_guard lock(lock_);
    if (pending_bytes_ == 0) return;
  }
  trim(0);
}

void Pool::trimToThreshold() {
  uint64_t threshold;
  {
    std::lock_guard lock(lock_);
    threshold = options_.release_threshold;
    if (unused_ + pending_bytes_ <= threshold) return;
  }
  trim(threshold);
}

void Pool::close() {
  bool pending;
  {
    std::lock_guard lock(lock_);
    closed_ = true;
  }
  trim(0);
  {
    std::lock_guard lock(lock_);
    pending = pending_bytes_ != 0;
  }
  if (pending) releaseWhenPassed();
}

namespace {

// The pools that keep nothing and have pending blocks. One job of the library serves all of them, and ends when there are none.
struct PendingPools final : host_threads::Job {
  void run() override;

  Ranked<SpinLock, LockRank::kPendingPools> lock;
  Pool* first = nullptr;
  bool running = false;
};
PendingPools& pendingPools() {
  static PendingPools* all = new PendingPools;  // never destroyed: it may run until the process ends
  return *all;
}

}  // namespace

// `waiting_` and the list change under two locks, in this order. The job clears `waiting_` under the pool's lock, only if
// nothing is pending. A block that becomes pending later enters the pool into the list again.
void Pool::releaseWhenPassed() {
  {
    std::lock_guard lock(lock_);
    if (waiting_) return;
    waiting_ = true;
  }
  retain();
  PendingPools& all = pendingPools();
  bool start;
  {
    std::lock_guard lock(all.lock);
    next_pending_ = all.first;
    all.first = this;
    start = !std::exchange(all.running, true);
  }
  if (start) host_threads::submit(&all);
}

bool Pool::releasePassed(Ref<backend::Stream>* stream, uint64_t* serial) {
  trim(0);
  std::lock_guard lock(lock_);
  if (pending_bytes_ == 0) {
    waiting_ = false;
    return true;
  }
  auto look = [&](Block& block) {
    for (const Stamp& stamp : block.stamps) {
      if (*stream || stamp.passed()) continue;
      *stream = stamp.stream;
      *serial = stamp.serial;
    }
  };
  for (Class& bucket : classes_) {
    for (Block* block = bucket.pending; block != nullptr; block = block->next) look(*block);
  }
  for (Region* region = large_; region != nullptr; region = region->next) {
    if (region->block(0).state.load(std::memory_order_relaxed) == Block::kPending) look(region->block(0));
  }
  return false;
}

namespace {

// Looks at all listed pools, then sleeps until one of their streams has passed a stamp, for ever longer times while nothing
// ends. `running` is cleared under the lock together with the look at the empty list, so that no pool is missed.
void PendingPools::run() {
  constexpr uint64_t kMinRest = 100'000, kMaxRest = 20'000'000;  // nanoseconds between two looks at all of them
  for (uint64_t rest = kMinRest;; rest = std::min(2 * rest, kMaxRest)) {
    Ref<backend::Stream> stream;
    uint64_t serial = 0;
    Pool* looked_at;
    {
      std::lock_guard guard(lock);
      looked_at = std::exchange(first, nullptr);
    }
    while (looked_at != nullptr) {
      Pool* pool = looked_at;
      looked_at = pool->next_pending_;
      if (pool->releasePassed(&stream, &serial)) {
        pool->drop();
        rest = kMinRest;
        continue;
      }
      std::lock_guard guard(lock);
      pool->next_pending_ = first;
      first = pool;
    }
    epoch::safePoint();
    {
      std::lock_guard guard(lock);
      if (first == nullptr) {
        running = false;
        return;
      }
    }
    if (stream) {
      (void)stream->wait(serial, Deadline::after(rest));
    } else {
      std::atomic<uint32_t> word{0};
      (void)futexWait(&word, 0, Deadline::after(rest));
    }
  }
}

}  // namespace

void Pool::setLimit(uint64_t bytes) {
  std::lock_guard lock(lock_);
  options_.maximum_bytes = bytes;
}

void Pool::setReleaseThreshold(uint64_t bytes) {
  std::lock_guard lock(lock_);
  options_.release_threshold = bytes;
}

void Pool::setOutOfMemoryCallback(rtOutOfMemoryCallback_t callback, void* user) {
  std::lock_guard lock(lock_);
  callback_ = callback;
  callback_user_ = user;
}

rtOutOfMemoryCallback_t Pool::outOfMemoryCallback(void** user) {
  std::lock_guard lock(lock_);
  *user = callback_user_;
  return callback_;
}

}  // namespace manyrt::allocator
