// Pools: allocation, deferred reuse, and giving memory back. The lock covers lists and counters only; drivers are called
// without it.
#include "allocator/pool.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "allocator/poison.h"
#include "base/checked.h"
#include "base/config.h"
#include "base/fault.h"
#include "base/futex.h"
#include "base/log.h"

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

Pool::Pool(Ref<Owner> owner, const PoolOptions& options)
    : owner_(std::move(owner)), keeps_(poolsKeepMemory()), options_(options) {}

Pool::~Pool() = default;

bool Pool::passed(Block& block, backend::Stream* stream) {
  if (block.every_stream) return owner_->allIdle();
  for (const Stamp& stamp : block.stamps) {
    if (stamp.stream.get() != stream && !stamp.passed()) return false;
  }
  return true;
}

Block* Pool::take(Class& bucket, backend::Stream* stream) {
  Block** at = &bucket.pending;
  for (int looks = 0; *at != nullptr && looks < kPendingLooks; ++looks) {  // first what is freed in this stream's order
    Block* block = *at;
    if (passed(*block, stream)) {
      *at = block->next;
      pending_bytes_ -= block->size;
      block->stamps.clear();
      block->every_stream = false;
      ++reuses_;
      return block;
    }
    at = &block->next;
  }
  Block* block = bucket.ready;
  if (block != nullptr) {
    bucket.ready = block->next;
    ++reuses_;
  }
  return block;
}

Region* Pool::takeLarge(uint64_t size, uint64_t alignment, backend::Stream* stream) {
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
    pending_bytes_ -= block.size;
    block.stamps.clear();
    block.every_stream = false;
  } else {
    unused_ -= best->memory().size;
    ++best->busy;
  }
  ++reuses_;
  return best;
}

void Pool::handOut(Region& region, Block& block, uint64_t size, bool pinned) {
  block.size.store(size, std::memory_order_relaxed);
  block.pinned = pinned;
  block.next = nullptr;
  live_bytes_ += size;
  ++live_count_;
  ++allocations_;
  peak_live_ = std::max(peak_live_, live_bytes_);
  owner_->countAllocation(1);
  uint64_t bytes = live_bytes.fetch_add(size, std::memory_order_relaxed) + size;
  if (trace::enabled()) trace::liveBytes(bytes);
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

Status Pool::allocate(void** pointer, uint64_t size, uint64_t alignment, backend::Stream* stream, bool pinned) {
  uint64_t wanted = size;
  if (alignment > kAlignment) {  // blocks of a power of two are as aligned as they are large
    if (roundUpOverflows(size, alignment, &wanted)) wanted = UINT64_MAX;
    if (wanted <= kLargestBlock && keeps_) wanted = uint64_t{1} << (64 - __builtin_clzll(wanted - 1));
  }
  if (!keeps_) trimPassed();
  Region* region = nullptr;
  Block* block = nullptr;
  bool in_use = false;  // handed on in the order of its stream, which may not have passed the earlier uses
  if (wanted <= kLargestBlock && keeps_) {
    uint32_t index = sizeClass(wanted);
    uint64_t bytes = classBytes(index);
    std::unique_lock lock(lock_);
    block = take(classes_[index], stream);
    if (block == nullptr && open_[index] == nullptr) {
      lock.unlock();
      Region* fresh = nullptr;
      const uint64_t slab = slabBytes(bytes);
      RT_TRY(grow(&fresh, Region::Kind::kSlab, slab, kSlabBytes, bytes));
      lock.lock();
      --fresh->busy;
      unused_ += slab;
      Region* spare = open_[index];  // of another thread that was as quick: its unused blocks join the free ones
      open_[index] = fresh;
      while (spare != nullptr && spare->next_unused < spare->blockCount()) {
        Block& rest = spare->block(spare->next_unused++);
        rest.next = classes_[index].ready;
        classes_[index].ready = &rest;
      }
    }
    if (block == nullptr) {
      Region* open = open_[index];
      block = &open->block(open->next_unused++);
      if (open->next_unused == open->blockCount()) open_[index] = nullptr;
    }
    region = block->region;
    in_use = block->state.load(std::memory_order_relaxed) == Block::kPending;
    if (!in_use) {
      unused_ -= bytes;
      ++region->busy;
    }
    handOut(*region, *block, size, pinned);
  } else {
    uint64_t bytes;
    if (wanted == UINT64_MAX || roundUpOverflows(wanted, kLargeGranule, &bytes)) {
      return Status::error(RT_ERROR_OUT_OF_MEMORY, "An allocation of %llu bytes is more than any device has.",
                           static_cast<Number>(size));
    }
    if (!keeps_) bytes = size;  // what checks a driver's allocations sees the first byte beyond
    std::unique_lock lock(lock_);
    if (keeps_) region = takeLarge(wanted, std::max(alignment, kAlignment), stream);
    if (region == nullptr) {
      lock.unlock();
      RT_TRY(grow(&region, Region::Kind::kLarge, bytes, std::max(alignment, kAlignment), bytes));
      lock.lock();
    }
    block = &region->block(0);
    in_use = block->state.load(std::memory_order_relaxed) == Block::kPending;
    handOut(*region, *block, size, pinned);
  }
  uintptr_t address = region->addressOf(*block);
  if (region->memory().host_visible && !in_use && fillsMemory()) fillEnds(address, size, kFreshPattern);
  *pointer = reinterpret_cast<void*>(address);
  return Status();
}

void Pool::free(Region& region, Block& block, const Ref<backend::Stream>& stream) {
  bool host_visible = region.memory().host_visible;
  try {
    if (stream) {
      uint64_t submitted = stream->submitted();
      if (stream->completed() < submitted) block.stamps.push_back({stream, submitted});
    } else {
      owner_->pendingStreams(&block.stamps);
    }
    region.pendingUses(&block.stamps);
  } catch (const std::bad_alloc&) {
    block.stamps.clear();
    block.every_stream = true;
  }
  bool pending = block.every_stream || !block.stamps.empty();
  uint64_t size = block.size;
  if (host_visible && !pending && fillsMemory()) fillEnds(region.addressOf(block), size, kFreedPattern);
  Ref<Pool> self(this);  // releasing the last region may drop the pool
  Region* released = nullptr;
  bool wait = false;
  {
    std::lock_guard lock(lock_);
    live_bytes_ -= size;
    --live_count_;
    ++frees_;
    bool large = region.kind() == Region::Kind::kLarge;
    if (pending) {
      pending_bytes_ += size;
      block.state.store(Block::kPending, std::memory_order_release);
      if (!large) {
        Class& bucket = classes_[sizeClass(region.blockSize())];
        block.next = bucket.pending;
        bucket.pending = &block;
      }
      wait = releasesAtOnce();
    } else {
      if (host_visible) poison(region.addressOf(block), region.blockSize());
      block.state.store(Block::kFree, std::memory_order_release);
      unused_ += region.blockSize();
      --region.busy;
      if (!large) {
        Class& bucket = classes_[sizeClass(region.blockSize())];
        block.next = bucket.ready;
        bucket.ready = &block;
      }
      if (releasesAtOnce()) released = detachUnused(0);
    }
  }
  owner_->countAllocation(-1);
  uint64_t bytes = live_bytes.fetch_sub(size, std::memory_order_relaxed) - size;
  if (trace::enabled()) trace::liveBytes(bytes);
  giveBack(released);
  if (wait) releaseWhenPassed();
}

void Pool::settle() {
  auto ready = [&](Region& region, Block& block) {
    pending_bytes_ -= block.size;
    block.stamps.clear();
    block.every_stream = false;
    if (region.memory().host_visible) poison(region.addressOf(block), region.blockSize());
    block.state.store(Block::kFree, std::memory_order_release);
    unused_ += region.blockSize();
    --region.busy;
  };
  for (Class& bucket : classes_) {
    for (Block** at = &bucket.pending; *at != nullptr;) {
      Block* block = *at;
      if (!passed(*block, nullptr)) {
        at = &block->next;
        continue;
      }
      *at = block->next;
      ready(*block->region, *block);
      block->next = bucket.ready;
      bucket.ready = block;
    }
  }
  for (Region* region = large_; region != nullptr; region = region->next) {
    Block& block = region->block(0);
    if (block.state.load(std::memory_order_relaxed) == Block::kPending && passed(block, nullptr)) ready(*region, block);
  }
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
      uint32_t index = sizeClass(region->blockSize());
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
  Region* released;
  {
    std::lock_guard lock(lock_);
    settle();
    released = detachUnused(keep_bytes);
  }
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

  SpinLock lock;
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
    epoch::collect();
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
