// language/conversions.cl, integers.cl and floats.cl: numbers against what the host computes, at the edges of their types.
#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>

#include "source_test.h"

namespace rttest {
namespace {

using Ints = std::vector<int>;

class NumberTest : public SourceTest {
 protected:
  static int bits(float value) { return std::bit_cast<int>(value); }
  static int low(int64_t value) { return static_cast<int>(static_cast<uint32_t>(value)); }
  template <typename T>
  static T saturated(double value) {
    if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  }
};
INSTANTIATE_TEST_SUITE_P(, NumberTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(NumberTest, FloatsConvertWithTheRoundingAndSaturationAskedFor) {
  build("language/conversions.cl");
  const std::vector<float> values = {0.0f,  0.5f,   1.5f,   2.5f,   -0.5f,  -1.5f,   -2.5f,  0.25f,   99.75f,  -99.75f,
                                     1e-3f, 127.5f, 128.5f, 255.5f, -129.f, 300.25f, -1.25f, 4000.5f, 32767.f, 70000.f};
  const Buffer<float> in = buffer(values);
  const Buffer<int> out = buffer(Ints(values.size() * 24, 0));
  run("of_floats", {static_cast<uint32_t>(values.size())}, {1}, in, out);
  Ints expected;
  for (const float f : values) {
    const double even = std::nearbyint(static_cast<double>(f)), d = static_cast<double>(f);
    const int cut = static_cast<int>(f);
    const Ints row = {saturated<uint8_t>(std::trunc(d)),
                      saturated<int8_t>(std::trunc(d)),
                      saturated<int16_t>(even),
                      saturated<uint16_t>(std::ceil(d)),
                      static_cast<int>(even),
                      cut,
                      static_cast<int>(std::ceil(d)),
                      static_cast<int>(std::floor(d)),
                      cut,
                      cut,
                      bits(f),
                      f != 0.0f ? 2 : 0,
                      static_cast<int>(std::floor(d)),
                      static_cast<int>(std::floor(-d)),
                      static_cast<int>(std::floor(2 * d)),
                      0,
                      saturated<uint8_t>(std::trunc(d)),
                      0 + 255 + 127,
                      bits(static_cast<float>(static_cast<int>(even))),
                      static_cast<int>(even),
                      bits(3.0f),
                      saturated<int32_t>(static_cast<double>(f * 1.0e9f)),
                      static_cast<int>(saturated<uint32_t>(static_cast<double>(f * 1.0e9f))),
                      0};
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expectEqual(out.read(), expected, "of_floats, 24 results for each value");
}

TEST_P(NumberTest, IntegersConvertPromoteAndWrapAsC) {
  build("language/conversions.cl");
  Ints values = {0, 1, -1, 5, 6, 127, 128, 255, 256, -128, -129, 32767, 32768, 65535, 65536, -32769, INT_MAX, INT_MIN};
  for (int value : randomIntegers(20, 3, INT_MIN / 2, INT_MAX / 2)) values.push_back(value);
  const Buffer<int> in = buffer(values);
  const Buffer<int> out = buffer(Ints(values.size() * 24, 0));
  run("of_integers", {static_cast<uint32_t>(values.size()) / 2}, {2}, in, out);
  Ints expected;
  for (const int x : values) {
    const uint32_t u = static_cast<uint32_t>(x);
    const Ints row = {static_cast<int8_t>(x),
                      static_cast<uint8_t>(x),
                      static_cast<int16_t>(x),
                      static_cast<uint16_t>(x),
                      std::clamp(x, -128, 127),
                      std::clamp(x, 0, 255),
                      std::clamp(x, -32768, 32767),
                      std::clamp(x, 0, 65535),
                      low(int64_t{x} >> 4),
                      low(static_cast<int64_t>(static_cast<uint64_t>(int64_t{x}) >> 40)),
                      static_cast<int>(u >> 4),
                      bits(static_cast<float>(x)),
                      bits(static_cast<float>(u) / 2.0f),
                      static_cast<int16_t>(u >> 16),
                      static_cast<uint8_t>(u >> 16),
                      static_cast<int>(__builtin_bswap32(u)),
                      static_cast<int>((u & 0xffff) << 16 | 7),
                      u > 5 ? 1 : 0,
                      x < 0 ? -1 : 300,
                      static_cast<int8_t>(100 + (x & 63)),
                      static_cast<uint16_t>((u & 0xffff) * (u & 0xffff)),
                      low(std::max(x, 0) + std::clamp<int64_t>(int64_t{x} * 4, INT_MIN, INT_MAX)),
                      (~x & 0xff) >> 1,
                      (x & 256) / 256 + 1};
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expectEqual(out.read(), expected, "of_integers, 24 results for each value");
}

TEST_P(NumberTest, TypesHaveTheSizesOfTheStandard) {
  build("language/conversions.cl");
  const Buffer<int> out = buffer(Ints(11, 0));
  run("sizes", {1}, {1}, out);
  expectEqual(out.read(), {1 + 20 + 400 + 8000, 16, 4, 32 + 128, 48, 8, 32, 28 + 4 + 4, 8, 16 + 4, 16}, "sizes");
}

// The results that the standard defines; -1 where it does not.
TEST_P(NumberTest, DivisionByZeroAndOverflowEndNothing) {
  build("language/integers.cl");
  Ints pairs = {7, 2, -7,      2,  7,       -2, -7,      -2, 5,       0,       -5, 0,
                0, 0, INT_MIN, -1, INT_MIN, 1,  INT_MAX, -1, INT_MIN, INT_MIN, 1,  INT_MIN};
  for (int value : randomIntegers(40, 5, INT_MIN / 2, INT_MAX / 2)) pairs.push_back(value);
  const Buffer<int> in = buffer(pairs);
  const Buffer<int> out = buffer(Ints(pairs.size() * 8, 0));
  run("division", {static_cast<uint32_t>(pairs.size() / 2)}, {1}, in, out);
  const Ints got = out.read();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const int a = pairs[i], b = pairs[i + 1];
    const int* r = &got[i * 8];
    const std::string what = std::to_string(a) + " by " + std::to_string(b);
    EXPECT_EQ(r[15], 77) << what;
    EXPECT_EQ(r[6], a) << what;
    EXPECT_EQ(r[7], 0) << what;
    EXPECT_EQ(r[11], b == 0 ? a : a / 2) << what;
    if (b == 0) continue;
    const uint32_t ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
    EXPECT_EQ(r[2], static_cast<int>(ua / ub)) << what;
    EXPECT_EQ(r[3], static_cast<int>(ua % ub)) << what;
    EXPECT_EQ(r[4], low(int64_t{a} / b)) << what;
    EXPECT_EQ(r[5], low(int64_t{a} % b)) << what;
    EXPECT_EQ(r[13], low(static_cast<int64_t>(123456789012345u / ub))) << what;
    if (a == INT_MIN && b == -1) continue;
    EXPECT_EQ(r[0], a / b) << what;
    EXPECT_EQ(r[1], a % b) << what;
    EXPECT_EQ(r[8], a / b + a % b) << what;
    EXPECT_EQ(r[9], 1 + 1 / b) << what;
    EXPECT_EQ(r[12], a / b % b) << what;
    const int8_t ca = static_cast<int8_t>(a), cb = static_cast<int8_t>(b);
    if (cb != 0) {
      EXPECT_EQ(r[10], static_cast<int8_t>(ca / cb)) << what;
    }
  }
}

TEST_P(NumberTest, ShiftsTakeTheirAmountModuloTheWidth) {
  build("language/integers.cl");
  Ints pairs;
  for (int by : {0, 1, 5, 31, 32, 33, 40, 63, 64, 65, 127, -1, INT_MIN}) {
    for (int value : {1, -1, 0x12345678, INT_MIN, 200}) pairs.insert(pairs.end(), {value, by});
  }
  const Buffer<int> in = buffer(pairs);
  const Buffer<int> out = buffer(Ints(pairs.size() * 8, 0));
  run("shifts", {static_cast<uint32_t>(pairs.size() / 2)}, {1}, in, out);
  Ints expected;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const int a = pairs[i], b = pairs[i + 1];
    const uint32_t u = static_cast<uint32_t>(a), by = static_cast<uint32_t>(b) & 31;
    const uint64_t wide = static_cast<uint64_t>(int64_t{a});
    const uint32_t wide_by = static_cast<uint32_t>(b) & 63;
    const int left = static_cast<int>(u << by);
    const auto narrow = [&](int value, int amount) {
      return int{static_cast<int8_t>(static_cast<uint8_t>(value) << (amount & 7))};
    };
    const Ints row = {left,
                      a >> by,
                      static_cast<int>(u >> by),
                      low(static_cast<int64_t>(wide << wide_by) >> 32),
                      low(static_cast<int64_t>(wide >> wide_by)),
                      left,
                      static_cast<int>(u << 31),
                      a,
                      static_cast<int>(u << 1),
                      static_cast<int>(u >> by),
                      static_cast<int>(u >> 8),
                      left,
                      narrow(b, 9),
                      narrow(b, 1),
                      low(static_cast<int64_t>(uint64_t{1} << wide_by)),
                      static_cast<int>(static_cast<uint32_t>(a >> 3) << 3)};
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expectEqual(out.read(), expected, "shifts, 16 results for each pair");
}

TEST_P(NumberTest, LiteralsThatAConversionChanges) {
  build("language/integers.cl");
  Ints values = {0, 1, -1, INT_MIN, INT_MAX, 255, 256, -256};
  for (int value : randomIntegers(40, 11, INT_MIN / 2, INT_MAX / 2)) values.push_back(value);
  const Buffer<int> in = buffer(values);
  const Buffer<int> out = buffer(Ints(values.size() * 8, 0));
  run("cut_literals", {static_cast<uint32_t>(values.size())}, {1}, in, out);
  const Ints got = out.read();
  for (size_t i = 0; i < values.size(); ++i) {
    const int a = values[i];
    const uint32_t u = static_cast<uint32_t>(a);
    const int* r = &got[i * 8];
    const std::string what = std::to_string(a);
    if (a != INT_MIN) {
      EXPECT_EQ(r[0], -a) << what;
      EXPECT_EQ(r[1], 0) << what;
    }
    EXPECT_EQ(r[2], static_cast<int>(u << 1)) << what;
    EXPECT_EQ(r[3], a >> 2) << what;
    EXPECT_EQ(r[4], static_cast<int>(static_cast<float>(u & 0xffffffc8u) / 65536.0f)) << what;
    EXPECT_EQ(r[5], a) << what;
    EXPECT_EQ(r[6], (a & 44) - 1) << what;
    EXPECT_EQ(r[7], i == 0 ? 5 : 6) << what;
  }
  if (GetParam() != "cpu") return;  // drivers of OpenCL may make anything of such a division; here it ends nothing
  run("by_a_zero_of_a_cast", {static_cast<uint32_t>(values.size())}, {1}, in, out);
  const Ints divided = out.read();
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(divided[2 * i + 1], 77);
}

TEST_P(NumberTest, IntegerFunctionsAgreeWithWideArithmetic) {
  build("language/integers.cl");
  Ints pairs = {0, 0, 1, -1, INT_MAX, INT_MAX, INT_MIN, INT_MIN, INT_MIN, INT_MAX, -5, 3, 255, 256, 127, 1};
  for (int value : randomIntegers(48, 9, INT_MIN / 2, INT_MAX / 2)) pairs.push_back(value);
  const Buffer<int> in = buffer(pairs);
  const Buffer<int> out = buffer(Ints(pairs.size() * 12, 0));
  run("functions", {static_cast<uint32_t>(pairs.size() / 2)}, {1}, in, out);
  Ints expected;
  const auto saturated = [](int64_t value) { return static_cast<int>(std::clamp<int64_t>(value, INT_MIN, INT_MAX)); };
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const int64_t a = pairs[i], b = pairs[i + 1];
    const uint32_t ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
    const uint8_t ca = static_cast<uint8_t>(a), cb = static_cast<uint8_t>(b);
    const int hi = low(a * b >> 32);
    const Ints row = {hi,
                      low(static_cast<int64_t>(uint64_t{ua} * ub >> 32)),
                      saturated(a + b),
                      saturated(a - b),
                      low(static_cast<int64_t>(std::min<uint64_t>(uint64_t{ua} + ub, UINT_MAX))),
                      ua > ub ? low(ua - ub) : 0,
                      low((a + b) >> 1),
                      low((a + b + 1) >> 1),
                      low(std::abs(a - b)),
                      low(std::abs(a)),
                      std::countl_zero(ua),
                      std::popcount(ua),
                      low(std::rotl(ua, static_cast<int>(ub & 31))),
                      low(int64_t{hi} + 3),
                      saturated(a * b + a),
                      low(a & 0x7fffff),
                      low(std::max(a, b) ^ std::min(a, b)),
                      std::countl_zero(ca),
                      std::popcount(static_cast<uint16_t>(a)),
                      std::clamp(static_cast<int8_t>(a) + static_cast<int8_t>(b), -128, 127),
                      low(a * b),
                      (ca + cb) >> 1,
                      low(int64_t{ub} ^ a),
                      low(std::clamp<int64_t>(a, -5, 1000) + std::rotl(ca, 1))};
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expectEqual(out.read(), expected, "functions, 24 results for each pair");
}

TEST_P(NumberTest, ConstantsHaveTheTypesAndValuesOfC) {
  build("language/integers.cl");
  const Buffer<int> out = buffer(Ints(18, 0));
  run("constants", {1}, {1}, out);
  const Ints expected = {INT_MAX,
                         0x0fffffff,
                         'A' + 10 + 0x41 + 65 + 92,
                         24,
                         4,
                         4 + 80 + 400 + 8000 + 40000,
                         0,
                         -1 + 17,
                         -1,
                         INT_MAX - 127 - 32768 - 8,
                         INT_MAX >> 1,
                         -1,
                         4 + 0 + 8,
                         4 + 5 + 12 + 100,
                         low(int64_t{0x7f7fffff} + 2),
                         107,
                         1,
                         1};
  expectEqual(out.read(), expected, "constants");
}

TEST_P(NumberTest, MathFunctionsAreAsAccurateAsTheStandardAsks) {
  build("language/floats.cl");
  std::vector<float> values = randomReals(64, 11, -5, 5);
  values.insert(values.end(), {0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 3.0f});
  const Buffer<float> in = buffer(values);
  const Buffer<float> out = buffer(std::vector<float>(values.size() * 48, 0.0f));
  run("functions", {static_cast<uint32_t>(values.size() / 2)}, {2}, in, out);
  std::vector<double> expected;
  for (const float value : values) {
    const double x = value, y = static_cast<double>(std::fabs(value) + 0.5f), pi = std::acos(-1.0);
    const auto smooth = [](double t) { return t * t * (3 - 2 * t); };
    int exponent = 0;
    const double mantissa = std::frexp(y, &exponent);
    std::vector<double> row = {
        std::sin(x),        std::cos(x),       std::tan(x * 0.1),  std::exp(x),
        std::exp2(x),       std::log(y),       std::log2(y),       std::log10(y),
        std::sqrt(y),       1 / std::sqrt(y),  std::cbrt(x),       std::pow(y, 1.7),
        x * x * x,          std::pow(y, 0.25), 1 / std::sqrt(y),   std::hypot(x, y),
        std::atan(x),       std::atan2(x, y),  std::asin(x * 0.1), std::acos(x * 0.1),
        std::sinh(x * 0.2), std::tanh(x),      std::floor(x),      std::ceil(x),
        std::trunc(x),      std::nearbyint(x), std::round(x),      static_cast<double>(std::fmod(value, 0.7f)),
        x * y + 1,          x * y + 1};
    row.push_back(std::min(x, y) + std::max(x, 0.0) + std::max(x - y, 0.0));
    row.push_back(std::copysign(y, x) + (x > 0) - (x < 0));
    row.push_back(x + (y - x) * 0.25 + (x >= 0) + smooth(std::clamp((x + 1) / 2, 0.0, 1.0)));
    row.push_back(std::clamp(x, -1.0, 1.0) + x * 180 / pi + x * pi / 180);
    row.push_back(x * 8 + 2 * std::logb(y));
    row.push_back(std::sin(pi * x * 0.25) + std::erf(x) + std::expm1(x * 0.1) + std::log1p(y));
    row.push_back(y + std::floor(y));
    row.push_back(x - 2 * std::trunc(x));
    row.push_back(std::sin(x) * 2 + std::cos(x));
    row.push_back(mantissa + exponent);
    row.push_back(std::sqrt(y) + 1 / y + std::exp(x * 0.1));
    row.push_back(1 + (x != 0 ? 1 : 0) + (std::signbit(x) ? 1 : 0) + 1);
    row.resize(48, 0);
    expected.insert(expected.end(), row.begin(), row.end());
  }
  // Sums of up to four functions of at most 16 ulp each, of values up to 300; native and half functions are in one of them.
  expectNear(out.read(), expected, 2e-5, 2e-5, "functions, 48 results for each value");
}

TEST_P(NumberTest, GeometricFunctionsTakeTheLanesTheyName) {
  build("language/floats.cl");
  const uint32_t items = 30;
  const std::vector<float> values = randomReals(items * 8, 12, -4, 4);
  const Buffer<float> in = buffer(values);
  const Buffer<float> out = buffer(std::vector<float>(items * 32, 0.0f));
  run("geometry", {items / 3}, {3}, in, out);
  std::vector<double> expected;
  for (uint32_t item = 0; item < items; ++item) {
    double a[4], b[4];
    for (uint32_t k = 0; k < 4; ++k) {
      a[k] = values[item * 8 + k];
      b[k] = values[item * 8 + 4 + k];
    }
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const auto norm = [](const double* v, int n) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += v[k] * v[k];
      return std::sqrt(sum);
    };
    std::vector<double> row = {c[0], c[1], c[2], 0, c[0], c[1], c[2]};
    row.push_back(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
    row.push_back(norm(a, 3) + norm(b, 4));
    const double d[4] = {a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]};
    row.push_back(norm(d, 4));
    for (double v : a) row.push_back(v / norm(a, 4));
    for (int k = 0; k < 2; ++k) row.push_back(b[k] / norm(b, 2));
    for (int k = 0; k < 4; ++k) row.push_back(a[k] * b[k] + 1);
    for (int k = 0; k < 4; ++k) row.push_back(std::max(a[k], 0.0) + std::fabs(b[k]) * 2);
    for (int k = 0; k < 4; ++k) row.push_back(a[k] / (std::fabs(b[k]) + 1) - std::floor(a[k]));
    for (int k = 0; k < 4; ++k) row.push_back((a[k] + b[k]) / 2 * std::sqrt(std::fabs(a[k])));
    expected.insert(expected.end(), row.begin(), row.end());
  }
  // fast_normalize and fast_length may be off by 8192 ulp.
  expectNear(out.read(), expected, 1e-3, 1e-3, "geometry, 32 results for each item");
}

TEST_P(NumberTest, DoublesKeepTheirPrecision) {
  if (!has(RT_CAPABILITY_DOUBLE)) GTEST_SKIP() << "the device has no double";
  build("language/floats.cl");
  struct Two {
    float f;
    double d;
  };
  const Two two = {0.5f, 0.1};
  const double by = 1.0 / 3.0;
  std::vector<double> values = {0.1, -2.75, 3.3, 1e-5, 42.42, -7.0};
  const Buffer<double> in = buffer(values);
  const Buffer<double> out = buffer(std::vector<double>(values.size() * 16, 0.0));
  run("doubles", {2}, {3}, in, out, by, two);
  const double weights[3] = {0.1, 0.2, 0.3};
  std::vector<double> expected;
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = values[i], f = static_cast<double>(static_cast<float>(x));
    std::vector<double> row = {x * by + weights[i % 3],
                               std::sin(x) * std::exp(x) + std::pow(std::fabs(x), 0.3),
                               by * 2 + std::sqrt(std::fabs(x)),
                               x * 2 + std::sqrt(by),
                               x / 3 + 1 / 3.0,
                               f + static_cast<double>(0.1f),
                               std::nearbyint(x * 100) + static_cast<double>(static_cast<float>(by)),
                               0.1 + 0.5 + 16,
                               -x,
                               std::max(x, by),
                               1e10,
                               1 + 4 + 9 + f * f + std::sqrt(5.0),
                               -1.0 + 1,
                               std::floor(x) + 2 + 3 + 3.5};
    row.resize(16, 0);
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expectNear(out.read(), expected, 1e-13, 1e-14, "doubles, 16 results for each value");
}

}  // namespace
}  // namespace rttest
