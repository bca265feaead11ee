// A thread's counts for the profile of one function of rt.h, or of one kernel. Short calls are so many that a look at the clock
// for each would take longer than they do. All are counted, and some are timed. Written by its thread without a lock, read at
// the end of the profile. Knows nothing of tables.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace manyrt::trace {

struct Row;  // base/trace.h

// Calls that come in such numbers that their tallies have places of their own.
enum class HotCall { kLaunchKernel, kGraphLaunch, kEventRecord, kStreamSynchronize, kOther };

class Tally {
 public:
  // Below this a time is short, in nanoseconds: to take and add one up costs 60 to 80, 3 to 4 percent of it.
  static constexpr int64_t kShort = 2000;
  // The same for launches on a device: to time one costs its host 5 us, and the device 2.
  static constexpr int64_t kShortOnDevice = 100'000;
  // After so many short times in a row most are only counted. A long one makes the tally time all again.
  static constexpr uint32_t kRow = 16;
  // One of so many is timed then, on average; a power of two.
  static constexpr uint64_t kInterval = 512;

  Tally() = default;
  Tally(const char* function, const Row* row) : function_(function), row_(row) {}
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  // At most one of the two: the literal of a function's name, and the kept row of a kernel. Neither: nothing is counted yet.
  const char* function() const { return function_.load(std::memory_order_acquire); }
  const Row* row() const { return row_; }

  // True: this one is counted, and not to be timed. False: it is to be timed, and add() counts it.
  bool skips() {
    const uint64_t skipped = skipped_.load(std::memory_order_relaxed);  // relaxed, as all: this thread alone writes
    if (skipped >= limit_) [[unlikely]]
      return false;
    skipped_.store(skipped + 1, std::memory_order_relaxed);
    return true;
  }
  // The same for one whose time comes later, through another way than add(): what is timed is settled here, and the first kRow
  // are. The later ones are samples, whose mean stands for all that are skipped.
  bool skipsLate(bool* is_sample);
  // As skips(), for several: how many are only counted from here on, which skip() then does.
  uint64_t skippable() const {
    const uint64_t skipped = skipped_.load(std::memory_order_relaxed);
    return skipped < limit_ ? limit_ - skipped : 0;
  }
  void skip(uint64_t count) { skipped_.store(skipped_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed); }
  void add(int64_t nanoseconds, int64_t waited);
  // One that was skipped took long after all.
  void promote(int64_t nanoseconds, int64_t waited);

  // For the end of the profile, on any thread. Later counts may be missing.
  struct Sum {
    uint64_t count = 0, timed = 0;
    int64_t total = 0, least = 0, most = 0, waited = 0;  // nanoseconds; total with the estimate for those that are not timed
  };
  // `look`: what one look at the clock takes. A time has the half of two looks in it, and what is not timed has none. So times
  // of a tally that has skipped any are without it.
  Sum sum(int64_t look) const;

 private:
  friend class Tallies;
  uint64_t gap();  // to the next one that is timed

  std::atomic<const char*> function_{nullptr};
  const Row* const row_ = nullptr;
  Tally* next_ = nullptr;  // in its bucket
  std::atomic<uint64_t> skipped_{0};
  uint64_t limit_ = 0;   // of skipped_, at which the next one is timed
  uint32_t in_row_ = 0;  // short times since the last long one, up to kRow
  uint32_t random_ = 1;
  std::atomic<uint64_t> timed_{0};
  std::atomic<int64_t> total_{0}, least_{INT64_MAX}, most_{0}, waited_{0};
  // The latest of the short times, and those that stand for others.
  std::atomic<int64_t> latest_{0};
  std::atomic<uint64_t> samples_{0};
  std::atomic<int64_t> sample_total_{0};
};

// Time that a thread has spent in work that it ran, in waits and in steps of builds, and what of it was in waits. Calls that
// are only counted find here what took long in them.
struct Parts {
  int64_t all, waited;  // nanoseconds; they only grow, but where a wait replaces what was inside it
};

// The tallies of one thread. A thread that ends leaves them to the next one.
class Tallies {
 public:
  // Null: the thread has none yet.
  static Tallies* own() { return own_; }
  // Null: there is no memory for it.
  static Tallies* ownOrNew() { return own_ != nullptr ? own_ : acquire(); }

  Tally& of(HotCall call) { return hot_[static_cast<int>(call)]; }
  Tally& of(HotCall call, const char* function);  // gives it the function's name
  // The calling thread's. Null: there is no memory for it.
  static Tally* find(const char* function) { return find(function, function, nullptr); }
  static Tally* find(const Row* row) { return find(row, nullptr, row); }

  // Calls `visit` with each tally of each thread that has counted. New ones of other threads may be missing.
  template <class Visit>
  static void forEach(Visit visit) {
    // Acquire, here and below, pairs with the releases of make() and acquire(): names and links are there.
    for (const Tallies* each = all_.load(std::memory_order_acquire); each != nullptr; each = each->next_) {
      for (const Tally& tally : each->hot_) {
        if (tally.function() != nullptr) visit(tally);
      }
      for (const std::atomic<Tally*>& bucket : each->buckets_) {
        for (const Tally* tally = bucket.load(std::memory_order_acquire); tally != nullptr; tally = tally->next_) visit(*tally);
      }
    }
  }

  Parts parts{};  // of its thread, as long as that has it

 private:
  struct Release;
  static constexpr size_t kBuckets = 256;
  // Keys are addresses of literals and of kept rows. Fibonacci hashing: the upper bits of the product depend on all of them.
  static size_t bucketOf(const void* key) {
    return static_cast<size_t>((static_cast<uint64_t>(reinterpret_cast<uintptr_t>(key)) * 0x9E3779B97F4A7C15u) >> 56);
  }
  static Tally* find(const void* key, const char* function, const Row* row) {
    Tallies* const own = ownOrNew();
    if (own == nullptr) return nullptr;
    // Relaxed, here and in the name: this thread has put all of them there.
    std::atomic<Tally*>& bucket = own->buckets_[bucketOf(key)];
    for (Tally* each = bucket.load(std::memory_order_relaxed); each != nullptr; each = each->next_) {
      if (each->row_ == row && each->function_.load(std::memory_order_relaxed) == function) [[likely]]
        return each;
    }
    return make(bucket, function, row);
  }
  static Tally* make(std::atomic<Tally*>& bucket, const char* function, const Row* row);
  static Tallies* acquire();

  static constinit thread_local Tallies* own_ __attribute__((tls_model("initial-exec")));  // which takes no call to find
  static std::atomic<Tallies*> all_;  // never freed, so that a walk needs no lock

  Tally hot_[static_cast<int>(HotCall::kOther)];
  std::atomic<Tally*> buckets_[kBuckets] = {};
  std::atomic<bool> used_{true};
  Tallies* next_ = nullptr;
};

// Launches of one kernel after the other, which are counted together: what a thread runs of a stream. Their row is looked up
// for each kBatch of them.
class LaunchCounter {
 public:
  LaunchCounter() = default;
  LaunchCounter(const LaunchCounter&) = delete;
  LaunchCounter& operator=(const LaunchCounter&) = delete;
  ~LaunchCounter() {
    if (kernel_ != nullptr) [[unlikely]]
      flush();
  }
  // As Tally::skips(). The kernel lives at least until another one comes here.
  template <class Kernel>
  bool skips(const Kernel& kernel) {
    if (&kernel == kernel_ && left_ != 0) [[likely]] {
      --left_;
      return true;
    }
    if (kernel_ != nullptr) flush();
    return take(&kernel, kernel.row());
  }

 private:
  static constexpr uint64_t kBatch = 64;
  bool take(const void* kernel, const Row* row);
  void flush();

  const void* kernel_ = nullptr;  // null: nothing is taken, and the rest is not set
  Tally* tally_;
  uint64_t taken_, left_;
};

}  // namespace manyrt::trace
