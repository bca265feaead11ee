// For whose work an allocation waits that finds no memory: never for work that cannot make room.
#include "ops/out_of_memory.h"

#include <gtest/gtest.h>

namespace manyrt::ops {
namespace {

constexpr uint64_t kDevice = 1000;

Holders holders(uint64_t live, uint64_t reserved, uint64_t limit, uint64_t size) {
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  stats.live_bytes = live;
  stats.reserved_bytes = reserved;
  return holdersThatMatter(stats, limit, size, kDevice);
}

TEST(OutOfMemoryTest, WithoutALimitAllWorkOfTheContextMayHoldWhatTheDeviceLacks) {
  EXPECT_EQ(holders(0, 0, 0, 1), Holders::kOfContext);
  EXPECT_EQ(holders(900, 950, 0, 1000), Holders::kOfContext) << "other pools may have it";
  EXPECT_EQ(holders(0, 0, 0, 1001), Holders::kNone) << "more than the device has";
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  EXPECT_EQ(holdersThatMatter(stats, 0, UINT64_MAX, 0), Holders::kOfContext) << "a device that cannot say what it has";
}

TEST(OutOfMemoryTest, UnderALimitOnlyThePoolsOwnFreedMemoryMakesRoom) {
  EXPECT_EQ(holders(60, 100, 100, 40), Holders::kOfPool);
  EXPECT_EQ(holders(60, 100, 100, 41), Holders::kNone) << "what is live leaves no room for it";
  EXPECT_EQ(holders(0, 0, 100, 101), Holders::kNone) << "more than the limit";
  EXPECT_EQ(holders(110, 120, 100, 1), Holders::kNone) << "a limit below what is live";
  EXPECT_EQ(holders(60, 61, 100, 40), Holders::kOfPool);
  EXPECT_EQ(holders(60, 60, 100, 40), Holders::kOfContext) << "the limit leaves room: the device is what has none";
}

}  // namespace
}  // namespace manyrt::ops
