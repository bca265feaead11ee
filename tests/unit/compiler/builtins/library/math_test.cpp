// The mathematical functions against long double. Limits, in units in the last place, are those of section 7.4 of OpenCL C 1.2,
// and special cases those of section 7.5.
#include <functional>

#include "unit/compiler/builtins/prelude_loops.h"

namespace manyrt::compiler {
namespace {

using Real = long double;

const Real kPi = 3.14159265358979323846264338327950288L;

// With arguments brought near zero without rounding, so that pi's own error is not magnified.
Real sinPi(Real x) {
  Real t = std::fmod(x, 2.0L);
  if (std::fabs(t) > 1) t -= std::copysign(2.0L, t);
  if (std::fabs(t) > 0.5L) t = std::copysign(1.0L, t) - t;
  return std::sin(kPi * t);
}
Real cosPi(Real x) {
  const Real t = std::fabs(std::fmod(x, 2.0L));
  return sinPi(t < 1 ? 0.5L - t : t - 1.5L);
}
Real tanPi(Real x) { return sinPi(x) / cosPi(x); }
Real exp10(Real x) { return std::pow(10.0L, x); }
Real rootN(Real x, int n) {
  if (n == 0 || (x < 0 && n % 2 == 0)) return NAN;
  const Real root = std::pow(std::fabs(x), 1.0L / n);
  return n % 2 != 0 ? std::copysign(root, x) : root;
}
Real roundAway(Real x) { return std::round(x); }
Real signOf(Real x) { return std::isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x; }
// glibc 2.36's powl(-inf, -2^63) is inf, its pow is right: what is infinite needs no more digits.
Real power(Real a, Real b) { return std::isinf(a) ? std::pow(static_cast<double>(a), static_cast<double>(b)) : std::pow(a, b); }
Real greater(Real a, Real b) { return std::fmax(a, b); }
Real maxMagnitude(Real a, Real b) {
  return std::fabs(a) > std::fabs(b) ? a : std::fabs(b) > std::fabs(a) ? b : std::fmax(a, b);
}
Real minMagnitude(Real a, Real b) {
  return std::fabs(a) < std::fabs(b) ? a : std::fabs(b) < std::fabs(a) ? b : std::fmin(a, b);
}

struct Unary {
  const char* name;
  double units;
  Real (*exact)(Real);
};

const Unary kUnary[] = {
    {"acos", 4, std::acos},
    {"acosh", 4, std::acosh},
    {"asin", 4, std::asin},
    {"asinh", 4, std::asinh},
    {"atan", 5, std::atan},
    {"atanh", 5, std::atanh},
    {"cbrt", 2, std::cbrt},
    {"ceil", 0, std::ceil},
    {"cos", 4, std::cos},
    {"cosh", 4, std::cosh},
    {"erf", 16, std::erf},
    {"erfc", 16, std::erfc},
    {"exp", 3, std::exp},
    {"exp2", 3, std::exp2},
    {"exp10", 3, exp10},
    {"expm1", 3, std::expm1},
    {"fabs", 0, std::fabs},
    {"floor", 0, std::floor},
    {"log", 3, std::log},
    {"log2", 3, std::log2},
    {"log10", 3, std::log10},
    {"log1p", 2, std::log1p},
    {"logb", 0, std::logb},
    {"rint", 0, std::rint},
    {"round", 0, roundAway},
    {"sin", 4, std::sin},
    {"sinh", 4, std::sinh},
    {"sqrt", 0.5, std::sqrt},
    {"tan", 5, std::tan},
    {"tanh", 5, std::tanh},
    {"tgamma", 16, [](Real x) { return x < 0 && x == std::floor(x) ? Real(NAN) : std::tgamma(x); }},
    {"trunc", 0, std::trunc},
    {"sinpi", 4, sinPi},
    {"cospi", 4, cosPi},
    {"tanpi", 6, tanPi},
    {"asinpi", 5, [](Real x) { return std::asin(x) / kPi; }},
    {"acospi", 5, [](Real x) { return std::acos(x) / kPi; }},
    {"atanpi", 5, [](Real x) { return std::atan(x) / kPi; }},
    {"rsqrt", 2, [](Real x) { return 1 / std::sqrt(x); }},
    {"degrees", 2, [](Real x) { return x * (180 / kPi); }},
    {"radians", 2, [](Real x) { return x * (kPi / 180); }},
    {"sign", 0, signOf},
};

struct Binary {
  const char* name;
  double units;
  Real (*exact)(Real, Real);
};

const Binary kBinary[] = {
    {"atan2", 6, std::atan2},
    {"atan2pi", 6, [](Real a, Real b) { return std::atan2(a, b) / kPi; }},
    {"copysign", 0, std::copysign},
    {"fdim", 0.5, std::fdim},
    {"fmax", 0, greater},
    {"fmin", 0, [](Real a, Real b) { return std::fmin(a, b); }},
    {"fmod", 0, std::fmod},
    {"hypot", 4, std::hypot},
    {"maxmag", 0, maxMagnitude},
    {"minmag", 0, minMagnitude},
    {"pow", 16, power},
    {"remainder", 0, std::remainder},
};

class PreludeScalarTest : public PreludeLoops {
 protected:
  // Values of a second argument go through all of `b` for each of `a`.
  template <typename A, typename B>
  static void cross(std::vector<A>* first, std::vector<B>* second, const std::vector<A>& a, const std::vector<B>& b) {
    for (A x : a) {
      for (B y : b) {
        first->push_back(x);
        second->push_back(y);
      }
    }
  }

  template <typename T>
  void unaryFunctions() {
    const std::vector<T> values = manyReals<T>(1500);
    std::vector<size_t> loops;
    for (const Unary& row : kUnary) loops.push_back(addCall(row.name, {value(kRealOf<T>)}));
    ASSERT_NO_FATAL_FAILURE(build());
    for (size_t k = 0; k < loops.size(); ++k) {
      std::vector<T> results(values.size());
      run(loops[k], results.data(), {values.data()}, values.size());
      double worst = 0;
      T at = 0;
      for (size_t i = 0; i < values.size(); ++i) {
        const double units = unitsBetween(results[i], kUnary[k].exact(values[i]));
        if (units > worst) at = values[i];
        if (units > worst) worst = units;
      }
      EXPECT_LE(worst, kUnary[k].units) << kUnary[k].name << "(" << at << ") of " << sizeof(T) << " bytes";
    }
  }

  template <typename T>
  void binaryFunctions() {
    std::vector<T> a, b;
    cross(&a, &b, specialReals<T>(), specialReals<T>());
    const std::vector<T> many = manyReals<T>(2000);
    for (size_t i = 0; i < many.size(); ++i) {
      a.push_back(many[i]);
      b.push_back(many[(i * 7 + 3) % many.size()]);
    }
    std::vector<size_t> loops;
    for (const Binary& row : kBinary) loops.push_back(addCall(row.name, {value(kRealOf<T>), value(kRealOf<T>)}));
    ASSERT_NO_FATAL_FAILURE(build());
    for (size_t k = 0; k < loops.size(); ++k) {
      std::vector<T> results(a.size());
      run(loops[k], results.data(), {a.data(), b.data()}, a.size());
      double worst = 0;
      size_t at = 0;
      for (size_t i = 0; i < a.size(); ++i) {
        const double units = unitsBetween(results[i], kBinary[k].exact(a[i], b[i]));
        if (units > worst) at = i;
        if (units > worst) worst = units;
      }
      EXPECT_LE(worst, kBinary[k].units) << kBinary[k].name << "(" << a[at] << ", " << b[at] << ") of " << sizeof(T)
                                         << " bytes";
    }
  }

  template <typename T>
  void wholePowers() {
    std::vector<T> x;
    std::vector<int> n;
    cross(&x, &n, manyReals<T>(300), {0, 1, 2, 3, 4, 5, 7, 10, 31, 100, 1023, -1, -2, -3, -4, -7, -100, INT32_MAX, INT32_MIN});
    const size_t pown = addCall("pown", {value(kRealOf<T>), value(Scalar::kInt)});
    const size_t rootn = addCall("rootn", {value(kRealOf<T>), value(Scalar::kInt)});
    const size_t ldexp = addCall("ldexp", {value(kRealOf<T>), value(Scalar::kInt)});
    ASSERT_NO_FATAL_FAILURE(build());
    std::vector<T> powers(x.size()), roots(x.size()), scaled(x.size());
    run(pown, powers.data(), {x.data(), n.data()}, x.size());
    run(rootn, roots.data(), {x.data(), n.data()}, x.size());
    run(ldexp, scaled.data(), {x.data(), n.data()}, x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_LE(unitsBetween(powers[i], std::pow(Real(x[i]), Real(n[i]))), 16) << "pown(" << x[i] << ", " << n[i] << ")";
      EXPECT_LE(unitsBetween(roots[i], rootN(x[i], n[i])), 16) << "rootn(" << x[i] << ", " << n[i] << ")";
      EXPECT_LE(unitsBetween(scaled[i], Real(std::ldexp(x[i], n[i]))), 0) << "ldexp(" << x[i] << ", " << n[i] << ")";
    }
  }

  template <typename T>
  void functionsWithASecondResult() {
    const QualType real = value(kRealOf<T>);
    const std::vector<T> x = manyReals<T>(500);
    const size_t fract = addCall("fract", {real, pointer(real)});
    const size_t modf = addCall("modf", {real, pointer(real)});
    const size_t sincos = addCall("sincos", {real, pointer(real)});
    const size_t frexp = addCall("frexp", {real, pointer(value(Scalar::kInt))});
    const size_t lgamma = addCall("lgamma_r", {real, pointer(value(Scalar::kInt))});
    const size_t ilogb = addCall("ilogb", {real});
    ASSERT_NO_FATAL_FAILURE(build());
    std::vector<T> r(x.size()), s(x.size());
    std::vector<int> e(x.size());
    const auto each = [&](auto check) {
      for (size_t i = 0; i < x.size(); ++i) check(i, x[i]);
    };
    run(fract, r.data(), {x.data(), s.data()}, x.size());
    each([&](size_t i, T a) {
      const T most = std::nextafter(T(1), T(0));
      const T part = std::isinf(a) || a == 0 ? std::copysign(T(0), a) : std::fmin(a - std::floor(a), most);
      EXPECT_EQ(unitsBetween(s[i], std::floor(Real(a))), 0) << a;
      EXPECT_EQ(unitsBetween(r[i], std::isnan(a) ? Real(NAN) : Real(part)), 0) << a;
      EXPECT_EQ(std::signbit(r[i]), std::signbit(std::isnan(a) ? r[i] : part)) << a;
    });
    run(modf, r.data(), {x.data(), s.data()}, x.size());
    each([&](size_t i, T a) {
      T whole;
      EXPECT_EQ(unitsBetween(r[i], Real(std::modf(a, &whole))), 0) << a;
      EXPECT_EQ(unitsBetween(s[i], Real(whole)), 0) << a;
    });
    run(sincos, r.data(), {x.data(), s.data()}, x.size());
    each([&](size_t i, T a) {
      EXPECT_LE(unitsBetween(r[i], std::sin(Real(a))), 4) << a;
      EXPECT_LE(unitsBetween(s[i], std::cos(Real(a))), 4) << a;
    });
    run(frexp, r.data(), {x.data(), e.data()}, x.size());
    each([&](size_t i, T a) {
      int exponent = 0;
      EXPECT_EQ(unitsBetween(r[i], Real(std::frexp(a, &exponent))), 0) << a;
      EXPECT_TRUE(!std::isfinite(a) || e[i] == exponent) << a;
    });
    run(lgamma, r.data(), {x.data(), e.data()}, x.size());
    each([&](size_t i, T a) {
      const Real exact = std::lgamma(Real(a));
      if (a <= 0 && a == std::floor(a) && std::isfinite(a)) {
        EXPECT_EQ(e[i], 0) << a;
      }
      if (!(a > 0) || !std::isfinite(static_cast<T>(exact))) return;
      EXPECT_LE(std::fabs(Real(r[i]) - exact), 1e-6L * (1 + std::fabs(exact))) << a;
      EXPECT_EQ(e[i], 1) << a;
    });
    run(ilogb, e.data(), {x.data()}, x.size());
    each([&](size_t i, T a) { EXPECT_EQ(e[i], a == 0 ? INT32_MIN : std::isfinite(a) ? std::ilogb(a) : INT32_MAX) << a; });
  }

  template <typename T>
  void remainderWithQuotient() {
    std::vector<T> a, b;
    cross(&a, &b, manyReals<T>(100), specialReals<T>());
    const QualType real = value(kRealOf<T>);
    const size_t loop = addCall("remquo", {real, real, pointer(value(Scalar::kInt))});
    ASSERT_NO_FATAL_FAILURE(build());
    std::vector<T> r(a.size());
    std::vector<int> q(a.size());
    run(loop, r.data(), {a.data(), b.data(), q.data()}, a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const Real exact = std::remainder(Real(a[i]), Real(b[i]));
      EXPECT_EQ(unitsBetween(r[i], exact), 0) << a[i] << " by " << b[i];
      if (std::isnan(exact)) continue;
      // The quotient is a whole number: its last bits are those of what 128 divisors leave.
      const Real left = std::fmod(Real(a[i]), 128 * Real(b[i]));
      const int bits = static_cast<int>(std::rint((left - exact) / Real(b[i]))) % 128;
      EXPECT_EQ(q[i], std::isinf(b[i]) ? 0 : bits) << a[i] << " by " << b[i];
    }
  }
};

TEST_P(PreludeScalarTest, FunctionsOfOneFloatKeepTheirLimits) { unaryFunctions<float>(); }
TEST_P(PreludeScalarTest, FunctionsOfOneDoubleKeepTheirLimits) { unaryFunctions<double>(); }
TEST_P(PreludeScalarTest, FunctionsOfTwoFloatsKeepTheirLimits) { binaryFunctions<float>(); }
TEST_P(PreludeScalarTest, FunctionsOfTwoDoublesKeepTheirLimits) { binaryFunctions<double>(); }
TEST_P(PreludeScalarTest, WholePowersAndRootsOfFloats) { wholePowers<float>(); }
TEST_P(PreludeScalarTest, WholePowersAndRootsOfDoubles) { wholePowers<double>(); }
TEST_P(PreludeScalarTest, SecondResultsOfFloats) { functionsWithASecondResult<float>(); }
TEST_P(PreludeScalarTest, SecondResultsOfDoubles) { functionsWithASecondResult<double>(); }
TEST_P(PreludeScalarTest, RemquoOfFloatsGivesSevenBits) { remainderWithQuotient<float>(); }
TEST_P(PreludeScalarTest, RemquoOfDoublesGivesSevenBits) { remainderWithQuotient<double>(); }

struct SpecialCase {
  const char* name;
  double a, b, expected;  // the sign of zero counts
};

constexpr double kInf = INFINITY;
constexpr double kNan = NAN;

const SpecialCase kSpecialCases[] = {
    {"powr", 2, 0, 1},         {"powr", 0, -1, kInf},     {"powr", -0.0, -3, kInf},    {"powr", 0, -kInf, kInf},
    {"powr", 0, 2, 0},         {"powr", -0.0, 2, 0},      {"powr", 1, 5, 1},           {"powr", -1, 2, kNan},
    {"powr", -kInf, 2, kNan},  {"powr", 0, 0, kNan},      {"powr", -0.0, 0, kNan},     {"powr", kInf, 0, kNan},
    {"powr", 1, kInf, kNan},   {"powr", 1, -kInf, kNan},  {"powr", 2, kNan, kNan},     {"powr", kNan, 2, kNan},
    {"powr", kNan, 0, kNan},   {"powr", 0.5, kInf, 0},    {"powr", 2, kInf, kInf},     {"powr", kInf, 2, kInf},
    {"powr", 4, 0.5, 2},       {"rootn", 0, -3, kInf},    {"rootn", -0.0, -3, -kInf},  {"rootn", 0, -2, kInf},
    {"rootn", -0.0, -2, kInf}, {"rootn", 0, 2, 0},        {"rootn", -0.0, 2, 0},       {"rootn", 0, 3, 0},
    {"rootn", -0.0, 3, -0.0},  {"rootn", -8, 2, kNan},    {"rootn", -8, 3, -2},        {"rootn", 8, 0, kNan},
    {"rootn", kNan, 3, kNan},  {"pown", 0, -3, kInf},     {"pown", -0.0, -3, -kInf},   {"pown", -0.0, -2, kInf},
    {"pown", -0.0, 3, -0.0},   {"pown", -0.0, 2, 0},      {"pown", kNan, 0, 1},        {"pow", kNan, 0, 1},
    {"pow", 1, kNan, 1},       {"pow", -1, kInf, 1},      {"sinpi", 1, 0, 0},          {"sinpi", -1, 0, -0.0},
    {"sinpi", 2, 0, 0},        {"sinpi", -3, 0, -0.0},    {"sinpi", -0.0, 0, -0.0},    {"sinpi", kInf, 0, kNan},
    {"cospi", 0.5, 0, 0},      {"cospi", -1.5, 0, 0},     {"cospi", 1, 0, -1},         {"cospi", kInf, 0, kNan},
    {"tanpi", 0, 0, 0},        {"tanpi", -0.0, 0, -0.0},  {"tanpi", 2, 0, 0},          {"tanpi", 1, 0, -0.0},
    {"tanpi", -1, 0, 0},       {"tanpi", -2, 0, -0.0},    {"tanpi", 0.5, 0, kInf},     {"tanpi", 1.5, 0, -kInf},
    {"tanpi", -0.5, 0, -kInf}, {"tanpi", 2.5, 0, kInf},   {"tanpi", -kInf, 0, kNan},   {"atan2pi", 0, -1, 1},
    {"atan2pi", -0.0, -1, -1}, {"atan2pi", 1, 0, 0.5},    {"atan2pi", 1, -1, 0.75},    {"acospi", -1, 0, 1},
    {"round", -0.3, 0, -0.0},  {"round", -0.5, 0, -1},    {"round", 2.5, 0, 3},        {"rint", 2.5, 0, 2},
    {"rint", -0.5, 0, -0.0},   {"trunc", -0.7, 0, -0.0},  {"ceil", -0.7, 0, -0.0},     {"fmax", kNan, 1, 1},
    {"fmax", 1, kNan, 1},      {"fmin", kNan, -1, -1},    {"fmin", 3, kNan, 3},        {"fdim", 3, 3, 0},
    {"fdim", kInf, kInf, 0},   {"fdim", kNan, 1, kNan},   {"sign", -0.0, 0, -0.0},     {"sign", kNan, 0, 0},
    {"cbrt", -0.0, 0, -0.0},   {"cbrt", -kInf, 0, -kInf}, {"hypot", kInf, kNan, kInf}, {"nextafter", 0, 0, 0},
    {"step", 1, 1, 1},         {"step", 2, 1, 0},         {"maxmag", -3, 2, -3},       {"minmag", -3, 2, 2},
    {"exp10", 2, 0, 100},      {"exp10", -kInf, 0, 0},    {"rsqrt", 0, 0, kInf},       {"rsqrt", -1, 0, kNan},
};

TEST_P(PreludeScalarTest, SpecialCasesAreThoseOfTheStandard) {
  for (Scalar scalar : {Scalar::kFloat, Scalar::kDouble}) {
    for (const SpecialCase& row : kSpecialCases) {
      const bool whole = strcmp(row.name, "rootn") == 0 || strcmp(row.name, "pown") == 0;
      const Builtin* builtin = builtins_.find(row.name);
      std::vector<QualType> arguments = {value(scalar)};
      if (builtins_.forms(*builtin)[0].parameters.size() == 2) arguments.push_back(whole ? value(Scalar::kInt) : value(scalar));
      addCall(row.name, arguments);
    }
  }
  ASSERT_NO_FATAL_FAILURE(build());
  const auto check = [](const SpecialCase& row, double result) {
    const bool same = std::isnan(row.expected) ? std::isnan(result)
                                               : result == row.expected && std::signbit(result) == std::signbit(row.expected);
    EXPECT_TRUE(same) << row.name << "(" << row.a << ", " << row.b << ") is " << result << ", not " << row.expected;
  };
  const size_t count = std::size(kSpecialCases);
  for (size_t i = 0; i < count; ++i) {
    const SpecialCase& row = kSpecialCases[i];
    const bool whole = strcmp(row.name, "rootn") == 0 || strcmp(row.name, "pown") == 0;
    const int n = whole ? static_cast<int>(row.b) : 0;
    const float a = static_cast<float>(row.a), b = static_cast<float>(row.b);
    float single = 0;
    double result = 0;
    run(i, &single, {&a, whole ? static_cast<const void*>(&n) : &b}, 1);
    check(row, single);
    run(count + i, &result, {&row.a, whole ? static_cast<const void*>(&n) : &row.b}, 1);
    check(row, result);
  }
}

TEST_P(PreludeScalarTest, MixSmoothstepClampAndMadFollowTheirFormulas) {
  const QualType real = value(Scalar::kFloat);
  const size_t mix = addCall("mix", {real, real, real});
  const size_t smooth = addCall("smoothstep", {real, real, real});
  const size_t clamp = addCall("clamp", {real, real, real});
  const size_t fma = addCall("fma", {real, real, real});
  ASSERT_NO_FATAL_FAILURE(build());
  const std::vector<float> a = {0, 1, -3, 10, 0.5f}, b = {2, 3, 5, 12, 4}, c = {0.5f, 2, 1, 11, -7};
  std::vector<float> r(a.size());
  run(mix, r.data(), {a.data(), b.data(), c.data()}, a.size());
  EXPECT_EQ(r, (std::vector<float>{1, 5, 5, 32, -24}));
  run(smooth, r.data(), {a.data(), b.data(), c.data()}, a.size());
  EXPECT_EQ(r, (std::vector<float>{0.15625f, 0.5f, 0.5f, 0.5f, 0}));
  run(clamp, r.data(), {c.data(), a.data(), b.data()}, a.size());
  EXPECT_EQ(r, (std::vector<float>{0.5f, 2, 1, 11, 0.5f}));
  const float x = 1 + 0x1p-12f, y = -1 - 0x1p-11f;  // x * x + y is 2^-24, which two roundings lose
  float exact = 0;
  run(fma, &exact, {&x, &x, &y}, 1);
  EXPECT_EQ(exact, 0x1p-24f);
}

TEST_P(PreludeScalarTest, NanCarriesItsCode) {
  const size_t single = addCall("nan", {value(Scalar::kUInt)});
  const size_t real = addCall("nan", {value(Scalar::kULong)});
  ASSERT_NO_FATAL_FAILURE(build());
  const uint32_t code = 0x1234;
  const uint64_t long_code = 0x123456789;
  uint32_t bits = 0;
  uint64_t long_bits = 0;
  run(single, &bits, {&code}, 1);
  run(real, &long_bits, {&long_code}, 1);
  EXPECT_EQ(bits, 0x7fc01234u);
  EXPECT_EQ(long_bits, 0x7ff8000123456789u);
}

MANYRT_FOR_EACH_COMPILER(PreludeScalarTest);
MANYRT_FOR_CUDA(PreludeScalarTest);

}  // namespace
}  // namespace manyrt::compiler
