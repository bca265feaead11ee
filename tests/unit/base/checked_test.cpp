// Size arithmetic at its edges, and deadlines.
#include "base/checked.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace manyrt {
namespace {

TEST(CheckedTest, SumsAndProductsTellOfOverflow) {
  uint64_t out;
  EXPECT_FALSE(addOverflows(UINT64_MAX - 1, 1, &out));
  EXPECT_TRUE(addOverflows(UINT64_MAX, 1, &out));
  EXPECT_TRUE(mulOverflows(uint64_t{1} << 32, uint64_t{1} << 32, &out));
  EXPECT_FALSE(mulOverflows(0, UINT64_MAX, &out));
}

TEST(CheckedTest, RoundingUpNeverWraps) {
  uint64_t out;
  EXPECT_FALSE(roundUpOverflows(1, 256, &out));
  EXPECT_EQ(out, 256u);
  EXPECT_FALSE(roundUpOverflows(256, 256, &out));
  EXPECT_EQ(out, 256u);
  EXPECT_TRUE(roundUpOverflows(UINT64_MAX - 3, 256, &out));
}

TEST(CheckedTest, TheSpanOfARectangleEndsWithItsLastRow) {
  uint64_t span;
  EXPECT_FALSE(spanOverflows(100, 10, 3, &span));
  EXPECT_EQ(span, 210u);
  EXPECT_FALSE(spanOverflows(100, 0, 3, &span));
  EXPECT_EQ(span, 0u);
  EXPECT_TRUE(spanOverflows(UINT64_MAX / 2, 10, 4, &span));
}

TEST(DeadlineTest, EndsAreExact) {
  EXPECT_TRUE(Deadline::never().isNever());
  EXPECT_FALSE(Deadline::never().passed());
  EXPECT_TRUE(Deadline::poll().passed());
  EXPECT_TRUE(Deadline::after(0).isPoll());
  EXPECT_TRUE(Deadline::after(UINT64_MAX - 1).isNever());
  EXPECT_FALSE(Deadline::after(60'000'000'000).passed());
}

}  // namespace
}  // namespace manyrt
