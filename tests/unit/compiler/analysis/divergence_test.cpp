// The statements of the analysis about kernels, and whether they hold. Each value that is called uniform or linear is compared
// with what the interpreter sees in neighbouring items.
#include "compiler/analysis/divergence.h"

#include "../ir/ir_module.h"
#include "compiler/analysis/divergence_check.h"
#include "compiler/passes/passes.h"

namespace manyrt::compiler::analysis {
namespace {

using ir::Instruction;

constexpr int64_t kMost = int64_t{1} << 31;

// The statement that does not hold for kernel k(out, in, n) in 2 x 2 groups of 8 x 4 items; `said`: of the other dimension than
// the run is looked at along.
std::string wrongOf(const std::string& source, bool with_passes, uint32_t dimension, uint32_t said) {
  ir::FromSource made(source);
  EXPECT_TRUE(made.built) << made.why;
  std::string why;
  if (with_passes) {
    EXPECT_TRUE(passes::run(&made.module, "all", &why)) << why;
  }
  const ir::Function& kernel = *made.module.find("k");
  const Divergence divergence(kernel, said, kMost);
  DivergenceCheck check(kernel, divergence, dimension);
  std::vector<uint32_t> words(4096);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i * 2654435761u >> (i % 5 == 0 ? 3 : 27);
  ir::Run run;
  run.group_count[0] = run.group_count[1] = 2;
  run.group_size[0] = 8, run.group_size[1] = 4;
  run.arguments = {ir::buffer(std::vector<uint32_t>(4096)), ir::buffer(words), ir::value(11)};
  run.observer = &check;
  run.steps = 1 << 22;
  EXPECT_TRUE(ir::interpret(&run, made.module, kernel, &why)) << why << source;
  EXPECT_GT(check.compared(), 100u);
  return check.wrong();
}

std::string kernel(const std::string& body) {
  return "kernel void k(global uint* out, global const uint* in, uint n) {\n" + body + "\n}";
}

void expectRight(const std::string& source) {
  for (const bool with_passes : {false, true}) {
    for (const uint32_t dimension : {0u, 1u}) EXPECT_EQ(wrongOf(source, with_passes, dimension, dimension), "") << source;
  }
}

TEST(IrDivergenceTest, WhatIsSaidOfValuesHolds) {
  const std::string id = "uint x = get_global_id(0), y = get_global_id(1), i = y * 16 + x;";
  for (const char* body : {
           "out[i] = in[i] + n;",
           "for (uint k = 0; k < n; ++k) out[i] += in[k] * x;",
           "uint s = 0; for (uint k = 0; k < x; ++k) s += in[k]; out[i] = s;",  // left in different turns
           "uint k = 0; while (k < n) { if (in[i + k] > 9) break; ++k; } out[i] = k;",
           "uint k = 0; while (k < n) { if (in[k] > 900) break; ++k; } out[i] = k;",  // all leave together
           "uint s = 1; for (uint k = 0; k < n; ++k) { if (in[i] & 1) continue; s += k; } out[i] = s;",
           "uint s = 1, t = 0; for (uint k = 0; k < n; ++k) { if (x & 1) { t = 5; continue; } t = 5; s += k; } out[i] = s + t;",
           "uint s = n; if (x > 3) s = 7; out[i] = s;",
           "uint s = n; if (n > 3) s = 7; out[i] = s;",
           "uint s; if (x > 3) s = x + 1; else s = x + 2; out[i] = s;",
           "uint s; if (n > 3) s = x + 1; else s = x + 2; out[i] = s;",
           "switch (x & 3) { case 0: out[i] = 1; case 1: out[i] += n; break; default: out[i] = y; }",
           "uint s = 3; switch (n & 3) { case 0: s = x; case 3: s += n; break; default: s = y; } out[i] = s;",
           "if (x == 3) return; uint s = 0; for (uint k = 0; k < 5; ++k) s += k; out[i] = s;",
           "uint s = 0; for (uint k = 0; k < 9; ++k) { if (k == x) return; s += k; out[i] = s; }",
           "uint w = x - 1; if (w < 4) out[i] = in[w];",  // wraps at its end
           "long w = (int)x - 5; out[i] = (uint)(w * 3 >> 1);",
           "ulong w = x * 0x20000000u; out[i] = (uint)(w >> 5);",  // wraps in 32 bits
           "uchar c = (uchar)(x * 100); out[i] = c; short d = (short)(x * 9000); out[i] += d;",
           "global const uint* p = in + x; for (uint k = 0; k < 3; ++k) out[i] += *p++;",
           "global const uint* p = x > 2 ? in : in + 4; out[i] = p[0];",
           "global const uint* p = in + n * 4; out[i] = p[y];",
           "local uint t[32]; uint l = get_local_id(1) * 8 + get_local_id(0); t[l] = x; barrier(CLK_LOCAL_MEM_FENCE); out[i] = "
           "t[31 - l];",
           "uint own[4] = {x, y, n, 3}; out[i] = own[n & 3] + own[x & 3];",
           "uint own[2] = {n, n}; own[0] += 1; out[i] = own[0];",
           "uint4 v = (uint4)(x, y, n, 1); v.xy += v.zw; out[i] = v.x + v.y;",
           "out[i] = (uint)get_local_size(0) + (uint)get_group_id(0) + (uint)get_local_linear_id();",
           "uint d = n & 1; out[i] = get_global_id(d) + get_local_id(n & 3);",
           "out[i] = ((x & 1) ? in : out + 2000)[n];",
           "uint k = 0; do { k += 2; if (k > x) { out[i] = k; break; } } while (k < 20); out[i] += k;",
           // Some have gone on before the others leave.
           "uint k = 0; for (; k < 9; ++k) { if (x & 1) continue; if (n & 1) break; } out[i] = k;",
           "uint k = 0; for (; k < 9; ++k) { switch (x & 1) { case 0: continue; } if (n & 1) break; } out[i] = k;",
           "uint k = 0; for (; k < 9; ++k) { switch (n & 1) { case 1: if (x & 1) break; if (n > 3) goto end; } } end: out[i] = "
           "k;",
           "uint k = 0; again: ++k; if (k < x) goto again; out[i] = k; if (n < 3) goto again;",
           "uint k = 0; if (x & 1) goto inside; for (; k < 5; ++k) { inside: out[i] += k; if (n == k) break; } out[i] += k * "
           "5;",
           "for (uint k = 0; k < 4; ++k) { uint m = 0; while (m < (x & 3)) ++m; out[i] += m + k; }",
           "uint a = x, b = n; for (uint k = 0; k < 3; ++k) { uint t = a; a = b; b = t; } out[i] = a + b;",
           "out[i] = (uint)(&out[x] - &out[0]) + (uint)((ulong)(in + x) & 15);",
       }) {
    expectRight(kernel(id + body));
  }
}

TEST(IrDivergenceTest, WhatDoesNotHoldIsSeen) {
  const std::string source = kernel("uint x = get_global_id(0), y = get_global_id(1); out[y * 16 + x] = x;");
  EXPECT_NE(wrongOf(source, true, 0, 1).find("apart along dimension 0 it is said"), std::string::npos);
  EXPECT_NE(wrongOf(source, true, 1, 0), "");
}

TEST(IrDivergenceTest, HelpersAndTheirArgumentsMayDiffer) {
  expectRight("uint twice(uint a) { return a * 2; }" +
              kernel("uint x = get_global_id(0); out[get_global_id(1) * 16 + x] = twice(n) + twice(x);"));
}

Pace paceOfStored(const std::string& body, uint32_t dimension = 0) {
  ir::FromSource made("kernel void k(global long* out, global const uint* in, uint n) {\n" + body + "\n}");
  std::string why;
  EXPECT_TRUE(passes::run(&made.module, "all", &why)) << why;
  const ir::Function& kernel = *made.module.find("k");
  const Divergence divergence(kernel, dimension, kMost);
  Pace last;
  ir::forEach(*kernel.body, [&](const Instruction& i) {
    if (i.op == ir::Opcode::kStore) last = divergence.of(*i.operands[0]);
  });
  return last;
}

TEST(IrDivergenceTest, StridesFollowSumsProductsAndConversionsThatFit) {
  const std::string id = "int x = get_global_id(0), y = get_global_id(1); ";
  EXPECT_EQ(paceOfStored(id + "out[0] = (long)x * 12 + y;").stride, 12);
  EXPECT_EQ(paceOfStored(id + "out[0] = (long)x * 12 + y;", 1).stride, 1);
  EXPECT_EQ(paceOfStored(id + "out[0] = (long)(uint)x << 3;").stride, 8);
  EXPECT_TRUE(paceOfStored(id + "out[0] = (uint)x * 12;").isVarying()) << "it may wrap before it is made wider";
  EXPECT_TRUE(paceOfStored(id + "out[0] = (uint)x - 1;").isVarying());
  EXPECT_EQ(paceOfStored(id + "out[0] = (uint)(x + 1);").stride, 1) << "an id is below 2^31";
  EXPECT_TRUE(paceOfStored(id + "out[0] = in[n];").isUniform());
  EXPECT_TRUE(paceOfStored(id + "out[0] = in[x];").isVarying());
  EXPECT_EQ(paceOfStored("long s = 0; for (uint k = 0; k < n; ++k) s += 2; out[0] = s + (long)get_local_id(0);").stride, 1);
}

TEST(DivergenceTest, WhatItHasNotSeenIsVarying) {
  ir::FromSource made("kernel void k(global uint* out, uint n) { out[0] = n; }");
  ir::FromSource other("kernel void k(global uint* out, uint n) { out[0] = n; }");
  const Divergence divergence(*made.module.find("k"), 0, kMost);
  EXPECT_TRUE(divergence.of(*made.module.find("k")->body->parameters[1]).isUniform());
  EXPECT_TRUE(divergence.of(*other.module.find("k")->body->parameters[1]).isVarying());
}

}  // namespace
}  // namespace manyrt::compiler::analysis
