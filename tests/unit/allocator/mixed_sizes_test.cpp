// Threads that allocate blocks of mixed sizes at the same time, each on its stream. The tests count how often they meet at the
// pool's lock, at the count that streams share and at the driver. They count calls, since times depend on the machine.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "allocator/address_map.h"
#include "allocator/context_resources.h"
#include "allocator/pool.h"
#include "allocator/pool_fast.h"
#include "backends/cpu/cpu.h"
#include "base/handles/epoch.h"
#include "base/os/sanitizer.h"

namespace manyrt::allocator {
namespace {

struct Shape {
  const char* name;
  bool logarithmic;
  uint64_t most;
  int live;
  bool crosses;        // threads free what others have allocated
  double most_visits;  // of the pool's lock, in a pair
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class MixedSizesTest : public testing::TestWithParam<Shape> {
 protected:
  static constexpr int kThreads = 8;
#if defined(MANYRT_BUILT_FOR_ADDRESS)
  static constexpr int kPairs = 1000;  // of each thread
#else
  static constexpr int kPairs = 10'000;
#endif
  static constexpr uint64_t kLeast = 512;

  void SetUp() override {
    backend::Device& device = *cpu::backend()->device(0);
    Ref<backend::Context> native;
    ASSERT_TRUE(device.createContext(&native, {}).ok());
    owner_ = Ref<ContextResources>::adopt(new ContextResources(native, device, nullptr, nullptr));
    PoolOptions options;
    options.release_threshold = UINT64_MAX;
    pool_ = Ref<Pool>::adopt(new Pool(owner_, options));
    for (int i = 0; i < kThreads; ++i) {
      works_.emplace_back();
      ASSERT_TRUE(owner_->takeStream(&works_.back().stream, {}).ok());
      works_.back().random = static_cast<uint64_t>(i) * 7919 + 1;
      works_.back().live.assign(static_cast<size_t>(GetParam().live), nullptr);
    }
  }
  void TearDown() override {
    pool_ = nullptr;
    works_.clear();
    epoch::synchronize();
    epoch::collect();
  }

  struct Work {
    Ref<backend::Stream> stream;
    uint64_t random = 0;
    std::vector<void*> live;

    uint64_t next(uint64_t below) {
      random = random * 6364136223846793005 + 1442695040888963407;
      return (random >> 33) % below;
    }
    uint64_t nextSize() {
      const double part = static_cast<double>(next(1 << 30)) / (1 << 30);
      const auto least = static_cast<double>(kLeast), most = static_cast<double>(GetParam().most);
      return static_cast<uint64_t>(GetParam().logarithmic ? least * std::pow(most / least, part)
                                                          : least + (most - least) * part);
    }
  };

  void* allocate(uint64_t size, backend::Stream& stream) {
    if (void* cached = pool_->allocateFromCache(size, stream)) return cached;
    void* pointer = nullptr;
    const Status status = pool_->allocate(&pointer, size, kAlignment, &stream);
    EXPECT_TRUE(status.ok()) << status.message();
    return pointer;
  }
  void free(void* pointer, backend::Stream& stream) {
    const epoch::Guard guard;
    Region* region = address_map::find(pointer);
    Block* block = region->blockAt(reinterpret_cast<uintptr_t>(pointer));
    ASSERT_EQ(pool_->release(*region, *block, &stream), Pool::Freed::kYes);
  }
  // All threads in lockstep of short stretches, so that they allocate at the same time on however few cores.
  void run() {
    std::barrier<> together(kThreads);
    std::vector<std::atomic<void*>> handed(kThreads);
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number) {
      threads.emplace_back([&, number] {
        Work& work = works_[static_cast<size_t>(number)];
        for (int i = 0; i < kPairs; ++i) {
          if (i % 4 == 0) together.arrive_and_wait();
          void*& place = work.live[work.next(work.live.size())];
          if (GetParam().crosses) place = handed[static_cast<size_t>(number + 1) % kThreads].exchange(place);
          if (place != nullptr) free(place, *work.stream);
          place = allocate(work.nextSize(), *work.stream);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::atomic<void*>& each : handed) {
      if (each.load() != nullptr) free(each.load(), *works_[0].stream);
    }
  }
  rtMemPoolStats_t statistics() {
    rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
    pool_->statistics(&stats);
    return stats;
  }

  Ref<ContextResources> owner_;
  Ref<Pool> pool_;
  std::vector<Work> works_;
};

TEST_P(MixedSizesTest, ThreadsSeldomMeet) {
  run();
  const uint64_t visits = pool_->visits(), credits = pool_->creditChanges(), driver = statistics().driver_allocation_count;
  run();
  const double pairs = double{kThreads} * kPairs;
  const rtMemPoolStats_t stats = statistics();
  if (!sanitizer::hasAddress()) {  // with it no stream has a cache, and each pair comes to the lock
    EXPECT_LT(static_cast<double>(pool_->visits() - visits) / pairs, GetParam().most_visits);
    EXPECT_LT(static_cast<double>(pool_->creditChanges() - credits) / pairs, 0.2);
    // Longer blocks take back what streams keep first, and go to the driver more often.
    if (GetParam().most <= 1 << 20) {
      EXPECT_LT(static_cast<double>(stats.driver_allocation_count - driver) / pairs, 0.005);
    }
  }
  EXPECT_LT(stats.peak_reserved_bytes, 4 * stats.peak_live_bytes + (uint64_t{64} << 20));
  for (Work& work : works_) {
    for (void* each : work.live) free(each, *work.stream);
  }
  EXPECT_EQ(statistics().live_bytes, 0u);
  EXPECT_EQ(statistics().live_count, 0u);
  pool_->trim(0);
  EXPECT_EQ(statistics().reserved_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MixedSizesTest,
                         testing::Values(Shape{"log_1MiB", true, 1 << 20, 16, false, 0.03},
                                         Shape{"uniform_1MiB", false, 1 << 20, 16, false, 0.2},
                                         Shape{"log_1MiB_64", true, 1 << 20, 64, false, 0.06},
                                         Shape{"uniform_1MiB_64", false, 1 << 20, 64, false, 0.2},
                                         Shape{"log_16MiB", true, 16 << 20, 16, false, 0.8},
                                         Shape{"uniform_16MiB", false, 16 << 20, 16, false, 1.2},
                                         Shape{"log_1MiB_crossing", true, 1 << 20, 16, true, 0.03},
                                         Shape{"uniform_1MiB_crossing", false, 1 << 20, 16, true, 0.2}),
                         [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace manyrt::allocator
