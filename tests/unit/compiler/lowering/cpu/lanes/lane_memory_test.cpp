// How the lanes of a region reach memory: one place, neighbours, places a step apart, and places of their own.
#include "unit/compiler/lowering/cpu/lanes/lanes_kernel.h"

namespace manyrt::test {
namespace {

TEST(LaneMemoryTest, NeighboursAreOneLoadAndOthersAreNot) {
  EXPECT_TRUE(contains(textOf("a[i + n] = a[i - 1] * 2.0f;"), "mrt_L::put_near("));
  EXPECT_TRUE(contains(textOf("a[i] = sin(a[i * n]) * cos(a[i * n + 1]) + a[i];"), "mrt_L::far("));
  EXPECT_TRUE(contains(textOf("v[i] = v[i] * 2.0f;"), "mrt_L::near_parts<4>("));
}

TEST(LaneMemoryTest, AnIndexThroughClampIsLookedAtWhenItIsUsed) {
  EXPECT_TRUE(contains(textOf("a[i] = a[clamp(i - 1, 0, n)] * 2.0f + a[i] * 3.0f + a[i + 1];"), "mrt_L::likely_at("));
}

TEST(LaneMemoryTest, AnIndexOfBitsOfAnIdIsToo) {
  const std::string text = textOf("int k = i & (n - 1); int low = 2 * i - k; a[low] = sin(a[low]) * 2.0f;");
  EXPECT_TRUE(contains(text, "mrt_L::likely_at(")) << text;
  EXPECT_TRUE(contains(text, "mrt_L::put_likely_at(")) << text;
  EXPECT_FALSE(contains(textOf("int k = o[i] & n; a[k] = sin(a[k]);"), "mrt_L::likely_at("));
}

TEST(LaneMemoryTest, APlaceThatAllLanesShareIsReadOnceByAScalar) {
  EXPECT_FALSE(contains(textOf("a[i] = a[n] * 2.0f;"), "mrt_L::at("));
}

TEST(LaneMemoryTest, AnUnsignedIndexThatMayWrapIsAskedForAtEachAccess) {
  const std::string text = textOf("uint k = (uint)i + by; a[k] = a[k] * 2.0f;");
  EXPECT_TRUE(contains(text, "mrt_L::fits(")) << text;
  EXPECT_TRUE(contains(text, "else mrt_L::put_at(")) << text;
  EXPECT_FALSE(contains(textOf("a[i + n] = a[i] * 2.0f;"), "mrt_L::fits("));
}

}  // namespace
}  // namespace manyrt::test
