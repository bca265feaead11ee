// Pools: allocation, deferred reuse, and giving memory back to drivers. Under the lock a driver is only asked how far a stream
// has come.
//
// The states of a block: kFree -> kLive (handOut) -> kClosing (claim, or its last lease). From there: kCached (a stream's
// cache), kPending (makePending), kFree (makeReady). A block in kClosing has exactly one thread that brings it further: the one
// that passes it to free(). Cached blocks change under the lock of their cache, all others under the pool's.
//
// Locks: the pool's comes before those of caches. An allocation that finds its cache empty leaves it, takes from the pool and
// comes back.
#include "allocator/pool.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "allocator/allocation_records.h"
#include "allocator/block_lease.h"
#include "allocator/patient_lock.h"
#include "allocator/poison.h"
#include "allocator/pool_fast.h"
#include "base/checked.h"
#include "base/config.h"
#include "base/fault.h"
#include "base/lock_order.h"
#include "base/log.h"

namespace manyrt::allocator {
namespace {

constexpr uint64_t kLargeGranule = 64 << 10;
constexpr uint64_t kFirstSlabBytes = 64 << 10;  // of a class
constexpr int kPendingLooks = 16;               // pending blocks that an allocation tries before it takes fresh memory

using Number = unsigned long long;

bool fillsMemory() {
  static const bool fills = config::flag(config::Variable::kMemoryDebug);
  return fills;
}

// Both ends alone: filling all of a large allocation would touch all of its pages.
void fillEnds(uintptr_t address, uint64_t size, int pattern) {
  auto* bytes = reinterpret_cast<unsigned char*>(address);
  memset(bytes, pattern, std::min(size, kPatternBytes));
  if (size > kPatternBytes) memset(bytes + size - kPatternBytes, pattern, kPatternBytes);
}

constexpr uint64_t kPage = 4096;

bool poolsKeepMemory() {
  static const bool keep = [] {
    const char* value = config::get(config::Variable::kPool);
    const bool off = value != nullptr && strcmp(value, "off") == 0;
    if (value != nullptr && !off) log::write(RT_LOG_WARNING, "RT_POOL=%s is not used: the only value is off.", value);
    return !off;
  }();
  return keep;
}

backend::AddressRanges* rangesOf(backend::Context& context, int32_t kind) {
  backend::AddressRanges* ranges = context.addressRanges();
  return ranges != nullptr && ranges->commits(kind) ? ranges : nullptr;
}

}  // namespace

Pool::Pool(Ref<ContextResources> resources, const PoolOptions& options)
    : resources_(std::move(resources)),
      number_(nextTraceNumber()),
      keeps_(poolsKeepMemory()),
      fills_(fillsMemory()),
      poisons_(sanitizer::hasAddress()),
      guards_(fills_ && keeps_ && !poisons_),
      ranges_of_driver_(keeps_ ? rangesOf(resources_->native(), options.kind) : nullptr),
      pages_at_touch_(ranges_of_driver_ != nullptr && ranges_of_driver_->givesPagesAtTouch()),
      max_block_(ranges_of_driver_ != nullptr ? kMaxBlockBesideRanges : kMaxBlock),
      plain_(isPlain()),
      red_zone_(!keeps_ || options.maximum_bytes != 0        ? 0
                : guards_                                    ? kGuardBytes
                : resources_->device().limits().reaches_host ? redZone()
                                                             : 0),
      options_(options) {
  resources_->addPool(*this);
}

Pool::~Pool() { resources_->removePool(*this); }

// Under the lock. A stamp of `stream` itself counts as passed: the caller uses the block in that stream's order.
bool Pool::passed(Block& block, backend::Stream* stream) {
  if (block.every_stream) return resources_->allIdle() && !block.region->usesPending();
  if (block.stamps == nullptr) return true;
  return std::all_of(block.stamps->begin(), block.stamps->end(),
                     [&](const Stamp& stamp) { return stamp.stream.get() == stream || stamp.passed(); });
}

bool Pool::Dropped::take(Block& block, const backend::Stream* stream) {
  block.every_stream = false;
  if (block.stamps == nullptr) return true;
  for (std::vector<Stamp>& stamps = *block.stamps; !stamps.empty(); stamps.pop_back()) {
    // The stamp of `stream` goes last. If there is no room, the block must still have it, since it may not have passed.
    if (stamps.back().stream.get() == stream) std::swap(stamps.front(), stamps.back());
    backend::Stream* passed = stamps.back().stream.get();
    if (!passed->dropUnlessLast()) {
      if (count_ == kRoom) return false;
      streams_[count_++] = passed;
    }
    (void)stamps.back().stream.detach();
  }
  return true;
}

Block* Pool::takePending(Class& bucket, backend::Stream* stream, Dropped* dropped) {
  Block** at = &bucket.pending;
  for (int looks = 0; *at != nullptr && looks < kPendingLooks; ++looks) {  // newest first
    Block* block = *at;
    if (passed(*block, stream) && dropped->take(*block, stream)) {
      *at = block->next;
      pending_bytes_ -= block->size;
      return block;
    }
    at = &block->next;
  }
  return nullptr;
}

namespace {

bool isGoodFit(const Region& region, uint64_t size, uint64_t alignment) {  // with a quarter of the size wasted at most
  const uint64_t bytes = region.memory().size;
  return region.kind() == Region::Kind::kLarge && bytes >= size && bytes - size <= size / 4 && region.begin() % alignment == 0;
}

}  // namespace

// Best fit among the large regions.
Region* Pool::takeLarge(uint64_t size, uint64_t alignment, backend::Stream* stream, Dropped* dropped) {
  Region* best = nullptr;
  for (Region* region = large_; region != nullptr; region = region->next) {
    if (!isGoodFit(*region, size, alignment) || (best != nullptr && best->memory().size <= region->memory().size)) continue;
    Block& block = region->block(0);
    // Relaxed under the lock. The last lease changes the state without it, but from kLive alone, which does not matter here.
    uint32_t state = block.state.load(std::memory_order_relaxed);
    // One that is free and busy belongs to a thread that has it from the driver and has not handed it out yet.
    if ((state == Block::kFree && region->busy == 0) || (state == Block::kPending && passed(block, stream))) best = region;
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
  return best;
}

void Pool::credit(int64_t change) {
  if (change == 0) return;
  crediting_.note();
  const int64_t sum = credit_.fetch_add(change, std::memory_order_relaxed) + change;
  int64_t peak = credit_peak_.load(std::memory_order_relaxed);
  // Relaxed: the peak is only a number, and orders nothing else.
  while (sum > peak && !credit_peak_.compare_exchange_weak(peak, sum, std::memory_order_relaxed)) {
  }
}

// A new region of the driver, in the lists of the pool and counted as busy. The bytes are checked against the limit and
// reserved under the lock, before the driver is called without it. So two threads that grow at once cannot pass the limit
// together.
Status Pool::grow(Region** out, Region::Kind kind, uint64_t size, uint64_t alignment, uint64_t block_size) {
  const bool lazy = kind == Region::Kind::kRange || (kind == Region::Kind::kSlab && pages_at_touch_);
  const uint64_t committed = lazy ? 0 : size;
  {
    std::lock_guard lock(lock_);
    if (passesLimit(committed)) return limitReached(committed);
    reserved_ += committed;
  }
  auto undo = [&](Status status) {
    std::lock_guard lock(lock_);
    reserved_ -= committed;
    return status;
  };
  backend::Memory memory;
  Status status =
      lazy ? ranges_of_driver_->reserve(&memory, size) : resources_->native().allocate(&memory, options_.kind, size, alignment);
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
  if (!lazy && trace::tellsMemory()) [[unlikely]]
    traceRegion(*region);
  std::lock_guard lock(lock_);
  if (kind != Region::Kind::kRange) ++driver_allocations_;
  region->committed = committed;
  region->busy = 1;  // for the caller: no trim gives the region back meanwhile
  peak_reserved_ = std::max(peak_reserved_, reserved_);
  Region*& list = kind == Region::Kind::kSlab ? slabs_ : kind == Region::Kind::kRange ? ranges_ : large_;
  region->next = list;
  list = region;
  *out = region;
  return Status();
}

// The size of a slab: half of what the class has, so that a program with little memory takes little; at most kSlabBytes, or
// what the limit of the pool leaves. A driver cuts small allocations from pages of its own.
// `apart`: from one block to the next.
uint64_t Pool::slabBytes(uint32_t index, uint64_t* apart) {
  std::lock_guard lock(lock_);
  const uint64_t block_size = classBytes(index);
  *apart = block_size + (isSpread(block_size) && options_.maximum_bytes == 0 ? kSpread : 0);  // a limit counts bytes exactly
  if (pages_at_touch_) return kSlabBytes;  // whose pages count when blocks are handed out
  const bool finely = !resources_->device().limits().reaches_host && options_.kind == RT_MEMORY_DEVICE;
  uint64_t most = classes_[index].slab_bytes / (finely ? 4 : 2);
  most = std::clamp(most, finely ? kFirstSlabBytes / 4 : kFirstSlabBytes, kSlabBytes);
  if (options_.maximum_bytes != 0) {
    most = std::min(most, options_.maximum_bytes > reserved_ ? options_.maximum_bytes - reserved_ : 0);
  }
  return most == kSlabBytes ? most : std::max(block_size, most / block_size * block_size);
}

// A slab of host memory has a granule of the address map to itself. Small slabs of other memory share pages of the driver, and
// are only as aligned as their blocks. One of a power of two bytes is aligned to its size.
uint64_t Pool::slabAlignment(uint64_t slab, uint64_t block_size) const {
  if (slab == kSlabBytes || resources_->device().limits().reaches_host) return kSlabBytes;
  return std::max(block_size & (~block_size + 1), kAlignment);
}

// Blocks that were never handed out, of the slab that is open.
BlockChain Pool::takeUnused(uint32_t index, uint32_t count) {
  BlockChain taken;
  Region* open = open_[index];
  if (open == nullptr) return taken;
  // The first one last, so that it is handed out first.
  const uint32_t first = open->next_unused;
  // Pages of a lazy slab count as reserved when blocks on them are handed out. A batch that would pass the limit becomes one
  // block.
  uint32_t last = std::min(first + count, open->blockCount());
  // The last one ends with its bytes, however far away another would begin.
  const auto end = [&] { return (last - 1) * open->blockSize() + classBytes(index); };
  if (end() > open->committed) {
    const auto lacking = [&] {
      const uint64_t pages = (end() + kPage - 1) & ~(kPage - 1);
      return std::max(std::min(pages, open->memory().size), open->committed) - open->committed;
    };
    if (passesLimit(lacking())) last = first + 1;
    const uint64_t bytes = lacking();
    if (passesLimit(bytes)) return taken;
    if (trace::tellsMemory()) [[unlikely]]
      traceCommitted(*open, open->committed, bytes);
    open->committed += bytes;
    reserved_ += bytes;
    unused_ += bytes;
    peak_reserved_ = std::max(peak_reserved_, reserved_);
  }
  for (uint32_t i = last; i-- > first;) taken.push(&open->block(i));
  open->next_unused = last;
  if (last == open->blockCount()) open_[index] = nullptr;
  unused_ -= classBytes(index) * taken.count;
  open->busy += taken.count;
  return taken;
}

BlockChain Pool::takeKept(uint32_t index, uint32_t count, backend::Stream* stream, Dropped* dropped, bool* in_use) {
  BlockChain taken;
  Class& bucket = classes_[index];
  Block* pending = bucket.pending == nullptr ? nullptr : takePending(bucket, stream, dropped);
  *in_use = pending != nullptr;
  if (pending != nullptr) {
    taken.push(pending);
    return taken;
  }
  // Any number of older blocks may have passed after the newest, which are in use. Without this look, a program whose streams
  // never rest would take memory for ever. Only before fresh memory would be taken: the walk asks drivers.
  if (bucket.ready == nullptr && open_[index] == nullptr) settlePending(&bucket.pending, dropped);
  for (Block* block; taken.count < count && (block = bucket.ready) != nullptr;) {
    bucket.ready = block->next;
    unused_ -= classBytes(index);
    ++block->region->busy;
    // In their order: the newest is handed out first.
    block->next = nullptr;
    (taken.first == nullptr ? taken.first : taken.last->next) = block;
    taken.last = block;
    ++taken.count;
  }
  if (taken.first == nullptr) taken = takeUnused(index, count);
  if (taken.first == nullptr) taken = takeFromCaches(index, count);
  return taken;
}

// A fresh slab of the class, which becomes the open one.
[[gnu::cold]] Status Pool::openSlab(uint32_t index) {
  uint64_t apart;
  const uint64_t slab = slabBytes(index, &apart);
  Region* fresh = nullptr;
  RT_TRY(grow(&fresh, Region::Kind::kSlab, slab, slabAlignment(slab, classBytes(index)), apart));
  std::lock_guard lock(lock_);
  classes_[index].slab_bytes += slab;
  unused_ += fresh->committed;
  --fresh->busy;
  // Another thread may have opened a slab meanwhile. One slab of a class is open at a time: its unused blocks become ready.
  Region* spare = std::exchange(open_[index], fresh);
  while (spare != nullptr && spare->next_unused < spare->blockCount()) {
    Block& rest = spare->block(spare->next_unused++);
    rest.next = classes_[index].ready;
    classes_[index].ready = &rest;
  }
  return Status();
}

StreamCache* Pool::cacheOf(const backend::Stream& stream) {
  StreamCache* known = knownCacheOf(stream);
  if (known != nullptr || stream.listed_by != resources_.get()) return known;
  std::lock_guard lock(lock_);
  return isClosed() ? nullptr : caches_.make(stream.list_number);
}

[[gnu::noinline]] Status Pool::allocateKept(Block** out, StreamCache* cache, uint32_t index, uint64_t size,
                                            backend::Stream* stream, bool* in_use) {
  for (;;) {
    {
      Dropped dropped;
      const auto lock = lockPatiently(lock_);
      visits_.note();
      if (pins_ || isClosed()) cache = nullptr;
      const auto of_class = [&](const Block& held) {
        return held.region->kind() == Region::Kind::kSlab && held.region->sizeClass() == index;
      };
      Block* held = pins_ ? takeHeld(stream, &dropped, of_class) : nullptr;
      BlockChain taken;
      if (held != nullptr) {
        taken.push(held);
        *in_use = true;
      } else {
        taken = takeKept(index, cache == nullptr ? 1 : cache->nextBatch(index), stream, &dropped, in_use);
      }
      if (Block* block = taken.pop()) {
        if (cache == nullptr) {
          if (pins_) pinBlock(*block);
          handOut(*block->region, *block, size, nullptr);
        } else {
          // In the order of the locks. Under both, so that close() finds all blocks, here or there.
          std::lock_guard cache_lock(cache->lock);
          (void)bind(*cache, *stream);
          handOut(*block->region, *block, size, cache);
          BlockChain rest;
          while (Block* each = taken.pop()) rest.push(each);
          while (Block* each = rest.pop()) {
            // Relaxed: a block that is not live is looked at under this lock alone.
            each->state.store(Block::kCached, std::memory_order_relaxed);
            (void)cache->push(index, each, 0);
          }
        }
        *out = block;
        return Status();
      }
      // `open_` with blocks left means that takeUnused() met the limit. Another slab would not help.
      if (open_[index] != nullptr) return limitReached(classBytes(index));  // its pages would pass the limit
    }
    RT_TRY(openSlab(index));
  }
}

bool Pool::passesLimit(uint64_t bytes) const {
  uint64_t total;
  return options_.maximum_bytes != 0 && (addOverflows(reserved_, bytes, &total) || total > options_.maximum_bytes);
}

Status Pool::limitReached(uint64_t bytes) const {
  return Status::error(RT_ERROR_OUT_OF_MEMORY, "The pool holds %llu bytes; %llu more would pass its limit of %llu bytes.",
                       static_cast<Number>(reserved_), static_cast<Number>(bytes), static_cast<Number>(options_.maximum_bytes));
}

[[gnu::noinline]] Status Pool::allocateLarge(Block** out, uint64_t wanted, uint64_t size, uint64_t alignment,
                                             backend::Stream* stream, bool* in_use) {
  uint64_t bytes;
  if (wanted == UINT64_MAX || roundUpOverflows(wanted, kLargeGranule, &bytes)) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "An allocation of %llu bytes is more than any device has.",
                         static_cast<Number>(size));
  }
  if (!keeps_) bytes = size;  // exact, so that tools which check allocations of a driver see an access one byte beyond
  Region* region = nullptr;
  Dropped dropped;
  std::unique_lock lock(lock_);
  const uint64_t aligned = std::max(alignment, kAlignment);
  const auto fits = [&](const Block& each) { return isGoodFit(*each.region, wanted, aligned); };
  Block* held = pins_ ? takeHeld(stream, &dropped, fits) : nullptr;
  if (held != nullptr) region = held->region;
  if (region == nullptr && keeps_) region = takeLarge(wanted, aligned, stream, &dropped);
  if (region == nullptr) {
    Region* outgrown = keeps_ ? detachOutgrown(bytes, &dropped) : nullptr;
    lock.unlock();
    // A driver is called for the new region anyway, so this call may take as long.
    if (outgrown != nullptr) {
      giveBack(outgrown);
      epoch::collectAfterCall();  // memory must not wait for a batch of other objects
    }
    RT_TRY(grow(&region, Region::Kind::kLarge, bytes, aligned, bytes));
    lock.lock();
  }
  *out = &region->block(0);
  *in_use = held != nullptr || (*out)->state.load(std::memory_order_relaxed) == Block::kPending;
  if (pins_) pinBlock(**out);
  handOut(*region, **out, size, nullptr);
  return Status();
}

Status Pool::allocate(void** pointer, uint64_t size, uint64_t alignment, backend::Stream* stream) {
  // The program's size stays in the block. `wanted` adds the red zone and the alignment, and chooses the class.
  uint64_t wanted;
  if (addOverflows(size, red_zone_, &wanted)) wanted = UINT64_MAX;
  if (alignment > kAlignment && roundUpOverflows(wanted, alignment, &wanted)) wanted = UINT64_MAX;
  bool in_slab = wanted <= max_block_ && keeps_;
  if (alignment > kAlignment && in_slab) {  // a block of a power of two bytes is aligned to its size, unless it is spread
    const uint64_t power = uint64_t{1} << (64 - __builtin_clzll(wanted - 1));
    in_slab = !isSpread(power);
    if (in_slab) wanted = power;
  }
  Block* block = nullptr;
  bool in_use = false;  // reused in the order of its stream, where earlier work may still use it
  if (in_slab) [[likely]] {
    const uint32_t index = sizeClass(wanted);
    const bool plain = plain_.load(std::memory_order_relaxed);  // relaxed: see setPinMode()
    StreamCache* cache = stream == nullptr || !plain ? nullptr : cacheOf(*stream);
    if (cache != nullptr) [[likely]]
      block = allocateCached(*cache, *stream, index, size, &in_use);
    if (block == nullptr) [[unlikely]]
      RT_TRY(allocateKept(&block, cache, index, size, stream, &in_use));
  } else {
    if (!keeps_) trimPassed();
    bool done = false;
    if (ranges_of_driver_ != nullptr) RT_TRY(allocateInRange(&block, wanted, size, alignment, stream, &in_use, &done));
    if (!done) RT_TRY(allocateLarge(&block, wanted, size, alignment, stream, &in_use));
  }
  Region& region = *block->region;
  const uintptr_t address = region.addressOf(*block);
  if (fills_) [[unlikely]] {
    records::forget(address, address + 1);  // of an earlier block here
    if (region.memory().host_visible && !in_use) fillEnds(address, size, kFreshPattern);
  }
  if (trace::tellsMemory()) [[unlikely]]
    traceAllocation(region, *block, stream);
  *pointer = reinterpret_cast<void*>(address);
  return Status();
}

void Pool::countFree(uint64_t size) {
  (void)own_.freed(size);
  credit(own_.exact());
}

template <class Body>
auto Pool::atHome(Block& block, Body body) {
  for (;;) {
    StreamCache* home = block.home.load(std::memory_order_relaxed);
    if (home == nullptr) {
      const auto lock = lockPatiently(lock_);
      if (block.home.load(std::memory_order_relaxed) == nullptr) return body(nullptr);
    } else {
      std::lock_guard lock(home->lock);
      if (block.home.load(std::memory_order_relaxed) == home) return body(home);
    }
  }
}

bool Pool::lease(Block& block) {
  return atHome(block, [&](StreamCache*) { return countLease(block); });
}

// Ends the program's part of a block. Leases of a live block begin under the lock of its home alone, so that a block without
// leases stays so here. The last lease of a block that belongs to its leases runs without the lock: it closes the state first
// and clears the word then. So the word is read before the state, both with acquire: a cleared word implies a state that is not
// live.
inline Pool::Freed Pool::claim(Region& region, Block& block, const backend::Stream* stream) {
  return atHome(block, [&](StreamCache* home) {
    const bool leased = block.leases.load(std::memory_order_acquire) != 0;
    if (block.state.load(std::memory_order_acquire) != Block::kLive) [[unlikely]]
      return Freed::kNotLive;
    if (leased && belongsToLeases(block)) [[unlikely]]
      return Freed::kNotLive;
    if (trace::tellsMemory()) [[unlikely]]
      traceFree(region, block, stream);
    block.state.store(Block::kClosing, std::memory_order_release);
    if (!leased) [[likely]]
      return Freed::kYes;
    // Counted first: the last lease may end as soon as it knows that it has to free the block.
    const uint64_t size = block.size.load(std::memory_order_relaxed);
    block.freed_early = true;
    leased_bytes_.fetch_add(size, std::memory_order_relaxed);
    if (home != nullptr) {
      if (home->counters.freed(size)) credit(home->counters.lowered(size, crediting_.shared()));
    } else {
      countFree(size);
    }
    return releaseFromProgram(block) ? Freed::kYes : Freed::kLater;
  });
}

// Frees a block that no stream uses any more.
void Pool::makeReady(Region& region, Block& block) {
  if (region.memory().host_visible) poison(region.addressOf(block), region.capacityOf(block));
  block.state.store(Block::kFree, std::memory_order_release);
  unused_ += region.bytesOf(block);
  --region.busy;
  if (region.kind() == Region::Kind::kLarge) return;
  if (region.kind() == Region::Kind::kRange) {
    region.range().offsets().give(region.range().spanOf(block));
    return;
  }
  Class& bucket = classes_[region.sizeClass()];
  block.next = bucket.ready;
  bucket.ready = &block;
}

// Frees a block that may be in use until its stamps have passed.
void Pool::makePending(Region& region, Block& block) {
  pending_bytes_ += block.size.load(std::memory_order_relaxed);
  block.serial = 0;  // a task of an earlier free comes too late
  block.state.store(Block::kPending, std::memory_order_release);
  if (region.kind() == Region::Kind::kLarge) return;
  Block*& pending = region.kind() == Region::Kind::kRange ? pending_in_ranges_ : classes_[region.sizeClass()].pending;
  block.next = pending;
  pending = &block;
}

// Frees a block that another stream has allocated, that is large, or that is still used elsewhere.
[[gnu::noinline]] Pool::Freed Pool::releaseElsewhere(StreamCache* cache, Region& region, Block& block,
                                                     backend::Stream* stream) {
  const Freed freed = claim(region, block, stream);
  if (fills_ && freed != Freed::kNotLive) [[unlikely]]
    records::freed(region.addressOf(block));
  if (freed != Freed::kYes) return freed;
  if (cache == nullptr || block.freed_early || block.pinned || !isPlain() || !freeInto(*cache, region, block, *stream, true)) {
    free(region, block, stream);
    if (guards_ && stream != nullptr) [[unlikely]]
      inspectAfter(region, block, *stream);
  } else if (trace::tellsMemory()) {
    traceLiveBytes();
  }
  return Freed::kYes;
}

void Pool::takeBack(BlockChain blocks, backend::Stream* stream) {
  const uint64_t completed = stream == nullptr ? UINT64_MAX : stream->completed();
  BlockChain oldest_first;
  while (Block* block = blocks.pop()) {
    oldest_first.push(block);
    if (block->serial <= completed) continue;
    try {
      block->writableStamps().push_back({Ref<backend::Stream>(stream), block->serial});
    } catch (const std::bad_alloc&) {  // a free must not fail: it waits for more work than it has to
      block->stamps = nullptr;
      block->every_stream = true;
    }
  }
  Region* released = nullptr;
  bool wait = false, at_once;
  {
    const auto lock = lockPatiently(lock_);
    visits_.note();
    while (Block* block = oldest_first.pop()) {
      if (block->serial <= completed) {
        makeReady(*block->region, *block);
      } else {
        makePending(*block->region, *block);
        wait = releasesAtOnce();
      }
    }
    at_once = releasesAtOnce();
    if (at_once) released = detachUnused(0);
  }
  giveBack(released);
  if (at_once) trimRanges(0);
  if (wait) releaseWhenPassed();
}

// The block is in the state kClosing and this thread's alone, so that its stamps are written without the lock. Without memory
// for stamps the block waits for every stream of the context, and for the uses by others: a free must not fail.
void Pool::free(Region& region, Block& block, backend::Stream* stream) {
  try {
    std::vector<Stamp> stamps;  // kept if there are any: the common free allocates nothing
    if (stream != nullptr) {
      const uint64_t submitted = stream->submitted();
      if (stream->completed() < submitted) stamps.push_back({Ref<backend::Stream>(stream), submitted});
    } else {
      resources_->pendingStreams(&stamps);
    }
    region.pendingUses(&stamps);
    if (!stamps.empty()) block.writableStamps() = std::move(stamps);
  } catch (const std::bad_alloc&) {  // a free must not fail
    block.stamps = nullptr;
    block.every_stream = true;
  }
  const bool pending = block.every_stream || (block.stamps != nullptr && !block.stamps->empty());
  if (guards_) [[unlikely]]
    return quarantine(region, block, pending);
  const uint64_t size = block.size;
  if (fills_ && region.memory().host_visible && !pending) fillEnds(region.addressOf(block), size, kFreedPattern);
  Region* released = nullptr;
  bool wait = false, at_once = false;
  uint64_t poisoning = 0;
  {
    const auto lock = lockPatiently(lock_);
    visits_.note();
    if (std::exchange(block.freed_early, false)) {
      leased_bytes_.fetch_sub(size, std::memory_order_relaxed);
    } else {
      countFree(size);
    }
    region.idle_since = large_taken_;
    if (holdPinned(block)) {
      // Its stretch gives it back.
    } else if (pending) {
      makePending(region, block);
      wait = releasesAtOnce();
      if (poisons_ && stream != nullptr) [[unlikely]]
        poisoning = numberPoisoning(block);
    } else {
      makeReady(region, block);
      at_once = releasesAtOnce();
      if (at_once) released = detachUnused(0);
    }
  }
  if (trace::tellsMemory()) [[unlikely]]
    traceLiveBytes();
  if (poisoning != 0) [[unlikely]]
    poisonAfter(region, block, *stream, poisoning);
  giveBack(released);
  if (at_once) trimRanges(0);
  if (wait) releaseWhenPassed();
}

void Pool::forgetStream(uint32_t number) {
  StreamCache* cache = caches_.find(number);
  if (cache == nullptr) return;
  std::lock_guard lock(cache->lock);
  cache->forget();
}

Status Pool::reserve(uint64_t bytes) {
  if (bytes == 0 || !keeps_) return Status();
  uint64_t size;
  if (roundUpOverflows(bytes, kLargeGranule, &size)) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "A pool of %llu bytes is more than any device has.",
                         static_cast<Number>(bytes));
  }
  if (ranges_of_driver_ != nullptr) {
    bool done = false;
    RT_TRY(reserveInRange(size, &done));
    if (done) return Status();
  }
  Region* region;
  RT_TRY(grow(&region, Region::Kind::kLarge, size, kAlignment, size));
  std::lock_guard lock(lock_);
  --region->busy;
  unused_ += size;
  return Status();
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
