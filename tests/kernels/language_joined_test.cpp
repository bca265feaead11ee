// language/joined.cl: kernels whose work-groups a backend may run together, in groups of many shapes, some of one item.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

#include "source_test.h"

namespace rttest {
namespace {

const std::pair<Shape, Shape> kLaunches[] = {
    // groups, and items of each
    {{1, 1, 1}, {1, 1, 1}},   {{130, 1, 1}, {1, 1, 1}}, {{1, 130, 1}, {1, 1, 1}}, {{300, 5, 2}, {1, 1, 1}},
    {{9, 7, 1}, {16, 16, 1}}, {{3, 40, 1}, {64, 1, 1}}, {{40, 3, 1}, {1, 64, 1}}, {{13, 11, 3}, {5, 7, 2}},
    {{70, 3, 1}, {33, 1, 1}}, {{2, 2, 2}, {32, 8, 1}},
};

std::string shapeName(const std::pair<Shape, Shape>& launch) {
  const auto& [groups, items] = launch;
  std::string name;
  for (const uint32_t each : {groups.x, groups.y, groups.z, items.x, items.y, items.z}) name += std::to_string(each) + " ";
  return name;
}

class JoinedTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    build("language/joined.cl");
  }
  // f(width, height, depth, launch) for each shape, where the device takes it.
  template <typename Function>
  void forAll(const char* kernel, const Function& f) {
    for (const auto& launch : kLaunches) {
      const auto& [groups, items] = launch;
      if (items.x * items.y * items.z > largestGroup(kernel)) continue;
      f(groups.x * items.x, groups.y * items.y, groups.z * items.z, launch);
      if (HasFatalFailure()) return;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, JoinedTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(JoinedTest, EachItemRunsOnceWithItsIds) {
  forAll("ids", [&](uint32_t width, uint32_t height, uint32_t depth, const auto& launch) {
    const Buffer<uint32_t> out = buffer(std::vector<uint32_t>(size_t{width} * height * depth, 5));
    run("ids", launch.first, launch.second, out, uint32_t{11});
    std::vector<uint32_t> expected;
    for (uint32_t z = 0; z < depth; ++z) {
      for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) {
          uint32_t sum = 11;
          const uint32_t ids[] = {x, y, z, 0}, sizes[] = {width, height, depth, 1};
          for (int d = 0; d < 4; ++d) sum = sum * 31 + ids[d] * 7 + sizes[d];
          expected.push_back(5 + sum * 3 + (depth > 1 ? 3 : height > 1 ? 2 : 1));
        }
      }
    }
    const std::vector<uint32_t> got = out.read();
    if (GetParam().rfind("cpu", 0) == 0) {
      expectEqual(got, expected, shapeName(launch));
    } else {  // where launches have three dimensions always
      for (size_t i = 0; i < got.size(); ++i) ASSERT_LE(got[i] - expected[i], 2u) << shapeName(launch) << ", element " << i;
    }
  });
}

TEST_P(JoinedTest, LinearIdsCountAcrossTheWholeGrid) {
  forAll("linear_ids", [&](uint32_t width, uint32_t height, uint32_t depth, const auto& launch) {
    const Buffer<uint32_t> out = buffer(std::vector<uint32_t>(size_t{width} * height * depth, 5));
    run("linear_ids", launch.first, launch.second, out);
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < width * height * depth; ++i) expected.push_back(5 + i % width + 1000 * (i / width % height));
    expectEqual(out.read(), expected, shapeName(launch));
  });
}

TEST_P(JoinedTest, AGroupThatTheSourceRequires) {
  for (const Shape groups : {Shape{1, 1, 1}, Shape{37, 1, 1}, Shape{600, 11, 1}, Shape{1, 700, 1}}) {
    const uint32_t width = groups.x * 4, height = groups.y * 2;
    const Buffer<uint32_t> out = buffer(std::vector<uint32_t>(size_t{width} * height, 1));
    run("required", groups, {4, 2, 1}, out);
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < width * height; ++i) expected.push_back(1 + i % width * 100 + i / width);
    expectEqual(out.read(), expected, std::to_string(groups.x) + " x " + std::to_string(groups.y));
  }
}

TEST_P(JoinedTest, RowsAreDimensionZero) {
  forAll("rows_first", [&](uint32_t rows, uint32_t columns, uint32_t depth, const auto& launch) {
    if (depth > 1) return;
    const int32_t r = static_cast<int32_t>(rows) - (rows > 3 ? 2 : 0),
                  c = static_cast<int32_t>(columns) - (columns > 3 ? 1 : 0);
    const std::vector<float> values = randomReals(size_t{rows} * columns, rows);
    const Buffer<float> in = buffer(values), out = buffer(std::vector<float>(values.size(), 1.0f));
    run("rows_first", launch.first, launch.second, in, out, r, c, 2.0f);
    std::vector<float> expected(values.size(), 1.0f);
    for (int32_t i = 0; i < r * c; ++i) expected[static_cast<size_t>(i)] += 2.0f * values[static_cast<size_t>(i)];
    expectNear(out.read(), expected, 1e-6, 1e-6, shapeName(launch));
  });
}

TEST_P(JoinedTest, AProductWhoseRowsAreDimensionZero) {
  for (const int32_t n : {1, 5, 16, 33, 67}) {
    const auto size = static_cast<size_t>(n);
    const std::vector<float> a = randomReals(size * size, 1), b = randomReals(size * size, 2);
    for (const Shape items : {Shape{1, 1, 1}, Shape{16, 16, 1}, Shape{64, 1, 1}, Shape{1, 64, 1}, Shape{8, 8, 1}}) {
      const Shape groups = {(static_cast<uint32_t>(n) + items.x - 1) / items.x,
                            (static_cast<uint32_t>(n) + items.y - 1) / items.y, 1};
      const Buffer<float> left = buffer(a), right = buffer(b), out = buffer(std::vector<float>(size * size, 1.0f));
      run("product_rows_first", groups, items, left, right, out, n);
      std::vector<double> expected(size * size, 1.0);
      for (size_t row = 0; row < size; ++row) {
        for (size_t i = 0; i < size; ++i) {
          for (size_t column = 0; column < size; ++column) {
            expected[row * size + column] += double{a[row * size + i]} * double{b[i * size + column]};
          }
        }
      }
      expectNear(out.read(), expected, 1e-4, 1e-5, std::to_string(n) + " in groups of " + std::to_string(items.x));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(JoinedTest, AMatrixIsTurned) {
  forAll("turned", [&](uint32_t width, uint32_t height, uint32_t depth, const auto& launch) {
    if (depth > 1) return;
    const uint32_t columns = width - (width > 3 ? 2 : 0), rows = height - (height > 5 ? 3 : 0);
    const std::vector<int32_t> values = randomIntegers(size_t{rows} * columns, 3, -1000, 1000);
    const Buffer<int32_t> in = buffer(values), out = buffer(std::vector<int32_t>(values.size(), 7));
    run("turned", launch.first, launch.second, in, out, rows, columns);
    std::vector<int32_t> expected(values.size());
    for (uint32_t y = 0; y < rows; ++y) {
      for (uint32_t x = 0; x < columns; ++x) expected[size_t{x} * rows + y] = 7 + values[size_t{y} * columns + x];
    }
    expectEqual(out.read(), expected, shapeName(launch));
  });
}

TEST_P(JoinedTest, ThreeDimensionsOfWhichTheSecondIsNearest) {
  forAll("space_first", [&](uint32_t width, uint32_t height, uint32_t depth, const auto& launch) {
    const std::vector<int16_t> values(size_t{width} * height * depth, 3);
    const Buffer<int16_t> in = buffer(values), out = buffer(std::vector<int16_t>(values.size(), 1));
    run("space_first", launch.first, launch.second, in, out, static_cast<int32_t>(width), static_cast<int32_t>(height),
        static_cast<int32_t>(depth));
    std::vector<int16_t> expected(values.size());
    for (uint32_t z = 0; z < depth; ++z) {
      for (uint32_t x = 0; x < width; ++x) {
        for (uint32_t y = 0; y < height; ++y) {
          expected[(size_t{z} * width + x) * height + y] = static_cast<int16_t>(4 + x * 100 + y * 10 + z);
        }
      }
    }
    expectEqual(out.read(), expected, shapeName(launch));
  });
}

int32_t named(int32_t n) {
  switch (n & 7) {
    case 0:
    case 5:
      return 10;
    default:
      return n;
    case 3:
      return n * 2 + 1;
    case 6:
      if (n > 40) return 7;
      break;
    case 7:
      n = n * 3 - 1;
      break;
  }
  return n - 100;
}

TEST_P(JoinedTest, SwitchesWhosePartsEnd) {
  const int32_t count = 4001;
  const std::vector<int32_t> values = randomIntegers(static_cast<size_t>(count), 4, -300, 300);
  std::vector<int32_t> expected;
  for (int32_t value : values) {
    int32_t sum = 0;
    for (int32_t k = 0; k < 6; ++k) {
      bool skips = false;
      switch (value % 5) {
        case 0:
          value += 3;
          break;
        case 1:
          sum += 10;
          value ^= k;
          break;
        case 2:
          value -= 7;
          sum += named(value);
          break;
        case -3:
          skips = true;
          break;
        case 3:
          break;
        default:
          sum ^= value * 2;
      }
      if (skips) continue;
      ++value;
      sum += k;
    }
    expected.push_back(1 + sum * 31 + value);
  }
  for (const uint32_t size : {1u, 7u, 64u}) {
    const Buffer<int32_t> in = buffer(values), out = buffer(std::vector<int32_t>(values.size(), 1));
    run("parted", {(static_cast<uint32_t>(count) + size - 1) / size}, {size}, in, out, count);
    expectEqual(out.read(), expected, "groups of " + std::to_string(size));
  }
}

// ---- Limits

// Expects that, of 64 x 24 items, those for which `holds` is true have counted.
template <typename Holds>
void expectCounted(const std::vector<int32_t>& got, const Holds& holds, const std::string& what) {
  for (int64_t i = 0; i < static_cast<int64_t>(got.size()); ++i) {
    ASSERT_EQ(got[static_cast<size_t>(i)], holds(i % 64, i / 64) ? 1 : 0) << what << ", item " << i % 64 << ", row " << i / 64;
  }
}

class LimitsTest : public JoinedTest {
 protected:
  static constexpr Shape kItems[] = {{64, 24, 1}, {16, 8, 1}, {1, 1, 1}, {64, 1, 1}, {1, 24, 1}, {4, 3, 1}};
  template <typename Check, typename... Values>
  void expectItems(const char* kernel, const Check& check, const std::string& what, const Values&... values) {
    for (const Shape& items : kItems) {
      if (items.x * items.y > largestGroup(kernel)) continue;
      const Buffer<int32_t> out = buffer(std::vector<int32_t>(64 * 24));
      run(kernel, {64 / items.x, 24 / items.y, 1}, items, out, values...);
      expectCounted(
          out.read(), [&](int64_t x, int64_t y) { return check(x, y, items); },
          std::string(kernel) + ", groups of " + std::to_string(items.x) + " x " + std::to_string(items.y) + what);
      if (HasFatalFailure()) return;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, LimitsTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(LimitsTest, BothEndsOfSignedIds) {
  const int32_t kMost = std::numeric_limits<int32_t>::max(), kLeast = std::numeric_limits<int32_t>::min();
  for (const int32_t left : {kLeast, -1, 0, 1, 17, 63, 64, 100, kMost}) {
    for (const auto& [right, bottom] : {std::pair{63, 22}, std::pair{64, kMost}, std::pair{kMost, 23}, std::pair{0, -1}}) {
      const int32_t top = left == 17 ? 3 : left;
      const int32_t end = right, last = bottom;
      expectItems(
          "inside", [&](int64_t x, int64_t y, const Shape&) { return x >= left && y >= top && x < end && y <= last; },
          ", from " + std::to_string(left) + " to " + std::to_string(right), int32_t{64}, left, end, top, last);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(LimitsTest, BothEndsOfUnsignedIds) {
  const uint32_t kMost = std::numeric_limits<uint32_t>::max();
  for (const uint32_t left : {0u, 1u, 16u, 62u, 63u, 0x7fffffffu, 0x80000000u, kMost}) {
    for (const auto& [right, bottom] : {std::pair{63u, 22u}, std::pair{kMost, kMost}, std::pair{0u, 0u}}) {
      const uint32_t top = left == 16 ? 3 : left, end = right, last = bottom;
      expectItems(
          "inside_unsigned", [&](int64_t x, int64_t y, const Shape&) { return x > left && y >= top && x < end && y <= last; },
          ", from " + std::to_string(left) + " to " + std::to_string(right), uint32_t{64}, left, end, top, last);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(LimitsTest, BothEndsOfIdsOf64Bits) {
  const uint64_t kMost = std::numeric_limits<uint64_t>::max();
  for (const uint64_t left :
       {uint64_t{0}, uint64_t{1}, uint64_t{33}, uint64_t{63}, uint64_t{1} << 32, uint64_t{1} << 63, kMost}) {
    for (const auto& [right, bottom] : {std::pair{uint64_t{63}, uint64_t{22}}, std::pair{kMost, kMost}}) {
      const uint64_t top = left == 33 ? 3 : left, end = right, last = bottom;
      const auto holds = [&](int64_t x, int64_t y, const Shape&) {
        const auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
        return ux >= left && uy > top && ux < end && uy < last;
      };
      expectItems("inside_wide", holds, ", from " + std::to_string(left), uint64_t{64}, left, end, top, last);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(LimitsTest, AllButTheFirst) {
  for (const char* kernel : {"not_first", "not_first_either"})
    expectItems(
        kernel, [](int64_t x, int64_t y, const Shape&) { return x != 0 && y != 0; }, "", int32_t{64});
  expectItems(
      "not_first_in_group", [](int64_t x, int64_t y, const Shape& items) { return x % items.x != 0 && y % items.y != 0; }, "",
      int32_t{64});
}

// Many items write the same values to the same places, which is a race of the kernel where one watches for that.
TEST_P(JoinedTest, WorkThatIsTheSameForAllItems) {
  const char* sanitizer = std::getenv("RT_CPU_SANITIZE");
  const bool is_watched = sanitizer != nullptr && std::string(sanitizer) == "thread";
  const auto isOne = [](const auto& launch) { return &launch == &kLaunches[0]; };
  for (const int32_t stops : {-1, 0, 13, 39}) {
    std::vector<int32_t> in = randomIntegers(40, 3, 0, 50);
    if (stops >= 0) in[static_cast<size_t>(stops)] = 99;
    std::vector<int32_t> expected(41, -9);
    int32_t sum = 0;
    std::array<float, 4> mean{};
    for (size_t k = 0; k <= 40; ++k) {
      if (k == 40) {
        expected[k] = sum;
        break;
      }
      if (in[k] == 99) {
        expected[k] = -1;
        break;
      }
      sum += in[k] * ((k & 1) != 0 ? -1 : 3);
      std::rotate(mean.begin(), mean.begin() + 1, mean.end());
      for (float& each : mean) each += static_cast<float>(in[k]);
      expected[k] = sum + std::gcd(in[k], 12) + static_cast<int32_t>(mean[0]);
    }
    const Buffer<int32_t> given = buffer(in);
    forAll("task", [&](uint32_t, uint32_t, uint32_t, const auto& launch) {
      if (is_watched && !isOne(launch)) return;
      const Buffer<int32_t> out = buffer(std::vector<int32_t>(41, -9));
      run("task", launch.first, launch.second, given, out, int32_t{40});
      expectEqual(out.read(), expected, shapeName(launch) + "until " + std::to_string(stops));
    });
  }
  std::vector<int32_t> values(8);
  for (int32_t k = 0; k < 8; ++k) values[static_cast<size_t>(k)] = k * 5;
  for (size_t round = 0; round < 5; ++round) {
    for (size_t k = 0; k < 8; ++k) values[k] = values[(k + round) & 7] + static_cast<int32_t>(round);
  }
  forAll("task_with_rounds", [&](uint32_t, uint32_t, uint32_t, const auto& launch) {
    if (is_watched && !isOne(launch)) return;
    const Buffer<int32_t> out = buffer(std::vector<int32_t>(8, -9));
    run("task_with_rounds", launch.first, launch.second, out, int32_t{5});
    expectEqual(out.read(), values, shapeName(launch));
  });
}

}  // namespace
}  // namespace rttest
