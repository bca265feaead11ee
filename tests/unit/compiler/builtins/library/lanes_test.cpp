// library/lanes as C++ that the test's own compiler reads: four lanes move to memory and back, with and without a mask. No
// vector has more than 16 bytes, which every processor passes and returns in the same way.
#include <gtest/gtest.h>

// Kernels are compiled without these warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wunused-local-typedefs"
#include "compiler/builtins/library/lanes/conversion.h"
#include "compiler/builtins/library/lanes/integer.h"
#include "compiler/builtins/library/lanes/lanes.h"
#include "compiler/builtins/library/lanes/math.h"
#include "compiler/builtins/library/lanes/product.h"
#include "compiler/builtins/library/lanes/tile.h"
#include "compiler/builtins/library/lanes/types.h"

namespace {

using Lanes = mrt_lanes<4>;

template <typename V>
testing::AssertionResult are(V lanes, std::initializer_list<double> values) {
  int i = 0;
  for (const double value : values) {
    if (lanes[i] != value) return testing::AssertionFailure() << "lane " << i << " is " << lanes[i] << ", not " << value;
    ++i;
  }
  return testing::AssertionSuccess();
}

const Lanes::m kOuter = {-1, 0, 0, -1};

TEST(LibraryLanesTest, WholeNumbers) {
  const Lanes::v<int> a = {7, -7, -2147483647 - 1, 2147483647}, b = {2, 0, -1, -3};
  EXPECT_TRUE(are(mrt_i_divide<4>(a, b), {3, -7, -2147483648.0, -715827882}));
  EXPECT_TRUE(are(mrt_i_remainder<4>(a, b), {1, 0, 0, 1}));
  EXPECT_TRUE(are(mrt_i_abs<4>(a), {7, 7, 2147483648.0, 2147483647}));
  EXPECT_TRUE(are(mrt_i_abs_diff<4>(a, b), {5, 7, 2147483647, 2147483650.0}));
  EXPECT_TRUE(are(mrt_i_hadd<4>(a, b), {4, -4, -1073741825, 1073741822}));
  EXPECT_TRUE(are(mrt_i_rhadd<4>(a, b), {5, -3, -1073741824, 1073741822}));
  EXPECT_TRUE(are(mrt_i_add_sat<4>(a, b), {9, -7, -2147483648.0, 2147483644}));
  EXPECT_TRUE(are(mrt_i_sub_sat<4>(a, b), {5, -7, -2147483647, 2147483647}));
  EXPECT_TRUE(are(mrt_i_clz<4>(a), {29, 0, 0, 1}));
  const Lanes::v<unsigned int> x = {4294967295u, 4294967295u, 0, 3000000000u}, y = {1, 0, 5, 1500000001u};
  EXPECT_TRUE(are(mrt_i_divide<4>(x, y), {4294967295.0, 4294967295.0, 0, 1}));
  EXPECT_TRUE(are(mrt_i_remainder<4>(x, y), {0, 0, 0, 1499999999}));
  EXPECT_TRUE(are(mrt_i_clz<4>(y), {31, 32, 29, 1}));
  EXPECT_TRUE(are(mrt_i_add_sat<4>(x, y), {4294967295.0, 4294967295.0, 5, 4294967295.0}));
  EXPECT_TRUE(are(mrt_i_sub_sat<4>(y, x), {0, 0, 5, 0}));
  EXPECT_TRUE(are(mrt_high_products<4, false>(x, y + y), {1, 0, 0, 2095475794}));
  EXPECT_TRUE(are(mrt_high_products<4, true>(a, b), {0, 0, 0, -2}));
}

TEST(LibraryLanesTest, AMaskIsOneBitForEachLane) {
  EXPECT_EQ(Lanes::full, 15u);
  EXPECT_EQ(Lanes::bits(Lanes::every()), Lanes::full);
  EXPECT_EQ(Lanes::bits(kOuter), 9u);
  EXPECT_EQ(Lanes::bits(Lanes::head(3)), 7u);
  EXPECT_FALSE(Lanes::any(Lanes::head(0)));
  EXPECT_TRUE(are(Lanes::pick(kOuter, Lanes::line<short>(0, 1), Lanes::all<short>(7)), {0, 7, 7, 3}));
  const Lanes::v<signed char> bytes = {-1, 2, -3, 4};
  EXPECT_TRUE(are(Lanes::pick(bytes < Lanes::v<signed char>{}, Lanes::line<int>(0, 1), Lanes::all<int>(7)), {0, 7, 2, 7}));
}

template <typename To, typename From>
void convertsOf() {
  const From given[] = {0, 1, static_cast<From>(-1), static_cast<From>(sizeof(From) == 1 ? 100 : 32767)};
  const auto lanes = Lanes::to<To>(Lanes::near(given));
  static_assert(sizeof(lanes) == 4 * sizeof(To));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(lanes[i], static_cast<To>(given[i])) << "lane " << i << " of " << +given[i];
}

template <typename... All>
struct Types {
  template <typename To>
  static void convertTo() {
    (convertsOf<To, All>(), ...);
  }
  static void convert() { (convertTo<All>(), ...); }
};

TEST(LibraryLanesTest, NumbersOfEachTypeConvertToEachOtherAsOneDoes) {
  Types<signed char, unsigned char, short, unsigned short, int, unsigned int>::convert();
  convertsOf<float, unsigned char>();
  convertsOf<float, short>();
  const float floats[] = {0.75f, -1.75f, 100.0f, -128.0f};
  EXPECT_TRUE(are(Lanes::to<signed char>(Lanes::near(floats)), {0, -1, 100, -128}));
}

TEST(LibraryLanesTest, TheLesserOfTwoIsTheFirstUnlessTheSecondIsLess) {
  const float nan = __builtin_nanf("");
  const Lanes::v<float> x = {1, nan, 3, -0.0f}, y = {2, 5, nan, 0.0f};
  const auto least = Lanes::min(x, y), most = Lanes::max(x, y);
  EXPECT_EQ(least[0] + 10 * most[0], 21);
  EXPECT_NE(least[1], least[1]);
  EXPECT_NE(most[1], most[1]);
  EXPECT_EQ(least[2] + 10 * most[2], 33);
  EXPECT_TRUE(__builtin_signbit(least[3]) && __builtin_signbit(most[3]));
  EXPECT_TRUE(are(Lanes::max(Lanes::v<unsigned char>{1, 200, 3, 4}, Lanes::v<unsigned char>{2, 100, 3, 0}), {2, 200, 3, 4}));
}

TEST(LibraryLanesTest, LoadsOfALaneThatIsOffAreZeroOrAnotherLanes) {
  const float numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_TRUE(are(Lanes::near(numbers + 1), {2, 3, 4, 5}));
  EXPECT_TRUE(are(Lanes::near(numbers, kOuter), {1, 0, 0, 4}));
  EXPECT_TRUE(are(Lanes::far(numbers, 12), {1, 4, 7, 10}));
  EXPECT_TRUE(are(Lanes::far(numbers, 12, kOuter), {1, 0, 0, 10}));
  const Lanes::v<int> index = {3, 1000000, -1000000, 0};
  EXPECT_TRUE(are(Lanes::at(numbers, index, 4, kOuter), {4, 4, 4, 1}));
  EXPECT_TRUE(are(Lanes::likely_at(numbers, Lanes::line<int>(2, 1), 4), {3, 4, 5, 6}));
  EXPECT_TRUE(are(Lanes::likely_at(numbers, Lanes::line<int>(6, -2), 4), {7, 5, 3, 1}));
}

TEST(LibraryLanesTest, StoresLeaveTheMemoryOfLanesThatAreOff) {
  int numbers[8] = {};
  const Lanes::v<int> values = {1, 2, 3, 4};
  Lanes::put_near(numbers, values, kOuter);
  EXPECT_EQ(numbers[0] + 10 * numbers[1] + 100 * numbers[2] + 1000 * numbers[3], 4001);
  Lanes::put_far(numbers, 8, values, kOuter);
  EXPECT_EQ(numbers[6], 4);
  EXPECT_EQ(numbers[4], 0);
  Lanes::put_at(numbers, Lanes::v<int>{7, 900000, 900000, 5}, 4, values, kOuter);
  EXPECT_EQ(numbers[7], 1);
  EXPECT_EQ(numbers[5], 4);
  Lanes::put_one(numbers, values, kOuter);  // the last lane is the one whose value stays
  EXPECT_EQ(numbers[0], 4);
}

template <typename T, int kComponents>
void movesVectors() {
  constexpr int kCount = kComponents * 4;
  constexpr long kStep = kComponents * sizeof(T);
  T numbers[kCount], copy[kCount] = {};
  for (int i = 0; i < kCount; ++i) numbers[i] = static_cast<T>(100 - 9 * i);
  const auto parts = Lanes::near_parts<kComponents>(numbers);
  for (int k = 0; k < kComponents; ++k) {
    for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(parts.s[k][lane], numbers[lane * kComponents + k]);
  }
  Lanes::put_near_parts<T, kComponents>(copy, parts);
  for (int i = 0; i < kCount; ++i) EXPECT_EQ(copy[i], numbers[i]);
  const Lanes::v<int> index = {0, 1000000, -1000000, 3};
  const auto near = Lanes::near_parts<kComponents>(numbers, kOuter);
  const auto far = Lanes::far_parts<kComponents>(numbers, kStep, kOuter);
  const auto at = Lanes::at_parts<kComponents>(numbers, index, kStep, kOuter);
  for (int k = 0; k < kComponents; ++k) {
    for (const int lane : {0, 3}) {
      EXPECT_EQ(near.s[k][lane], parts.s[k][lane]);
      EXPECT_EQ(far.s[k][lane], parts.s[k][lane]);
      EXPECT_EQ(at.s[k][lane], parts.s[k][lane]);
    }
  }
  const auto wrote = [&](const auto& put) {
    T masked[kCount] = {};
    put(masked);
    for (int i = 0; i < kCount; ++i) {
      EXPECT_EQ(masked[i], i / kComponents == 0 || i / kComponents == 3 ? numbers[i] : 0) << i;
    }
  };
  wrote([&](T* to) { Lanes::put_near_parts<T, kComponents>(to, parts, kOuter); });
  wrote([&](T* to) { Lanes::put_far_parts<T, kComponents>(to, kStep, parts, kOuter); });
  wrote([&](T* to) { Lanes::put_at_parts<T, kComponents>(to, index, kStep, parts, kOuter); });
}

TEST(LibraryLanesTest, VectorsAreTakenApartAndPutTogether) {
  movesVectors<int, 2>();
  movesVectors<int, 4>();
  movesVectors<int, 8>();
}

TEST(LibraryLanesTest, ComponentsThatFillFourBytesAreOneNumber) {
  movesVectors<signed char, 4>();
  movesVectors<unsigned char, 4>();
  movesVectors<unsigned char, 2>();
  movesVectors<short, 2>();
  movesVectors<unsigned short, 2>();
}

// Rows of four elements: in place, by steps, and those of lanes that are on alone.
template <typename T>
void turnsRows() {
  using Tiles = mrt_tiles<4>;
  T numbers[24];
  for (int i = 0; i < 24; ++i) numbers[i] = static_cast<T>(3 * i + 1);
  const Lanes::v<int> index = {13, 2, 20, 0}, some = {13, 1000000, -1000000, 0};
  const auto far = Tiles::far(numbers + 1, 5 * sizeof(T)), at = Tiles::at(numbers, index, sizeof(T));
  const auto far_some = Tiles::far(numbers + 1, 5 * sizeof(T), kOuter), at_some = Tiles::at(numbers, some, sizeof(T), kOuter);
  for (int turn = 0; turn < 4; ++turn) {
    for (int lane = 0; lane < 4; ++lane) {
      EXPECT_EQ(far.s[turn][lane], numbers[1 + 5 * lane + turn]) << "turn " << turn << ", lane " << lane;
      EXPECT_EQ(at.s[turn][lane], numbers[index[lane] + turn]) << "turn " << turn << ", lane " << lane;
    }
    for (const int lane : {0, 3}) {
      EXPECT_EQ(far_some.s[turn][lane], numbers[1 + 5 * lane + turn]);
      EXPECT_EQ(at_some.s[turn][lane], numbers[index[lane] + turn]);
    }
  }
}

TEST(LibraryLanesTest, ATileHasAVectorForEachTurn) {
  turnsRows<signed char>();
  turnsRows<unsigned short>();
  turnsRows<int>();
  turnsRows<float>();
  EXPECT_TRUE(mrt_tiles<4>::lasts(Lanes::v<unsigned int>{0, 0xfffffffcu, 5, 7}, Lanes::every()));
  EXPECT_FALSE(mrt_tiles<4>::lasts(Lanes::v<unsigned int>{0, 0xfffffffdu, 5, 7}, Lanes::every()));
  EXPECT_TRUE(mrt_tiles<4>::lasts(Lanes::v<unsigned int>{0, 0xfffffffdu, 5, 7}, kOuter));
}

template <typename T>
void comparesLines(T first, T bound) {
  using Two = mrt_lanes<2>;
  const auto line = Two::line<T>(first, 1);
  for (int lane = 0; lane < 2; ++lane) {
    EXPECT_EQ(Two::below(first, bound)[lane] != 0, line[lane] < bound) << first << " " << bound;
    EXPECT_EQ(Two::at_most(first, bound)[lane] != 0, line[lane] <= bound) << first << " " << bound;
    EXPECT_EQ(Two::same(first, bound)[lane] != 0, line[lane] == bound) << first << " " << bound;
  }
}

TEST(LibraryLanesTest, NeighbouringNumbersAreComparedWithABoundByTheirDistance) {
  constexpr unsigned long kLargest = ~0ul;
  for (const unsigned long first : {0ul, 1ul, 5ul, kLargest - 5, kLargest - 3, kLargest - 2, kLargest}) {
    for (unsigned long more = 0; more < 12; ++more) comparesLines<unsigned long>(first, first - 6 + more);
    for (const unsigned long bound : {0ul, 3ul, kLargest}) comparesLines<unsigned long>(first, bound);
  }
  constexpr long kLongest = 0x7fffffffffffffffl;
  constexpr long kLeast = -kLongest - 1;
  for (const long first : {-5l, 0l, kLeast, kLongest - 3}) {
    for (const long bound : {-6l, -5l, -3l, -2l, 0l, 2l, 3l, 4l, kLeast, kLongest}) comparesLines<long>(first, bound);
  }
}

TEST(LibraryLanesTest, UnsignedIndicesFitUntilTheLastLaneWraps) {
  EXPECT_TRUE(Lanes::fits(0xfffffffcl, 1));
  EXPECT_FALSE(Lanes::fits(0xfffffffdl, 1));
  EXPECT_FALSE(Lanes::fits(2, -1));
}

TEST(LibraryLanesTest, FunctionsOfNumbersAreThoseOfEachLane) {
  const Lanes::v<float> x = {-1.5f, 2.5f, -0.25f, 9.0f};
  EXPECT_TRUE(are(mrt_w_fabs<Lanes>(x), {1.5, 2.5, 0.25, 9}));
  EXPECT_TRUE(are(mrt_w_copysign<Lanes>(mrt_w_fabs<Lanes>(x), x), {-1.5, 2.5, -0.25, 9}));
  EXPECT_TRUE(are(mrt_w_rint<Lanes>(x), {-2, 2, 0, 9}));
  EXPECT_TRUE(are(mrt_w_floor<Lanes>(x), {-2, 2, -1, 9}));
  EXPECT_TRUE(are(mrt_w_ceil<Lanes>(x), {-1, 3, 0, 9}));
  EXPECT_TRUE(are(mrt_w_trunc<Lanes>(x), {-1, 2, 0, 9}));
  EXPECT_TRUE(are(mrt_w_sqrt<Lanes>(mrt_w_fabs<Lanes>(x) * 4), {__builtin_sqrtf(6), __builtin_sqrtf(10), 1, 6}));
  EXPECT_TRUE(are(mrt_w_to<Lanes, int>(x), {-1, 2, 0, 9}));
  const auto low = mrt_slice<0>(x, mrt_count<2>{}), high = mrt_slice<2>(x, mrt_count<2>{});
  EXPECT_TRUE(are(high, {-0.25, 9}));
  EXPECT_TRUE(are(mrt_joined(low, high, mrt_count<4>{}), {-1.5, 2.5, -0.25, 9}));
}

}  // namespace

#pragma GCC diagnostic pop
