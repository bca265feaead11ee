// language/sums.cl: sums over loops that all items of a group go through together, in groups that are no multiple of anything.
#include "fenced.h"
#include "source_test.h"

namespace rttest {
namespace {

constexpr uint32_t kColumns = 604;
const uint32_t kGroups[] = {1, 15, 16, 63, 64, 65, 128, 200, 256};

using Numbers = std::vector<int32_t>;
int32_t plus(int32_t a, int32_t b) { return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b)); }
int32_t times(int32_t a, int32_t b) { return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b)); }

class SumsTest : public SourceTest {
 protected:
  // reference(a, b, out, rows), in columns of numbers.
  template <typename Reference, typename... More>
  void check(const char* kernel, uint32_t items, const Reference& reference, const More&... more) {
    build("language/sums.cl");
    for (const uint32_t rows : {0u, 1u, 7u, 40u}) {
      const Numbers a = randomIntegers(rows + 1, rows, -9, 90);
      const Numbers b = randomIntegers(size_t{rows + 1} * kColumns, rows + 1, -1000, 1000);
      for (const uint32_t size : kGroups) {
        if (size > largestGroup(kernel)) continue;
        const Buffer<int32_t> in = buffer(a), matrix = buffer(b), out = buffer(Numbers(b.size(), -1));
        run(kernel, {(items + size - 1) / size}, {size}, in, matrix, out, rows, kColumns, more...);
        if (HasFatalFailure()) return;
        Numbers expected(b.size(), -1);
        reference(a, b, expected, rows, size);
        expectEqual(out.read(), expected,
                    std::string(kernel) + ", " + std::to_string(rows) + " rows, groups of " + std::to_string(size));
        if (HasFatalFailure()) return;
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, SumsTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(SumsTest, OfProducts) {
  check("products", kColumns, [](const Numbers& a, const Numbers& b, Numbers& out, uint32_t rows, uint32_t) {
    for (uint32_t i = 0; i < kColumns; ++i) {
      out[i] = 3;
      for (uint32_t k = 0; k < rows; ++k) out[i] = plus(out[i], times(a[k], b[k * kColumns + i]));
    }
  });
}

TEST_P(SumsTest, StoredOnTheWay) {
  check("running", kColumns, [](const Numbers& a, const Numbers& b, Numbers& out, uint32_t rows, uint32_t) {
    for (uint32_t i = 0; i < kColumns; ++i) {
      int32_t sum = 0, largest = std::numeric_limits<int32_t>::min();
      for (uint32_t k = 0; k < rows; ++k) {
        sum = plus(sum, b[k * kColumns + i]);
        largest = std::max(largest, sum ^ a[k]);
        out[k * kColumns + i] = plus(sum, -largest);
      }
    }
  });
}

TEST_P(SumsTest, OfLoopsThatAllLeaveTogether) {
  check("agreed", kColumns, [](const Numbers& a, const Numbers& b, Numbers& out, uint32_t rows, uint32_t) {
    for (uint32_t i = 0; i < kColumns; ++i) {
      int32_t sum = 0;
      uint32_t turns = 0;
      for (uint32_t k = 0; k < rows && turns <= 20; k += 2) {
        if (a[k] < 0) continue;
        for (uint32_t j = k; j < rows && j <= k + 3; ++j, ++turns) sum = plus((sum & 4095) * 3, b[j * kColumns + i]);
      }
      out[i] = plus(sum, static_cast<int32_t>(turns));
    }
  });
}

TEST_P(SumsTest, ACounterMovesOnce) {
  check("counted", kColumns, [](const Numbers& a, const Numbers& b, Numbers& out, uint32_t rows, uint32_t) {
    for (uint32_t i = 0; i < kColumns; ++i) {
      int32_t sum = 0;
      for (uint32_t k = 0; k < rows; ++k) sum = plus(sum, plus(a[k], b[k * kColumns + i]));
      out[i] = plus(times(sum, 16), static_cast<int32_t>(rows));
    }
  });
}

TEST_P(SumsTest, GoOnOverABarrier) {
  const auto before = [](const Numbers& a, uint32_t rows, uint32_t i) {
    int32_t sum = 0;
    for (uint32_t k = 0; k < rows; ++k) sum = plus(sum, a[k] ^ times(static_cast<int32_t>(i), static_cast<int32_t>(k)));
    return sum;
  };
  check(
      "across", kColumns,
      [&](const Numbers& a, const Numbers& b, Numbers& out, uint32_t rows, uint32_t size) {
        for (uint32_t i = 0; i < kColumns; ++i) {
          int32_t sum = 0;
          for (uint32_t k = 0; k < size; ++k) {
            sum = plus(sum, times(before(a, rows, i / size * size + k), static_cast<int32_t>(k + 1)));
          }
          out[i] = plus(sum, b[i]);
        }
      },
      Local{256 * sizeof(int32_t)});
}

TEST_P(SumsTest, TheLargestAndWhereItWas) {
  check("largest", kColumns, [](const Numbers& a, const Numbers& b, Numbers& out, uint32_t rows, uint32_t) {
    for (uint32_t i = 0; i < kColumns; ++i) {
      int32_t best = std::numeric_limits<int32_t>::min();
      uint32_t at = 255, equal = 0;
      for (uint32_t k = 0; k < rows; ++k) {
        const int32_t value = b[k * kColumns + i] * a[k] & 1023;
        equal = value > best ? 1 : equal + (value == best ? 1 : 0);
        at = value > best ? k : at;
        best = std::max(best, value);
      }
      const uint64_t all = (uint64_t{static_cast<uint32_t>(best)} << 32) ^ (i * 0x100000001u) ^ (equal << 8 | at);
      out[i] = static_cast<int32_t>(all >> 32) ^ static_cast<int32_t>(all);
    }
  });
}

TEST_P(SumsTest, OfVectors) {
  check("fours", kColumns / 4, [](const Numbers& a, const Numbers& b, Numbers& out, uint32_t rows, uint32_t) {
    for (uint32_t i = 0; i < kColumns; ++i) {
      int32_t sum = static_cast<int32_t>(i % 4 + 1);
      for (uint32_t k = 0; k < rows; ++k) sum = plus(sum, times(a[k], b[k * kColumns + i]));
      out[i / 4 * 4 + 3 - i % 4] = sum;
    }
  });
}

// Bit by bit: as numbers, zeros of both signs are equal.
TEST_P(SumsTest, ASharedZeroKeepsItsSign) {
  build("language/sums.cl");
  const uint32_t n = 77;
  std::vector<float> x(n);
  for (uint32_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 4);
  for (const float zero : {0.0f, -0.0f}) {
    const Buffer<float> in = buffer(x), out = buffer(std::vector<float>(n, 1)), sums = buffer(std::vector<float>(n, 1));
    run("shared_zero", {2}, {64}, in, out, sums, zero, n);
    if (HasFatalFailure()) return;
    const std::vector<float> got = out.read(), summed = sums.read();
    for (uint32_t i = 0; i < n; ++i) {
      EXPECT_EQ(got[i], 0.0f);
      EXPECT_EQ(std::signbit(got[i]), std::signbit(zero)) << "element " << i;
      EXPECT_EQ(std::signbit(summed[i]), std::signbit(zero)) << "sum " << i;
    }
  }
}

// An index in uint begins at 0 again within one vector, between two of them, and after them. Nothing may be touched between.
class WrappingTest : public SourceTest {};
INSTANTIATE_TEST_SUITE_P(, WrappingTest, testing::Values("cpu"), testName);

TEST_P(WrappingTest, IndicesOfSumsWrap) {
  build("language/sums.cl");
  const WrappingBytes memory;
  const unsigned char* const bytes = memory.data();
  if (bytes == nullptr) GTEST_SKIP() << "no 4 GiB of addresses";
  for (const uint32_t before : {0u, 1u, 7u, 16u, 37u, 64u, 100u, 300u}) {
    const uint32_t items = 256, turns = 9, first = 0u - before;
    const Buffer<uint32_t> out = buffer(std::vector<uint32_t>(items, 0));
    run("wrapping", {items / 128}, {128}, memory, out, first, turns);
    if (HasFatalFailure()) break;
    std::vector<uint32_t> expected(items, 0);
    for (uint32_t i = 0; i < items; ++i) {
      for (uint32_t k = 0; k < turns; ++k) expected[i] = expected[i] * 7 + bytes[i + k + first];
    }
    expectEqual(out.read(), expected, std::to_string(before) + " before 2^32");
  }
}

}  // namespace
}  // namespace rttest
