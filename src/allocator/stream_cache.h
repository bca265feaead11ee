// What a pool keeps for one stream of its context: blocks that were freed in the stream's order, which it may use again at
// once, and its share of the pool's counters. Each cache has its own lock and cache lines, so that streams do not wait for each
// other. Lists are short: blocks come from the pool and go back to it in batches.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "allocator/region.h"
#include "allocator/size_class.h"
#include "base/lock_order.h"
#include "base/mutex.h"

namespace manyrt::allocator {

// Bytes and calls that one stream has counted, written under one lock and added up over all streams for each question. A block
// may be freed on another stream than it was allocated on, so that only the sums over all streams say what is live.
class Counters {
 public:
  // True: raised() has to be called.
  bool allocated(uint64_t size) {
    add(allocations_, 1);
    add(allocated_bytes_, size);
    return live() > ceiling_;
  }
  // True: lowered() has to be called.
  bool freed(uint64_t size) {
    add(frees_, 1);
    add(freed_bytes_, size);
    return live() < floor_;
  }
  void allocatedFresh() { add(fresh_, 1); }  // of the last allocation: no block that was freed before

  // The pool's count of live bytes has a credit of each stream, which covers what the stream has alive and is at most slack()
  // more. These return by how much it has to change. A block that takes most of the slack comes and goes within it.
  int64_t raised(uint64_t size) {
    peak_ = std::max(peak_, live());
    return setCredit(live() > credit_ ? live() + (isSmall(size) ? slack() / 2 : 0) : credit_);
  }
  int64_t lowered(uint64_t size) { return setCredit(live() + (isSmall(size) ? slack() / 2 : slack())); }
  int64_t exact() {  // the credit becomes what is live
    peak_ = std::max(peak_, live());
    return setCredit(live());
  }

  // Sums over several: of frees first and allocations then. What is freed was allocated before, and is seen by a reader that
  // sees the free: the stores release, the loads acquire.
  uint64_t frees() const { return frees_.load(std::memory_order_acquire); }
  uint64_t freedBytes() const { return freed_bytes_.load(std::memory_order_acquire); }
  uint64_t allocations() const { return allocations_.load(std::memory_order_acquire); }
  uint64_t allocatedBytes() const { return allocated_bytes_.load(std::memory_order_acquire); }
  uint64_t fresh() const { return fresh_.load(std::memory_order_relaxed); }
  // Under the lock of the writer.
  int64_t peak() const { return peak_; }
  void restartPeak() {
    peak_ = live();
    (void)setCredit(credit_);
  }

  // How far a stream's part of the pool's peak may be too high: kSlack, or a 64th of what it has alive. With kSlack alone,
  // blocks of random sizes beside a thousand others change the credit in every second call, on a word that all threads share.
  static constexpr int64_t kSlack = 64 << 10;
  int64_t slack() const { return std::max(kSlack, live() / 64); }

 private:
  // One writer at a time: no read-modify-write is needed.
  static void add(std::atomic<uint64_t>& counter, uint64_t change) {
    counter.store(counter.load(std::memory_order_relaxed) + change, std::memory_order_release);
  }
  // Negative where more is freed than allocated. Relaxed: by the writer.
  int64_t live() const {
    return static_cast<int64_t>(allocated_bytes_.load(std::memory_order_relaxed) -
                                freed_bytes_.load(std::memory_order_relaxed));
  }
  bool isSmall(uint64_t size) const { return size < static_cast<uint64_t>(slack()) / 2; }
  int64_t setCredit(int64_t credit) {
    const int64_t change = credit - credit_;
    credit_ = credit;
    ceiling_ = std::min(credit_, peak_);
    floor_ = credit_ - slack();
    return change;
  }

  std::atomic<uint64_t> allocations_{0}, allocated_bytes_{0}, frees_{0}, freed_bytes_{0}, fresh_{0};
  int64_t ceiling_ = 0, floor_ = -kSlack;  // between which neither peak_ nor credit_ changes
  int64_t peak_ = 0;                       // the highest since restartPeak()
  int64_t credit_ = 0;
};

// A list of blocks, the newest first.
struct BlockChain {
  Block* first = nullptr;
  Block* last = nullptr;
  uint32_t count = 0;

  void push(Block* block) {
    block->next = first;
    if (first == nullptr) last = block;
    first = block;
    ++count;
  }
  Block* pop() {
    Block* block = first;
    if (block == nullptr) return nullptr;
    first = block->next;
    --count;
    return block;
  }
};

// A list of blocks, the oldest first.
struct BlockQueue {
  Block* first = nullptr;
  Block* last = nullptr;

  void append(Block* block) {
    block->next = nullptr;
    (first == nullptr ? first : last->next) = block;
    last = block;
  }
  void remove(Block* block) {  // which is in it
    Block* before = nullptr;
    for (Block* each = first; each != block; each = each->next) before = each;
    (before == nullptr ? first : before->next) = block->next;
    if (last == block) last = before;
  }
};

class alignas(64) StreamCache {
 public:
  StreamCache() {
    for (uint32_t index = 0; index < kSizeClasses; ++index) {
      lists_[index].capacity = static_cast<uint16_t>(capacity(index));
      lists_[index].batch = 1;
    }
  }
  StreamCache(const StreamCache&) = delete;
  StreamCache& operator=(const StreamCache&) = delete;

  // Blocks of a class that a cache keeps: about kKeptBytes, and a few of the large classes.
  static constexpr uint32_t capacity(uint32_t index) {
    return static_cast<uint32_t>(std::clamp<uint64_t>(kKeptBytes / classBytes(index), 4, 256));
  }

  // How many blocks of a class to take from the pool at once: 1 at first, twice as many each time. Under the pool's lock.
  uint32_t nextBatch(uint32_t index) {
    const uint32_t count = lists_[index].batch;
    const auto most = static_cast<uint32_t>(std::clamp<uint64_t>(kBatchBytes / classBytes(index), 1, kBatchBlocks));
    lists_[index].batch = static_cast<uint16_t>(std::min(2 * count, most));
    return count;
  }

  // Under the lock. A block here is in the state kCached.
  void bind(backend::Stream* stream) { stream_ = stream; }
  void close() { closed_ = true, stream_ = nullptr; }  // of an empty cache: nothing comes in any more
  bool closed() const { return closed_; }
  backend::Stream* stream() const { return stream_; }  // null: the number of the stream that it served was given back
  Block* pop(uint32_t index) { return lists_[index].pop(); }
  // `serial`: all work of the stream that may use the block. True: the list is longer than it should be.
  bool push(uint32_t index, Block* block, uint64_t serial) {
    block->serial = serial;
    List& list = lists_[index];
    list.push(block);
    return list.count > list.capacity;
  }
  // The blocks of a class that were freed first, behind the `kept` newest.
  BlockChain takeOldest(uint32_t index, uint32_t kept);
  // How far the stream has come, for the two below: asking may call a driver.
  uint64_t completed() { return stream_ == nullptr ? UINT64_MAX : stream_->completed(); }
  bool has(uint32_t index) const { return lists_[index].first != nullptr; }
  bool isEmpty() const {
    return std::all_of(lists_, lists_ + kSizeClasses, [](const List& list) { return list.first == nullptr; });
  }
  // All of a class that the stream has done with; at most `limit`.
  BlockChain takePassed(uint32_t index, uint32_t limit, uint64_t completed);
  BlockChain takeAll(uint32_t index);
  uint64_t pendingBytes();  // as asked for, of blocks that the stream may still use
  // The stream ends, and has done everything. Another one may get its number.
  void forget();

  Ranked<Mutex, LockRank::kStreamCache> lock;
  Counters counters;            // under the lock
  StreamCache* next = nullptr;  // in StreamCaches

 private:
  static constexpr uint64_t kKeptBytes = uint64_t{4} << 20;
  static constexpr uint64_t kBatchBytes = 128 << 10;
  static constexpr uint32_t kBatchBlocks = 32;

  backend::Stream* stream_ = nullptr;  // in the list of its context as long as it stands here
  bool closed_ = false;
  struct List : BlockChain {
    uint16_t capacity;
    uint16_t batch;
  };
  List lists_[kSizeClasses];
};

// The caches of a pool by the number of their stream. They stay until the pool ends.
class StreamCaches {
 public:
  StreamCaches() = default;
  StreamCaches(const StreamCaches&) = delete;
  StreamCaches& operator=(const StreamCaches&) = delete;
  ~StreamCaches();

  // Without a lock. Null: the stream has none. Acquire pairs with make(): the cache is whole.
  StreamCache* find(uint32_t number) const {
    if (number >= kPieces * kPiece) [[unlikely]]
      return nullptr;
    const std::atomic<StreamCache*>* entries = pieces_[number / kPiece].load(std::memory_order_acquire);
    return entries == nullptr ? nullptr : entries[number % kPiece].load(std::memory_order_acquire);
  }
  // Under the pool's lock. Null: there is no memory, or the number is too high.
  StreamCache* make(uint32_t number);
  StreamCache* first() const { return first_.load(std::memory_order_acquire); }  // of all, through `next`

 private:
  static constexpr uint32_t kPiece = 256, kPieces = 256;

  std::atomic<std::atomic<StreamCache*>*> pieces_[kPieces] = {};
  std::atomic<StreamCache*> first_{nullptr};
};

}  // namespace manyrt::allocator
