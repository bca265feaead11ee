// Conversions between all types with all roundings, saturated and not, against the processor's own roundings of long double,
// which holds every number of the language; half precision against a table of all its values.
#include <algorithm>
#include <cfenv>
#include <functional>

#include "prelude_loops.h"

namespace manyrt::compiler {
namespace {

template <typename T>
struct ScalarOf;
template <>
struct ScalarOf<int8_t> {
  static constexpr Scalar kScalar = Scalar::kChar;
};
template <>
struct ScalarOf<uint8_t> {
  static constexpr Scalar kScalar = Scalar::kUChar;
};
template <>
struct ScalarOf<int16_t> {
  static constexpr Scalar kScalar = Scalar::kShort;
};
template <>
struct ScalarOf<uint16_t> {
  static constexpr Scalar kScalar = Scalar::kUShort;
};
template <>
struct ScalarOf<int32_t> {
  static constexpr Scalar kScalar = Scalar::kInt;
};
template <>
struct ScalarOf<uint32_t> {
  static constexpr Scalar kScalar = Scalar::kUInt;
};
template <>
struct ScalarOf<int64_t> {
  static constexpr Scalar kScalar = Scalar::kLong;
};
template <>
struct ScalarOf<uint64_t> {
  static constexpr Scalar kScalar = Scalar::kULong;
};
template <>
struct ScalarOf<float> {
  static constexpr Scalar kScalar = Scalar::kFloat;
};
template <>
struct ScalarOf<double> {
  static constexpr Scalar kScalar = Scalar::kDouble;
};

constexpr char kRoundings[] = {0, 'e', 'z', 'p', 'n'};

int modeOf(char rounding, bool to_integer) {
  switch (rounding) {
    case 'p':
      return FE_UPWARD;
    case 'n':
      return FE_DOWNWARD;
    case 'z':
      return FE_TOWARDZERO;
    case 0:
      return to_integer ? FE_TOWARDZERO : FE_TONEAREST;
    default:
      return FE_TONEAREST;
  }
}

// The result that the standard demands; false where it leaves the result open.
template <typename To>
bool expected(To* result, long double exact, char rounding, bool saturate) {
  using Limits = std::numeric_limits<To>;
  fesetround(modeOf(rounding, Limits::is_integer));
  if constexpr (Limits::is_integer) {
    const volatile long double whole = std::nearbyint(exact);
    fesetround(FE_TONEAREST);
    const long double beyond = std::ldexp(1.0L, Limits::digits);
    const bool fits = whole >= (Limits::is_signed ? -beyond : 0.0L) && whole < beyond;
    if (!fits && !saturate) return false;
    *result = std::isnan(exact) ? To(0) : fits ? static_cast<To>(whole) : whole < 0 ? Limits::min() : Limits::max();
  } else {
    const volatile long double source = exact;
    const volatile To rounded = static_cast<To>(source);
    fesetround(FE_TONEAREST);
    *result = rounded;
  }
  return true;
}

template <typename T>
std::vector<T> valuesOf() {
  if constexpr (std::is_integral_v<T>) {
    return manyIntegers<T>();
  } else {
    std::vector<T> values = manyReals<T>(300);
    for (int power : {7, 8, 15, 16, 31, 32, 63, 64}) {  // around the limits of the integers
      const T limit = static_cast<T>(std::ldexp(1.0L, power));
      for (T x : {limit, limit - 1, limit - T(0.5), limit - T(0.25), std::nextafter(limit, T(0)), limit + 1}) {
        values.push_back(x);
        values.push_back(-x);
      }
    }
    return values;
  }
}

class PreludeConvertTest : public PreludeLoops {
 protected:
  template <typename To, typename From>
  void compare(size_t loop, char rounding, bool saturate, const std::string& name) {
    const std::vector<From> values = valuesOf<From>();
    std::vector<To> results(values.size());
    run(loop, results.data(), {values.data()}, values.size());
    int wrong = 0;
    for (size_t i = 0; i < values.size() && wrong < 3; ++i) {
      long double exact = static_cast<long double>(values[i]);
      To right{};
      if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
        if (!saturate) {
          exact = static_cast<long double>(static_cast<To>(values[i]));  // integers wrap
        }
      }
      if (!expected(&right, exact, rounding, saturate)) continue;
      const bool same = right != right ? results[i] != results[i] : results[i] == right;
      wrong += same ? 0 : 1;
      EXPECT_TRUE(same) << name << "(" << +values[i] << ") is " << +results[i] << ", not " << +right;
    }
  }

  template <typename To, typename From>
  void addPair(std::vector<std::function<void()>>* checks) {
    for (bool saturate : {false, true}) {
      if (saturate && !std::is_integral_v<To>) continue;
      for (char rounding : kRoundings) {
        std::string name = std::string("convert_") + scalarName(ScalarOf<To>::kScalar) + (saturate ? "_sat" : "");
        if (rounding != 0) name += std::string("_rt") + rounding;
        const size_t loop = addCall(name, {value(ScalarOf<From>::kScalar)});
        name += std::string(" of ") + scalarName(ScalarOf<From>::kScalar);
        checks->push_back([=, this] { compare<To, From>(loop, rounding, saturate, name); });
      }
    }
  }

  template <typename To>
  void toType() {
    std::vector<std::function<void()>> checks;
    addPair<To, int8_t>(&checks);
    addPair<To, uint8_t>(&checks);
    addPair<To, int16_t>(&checks);
    addPair<To, uint16_t>(&checks);
    addPair<To, int32_t>(&checks);
    addPair<To, uint32_t>(&checks);
    addPair<To, int64_t>(&checks);
    addPair<To, uint64_t>(&checks);
    addPair<To, float>(&checks);
    addPair<To, double>(&checks);
    ASSERT_NO_FATAL_FAILURE(build());
    for (const std::function<void()>& check : checks) check();
  }
};

TEST_P(PreludeConvertTest, ToChar) { toType<int8_t>(); }
TEST_P(PreludeConvertTest, ToUchar) { toType<uint8_t>(); }
TEST_P(PreludeConvertTest, ToShort) { toType<int16_t>(); }
TEST_P(PreludeConvertTest, ToUshort) { toType<uint16_t>(); }
TEST_P(PreludeConvertTest, ToInt) { toType<int32_t>(); }
TEST_P(PreludeConvertTest, ToUint) { toType<uint32_t>(); }
TEST_P(PreludeConvertTest, ToLong) { toType<int64_t>(); }
TEST_P(PreludeConvertTest, ToUlong) { toType<uint64_t>(); }
TEST_P(PreludeConvertTest, ToFloat) { toType<float>(); }
TEST_P(PreludeConvertTest, ToDouble) { toType<double>(); }

// The value of a half by the definition of the format.
double valueOfHalf(uint32_t bits) {
  const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST_P(PreludeConvertTest, EveryHalfBecomesItsFloat) {
  const Type* half = types_.scalar(Scalar::kHalf);
  const size_t loop = add(prelude_.halfToFloat(), types_.scalar(Scalar::kFloat), {QualType{half}});
  ASSERT_NO_FATAL_FAILURE(build());
  std::vector<uint16_t> halves(65536);
  for (uint32_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  std::vector<float> floats(halves.size());
  run(loop, floats.data(), {halves.data()}, halves.size());
  for (uint32_t i = 0; i < halves.size(); ++i) {
    const double exact = valueOfHalf(i);
    ASSERT_TRUE(std::isnan(exact) ? std::isnan(floats[i]) : floats[i] == static_cast<float>(exact)) << i;
    ASSERT_EQ(std::signbit(floats[i]), (i & 0x8000) != 0) << i;
  }
}

// The neighbours among all halves, by search, and the rounding's choice between them.
uint16_t nearestHalf(double x, char rounding) {
  static const std::vector<double> magnitudes = [] {
    std::vector<double> values;
    for (uint32_t i = 0; i < 0x7c00; ++i) values.push_back(valueOfHalf(i));
    return values;
  }();
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double magnitude = std::fabs(x);
  if (std::isinf(magnitude)) return sign | 0x7c00;
  const auto above = std::lower_bound(magnitudes.begin(), magnitudes.end(), magnitude);
  const uint32_t upper = static_cast<uint32_t>(above - magnitudes.begin());
  if (above != magnitudes.end() && *above == magnitude) return static_cast<uint16_t>(sign | upper);
  const uint32_t lower = upper - 1;
  bool up = rounding == 'p' ? sign == 0 : rounding == 'n' && sign != 0;
  if (rounding == 'e' || rounding == 0) {
    const double high = above == magnitudes.end() ? 65536 : *above;
    const double middle = (magnitudes[lower] + high) / 2;
    up = magnitude > middle || (magnitude == middle && lower % 2 == 1);
  }
  return static_cast<uint16_t>(sign | (up ? upper : lower));
}

TEST_P(PreludeConvertTest, NumbersBecomeTheHalfThatTheRoundingAsksFor) {
  std::vector<double> doubles = manyReals<double>(500);
  for (uint32_t i = 0; i < 0x7c00; i += 7) {
    const double low = valueOfHalf(i), high = i + 1 == 0x7c00 ? 65536 : valueOfHalf(i + 1);
    const double middle = (low + high) / 2;
    for (double x : {low, middle, std::nextafter(middle, 0), std::nextafter(middle, 1e9), std::nextafter(low, 1e9)}) {
      doubles.push_back(x);
      doubles.push_back(-x);
    }
  }
  for (double x : {65504.0, 65519.0, 65519.999999, 65520.0, 65535.0, 65536.0, 1e6, 0x1p-25, 0x1.8p-25, 0x1p-26, 1e-300}) {
    doubles.push_back(x);
    doubles.push_back(-x);
  }
  const std::vector<float> floats(doubles.begin(), doubles.end());
  const QualType half = pointer(value(Scalar::kHalf)), index = value(Scalar::kULong);
  std::vector<std::pair<size_t, size_t>> loops;
  for (const char* rounding : {"", "_rte", "_rtz", "_rtp", "_rtn"}) {
    const std::string name = std::string("vstore_half") + rounding;
    loops.emplace_back(addCall(name, {value(Scalar::kFloat), index, half}),
                       addCall(name, {value(Scalar::kDouble), index, half}));
  }
  ASSERT_NO_FATAL_FAILURE(build());
  const std::vector<uint64_t> zeros(doubles.size());
  const auto check = [](double x, uint16_t got, char rounding) {
    if (std::isnan(x)) {
      ASSERT_TRUE((got & 0x7c00) == 0x7c00 && (got & 0x3ff) != 0) << got;
    } else {
      ASSERT_EQ(got, nearestHalf(x, rounding)) << x << " rounded by " << +rounding;
    }
  };
  for (size_t k = 0; k < loops.size(); ++k) {
    std::vector<uint16_t> halves(doubles.size());
    run(loops[k].first, nullptr, {floats.data(), zeros.data(), halves.data()}, floats.size());
    for (size_t i = 0; i < floats.size(); ++i) check(floats[i], halves[i], kRoundings[k]);
    run(loops[k].second, nullptr, {doubles.data(), zeros.data(), halves.data()}, doubles.size());
    for (size_t i = 0; i < doubles.size(); ++i) check(doubles[i], halves[i], kRoundings[k]);
  }
}

TEST_P(PreludeConvertTest, AsKeepsTheBits) {
  const size_t bits = addCall("as_uint", {value(Scalar::kFloat)});
  const size_t bytes = addCall("as_uchar4", {value(Scalar::kInt)});
  const size_t three = addCall("as_float3", {value(Scalar::kInt, 4)});
  const size_t four = addCall("as_int4", {value(Scalar::kFloat, 3)});
  ASSERT_NO_FATAL_FAILURE(build());
  const float one = 1;
  uint32_t word = 0;
  run(bits, &word, {&one}, 1);
  EXPECT_EQ(word, 0x3f800000u);
  const int32_t number = 0x04030201;
  uint8_t split[4] = {};
  run(bytes, split, {&number}, 1);
  EXPECT_EQ(memcmp(split, &number, 4), 0);
  alignas(16) const int32_t components[4] = {0x3f800000, 0x40000000, 0x40400000, 9};
  alignas(16) float reals[4] = {};
  run(three, reals, {components}, 1);
  EXPECT_EQ(reals[2], 3);
  alignas(16) int32_t again[4] = {};
  run(four, again, {reals}, 1);
  EXPECT_EQ(memcmp(again, components, 12), 0);
}

TEST_P(PreludeConvertTest, VectorsConvertComponentByComponent) {
  const size_t loop = addCall("convert_uchar4_sat_rte", {value(Scalar::kFloat, 4)});
  ASSERT_NO_FATAL_FAILURE(build());
  alignas(16) const float from[4] = {-3, 2.5f, 3.5f, 300};
  uint8_t to[4] = {};
  run(loop, to, {from}, 1);
  EXPECT_EQ(std::vector<uint8_t>(to, to + 4), (std::vector<uint8_t>{0, 2, 4, 255}));
}

MANYRT_FOR_EACH_COMPILER(PreludeConvertTest);
MANYRT_FOR_CUDA(PreludeConvertTest);

}  // namespace
}  // namespace manyrt::compiler
