// The reductions on the host, as functions: rounding of f16 and bf16 for every number, NaN, wrapping integers, averages that
// truncate.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "comm/elements.h"
#include "comm/half.h"
#include "comm/host_reduction.h"

namespace commtest {
namespace {

using manyrt::comm::BFloat;
using manyrt::comm::combineOnHost;
using manyrt::comm::divideOnHost;
using manyrt::comm::Half;

// The nearest number of the small type by search: between two neighbours, the one that is nearer, else the even one.
uint16_t nearest(float value, int exponent_bits, int mantissa_bits) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(static_cast<double>(value));
  const uint32_t infinite = ((1u << exponent_bits) - 1) << mantissa_bits;
  uint32_t low = 0, high = infinite;  // bit patterns grow with the numbers
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (fromSmallFloat(static_cast<uint16_t>(middle), exponent_bits, mantissa_bits) <= size ? low : high) = middle;
  }
  // In the comparison infinity stands for the next number of the same step.
  const double below = fromSmallFloat(static_cast<uint16_t>(low), exponent_bits, mantissa_bits);
  const double step = below - fromSmallFloat(static_cast<uint16_t>(low - 1), exponent_bits, mantissa_bits);
  const double above =
      high == infinite ? below + step : fromSmallFloat(static_cast<uint16_t>(high), exponent_bits, mantissa_bits);
  if (size - below > above - size || (size - below == above - size && low % 2 == 1)) low = high;
  return static_cast<uint16_t>(sign | low);
}

TEST(ArithmeticTest, SixteenBitsBecomeTheirNumber) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<uint16_t>(bits);
    const double half = fromSmallFloat(pattern, 5, 10), brain = fromSmallFloat(pattern, 8, 7);
    const float from_half = manyrt::comm::toFloat(Half{pattern}), from_brain = manyrt::comm::toFloat(BFloat{pattern});
    ASSERT_TRUE(std::isnan(half) ? std::isnan(from_half) : from_half == half) << bits;
    ASSERT_TRUE(std::isnan(brain) ? std::isnan(from_brain) : from_brain == static_cast<float>(brain)) << bits;
    ASSERT_TRUE(std::isnan(half) || manyrt::comm::toHalf(from_half).bits == pattern) << bits;
    ASSERT_TRUE(std::isnan(brain) || manyrt::comm::toBFloat(from_brain).bits == pattern) << bits;
  }
}

TEST(ArithmeticTest, FloatsRoundToTheNearestAndEven) {
  std::mt19937 random(20240);
  const auto check = [](float value) {
    ASSERT_EQ(manyrt::comm::toHalf(value).bits, nearest(value, 5, 10)) << std::hexfloat << value;
    ASSERT_EQ(manyrt::comm::toBFloat(value).bits, nearest(value, 8, 7)) << std::hexfloat << value;
  };
  for (const float value :
       {0.0F, -0.0F, 0x1p-24F, 0x1p-25F, 0x1.8p-25F, 0x1.000002p-25F, 65504.0F, 65519.996F, 65520.0F, 0x1p-14F, 0x1.ffep-15F,
        0x1.fffp-15F, 0x1.002p0F, 0x1.006p0F, 0x1.01p0F, 0x1.03p0F, 0x1p-149F, 0x1.fefffep127F}) {
    ASSERT_NO_FATAL_FAILURE(check(value));
    ASSERT_NO_FATAL_FAILURE(check(-value));
  }
  for (int i = 0; i < 200000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    ASSERT_NO_FATAL_FAILURE(check(value));
    ASSERT_NO_FATAL_FAILURE(check(std::ldexp(1 + std::fabs(std::fmod(value, 1.0F)), i % 34 - 26)));  // in f16's range
  }
  for (const float value : {NAN, -NAN, std::bit_cast<float>(0x7f800001u), std::bit_cast<float>(0xff80ffffu)}) {
    EXPECT_TRUE(std::isnan(fromSmallFloat(manyrt::comm::toHalf(value).bits, 5, 10)));
    EXPECT_TRUE(std::isnan(fromSmallFloat(manyrt::comm::toBFloat(value).bits, 8, 7)));
  }
  EXPECT_EQ(manyrt::comm::toHalf(-INFINITY).bits, 0xfc00);
  EXPECT_EQ(manyrt::comm::toBFloat(INFINITY).bits, 0x7f80);
}

TEST(ArithmeticTest, IntegersWrap) {
  const int8_t a8 = 100, b8 = 100;
  int8_t out8 = 0;
  combineOnHost(RT_COMM_I8, RT_COMM_SUM, &out8, &a8, &b8, 1);
  EXPECT_EQ(out8, -56);
  const uint16_t a16 = 65535, b16 = 65535;
  uint16_t out16 = 0;
  combineOnHost(RT_COMM_U16, RT_COMM_PRODUCT, &out16, &a16, &b16, 1);
  EXPECT_EQ(out16, 1);
  const int64_t a64 = INT64_MAX, b64 = 2;
  int64_t out64 = 0;
  combineOnHost(RT_COMM_I64, RT_COMM_PRODUCT, &out64, &a64, &b64, 1);
  EXPECT_EQ(out64, -2);
}

TEST(ArithmeticTest, AveragesOfIntegersTruncate) {
  int8_t small[] = {-7, 7, -128};
  divideOnHost(RT_COMM_I8, small, 3, 200);
  EXPECT_EQ(small[2], 0) << "a divisor may be more than the type holds";
  int32_t numbers[] = {-7, 7, -8};
  divideOnHost(RT_COMM_I32, numbers, 3, 4);
  EXPECT_EQ(numbers[0], -1);
  EXPECT_EQ(numbers[1], 1);
  EXPECT_EQ(numbers[2], -2);
  uint64_t large[] = {UINT64_MAX};
  divideOnHost(RT_COMM_U64, large, 1, 2);
  EXPECT_EQ(large[0], UINT64_MAX / 2);
}

TEST(ArithmeticTest, NanOfEitherOperandIsTheResult) {
  for (const int32_t reduction : kReductions) {
    const float a[] = {NAN, 1.0F, NAN}, b[] = {1.0F, NAN, NAN};
    float out[3] = {};
    combineOnHost(RT_COMM_F32, reduction, out, a, b, 3);
    for (const float element : out) EXPECT_TRUE(std::isnan(element)) << kReductionNames[reduction];
  }
}

}  // namespace
}  // namespace commtest
