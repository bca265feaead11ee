// Which loops load several elements at once of the row that each item walks along, and which must not.
#include "unit/compiler/lowering/cpu/lanes/lanes_kernel.h"

namespace manyrt::test {
namespace {

const char kRemark[] = "This loop loads several elements at once of the row that each item walks along.";

// `turn`: the body of a loop over j.
std::string row(const std::string& turn, const std::string& head = "int j = 0; j < n; ++j") {
  return "float sum = 0; for (" + head + ") { " + turn + " } a[i] = sum * 2.0f + sin(sum);";
}

TEST(TileLoadsTest, AnElementFurtherInEachTurnIsOne) {
  const std::string bodies[] = {
      row("sum += a[i * n + j];"),
      row("sum += a[j + n * i] * a[j];"),
      row("int k = i * n; sum += a[k + j];"),
      row("sum += *(a + i * n + j);"),
      row("sum += a[o[i] + j];"),
      row("sum += a[i * n + j]; if (sum > 3.0f) sum *= 0.5f;"),
      row("sum += a[(uint)(i * n) + j];", "uint j = 0; j != by; j++"),
      row("sum += a[i * n + j];", "size_t j = 1; j <= by; j += 1"),
      row("sum += a[i * n + j];", "int j = 0; n > j; ++j"),
      "__global const float* mine = a + i * n; " + row("sum += mine[j];"),
      "if (i < n) { " + row("sum += a[i * n + j];") + " }",
  };
  for (const std::string& body : bodies) {
    EXPECT_TRUE(contains(remarksOf(body), kRemark)) << body << "\n" << remarksOf(body);
    EXPECT_TRUE(contains(textOf(body), "mrt_tiles<mrt_L::n>::")) << body;
  }
}

TEST(TileLoadsTest, WhatIsNoRowOrNeedNotBeReadIsNone) {
  const std::string bodies[] = {
      row("sum += a[i + j];"),                                         // neighbours
      row("sum += a[j];"),                                             // one place
      row("sum += a[i * n + 2 * j];"),                                 // further by two
      row("sum += a[i * j];"),                                         // another row in each turn
      row("sum += a[(int)(i * by + j)];", "uint j = 0; j < by; ++j"),  // turns negative somewhere
      row("sum += a[i * n + j];", "int j = 0; j < n; j += 2"),
      row("sum += a[i * n + j];", "int j = n; j > 0; --j"),
      row("sum += a[i * n + j]; if (o[j] > 3) break;"),
      row("if (o[j] > 3) continue; sum += a[i * n + j];"),
      row("if (o[j] > 3) sum += a[i * n + j];"),
      row("sum += o[j] > 3 ? a[i * n + j] : 1.0f;"),
      row("sum += o[j] > 3 && a[i * n + j] > 1.0f;"),
      row("sum += a[i * n + j];", "int j = 0; j < i; ++j"),  // lanes leave at different times
      row("sum += a[i * n + j]; n -= 1;"),
      row("sum += a[i * n + j]; j += o[j];"),
      row("sum += a[i * n + j]; a[i * n + j + 1] = sum;"),
      row("sum += a[i * n + j]; o[i] = j;"),  // nothing says that it is no part of a
      row("sum += a[i * n + j]; vstore4((float4)(sum), i, a);"),
      row("sum += a[i * n + j]; atomic_inc(o + i);"),
      row("sum += a[o[i] + j]; o[i] += 1;"),
  };
  for (const std::string& body : bodies) {
    EXPECT_FALSE(contains(remarksOf(body), kRemark)) << body;
    EXPECT_FALSE(contains(textOf(body), "mrt_tiles<")) << body;
  }
}

TEST(TileLoadsTest, AnObjectApartMayBeWrittenInTheLoop) {
  const auto kernel = [](const std::string& a, const std::string& b) {
    return Lowered("__kernel void f(__global float* " + a + " a, __global float* " + b +
                   " b, int n, __local float* own) { int i = get_global_id(0); float sum = 0;\n"
                   "for (int j = 0; j < n; ++j) { sum += a[i * n + j]; b[i] = sum; own[i] = sum; } }")
        .unit();
  };
  EXPECT_TRUE(contains(kernel("restrict", ""), "mrt_tiles<"));
  EXPECT_TRUE(contains(kernel("", "restrict"), "mrt_tiles<"));
  EXPECT_FALSE(contains(kernel("", ""), "mrt_tiles<"));
}

TEST(TileLoadsTest, AnUnsignedIndexIsAskedWhetherItWraps) {
  const std::string text = textOf(row("sum += a[(uint)i * by + j];", "uint j = 0; j < by; ++j"));
  EXPECT_TRUE(contains(text, "+ (mrt_L::n - 1), ")) << text;
  EXPECT_FALSE(contains(textOf(row("sum += a[i * n + j];")), "+ (mrt_L::n - 1), "));
  EXPECT_TRUE(contains(textOf(row("sum += a[(uint)o[i] + j];", "uint j = 0; j < by; ++j")), "::lasts("));
}

TEST(TileLoadsTest, OfLoopsInEachOtherTheInnermostHasTiles) {
  const std::string remarks =
      remarksOf(row("for (int k = 0; k < 32; ++k) sum += a[i * n + j * 32 + k];\n sum *= a[i * n + j];"));
  EXPECT_EQ(remarks.find(kRemark), remarks.rfind(kRemark)) << remarks;
  EXPECT_TRUE(contains(remarks, kRemark)) << remarks;
}

}  // namespace
}  // namespace manyrt::test
