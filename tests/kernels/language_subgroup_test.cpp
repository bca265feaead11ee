// language/subgroups.cl: results that the work-items of a sub-group compute together, for the sizes that the device has. A
// sub-group is whole, or the part that is left at the end of a group.
#include <algorithm>
#include <limits>

#include "source_test.h"

namespace rttest {
namespace {

using Uints = std::vector<uint32_t>;

class SubGroupTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    rtDevice_t device = nullptr;
    int32_t has = 0;
    ASSERT_RT_OK(rtContextGetDevice(&device, context_));
    ASSERT_RT_OK(rtDeviceHasCapability(&has, RT_CAPABILITY_SUBGROUPS, device));
    if (has == 0) GTEST_SKIP() << "the device has no sub-groups";
    build("language/subgroups.cl");
  }

  uint32_t mostItems() {
    const Buffer<uint32_t> out = buffer(Uints(6, 0));
    run("places", {1}, {1}, out);
    return out.read()[0];
  }

  // Calls check(index of the sub-group's first item, its items) for each sub-group of `groups` groups.
  template <typename Check>
  static void eachSubGroup(uint32_t groups, uint32_t items, uint32_t most, Check check) {
    for (uint32_t group = 0; group < groups; ++group) {
      for (uint32_t first = 0; first < items; first += most) check(group * items + first, std::min(most, items - first));
    }
  }

  template <typename T>
  void checkValues(const char* kernel) {
    const uint32_t most = mostItems();
    for (const uint32_t items : {1u, 7u, 16u, 33u, 64u, 100u, 256u}) {
      const std::vector<int> numbers = randomIntegers(2 * items, items, 0, 1000);
      const std::vector<T> values(numbers.begin(), numbers.end());
      const Buffer<T> in = buffer(values), out = buffer(std::vector<T>(16 * values.size(), T{}));
      run(kernel, {2}, {items}, in, out);
      std::vector<T> expected(16 * values.size());
      eachSubGroup(2, items, most, [&](uint32_t first, uint32_t count) {
        const auto begin = values.begin() + first;
        T sum = 0, least = highest<T>(), highest_so_far = lowest<T>();
        for (uint32_t i = 0; i < count; ++i) {
          T* row = &expected[16 * (first + i)];
          const T x = values[first + i];
          row[6] = sum;
          row[7] = least;
          row[8] = highest_so_far;
          row[3] = sum = sum + x;
          row[4] = least = std::min(least, x);
          row[5] = highest_so_far = std::max(highest_so_far, x);
          row[9] = values[first + count - 1];
          row[10] = values[first + count - 1 - i];
          row[11] = (i ^ 1) < count ? values[first + (i ^ 1)] : x;
          row[12] = i >= 2 ? values[first + i - 2] : x;
          row[13] = i + 1 < count ? values[first + i + 1] : x;
          row[14] = row[15] = *begin;
        }
        for (uint32_t i = 0; i < count; ++i) {
          T* row = &expected[16 * (first + i)];
          row[0] = sum;
          row[1] = least;
          row[2] = highest_so_far;
        }
      });
      expectEqual(out.read(), expected, std::string(kernel) + ", groups of " + std::to_string(items));
      if (HasFatalFailure()) return;
    }
  }

  template <typename T>
  static T highest() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
  template <typename T>
  static T lowest() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  }
};
INSTANTIATE_TEST_SUITE_P(, SubGroupTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(SubGroupTest, ItemsStandInTheOrderOfTheirLinearIds) {
  const uint32_t most = mostItems();
  const Shape shape = {10, 7};
  const uint32_t items = shape.x * shape.y, count = (items + most - 1) / most;
  const Buffer<uint32_t> out = buffer(Uints(6 * 3 * items, 0));
  run("places", {3}, shape, out);
  const Uints got = out.read();
  for (uint32_t i = 0; i < 3 * items; ++i) {
    const uint32_t own = i % items, group = own / most;
    const Uints row(got.begin() + 6 * i, got.begin() + 6 * (i + 1));
    EXPECT_EQ(row, (Uints{most, count, group, own % most, std::min(most, items - group * most), 0})) << i;
  }
}

TEST_P(SubGroupTest, IntsMoveAndAddUp) { checkValues<int>("values_int"); }
TEST_P(SubGroupTest, LongsMoveAndAddUp) { checkValues<uint64_t>("values_ulong"); }
TEST_P(SubGroupTest, FloatsMoveAndAddUp) { checkValues<float>("values_float"); }  // whole numbers, so that no sum is rounded

TEST_P(SubGroupTest, VotesAreCountedInTheSubGroup) {
  const uint32_t most = mostItems();
  for (const uint32_t items : {1u, 5u, 64u, 77u}) {
    std::vector<int> values = randomIntegers(2 * items, items + 1, 0, 9);
    for (uint32_t i = 0; i < std::min(most, items); ++i) values[i] |= 1;  // a sub-group that agrees
    const Buffer<int> in = buffer(values);
    const Buffer<uint32_t> out = buffer(Uints(10 * values.size(), 0));
    run("votes", {2}, {items}, in, out);
    Uints expected;
    eachSubGroup(2, items, most, [&](uint32_t first, uint32_t count) {
      uint32_t ballot = 0;
      for (uint32_t i = 0; i < count; ++i) ballot |= static_cast<uint32_t>(values[first + i] & 1) << i;
      for (uint32_t i = 0; i < count; ++i) {
        const auto bits = [](uint64_t mask) { return static_cast<uint32_t>(__builtin_popcountll(mask)); };
        const uint64_t below = (uint64_t{1} << i) - 1, own = uint64_t{1} << i;
        const Uints row = {ballot != 0,
                           bits(ballot) == count,
                           ballot,
                           ballot >> i & 1,
                           bits(ballot),
                           bits(ballot & (below | own)),
                           bits(ballot & below),
                           ballot != 0 ? static_cast<uint32_t>(__builtin_ctz(ballot)) : 99,
                           ballot != 0 ? 31 - static_cast<uint32_t>(__builtin_clz(ballot)) : 99,
                           ballot & 1};
        expected.insert(expected.end(), row.begin(), row.end());
      }
    });
    expectEqual(out.read(), expected, "votes, groups of " + std::to_string(items));
    if (HasFatalFailure()) return;
  }
}

TEST_P(SubGroupTest, SubGroupsGoTheirOwnWaysBetweenBarriers) {
  const uint32_t most = mostItems();
  for (const uint32_t items : {1u, 32u, 100u, 256u}) {
    const std::vector<int> values = randomIntegers(3 * items, items + 2, -1000, 1000);
    const Buffer<int> in = buffer(values), out = buffer(std::vector<int>(values.size(), 0));
    run("sums", {3}, {items}, in, out, Local{(items + most) / most * sizeof(int)});
    std::vector<int> expected;
    for (uint32_t group = 0; group < 3; ++group) {
      int sum = 0;
      for (uint32_t i = 0; i < items; ++i) sum += values[group * items + i];
      expected.insert(expected.end(), items, sum);
    }
    expectEqual(out.read(), expected, "sums, groups of " + std::to_string(items));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace rttest
