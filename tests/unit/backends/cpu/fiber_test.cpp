// The fibers of work-items: order at barriers, exceptions, the floating-point mode, stacks and where they end. Runs for each
// way of switching that the build has.
#include "backends/cpu/fiber.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <cstring>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/fiber_stack.h"
#include "base/fault.h"

namespace manyrt::test {
namespace {

using cpu::fibers::kCalls;
using cpu::fibers::keptStacks;

#if defined(MANYRT_FIBERS_TSAN)
constexpr uint32_t kMaxGroup = 300;  // a fiber costs ThreadSanitizer milliseconds
#else
constexpr uint32_t kMaxGroup = cpu::fibers::kMaxKept;
#endif

template <class Body>
void runItems(uint32_t count, Body body) {
  kCalls.run([](void* user, uint32_t index) { (*static_cast<Body*>(user))(index); }, &body, count);
}

TEST(FiberTest, EachItemRunsOnceWithItsIndex) {
  for (uint32_t count : {0u, 1u, 2u, 3u, 16u, 17u, 255u, 256u, kMaxGroup}) {
    std::vector<uint32_t> calls(count);
    runItems(count, [&](uint32_t index) { ++calls.at(index); });
    EXPECT_EQ(calls, std::vector<uint32_t>(count, 1)) << count;
  }
}

TEST(FiberTest, NoItemPassesABarrierThatAnotherHasNotReached) {
  for (uint32_t count : {1u, 2u, 5u, 64u, 300u}) {
    constexpr uint32_t kRounds = 20;
    std::vector<uint32_t> arrived(kRounds);
    uint32_t early = 0;
    runItems(count, [&](uint32_t) {
      for (uint32_t round = 0; round < kRounds; ++round) {
        ++arrived[round];
        kCalls.wait();
        if (arrived[round] != count) ++early;
      }
    });
    EXPECT_EQ(early, 0u);
    EXPECT_EQ(arrived, std::vector<uint32_t>(kRounds, count));
  }
}

TEST(FiberTest, ItemsThatHaveEndedHoldNoItemUp) {
  constexpr uint32_t kCount = 50;
  std::vector<std::vector<uint32_t>> rounds(kCount);  // the fibers that were there in each
  runItems(kCount, [&](uint32_t index) {
    for (uint32_t round = 0; round < (index * 7) % kCount; ++round) {
      rounds[round].push_back(index);
      kCalls.wait();
    }
  });
  for (uint32_t round = 0; round < kCount; ++round) {
    std::vector<uint32_t> expected;
    for (uint32_t index = 0; index < kCount; ++index) {
      if (round < (index * 7) % kCount) expected.push_back(index);
    }
    EXPECT_EQ(rounds[round], expected) << round;
  }
}

TEST(FiberTest, LocalValuesSurviveTheSwitch) {
  constexpr uint32_t kCount = 33;
  std::vector<double> sums(kCount);
  runItems(kCount, [&](uint32_t index) {
    double a = index, b = 1, c = 0.5 * index;
    uint64_t d = index, e = ~uint64_t{index}, f = 3, g = 5;
    for (int round = 0; round < 10; ++round) {
      a += b;
      c += a;
      d += 1;
      e -= 1;
      f += d;
      g ^= e;
      kCalls.wait();
    }
    sums[index] = a + c + static_cast<double>(d + f) + static_cast<double>(e == ~uint64_t{index} - 10) + (g == 0 ? 1 : 0);
  });
  for (uint32_t i = 0; i < kCount; ++i) {
    double n = i;
    EXPECT_EQ(sums[i], (n + 10) + (0.5 * n + 10 * n + 55) + (n + 10) + (3 + 10 * n + 55) + 1) << i;
  }
}

TEST(FiberTest, AWaitOutsideOfAGroupReturns) {
  kCalls.wait();
  runItems(3, [](uint32_t) { kCalls.wait(); });
  kCalls.wait();
}

TEST(FiberTest, AnExceptionReachesTheCallerAndEndsTheGroup) {
  for (uint32_t thrower : {0u, 1u, 40u, 99u}) {
    for (uint32_t waits : {0u, 1u, 3u}) {
      uint32_t finished = 0;
      try {
        runItems(100, [&](uint32_t index) {
          for (uint32_t i = 0; i < waits; ++i) kCalls.wait();
          if (index == thrower) throw std::runtime_error("item " + std::to_string(index));
          kCalls.wait();
          kCalls.wait();
          ++finished;
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), "item " + std::to_string(thrower));
      }
      EXPECT_EQ(finished, 0u);
      uint32_t calls = 0;
      runItems(100, [&](uint32_t) {
        kCalls.wait();
        ++calls;
      });
      EXPECT_EQ(calls, 100u);
    }
  }
}

TEST(FiberTest, AbandonedGroupsCostNoMemory) {
  for (int repeat = 0; repeat < 100; ++repeat) {
    try {
      runItems(20, [&](uint32_t index) {
        volatile char frame[3000];
        frame[0] = static_cast<char>(index);
        kCalls.wait();
        if (frame[0] == 7) throw 7;
        kCalls.wait();
      });
      FAIL();
    } catch (int thrown) {
      ASSERT_EQ(thrown, 7);
    }
    ASSERT_LE(keptStacks(), 4096u);
  }
}

TEST(FiberTest, ARunInsideAnItemIsAGroupOfItsOwn) {
  std::vector<uint32_t> sums(10);
  runItems(10, [&](uint32_t outer) {
    kCalls.wait();
    uint32_t inside = 0;
    runItems(outer + 1, [&](uint32_t) {
      ++inside;
      kCalls.wait();
      if (inside == outer + 1) ++sums[outer];
    });
    kCalls.wait();
    EXPECT_THROW(runItems(4, [](uint32_t) { throw 1; }), int);
    kCalls.wait();
  });
  for (uint32_t i = 0; i < 10; ++i) EXPECT_EQ(sums[i], i + 1);
}

TEST(FiberTest, ItemsBeginWithTheCallersFloatingPointModeAndKeepTheirsToThemselves) {
  const int before = fegetround();
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TONEAREST}) {
    ASSERT_EQ(fesetround(mode), 0);
    std::vector<int> at_begin(8), after(8);
    runItems(8, [&](uint32_t index) {
      at_begin[index] = fegetround();
      if (index % 2 == 1) fesetround(FE_TOWARDZERO);
      kCalls.wait();
      after[index] = fegetround();
    });
    EXPECT_EQ(fegetround(), mode);
    for (uint32_t i = 0; i < 8; ++i) {
      EXPECT_EQ(at_begin[i], mode);
      EXPECT_EQ(after[i], i % 2 == 1 ? FE_TOWARDZERO : mode);
    }
  }
  fesetround(before);
}

TEST(FiberTest, WithoutMemoryForStacksNoItemRuns) {
  std::thread([] {  // which has no stacks yet
    fault::arm(2, true);
    uint32_t calls = 0;
    EXPECT_THROW(runItems(cpu::fibers::kSlabStacks + 1, [&](uint32_t) { ++calls; }), std::bad_alloc);
    EXPECT_STREQ(fault::lastFault(), "cpu.fiber");
    fault::disarm();
    EXPECT_EQ(calls, 0u);
    runItems(cpu::fibers::kSlabStacks + 1, [&](uint32_t) { ++calls; });
    EXPECT_EQ(calls, cpu::fibers::kSlabStacks + 1);
    EXPECT_THROW(runItems(UINT32_MAX, [](uint32_t) {}), std::bad_alloc);
  })
      .join();
}

TEST(FiberTest, LargePrivateArraysFit) {
  std::vector<uint32_t> sums(9);
  runItems(9, [&](uint32_t index) {
    volatile unsigned char bytes[cpu::fibers::kStackBytes * 3 / 4];
    for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<unsigned char>(index);
    kCalls.wait();
    for (size_t i = 0; i < sizeof bytes; ++i) sums[index] += bytes[i];
  });
  for (uint32_t i = 0; i < 9; ++i) EXPECT_EQ(sums[i], i * cpu::fibers::kStackBytes * 3 / 4);
}

uint32_t dig(uint32_t depth) {
  volatile unsigned char frame[512];
  frame[depth % 512] = 1;
  uint32_t below = depth == 0 ? 0 : dig(depth - 1);
  return below + frame[depth % 512];
}

TEST(FiberDeathTest, AnOverflowMeetsTheGuard) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(runItems(20,
                        [](uint32_t index) {
                          kCalls.wait();
                          if (index == 10) dig(static_cast<uint32_t>(cpu::fibers::kStackBytes / 400));
                          if (index == 11) _exit(0);
                        }),
               "");
}

#if defined(MANYRT_FIBERS_ASAN)
TEST(FiberDeathTest, AnOverrunInAnItemIsFoundAfterASwitch) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(runItems(20,
                        [](uint32_t index) {
                          char bytes[10] = {};
                          char* volatile at = bytes + index;
                          kCalls.wait();
                          *at = 1;
                        }),
               "stack-buffer-overflow");
}
#endif

TEST(FiberTest, GuardsLieBelowEachStackOfASlab) {
  cpu::fibers::Stacks stacks;
  const uint32_t first = stacks.take(2 * cpu::fibers::kSlabStacks);
  int null = memfd_create("guards", MFD_CLOEXEC);
  ASSERT_GE(null, 0);
  for (uint32_t i = first; i < first + 2 * cpu::fibers::kSlabStacks; ++i) {
    const unsigned char* stack = stacks[i].stack;  // write() reads the byte and fails where that is not allowed
    EXPECT_EQ(write(null, stack, 1), 1) << i;
    EXPECT_EQ(write(null, stack + cpu::fibers::kStackBytes - 1, 1), 1) << i;
    EXPECT_EQ(write(null, stack - 1, 1), -1) << i;
    EXPECT_EQ(write(null, stack - cpu::fibers::kGuardBytes, 1), -1) << i;
  }
  close(null);
  stacks.give(2 * cpu::fibers::kSlabStacks, 0);
  EXPECT_EQ(stacks.kept(), 0u);
}

TEST(FiberTest, StacksAreKeptForTheGroupsToComeAndNoLonger) {
  std::thread([] {
    runItems(250, [](uint32_t) {});
    const uint32_t large = keptStacks();
    EXPECT_GE(large, 250u);
    EXPECT_LT(large, 250u + cpu::fibers::kSlabStacks);
    runItems(10, [](uint32_t) {});
    EXPECT_EQ(keptStacks(), large);
    for (uint32_t i = 0; i < 2 * cpu::fibers::kRunsToForget; ++i) runItems(10, [](uint32_t) {});
    EXPECT_EQ(keptStacks(), cpu::fibers::kSlabStacks);
  }).join();
}

TEST(FiberTest, NoMoreStacksAreKeptThanAllowed) {
  constexpr uint32_t kCount = kMaxGroup / 2 + 100;
  cpu::fibers::Stacks stacks;
  stacks.take(kCount);
  stacks.take(kCount);
  stacks.give(kCount, kMaxGroup / 2);  // what is taken is never given back
  EXPECT_GE(stacks.kept(), kCount);
  stacks.give(kCount, kMaxGroup / 2);
  EXPECT_LT(stacks.kept(), kMaxGroup / 2 + cpu::fibers::kSlabStacks);
}

uint64_t mappedPages() {
  unsigned long pages = 0;
  FILE* file = fopen("/proc/self/statm", "re");
  if (file == nullptr || fscanf(file, "%lu", &pages) != 1) pages = 0;
  if (file != nullptr) fclose(file);
  return pages;
}

TEST(FiberTest, AThreadsStacksGoWithIt) {
  uint64_t before = 0;
  for (int round = 0; round < 60; ++round) {
    std::thread([] { runItems(64, [](uint32_t) { kCalls.wait(); }); }).join();
    if (round == 10) before = mappedPages();
  }
  const uint64_t stacks = 64 * (cpu::fibers::kStackBytes + cpu::fibers::kGuardBytes) / static_cast<uint64_t>(getpagesize());
  EXPECT_GT(before, 0u);
  EXPECT_LT(mappedPages(), before + 10 * stacks);
}

struct RunsAtTheEnd {
  uint32_t* calls = nullptr;
  ~RunsAtTheEnd() {
    if (calls != nullptr) runItems(5, [this](uint32_t) { kCalls.wait(), ++*calls; });
  }
};
thread_local RunsAtTheEnd runs_at_the_end;

TEST(FiberTest, AGroupRunsEvenWhenItsThreadIsEnding) {
  uint32_t calls = 0;
  std::thread([&] {
    runs_at_the_end.calls = &calls;  // destructed after what the first run makes
    runItems(5, [](uint32_t) {});
  }).join();
  EXPECT_EQ(calls, 5u);
}

TEST(FiberTest, ThreadsRunTheirGroupsIndependently) {
  std::vector<std::thread> threads;
  std::vector<uint64_t> sums(6);
  for (uint32_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([t, &sums] {
      for (uint32_t repeat = 0; repeat < 20; ++repeat) {
        std::vector<uint32_t> values(30 + t);
        runItems(30 + t, [&](uint32_t index) {
          values[index] = index;
          kCalls.wait();
          if (index == 0) sums[t] += std::accumulate(values.begin(), values.end(), uint64_t{0});
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (uint32_t t = 0; t < sums.size(); ++t) EXPECT_EQ(sums[t], uint64_t{20} * (30 + t) * (29 + t) / 2);
}

// ---- Items in sub-groups ----

template <class Body>
void runSubGroups(uint32_t count, Body body) {
  kCalls.runSubGroups([](void* user, uint32_t index) { (*static_cast<Body*>(user))(index); }, &body, count);
}

uint64_t sumOf(const compiler::SubGroupValues& values) {
  uint64_t sum = 0;
  for (uint32_t item = 0; item < compiler::kSubGroupItems; ++item)
    sum += (values.members >> item & 1) != 0 ? values.values[item] : 0;
  return sum;
}

TEST(FiberTest, ItemsExchangeValuesWithTheirSubGroupAlone) {
  constexpr uint32_t kSize = compiler::kSubGroupItems;
  for (uint32_t count : {1u, 15u, 16u, 17u, 100u}) {
    uint32_t wrong = 0;
    runSubGroups(count, [&](uint32_t index) {
      const uint32_t first = index / kSize * kSize, end = std::min(first + kSize, count);
      for (uint32_t round = 0; round < 1 + index / kSize; ++round) {  // each sub-group as often as it likes
        const uint64_t expected = uint64_t{end - first} * round + uint64_t{end - first} * (first + end - 1) / 2;
        if (sumOf(*kCalls.exchange(index + round)) != expected || kCalls.subGroupItem() != index % kSize) ++wrong;
      }
    });
    EXPECT_EQ(wrong, 0u) << count;
  }
}

TEST(FiberTest, BarriersOfTheGroupWaitForEverySubGroup) {
  constexpr uint32_t kCount = 70;
  uint32_t arrived = 0, early = 0, sums = 0;
  runSubGroups(kCount, [&](uint32_t index) {
    for (uint32_t round = 1; round <= 5; ++round) {
      for (uint32_t i = 0; i < index / compiler::kSubGroupItems; ++i) sums += sumOf(*kCalls.exchange(1)) > 16;
      ++arrived;
      kCalls.wait();
      if (arrived != round * kCount) ++early;
      kCalls.wait();
    }
  });
  EXPECT_EQ(early, 0u);
  EXPECT_EQ(sums, 0u);
}

TEST(FiberTest, ItemsThatHaveEndedTakeNoPartInExchanges) {
  uint32_t wrong = 0;
  runSubGroups(16, [&](uint32_t index) {
    for (uint32_t round = 0; round < index; ++round) {
      if (sumOf(*kCalls.exchange(1)) != 15 - round) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0u);
}

// Undefined in the language, but it ends.
TEST(FiberTest, ItemsThatWaitForEachOtherAtDifferentPlacesGoOn) {
  uint32_t ended = 0;
  runSubGroups(20, [&](uint32_t index) {
    if (index % 2 == 0) {
      kCalls.wait();
    } else {
      kCalls.exchange(index);
    }
    ++ended;
  });
  EXPECT_EQ(ended, 20u);
}

}  // namespace
}  // namespace manyrt::test
