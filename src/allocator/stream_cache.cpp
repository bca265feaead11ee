// The parts of a stream's cache that take blocks out in batches, or look at all of them.
#include "allocator/stream_cache.h"

#include <new>

#include "base/fault.h"

namespace manyrt::allocator {

BlockChain StreamCache::takeOldest(uint32_t index, uint32_t kept) {
  BlockChain& list = lists_[index];
  BlockChain rest;
  if (list.count <= kept) return rest;
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
    // Behind the last one, so that both keep the order.
    block->next = nullptr;
    (into.first == nullptr ? into.first : into.last->next) = block;
    into.last = block;
    ++into.count;
  }
  static_cast<BlockChain&>(list) = kept;
  return passed;
}

BlockChain StreamCache::takeAll(uint32_t index) { return takeOldest(index, 0); }

uint64_t StreamCache::pendingBytes() {
  uint64_t bytes = 0;
  if (stream_ == nullptr || isEmpty()) return bytes;
  const uint64_t completed = stream_->completed();
  for (const List& list : lists_) {
    for (const Block* block = list.first; block != nullptr; block = block->next) {
      if (block->serial > completed) bytes += block->size.load(std::memory_order_relaxed);
    }
  }
  return bytes;
}

void StreamCache::forget() {
  for (List& list : lists_) {
    for (Block* block = list.first; block != nullptr; block = block->next) block->serial = 0;
  }
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
  cache->next = first();
  first_.store(cache, std::memory_order_release);
  entries[number % kPiece].store(cache, std::memory_order_release);
  return cache;
}

}  // namespace manyrt::allocator
