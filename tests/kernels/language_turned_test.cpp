// language/turned.cl: matrices that work-items turn, in groups of many shapes. Optimised code on the CPU loads what neighbours
// of one dimension read at once for those of the other.
#include <utility>

#include "fenced.h"
#include "source_test.h"

namespace rttest {
namespace {

struct Matrix {
  uint32_t rows, columns;
  size_t size() const { return size_t{rows} * columns; }
};
const Matrix kMatrices[] = {{1, 1}, {3, 50}, {16, 16}, {17, 9}, {40, 33}, {64, 7}, {70, 100}};
const Shape kGroups[] = {{1, 1, 1},  {8, 8, 1},  {16, 16, 1}, {5, 7, 1}, {64, 1, 1},
                         {1, 64, 1}, {32, 4, 1}, {4, 32, 1},  {9, 3, 1}};

Shape covering(const Matrix& matrix, const Shape& group) {
  return {(matrix.columns + group.x - 1) / group.x, (matrix.rows + group.y - 1) / group.y, 1};
}
std::string nameOf(const char* kernel, const Matrix& matrix, const Shape& group) {
  return std::string(kernel) + ", " + std::to_string(matrix.rows) + " rows of " + std::to_string(matrix.columns) +
         ", groups of " + std::to_string(group.x) + " x " + std::to_string(group.y);
}

class MatricesTest : public SourceTest {
 protected:
  // f(matrix, group) for each pair that the device takes.
  template <typename Function>
  void forAll(const char* kernel, const Function& f) {
    const uint32_t most = largestGroup(kernel);
    for (const Matrix& matrix : kMatrices) {
      for (const Shape& group : kGroups) {
        if (group.x * group.y > most) continue;
        f(matrix, group);
        if (HasFatalFailure()) return;
      }
    }
  }
};

// Elements and indices of all types.
class TurnedTypesTest : public MatricesTest {
 protected:
  template <typename T, typename I>
  void checkTurn(const std::string& types) {
    const std::string turn = "turn_" + types, fetch = "fetch_" + types;
    forAll(turn.c_str(), [&](const Matrix& matrix, const Shape& group) {
      const auto [rows, columns] = matrix;
      std::vector<T> values(matrix.size()), turned(matrix.size()), fetched(matrix.size());
      Random random(rows + columns);
      for (T& value : values) value = static_cast<T>(random.between(0, 120));
      for (uint32_t y = 0; y < rows; ++y) {
        for (uint32_t x = 0; x < columns; ++x) {
          turned[size_t{x} * rows + y] = values[size_t{y} * columns + x];
          fetched[size_t{y} * columns + x] = static_cast<T>(values[size_t{x} * rows + y] + T(3));
        }
      }
      const Buffer<T> in = buffer(values), out = buffer(std::vector<T>(values.size())),
                      back = buffer(std::vector<T>(values.size()));
      run(turn.c_str(), covering(matrix, group), group, in, out, static_cast<I>(rows), static_cast<I>(columns));
      expectEqual(out.read(), turned, nameOf(turn.c_str(), matrix, group));
      run(fetch.c_str(), covering(matrix, group), group, in, back, static_cast<I>(rows), static_cast<I>(columns));
      expectEqual(back.read(), fetched, nameOf(fetch.c_str(), matrix, group));
    });
  }
  template <typename I>
  void checkTurns(const char* index) {
    build("language/turned.cl", index);
    checkTurn<int8_t, I>("char");
    checkTurn<uint16_t, I>("ushort");
    checkTurn<int32_t, I>("int");
    checkTurn<float, I>("float");
    checkTurn<int64_t, I>("long");
  }
};
INSTANTIATE_TEST_SUITE_P(, TurnedTypesTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(TurnedTypesTest, ByIndicesOfInt) { checkTurns<int32_t>("-D INDEX=int"); }
TEST_P(TurnedTypesTest, ByIndicesOfUint) { checkTurns<uint32_t>("-D INDEX=uint"); }
TEST_P(TurnedTypesTest, ByIndicesOfUlong) { checkTurns<uint64_t>("-D INDEX=ulong"); }

class TurnedTest : public MatricesTest {
 protected:
  void SetUp() override {
    MatricesTest::SetUp();
    build("language/turned.cl");
  }

  // A kernel of two inputs: expected(a, b, x, y) at x * rows + y, or what was there before where that is kNothing.
  static constexpr int32_t kNothing = 1 << 30, kBefore = -77;
  using Element = std::function<int32_t(const std::vector<int32_t>& a, const std::vector<int32_t>& b, const Matrix& matrix,
                                        uint32_t x, uint32_t y)>;
  void check(const char* kernel, bool two_inputs, int32_t low, int32_t high, const Element& expected) {
    forAll(kernel, [&](const Matrix& matrix, const Shape& group) {
      const std::vector<int32_t> a = randomIntegers(matrix.size(), 5, -1000, 1000),
                                 b = randomIntegers(matrix.size(), 6, low, high);
      const Buffer<int32_t> in = buffer(a), more = buffer(b), out = buffer(std::vector<int32_t>(matrix.size(), kBefore));
      const auto [rows, columns] = matrix;
      const int32_t r = static_cast<int32_t>(rows), c = static_cast<int32_t>(columns);
      if (two_inputs) {
        run(kernel, covering(matrix, group), group, in, more, out, r, c);
      } else {
        run(kernel, covering(matrix, group), group, in, out, r, c);
      }
      std::vector<int32_t> all(matrix.size());
      for (uint32_t y = 0; y < rows; ++y) {
        for (uint32_t x = 0; x < columns; ++x) {
          const int32_t value = expected(a, b, matrix, x, y);
          all[size_t{x} * rows + y] = value == kNothing ? kBefore : value;
        }
      }
      expectEqual(out.read(), all, nameOf(kernel, matrix, group));
    });
  }
};
INSTANTIATE_TEST_SUITE_P(, TurnedTest, testing::ValuesIn(kernelDevices()), testName);

size_t at(const Matrix& matrix, uint32_t x, uint32_t y) { return size_t{y} * matrix.columns + x; }
size_t across(const Matrix& matrix, uint32_t x, uint32_t y) { return size_t{x} * matrix.rows + y; }

TEST_P(TurnedTest, ByAPointerToTheRow) {
  check("by_pointer", false, 0, 0, [](auto& a, auto&, auto& m, uint32_t x, uint32_t y) { return a[at(m, x, y)]; });
}

TEST_P(TurnedTest, TwoAtOnce) {
  check("two", true, -1000, 1000, [](auto& a, auto& b, auto& m, uint32_t x, uint32_t y) {
    return a[at(m, x, y)] * 31 / 2 + b[at(m, m.columns - 1 - x, y)] * b[at(m, x, y)] + a[at(m, x, y)];
  });
}

TEST_P(TurnedTest, WhatAnItemHasWrittenItReads) {
  for (const char* kernel : {"written_before", "written_within", "written_if"}) {
    forAll(kernel, [&](const Matrix& matrix, const Shape& group) {
      const std::vector<int32_t> values = randomIntegers(matrix.size(), 6, -100, 100);
      const Buffer<int32_t> all = buffer(std::vector<int32_t>(matrix.size(), kBefore)), more = buffer(values),
                            out = buffer(values);
      run(kernel, covering(matrix, group), group, all, more, out, static_cast<int32_t>(matrix.rows),
          static_cast<int32_t>(matrix.columns));
      std::vector<int32_t> expected(values);
      for (uint32_t y = 0; y < matrix.rows; ++y) {
        for (uint32_t x = 0; x < matrix.columns; ++x) {
          int32_t& value = expected[at(matrix, x, y)];
          value = static_cast<int32_t>(x * 7 + y) + value * value;
        }
      }
      expectEqual(out.read(), expected, nameOf(kernel, matrix, group));
    });
  }
}

TEST_P(TurnedTest, WhatAnItemWritesAfterItsReadMayBeTheSame) {
  forAll("written_after", [&](const Matrix& matrix, const Shape& group) {
    const std::vector<int32_t> a = randomIntegers(matrix.size(), 5, -1000, 1000), b = randomIntegers(matrix.size(), 6, -9, 9);
    const Buffer<int32_t> all = buffer(a), more = buffer(b);
    run("written_after", covering(matrix, group), group, all, more, static_cast<int32_t>(matrix.rows),
        static_cast<int32_t>(matrix.columns));
    std::vector<int32_t> expected(a.size());
    for (uint32_t y = 0; y < matrix.rows; ++y) {
      for (uint32_t x = 0; x < matrix.columns; ++x)
        expected[at(matrix, x, y)] = a[at(matrix, x, y)] * 3 + b[across(matrix, x, y)];
    }
    expectEqual(all.read(), expected, nameOf("written_after", matrix, group));
  });
}

TEST_P(TurnedTest, SomeItemsReadNothing) {
  check("some", true, 0, 1,
        [](auto& a, auto& b, auto& m, uint32_t x, uint32_t y) { return b[across(m, x, y)] != 0 ? a[at(m, x, y)] : kNothing; });
  check("leaving", true, 0, 1,
        [](auto& a, auto& b, auto& m, uint32_t x, uint32_t y) { return b[across(m, x, y)] != 0 ? a[at(m, x, y)] : kNothing; });
  check("lazy", true, 0, 1,
        [](auto& a, auto& b, auto& m, uint32_t x, uint32_t y) { return b[across(m, x, y)] != 0 ? a[at(m, x, y)] : -5; });
}

TEST_P(TurnedTest, ThePartInside) {
  check("inside", false, 0, 0, [](auto& a, auto&, auto& m, uint32_t x, uint32_t y) {
    return x >= 1 && x + 1 < m.columns && y >= 2 ? a[at(m, x + 1, y - 1)] : kNothing;
  });
}

TEST_P(TurnedTest, RowsAndPlacesThatMemoryHas) {
  forAll("rows_of", [&](const Matrix& matrix, const Shape& group) {
    const auto [rows, columns] = matrix;
    const std::vector<int32_t> a = randomIntegers(matrix.size(), 5, -1000, 1000);
    std::vector<int32_t> starts(rows), places(columns), of_rows(a.size()), of_places(a.size());
    for (uint32_t y = 0; y < rows; ++y) starts[y] = static_cast<int32_t>(y * 7 % rows * columns);
    for (uint32_t x = 0; x < columns; ++x) places[x] = static_cast<int32_t>(x * 3 % columns);
    for (uint32_t y = 0; y < rows; ++y) {
      for (uint32_t x = 0; x < columns; ++x) {
        of_rows[across(matrix, x, y)] = a[static_cast<size_t>(starts[y]) + x];
        of_places[across(matrix, x, y)] = a[at(matrix, static_cast<uint32_t>(places[x]), y)];
      }
    }
    const Buffer<int32_t> in = buffer(a), first = buffer(starts), each = buffer(places), out = buffer(of_rows),
                          back = buffer(of_rows);
    const int32_t r = static_cast<int32_t>(rows), c = static_cast<int32_t>(columns);
    run("rows_of", covering(matrix, group), group, in, first, out, r, c);
    expectEqual(out.read(), of_rows, nameOf("rows_of", matrix, group));
    run("places_of", covering(matrix, group), group, in, each, back, r, c);
    expectEqual(back.read(), of_places, nameOf("places_of", matrix, group));
  });
}

TEST_P(TurnedTest, WhatItemsKeepAcrossABarrier) {
  forAll("across", [&](const Matrix& matrix, const Shape& group) {
    const std::vector<int32_t> values = randomIntegers(matrix.size() + 1, 7, -1000, 1000);
    const Buffer<int32_t> in = buffer(values), out = buffer(std::vector<int32_t>(matrix.size()));
    run("across", covering(matrix, group), group, in, out, static_cast<int32_t>(matrix.rows),
        static_cast<int32_t>(matrix.columns));
    std::vector<int32_t> expected(matrix.size());
    for (uint32_t y = 0; y < matrix.rows; ++y) {
      for (uint32_t x = 0; x < matrix.columns; ++x) {
        const size_t from = across(matrix, x, y), shift = static_cast<uint32_t>(values[from]) & 1;
        expected[at(matrix, x, y)] = values[from + shift] * 5;
      }
    }
    expectEqual(out.read(), expected, nameOf("across", matrix, group));
  });
}

TEST_P(TurnedTest, ThroughATileOfLocalMemory) {
  if (largestGroup("by_tile") < 256) GTEST_SKIP() << "the device has no groups of 256 items for it";
  for (const Matrix& matrix : kMatrices) {
    const Shape group{16, 16, 1};
    const std::vector<float> values = randomReals(matrix.size(), 3);
    const Buffer<float> in = buffer(values), out = buffer(std::vector<float>(values.size()));
    run("by_tile", covering(matrix, group), group, in, out, static_cast<int32_t>(matrix.rows),
        static_cast<int32_t>(matrix.columns));
    std::vector<float> expected(values.size());
    for (uint32_t y = 0; y < matrix.rows; ++y) {
      for (uint32_t x = 0; x < matrix.columns; ++x) expected[across(matrix, x, y)] = values[at(matrix, x, y)];
    }
    expectEqual(out.read(), expected, nameOf("by_tile", matrix, group));
    if (HasFatalFailure()) return;
  }
}

class TurnedOnTheHostTest : public TurnedTest {};
INSTANTIATE_TEST_SUITE_P(, TurnedOnTheHostTest, testing::Values("cpu"), testName);

// The last row ends where a page begins that nothing may touch; of the rows after the first half nothing is wanted, and they
// are not there.
TEST_P(TurnedOnTheHostTest, WhatNoItemReadsNeedNotExist) {
  for (const char* kernel : {"some", "lazy", "leaving"}) {
    forAll(kernel, [&](const Matrix& matrix, const Shape& group) {
      const auto [rows, columns] = matrix;
      const uint32_t there = (rows + 1) / 2;
      const std::vector<int32_t> a = randomIntegers(size_t{there} * columns, 5, -1000, 1000);
      const Fenced in(a.size() * sizeof(int32_t), Fenced::Side::kEnd, a.data());
      std::vector<int32_t> wanted(matrix.size()), expected(matrix.size(), std::string(kernel) == "lazy" ? -5 : kBefore);
      for (uint32_t y = 0; y < there; ++y) {
        for (uint32_t x = 0; x < columns; ++x) {
          wanted[across(matrix, x, y)] = 1;
          expected[across(matrix, x, y)] = a[at(matrix, x, y)];
        }
      }
      const Buffer<int32_t> which = buffer(wanted), out = buffer(std::vector<int32_t>(matrix.size(), kBefore));
      run(kernel, covering(matrix, group), group, in, which, out, static_cast<int32_t>(rows), static_cast<int32_t>(columns));
      expectEqual(out.read(), expected, nameOf(kernel, matrix, group));
    });
  }
  forAll("by_pointer", [&](const Matrix& matrix, const Shape& group) {
    const std::vector<int32_t> values = randomIntegers(matrix.size(), 9, -1000, 1000);
    for (const Fenced::Side side : {Fenced::Side::kBegin, Fenced::Side::kEnd}) {
      const Fenced in(values.size() * sizeof(int32_t), side, values.data()), out(values.size() * sizeof(int32_t), side);
      run("by_pointer", covering(matrix, group), group, in, out, static_cast<int32_t>(matrix.rows),
          static_cast<int32_t>(matrix.columns));
      for (uint32_t y = 0; y < matrix.rows; ++y) {
        for (uint32_t x = 0; x < matrix.columns; ++x) {
          int32_t got;
          memcpy(&got, out.data() + across(matrix, x, y) * sizeof got, sizeof got);
          ASSERT_EQ(got, values[at(matrix, x, y)]) << nameOf("by_pointer", matrix, group);
        }
      }
    }
  });
}

TEST_P(TurnedOnTheHostTest, IndicesMayWrap) {
  const WrappingBytes memory;
  const unsigned char* const bytes = memory.data();
  if (bytes == nullptr) GTEST_SKIP() << "no 4 GiB of addresses";
  const Matrix matrix{40, 37};
  for (const uint32_t before : {0u, 1u, 7u, 8u, 9u, 31u, 36u, 37u, 38u, 290u, 592u, 600u, 1200u, 1479u, 1480u, 2000u}) {
    const uint32_t first = 0u - before;
    std::vector<unsigned char> expected(matrix.size());
    for (uint32_t y = 0; y < matrix.rows; ++y) {
      for (uint32_t x = 0; x < matrix.columns; ++x) {
        expected[across(matrix, x, y)] = bytes[static_cast<uint32_t>(first + y * matrix.columns + x)];
      }
    }
    for (const Shape& group : kGroups) {
      const Buffer<unsigned char> out = buffer(std::vector<unsigned char>(matrix.size()));
      run("wrapping", covering(matrix, group), group, memory, out, first, matrix.rows, matrix.columns);
      if (HasFatalFailure()) return;
      expectEqual(out.read(), expected, std::to_string(before) + " before 2^32");
    }
  }
}

}  // namespace
}  // namespace rttest
