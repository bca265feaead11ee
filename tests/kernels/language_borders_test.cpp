// language/borders.cl: conditions whose border lies within a vector of work-items, at its ends, or nowhere near.
#include "fenced.h"
#include "source_test.h"

namespace rttest {
namespace {

using Numbers = std::vector<int32_t>;
const int32_t kCounts[] = {2, 7, 16, 33, 70, 128};
const int32_t kBorders[] = {-1, 0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 40, 69, 127, 200};
constexpr uint32_t kGroup = 64;

class BordersTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    build("language/borders.cl");
  }
  // f(in, n, low, high)
  template <typename Function>
  void forAll(const Function& f) {
    for (const int32_t n : kCounts) {
      const Numbers in = randomIntegers(static_cast<size_t>(n), static_cast<uint64_t>(n), -50, 50);
      for (const int32_t low : kBorders) {
        for (const int32_t high : {low, low + 5, 60}) {
          f(in, n, low, high);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  static std::string name(const char* kernel, int32_t n, int32_t low, int32_t high) {
    return std::string(kernel) + ", " + std::to_string(n) + " items, " + std::to_string(low) + " to " + std::to_string(high);
  }
  static uint32_t groups(int32_t n) { return (static_cast<uint32_t>(n) + kGroup - 1) / kGroup; }
};
INSTANTIATE_TEST_SUITE_P(, BordersTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(BordersTest, EachItemTakesItsSide) {
  using Condition = std::function<bool(int32_t i, int32_t low, int32_t high, int32_t value)>;
  const std::pair<const char*, Condition> kernels[] = {
      {"on", [](auto i, auto low, auto, auto) { return i == low; }},
      {"beside", [](auto i, auto low, auto, auto) { return i != low; }},
      {"below", [](auto i, auto low, auto, auto) { return i < low; }},
      {"above", [](auto i, auto, auto high, auto) { return high <= i; }},
      {"between", [](auto i, auto low, auto high, auto) { return i > low && i < high; }},
      {"outside", [](auto i, auto low, auto high, auto) { return i <= low || i > high; }},
      {"not_between", [](auto i, auto low, auto high, auto) { return !(i >= low && i <= high); }},
      {"mixed", [](auto i, auto low, auto, auto value) { return i < low || value > 0; }},
      {"with_uniform", [](auto i, auto low, auto high, auto) { return high > 20 && i != low; }},
      {"without_sign", [](auto i, auto low, auto, auto) { return static_cast<uint32_t>(i) - 5u < static_cast<uint32_t>(low); }},
      {"without_sign_above",
       [](auto i, auto low, auto high, auto) {
         return static_cast<uint32_t>(i) - 5u >= static_cast<uint32_t>(low) &&
                static_cast<uint32_t>(high) > static_cast<uint32_t>(40 - i);
       }},
      {"wide_without_sign", [](auto i, auto, auto high,
                               auto) { return static_cast<uint64_t>(int64_t{i}) - 9u > static_cast<uint64_t>(int64_t{high}); }},
      {"down", [](auto i, auto low, auto high, auto) { return 3 * (low - i) < high; }},
  };
  for (const auto& [kernel, condition] : kernels) {
    forAll([&, kernel = kernel, condition = condition](const Numbers& values, int32_t n, int32_t low, int32_t high) {
      const size_t count = values.size();
      Numbers expected(3 * count, -9);
      for (int32_t i = 0; i < n; ++i) {
        const size_t at = static_cast<size_t>(i);
        expected[at] = values[at] * 3;
        if (condition(i, low, high, values[at])) {
          expected[at] += values[static_cast<size_t>(std::max(i - 1, 0))] * 5;
          expected[at + count] = expected[at];
        } else {
          const int32_t more = values[static_cast<size_t>(std::min(i + 1, n - 1))] * 7;
          expected[at] -= more;
          expected[at + 2 * count] = more;
        }
      }
      const Buffer<int32_t> in = buffer(values), out = buffer(Numbers(3 * count, -9));
      run(kernel, {groups(n)}, {kGroup}, in, out, n, low, high);
      expectEqual(out.read(), expected, name(kernel, n, low, high));
    });
  }
}

// The second part of a condition is not looked at where the first one says enough.
TEST_P(BordersTest, AGuardedRead) {
  forAll([&](const Numbers& values, int32_t n, int32_t low, int32_t high) {
    Numbers expected;
    for (int32_t i = 0; i < n; ++i) {
      const size_t at = static_cast<size_t>(i);
      const bool chosen = low >= 0 && low < n && values[static_cast<size_t>(low)] > i;
      const int32_t before = values[static_cast<size_t>(std::max(i - 1, 0))],
                    after = values[static_cast<size_t>(std::min(i + 1, n - 1))];
      expected.push_back(values[at] * 3 + (chosen ? before * 5 : -after * 7));
    }
    const Buffer<int32_t> in = buffer(values), out = buffer(Numbers(3 * values.size(), -9));
    run("guarded", {groups(n)}, {kGroup}, in, out, n, low, high);
    Numbers got = out.read();
    got.resize(values.size());
    expectEqual(got, expected, name("guarded", n, low, high));
  });
}

int32_t chained(const Numbers& in, int32_t n, int32_t i, int32_t low) {
  const auto value = [&](int32_t at) { return static_cast<uint32_t>(in[static_cast<size_t>(at)]); };
  uint32_t change = value(i);
  if (i == 0) {
    change += value(i + 1);
  } else if (i == n - 1) {
    change -= value(i - 1);
  } else if (i == low) {
    for (int k = 0; k < 3; ++k) change = change * 31 + value(i - k % 2);
  } else {
    change += value(i - 1) * value(i + 1);
  }
  return static_cast<int32_t>(change);
}

TEST_P(BordersTest, IndicesKeptWithinBounds) {
  forAll([&](const Numbers& values, int32_t n, int32_t low, int32_t high) {
    Numbers expected;
    for (int32_t i = 0; i < n; ++i) {
      const int32_t first = std::clamp(low, 0, n - 1), last = std::clamp(high, first, n - 1);
      const auto value = [&](int64_t at, int32_t factor) {
        return static_cast<uint32_t>(values[static_cast<size_t>(at)] * factor);
      };
      const auto u = static_cast<uint32_t>(i) - 3u;
      uint32_t sum = value(std::clamp(i - 2, first, last), 3) + value(std::clamp(last - i, first, last), 5);
      sum += value(std::min(u, static_cast<uint32_t>(last)), 7) + value(std::max(i, first), 11);
      sum -= value(std::min(std::max(2 * i - 9, first), last), 1);
      sum += value(i > first ? i - 1 : 0, 13) + value(i + 2 < n ? i + 2 : last, 17) + value(i == low ? last : i, 19);
      expected.push_back(static_cast<int32_t>(sum + value(std::clamp(i, first, last), 23)));
    }
    const Buffer<int32_t> in = buffer(values), out = buffer(values);
    run("kept_within", {groups(n)}, {kGroup}, in, out, n, low, high);
    expectEqual(out.read(), expected, name("kept_within", n, low, high));
  });
}

TEST_P(BordersTest, AChain) {
  forAll([&](const Numbers& values, int32_t n, int32_t low, int32_t high) {
    Numbers expected;
    for (int32_t i = 0; i < n; ++i) expected.push_back(chained(values, n, i, low));
    const Buffer<int32_t> in = buffer(values), out = buffer(values);
    run("chain", {groups(n)}, {kGroup}, in, out, n, low, high);
    expectEqual(out.read(), expected, name("chain", n, low, high));
  });
}

TEST_P(BordersTest, InALoopWithVectors) {
  forAll([&](const Numbers& values, int32_t n, int32_t low, int32_t high) {
    Numbers expected;
    for (int32_t i = 0; i < n; ++i) {
      const auto value = [&](int32_t at) { return static_cast<uint32_t>(values[static_cast<size_t>(at)]); };
      const uint32_t start = static_cast<uint32_t>(i);
      uint32_t x = start, y = start, z = start, w = start;
      for (int32_t k = 0; k < high; ++k) {
        if (i > low) {
          y += value((i + k) % n);
          z += value((i + k) % n);
          const uint32_t last = w;
          w = z * 3;
          z = y * 3;
          y = x * 3;
          x = last * 3;
        } else {
          x -= static_cast<uint32_t>(k);
          if (static_cast<int32_t>(x) < -40) break;
        }
        if (i != low + k) w ^= x * 5 + value(i);
      }
      expected.push_back(static_cast<int32_t>(x + y * 3 + z * 5 + w * 7));
    }
    const Buffer<int32_t> in = buffer(values), out = buffer(values);
    run("in_a_loop", {groups(n)}, {kGroup}, in, out, n, low, high);
    expectEqual(out.read(), expected, name("in_a_loop", n, low, high));
  });
}

// Which items stay, where an id and a constant are compared with a bound of each type, as C compares them.
template <typename T, typename Device>
void compareSums(const std::string& type, bool with_barrier, const Device& run) {
  constexpr int32_t kItems = 128;
  for (const int64_t given : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}, int64_t{8}, int64_t{17}, int64_t{33},
                              int64_t{66}, int64_t{130}, int64_t{200}, int64_t{INT32_MAX}, int64_t{INT32_MIN}, INT64_MAX}) {
    const T bound = static_cast<T>(given);
    const auto expect = [&](const std::string& kernel, auto value) {  // of item i, -9 where it does nothing
      Numbers expected;
      for (int32_t i = 0; i < kItems; ++i) expected.push_back(value(static_cast<T>(i), i));
      run(type + kernel, bound, expected, type + kernel + " " + std::to_string(given));
    };
    expect("_ends", [&](T i, int32_t item) { return static_cast<T>(i + 2) >= bound ? -9 : item + 2; });
    expect("_ends_inside", [&](T i, int32_t) { return bound > static_cast<T>(i + 14) ? 3 : -9; });
    if (given != INT32_MIN) {
      expect("_ends_above", [&](T i, int32_t item) {
        return static_cast<T>(i + 1) > static_cast<T>(bound - 1) || item + 4 > 60 ? -9 : 3 * (item + 1);
      });
    }
    expect("_begins", [&](T i, int32_t item) { return static_cast<T>(i + 7) <= bound || item < 2 ? -9 : item + 7; });
    if (with_barrier) {  // which some items do not reach: elsewhere that is undefined
      expect("_goes_on", [&](T, int32_t item) {
        const int32_t local = item % static_cast<int32_t>(kGroup);
        return static_cast<T>(local + 3) > bound ? -9 : (item - local) * 5 + local + 3;
      });
    }
    expect("_first", [&](T i, int32_t) { return static_cast<T>(i + 1) != bound ? 4 : -9; });
  }
}

TEST_P(BordersTest, SumsOfAnIdAndAConstant) {
  const auto check = [&](const std::string& kernel, auto bound, const Numbers& expected, const std::string& what) {
    const Buffer<int32_t> out = buffer(Numbers(expected.size(), -9));
    run(kernel.c_str(), {static_cast<uint32_t>(expected.size()) / kGroup}, {kGroup}, out, bound);
    expectEqual(out.read(), expected, what);
  };
  compareSums<int32_t>("int", GetParam() == "cpu", check);
  compareSums<uint32_t>("uint", GetParam() == "cpu", check);
  compareSums<int64_t>("long", GetParam() == "cpu", check);
  compareSums<uint64_t>("ulong", GetParam() == "cpu", check);
  for (const uint32_t bound : {0u, 3u, 5u, 70u, 252u, 255u, 0xfffffffeu, 0xffffffffu}) {
    Numbers bytes, below, with;
    for (uint32_t i = 0; i < 128; ++i) {
      const auto expected = [&](uint32_t x) { return x >= bound ? -9 : static_cast<int32_t>(x); };
      bytes.push_back(expected((i + 250) & 255));
      below.push_back(expected(i - 3));
      with.push_back(expected(i + 4));
    }
    check("sum_of_bytes", bound, bytes, "bytes");
    check("sum_below_zero", bound, below, "below zero");
    check("sum_with_a_byte", bound, with, "a constant that is cut");
  }
}

class BordersOnTheHostTest : public BordersTest {};
INSTANTIATE_TEST_SUITE_P(, BordersOnTheHostTest, testing::Values("cpu"), testName);

TEST_P(BordersOnTheHostTest, WhatLiesAfterTheBorderIsNotRead) {
  for (const Fenced::Side side : {Fenced::Side::kBegin, Fenced::Side::kEnd}) {
    forAll([&](const Numbers& values, int32_t n, int32_t low, int32_t high) {
      Numbers expected;
      for (int32_t i = 0; i < n; ++i) expected.push_back(chained(values, n, i, low));
      const Fenced in(values.size() * sizeof(int32_t), side, values.data());
      const Buffer<int32_t> out = buffer(values);
      run("chain", {groups(n)}, {kGroup}, in, out, n, low, high);
      expectEqual(out.read(), expected, name("chain", n, low, high));
    });
  }
}

}  // namespace
}  // namespace rttest
