// language/offset.cl: launches with a global offset, in quick and in optimised code of the CPU.
#include <cstdlib>

#include "source_test.h"

namespace rttest {
namespace {

using Uints = std::vector<uint32_t>;

struct Offset {
  uint64_t x = 0, y = 0, z = 0;
};

class OffsetTest : public SourceTest {
 protected:
  void TearDown() override {
    unsetenv("RT_CPU_BUILD");
    SourceTest::TearDown();
  }
  // f() with the module of offset.cl in each form that the CPU has of it.
  template <typename Function>
  void inEachForm(const Function& f) {
    for (const char* form : {"quick", "optimized"}) {
      if (GetParam() == "cpu") setenv("RT_CPU_BUILD", form, 1);
      build("language/offset.cl");
      SCOPED_TRACE(form);
      f();
      if (HasFatalFailure() || GetParam() != "cpu") return;
    }
  }
  template <typename... Values>
  void runFrom(Offset offset, const char* name, Shape groups, Shape items, const Values&... values) {
    if (HasFatalFailure()) return;
    rtKernel_t kernel = nullptr;
    ASSERT_RT_OK(rtModuleGetKernel(&kernel, name, module_));
    void* args[] = {slotOf(values)...};
    const uint32_t grid[3] = {groups.x, groups.y, groups.z}, group[3] = {items.x, items.y, items.z};
    rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
    options.global_offset[0] = offset.x;
    options.global_offset[1] = offset.y;
    options.global_offset[2] = offset.z;
    ASSERT_RT_OK(
        rtLaunchKernelWithOptions(kernel, grid, group, 0, &options, args, static_cast<uint32_t>(sizeof...(values)), stream_))
        << name;
    ASSERT_RT_OK(rtStreamSynchronize(stream_)) << name;
  }
};
INSTANTIATE_TEST_SUITE_P(, OffsetTest, testing::ValuesIn(kernelDevices()), testName);

struct Case {
  Shape groups, items;
  Offset offset;
};
const Case kCases[] = {
    {{1}, {1}, {5}},
    {{7}, {5}, {1000003}},
    {{1, 1}, {1, 1}, {0, 9}},  // where a direction has one item, its offset counts all the same
    {{300}, {1}, {17}},
    {{3, 5}, {16, 4}, {31, 7}},
    {{2, 3, 4}, {3, 2, 5}, {1, 1000, 65}},
    {{40, 3}, {1, 33}, {0, 2}},
    {{9, 2}, {32, 1}, {1 << 20, 0}},
    {{4, 4}, {8, 8}, {0, 0}},
};

TEST_P(OffsetTest, IdsBeginAtTheOffsetAndNothingElseChanges) {
  inEachForm([&] {
    for (const Case& each : kCases) {
      const uint64_t groups[3] = {each.groups.x, each.groups.y, each.groups.z};
      const uint64_t items[3] = {each.items.x, each.items.y, each.items.z};
      const uint64_t offset[3] = {each.offset.x, each.offset.y, each.offset.z};
      const uint64_t all[3] = {groups[0] * items[0], groups[1] * items[1], groups[2] * items[2]};
      const uint64_t count = all[0] * all[1] * all[2];
      std::vector<uint64_t> expected;
      Uints joined, helped;
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t place[3] = {i % all[0], i / all[0] % all[1], i / all[0] / all[1]};
        uint64_t row[16];
        for (int d = 0; d < 3; ++d) {
          row[d] = place[d] + offset[d];
          row[3 + d] = place[d] % items[d];
          row[6 + d] = place[d] / items[d];
          row[9 + d] = all[d];
          row[12 + d] = offset[d];
        }
        row[15] = all[2] > 1 ? 3 : all[1] > 1 ? 2 : 1;
        expected.insert(expected.end(), row, row + 16);
        joined.push_back(static_cast<uint32_t>(row[0] * 3 + row[1] * 1000 + row[2] * 1000000 + offset[0]));
        helped.push_back(static_cast<uint32_t>(i + 1 + 5));
      }
      const Buffer<uint64_t> out = buffer(std::vector<uint64_t>(count * 16, 99));
      runFrom(each.offset, "ids", each.groups, each.items, out);
      expectEqual(out.read(), expected, "ids");
      const Buffer<uint32_t> seen = buffer(Uints(count, 0)), places = buffer(Uints(count, 5));
      runFrom(each.offset, "joined", each.groups, each.items, seen);
      expectEqual(seen.read(), joined, "joined");
      runFrom(each.offset, "in_helpers", each.groups, each.items, places);
      expectEqual(places.read(), helped, "in_helpers");
      if (HasFatalFailure()) return;
    }
  });
}

TEST_P(OffsetTest, ASliceReadsAndWritesItsOwnElements) {
  constexpr uint32_t kAll = 5000;
  std::vector<float> in(kAll);
  for (uint32_t i = 0; i < kAll; ++i) in[i] = static_cast<float>(i);
  inEachForm([&] {
    for (const auto& [offset, groups, items, end] :
         {std::tuple{1000u, 10u, 64u, 5000u}, {4000u, 16u, 64u, 4990u}, {3u, 1u, 1u, 5000u}, {4999u, 3u, 7u, 5000u}}) {
      const Buffer<float> source = buffer(in), out = buffer(std::vector<float>(kAll, -1));
      runFrom({offset}, "slice", {groups}, {items}, source, out, end);
      std::vector<float> expected(kAll, -1);
      for (uint32_t i = offset; i < std::min(offset + groups * items, end); ++i) expected[i] = in[i] * 2 + 1;
      expectEqual(out.read(), expected, "slice");
    }
  });
}

TEST_P(OffsetTest, BordersStandAtTheIdsAndNotAtThePlaceInTheGrid) {
  constexpr uint32_t kAll = 600;
  Uints in(4 * kAll);
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  inEachForm([&] {
    for (const int low : {-1, 99, 100, 131, 349}) {
      const int high = 340;
      const Buffer<uint32_t> source = buffer(in), out = buffer(Uints(in.size(), 3));
      runFrom({100}, "slice_of_vectors", {25}, {10}, source, out, low, high);
      Uints expected(in.size(), 3);
      for (int i = 100; i < 350; ++i) {
        const size_t at = 4 * static_cast<size_t>(i);
        for (uint32_t k = 0; k < 4 && i > low && i < high; ++k) {
          expected[at + k] = in[at + k] + (k == 0 ? static_cast<uint32_t>(i) : k);
        }
        if (i == low) expected[at] = 77;
      }
      expectEqual(out.read(), expected, "slice_of_vectors, low " + std::to_string(low));
    }
  });
}

TEST_P(OffsetTest, TilesAndSumsBeginAtTheOffset) {
  constexpr uint32_t kWidth = 150, kHeight = 130, kTurns = 37, kCount = 300;
  const Uints in = [&] {
    Uints values(size_t{kWidth} * kHeight);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint32_t>(i * 40503 + 7);
    return values;
  }();
  inEachForm([&] {
    const Buffer<uint32_t> source = buffer(in), out = buffer(Uints(in.size(), 1));
    runFrom({20, 30}, "rows", {9, 7}, {16, 16}, source, out, kWidth, kHeight);
    Uints expected(in.size(), 1);
    for (uint32_t y = 30; y < std::min(30u + 7 * 16, kHeight); ++y) {
      for (uint32_t x = 20; x < std::min(20u + 9 * 16, kWidth); ++x) expected[x * kHeight + y] = in[y * kWidth + x];
    }
    expectEqual(out.read(), expected, "rows");
    const Buffer<uint32_t> sums = buffer(Uints(kCount + 200, 2));
    runFrom({200}, "sums", {10}, {30}, source, sums, kTurns);
    Uints wanted(kCount + 200, 2);
    for (uint32_t i = 200; i < 500; ++i) {
      wanted[i] = 0;
      for (uint32_t k = 0; k < kTurns; ++k) wanted[i] = wanted[i] * 3 + in[i * kTurns + k];
    }
    expectEqual(sums.read(), wanted, "sums");
  });
}

TEST_P(OffsetTest, KernelsWithBarriersAndOnFibersHaveIt) {
  inEachForm([&] {
    const Buffer<uint32_t> out = buffer(Uints(96, 0)), jumped = buffer(Uints(96, 0));
    runFrom({500}, "barriers", {4}, {24}, out, Local{24 * 4});
    runFrom({500}, "jumps", {4}, {24}, jumped, Local{24 * 4}, 3u);
    Uints expected, sums;
    for (uint32_t i = 0; i < 96; ++i) {
      const uint32_t group = i / 24, other = group * 24 + 23 - i % 24, next = group * 24 + (i % 24 + 1) % 24;
      expected.push_back((other + 500) * 10 + group + 500);
      sums.push_back(3 * (next + 500) + 3);
    }
    expectEqual(out.read(), expected, "barriers");
    expectEqual(jumped.read(), sums, "jumps");
    const Buffer<uint32_t> fixed = buffer(Uints(64, 0));
    runFrom({3, 4}, "fixed", {2, 2}, {8, 2}, fixed);
    Uints ids;
    for (uint32_t i = 0; i < 64; ++i) ids.push_back(i % 16 + 3 + 100 * (i / 16 + 4));
    expectEqual(fixed.read(), ids, "fixed");
  });
}

TEST_P(OffsetTest, ManyGroupsOnManyThreadsStayWithinTheSlice) {
  inEachForm([&] {
    const Buffer<uint32_t> counter = buffer(Uints(1, 0)), wrong = buffer(Uints(1, 0));
    constexpr uint32_t kFirst = 123457, kGroups = 2000, kItems = 32;
    runFrom({kFirst}, "counted", {kGroups}, {kItems}, counter, wrong, kFirst, kFirst + kGroups * kItems);
    expectEqual(counter.read(), Uints{kGroups * kItems}, "counter");
    expectEqual(wrong.read(), Uints{0}, "wrong");
  });
}

}  // namespace
}  // namespace rttest
