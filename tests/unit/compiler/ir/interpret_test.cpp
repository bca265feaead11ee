// Kernels interpreted: values against those that C++ computes here, and what a run refuses.
#include "compiler/ir/interpret.h"

#include "ir_module.h"

namespace manyrt::compiler::ir {
namespace {

// The words of `out` after a launch of kernel k(out, n) of one group of `items`.
std::vector<uint32_t> ran(const std::string& source, uint32_t items, size_t words_out, uint32_t n, std::string* why) {
  const FromSource made(source);
  EXPECT_TRUE(made.built) << made.why;
  if (!made.built) return {};
  Run run;
  run.group_size[0] = items;
  run.arguments = {buffer(std::vector<uint32_t>(words_out)), value(n)};
  run.steps = 1 << 20;
  interpret(&run, made.module, *made.module.find("k"), why);
  return words(run.arguments[0]);
}

std::vector<uint32_t> good(const std::string& source, uint32_t items, size_t words_out, uint32_t n) {
  std::string why;
  const std::vector<uint32_t> result = ran(source, items, words_out, n, &why);
  EXPECT_EQ(why, "");
  return result;
}

void expectRefusal(const std::string& body, const std::string& sentence) {
  std::string why;
  ran("kernel void k(global uint* out, uint n) { " + body + " }", 4, 4, 7, &why);
  EXPECT_NE(why.find(sentence), std::string::npos) << body << "\n" << why;
}

TEST(IrInterpretTest, ItemsMeetAtBarriers) {
  const auto out = good(R"(kernel void k(global uint* out, uint n) {
    local uint values[8];
    const uint l = get_local_id(0);
    uint sum = 0;
    for (uint round = 0; round < n; ++round) {
      values[l] = l * 10 + round;
      barrier(CLK_LOCAL_MEM_FENCE);
      sum += values[(l + 1) % 8];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = sum;
  })",
                        8, 8, 3);
  for (uint32_t l = 0; l < 8; ++l) EXPECT_EQ(out[l], 3 * ((l + 1) % 8 * 10) + 3);
}

TEST(IrInterpretTest, SwitchesFallThroughAndLoopsAreLeft) {
  const auto out = good(R"(kernel void k(global uint* out, uint n) {
    uint g = get_global_id(0), r = 0;
    for (uint i = 0;; i++) {
      switch (g) {
        case 0: r += 1; break;
        case 1: r += 10;
        case 2: r += 100; continue;
        default: r += 1000;
      }
      if (i == n) break;
      if (g == 3 && r > 1500) { r = 7; break; }
    }
    out[g] = r;
  })",
                        1, 4, 5);
  EXPECT_EQ(out[0], 6u);
  std::string why;
  ran("kernel void k(global uint* out, uint n) { for (;;) { switch (n) { case 7: continue; } break; } }", 1, 1, 7, &why);
  EXPECT_NE(why.find("more instructions than a run may have"), std::string::npos) << why;
}

TEST(IrInterpretTest, NumbersWrapShiftAndDivideAsTheLanguageSays) {
  const auto out = good(R"(kernel void k(global uint* out, uint n) {
    char c = 100; c += 100;
    short s = -3; s >>= 1;
    uint zero = n - 7;
    int low = -2147483647 - 1;
    long l = 5; l *= 0.5f;
    uchar u = 200;
    out[0] = c; out[1] = s; out[2] = n / zero; out[3] = low / (int)(zero - 1); out[4] = low % (int)(zero - 1);
    out[5] = 1u << (n + 30); out[6] = (uint)l; out[7] = (char)u < 0; out[8] = n % zero; out[9] = 2.0f * 3.0f + (float)zero;
  })",
                        1, 10, 7);
  EXPECT_EQ(out, (std::vector<uint32_t>{0xffffffc8u, 0xfffffffeu, 7, 0x80000000u, 0, 1u << 5, 2, 1, 0, 6}));
}

TEST(IrInterpretTest, ObjectsAreBytes) {
  const auto out = good(R"(
    typedef struct { uchar a; uint b; struct { ushort x[2]; } c; } record;
    record turned(record r) { r.b = r.b << 8 | r.a; r.c.x[1] = 9; return r; }
    kernel void k(global uint* out, uint n) {
      record r = {1, n, {{2, 3}}}, other = turned(r);
      uint words[2] = {0x01020304u, 0};
      ((uchar*)words)[5] = 0x55;
      uint4 v = (uint4)(1, 2, 3, 4);
      v.wx = v.yz;
      out[0] = r.b; out[1] = other.b; out[2] = other.c.x[0] * 10 + other.c.x[1]; out[3] = words[1];
      out[4] = ((uchar*)words)[1]; out[5] = v.x * 1000 + v.y * 100 + v.z * 10 + v.w; out[6] = sizeof(record);
      uint* p = words; out[7] = *p++ + *p; out[8] = (uint)(p - words);
  })",
                        1, 9, 7);
  EXPECT_EQ(out, (std::vector<uint32_t>{7, 7 << 8 | 1, 29, 0x5500, 3, 3232, 12, 0x01020304u + 0x5500, 1}));
}

TEST(IrInterpretTest, WhatIsOutsideOfAnObjectIsRefused) {
  expectRefusal("out[n] = 1;", "a store outside of an object");
  expectRefusal("out[0] = out[-1];", "a load from outside of an object");
  expectRefusal("uint own[3]; own[n] = 1; out[0] = own[0];", "a store outside of an object");
  expectRefusal("*(global uint*)0 = 1;", "a store outside of an object");
  expectRefusal("uint* p = 0; { uint x = 1; p = &x; } p[1] = 2;", "a store outside of an object");
}

TEST(IrInterpretTest, ItemsThatWaitAtDifferentBarriersAreRefused) {
  expectRefusal("if (get_local_id(0) < 2) barrier(CLK_LOCAL_MEM_FENCE); else barrier(CLK_GLOBAL_MEM_FENCE);",
                "items of a group wait at different barriers");
}

TEST(IrInterpretTest, AnAddressOfACallThatIsOverIsRefused) {
  std::string why;
  ran("uint* own(uint x) { uint y = x; uint* p = &y; return p; } kernel void k(global uint* out, uint n) { out[0] = *own(n); }",
      1, 1, 7, &why);
  EXPECT_NE(why.find("a load from outside of an object"), std::string::npos) << why;
}

TEST(IrInterpretTest, OperandsThatAnOperationHasNoResultForAreRefused) {
  for (const char* operation : {"%3: i32 = sdiv %0 %2", "%3: i32 = urem %0 %2", "%3: i32 = shl %0 %1"}) {
    const FromText made(
        "function \"k\" -> void kernel [0 0 0] {\n  parameter %0: i32 \"n\" bytes 0\n  %1: i32 = constant [32]\n"
        "  %2: i32 = constant [0]\n  " +
        std::string(operation) + "\n  return\n}\n");
    ASSERT_TRUE(made.is_read) << made.why;
    ir::Run run;
    run.arguments = {value(5)};
    std::string why;
    EXPECT_FALSE(interpret(&run, made.module, *made.module.find("k"), &why));
    EXPECT_NE(why.find("an operand out of range"), std::string::npos) << why;
  }
}

TEST(IrInterpretTest, FormsThatTheIrHasNoRoomForAreNamed) {
  const FromSource jump("kernel void k(global uint* out, uint n) { again: if (out[0]++ < n) goto again; }");
  EXPECT_FALSE(jump.built);
  EXPECT_NE(jump.why.find("line 1: a function with goto"), std::string::npos) << jump.why;
  const FromSource label(
      "kernel void k(global uint* out, uint n) { switch (n) { case 1: if (out[0]) { case 2: out[1] = 2; } } }");
  EXPECT_FALSE(label.built);
  EXPECT_NE(label.why.find("a label of a switch inside of another statement"), std::string::npos) << label.why;
}

}  // namespace
}  // namespace manyrt::compiler::ir
