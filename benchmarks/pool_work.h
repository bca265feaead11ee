// Pairs of an allocation and a free in the order of a stream, as P5 and P6 count them. There is one block at a time, beside a
// thousand live blocks of random size, or blocks of mixed sizes with a few live. They come from one thread or from several,
// each on a stream of its own.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
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

// Sizes from 512 bytes up, of which each thread has `live` blocks: any of these is freed, and one of another size allocated.
struct MixedSizes {
  const char* name;
  bool logarithmic;  // as many in each doubling; else any size as often as any other
  double most;
  int live;
  bool crosses;  // threads free what others have allocated

  std::string shortName() const { return std::string("_mixed_") + name; }
};
inline constexpr MixedSizes kMixedSizes[] = {{"1MiB_16_live", true, 1 << 20, 16, false},
                                             {"1MiB_64_live", true, 1 << 20, 64, false},
                                             {"1MiB_16_live_uniform", false, 1 << 20, 16, false},
                                             {"16MiB_16_live", true, 16 << 20, 16, false},
                                             {"1MiB_16_live_crossing", true, 1 << 20, 16, true}};

template <class Pool>
class alignas(128) MixedWork {
 public:
  // Where a block waits for the thread that frees it; each has a line of its own.
  struct alignas(128) Handed {
    std::atomic<void*> block{nullptr};
  };

  MixedWork(Pool pool, const MixedSizes& sizes, int number, std::shared_ptr<std::vector<Handed>> handed)
      : pool_(pool),
        stream_(pool_.createStream()),
        live_(static_cast<size_t>(sizes.live) + 2 * kApart),
        handed_(std::move(handed)),
        number_(static_cast<size_t>(number)),
        live_count_(static_cast<uint32_t>(sizes.live)),
        crosses_(sizes.crosses),
        random_(static_cast<uint64_t>(number) * 7919 + 1) {
    constexpr double kLeast = 512;
    for (uint64_t& size : sizes_) {
      const double part = static_cast<double>(next() % (1 << 30)) / (1 << 30);
      size = static_cast<uint64_t>(sizes.logarithmic ? kLeast * std::pow(sizes.most / kLeast, part)
                                                     : kLeast + (sizes.most - kLeast) * part);
    }
    for (uint32_t i = 0; i < live_count_; ++i) live_[kApart + i] = pool_.allocate(sizes_[i], stream_);
  }
  void pair() {
    void*& victim = live_[kApart + next() % live_count_];
    if (crosses_) {
      void* other = (*handed_)[(number_ + 1) % handed_->size()].block.exchange(victim, std::memory_order_acq_rel);
      if (other != nullptr) pool_.free(other, stream_);
    } else {
      pool_.free(victim, stream_);
    }
    victim = pool_.allocate(sizes_[turn_++ % sizes_.size()], stream_);
  }

 private:
  static constexpr size_t kApart = 16;  // on the heap, from the words of other threads
  uint64_t next() {
    random_ = random_ * 6364136223846793005 + 1442695040888963407;
    return random_ >> 33;
  }

  Pool pool_;
  decltype(std::declval<Pool>().createStream()) stream_;
  std::vector<void*> live_;
  std::array<uint64_t, 4096> sizes_;
  std::shared_ptr<std::vector<Handed>> handed_;
  const size_t number_;
  const uint32_t live_count_;
  const bool crosses_;
  uint64_t random_;
  uint32_t turn_ = 0;
};

template <class Pool>
Measure pairs(Pool pool, bool beside_others) {
  auto work = std::make_shared<PoolWork<Pool>>(pool, beside_others);
  return hot([work] { work->pair(); });
}

// Nanoseconds of a core for one pair: threads beyond the number of cores take turns on them.
template <class Work>
Measure pairsOf(std::vector<std::shared_ptr<Work>> works) {
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

template <class Pool>
Measure pairsFrom(int threads, Pool pool, bool beside_others) {
  std::vector<std::shared_ptr<PoolWork<Pool>>> works;
  for (int i = 0; i < threads; ++i) works.push_back(std::make_shared<PoolWork<Pool>>(pool, beside_others));
  return pairsOf(std::move(works));
}

template <class Pool>
Measure mixedFrom(int threads, Pool pool, const MixedSizes& sizes) {
  auto handed = std::make_shared<std::vector<typename MixedWork<Pool>::Handed>>(static_cast<size_t>(threads));
  std::vector<std::shared_ptr<MixedWork<Pool>>> works;
  for (int i = 0; i < threads; ++i) works.push_back(std::make_shared<MixedWork<Pool>>(pool, sizes, i, handed));
  return pairsOf(std::move(works));
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
