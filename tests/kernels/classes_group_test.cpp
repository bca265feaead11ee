// Kernels in which a group works together: reduction, scan, sort, histogram, compaction, softmax. Integers are exact.
#include <algorithm>
#include <climits>
#include <cmath>
#include <numeric>

#include "source_test.h"

namespace rttest {
namespace {

using Reals = std::vector<float>;
using Ints = std::vector<int>;

uint32_t groupsFor(uint32_t items, uint32_t size) { return (items + size - 1) / size; }
std::string named(const char* kernel, uint32_t count, uint32_t size) {
  return std::string(kernel) + ", " + std::to_string(count) + " elements, groups of " + std::to_string(size);
}

const uint32_t kCounts[] = {1, 7, 127, 1000, 1023, 4096};
const uint32_t kSizes[] = {1, 3, 33, 64, 256};

class GroupTest : public SourceTest {};
INSTANTIATE_TEST_SUITE_P(, GroupTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(GroupTest, ReductionsOfRealsStayNearTheExactSum) {
  build("classes/reduction.cl");
  for (const uint32_t count : kCounts) {
    const Reals values = randomReals(count, count);
    const double exact = std::accumulate(values.begin(), values.end(), 0.0);
    const Buffer<float> in = buffer(values);
    for (const uint32_t size : kSizes) {
      const uint32_t groups = std::min(groupsFor(count, size), 7u);
      const Buffer<float> partial = buffer(Reals(groups, NAN));
      run("sum_of_reals", {groups}, {size}, in, partial, count, Local{size * 4});
      double sum = 0;
      for (float value : partial.read()) sum += double{value};
      EXPECT_NEAR(sum, exact, 1e-7 * count + 1e-6) << named("sum_of_reals", count, size);
    }
  }
}

TEST_P(GroupTest, ReductionsOfIntegersAreExact) {
  build("classes/reduction.cl");
  struct Summary {
    int64_t sum;
    int32_t least, most;
  };
  for (const uint32_t count : kCounts) {
    const Ints values = randomIntegers(count, count, INT_MIN / 2, INT_MAX / 2);
    const Buffer<int> in = buffer(values);
    for (const uint32_t size : kSizes) {
      const uint32_t groups = std::min(groupsFor(count, size), 5u);
      const Buffer<Summary> partial = buffer(std::vector<Summary>(groups));
      run("summary_of_integers", {groups}, {size}, in, partial, count, Local{size * sizeof(Summary)});
      Summary all = {0, INT_MAX, INT_MIN};
      for (const Summary& one : partial.read()) {
        all.sum += one.sum;
        all.least = std::min(all.least, one.least);
        all.most = std::max(all.most, one.most);
      }
      EXPECT_EQ(all.sum, std::accumulate(values.begin(), values.end(), int64_t{0})) << named("sum", count, size);
      EXPECT_EQ(all.least, *std::min_element(values.begin(), values.end())) << named("least", count, size);
      EXPECT_EQ(all.most, *std::max_element(values.begin(), values.end())) << named("most", count, size);
    }
  }
}

TEST_P(GroupTest, ReductionsOfVectorsInLocalMemory) {
  build("classes/reduction.cl");
  for (const uint32_t size : {1u, 2u, 64u, 256u}) {
    const uint32_t groups = 3;
    const Reals values = randomReals(size_t{4} * groups * size, size);
    const Buffer<float> in = buffer(values), partial = buffer(Reals(groups, NAN));
    run("largest_of_four", {groups}, {size}, in, partial, Local{size * 16});
    Reals expected;
    for (uint32_t group = 0; group < groups; ++group) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(group * size * 4);
      expected.push_back(*std::max_element(begin, begin + size * 4));
    }
    expectEqual(partial.read(), expected, named("largest_of_four", groups, size));
  }
}

class ScanTest : public SourceTest {
 protected:
  // Scans blocks, the sums of blocks on the host, and adds them; `block` elements for each group.
  void check(const char* kernel, uint32_t count, uint32_t size, uint32_t block, bool inclusive) {
    const Ints values = randomIntegers(count, count + size, -1000, 1000);
    const uint32_t groups = groupsFor(count, block);
    const Buffer<int> in = buffer(values), out = buffer(Ints(count, -1)), sums = buffer(Ints(groups, -1));
    run(kernel, {groups}, {size}, in, out, sums, count, Local{size * size_t{8}});
    Ints offsets = sums.read();
    std::exclusive_scan(offsets.begin(), offsets.end(), offsets.begin(), 0);
    run("add_offsets", {groups * (block / size)}, {size}, out, buffer(offsets), count, block);
    Ints expected(count);
    if (inclusive) {
      std::inclusive_scan(values.begin(), values.end(), expected.begin());
    } else {
      std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0);
    }
    expectEqual(out.read(), expected, named(kernel, count, size));
  }
};
INSTANTIATE_TEST_SUITE_P(, ScanTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(ScanTest, PrefixSumsAreExact) {
  build("classes/scan.cl");
  for (const uint32_t count : kCounts) {
    for (const uint32_t size : kSizes) check("hillis_steele", count, size, size, true);
    for (const uint32_t size : {1u, 2u, 64u, 256u}) check("blelloch", count, size, 2 * size, false);
  }
}

TEST_P(GroupTest, BlocksAreSortedInLocalMemory) {
  build("classes/sort.cl");
  for (const uint32_t count : kCounts) {
    Random random(count);
    std::vector<uint32_t> values(count);
    for (uint32_t& value : values) value = random.bits() % (count < 1000 ? 50u : UINT32_MAX);  // with equal ones
    for (const uint32_t size : {1u, 2u, 64u, 256u}) {
      for (const int up : {0, 1}) {
        const Buffer<uint32_t> data = buffer(values);
        run("bitonic", {groupsFor(count, 2 * size)}, {size}, data, count, up, Local{size * size_t{8}});
        std::vector<uint32_t> expected = values;
        for (size_t first = 0; first < count; first += 2 * size) {
          const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(first);
          const auto end = expected.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(first + 2 * size, count));
          if (up != 0) {
            std::sort(begin, end);
          } else {
            std::sort(begin, end, std::greater<>());
          }
        }
        expectEqual(data.read(), expected, named("bitonic", count, size));
      }
    }
  }
}

TEST_P(GroupTest, PairsAreSortedAndKeepTheirOrder) {
  build("classes/sort.cl");
  for (const uint32_t count : {1u, 7u, 127u, 300u}) {
    for (const uint32_t size : {1u, 3u, 33u, 64u}) {
      Random random(count);
      std::vector<std::pair<int, int>> pairs(count);
      Ints flat;
      for (uint32_t i = 0; i < count; ++i) {
        pairs[i] = {random.between(0, 9), static_cast<int>(i)};
        flat.insert(flat.end(), {pairs[i].first, pairs[i].second});
      }
      const Buffer<int> data = buffer(flat);
      run("odd_even", {groupsFor(count, size)}, {size}, data, count, Local{size * size_t{8}});
      Ints expected;
      for (size_t first = 0; first < count; first += size) {
        const auto begin = pairs.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = pairs.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(first + size, count));
        std::stable_sort(begin, end, [](const auto& a, const auto& b) { return a.first < b.first; });
        for (auto pair = begin; pair != end; ++pair) expected.insert(expected.end(), {pair->first, pair->second});
      }
      expectEqual(data.read(), expected, named("odd_even", count, size));
    }
  }
}

TEST_P(GroupTest, HistogramsCountEveryByte) {
  build("classes/histogram.cl");
  for (const uint32_t count : {1u, 7u, 127u, 1000u, 4096u}) {
    std::vector<uint8_t> bytes(count * size_t{4});
    Random random(count);
    for (uint8_t& value : bytes) value = static_cast<uint8_t>(random.bits() % 300);
    const Buffer<uint8_t> in = buffer(bytes);
    for (const uint32_t size : kSizes) {
      const uint32_t groups = std::min(groupsFor(count, size), 6u);
      const Buffer<uint32_t> of_bytes = buffer(std::vector<uint32_t>(256, 0)), of_words = buffer(std::vector<uint32_t>(256, 0));
      run("histogram", {groups}, {size}, in, of_bytes, count);
      run("histogram_of_words", {groups}, {size}, in, of_words, count, Local{1024});
      std::vector<uint32_t> expected(256, 0), expected_words(256, 0);
      for (size_t i = 0; i < bytes.size(); ++i) {
        if (i < count) ++expected[bytes[i]];
        ++expected_words[bytes[i]];
      }
      expectEqual(of_bytes.read(), expected, named("histogram", count, size));
      expectEqual(of_words.read(), expected_words, named("histogram_of_words", count, size));
    }
  }
}

TEST_P(GroupTest, CompactionKeepsWhatPassesAndOrderInsideGroups) {
  build("classes/compaction.cl");
  for (const uint32_t count : kCounts) {
    const Ints values = randomIntegers(count, count, -1000, 1000);
    const Buffer<int> in = buffer(values);
    for (const uint32_t size : kSizes) {
      for (const int threshold : {-2000, 0, 990, 1000}) {
        const Buffer<int> out = buffer(Ints(count, -5000));
        const Buffer<uint32_t> kept = buffer(std::vector<uint32_t>{0});
        run("compact", {groupsFor(count, size)}, {size}, in, out, kept, count, threshold, Local{size * 4});
        Ints expected;
        std::copy_if(values.begin(), values.end(), std::back_inserter(expected), [=](int value) { return value > threshold; });
        ASSERT_EQ(kept.read()[0], expected.size()) << named("compact", count, size);
        Ints got = out.readUnordered();
        EXPECT_TRUE(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(expected.size()), got.end(),
                                [](int value) { return value == -5000; }));
        got.resize(expected.size());
        if (size >= count) expectEqual(got, expected, named("compact in order", count, size));
        std::sort(got.begin(), got.end());
        std::sort(expected.begin(), expected.end());
        expectEqual(got, expected, named("compact", count, size));
      }
    }
  }
}

TEST_P(GroupTest, SoftmaxAndNormalisationOfRows) {
  build("classes/softmax.cl");
  const uint32_t rows = 3;
  for (const uint32_t columns : {1u, 7u, 127u, 1000u, 1023u}) {
    const Reals values = randomReals(size_t{rows} * columns, columns, -20, 20);
    std::vector<double> soft, normal;
    for (uint32_t row = 0; row < rows; ++row) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * columns), end = begin + columns;
      const double most = double{*std::max_element(begin, end)}, mean = std::accumulate(begin, end, 0.0) / columns;
      double sum = 0, squares = 0;
      for (auto value = begin; value != end; ++value) {
        sum += std::exp(double{*value} - most);
        squares += (double{*value} - mean) * (double{*value} - mean);
      }
      for (auto value = begin; value != end; ++value) {
        soft.push_back(std::exp(double{*value} - most) / sum);
        normal.push_back((double{*value} - mean) / std::sqrt(squares / columns + 1e-3));
      }
    }
    for (const uint32_t size : kSizes) {
      const Buffer<float> in = buffer(values), out = buffer(Reals(values.size(), NAN));
      run("softmax", {rows}, {size}, in, out, static_cast<int>(columns), Local{size * 4});
      expectNear(out.read(), soft, 1e-7, 2e-5, named("softmax", columns, size));
      run("normalise", {rows}, {size}, in, static_cast<int>(columns), 1e-3f, Local{size * 4});
      expectNear(in.read(), normal, 1e-4, 1e-4, named("normalise", columns, size));
    }
  }
}

}  // namespace
}  // namespace rttest
