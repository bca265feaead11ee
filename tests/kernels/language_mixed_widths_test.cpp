// language/mixed_widths.cl: numbers of 4 and of 8 bytes together, unsigned ints that become floats, and counters under
// conditions.
#include "source_test.h"

namespace rttest {
namespace {

const uint32_t kGroups[] = {1, 5, 32, 64, 100};
constexpr uint32_t kItems = 1003;

class MixedWidthsTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    build("language/mixed_widths.cl");
  }
};
INSTANTIATE_TEST_SUITE_P(, MixedWidthsTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(MixedWidthsTest, RareDoubles) {
  const std::vector<float> a = randomReals(kItems, 1, -3, 3), b = randomReals(kItems, 2, -3, 3);
  for (const uint32_t size : kGroups) {
    if (size > largestGroup("rare_doubles")) continue;
    const Buffer<float> out = buffer(std::vector<float>(kItems, -1));
    const Buffer<int> flags = buffer(std::vector<int>(kItems, -1));
    run("rare_doubles", {(kItems + size - 1) / size}, {size}, buffer(a), buffer(b), out, flags, kItems);
    if (HasFatalFailure()) return;
    const std::vector<float> got = out.read();
    const std::vector<int> told = flags.read();
    for (uint32_t i = 0; i < kItems; ++i) {
      double x = a[i], y = b[i], sum = 0;
      for (int k = 0; k < 9; ++k) {
        sum += x * y - sum * 0.125;
        x = x * 0.5 + y * 0.25 + sum * 0.0625;
        y = y * 0.5 - x * 0.25;
        sum = sum > 8 ? sum - x * x : sum + y * y;
      }
      const double wide = 0.01 * sum + x, scale = 1 + std::fabs(x) + std::fabs(y) + std::fabs(sum);
      if (std::fabs(sum) < 1e-3 * scale || std::fabs(sum - 8) < 1e-3 * scale) continue;  // floats may take the other way
      ASSERT_NEAR(got[i], sum > 0 ? wide : wide * wide, 1e-4 * scale * scale) << i << ", groups of " << size;
      if (std::fabs(wide - y) < 1e-3 * scale || std::fabs(wide - 2 * y) < 1e-3 * scale) continue;
      ASSERT_EQ(told[i], wide < y ? 1 : wide > 2 * y ? 2 : 3) << i << ", groups of " << size;
    }
  }
}

TEST_P(MixedWidthsTest, RareLongs) {
  const std::vector<int32_t> a = randomIntegers(kItems, 3, -2000, 2000);
  std::vector<int64_t> expected(kItems);
  for (uint32_t i = 0; i < kItems; ++i) {
    // In unsigned, whose overflow is defined; shifts to the right keep the sign.
    auto x = static_cast<uint32_t>(a[i]), y = x ^ 21u, z = x - 7u;
    const auto shifted = [](uint32_t value, int by) { return static_cast<uint32_t>(static_cast<int32_t>(value) >> by); };
    for (int k = 0; k < 5; ++k) {
      x = (x << 3) ^ y ^ shifted(z, 2);
      y = shifted(y, 1) + x * 5 - z;
      z = (z ^ x) - (y & 1023u);
    }
    int64_t product = int64_t{static_cast<int32_t>(x)} * static_cast<int32_t>(y);
    if (static_cast<int32_t>(z) < 0) product = product < 0 ? -product : product + static_cast<int32_t>(z);
    expected[i] = product;
  }
  for (const uint32_t size : kGroups) {
    if (size > largestGroup("rare_longs")) continue;
    const Buffer<int64_t> out = buffer(std::vector<int64_t>(kItems, -1));
    run("rare_longs", {(kItems + size - 1) / size}, {size}, buffer(a), out, kItems);
    if (HasFatalFailure()) return;
    expectEqual(out.read(), expected, "groups of " + std::to_string(size));
  }
}

TEST_P(MixedWidthsTest, UnsignedIntsBecomeFloats) {
  std::vector<uint32_t> a(kItems), b(kItems);
  Random random(4);
  for (uint32_t i = 0; i < kItems; ++i) {
    a[i] = random.bits() | (i % 2 == 0 ? 0x80000000u : 0);
    b[i] = random.bits() | (i % 3 == 0 ? 0x80000000u : 0);
  }
  std::vector<float> expected;
  std::vector<double> wide;
  for (uint32_t i = 0; i < kItems; ++i) {
    const uint32_t x = a[i], y = b[i];
    for (const uint32_t each :
         {x & 0x7fffffffu, x >> 1, x >> 8 | (y & 255u), x % 1000u, x / 2u, (y & 1) != 0 ? x & 255u : x >> 16, x, x, x, x & y,
          (x & 15u) ^ y, (y & 1) != 0 ? x & 255u : x}) {
      expected.push_back(static_cast<float>(each));
    }
    wide.push_back((x >> 3) + 0.5);
  }
  for (const uint32_t size : kGroups) {
    if (size > largestGroup("unsigned_to_float")) continue;
    const Buffer<float> out = buffer(std::vector<float>(expected.size(), -1));
    const Buffer<double> doubles = buffer(std::vector<double>(kItems, -1));
    run("unsigned_to_float", {(kItems + size - 1) / size}, {size}, buffer(a), buffer(b), out, doubles, kItems);
    if (HasFatalFailure()) return;
    expectEqual(out.read(), expected, "groups of " + std::to_string(size));
    expectEqual(doubles.read(), wide, "doubles, groups of " + std::to_string(size));
  }
}

TEST_P(MixedWidthsTest, CountersUnderConditions) {
  const std::vector<int32_t> a = randomIntegers(kItems, 5, -90, 90);
  std::vector<int32_t> expected(kItems);
  std::vector<uint32_t> lefts(kItems);
  for (uint32_t i = 0; i < kItems; ++i) {
    int32_t up = -2, seen = 0;
    uint32_t left = 3;
    uint8_t few = 250;
    for (uint32_t k = 0; k < 20; ++k) {
      const int32_t x = a[(i + k * 7) % kItems];
      if (x > 0) ++up;
      if (x % 3 == 0) --left;
      if (x < -40) ++few;
      if ((x & 1) != 0) seen = up++ - seen;
    }
    expected[i] = up + 1000 * seen + few;
    lefts[i] = left;
  }
  for (const uint32_t size : kGroups) {
    if (size > largestGroup("counted")) continue;
    const Buffer<int32_t> out = buffer(std::vector<int32_t>(kItems, -1));
    const Buffer<uint32_t> down = buffer(std::vector<uint32_t>(kItems, 77));
    run("counted", {(kItems + size - 1) / size}, {size}, buffer(a), out, down, kItems);
    if (HasFatalFailure()) return;
    expectEqual(out.read(), expected, "groups of " + std::to_string(size));
    expectEqual(down.read(), lefts, "groups of " + std::to_string(size));
  }
}

TEST_P(MixedWidthsTest, ProductsOf64Bits) {
  std::vector<uint32_t> a(kItems), b(kItems);
  Random random(6);
  for (uint32_t i = 0; i < kItems; ++i) a[i] = random.bits(), b[i] = random.bits() | (i % 2 == 0 ? 0x80000000u : 0);
  a[0] = b[0] = 0xffffffffu, a[1] = b[1] = 0x80000000u, a[2] = 0, a[3] = 1;
  std::vector<uint64_t> expected;
  for (uint32_t i = 0; i < kItems; ++i) {
    const uint64_t x = a[i], y = b[i], far = x << 32 | y;
    const int64_t s = static_cast<int32_t>(a[i]), t = static_cast<int32_t>(b[i]);
    const auto bits = [](int64_t value) { return static_cast<uint64_t>(value); };
    const auto low = [](uint64_t value) { return value & 0xffffffffu; };
    for (const uint64_t each :
         {x * y, x * 3528905107u, (far >> 32) * low(far), bits(s * t), bits(s * -7), bits(s * static_cast<uint16_t>(b[i])),
          bits(s) * y, (far >> 31) * x, (far & 0x1ffffffffu) * x, bits(s) * x, (far >> 33) * 4294967295u,
          uint64_t{static_cast<uint8_t>(a[i])} * static_cast<uint16_t>(b[i]), x * y >> 32, low(bits(s * t >> 32)),
          low((x * y >> 32) + x), low(bits(s * t >> 32) + x)}) {
      expected.push_back(each);
    }
  }
  for (const uint32_t size : kGroups) {
    if (size > largestGroup("wide_products")) continue;
    const Buffer<uint64_t> out = buffer(std::vector<uint64_t>(expected.size(), 1));
    run("wide_products", {(kItems + size - 1) / size}, {size}, buffer(a), buffer(b), out, kItems);
    if (HasFatalFailure()) return;
    expectEqual(out.read(), expected, "groups of " + std::to_string(size));
  }
}

// Numbers below what is normal may be zero to a device: results that are, or come of those, are left out.
TEST_P(MixedWidthsTest, PowersOfTwoAsDivisors) {
  const std::vector<float> a = randomReals(kItems, 7, -3, 3);
  for (const uint32_t size : kGroups) {
    if (size > largestGroup("parts_of_two")) continue;
    const Buffer<float> out = buffer(std::vector<float>(size_t{8} * kItems, -1));
    const Buffer<double> wide = buffer(std::vector<double>(size_t{7} * kItems, -1));
    run("parts_of_two", {(kItems + size - 1) / size}, {size}, buffer(a), out, wide, kItems);
    if (HasFatalFailure()) return;
    const std::vector<float> got = out.read();
    const std::vector<double> far = wide.read();
    for (uint32_t i = 0; i < kItems; ++i) {
      const double x = a[i], z = x * 1.0000000001;
      const double divisors[] = {0x1p24, 0x1p-3, 8, 3, 0x1p126, 0x1p-126, 0x1p127, 0x1p-127};
      const double wide_divisors[] = {0x1p24, 0x1p-1022, 0x1p1023, -2};
      ASSERT_EQ(far[7 * i + 4], 0) << i;
      ASSERT_NEAR(far[7 * i + 5], z * z, z * z * 1e-14) << i;
      ASSERT_NEAR(far[7 * i + 6], 1 / z, std::fabs(1 / z) * 1e-14) << i;
      for (size_t k = 0; k < 8; ++k) {
        const auto expected = static_cast<float>(x / divisors[k]);
        if (k == 7 || std::fabs(expected) < std::numeric_limits<float>::min()) continue;
        ASSERT_NEAR(got[8 * i + k], expected, std::fabs(expected) * 3e-7) << i << ", divisor " << k << ", groups of " << size;
      }
      for (size_t k = 0; k < 4; ++k) {
        const double expected = z / wide_divisors[k];
        if (std::fabs(expected) < std::numeric_limits<double>::min()) continue;
        ASSERT_EQ(far[7 * i + k], expected) << i << ", wide divisor " << k << ", groups of " << size;
      }
    }
  }
}

// A device rounds a result of doubles once. Numbers below what is normal may be zero to it.
TEST_P(MixedWidthsTest, FloatsAsDoubles) {
  Random random(9);
  std::vector<float> a(kItems), b(kItems);
  for (uint32_t i = 0; i < kItems; ++i) {
    const auto any = [&] {
      return std::ldexp(static_cast<float>(random.bits() >> 8) - 0x1p23f, static_cast<int>(random.bits() % 61) - 53);
    };
    a[i] = any(), b[i] = i % 5 == 0 ? a[i] : any();
  }
  const float limit = std::numeric_limits<float>::max(), infinite = std::numeric_limits<float>::infinity();
  const float special[] = {
      0.1f, 0.25f, 0.5f, -0.0f, limit, -limit, infinite, -infinite, std::numeric_limits<float>::quiet_NaN(), 3.0f};
  for (size_t i = 0; i < std::size(special); ++i) a[7 * i] = special[i], b[91 * i] = special[i];
  for (const uint32_t size : kGroups) {
    if (size > largestGroup("floats_as_doubles")) continue;
    const Buffer<float> out = buffer(std::vector<float>(size_t{14} * kItems, -1));
    const Buffer<int> flags = buffer(std::vector<int>(kItems, -1));
    run("floats_as_doubles", {(kItems + size - 1) / size}, {size}, buffer(a), buffer(b), out, flags, kItems);
    if (HasFatalFailure()) return;
    const std::vector<float> got = out.read();
    const std::vector<int> told = flags.read();
    for (uint32_t i = 0; i < kItems; ++i) {
      const double x = a[i], y = b[i];
      const double expected[] = {x * 0.5,
                                 1.0 - x,
                                 x * y,
                                 x / y,
                                 x + 0.1,
                                 x / 4.0,
                                 x / 3.0,
                                 x - y,
                                 2.0 * x + 1.0,
                                 0.5 * static_cast<double>(a[i] + 1.0f) + y,
                                 x * 3.0 * y,
                                 x < 0.25 ? x * 1e-10 : y + 1e20,
                                 -1.5 * y + (x < 0.5),
                                 (x < 0.5) * 2.0 - 1};
      for (size_t k = 0; k < 14; ++k) {
        const auto rounded = static_cast<float>(expected[k]);
        const float is = got[14 * i + k];
        if (std::isnan(rounded) ? std::isnan(is) : is == rounded) continue;
        if (std::fabs(rounded) <= std::numeric_limits<float>::min()) continue;
        ASSERT_EQ(is, rounded) << i << ", result " << k << " of " << a[i] << " and " << b[i] << ", groups of " << size;
      }
      const int flag = (x < 0.5) | (x >= y) << 1 | (x == 0.1) << 2 | (0.25 != x) << 3 | (x > y) << 4 | (x <= 1e300) << 5 |
                       (x > -1.0) << 6 | (3 >= y) << 7;
      ASSERT_EQ(told[i], flag) << i << ", of " << a[i] << " and " << b[i] << ", groups of " << size;
    }
  }
}

TEST_P(MixedWidthsTest, NarrowVariablesThatWiderNumbersDecide) {
  constexpr uint32_t kColumns = 301;
  const std::vector<float> a = randomReals(size_t{kColumns} * kItems, 5, 0, 9);
  const std::vector<int32_t> b = randomIntegers(size_t{kColumns} * kItems, 6, -100000, 100000);
  for (const uint32_t columns : {0u, 9u, kColumns}) {
    std::vector<int32_t> expected;
    for (uint32_t i = 0; i < kItems; ++i) {
      float best = -1;
      int32_t least = 0x7fffffff, sum = 0;
      uint8_t at = 7;
      int8_t from = -1;
      uint16_t turn = 0;
      int16_t last = 5, chosen = static_cast<int16_t>(i);
      bool any = false;
      for (uint32_t k = 0; k < columns; ++k) {
        const float x = a[size_t{k} * kItems + i];
        const int32_t y = b[size_t{k} * kItems + i];
        if (x > best) {
          best = x;
          at = static_cast<uint8_t>(k);
          last = static_cast<int16_t>(y * 3);
          any = k > 3;
        }
        if (y < least) {
          least = y;
          from = static_cast<int8_t>(k + i);
        } else if (at == static_cast<uint8_t>(k - 1)) {
          sum += at + from;
        }
        if (x * 2 < best) turn = static_cast<uint16_t>(k * 700);
        if (y <= sum) chosen = static_cast<int16_t>(k);
        sum ^= turn > 40000 ? last : -last;
      }
      const uint32_t both = (static_cast<uint32_t>(at) << 24) + static_cast<uint8_t>(from) * 3u;
      expected.insert(expected.end(), {at, from, turn, last, chosen, sum, any, static_cast<int32_t>(both)});
    }
    for (const uint32_t size : kGroups) {
      if (size > largestGroup("narrow_choices")) continue;
      const Buffer<int32_t> out = buffer(std::vector<int32_t>(expected.size(), -1));
      run("narrow_choices", {(kItems + size - 1) / size}, {size}, buffer(a), buffer(b), out, columns, kItems);
      if (HasFatalFailure()) return;
      expectEqual(out.read(), expected, std::to_string(columns) + " columns, groups of " + std::to_string(size));
    }
  }
}

}  // namespace
}  // namespace rttest
