// Pools: allocation, deferred reuse, and giving memory back. The lock covers lists and counters only; drivers are called
// without it.
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
constexpr int kPendingLooks = 16;            // pending blocks that an allocation looks at before it takes fresh memory
constexpr uint64_t kPatternBytes = 1 << 20;  // RT_MEMORY_DEBUG fills this much at either end

using Number = unsigned long long;

bool fillsMemory() {
  static const bool fills = config::flag(config::Variable::kMemoryDebug);
  return fills;
}

// A counter that one thread at a time writes, under a lock, and that others read without it.
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

Pool::Pool(Ref<ContextResources> owner, const PoolOptions& options)
    : owner_(std::move(owner)), keeps_(poolsKeepMemory()), fills_(fillsMemory()), options_(options) {
  owner_->addPool(*this);
}

Pool::~Pool() { owner_->removePool(*this); }

bool Pool::passed(Block& block, backend::Stream* stream) {
  if (block.every_stream) return owner_->allIdle() && !block.region->usesPending();
  for (const Stamp& stamp : block.stamps) {
    if (stamp.stream.get() != stream && !stamp.passed()) return false;
  }
  return true;
}

bool Pool::Dropped::take(Block& block, const backend::Stream* stream) {
  for (std::vector<Stamp>& stamps = block.stamps; !stamps.empty(); stamps.pop_back()) {
    if (stamps.back().stream.get() == stream) std::swap(stamps.front(), stamps.back());  // the last to go
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
  for (int looks = 0; *at != nullptr && looks < kPendingLooks; ++looks) {  // first what is freed in this stream's order
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

Region* Pool::takeLarge(uint64_t size, uint64_t alignment, backend::Stream* stream, Dropped* dropped) {
  Region* best = nullptr;
  for (Region* region = large_; region != nullptr; region = region->next) {
    uint64_t bytes = region->memory().size;
    if (bytes < size || bytes - size > size / 4 || region->begin() % alignment != 0) continue;
    if (best != nullptr && best->memory().size <= bytes) continue;
    Block& block = region->block(0);
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
  block.size.store(size, std::memory_order_relaxed);
  block.pinned = pinned;
  add(allocations_, 1);
  const uint64_t live = add(live_bytes_, size);
  if (live > peak_live_) peak_live_ = live;
  if (region.memory().host_visible) unpoison(region.addressOf(block), size);
  block.state.store(Block::kLive, std::memory_order_release);
}

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
  Status status = owner_->native().allocate(&memory, options_.kind, size, alignment);
  if (!status.ok()) return undo(std::move(status));
  memory.size = size;
  memory.kind = options_.kind;
  Region* region = nullptr;
  try {
    if (fault::fails("region")) throw std::bad_alloc();
    region = new Region(owner_, Ref<Pool>(this), kind, memory, block_size);
    status = address_map::insert(region);
  } catch (const std::bad_alloc&) {
    status = Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no host memory to keep track of %llu bytes.",
                           static_cast<Number>(size));
  }
  if (!status.ok()) {
    owner_->native().release(memory);
    delete region;
    return undo(std::move(status));
  }
  if (memory.host_visible) poison(region->begin(), size);
  std::lock_guard lock(lock_);
  ++driver_allocations_;
  region->busy = 1;  // the caller's, so that nobody gives the region back meanwhile
  peak_reserved_ = std::max(peak_reserved_, reserved_);
  Region*& list = kind == Region::Kind::kSlab ? slabs_ : large_;
  region->next = list;
  list = region;
  *out = region;
  return Status();
}

// A whole slab, or what the pool's limit leaves for one.
uint64_t Pool::slabBytes(uint64_t block_size) {
  std::lock_guard lock(lock_);
  if (options_.maximum_bytes == 0) return kSlabBytes;
  const uint64_t room = options_.maximum_bytes > reserved_ ? options_.maximum_bytes - reserved_ : 0;
  return std::max(block_size, std::min(kSlabBytes, room) / block_size * block_size);
}

// A block that was never handed out; null: every slab of the class is used up.
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
  Region* spare = open_[index];  // of another thread that was as quick: its unused blocks join the free ones
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
  if (!keeps_) bytes = size;  // what checks a driver's allocations sees the first byte beyond
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
  uint64_t wanted = size;
  if (alignment > kAlignment) {  // blocks of a power of two are as aligned as they are large
    if (roundUpOverflows(size, alignment, &wanted)) wanted = UINT64_MAX;
    if (wanted <= kLargestBlock && keeps_) wanted = uint64_t{1} << (64 - __builtin_clzll(wanted - 1));
  }
  Block* block = nullptr;
  bool in_use = false;  // handed on in the order of its stream, which may not have passed the earlier uses
  if (wanted <= kLargestBlock && keeps_) [[likely]] {
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

// Ends the program's part in a block. No lease of a live block begins without the lock, so that a block without one stays so;
// what goes last of a block that belongs to its leases closes it first and clears their word then, which is why the word is
// read before the state.
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
  block.freed_early = true;  // the last lease, perhaps ending now, waits for the lock
  return Freed::kLater;
}

// A block that nobody uses any more.
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

// A block that may be in use until its stamps have passed.
inline void Pool::makePending(Region& region, Block& block) {
  pending_bytes_ += block.size.load(std::memory_order_relaxed);
  block.state.store(Block::kPending, std::memory_order_release);
  if (region.kind() == Region::Kind::kLarge) return;
  Class& bucket = classes_[region.sizeClass()];
  block.next = bucket.pending;
  bucket.pending = &block;
}

Pool::Freed Pool::release(Region& region, Block& block, backend::Stream* stream) {
  // The common free is one section under the lock: in the order of a stream, of memory that no other context has seen.
  const bool common = stream != nullptr && !region.hasUses() && !fills_;
  const uint64_t serial = common ? stream->submitted() : 0;
  const bool unused = common && stream->completed() >= serial;
  bool done = false;
  {
    std::lock_guard lock(lock_);
    const Freed freed = claim(block);
    if (freed != Freed::kYes) [[unlikely]]
      return freed;
    const bool room = block.stamps.capacity() != 0;  // nothing is allocated here
    done = common && (unused || room) && !releasesAtOnce();
    if (!done) {
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

void Pool::free(Region& region, Block& block, backend::Stream* stream) {
  try {
    if (stream != nullptr) {
      uint64_t submitted = stream->submitted();
      if (stream->completed() < submitted) block.stamps.push_back({Ref<backend::Stream>(stream), submitted});
    } else {
      owner_->pendingStreams(&block.stamps);
    }
    region.pendingUses(&block.stamps);
  } catch (const std::bad_alloc&) {
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
      Block* next = block->next;  // of this list, before it is in another one
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

void Pool::giveBack(Region* regions) {
  while (regions != nullptr) {
    Region* next = regions->next;
    address_map::remove(regions);
    if (regions->memory().host_visible) unpoison(regions->begin(), regions->memory().size);
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

// One thread of the library looks after all pools that keep nothing and have something pending, however many there are.
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

void PendingPools::run() {
  constexpr uint64_t kShortest = 100'000, kLongest = 20'000'000;  // nanoseconds between two looks at all of them
  for (uint64_t rest = kShortest;; rest = std::min(2 * rest, kLongest)) {
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
        rest = kShortest;
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
