// Pairs of an allocation and a free in the order of a stream, as P5 and P6 count them: one block at a time or beside a thousand
// live blocks of random size, from one thread or from several, each on a stream of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "machine.h"

namespace bench {

// `Pool` has allocate(size, stream), free(pointer, stream) and createStream(), which gives what the two take.
template <class Pool>
class alignas(128) PoolWork {  // neighbours on the heap belong to other threads
 public:
  PoolWork(Pool pool, bool beside_others) : pool_(pool), stream_(pool.createStream()), beside_others_(beside_others) {
    for (int i = 0; beside_others_ && i < kLive; ++i) live_.push_back(pool_.allocate(nextSize(), stream_));
  }
  void pair() {
    if (!beside_others_) {
      pool_.free(pool_.allocate(kBytes, stream_), stream_);
      return;
    }
    void*& victim = live_[(random_ >> 12) % kLive];
    pool_.free(victim, stream_);
    victim = pool_.allocate(nextSize(), stream_);
  }

 private:
  static constexpr uint64_t kBytes = 64 << 10;
  static constexpr int kLive = 1000;
  uint64_t nextSize() {
    random_ = random_ * 1664525 + 1013904223;
    return 256 + (random_ >> 8) % 60'000;
  }

  Pool pool_;
  decltype(std::declval<Pool>().createStream()) stream_;
  const bool beside_others_;
  std::vector<void*> live_;
  uint32_t random_ = 1;
};

template <class Pool>
Measure pairs(Pool pool, bool beside_others) {
  auto work = std::make_shared<PoolWork<Pool>>(pool, beside_others);
  return hot([work] { work->pair(); });
}

// Nanoseconds of a core for one pair: threads beyond the number of cores take turns on them.
template <class Pool>
Measure pairsFrom(int threads, Pool pool, bool beside_others) {
  std::vector<std::shared_ptr<PoolWork<Pool>>> works;
  for (int i = 0; i < threads; ++i) works.push_back(std::make_shared<PoolWork<Pool>>(pool, beside_others));
  return [works](int64_t budget) {
    constexpr uint64_t kStretch = 1000;
    std::atomic<uint64_t> done{0};
    std::atomic<int> ready{0};
    std::atomic<int64_t> spent{0};
    std::vector<std::thread> all;
    for (size_t i = 0; i < works.size(); ++i) {
      all.emplace_back([&, i] {
        pinHere(static_cast<int>(i));
        for (int k = 0; k < 100; ++k) works[i]->pair();
        ready.fetch_add(1);
        while (ready.load() < static_cast<int>(works.size())) std::this_thread::yield();
        const int64_t start = nanoseconds();
        int64_t now = start;
        uint64_t mine = 0;
        for (; now - start < budget; now = nanoseconds(), mine += kStretch) {
          for (uint64_t k = 0; k < kStretch; ++k) works[i]->pair();
        }
        done.fetch_add(mine);
        spent.fetch_add(now - start);
      });
    }
    for (std::thread& thread : all) thread.join();
    const double cores = std::min<double>(coreCount(), static_cast<double>(works.size()));
    return static_cast<double>(spent.load()) / static_cast<double>(works.size()) * cores / static_cast<double>(done.load());
  };
}

// The pool of a context of this library.
struct OurPool {
  rtContext_t context;

  rtStream_t createStream() const { return bench::createStream(context); }
  void* allocate(uint64_t size, rtStream_t stream) const {
    void* pointer = nullptr;
    RT_CHECK(rtMallocAsync(&pointer, size, stream));
    return pointer;
  }
  void free(void* pointer, rtStream_t stream) const { RT_CHECK(rtFreeAsync(pointer, stream)); }
};

}  // namespace bench
