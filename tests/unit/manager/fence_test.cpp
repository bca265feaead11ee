// A fence keeps nothing of the threads and streams that wait once they have been told or have given up.
#include "manager/fence.h"

#include <gtest/gtest.h>

namespace manyrt::manager {
namespace {

TEST(FenceTest, AWaitThatTimesOutLeavesNothingBehind) {
  rtFence_t handle = nullptr;
  ASSERT_EQ(rtFenceCreate(&handle, 0, nullptr), RT_SUCCESS);
  {
    epoch::Guard guard;
    Fence* fence = fences.find(toBits(handle));
    ASSERT_NE(fence, nullptr);
    guard.leave();
    for (uint64_t timeout : {0, 1, 1000}) EXPECT_EQ(rtFenceWaitFor(timeout, 1, handle), RT_ERROR_TIMEOUT);
    guard.enter();
    EXPECT_EQ(fence->waiting(), 0u);
    Ref<backend::Point> point;
    ASSERT_TRUE(fence->waitPoint(&point, 1).ok());
    EXPECT_EQ(fence->waiting(), 1u);
    EXPECT_TRUE(fence->signal(1).ok());
    EXPECT_TRUE(point->done());
    EXPECT_EQ(fence->waiting(), 0u);
  }
  EXPECT_EQ(rtFenceDestroy(handle), RT_SUCCESS);
}

}  // namespace
}  // namespace manyrt::manager
