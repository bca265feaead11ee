// Which products and sums become one operation, in the text of the lowering to CUDA.
#include "compiler/lowering/cpp/contraction.h"

#include "compiler/lowering/cuda/program.h"
#include "unit/compiler/lowering/lowered.h"

namespace manyrt::test {
namespace {

using namespace compiler;

// The text of a kernel whose only statement is this. It has floats a to d, a double e, a float4 v and w, an int n and float* p.
std::string textOf(const std::string& statement, const std::string& before = "") {
  Lowered it(before +
             "__kernel void f(__global float* p, float a, float b, float c, float d, double e, float4 v, float4 w, int n) {\n" +
             statement + "\n}");
  CudaUnit unit;
  EXPECT_TRUE(lowerToCuda(&unit, it.program, it.sources, {}, it.diagnostics)) << it.diagnostics.log();
  return unit.text;
}

size_t fusedIn(const std::string& statement) { return countOf(textOf(statement), "fuse"); }

TEST(ContractionTest, SumsOfProductsAreFusedInEveryShape) {
  const size_t none = fusedIn("p[0] = a * b * c;");
  EXPECT_EQ(none, 0u);
  for (const char* statement : {"p[0] = a * b + c;", "p[0] = c + a * b;", "p[0] = a * b - c;", "p[0] = c - a * b;",
                                "p[0] += a * b;", "p[0] -= a * b;", "p[0] = (float)(e * e + e);", "v = v * w + v; p[0] = v.x;",
                                "v += w * a; p[0] = v.x;", "v.xy += w.xy * v.zw; p[0] = v.x;", "v.x -= a * b; p[0] = v.x;"}) {
    EXPECT_GT(fusedIn(statement), 0u) << statement;
  }
}

TEST(ContractionTest, WhatIsNotOneExpressionOfOneRealTypeIsNot) {
  for (const char* statement :
       {"float t = a * b; p[0] = t + c;", "p[n] = n * n + n;", "p[0] += e * e;", "p[0] = (a * b) / c;", "p[0] = a * b > c;"}) {
    EXPECT_EQ(fusedIn(statement), 0u) << statement;
  }
}

TEST(ContractionTest, OfTwoProductsTheFirstIsFused) {
  EXPECT_NE(textOf("p[0] = a * b + c * d;").find("mrt_fused_float(a_2, b_3, (c_4 * d_5))"), std::string::npos)
      << textOf("p[0] = a * b + c * d;");
}

TEST(ContractionTest, APragmaHoldsFromItsPlaceToTheEndOfItsBlock) {
  const std::string off = "\n#pragma OPENCL FP_CONTRACT OFF\n", on = "\n#pragma OPENCL FP_CONTRACT ON\n";
  const std::string sum = "p[0] = a * b + c;";
  const size_t one = countOf(textOf(sum), "mrt_fused_float(a_");
  ASSERT_EQ(one, 1u);
  const auto count = [](const std::string& text) { return countOf(text, "mrt_fused_float(a_"); };
  EXPECT_EQ(count(textOf(off + sum)), 0u);
  EXPECT_EQ(count(textOf(sum, "#pragma STDC FP_CONTRACT OFF\n")), 0u);
  EXPECT_EQ(count(textOf(sum + off + "p[1] = a * b + d;")), 1u);
  EXPECT_EQ(count(textOf("{" + off + sum + "} p[1] = a * b + d;")), 1u);
  EXPECT_EQ(count(textOf(off + "{" + on + sum + "} p[1] = a * b + d;")), 1u);
}

TEST(ContractionTest, TargetsAreEvaluatedOnce) {
  const std::string text = textOf("p[n++] += a * b;");
  EXPECT_EQ(countOf(text, "++"), countOf(textOf("p[n] += a * b;"), "++") + countOf(textOf("p[n++] = a;"), "++") -
                                     countOf(textOf("p[n] = a;"), "++"));
}

}  // namespace
}  // namespace manyrt::test
