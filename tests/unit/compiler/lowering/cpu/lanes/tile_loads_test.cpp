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

// ---- Items as turns

const char kTurned[] = "load several elements at once here.";

std::string turning(const std::string& body) {
  return "__kernel void f(__global const float* in, __global float* out, __global int* o, int n, uint by) {\n"
         "int x = get_global_id(0), y = get_global_id(1);\n" +
         body + "\n}";
}
std::string remarksOfItems(const std::string& kernel) {
  Lowered it(kernel);
  it.unit();
  std::string all;
  for (const std::string& each : it.remarks) all += each + "\n";
  return all;
}

TEST(TileLoadsTest, NeighboursOfTheOtherDimensionAreTurns) {
  const std::string bodies[] = {
      "out[x * n + y] = in[y * n + x];",
      "out[y * n + x] = in[x * n + y];",
      "out[x * n + y] = in[y * n + x] * 2.0f + in[y * n + x + 1];",
      "if (x < n && y < n) out[x * n + y] = in[y * n + x];",
      "if (x >= n || y >= n) return; out[x * n + y] = in[y * n + x];",
      "__global const float* row = in + y * n; out[x * n + y] = row[x];",
      "uint i = x, j = y; out[i * by + j] = in[j * by + i];",
      "size_t i = get_global_id(0), j = get_global_id(1); out[i * by + j] = in[j * by + i];",
      "out[x * n + y] = in[y * n + x] > 0.0f ? 1.0f : 2.0f;",
      "float a = in[y * n + x]; if (a > 0.0f) out[x * n + y] = a;",
      "out[x * n + y] = in[o[y] + x];",
  };
  for (const std::string& body : bodies) {
    const std::string kernel = turning(body);
    EXPECT_TRUE(contains(remarksOfItems(kernel), kTurned)) << body << "\n" << remarksOfItems(kernel);
    EXPECT_TRUE(contains(Lowered(kernel).unit(), "mrt_u(mrt_at, ")) << body;
  }
}

TEST(TileLoadsTest, ItemsThatMayNotReadAtOnceAreNoTurns) {
  const std::string bodies[] = {
      "out[x * n + y] = in[y * n + 2 * x];",  // further by two
      "out[x * n + y] = in[y * n + 2 * x + x];",
      "out[x * n + y] = in[y * n + o[x]];",                                                        // anywhere
      "if (o[y] > 0) out[x * n + y] = in[y * n + x];",                                             // perhaps not at all
      "out[x * n + y] = o[y] > 0 ? in[y * n + x] : 1.0f;",                                         //
      "o[y] = 3; out[x * n + y] = in[y * n + x];",                                                 // perhaps what was written
      "out[x * n + y] = (o[y] = 3) + in[y * n + x];",                                              //
      "o[y * n + x] = 1; out[x * n + y] = in[o[y] + x];",                                          // the index, too
      "float s = 0; for (int k = 0; k < n; ++k) s += in[k]; out[x * n + y] = in[y * n + x] + s;",  // time is spent elsewhere
      "atomic_inc(o); out[x * n + y] = in[y * n + x];",
      "int k = x; k += o[0]; out[x * n + y] = in[y * n + k];",
  };
  for (const std::string& body : bodies) {
    const std::string kernel = turning(body);
    EXPECT_FALSE(contains(remarksOfItems(kernel), kTurned)) << body;
    EXPECT_FALSE(contains(Lowered(kernel).unit(), "mrt_u(")) << body;
  }
}

TEST(TileLoadsTest, ItemsAreAskedWhetherTheirIndexWraps) {
  const auto text = [](const std::string& body) { return Lowered(turning(body)).unit(); };
  EXPECT_TRUE(contains(text("uint i = x, j = y; out[i * by + j] = in[j * by + i];"), "+ (mrt_L::n - 1), "));
  EXPECT_FALSE(contains(text("out[x * n + y] = in[y * n + x];"), "+ (mrt_L::n - 1), "));
}

}  // namespace
}  // namespace manyrt::test
