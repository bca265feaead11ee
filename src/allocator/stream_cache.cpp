// The parts of a stream's cache that take blocks out in batches, or look at all of them.
#include "allocator/stream_cache.h"

#include <new>

#include "base/fault.h"

namespace manyrt::allocator {

constinit thread_local char Turns::mark_ = 0;

BlockChain StreamCache::takeOldest(uint32_t index, uint32_t kept) {
  List& list = lists_[index];
  BlockChain rest;
  if (list.count <= kept) return rest;
  // The list is newest first, so the oldest are the rest after `kept` of them.
  Block** at = &list.first;
  Block* before = nullptr;
  for (uint32_t i = 0; i < kept; ++i) {
    before = *at;
    at = &before->next;
  }
  rest = {*at, list.last, list.count - kept};
  *at = nullptr;
  list.last = before;
  list.count = kept;
  list.unused = std::min(list.unused, kept);
  return rest;
}

BlockChain StreamCache::takePassed(uint32_t index, uint32_t limit, uint64_t completed) {
  List& list = lists_[index];
  BlockChain passed;
  if (list.first == nullptr) return passed;
  BlockChain kept;
  for (Block *block = list.first, *following; block != nullptr; block = following) {
    following = block->next;
    BlockChain& into = block->serial <= completed && passed.count < limit ? passed : kept;
    // After the last one, so that both keep the order.
    block->next = nullptr;
    (into.first == nullptr ? into.first : into.last->next) = block;
    into.last = block;
    ++into.count;
  }
  static_cast<BlockChain&>(list) = kept;
  list.unused = std::min(list.unused, kept.count);
  return passed;
}

BlockChain StreamCache::takeAll(uint32_t index) { return takeOldest(index, 0); }

Block* StreamCache::popLarger(uint32_t index) {
  for (uint32_t larger = index + 1; larger < kSizeClasses && classBytes(larger) <= 2 * classBytes(index); ++larger) {
    if (Block* block = pop(larger)) return block;
  }
  return nullptr;
}

Block* StreamCache::popLarge(uint64_t size) {
  uint32_t best = large_count_;
  uint64_t least = size + size / 2 + 1;
  for (uint32_t i = large_count_; i-- > 0;) {  // of equals the newest
    if (large_[i].capacity < size || large_[i].capacity >= least) continue;
    best = i;
    least = large_[i].capacity;
  }
  if (best == large_count_) return nullptr;
  Block* block = large_[best].block;
  large_bytes_ -= large_[best].capacity;
  // The order stays: takeOldestLarge() takes from the front.
  std::copy(large_ + best + 1, large_ + large_count_, large_ + best);
  --large_count_;
  return block;
}

bool StreamCache::pushLarge(Block* block, uint64_t capacity, uint64_t serial) {
  block->serial = serial;
  large_[large_count_++] = {block, capacity};
  large_bytes_ += capacity;
  // live() may be negative here: a stream may free more than it has allocated.
  const uint64_t most = std::max(kLargeBytes, static_cast<uint64_t>(std::max<int64_t>(counters.live(), 0)) / 2);
  // True: the caller gives the oldest back to the pool, after this lock.
  return large_count_ > kLargeBlocks || large_bytes_ > most;
}

template <class Which>
BlockChain StreamCache::takeLarge(Which which) {
  BlockChain taken;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < large_count_; ++i) {
    if (!which(i)) {
      large_[kept++] = large_[i];
      continue;
    }
    large_bytes_ -= large_[i].capacity;
    taken.push(large_[i].block);
  }
  large_count_ = kept;
  return taken;
}

BlockChain StreamCache::takeOldestLarge() {
  const uint32_t half = (large_count_ + 1) / 2;
  return takeLarge([&](uint32_t i) { return i < half; });
}

BlockChain StreamCache::takePassedLarge(uint64_t completed) {
  return takeLarge([&](uint32_t i) { return large_[i].block->serial <= completed; });
}

BlockChain StreamCache::takeAllLarge() {
  return takeLarge([](uint32_t) { return true; });
}

uint64_t StreamCache::pendingBytes() {
  uint64_t bytes = 0;
  // Most caches are empty, and a question to the driver costs more than the look.
  if (stream_ == nullptr || isEmpty()) return bytes;
  const uint64_t completed = stream_->completed();
  for (const List& list : lists_) {
    for (const Block* block = list.first; block != nullptr; block = block->next) {
      if (block->serial > completed) bytes += block->size.load(std::memory_order_relaxed);
    }
  }
  for (uint32_t i = 0; i < large_count_; ++i) {
    const Block& block = *large_[i].block;
    if (block.serial > completed) bytes += block.size.load(std::memory_order_relaxed);
  }
  return bytes;
}

void StreamCache::forget() {
  for (List& list : lists_) {
    // Serials of a stream that ended mean nothing to the next with its number. Its work is over, so 0 is true.
    for (Block* block = list.first; block != nullptr; block = block->next) block->serial = 0;
  }
  for (uint32_t i = 0; i < large_count_; ++i) large_[i].block->serial = 0;
  stream_ = nullptr;
}

StreamCaches::~StreamCaches() {
  for (StreamCache *cache = first(), *next; cache != nullptr; cache = next) {
    next = cache->next;
    delete cache;
  }
  for (const std::atomic<std::atomic<StreamCache*>*>& piece : pieces_) delete[] piece.load(std::memory_order_relaxed);
}

StreamCache* StreamCaches::make(uint32_t number) {
  if (StreamCache* known = find(number)) return known;
  if (number >= kPieces * kPiece || fault::fails("stream cache")) return nullptr;
  std::atomic<std::atomic<StreamCache*>*>& piece = pieces_[number / kPiece];
  std::atomic<StreamCache*>* entries = piece.load(std::memory_order_relaxed);
  if (entries == nullptr) {
    entries = new (std::nothrow) std::atomic<StreamCache*>[kPiece]();
    if (entries == nullptr) return nullptr;
    piece.store(entries, std::memory_order_release);
  }
  StreamCache* cache = new (std::nothrow) StreamCache;
  if (cache == nullptr) return nullptr;
  // The list first and the table then: a thread that finds the cache in the table may rely on its being listed.
  cache->next = first();
  first_.store(cache, std::memory_order_release);
  entries[number % kPiece].store(cache, std::memory_order_release);
  return cache;
}

}  // namespace manyrt::allocator
