// The integer functions for every integer type, against the same in 128 bits.
#include "unit/compiler/builtins/prelude_loops.h"

namespace manyrt::compiler {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

template <typename T>
constexpr Wide kLow = std::numeric_limits<T>::min();
template <typename T>
constexpr Wide kHigh = std::numeric_limits<T>::max();

template <typename T>
T clamped(Wide value) {
  return static_cast<T>(value < kLow<T> ? kLow<T> : value > kHigh<T> ? kHigh<T> : value);
}

// x * y + z, clamped, for any T: of two values of 64 bits it may pass 127.
template <typename T>
T saturatedProduct(Wide x, Wide y, Wide z) {
  Wide product = 0;
  if (__builtin_mul_overflow(x, y, &product) || __builtin_add_overflow(product, z, &product)) return static_cast<T>(kHigh<T>);
  return clamped<T>(product);
}

template <typename T>
Wide floorHalf(Wide x) {
  return x >= 0 ? x / 2 : -((-x + 1) / 2);
}

template <typename T>
struct Function {
  const char* name;
  T (*exact)(T a, T b, T c);
  uint32_t parameters;
};

template <typename T>
constexpr int kBits = 8 * sizeof(T);

template <typename T>
using Unsigned = std::make_unsigned_t<T>;

template <typename T>
T rotated(T a, T b) {
  const Unsigned<T> x = static_cast<Unsigned<T>>(a);
  const int n = static_cast<int>(static_cast<Unsigned<T>>(b) % kBits<T>);
  return static_cast<T>(n == 0 ? x : static_cast<Unsigned<T>>(x << n) | static_cast<Unsigned<T>>(x >> (kBits<T> - n)));
}

template <typename T>
T leadingZeros(T a) {
  int count = 0;
  while (count < kBits<T> && (static_cast<Unsigned<T>>(a) >> (kBits<T> - 1 - count) & 1) == 0) ++count;
  return static_cast<T>(count);
}

template <typename T>
T ones(T a) {
  int count = 0;
  for (int i = 0; i < kBits<T>; ++i) count += static_cast<int>(static_cast<Unsigned<T>>(a) >> i & 1);
  return static_cast<T>(count);
}

// The high half of a product: unsigned ones of 64 bits need all 128.
template <typename T>
T highProduct(T a, T b) {
  if constexpr (sizeof(T) == 8 && std::is_unsigned_v<T>) {
    return static_cast<T>(static_cast<UnsignedWide>(a) * b >> 64);
  } else {
    return static_cast<T>((Wide(a) * b) >> kBits<T>);
  }
}

template <typename T>
const std::vector<Function<T>>& functions() {
  static const std::vector<Function<T>> rows = {
      {"abs", [](T a, T, T) { return static_cast<T>(a < 0 ? -Wide(a) : Wide(a)); }, 1},
      {"abs_diff", [](T a, T b, T) { return static_cast<T>(a < b ? Wide(b) - a : Wide(a) - b); }, 2},
      {"add_sat", [](T a, T b, T) { return clamped<T>(Wide(a) + b); }, 2},
      {"sub_sat", [](T a, T b, T) { return clamped<T>(Wide(a) - b); }, 2},
      {"hadd", [](T a, T b, T) { return static_cast<T>(floorHalf<T>(Wide(a) + b)); }, 2},
      {"rhadd", [](T a, T b, T) { return static_cast<T>(floorHalf<T>(Wide(a) + b + 1)); }, 2},
      {"max", [](T a, T b, T) { return a > b ? a : b; }, 2},
      {"min", [](T a, T b, T) { return a < b ? a : b; }, 2},
      {"mul_hi", [](T a, T b, T) { return highProduct(a, b); }, 2},
      {"rotate", [](T a, T b, T) { return rotated(a, b); }, 2},
      {"clz", [](T a, T, T) { return leadingZeros(a); }, 1},
      {"popcount", [](T a, T, T) { return ones(a); }, 1},
      {"clamp", [](T a, T b, T c) { return b > c   ? T(0)
                                           : a < b ? b
                                           : a > c ? c
                                                   : a; }, 3},
      {"mad_hi", [](T a, T b, T c) { return static_cast<T>(Wide(highProduct(a, b)) + c); }, 3},
      {"mad_sat", [](T a, T b, T c) { return saturatedProduct<T>(a, b, c); }, 3},
      {"bitselect", [](T a, T b, T c) { return static_cast<T>((a & ~c) | (b & c)); }, 3},
  };
  return rows;
}

class PreludeIntegerTest : public PreludeLoops {
 protected:
  template <typename T>
  void compareAll(Scalar scalar) {
    const std::vector<T> values = manyIntegers<T>();
    std::vector<T> a, b, c;
    for (size_t i = 0; i < values.size(); ++i) {
      for (size_t k = 0; k < values.size(); ++k) {
        a.push_back(values[i]);
        b.push_back(values[k]);
        c.push_back(values[(3 * i + 5 * k) % values.size()]);
      }
    }
    std::vector<size_t> loops;
    for (const Function<T>& function : functions<T>()) {
      loops.push_back(addCall(function.name, std::vector<QualType>(function.parameters, value(scalar))));
    }
    ASSERT_NO_FATAL_FAILURE(build());
    for (size_t f = 0; f < loops.size(); ++f) {
      const Function<T>& function = functions<T>()[f];
      const bool clamps = strcmp(function.name, "clamp") == 0;  // the result is only defined where b <= c
      std::vector<T> results(a.size());
      run(loops[f], results.data(), {a.data(), b.data(), c.data()}, a.size());
      size_t wrong = 0;
      for (size_t i = 0; i < a.size() && wrong < 3; ++i) {
        if ((clamps && b[i] > c[i]) || results[i] == function.exact(a[i], b[i], c[i])) continue;
        ++wrong;
        ADD_FAILURE() << function.name << " of " << scalarName(scalar) << ": " << +a[i] << ", " << +b[i] << ", " << +c[i]
                      << " gives " << +results[i] << ", not " << +function.exact(a[i], b[i], c[i]);
      }
    }
  }

  template <typename T, typename Result>
  void upsampleAll(Scalar scalar, Scalar lower) {
    const size_t loop = addCall("upsample", {value(scalar), value(lower)});
    ASSERT_NO_FATAL_FAILURE(build());
    const std::vector<T> high = manyIntegers<T>();
    std::vector<Unsigned<T>> low;
    for (size_t i = 0; i < high.size(); ++i) low.push_back(static_cast<Unsigned<T>>(high[(i * 5 + 1) % high.size()]));
    std::vector<Result> results(high.size());
    run(loop, results.data(), {high.data(), low.data()}, high.size());
    for (size_t i = 0; i < high.size(); ++i) {
      EXPECT_EQ(results[i], static_cast<Result>(Wide(high[i]) * (Wide(1) << kBits<T>)+low[i])) << +high[i];
    }
  }
};

TEST_P(PreludeIntegerTest, FunctionsOfChar) { compareAll<int8_t>(Scalar::kChar); }
TEST_P(PreludeIntegerTest, FunctionsOfUchar) { compareAll<uint8_t>(Scalar::kUChar); }
TEST_P(PreludeIntegerTest, FunctionsOfShort) { compareAll<int16_t>(Scalar::kShort); }
TEST_P(PreludeIntegerTest, FunctionsOfUshort) { compareAll<uint16_t>(Scalar::kUShort); }
TEST_P(PreludeIntegerTest, FunctionsOfInt) { compareAll<int32_t>(Scalar::kInt); }
TEST_P(PreludeIntegerTest, FunctionsOfUint) { compareAll<uint32_t>(Scalar::kUInt); }
TEST_P(PreludeIntegerTest, FunctionsOfLong) { compareAll<int64_t>(Scalar::kLong); }
TEST_P(PreludeIntegerTest, FunctionsOfUlong) { compareAll<uint64_t>(Scalar::kULong); }

TEST_P(PreludeIntegerTest, UpsampleOfChar) { upsampleAll<int8_t, int16_t>(Scalar::kChar, Scalar::kUChar); }
TEST_P(PreludeIntegerTest, UpsampleOfUshort) { upsampleAll<uint16_t, uint32_t>(Scalar::kUShort, Scalar::kUShort); }
TEST_P(PreludeIntegerTest, UpsampleOfInt) { upsampleAll<int32_t, int64_t>(Scalar::kInt, Scalar::kUInt); }

TEST_P(PreludeIntegerTest, ProductsOf24BitsAreExact) {
  const size_t mul = addCall("mul24", {value(Scalar::kInt), value(Scalar::kInt)});
  const size_t mad = addCall("mad24", {value(Scalar::kUInt), value(Scalar::kUInt), value(Scalar::kUInt)});
  ASSERT_NO_FATAL_FAILURE(build());
  const std::vector<int> a = {0, 1, -1, 8388607, -8388608, 1000}, b = {5, -7, 8388607, 2, 255, -2000};
  std::vector<int> r(a.size());
  run(mul, r.data(), {a.data(), b.data()}, a.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(r[i], static_cast<int>(int64_t{a[i]} * b[i]));
  const std::vector<uint32_t> x = {3, 16777215, 4096}, y = {7, 255, 4096}, z = {1, 5, 4294967295u};
  std::vector<uint32_t> s(x.size());
  run(mad, s.data(), {x.data(), y.data(), z.data()}, x.size());
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(s[i], x[i] * y[i] + z[i]);
}

// An operation that would trap or overflow in C++ has a value here.
TEST_P(PreludeIntegerTest, DivisionNeverTrapsAndWhatOverflowsWraps) {
  const Type* type = types_.scalar(Scalar::kInt);
  const Type* wide = types_.scalar(Scalar::kLong);
  const size_t div = add(prelude_.binary(Op::kDiv, type, type), type, {QualType{type}, QualType{type}});
  const size_t rem = add(prelude_.binary(Op::kRem, type, type), type, {QualType{type}, QualType{type}});
  const size_t shl = add(prelude_.binary(Op::kShl, type, wide), type, {QualType{type}, QualType{wide}});
  const size_t shr = add(prelude_.binary(Op::kShr, type, wide), type, {QualType{type}, QualType{wide}});
  const size_t long_div = add(prelude_.binary(Op::kDiv, wide, wide), wide, {QualType{wide}, QualType{wide}});
  ASSERT_NO_FATAL_FAILURE(build(NATIVE_PROCESSOR_FLAG " -fsanitize=undefined -fsanitize-undefined-trap-on-error"));
  const std::vector<int> a = {7, -7, INT32_MIN, INT32_MIN, 5, INT32_MAX, -1}, b = {2, 2, -1, 1, 0, -1, 0};
  std::vector<int> r(a.size());
  run(div, r.data(), {a.data(), b.data()}, a.size());
  EXPECT_EQ(std::vector<int>(r.begin(), r.begin() + 4), (std::vector<int>{3, -3, INT32_MIN, INT32_MIN}));
  EXPECT_EQ(r[5], -INT32_MAX);
  run(rem, r.data(), {a.data(), b.data()}, a.size());
  EXPECT_EQ(std::vector<int>(r.begin(), r.begin() + 4), (std::vector<int>{1, -1, 0, 0}));
  const std::vector<int64_t> amounts = {0, 1, 31, 32, 33, -1, 64};
  run(shl, r.data(), {a.data(), amounts.data()}, a.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(r[i], static_cast<int>(static_cast<uint32_t>(a[i]) << (amounts[i] & 31)));
  run(shr, r.data(), {a.data(), amounts.data()}, a.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(r[i], a[i] >> (amounts[i] & 31));
  const int64_t lowest = INT64_MIN, minus_one = -1;
  int64_t quotient = 0;
  run(long_div, &quotient, {&lowest, &minus_one}, 1);
  EXPECT_EQ(quotient, INT64_MIN);
}

MANYRT_FOR_EACH_COMPILER(PreludeIntegerTest);
MANYRT_FOR_CUDA(PreludeIntegerTest);

}  // namespace
}  // namespace manyrt::compiler
