// Numbers of half precision on the host: every half is itself, and what lies between two of them goes to the nearest.
#include "compiler/parser/half.h"

#include <gtest/gtest.h>

#include <cmath>

namespace manyrt::compiler {
namespace {

TEST(HalfTest, EveryHalfIsItsValue) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double value = valueOfHalf(static_cast<uint16_t>(bits));
    ASSERT_EQ(halfBits(value), bits);
    ASSERT_EQ(halfBits(-value), bits | 0x8000);
    if (bits > 0) {
      ASSERT_GT(value, valueOfHalf(static_cast<uint16_t>(bits - 1)));
    }
  }
  EXPECT_EQ(valueOfHalf(0x3c00), 1);
  EXPECT_EQ(valueOfHalf(0x0001), 0x1p-24);
  EXPECT_EQ(valueOfHalf(0xfbff), -65504);
}

TEST(HalfTest, TiesGoToTheEvenNeighbour) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = valueOfHalf(static_cast<uint16_t>(bits)), high = valueOfHalf(static_cast<uint16_t>(bits + 1));
    const double middle = (low + high) / 2;
    ASSERT_EQ(halfBits(middle), bits + (bits & 1));
    ASSERT_EQ(halfBits(std::nextafter(middle, 0)), bits);
    ASSERT_EQ(halfBits(std::nextafter(middle, 1e9)), bits + 1);
  }
}

TEST(HalfTest, WhatIsTooLargeIsInfinity) {
  EXPECT_EQ(halfBits(65519.999), 0x7bff);
  EXPECT_EQ(halfBits(65520), 0x7c00);
  EXPECT_EQ(halfBits(-1e300), 0xfc00);
  EXPECT_EQ(halfBits(INFINITY), 0x7c00);
  EXPECT_EQ(halfBits(1e-300), 0);
  EXPECT_TRUE(std::isnan(valueOfHalf(halfBits(std::nan("")))));
  EXPECT_EQ(roundedToHalf(0.1), 0x1.998p-4);
}

}  // namespace
}  // namespace manyrt::compiler
