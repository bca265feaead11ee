// Functions on vectors as wholes: those that go component by component, tests of reals, selections, shuffles, any and all.
#include <cmath>

#include "prelude_loops.h"

namespace manyrt::compiler {
namespace {

class PreludeBuiltinTest : public PreludeLoops {};

TEST_P(PreludeBuiltinTest, ScalarsGoToEveryComponent) {
  const size_t max = addCall("max", {value(Scalar::kFloat, 4), value(Scalar::kFloat)});
  const size_t step = addCall("step", {value(Scalar::kFloat), value(Scalar::kFloat, 4)});
  const size_t clamp = addCall("clamp", {value(Scalar::kInt, 4), value(Scalar::kInt), value(Scalar::kInt)});
  const size_t pown = addCall("pown", {value(Scalar::kFloat, 4), value(Scalar::kInt, 4)});
  ASSERT_NO_FATAL_FAILURE(build());
  alignas(16) const float a[4] = {-1, 2, 3, 4};
  const float two = 2.5f;
  alignas(16) float r[4] = {};
  run(max, r, {a, &two}, 1);
  EXPECT_EQ(std::vector<float>(r, r + 4), (std::vector<float>{2.5f, 2.5f, 3, 4}));
  run(step, r, {&two, a}, 1);
  EXPECT_EQ(std::vector<float>(r, r + 4), (std::vector<float>{0, 0, 1, 1}));
  alignas(16) const int numbers[4] = {-5, 0, 3, 9};
  alignas(16) int clamped[4] = {};
  const int low = -1, high = 4;
  run(clamp, clamped, {numbers, &low, &high}, 1);
  EXPECT_EQ(std::vector<int>(clamped, clamped + 4), (std::vector<int>{-1, 0, 3, 4}));
  alignas(16) const int powers[4] = {2, -1, 3, 0};
  run(pown, r, {a, powers}, 1);
  EXPECT_EQ(std::vector<float>(r, r + 4), (std::vector<float>{1, 0.5f, 27, 1}));
}

TEST_P(PreludeBuiltinTest, PointersToVectorsTakeAComponentEach) {
  const QualType real = value(Scalar::kDouble, 2);
  const size_t fract = addCall("fract", {real, pointer(real)});
  const size_t frexp = addCall("frexp", {real, pointer(value(Scalar::kInt, 2))});
  ASSERT_NO_FATAL_FAILURE(build());
  alignas(16) const double a[2] = {2.75, -0.25};
  alignas(16) double r[2] = {}, whole[2] = {};
  run(fract, r, {a, whole}, 1);
  EXPECT_EQ(r[0], 0.75);
  EXPECT_EQ(r[1], 0.75);
  EXPECT_EQ(whole[0], 2);
  EXPECT_EQ(whole[1], -1);
  alignas(8) int exponents[2] = {};
  run(frexp, r, {a, exponents}, 1);
  EXPECT_EQ(r[0], 0.6875);
  EXPECT_EQ(exponents[0], 2);
  EXPECT_EQ(exponents[1], -1);
}

struct Relation {
  const char* name;
  bool (*holds)(double, double);
};

const Relation kRelations[] = {
    {"isequal", [](double a, double b) { return a == b; }},
    {"isnotequal", [](double a, double b) { return a != b; }},
    {"isgreater", [](double a, double b) { return a > b; }},
    {"isgreaterequal", [](double a, double b) { return a >= b; }},
    {"isless", [](double a, double b) { return a < b; }},
    {"islessequal", [](double a, double b) { return a <= b; }},
    {"islessgreater", [](double a, double b) { return a < b || a > b; }},
    {"isordered", [](double a, double b) { return !std::isnan(a) && !std::isnan(b); }},
    {"isunordered", [](double a, double b) { return std::isnan(a) || std::isnan(b); }},
};

// For scalars 1, for vectors a component of ones.
TEST_P(PreludeBuiltinTest, RelationsAreOneForScalarsAndMinusOneForComponents) {
  const QualType real = value(Scalar::kDouble), pair = value(Scalar::kDouble, 2);
  std::vector<size_t> scalars, vectors;
  for (const Relation& relation : kRelations) {
    scalars.push_back(addCall(relation.name, {real, real}));
    vectors.push_back(addCall(relation.name, {pair, pair}));
  }
  ASSERT_NO_FATAL_FAILURE(build());
  const double values[] = {0, -0.0, 1, -2, INFINITY, NAN};
  for (size_t k = 0; k < std::size(kRelations); ++k) {
    for (double a : values) {
      for (double b : values) {
        const bool holds = kRelations[k].holds(a, b);
        int one = 7;
        run(scalars[k], &one, {&a, &b}, 1);
        EXPECT_EQ(one, holds ? 1 : 0) << kRelations[k].name << "(" << a << ", " << b << ")";
        alignas(16) const double x[2] = {a, b}, y[2] = {b, a};
        alignas(16) int64_t components[2] = {7, 7};
        run(vectors[k], components, {x, y}, 1);
        EXPECT_EQ(components[0], holds ? -1 : 0) << kRelations[k].name << "(" << a << ", " << b << ")";
      }
    }
  }
}

TEST_P(PreludeBuiltinTest, ClassesOfReals) {
  const struct {
    const char* name;
    bool (*holds)(float);
  } rows[] = {{"isfinite", [](float x) { return std::isfinite(x); }},
              {"isinf", [](float x) { return std::isinf(x); }},
              {"isnan", [](float x) { return std::isnan(x); }},
              {"isnormal", [](float x) { return std::isnormal(x); }},
              {"signbit", [](float x) { return std::signbit(x); }}};
  std::vector<size_t> loops, vectors;
  for (const auto& row : rows) {
    loops.push_back(addCall(row.name, {value(Scalar::kFloat)}));
    vectors.push_back(addCall(row.name, {value(Scalar::kFloat, 2)}));
  }
  ASSERT_NO_FATAL_FAILURE(build());
  std::vector<float> values = specialReals<float>();
  values.push_back(-values.back());  // a NaN with a sign
  for (size_t k = 0; k < std::size(rows); ++k) {
    for (float x : values) {
      int result = 7;
      run(loops[k], &result, {&x}, 1);
      EXPECT_EQ(result, rows[k].holds(x) ? 1 : 0) << rows[k].name << "(" << x << ")";
      alignas(8) const float both[2] = {x, 1};
      alignas(8) int components[2] = {};
      run(vectors[k], components, {both}, 1);
      EXPECT_EQ(components[0], rows[k].holds(x) ? -1 : 0) << rows[k].name << "(" << x << ")";
    }
  }
}

TEST_P(PreludeBuiltinTest, SelectTakesAnyBitOfScalarsAndTheSignOfComponents) {
  const size_t scalar = addCall("select", {value(Scalar::kFloat), value(Scalar::kFloat), value(Scalar::kInt)});
  const size_t vector = addCall("select", {value(Scalar::kInt, 4), value(Scalar::kInt, 4), value(Scalar::kUInt, 4)});
  ASSERT_NO_FATAL_FAILURE(build());
  const float a = 1, b = 2;
  float r = 0;
  const int condition = 4, none = 0;
  run(scalar, &r, {&a, &b, &condition}, 1);
  EXPECT_EQ(r, 2);
  run(scalar, &r, {&a, &b, &none}, 1);
  EXPECT_EQ(r, 1);
  alignas(16) const int x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8};
  alignas(16) const uint32_t c[4] = {0x80000000u, 1, 0, 0xffffffffu};
  alignas(16) int s[4] = {};
  run(vector, s, {x, y, c}, 1);
  EXPECT_EQ(std::vector<int>(s, s + 4), (std::vector<int>{5, 2, 3, 8}));
}

TEST_P(PreludeBuiltinTest, BitselectOfRealsMixesTheirBits) {
  const size_t loop = addCall("bitselect", {value(Scalar::kFloat), value(Scalar::kFloat), value(Scalar::kFloat)});
  ASSERT_NO_FATAL_FAILURE(build());
  const float a = 1.5f, b = -2, sign = -0.0f;
  float r = 0;
  run(loop, &r, {&a, &b, &sign}, 1);
  EXPECT_EQ(r, -1.5f);
}

TEST_P(PreludeBuiltinTest, AnyAndAllLookAtSigns) {
  const size_t any = addCall("any", {value(Scalar::kChar, 3)});
  const size_t all = addCall("all", {value(Scalar::kChar, 3)});
  const size_t one = addCall("any", {value(Scalar::kLong)});
  ASSERT_NO_FATAL_FAILURE(build());
  const struct {
    int8_t components[4];
    int any, all;
  } rows[] = {{{0, 1, 127, -1}, 0, 0}, {{0, -1, 5, 0}, 1, 0}, {{-1, -128, -3, 0}, 1, 1}};
  for (const auto& row : rows) {
    int r = 7;
    run(any, &r, {row.components}, 1);
    EXPECT_EQ(r, row.any);
    run(all, &r, {row.components}, 1);
    EXPECT_EQ(r, row.all);
  }
  const int64_t low = 0xffffffff, negative = INT64_MIN;
  int r = 7;
  run(one, &r, {&low}, 1);
  EXPECT_EQ(r, 0);
  run(one, &r, {&negative}, 1);
  EXPECT_EQ(r, 1);
}

TEST_P(PreludeBuiltinTest, ShufflesTakeTheMaskModuloTheComponents) {
  const size_t one = addCall("shuffle", {value(Scalar::kFloat, 4), value(Scalar::kUInt, 8)});
  const size_t two = addCall("shuffle2", {value(Scalar::kUChar, 4), value(Scalar::kUChar, 4), value(Scalar::kUChar, 2)});
  ASSERT_NO_FATAL_FAILURE(build());
  alignas(16) const float a[4] = {10, 11, 12, 13};
  alignas(32) const uint32_t mask[8] = {3, 2, 1, 0, 4, 7, 0xffffffffu, 2};
  alignas(32) float r[8] = {};
  run(one, r, {a, mask}, 1);
  EXPECT_EQ(std::vector<float>(r, r + 8), (std::vector<float>{13, 12, 11, 10, 10, 13, 13, 12}));
  const uint8_t x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8}, chosen[2] = {6, 9};
  uint8_t s[2] = {};
  run(two, s, {x, y, chosen}, 1);
  EXPECT_EQ(s[0], 7);
  EXPECT_EQ(s[1], 2);
}

// They may be coarser, as OpenCL allows.
TEST_P(PreludeBuiltinTest, NativeAndHalfFormsAreNearTheOrdinaryOnes) {
  const char* names[] = {"cos", "exp", "exp2", "exp10", "log", "log2", "log10", "rsqrt", "sin", "sqrt", "tan"};
  std::vector<size_t> loops;
  for (const char* name : names) {
    for (const char* prefix : {"", "native_", "half_"})
      loops.push_back(addCall(std::string(prefix) + name, {value(Scalar::kFloat)}));
  }
  const size_t divide = addCall("native_divide", {value(Scalar::kFloat), value(Scalar::kFloat)});
  const size_t recip = addCall("half_recip", {value(Scalar::kFloat)});
  ASSERT_NO_FATAL_FAILURE(build());
  const float x = 1.25f, y = 5;
  for (size_t k = 0; k < loops.size(); k += 3) {
    float r[3] = {};
    for (size_t i = 0; i < 3; ++i) run(loops[k + i], &r[i], {&x}, 1);
    const float near = std::fabs(r[0]) * 2e-6f;
    EXPECT_NEAR(r[1], r[0], near) << names[k / 3];
    EXPECT_NEAR(r[2], r[0], near) << names[k / 3];
  }
  float r = 0;
  run(divide, &r, {&y, &x}, 1);
  EXPECT_EQ(r, 4);
  run(recip, &r, {&x}, 1);
  EXPECT_EQ(r, 0.8f);
}

MANYRT_FOR_EACH_COMPILER(PreludeBuiltinTest);
MANYRT_FOR_CUDA(PreludeBuiltinTest);

}  // namespace
}  // namespace manyrt::compiler
