// Work that several threads do at once: each part once, all of it before the call returns, with or without helpers.
#include "base/side_by_side.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/fault.h"

namespace manyrt {
namespace {

TEST(SideBySideTest, EachPartIsDoneOnceBeforeTheCallReturns) {
  for (const uint32_t most : {1u, 2u, 8u}) {
    constexpr size_t kParts = 1000;
    std::vector<int> done(kParts);
    std::atomic<size_t> next{0};
    std::atomic<uint32_t> calls{0};
    sideBySide(most, [&] {
      ++calls;
      for (size_t i = next++; i < kParts; i = next++) ++done[i];
    });
    EXPECT_EQ(done, std::vector<int>(kParts, 1));
    EXPECT_GE(calls, 1u);
    EXPECT_LE(calls, most);
  }
}

TEST(SideBySideTest, ThreadsHelp) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<uint32_t> inside{0};
  sideBySide(4, [&] {
    {
      std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    for (++inside; inside < 4;) std::this_thread::yield();
  });
  EXPECT_EQ(threads.size(), 4u);
  EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

TEST(SideBySideTest, WithoutMemoryForHelpersTheCallerDoesItAll) {
  std::atomic<uint32_t> calls{0};
  fault::arm(1, true);
  sideBySide(8, [&] { ++calls; });
  fault::disarm();
  EXPECT_GE(calls, 1u);
}

}  // namespace
}  // namespace manyrt
