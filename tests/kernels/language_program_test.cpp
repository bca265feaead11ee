// language/preprocessing.cl, parameters.cl, constants.cl, memory.cl and work_items.cl: what a program is made of.
#include <algorithm>
#include <cstring>

#include "source_test.h"

namespace rttest {
namespace {

using Ints = std::vector<int>;

class ProgramTest : public SourceTest {
 protected:
  static int low(uint64_t value) { return static_cast<int>(static_cast<uint32_t>(value)); }
};
INSTANTIATE_TEST_SUITE_P(, ProgramTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(ProgramTest, KernelsMayComeFromMacrosAndStandUnderConditions) {
  for (const auto& [options, scale] : {std::pair<const char*, int>{"", 3}, {"-D SCALE=3 -DUNUSED", 3}}) {
    build("language/preprocessing.cl", options);
    const Ints values = randomIntegers(66, 1, -1000, 1000);
    const Buffer<int> in = buffer(values), out = buffer(values);
    const auto compare = [&](const char* kernel, int operand, const std::function<int(int)>& expected) {
      run(kernel, {2}, {33}, in, out, operand);
      Ints wanted = values;
      std::transform(values.begin(), values.end(), wanted.begin(), expected);
      expectEqual(out.read(), wanted, kernel);
    };
    compare("apply_plus", 5, [](int x) { return x + 5; });
    compare("apply_minus", 5, [](int x) { return x - 5; });
    compare("commented", 7, [scale = scale](int x) { return x * scale + 7; });
    const Buffer<float> reals = buffer(std::vector<float>{1.5f, -2.0f}), products = buffer(std::vector<float>{0, 0});
    run("apply_times", {1}, {2}, reals, products, 3.0f);
    expectEqual(products.read(), {4.5f, -6.0f}, "apply_times");
    const Buffer<int> looked = buffer(Ints(14, 0));
    run("values", {1}, {1}, looked, 20);
    // TEXT expands its argument, TEXT_ does not; the lines are those of the file, and of #line.
    expectEqual(looked.read(), {1000, 25, 4 + 5, 1, 21, 11 + 6, 4, 11, 12 + 255 + 1000, 2, 16, 71, 500, 7}, "values");
    rtKernel_t kernel = nullptr;
    EXPECT_RT(RT_ERROR_NOT_FOUND, rtModuleGetKernel(&kernel, "absent", module_));
  }
}

struct alignas(16) Settings {
  int32_t first;
  alignas(16) float color[4];
  alignas(8) int16_t steps[4];  // three, as wide as four
  char tag;
};
static_assert(sizeof(Settings) == 48);

struct alignas(16) Nested {
  Settings settings[2];
  uint32_t bits;
  struct {
    uint8_t r, g, b;
  } pixel;
  uint64_t last;
};
static_assert(sizeof(Nested) == 112);

#pragma pack(push, 1)
struct Packed {
  char a;
  int32_t b;
  double c;
};
#pragma pack(pop)

Settings someSettings(int seed) {
  Settings s = {};
  s.first = seed;
  for (int k = 0; k < 4; ++k) s.color[k] = static_cast<float>(seed + k) * 0.5f;
  for (int k = 0; k < 3; ++k) s.steps[k] = static_cast<int16_t>(k + 1);
  s.tag = 9;
  return s;
}

template <typename T, size_t n>
struct alignas(sizeof(T) * (n == 3 ? 4 : n)) Lanes {
  T lane[n];
};

TEST_P(ProgramTest, ScalarsAndVectorsArriveByValue) {
  build("language/parameters.cl");
  const Buffer<int> out = buffer(Ints(16, 0));
  run("scalars", {1}, {1}, out, int8_t{-1}, uint8_t{255}, int16_t{-300}, uint16_t{65535}, int32_t{-70000}, 0x90000000u,
      int64_t{-5} * (int64_t{1} << 32), uint64_t{7} << 32, 2.25f, 11u, 12u, 13u, 14, uint8_t{15}, int64_t{16});
  expectEqual(out.read(), {-1, 255, -300, 65535, -70000, 1, -5, 7, 9, 11, 12, 13 + 14 + 15 + 16, 0, 0, 0, 0}, "scalars");
  run("vectors", {1}, {1}, out, Lanes<int8_t, 2>{{-3, 4}}, Lanes<uint8_t, 3>{{1, 2, 3}}, Lanes<int16_t, 4>{{1, 2, 3, -10}},
      Lanes<int32_t, 8>{{5, 0, 0, 0, 0, 0, 0, 6}}, Lanes<uint32_t, 16>{{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}},
      Lanes<int64_t, 3>{{1, 2, 3}}, Lanes<float, 2>{{1.5f, 4.0f}}, Lanes<float, 4>{{1, 2, 3, 4}});
  expectEqual(out.read(), {-26, 123, -4, 11, 10, 6, 6, 10, 9, 11, 12, 58, 0, 0, 0, 0}, "vectors");
}

TEST_P(ProgramTest, StructsArriveByValueWithTheLayoutOfTheHost) {
  build("language/parameters.cl");
  const Buffer<int> out = buffer(Ints(12, 0));
  Nested nested = {};
  nested.settings[0] = someSettings(3);
  nested.settings[1] = someSettings(20);
  nested.bits = 0x40490fdb;
  nested.pixel = {1, 2, 3};
  nested.last = uint64_t{77} << 40;
  const Packed packed = {1, 2, 3.5};
  for (int mode : {0, 5, 6}) {
    run("records", {1}, {1}, out, someSettings(4), nested, packed, mode, 2);
    expectEqual(out.read(),
                {4, static_cast<int>(2 * (2.0 + 3.5 + 4)), 1 + 20 + 300 + 9, 14 + 10, 25 + 2, 10 + 11 + 20 + 9, 1, 14, 77,
                 480000 + 1120 + 13, 6,
                 mode == 5   ? -1
                 : mode == 6 ? 6
                             : 7},
                "records, mode " + std::to_string(mode));
  }
  run("nothing_at_all", {3}, {3});
  run("no_list", {1}, {1});
}

TEST_P(ProgramTest, PointersToStructsAndEmptyPointersArrive) {
  build("language/parameters.cl");
  for (uint32_t size : {1u, 3u, 33u}) {
    std::vector<Settings> all;
    for (uint32_t i = 0; i < size; ++i) all.push_back(someSettings(static_cast<int>(i)));
    std::vector<Nested> nested(1);
    nested[0].pixel.b = 42;
    const Buffer<Settings> settings = buffer(all);
    const Buffer<int> table = buffer(Ints{100, 200, 300, 400}), out = buffer(Ints{0});
    const Buffer<Nested> more = buffer(nested);
    void* const nothing = nullptr;
    run("pointers", {1}, {size}, settings, table, more, Local{size * 16}, Local{size * sizeof(Settings)}, out, nothing);
    EXPECT_EQ(out.read()[0], 1);
    const std::vector<Settings> got = settings.read();
    for (uint32_t i = 0; i < size; ++i) {
      for (uint32_t k = 0; k < 4; ++k) EXPECT_EQ(got[i].color[k], 2 * all[size - 1 - i].color[k]);
      EXPECT_EQ(got[i].first, static_cast<int>((i + 1) % size + 100 * ((i & 3) + 1)));
      EXPECT_EQ(got[i].steps[0] + got[i].steps[1] * 10 + got[i].steps[2] * 100 + got[i].tag, 1 + 20 + 300 + 42);
    }
  }
}

TEST_P(ProgramTest, ConstantTablesHoldWhatTheirInitialisersSay) {
  build("language/constants.cl");
  const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
  for (int n : {0, 1, 4}) {
    const Buffer<int> out = buffer(Ints(12, 0));
    run("look", {1}, {1}, out, n);
    expectEqual(out.read(),
                {primes[n % 8] + 200, 100 + 12, 5 + 0 + n % 3 + 1, 3 - 1, 1 + 2 + 'b', 7 + 0 + 'z', 10 + 20 + 40 + 24, 42,
                 50 + 6 + 4, 0x1234567, 255 + 254, primes[2 + n] + 5 + 7 + 3},
                "look, n " + std::to_string(n));
  }
  struct Entry {
    int32_t weight;
    alignas(8) float point[2];
    char name[4];
  };
  const Ints values = randomIntegers(99, 4, 0, 1000);
  const Buffer<int> in = buffer(values), out = buffer(values), table = buffer(Ints{0, 10, 20, 30, 40, 50, 60, 70});
  const Buffer<Entry> more = buffer(std::vector<Entry>{{1000, {}, {}}, {2000, {}, {}}});
  run("look_up", {3}, {33}, in, out, table, more);
  Ints expected;
  for (int value : values) expected.push_back(10 * (value & 7) + primes[value & 7] + 1000 * ((value & 1) + 1));
  expectEqual(out.read(), expected, "look_up");
}

TEST_P(ProgramTest, StructsUnionsAndPointersInsideAKernel) {
  build("language/memory.cl");
  const Ints values = {7, -1, 5, 0x12345678, 100, -100};
  const Buffer<int> in = buffer(values), out = buffer(Ints(values.size() * 16, 0));
  run("structs", {2}, {3}, in, out);
  Ints expected;
  for (int x : values) {
    const int c = x & 7;
    const uint32_t word = (static_cast<uint32_t>(x) & 0xffff00ff) | 0xab00;
    // After the first swap p points at y and q at x.
    Ints row = {120 + c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    row[1] = (900 + 50 + c) + (100 + 50 + c);
    row[2] = 1 + 5;
    row[3] = low(word);
    row[4] = static_cast<int>(word >> 16);
    row[5] = 300 + 1;
    row[6] = 81 + 49 + 9;
    row[7] = 64 + 1 + 7;
    row[8] = 1 + 1 + 1;
    row[9] = x > 0 ? 1 : 5;
    row[10] = 1 + 0x04030201;
    row[11] = 6;
    row[12] = 1 + 16;
    row[13] = 3;
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expectEqual(out.read(), expected, "structs, 16 results for each value");
}

TEST_P(ProgramTest, LoadsAndStoresOfVectorsNeedNoAlignment) {
  build("language/memory.cl");
  const uint32_t size = 5, groups = 2;
  const Ints values = randomIntegers(64, 6, -1000, 1000);
  const Buffer<int> in = buffer(values), out = buffer(Ints(groups * size * 32, 0));
  run("loads_and_stores", {groups}, {size}, in, out, Local{size * 8});
  Ints expected;
  for (uint32_t g = 0; g < groups * size; ++g) {
    Ints row(32, 0);
    for (uint32_t k = 0; k < 3; ++k) row[k] = values[g + k] + 1;
    for (uint32_t k = 0; k < 4; ++k) row[3 + k] = values[g + k];
    for (uint32_t k = 0; k < 4; ++k) row[11 + k] = values[4 + k];
    const uint32_t other = g - g % size + size - 1 - g % size;
    for (uint32_t k = 0; k < 2; ++k) row[15 + k] = values[other + k];
    for (uint32_t k = 0; k < 16; ++k) row[16 + k] = values[k];
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expectEqual(out.read(), expected, "loads_and_stores, 32 results for each item");
}

TEST_P(ProgramTest, RowsOfVectorsAreReadAndWrittenWhole) {
  build("language/memory.cl");
  const auto check = [&](auto element, const char* kernel, uint32_t components) {
    using T = decltype(element);
    for (const uint32_t length : {1u, 2u, 5u}) {
      for (const uint32_t back : {0u, 3u, 21u}) {
        const uint32_t rows = 96 - back;
        std::vector<T> values(size_t{rows} * length * components), expected;
        for (size_t at = 0; at < values.size(); ++at) {
          values[at] = static_cast<T>(at * 7 % 251);
          const int64_t i = static_cast<int64_t>(at / components % length);
          const int64_t row = static_cast<int64_t>(at / components / length) + back;
          int64_t x = static_cast<int64_t>(values[at]);
          x = ((x + i) * 3 + row) * 3;
          expected.push_back(static_cast<T>(((x - i) * 3 - row) + back));
        }
        const Buffer<T> in = buffer(values), out = buffer(std::vector<T>(values.size(), T{99}));
        run(kernel, {3}, {32}, in, out, length, back);
        expectEqual(out.read(), expected, kernel);
      }
    }
  };
  check(uint32_t{}, "rows_uint4", 4);
  check(float{}, "rows_float2", 2);
  check(uint8_t{}, "rows_uchar4", 4);
  check(uint64_t{}, "rows_ulong8", 8);
  check(int16_t{}, "rows_short16", 16);
}

TEST_P(ProgramTest, GroupsCopyTogether) {
  build("language/memory.cl");
  for (const uint32_t size : {1u, 3u, 64u}) {
    for (const int n : {2, 30, 200}) {
      const int groups = 3;
      const Ints values = randomIntegers(static_cast<size_t>(groups * n), size, -1000, 1000);
      const Buffer<int> in = buffer(values), out = buffer(Ints(values.size() * 2, -1));
      run("copies", {static_cast<uint32_t>(groups)}, {size}, in, out, Local{static_cast<size_t>(n) * 8}, n);
      Ints expected(values.size() * 2, -1);
      for (int group = 0; group < groups; ++group) {
        for (int i = 0; i < n; ++i)
          expected[static_cast<size_t>(group * 2 * n + i)] = values[static_cast<size_t>(group * n + i)] * 2 + 1;
        for (int i = 0; i < n / 2; ++i)
          expected[static_cast<size_t>(group * 2 * n + n + i)] = values[static_cast<size_t>(2 * i)];
      }
      expectEqual(out.read(), expected, "copies, groups of " + std::to_string(size) + ", n " + std::to_string(n));
    }
    const std::vector<float> values = randomReals(size_t{2} * size * 4, 5);
    const Buffer<float> in = buffer(values), out = buffer(values);
    run("vector_copies", {2}, {size}, in, out, Local{size * 16});
    std::vector<float> expected(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t item = i / 4, group = item / size;
      expected[i] = values[(group * size + size - 1 - item % size) * 4 + i % 4];
    }
    expectEqual(out.read(), expected, "vector_copies");
  }
}

TEST_P(ProgramTest, AtomicsOfManyGroupsLoseNothing) {
  build("language/memory.cl");
  for (const auto& [groups, size] : {std::pair<uint32_t, uint32_t>{1, 1}, {5, 33}, {16, 256}}) {
    const int count = static_cast<int>(groups * size);
    Ints start = {0, 0, 0, 0, INT32_MAX, INT32_MIN, 0, 0, 0};
    const Buffer<int> counters = buffer(start), order = buffer(Ints(static_cast<size_t>(count), -1));
    const Buffer<uint32_t> bits = buffer(std::vector<uint32_t>{0, ~0u, 0});
    const Buffer<float> real = buffer(std::vector<float>{0});
    run("atomics", {groups}, {size}, counters, bits, real, Local{4}, order);
    const int sum = count * (count - 1) / 2;
    expectEqual(counters.read(), {sum, -2 * count, count, -count, -5, 3 * (count - 1), count, sum, count}, "counters");
    uint32_t any = 0, all = ~0u, odd = 0;
    for (int g = 0; g < count; ++g) {
      any |= 1u << (g & 31);
      all &= ~(1u << (g & 15));
      odd ^= static_cast<uint32_t>(g);
    }
    expectEqual(bits.read(), {any, all, odd}, "bits");
    EXPECT_EQ(real.read()[0], 2.5f);
    Ints seen = order.readUnordered();
    std::sort(seen.begin(), seen.end());
    for (int g = 0; g < count; ++g) ASSERT_EQ(seen[static_cast<size_t>(g)], g);
  }
}

TEST_P(ProgramTest, WorkItemsKnowWhereTheyAre) {
  build("language/work_items.cl");
  const Shape shapes[][2] = {{{1}, {1}},      {{5}, {7}}, {{3, 2}, {5, 7}}, {{2, 3, 4}, {3, 2, 5}}, {{1, 1, 3}, {1, 1, 8}},
                             {{1, 9}, {1, 3}}};
  for (const auto& shape : shapes) {
    const uint64_t groups[3] = {shape[0].x, shape[0].y, shape[0].z}, items[3] = {shape[1].x, shape[1].y, shape[1].z};
    const uint64_t all[3] = {groups[0] * items[0], groups[1] * items[1], groups[2] * items[2]};
    const uint64_t count = all[0] * all[1] * all[2];
    const Buffer<uint64_t> out = buffer(std::vector<uint64_t>(count * 24, 99));
    run("ids", shape[0], shape[1], out);
    const Buffer<uint32_t> others = buffer(std::vector<uint32_t>(count, 0)), linear = buffer(std::vector<uint32_t>(count, 0));
    run("ids_after_barriers", shape[0], shape[1], others, Local{items[0] * items[1] * items[2] * 4});
    run("ids_in_helpers", shape[0], shape[1], linear);
    std::vector<uint64_t> expected;
    std::vector<uint32_t> expected_others, expected_linear;
    for (uint64_t g = 0; g < count; ++g) {
      const uint64_t id[3] = {g % all[0], g / all[0] % all[1], g / all[0] / all[1]};
      uint64_t row[24] = {}, other[3];
      for (int d = 0; d < 3; ++d) {
        const uint64_t values[] = {id[d], id[d] % items[d], id[d] / items[d], all[d], items[d], groups[d], 0};
        for (int k = 0; k < 7; ++k) row[3 * k + d] = values[k];
        other[d] = id[d] / items[d] * items[d] + items[d] - 1 - id[d] % items[d];
      }
      row[22] = 111;
      row[23] = all[2] > 1 ? 3 : all[1] > 1 ? 2 : 1;  // the last dimension with more than one item
      expected.insert(expected.end(), row, row + 24);
      expected_others.push_back(static_cast<uint32_t>(other[0] + 100 * other[1] + 10000 * other[2]));
      expected_linear.push_back(static_cast<uint32_t>(g));
    }
    expectEqual(out.read(), expected, "ids, 24 results for each item");
    expectEqual(others.read(), expected_others, "ids_after_barriers");
    expectEqual(linear.read(), expected_linear, "ids_in_helpers");
  }
}

TEST_P(ProgramTest, ARequiredGroupSizeIsRequired) {
  build("language/work_items.cl");
  const Buffer<uint32_t> out = buffer(std::vector<uint32_t>(16, 0));
  run("required_size", {2, 1}, {4, 2}, out);
  expectEqual(out.read(), std::vector<uint32_t>(16, 42), "required_size");
  rtKernel_t kernel = nullptr;
  ASSERT_RT_OK(rtModuleGetKernel(&kernel, "required_size", module_));
  void* args[] = {out.slot()};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(kernel, 2, 1, 1, 2, 4, 1, 0, stream_, args, 1));
}

}  // namespace
}  // namespace rttest
