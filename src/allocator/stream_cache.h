// The part of a pool that belongs to one stream. It holds blocks that were freed in its order, which it may use again at once,
// and its share of the counters. Each cache has its own lock and cache lines, so that streams do not wait for each other. Lists
// are short: blocks come from the pool and go back to it in batches.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

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
  // more. These return by how much it has to change. A block that takes most of the slack comes and goes within it. `shared`:
  // several threads change the pool's count in turn, and each change waits for the last one. The credit comes down in every
  // kWindow-th call then, to the most that was alive meanwhile.
  int64_t raised(uint64_t size, bool shared) {
    peak_ = std::max(peak_, live());
    if (live() <= credit_) return setCredit(credit_);
    return setCredit(live() + (isSmall(size) ? slack() / 2 : shared ? live() / 8 : 0));
  }
  int64_t lowered(uint64_t size, bool shared) {
    int64_t least = live() + (isSmall(size) ? slack() / 2 : slack());
    if (shared) {
      recent_ = std::max(recent_, live() + static_cast<int64_t>(size));
      if (++lowerings_ % kWindow != 0) return 0;
      least = std::clamp(std::exchange(recent_, 0), least, std::max(least, credit_));
    }
    return setCredit(least);
  }
  int64_t exact() {  // the credit becomes what is live
    peak_ = std::max(peak_, live());
    return setCredit(live());
  }

  // Sums over several: of frees first and allocations then. A freed block was allocated before, and a reader that sees the free
  // sees that too: the stores release, the loads acquire.
  uint64_t frees() const { return frees_.load(std::memory_order_acquire); }
  uint64_t freedBytes() const { return freed_bytes_.load(std::memory_order_acquire); }
  uint64_t allocations() const { return allocations_.load(std::memory_order_acquire); }
  uint64_t allocatedBytes() const { return allocated_bytes_.load(std::memory_order_acquire); }
  uint64_t fresh() const { return fresh_.load(std::memory_order_relaxed); }
  // Under the lock of the writer. Negative where more is freed than allocated. Relaxed: by the writer.
  int64_t live() const {
    return static_cast<int64_t>(allocated_bytes_.load(std::memory_order_relaxed) -
                                freed_bytes_.load(std::memory_order_relaxed));
  }
  int64_t peak() const { return peak_; }
  void restartPeak() {
    peak_ = live();
    (void)setCredit(credit_);
  }

  // How far a stream's part of the pool's peak may be too high: kSlack, or a 64th of what it has alive. With kSlack alone,
  // blocks of random sizes beside a thousand others change the credit in every second call, on a word that all threads share.
  static constexpr int64_t kSlack = 64 << 10;
  static constexpr uint32_t kWindow = 32;
  int64_t slack() const { return std::max(kSlack, live() / 64); }

 private:
  // One writer at a time: no read-modify-write is needed.
  static void add(std::atomic<uint64_t>& counter, uint64_t change) {
    counter.store(counter.load(std::memory_order_relaxed) + change, std::memory_order_release);
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
  int64_t recent_ = 0;  // the most alive in the calls of lowered() since the credit came down
  uint32_t lowerings_ = 0;
};

// Whether several threads use one thing in turn: each user notes its turn, and several threads at once see each other within
// some dozen turns. One thread, or several of which each has its time, never do. A thread is told by an address of its own.
class Turns {
 public:
  // Relaxed: a turn that is lost because two threads note theirs at once does not matter.
  void note() {
    count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    const void* thread = &mark_;
    uint32_t score = score_.load(std::memory_order_relaxed);
    if (last_.load(std::memory_order_relaxed) == thread) {
      if (score != 0) score_.store(score - 1, std::memory_order_relaxed);
      return;
    }
    const bool first = last_.load(std::memory_order_relaxed) == nullptr;
    last_.store(thread, std::memory_order_relaxed);
    if (!first) score_.store(std::min(score + kOther, kMost), std::memory_order_relaxed);
  }
  uint64_t count() const { return count_.load(std::memory_order_relaxed); }  // turns so far
  bool shared() const { return score_.load(std::memory_order_relaxed) >= kShared; }

 private:
  // A turn of another thread outweighs so many of the same: threads of which each is not interrupted for some turns share, too.
  static constexpr uint32_t kOther = 16, kShared = 4 * kOther, kMost = 16 * kOther;
  [[gnu::tls_model("initial-exec")]] static constinit thread_local char mark_;

  std::atomic<const void*> last_{nullptr};
  std::atomic<uint32_t> score_{0};
  std::atomic<uint64_t> count_{0};
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
  Block* pop(uint32_t index) {
    List& list = lists_[index];
    Block* block = list.pop();
    list.unused = std::min(list.unused, list.count);
    return block;
  }
  // From a somewhat larger class, at most twice as long, where the class itself has none.
  Block* popLarger(uint32_t index);
  // Blocks of ranges, which have no class: a few of them. The one that fits best, with a third of it wasted at most.
  Block* popLarge(uint64_t size);
  // True: there are more, or more bytes, than should be.
  bool pushLarge(Block* block, uint64_t capacity, uint64_t serial);
  bool hasLarge() const { return large_count_ != 0; }
  BlockChain takeOldestLarge();  // the older half
  BlockChain takePassedLarge(uint64_t completed);
  BlockChain takeAllLarge();
  // `serial`: all work of the stream that may use the block. True: the list is longer than it should be.
  bool push(uint32_t index, Block* block, uint64_t serial) {
    block->serial = serial;
    List& list = lists_[index];
    list.push(block);
    return list.count > list.capacity;
  }
  // The blocks of a class that were freed first: all but the `kept` newest.
  BlockChain takeOldest(uint32_t index, uint32_t kept);
  // How far the stream has come, for the two below: asking may call a driver.
  uint64_t completed() { return stream_ == nullptr ? UINT64_MAX : stream_->completed(); }
  bool has(uint32_t index) const { return lists_[index].first != nullptr; }
  bool isEmpty() const {
    return large_count_ == 0 &&
           std::all_of(lists_, lists_ + kSizeClasses, [](const List& list) { return list.first == nullptr; });
  }
  // How many blocks of a class have lain here unused since the last time that this was asked.
  uint32_t surplus(uint32_t index) {
    List& list = lists_[index];
    const uint32_t unused = list.unused;
    list.unused = list.count;
    return unused;
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
    uint32_t unused = 0;  // the fewest that there were since the last surplus()
    uint16_t capacity;
    uint16_t batch;
  };
  List lists_[kSizeClasses];

  static constexpr uint32_t kLargeBlocks = 16;
  static constexpr uint64_t kLargeBytes = uint64_t{8} << 20;  // or a half of what the stream has alive
  struct Large {
    Block* block;
    uint64_t capacity;
  };
  template <class Which>
  BlockChain takeLarge(Which which);
  Large large_[kLargeBlocks + 1];  // the oldest first
  uint32_t large_count_ = 0;
  uint64_t large_bytes_ = 0;
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
