// language/halves.cl and bfloats.cl: halves as numbers, where the device has them, and conversions of bfloat16. A correctly
// rounded result has the bits that doubles give, which hold each sum, product and power of halves that matters; functions are
// within a unit in the last place.
#include <algorithm>
#include <bit>
#include <cmath>

#include "source_test.h"

namespace rttest {
namespace {

using Bits = std::vector<uint16_t>;
using Ints = std::vector<int>;

double valueOf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = std::ldexp(exponent == 0 ? fraction : 1024 + fraction, std::max(exponent, 1) - 25);
  if (exponent == 31) value = fraction != 0 ? std::nan("") : INFINITY;
  return (bits & 0x8000) != 0 ? -value : value;
}

// 'e' to the nearest, ties to even; 'z' towards zero, 'p' up, 'n' down.
uint16_t halfOf(double value, char mode = 'e') {
  if (std::isnan(value)) return 0x7e00;
  const bool negative = std::signbit(value);
  const double size = std::fabs(value);
  uint16_t below = 0;  // the largest half that is not larger in magnitude: the bits are in the order of the values
  for (int bit = 1 << 14; bit > 0; bit >>= 1) {
    const uint16_t next = static_cast<uint16_t>(below | bit);
    if (next <= 0x7c00 && valueOf(next) <= size) below = next;
  }
  bool up = false;
  if (valueOf(below) != size) {
    const double above = below == 0x7bff ? 65536 : valueOf(static_cast<uint16_t>(below + 1));
    const double middle = (valueOf(below) + above) / 2;
    if (mode == 'e') up = size > middle || (size == middle && (below & 1) != 0);
    if (mode == 'p') up = !negative;
    if (mode == 'n') up = negative;
  }
  return static_cast<uint16_t>((negative ? 0x8000 : 0) | (below + (up ? 1 : 0)));
}

bool isNan(uint16_t bits) { return (bits & 0x7fff) > 0x7c00; }

// Numbers of every size, ties, and what is special.
Bits someHalves(size_t count, uint64_t seed) {
  Random random(seed);
  Bits values = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x8001, 0x03ff, 0x0400,
                 0x7bff, 0xfbff, 0x3c01, 0x3bff, 0x4000, 0x3555, 0x1400, 0x6400, 0x6401, 0x2e66, 0x3800};
  while (values.size() < count) {
    uint16_t bits = static_cast<uint16_t>(random.bits());
    if (random.bits() % 2 == 0) bits = static_cast<uint16_t>((bits & 0x8fff) | 0x3000);  // near one
    values.push_back(isNan(bits) ? 0x7e00 : bits);
  }
  for (size_t i = count; i > 1; --i) std::swap(values[i - 1], values[random.bits() % i]);
  return values;
}

class HalfTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    rtDevice_t device = nullptr;
    int32_t has = 0;
    ASSERT_RT_OK(rtContextGetDevice(&device, context_));
    ASSERT_RT_OK(rtDeviceHasCapability(&has, RT_CAPABILITY_HALF, device));
    if (has == 0) GTEST_SKIP() << "the device has no half precision";
  }

  static void expectSame(const Bits& got, const Bits& expected, const std::string& what) {
    ASSERT_EQ(got.size(), expected.size()) << what;
    for (size_t i = 0; i < got.size(); ++i) {
      if (isNan(expected[i]) && isNan(got[i])) continue;
      ASSERT_EQ(got[i], expected[i]) << what << ", element " << i;
    }
  }

  static double next(double x, double y, uint16_t from) {
    if (std::isnan(x) || std::isnan(y)) return std::nan("");
    if (x == y) return y;
    if (x == 0) return std::copysign(valueOf(1), y);
    return valueOf(static_cast<uint16_t>((x < y) == (x > 0) ? from + 1 : from - 1));
  }

  // The results of "operators", one row for each.
  static Bits operatorsOf(const Bits& a, const Bits& b, const Bits& c) {
    const size_t n = a.size();
    Bits out(12 * n);
    for (size_t i = 0; i < n; ++i) {
      const double x = valueOf(a[i]), y = valueOf(b[i]), z = valueOf(c[i]);
      const double more = valueOf(halfOf(x + 1));
      const double rows[] = {x + y,
                             x - y,
                             x * y,
                             x / y,
                             -x,
                             std::fma(x, y, z),
                             valueOf(halfOf(x * y)) + z,
                             std::sqrt(std::fabs(x)),
                             std::fmod(x, y),
                             next(x, y, a[i]),
                             x - valueOf(halfOf(more - 1)),
                             valueOf(halfOf(x + y)) * z};
      for (size_t row = 0; row < 12; ++row) out[row * n + i] = halfOf(rows[row]);
    }
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(, HalfTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(HalfTest, OperatorsRoundOnce) {
  build("language/halves.cl");
  const size_t n = 16384;
  const Bits a = someHalves(n, 1), b = someHalves(n, 2), c = someHalves(n, 3);
  const Buffer<uint16_t> x = buffer(a), y = buffer(b), z = buffer(c), out = buffer(Bits(12 * n, 0));
  run("operators", {n / 64}, {64}, x, y, z, out);
  expectSame(out.read(), operatorsOf(a, b, c), "operators");
}

TEST_P(HalfTest, VectorsComputeAsTheirLanes) {
  build("language/halves.cl");
  const size_t n = 4096;
  const Bits a = someHalves(n, 4), b = someHalves(n, 5), c = someHalves(n, 6);
  const Buffer<uint16_t> x = buffer(a), y = buffer(b), z = buffer(c), out = buffer(Bits(12 * n, 0));
  run("vectors", {n / 64}, {16}, x, y, z, out);
  Bits expected = operatorsOf(a, b, c);
  for (size_t i = 0; i < n; ++i) {
    const bool inside = i % 4 == 1 || i % 4 == 2;
    expected[10 * n + i] = inside ? halfOf(valueOf(a[i]) + 1) : a[i];
  }
  expectSame(out.read(), expected, "vectors");
}

TEST_P(HalfTest, ComparisonsGiveWhatFloatsGive) {
  build("language/halves.cl");
  const size_t n = 4096;
  const Bits a = someHalves(n, 7);
  Bits b = someHalves(n, 8);
  for (size_t i = 0; i < n; i += 3) b[i] = a[i];
  const Buffer<uint16_t> x = buffer(a), y = buffer(b);
  const Buffer<int> out = buffer(Ints(n, 0));
  run("comparisons", {n / 64}, {64}, x, y, out);
  Ints expected(n);
  for (size_t i = 0; i < n; ++i) {
    const double p = valueOf(a[i]), q = valueOf(b[i]);
    const bool special = std::isnan(p) || std::isinf(p);
    const bool rows[] = {p<q, p> q,
                         p <= q,
                         p >= q,
                         p == q,
                         p != q,
                         p < q,
                         std::isnan(p),
                         std::isinf(p),
                         !special && std::fabs(p) >= valueOf(0x0400),
                         std::signbit(p),
                         !special,
                         std::isnan(p) || std::isnan(q),
                         p != 0 && q != 0,
                         p != 0 || q != 0,
                         p == 0,
                         p != 0,
                         p < q,
                         q < p,
                         p == q,
                         p != 0 && q != 0,
                         p == 0,
                         p == p,
                         p < q || a[i] == b[i]};
    for (size_t row = 0; row < std::size(rows); ++row) expected[i] |= static_cast<int>(rows[row]) << row;
  }
  expectEqual(out.read(), expected, "comparisons");
}

TEST_P(HalfTest, ConversionsToHalvesRoundAsAskedFor) {
  build("language/halves.cl");
  std::vector<float> floats = {0.0f,    -0.0f,    1.0f,     65504.0f, 65519.9f,   65520.0f,       65536.0f,   1e10f,
                               -1e10f,  INFINITY, 0x1p-24f, 0x1p-25f, 0x1.8p-25f, 0x1p-26f,       -0x1p-30f,  1e-40f,
                               2049.0f, 2051.0f,  0.1f,     -0.1f,    NAN,        1.00048828125f, 1.0014648f, -65519.9f};
  std::vector<int64_t> longs = {0,      1,     -1,   2049, 2051, -2049, 65504,     65519,     65520, 65535, -65520,   100000,
                                -70000, 32767, 4097, 4099, 8195, 16395, INT64_MAX, INT64_MIN, 12345, -31,   16777217, 1 << 30};
  ASSERT_EQ(floats.size(), longs.size());
  const std::vector<float> more = randomReals(1000, 9, -70000, 70000);
  const std::vector<int> numbers = randomIntegers(1000, 10, -80000, 80000);
  floats.insert(floats.end(), more.begin(), more.end());
  longs.insert(longs.end(), numbers.begin(), numbers.end());
  const Buffer<float> f = buffer(floats);
  const Buffer<int64_t> l = buffer(longs);
  const Buffer<int> out = buffer(Ints(30 * floats.size(), 0));
  run("to_halves", {static_cast<uint32_t>(floats.size())}, {1}, f, l, out);
  Ints got = out.read(), expected;
  for (size_t i = 0; i < floats.size(); ++i) {
    const int64_t whole = longs[i];
    for (const double value : {static_cast<double>(floats[i]), static_cast<double>(static_cast<int32_t>(whole)),
                               static_cast<double>(static_cast<uint16_t>(whole)), static_cast<double>(whole),
                               static_cast<double>(static_cast<uint64_t>(whole))}) {
      for (const char mode : {'e', 'z', 'p', 'n', 'e', 'e'}) expected.push_back(halfOf(value, mode));
    }
  }
  for (int& bits : got) bits = isNan(static_cast<uint16_t>(bits)) ? 0x7e00 : bits;
  expectEqual(got, expected, "to_halves, 30 results for each number");
}

TEST_P(HalfTest, ConversionsOfHalvesAreThoseOfTheirValues) {
  build("language/halves.cl");
  Bits all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  const Buffer<uint16_t> in = buffer(all);
  const Buffer<int> out = buffer(Ints(10 * all.size(), 0));
  run("from_halves", {1024}, {64}, in, out);
  const Ints got = out.read();
  const auto kept = [](double value, double low, double high) {
    return std::isnan(value) ? 0 : static_cast<int>(std::clamp(value, low, high));
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const double x = valueOf(all[i]), even = std::isinf(x) ? x : std::nearbyint(x);
    const int bits = std::bit_cast<int>(static_cast<float>(x));
    const Ints row = {kept(even, INT32_MIN, INT32_MAX),
                      kept(std::trunc(x), INT32_MIN, INT32_MAX),
                      kept(std::ceil(x), INT32_MIN, INT32_MAX),
                      kept(std::floor(x), INT32_MIN, INT32_MAX),
                      kept(std::trunc(x), 0, 255),
                      kept(even, -32768, 32767),
                      bits,
                      bits,
                      all[i],
                      bits};
    const int* part = got.data() + 10 * i;
    for (size_t k = 0; k < row.size(); ++k) {
      const bool is_number = k < 6 || !isNan(all[i]);
      if (is_number) {
        ASSERT_EQ(part[k], row[k]) << "half " << all[i] << ", result " << k;
      }
    }
    if (isNan(all[i])) {
      ASSERT_TRUE(std::isnan(std::bit_cast<float>(part[6])) && isNan(static_cast<uint16_t>(part[8])));
    }
  }
}

TEST_P(HalfTest, FunctionsAreWithinAUnitInTheLastPlace) {
  build("language/halves.cl");
  const size_t n = 4096;
  const Bits a = someHalves(n, 11);
  const Buffer<uint16_t> in = buffer(a);
  const Buffer<float> out = buffer(std::vector<float>(40 * n, 0));
  run("functions", {n / 64}, {64}, in, out);
  const std::vector<float> got = out.read();
  for (size_t i = 0; i < n; ++i) {
    const double x = valueOf(a[i]), size = std::fabs(x);
    double whole;
    int power = 0;
    const double fraction = std::isinf(x) ? std::copysign(0.0, x) : x - std::floor(x), part = std::modf(x, &whole);
    const double mantissa = std::frexp(x, &power);
    const bool finite = std::isfinite(x);
    const double rows[] = {std::sin(x),
                           std::cos(x),
                           std::tan(x),
                           std::exp(x),
                           std::exp2(x),
                           std::log(size),
                           std::log2(size),
                           1 / std::sqrt(size),
                           std::atan(x),
                           std::tanh(x),
                           std::floor(x),
                           std::ceil(x),
                           std::trunc(x),
                           finite ? std::nearbyint(x) : x,
                           std::round(x),
                           std::min(fraction, 0x1.ffcp-1),
                           std::floor(x),
                           part,
                           whole,
                           mantissa,
                           finite ? static_cast<double>(power) : static_cast<double>(got[40 * i + 20]),
                           std::sin(x),
                           std::cos(x),
                           x * 8,
                           x * x,
                           std::cbrt(x),
                           std::isnan(x) || std::isinf(x) ? 0x1p31
                           : x == 0                       ? -0x1p31
                                                          : std::ilogb(x),
                           std::erf(x),
                           std::fmax(x, 1.5),
                           std::isnan(x) ? static_cast<double>(got[40 * i + 29]) : std::clamp(x, -2.0, 2.0),
                           x * 0.017453292519943295,
                           std::isnan(x) ? 0
                           : x > 0       ? 1
                           : x < 0       ? -1
                                         : x,
                           x < 0.5 ? 0.0 : 1.0,
                           1 + (x - 1) * 0.25,
                           std::copysign(2.0, x),
                           std::fdim(x, 1.0),
                           std::lgamma(size),
                           std::hypot(x, 3.0),
                           finite ? std::sin(M_PI * std::remainder(x, 2.0)) : std::nan(""),
                           std::isnan(x) ? static_cast<double>(got[40 * i + 39]) : std::max(x, 0.25)};
    for (size_t k = 0; k < 40; ++k) {
      const double value = static_cast<double>(got[40 * i + k]);
      if (std::isnan(rows[k])) {
        EXPECT_TRUE(std::isnan(value)) << "x " << x << ", function " << k << ": " << value;
        continue;
      }
      const bool is_half = k != 20 && k != 26;
      const uint16_t want = halfOf(rows[k]);
      const double unit = std::max(
          std::ldexp(std::isfinite(valueOf(want)) && want << 1 != 0 ? 1.0 : 0.0, std::max(std::ilogb(valueOf(want)), -14) - 10),
          0x1p-24);
      const double wanted = is_half ? valueOf(want) : rows[k];
      const bool close = value == wanted || std::fabs(value - wanted) <= (k == 36 ? 4 : 1) * unit;
      const bool near_infinity = std::fabs(rows[k]) > 65450 && std::fabs(value) >= 65472;
      ASSERT_TRUE(close || near_infinity || (k == 38 && std::fabs(value - rows[k]) < 1e-6))
          << "x " << x << ", function " << k << ": " << value << " and not " << wanted;
    }
  }
}

TEST_P(HalfTest, GeometryIsComputedInFloat) {
  build("language/halves.cl");
  const Bits a = {halfOf(1), halfOf(-2), halfOf(3.5), halfOf(4), halfOf(0.5), halfOf(-6)};
  const Buffer<uint16_t> in = buffer(a);
  const Buffer<float> out = buffer(std::vector<float>(10, 0));
  run("geometry", {1}, {1}, in, out);
  const double size = std::sqrt(1 + 4 + 12.25);
  std::vector<float> expected;
  for (const double value : {4 - 1 - 21.0, size, std::sqrt(9 + 6.25 + 90.25), 1 / size, -2 / size, 3.5 / size, 12 - 1.75,
                             14 + 6.0, 0.5 + 8, 60000.0}) {
    expected.push_back(static_cast<float>(valueOf(halfOf(value))));
  }
  expectEqual(out.read(), expected, "geometry");
}

TEST_P(HalfTest, ValuesMoveThroughEveryKindOfMemory) {
  build("language/halves.cl");
  struct alignas(8) Lanes {
    uint16_t lane[4];
  };
  const uint32_t n = 8;
  const Bits a = {halfOf(1), halfOf(2), halfOf(3), halfOf(4), halfOf(5), halfOf(6), halfOf(7), halfOf(8)};
  const Buffer<uint16_t> in = buffer(a), out = buffer(Bits(24 * n, 0));
  const uint16_t value = halfOf(1.5);
  run("moves", {1}, {n}, in, out, value, Lanes{{halfOf(10), halfOf(20), halfOf(30), halfOf(40)}}, Local{n * 2});
  const Bits got = out.read();
  const double table[] = {1.5, -2, 0.25, 65504, -0x1p-10, valueOf(halfOf(valueOf(halfOf(1)) / 3))};
  for (uint32_t i = 0; i < n; ++i) {
    const double own = i + 1, other = n - i;
    const double expected[] = {
        own,   other + 1,    1.5, 2.5,       4,   41.5, 1.5, 1.5, 40, (i & 1) != 0 ? other : 1.5, 3, 2, -1.5,
        other, table[i % 6], 1,   2 + 8 + 4, 1.5, 1,    2,   3,   0.5};
    for (size_t k = 0; k < std::size(expected); ++k) {
      EXPECT_EQ(valueOf(got[24 * i + k]), expected[k]) << "item " << i << ", result " << k;
    }
  }
}

// ---- bfloats.cl: bfloat16, which every device has ----

uint16_t bfloatOf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), cut = bits >> 16, rest = bits & 0xffff;
  if (std::isnan(value)) return static_cast<uint16_t>(cut | 0x40);
  return static_cast<uint16_t>(cut + (rest > 0x8000 || (rest == 0x8000 && (cut & 1) != 0) ? 1 : 0));
}

class BfloatTest : public SourceTest {};
INSTANTIATE_TEST_SUITE_P(, BfloatTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(BfloatTest, FloatsGoToTheNearest) {
  build("language/bfloats.cl");
  std::vector<float> values = {0.0f,       -0.0f,       1.0f,   1.00390625f, 1.01171875f,
                               3.3895e38f, -3.4028e38f, 1e-40f, INFINITY,    -INFINITY};
  for (const uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffc12345u, 0x7f80ffffu, 0x3f808000u, 0x3f818000u, 0x3f808001u}) {
    values.push_back(std::bit_cast<float>(bits));
  }
  Random random(12);
  while (values.size() < 4096) values.push_back(std::bit_cast<float>(random.bits() & 0xff7fffff));
  const Buffer<float> in = buffer(values);
  const Buffer<uint16_t> out = buffer(Bits(values.size(), 0));
  run("narrow", {64}, {64}, in, out);
  Bits expected;
  for (const float value : values) expected.push_back(bfloatOf(value));
  expectEqual(out.read(), expected, "narrow");
}

TEST_P(BfloatTest, EveryBfloatIsAFloat) {
  build("language/bfloats.cl");
  Bits all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  const Buffer<uint16_t> in = buffer(all);
  const Buffer<uint32_t> out = buffer(std::vector<uint32_t>(all.size(), 0));
  run("widen", {256}, {256}, in, out);
  const std::vector<uint32_t> got = out.read();
  for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(got[i], i << 16);
}

TEST_P(BfloatTest, VectorsConvertTheirLanes) {
  build("language/bfloats.cl");
  const std::vector<float> values = randomReals(16, 13, -100, 100);
  const Buffer<float> in = buffer(values), back = buffer(std::vector<float>(33, 0));
  const Buffer<uint16_t> out = buffer(Bits(33, 0));
  run("vectors", {1}, {1}, in, out, back);
  Bits expected;
  std::vector<float> wide;
  for (const size_t lanes : {2, 3, 4, 8, 16}) {
    for (size_t i = 0; i < lanes; ++i) {
      expected.push_back(bfloatOf(values[i]));
      wide.push_back(std::bit_cast<float>(uint32_t{expected.back()} << 16));
    }
  }
  expectEqual(out.read(), expected, "vectors");
  expectEqual(back.read(), wide, "vectors, back");
}

}  // namespace
}  // namespace rttest
