// The geometric functions, also where the squares of their arguments leave the range of the type.
#include "unit/compiler/builtins/prelude_loops.h"

namespace manyrt::compiler {
namespace {

class PreludeGeometricTest : public PreludeLoops {
 protected:
  template <typename T>
  void lengths(uint32_t components) {
    const QualType vector = value(kRealOf<T>, components);
    const size_t length = addCall("length", {vector});
    const size_t distance = addCall("distance", {vector, vector});
    const size_t normalize = addCall("normalize", {vector});
    ASSERT_NO_FATAL_FAILURE(build());
    using Limits = std::numeric_limits<T>;
    for (T scale : {T(1), Limits::denorm_min() * 50, Limits::min(), std::sqrt(Limits::min()), std::sqrt(Limits::max()),
                    Limits::max() / 16, T(1e-15), T(1e15)}) {
      alignas(64) T a[4] = {scale * 3, -scale * 4, scale * 12, scale * 5};
      alignas(64) T zero[4] = {}, r[4] = {};
      long double sum = 0;
      for (size_t i = 0; i < components; ++i) sum += static_cast<long double>(a[i]) * a[i];
      const long double exact = std::sqrt(sum);
      run(length, r, {a}, 1);
      EXPECT_LE(unitsBetween(r[0], exact), 2.75 + 0.5 * components) << components << " components of " << scale;
      run(distance, r, {zero, a}, 1);
      EXPECT_LE(unitsBetween(r[0], exact), 2.75 + 0.5 * components) << components << " components of " << scale;
      run(normalize, r, {a}, 1);
      for (size_t i = 0; i < components; ++i)
        EXPECT_LE(unitsBetween(r[i], a[i] / exact), 2 + components) << components << " components of " << scale;
    }
  }
};

TEST_P(PreludeGeometricTest, LengthsOfFloat) { lengths<float>(1); }
TEST_P(PreludeGeometricTest, LengthsOfFloat2) { lengths<float>(2); }
TEST_P(PreludeGeometricTest, LengthsOfFloat3) { lengths<float>(3); }
TEST_P(PreludeGeometricTest, LengthsOfFloat4) { lengths<float>(4); }
TEST_P(PreludeGeometricTest, LengthsOfDouble2) { lengths<double>(2); }
TEST_P(PreludeGeometricTest, LengthsOfDouble4) { lengths<double>(4); }

TEST_P(PreludeGeometricTest, NormalizeOfZeroInfinityAndNan) {
  const QualType vector = value(Scalar::kFloat, 4);
  const size_t loop = addCall("normalize", {vector});
  const size_t fast = addCall("fast_normalize", {vector});
  ASSERT_NO_FATAL_FAILURE(build());
  alignas(16) const float zero[4] = {}, far[4] = {INFINITY, 5, -INFINITY, 0}, none[4] = {1, NAN, 0, 0};
  alignas(16) float r[4] = {1, 1, 1, 1};
  run(loop, r, {zero}, 1);
  EXPECT_EQ(std::vector<float>(r, r + 4), std::vector<float>(4, 0));
  run(fast, r, {zero}, 1);
  EXPECT_EQ(std::vector<float>(r, r + 4), std::vector<float>(4, 0));
  run(loop, r, {far}, 1);
  EXPECT_NEAR(r[0], 0.70710678f, 1e-6f);
  EXPECT_EQ(r[1], 0);
  EXPECT_NEAR(r[2], -0.70710678f, 1e-6f);
  run(loop, r, {none}, 1);
  EXPECT_TRUE(std::isnan(r[1]));
}

TEST_P(PreludeGeometricTest, DotAndCross) {
  const QualType three = value(Scalar::kFloat, 3), four = value(Scalar::kDouble, 4);
  const size_t dot = addCall("dot", {three, three});
  const size_t cross3 = addCall("cross", {three, three});
  const size_t cross4 = addCall("cross", {four, four});
  const size_t fast = addCall("fast_distance", {three, three});
  ASSERT_NO_FATAL_FAILURE(build());
  alignas(16) const float a[4] = {1, 2, 3, 99}, b[4] = {4, -5, 6, 99};
  alignas(16) float r[4] = {};
  run(dot, r, {a, b}, 1);
  EXPECT_EQ(r[0], 12);
  run(cross3, r, {a, b}, 1);
  EXPECT_EQ(std::vector<float>(r, r + 3), (std::vector<float>{27, 6, -13}));
  run(fast, r, {a, b}, 1);
  EXPECT_NEAR(r[0], std::sqrt(67.0f), 1e-5f);
  alignas(32) const double x[4] = {1, 0, 0, 7}, y[4] = {0, 1, 0, 7};
  alignas(32) double s[4] = {9, 9, 9, 9};
  run(cross4, s, {x, y}, 1);
  EXPECT_EQ(std::vector<double>(s, s + 4), (std::vector<double>{0, 0, 1, 0}));
}

MANYRT_FOR_EACH_COMPILER(PreludeGeometricTest);
MANYRT_FOR_CUDA(PreludeGeometricTest);

}  // namespace
}  // namespace manyrt::compiler
