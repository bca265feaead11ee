// language/rows.cl: items that walk along rows of their own, on the CPU. Optimised code loads several elements of a row at
// once; the last row ends where a page begins that nothing may touch.
#include <algorithm>

#include "fenced.h"
#include "source_test.h"

namespace rttest {
namespace {

const uint32_t kWidths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 64, 100};
const uint32_t kRows[] = {1, 4, 5, 16, 33, 70};
const uint32_t kGroups[] = {1, 7, 16, 64};

uint32_t groupsOf(uint32_t items, uint32_t size) { return (items + size - 1) / size; }

using Numbers = std::vector<int32_t>;

class RowsTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    build("language/rows.cl");
  }

  template <typename T>
  static Fenced fenced(const std::vector<T>& values) {
    return Fenced(values.size() * sizeof(T), Fenced::Side::kEnd, values.data());
  }

  // f(rows, width, size of groups)
  template <typename Function>
  void forAll(const Function& f) {
    for (const uint32_t rows : kRows) {
      for (const uint32_t width : kWidths) {
        for (const uint32_t size : kGroups) {
          f(rows, width, size);
          if (HasFatalFailure()) return;
        }
      }
    }
  }

  static std::string textOf(const char* kernel, uint32_t rows, uint32_t width, uint32_t size) {
    return std::string(kernel) + ", " + std::to_string(rows) + " rows of " + std::to_string(width) + ", groups of " +
           std::to_string(size);
  }

  template <typename T, typename S>
  void checkSum(const char* kernel) {
    forAll([&](uint32_t rows, uint32_t width, uint32_t size) {
      Random random(rows * 1000 + width);
      std::vector<T> a(size_t{rows} * width), x(width);
      const int32_t low = T(-1) < T(0) ? -100 : 0;
      for (T& each : a) each = static_cast<T>(random.between(low, 100));
      for (T& each : x) each = static_cast<T>(random.between(low, 100));
      std::vector<S> expected(rows);
      for (uint32_t i = 0; i < rows; ++i) {
        int64_t sum = 1;
        for (uint32_t j = 0; j < width; ++j) sum += int64_t(a[size_t{i} * width + j]) * int64_t(x[j]) - j;
        expected[i] = static_cast<S>(sum);
      }
      const Fenced in = fenced(a), factors = fenced(x);
      const Buffer<S> out = buffer(std::vector<S>(rows, 0));
      run(kernel, {groupsOf(rows, size)}, {size}, in, factors, out, rows, width);
      expectEqual(out.read(), expected, textOf(kernel, rows, width, size));
    });
  }

  // turn(mixed, row, j, element(row, j)) is what a row does with its elements, `from` to `width`.
  using Row = std::function<uint32_t(const Numbers& a, const Numbers& x, uint32_t row, uint32_t rows, uint32_t width)>;
  void checkMixed(const char* kernel, const Row& reference) {
    forAll([&](uint32_t rows, uint32_t width, uint32_t size) {
      const Numbers a = randomIntegers(size_t{rows} * width, rows + width, -1000, 1000);
      const Numbers x = randomIntegers(width, width + 3, -1000, 1000);
      Numbers expected(rows);
      for (uint32_t i = 0; i < rows; ++i) expected[i] = static_cast<int32_t>(reference(a, x, i, rows, width));
      const Fenced in = fenced(a), factors = fenced(x);
      const Buffer<int32_t> out = buffer(Numbers(rows, -1));
      run(kernel, {groupsOf(rows, size)}, {size}, in, factors, out, rows, width);
      expectEqual(out.read(), expected, textOf(kernel, rows, width, size));
    });
  }
};
INSTANTIATE_TEST_SUITE_P(, RowsTest, testing::Values("cpu"), testName);

uint32_t bits(int32_t x) { return static_cast<uint32_t>(x); }

// mixed * 31 + turn(element, x of the turn, j), over a row.
template <typename Turn>
uint32_t mixedRow(const Numbers& a, const Numbers& x, uint32_t row, uint32_t width, const Turn& turn) {
  uint32_t mixed = 7;
  for (uint32_t j = 0; j < width; ++j) mixed = mixed * 31 + turn(bits(a[size_t{row} * width + j]), bits(x[j]));
  return mixed;
}
uint32_t plainRow(const Numbers& a, const Numbers& x, uint32_t row, uint32_t, uint32_t width) {
  return mixedRow(a, x, row, width, [](uint32_t element, uint32_t) { return element; });
}
uint32_t productRow(const Numbers& a, const Numbers& x, uint32_t row, uint32_t, uint32_t width) {
  return mixedRow(a, x, row, width, [](uint32_t element, uint32_t factor) { return element * factor; });
}

TEST_P(RowsTest, OfEachType) {
  checkSum<int8_t, int32_t>("sum_char");
  checkSum<uint8_t, int32_t>("sum_uchar");
  checkSum<int16_t, int32_t>("sum_short");
  checkSum<uint16_t, int32_t>("sum_ushort");
  checkSum<int32_t, int32_t>("sum_int");
  checkSum<uint32_t, int32_t>("sum_uint");
  checkSum<int64_t, int64_t>("sum_long");
  checkSum<float, float>("sum_float");
  checkSum<double, double>("sum_double");
  checkSum<int8_t, double>("sum_bytes_double");
}

TEST_P(RowsTest, IndicesMayBeOfAnyType) {
  checkMixed("signed_index", productRow);
  checkMixed("size_index", plainRow);
  checkMixed("own_pointer", productRow);
  checkMixed("own_sums", plainRow);
  checkMixed("derived_index", plainRow);
}

TEST_P(RowsTest, CountersMayBeComparedInAnyWay) {
  checkMixed("inclusive", plainRow);
  checkMixed("unequal", plainRow);
  checkMixed("from_below", plainRow);
  checkMixed("counter_after", [](const Numbers& a, const Numbers&, uint32_t row, uint32_t, uint32_t width) {
    uint32_t mixed = 7;
    for (uint32_t j = width / 3; j < width; ++j) mixed = mixed * 31 + bits(a[size_t{row} * width + j]);
    mixed += width;
    for (uint32_t j = 0; j < width / 3; ++j) mixed = mixed * 31 + bits(a[size_t{row} * width + j]);
    return mixed + width / 3;
  });
}

TEST_P(RowsTest, TwoAtOnce) {
  checkMixed("two_rows", [](const Numbers& a, const Numbers&, uint32_t row, uint32_t rows, uint32_t width) {
    uint32_t mixed = 7;
    for (uint32_t j = 0; j < width; ++j) {
      const uint32_t one = bits(a[size_t{row} * width + j]), other = bits(a[size_t{rows - 1 - row} * width + j]);
      mixed = mixed * 31 + one * other + one;
    }
    return mixed;
  });
}

TEST_P(RowsTest, TurnsMayHaveConditionsAndLoops) {
  checkMixed("with_conditions", [](const Numbers& a, const Numbers& x, uint32_t row, uint32_t, uint32_t width) {
    uint32_t mixed = 7;
    for (uint32_t j = 0; j < width; ++j) {
      const int32_t value = a[size_t{row} * width + j];
      if (value > x[j]) mixed += bits(value);
      mixed = value < 0 ? mixed ^ j : mixed * 3;
    }
    return mixed;
  });
  checkMixed("groups_of_32", [](const Numbers& a, const Numbers& x, uint32_t row, uint32_t, uint32_t width) {
    uint32_t mixed = 7;
    for (uint32_t g = 0; g < width / 32; ++g) {
      uint32_t part = 0;
      for (uint32_t i = 0; i < 32; ++i) part = part * 3 + bits(a[size_t{row} * width + g * 32 + i]);
      mixed = mixed * 31 + part * bits(x[g]) + bits(a[size_t{row} * width + g]);
    }
    return mixed;
  });
}

TEST_P(RowsTest, MayBeginAnywhereAndBeMissing) {
  forAll([&](uint32_t rows, uint32_t width, uint32_t size) {
    const Numbers a = randomIntegers(size_t{rows} * width, rows, -1000, 1000);
    for (const char* kernel : {"starts_signed", "starts_unsigned"}) {
      Numbers starts(rows), expected(rows, 7);
      for (uint32_t i = 0; i < rows; ++i) {
        starts[i] = i % 3 == 1 ? -1 - static_cast<int32_t>(i) * 100000 : static_cast<int32_t>((rows - 1 - i) * width);
        if (starts[i] >= 0) expected[i] = static_cast<int32_t>(plainRow(a, a, rows - 1 - i, rows, width));
      }
      const Fenced in = fenced(a);
      const Buffer<int32_t> places = buffer(starts), out = buffer(Numbers(rows, -1));
      run(kernel, {groupsOf(rows, size)}, {size}, in, places, out, rows, width);
      expectEqual(out.read(), expected, textOf(kernel, rows, width, size));
    }
  });
}

// All rows but the first begin at the last elements of the memory, so that what a turn does not read is not there.
TEST_P(RowsTest, WhatNoTurnReadsNeedNotExist) {
  for (const char* kernel : {"left_early", "read_at_times", "skipped_at_times", "chosen_at_times"}) {
    for (const uint32_t width : kWidths) {
      for (const uint32_t size : kGroups) {
        const uint32_t rows = 33, present = width / 2;
        Numbers x(width, 0);
        for (uint32_t j = 0; j < present; ++j) x[j] = 5;
        const size_t count = width == 0 ? 0 : size_t{rows - 1} * width + present;
        Numbers a = randomIntegers(count, width, 1, 1000), expected(rows);
        const std::string name = kernel;
        for (uint32_t i = 0; i < rows; ++i) {
          uint32_t mixed = 7;
          for (uint32_t j = 0; j < width; ++j) {
            if (x[j] == 0 && name != "chosen_at_times") continue;
            mixed = mixed * 31 + (x[j] != 0 ? bits(a[size_t{i} * width + j]) : 0);
            if (name == "chosen_at_times") mixed += x[j] != 0 && a[size_t{i} * width + j] > 3 ? 1 : 0;
          }
          expected[i] = static_cast<int32_t>(mixed);
        }
        const Fenced in = fenced(a), factors = fenced(x);
        const Buffer<int32_t> out = buffer(Numbers(rows, -1));
        run(kernel, {groupsOf(rows, size)}, {size}, in, factors, out, rows, width);
        expectEqual(out.read(), expected, textOf(kernel, rows, width, size));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(RowsTest, ItemsMayLeaveByThemselves) {
  for (const uint32_t width : kWidths) {
    for (const uint32_t size : kGroups) {
      const uint32_t rows = 37, present = width - width / 3;
      const size_t count = width == 0 ? 0 : size_t{rows - 1} * width + present;
      Numbers a = randomIntegers(count, width, 1, 1000), expected(rows, 7);
      for (uint32_t i = 0; i < rows && width != 0; ++i) a[size_t{i} * width + i * 7 % present] = 0;
      for (uint32_t i = 0; i < rows && width != 0; ++i) {
        uint32_t mixed = 7;
        for (size_t at = size_t{i} * width; a[at] != 0; ++at) mixed = mixed * 31 + bits(a[at]);
        expected[i] = static_cast<int32_t>(mixed);
      }
      const Fenced in = fenced(a);
      const Buffer<int32_t> out = buffer(Numbers(rows, -1));
      run("left_by_some", {groupsOf(rows, size)}, {size}, in, in, out, rows, width);
      expectEqual(out.read(), expected, textOf("left_by_some", rows, width, size));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(RowsTest, WhatATurnWritesTheNextOneReads) {
  forAll([&](uint32_t rows, uint32_t width, uint32_t size) {
    const Numbers a = randomIntegers(size_t{rows} * width, rows, -1000, 1000), x = randomIntegers(width, width, -1000, 1000);
    Numbers expected = a;
    for (uint32_t i = 0; i < rows; ++i) {
      int32_t* const row = expected.data() + size_t{i} * width;
      for (uint32_t j = 0; j + 1 < width; ++j)
        row[j + 1] = static_cast<int32_t>(bits(row[j + 1]) + bits(row[j]) * 3 + bits(x[j]));
      for (uint32_t j = 0; j + 1 < width; ++j) row[j + 1] = static_cast<int32_t>(bits(row[j + 1]) + bits(row[j] ^ x[j]));
    }
    const Buffer<int32_t> both = buffer(a), factors = buffer(x);
    run("written_before", {groupsOf(rows, size)}, {size}, both, factors, both, rows, width);
    expectEqual(both.read(), expected, textOf("written_before", rows, width, size));
  });
}

TEST_P(RowsTest, WhatIsWrittenMayBeAnotherObject) {
  forAll([&](uint32_t rows, uint32_t width, uint32_t size) {
    const Numbers a = randomIntegers(size_t{rows} * width, rows, -1000, 1000), x = randomIntegers(width, width, -1000, 1000);
    Numbers expected(a.size());
    for (uint32_t i = 0; i < rows; ++i) {
      uint32_t mixed = 7;
      for (size_t j = 0; j < width; ++j) {
        mixed = mixed * 31 + bits(a[size_t{i} * width + j]);
        expected[size_t{i} * width + j] = static_cast<int32_t>(mixed + bits(x[j]));
      }
    }
    const Fenced in = fenced(a), factors = fenced(x);
    const Buffer<int32_t> out = buffer(Numbers(a.size(), -1));
    run("written_apart", {groupsOf(rows, size)}, {size}, in, factors, out, rows, width);
    expectEqual(out.read(), expected, textOf("written_apart", rows, width, size));
  });
}

TEST_P(RowsTest, MayBeInLocalMemory) {
  forAll([&](uint32_t rows, uint32_t width, uint32_t size) {
    const Numbers a = randomIntegers(size_t{rows} * width, rows, -1000, 1000), x = randomIntegers(width, width, -1000, 1000);
    Numbers expected(rows);
    for (uint32_t i = 0; i < rows; ++i) expected[i] = static_cast<int32_t>(productRow(a, x, i, rows, width));
    const Fenced in = fenced(a), factors = fenced(x);
    const Buffer<int32_t> out = buffer(Numbers(rows, -1));
    const Local own{std::max<size_t>(size_t{size} * width, 1) * sizeof(int32_t)};
    run("local_rows", {groupsOf(rows, size)}, {size}, in, factors, out, rows, width, own);
    expectEqual(out.read(), expected, textOf("local_rows", rows, width, size));
  });
}

// An index in uint begins at 0 again between two rows or within one. Nothing may be touched between.
TEST_P(RowsTest, IndicesMayWrap) {
  const WrappingBytes memory;
  const unsigned char* const bytes = memory.data();
  if (bytes == nullptr) GTEST_SKIP() << "no 4 GiB of addresses";
  // Among them are those where only the last of 4, 8 or 16 rows wraps, and only some turns after the first.
  for (const uint32_t before : {0u, 1u, 15u, 16u, 17u, 40u, 113u, 262u, 560u, 575u, 600u, 1150u, 2000u}) {
    const uint32_t items = 64, width = 37, first = 0u - before;
    std::vector<uint32_t> starts(items), in_order(items, 7), in_any(items, 7);
    for (uint32_t i = 0; i < items; ++i) {
      const uint32_t row = i * 27 % items;
      starts[i] = first + row * width;
      for (uint32_t j = 0; j < width; ++j) in_order[i] = in_order[i] * 31 + bytes[first + i * width + j];
      for (uint32_t j = 0; j < width; ++j) in_any[i] = in_any[i] * 31 + bytes[starts[i] + j];
    }
    const Buffer<uint32_t> places = buffer(starts), out = buffer(std::vector<uint32_t>(items, 0));
    run("wrapping_rows", {1}, {items}, memory, out, first, width);
    if (HasFatalFailure()) break;
    expectEqual(out.read(), in_order, "wrapping_rows, " + std::to_string(before) + " before 2^32");
    run("wrapping_starts", {1}, {items}, memory, places, out, width);
    if (HasFatalFailure()) break;
    expectEqual(out.read(), in_any, "wrapping_starts, " + std::to_string(before) + " before 2^32");
  }
}

}  // namespace
}  // namespace rttest
