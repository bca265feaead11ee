// Kernels interpreted: values against those that C++ computes here, and what a run refuses.
#include "compiler/ir/interpret.h"

#include <algorithm>

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

// The last sub-group has four items; the others' values are not seen.
TEST(IrInterpretTest, ItemsOfASubGroupExchangeValues) {
  const auto out = good(R"(kernel void k(global uint* out, uint n) {
    const uint l = get_local_id(0), x = l * l + 1;
    out += l * 20;
    out[0] = get_sub_group_id() * 1000 + get_sub_group_local_id() * 10 + get_sub_group_size();
    out[1] = sub_group_reduce_add(x);
    out[2] = sub_group_reduce_min((int)x - 3);
    out[3] = sub_group_reduce_max((int)x - 300);
    out[4] = sub_group_scan_inclusive_add(x);
    out[5] = sub_group_scan_exclusive_max(x);
    out[6] = sub_group_broadcast(x, 2);
    out[7] = sub_group_shuffle(x, get_sub_group_size() - 1 - get_sub_group_local_id());
    out[8] = sub_group_shuffle_xor(x, 1);
    out[9] = sub_group_any(l == n);
    out[10] = sub_group_all(l < n + 12);
    const uint4 votes = sub_group_ballot(l % 3 == 0);
    out[11] = votes.x;
    out[12] = sub_group_inverse_ballot(votes);
    out[13] = sub_group_ballot_bit_extract(votes, 3);
    if (l == 17) return;
    out[14] = as_uint(sub_group_reduce_add((float)x));
    out[15] = (uint)(sub_group_reduce_max((ulong)x << 33) >> 33);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[16] = sub_group_broadcast_first(x);
    out[17] = get_num_sub_groups();
  })",
                        20, 400, 7);
  for (uint32_t l = 0; l < 20; ++l) {
    const uint32_t first = l / 16 * 16, end = first == 0 ? 16 : 20, own = l - first;
    const auto x = [](uint32_t item) { return item * item + 1; };
    uint32_t sum = 0, before = 0, votes = 0;
    float sum_of_floats = 0;
    for (uint32_t k = first; k < end; ++k) {
      sum += x(k);
      if (k < l) before += x(k);
      if (k % 3 == 0) votes |= 1u << (k - first);
      if (k != 17) sum_of_floats += static_cast<float>(x(k));
    }
    uint32_t bits;
    std::memcpy(&bits, &sum_of_floats, sizeof bits);
    std::vector<uint32_t> wanted = {first / 16 * 1000 + own * 10 + (end - first),
                                    sum,
                                    x(first) - 3,
                                    x(end - 1) - 300,
                                    before + x(l),
                                    l == first ? 0 : x(l - 1),
                                    x(first + 2),
                                    x(first + end - 1 - l),
                                    x(l ^ 1),
                                    first == 0 ? 1u : 0u,
                                    first == 0 ? 1u : 0u,
                                    votes,
                                    l % 3 == 0 ? 1u : 0u,
                                    votes >> 3 & 1,
                                    bits,
                                    x(end - 1),
                                    x(first),
                                    2};
    if (l == 17) std::fill(wanted.begin() + 14, wanted.end(), 0u);
    EXPECT_EQ(std::vector<uint32_t>(out.begin() + l * 20, out.begin() + l * 20 + 18), wanted) << l;
  }
}

TEST(IrInterpretTest, ItemsOfASubGroupThatWaitElsewhereAreRefused) {
  expectRefusal("if (get_local_id(0) < 2) out[0] = sub_group_reduce_add(n); else out[0] = sub_group_reduce_max(n);",
                "items of a sub-group come to different functions of it");
  expectRefusal("if (get_local_id(0) < 2) out[0] = sub_group_reduce_add(n); else barrier(CLK_LOCAL_MEM_FENCE);",
                "items of a sub-group wait for one that waits elsewhere");
}

}  // namespace
}  // namespace manyrt::compiler::ir
