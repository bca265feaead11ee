// Size classes: every size has the smallest class that holds it, and little is lost.
#include "allocator/size_class.h"

#include <gtest/gtest.h>

namespace manyrt::allocator {
namespace {

TEST(SizeClassTest, EverySizeFitsItsClassAndNotTheOneBelow) {
  for (uint64_t size = 1; size <= kMaxBlock; size += size < 8192 ? 1 : 129) {
    uint32_t index = sizeClass(size);
    ASSERT_LT(index, kSizeClasses);
    ASSERT_GE(classBytes(index), size);
    ASSERT_TRUE(index == 0 || classBytes(index - 1) < size);
  }
}

TEST(SizeClassTest, ClassesAreAlignedAndAtMostAQuarterTooLarge) {
  for (uint32_t index = 0; index < kSizeClasses; ++index) {
    EXPECT_EQ(classBytes(index) % kAlignment, 0u);
    EXPECT_EQ(sizeClass(classBytes(index)), index);
    EXPECT_TRUE(index < 8 || classBytes(index) - classBytes(index - 1) <= classBytes(index - 1) / 4);
  }
  EXPECT_EQ(classBytes(kSizeClasses - 1), kMaxBlock);
}

}  // namespace
}  // namespace manyrt::allocator
