// Gotos, and cases inside of inner statements: blocks of the IR beside the same text as C++, before and after the passes.
#include "compiler/passes/passes.h"
#include "ir_module.h"

namespace manyrt::compiler::ir {
namespace {

using uint = uint32_t;
using Body = void (*)(uint* out, uint n, uint g);

constexpr uint kItems = 12, kWords = 8;  // items, and what each of them has of `out`

struct Case {
  const char* name;
  const char* text;
  Body body;
};
#define CASE(name, ...)                                                                                 \
  {                                                                                                     \
    name, #__VA_ARGS__, [](uint* out, [[maybe_unused]] uint n, [[maybe_unused]] uint g) { __VA_ARGS__ } \
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

const Case kCases[] = {
    CASE("a loop by goto", uint i = 0; again: out[i & 3] += i * 3; if (++i < n) goto again; out[4] = i + g;),
    CASE("out of loops", for (uint i = 0; i < n; ++i) for (uint j = 0; j < n; ++j) {
      out[i & 7] += j;
      if (i * j > g + 20) goto done;
    } out[0] = 77;
         done: out[1] += 1000;),
    CASE("Duff's device", uint c = g + n; uint k = 0; uint m = (c + 3) / 4; switch (c & 3) {
      case 0:
        do {
          out[k++ & 7] += 1;
          case 3: out[k++ & 7] += 10;
          case 2: out[k++ & 7] += 100;
          case 1: out[k++ & 7] += 1000;
        } while (--m > 0);
    } out[2] ^= k;),
    CASE("into a loop", uint i = 3; if (g & 1) goto in; while (i < 10) {
      out[0] += i;
      in: out[1] += 100;
      if (i == 7) { ++i; continue; }
      if (i == 9) break;
      i++;
    } out[2] = i;),
    CASE("into a for", uint i = 5; if (g > 4) goto in; for (i = 0; i < n; ++i) {
      if (i == 2) continue;
      in: out[i & 7] += 1;
      if (i == g) break;
    } out[7] = i;),
    CASE("from one side of an if to the other", uint t = 0; if (g & 1) {
      out[0]++;
      a: out[1] += t;
      if (++t < 3) goto b;
    } else {
      out[2]++;
      b: out[3] += t;
      if (++t < 4) goto a;
    } out[4] = t;),
    CASE("irreducible", uint f = 20; if (g & 1) goto b; a: out[0] += f; if (f-- == 0) goto end; if (f & 2) goto c;
         b: out[1] += f; if (f-- == 0) goto end; if (f % 3 == 1) goto a; c: out[2] += f; if (f-- == 0) goto end;
         if ((f ^ g) & 1) goto b; goto a; end: out[3] = f;),
    CASE("switches and loops between", uint i; for (i = 0; i < 20; ++i) {
      uint t = 0;
      again: t++;
      switch (t) {
        case 1: goto again;
        case 2:
          if (i & 1) goto again;
          break;
        case 3:
          out[3]++;
          for (uint z = 0; z < 5; ++z) {
            switch (z) {
              case 3:
                if (i > g) goto out_;
                goto again;
            }
          }
        default: goto next;
      }
      out[0]++;
      if (i == 15) break;
      continue;
      next: out[1]++;
    } out_: out[2] = i;),
    CASE("break and continue of a loop around", for (uint i = 0; i < n; ++i) {
      uint t = 0;
      again: out[0]++;
      if (t == 2 && i == 5) break;
      if (t == 3) continue;
      if (++t < 4 + (g & 1)) goto again;
      out[1] += i;
    }),
    CASE("break of a switch around", switch (g & 3) {
      case 0: out[0] = 1;
      case 1: {
        uint t = 0;
        again: out[1] += t;
        if (t == 3) break;
        for (uint k = 0; k < 2; ++k) {
          if (k == 1 && t < 5) { ++t; goto again; }
        }
        out[2] = 9;
      }
      default: out[3] = 4;
    }),
    CASE("cases between labels", switch (g) {
      case 1: one: case 2: out[0]++;
      if (out[0] < 3) goto one;
      { case 3: out[1]++; default: out[2]++; }
      if (g == 3) break;
      case 4: out[3] = n;
    }),
    CASE("the statement of a label", uint k = 0; here: {
      out[0]++;
      if (++k < 4) goto here;
    } out[1] = k; if (k < 9) there: while (k < 9) {
      ++k;
      if (k == 7) goto there;
    } out[2] = k;),
    CASE("labels in a row and at the end", goto b; a: b: c: out[0]++; if (out[0] == g) goto d; if (out[0] < 5) goto a; d: e:;),
    CASE("labels that nothing goes to", goto end; never: out[0] = 1; nor: while (n != 0) { or_: out[1] = 2; } end: out[2] = 3;),
    CASE("a return between", uint k = 0; again: if (k == g) return; out[k & 7]++; if (++k < 6) goto again; out[0] = 99;),
};
#pragma GCC diagnostic pop

std::vector<uint32_t> ran(Module& module, const char* name) {
  ir::Run run;
  run.group_count[0] = 3;
  run.group_size[0] = kItems / 3;
  run.arguments = {buffer(std::vector<uint32_t>(kItems * kWords)), value(7)};
  run.steps = 1 << 20;
  std::string why;
  EXPECT_TRUE(interpret(&run, module, *module.find("k"), &why)) << name << ": " << why;
  return words(run.arguments[0]);
}

TEST(IrBlocksTest, JumpsGoWhereTheyGoInC) {
  for (const Case& each : kCases) {
    std::vector<uint32_t> wanted(kItems * kWords);
    for (uint g = 0; g < kItems; ++g) each.body(wanted.data() + g * kWords, 7, g);
    const std::string source = "kernel void k(global uint* out, uint n) { const uint g = get_global_id(0); out += g * 8; " +
                               std::string(each.text) + " }";
    for (const uint32_t vector_bytes : {0u, 32u}) {
      FromSource made(source);
      ASSERT_TRUE(made.built) << each.name << ": " << made.why;
      EXPECT_EQ(ran(made.module, each.name), wanted) << each.name;
      made.module.vector_bytes = vector_bytes;
      made.module.lanes_along = 0;
      std::string why;
      ASSERT_TRUE(passes::run(&made.module, "all", &why)) << each.name << ": " << why;
      EXPECT_EQ(ran(made.module, each.name), wanted) << each.name << ", after passes, vectors of " << vector_bytes;
    }
  }
}

TEST(IrBlocksTest, WhatIsJumpedOverIsLeftAsItIs) {
  FromSource made(R"(kernel void k(global uint* out, uint n) {
    out += get_global_id(0) * 8;
    if (n > 3) goto after;
    uint own[4] = {1, 2, 3, 4};
    uint x = 5;
    after:
    own[n & 3] = n; x = own[n & 3] * 2;
    out[0] = x;
  })");
  ASSERT_TRUE(made.built) << made.why;
  EXPECT_EQ(ran(made.module, "declarations")[0], 14u);
}

// A jump that skips statements in one direction is no loop.
TEST(IrBlocksTest, ASkipIsARegionThatIsLeft) {
  const FromSource made("kernel void k(global uint* out, uint n) { if (n == 0) goto end; out[0] = n; end: out[1] = n; }");
  ASSERT_TRUE(made.built) << made.why;
  const std::string text = print(made.module);
  EXPECT_EQ(text.find("loop"), std::string::npos) << text;
  EXPECT_NE(text.find("leave"), std::string::npos) << text;
}

TEST(IrBlocksTest, StructuredStatementsStayAsTheyAre) {
  const FromSource made(
      "kernel void k(global uint* out, uint n) { unused: switch (n) { case 1: a: case 2: out[0] = 1; break; default: { b: "
      "out[1] = 2; } } }");
  ASSERT_TRUE(made.built) << made.why;
  const std::string text = print(made.module);
  EXPECT_EQ(text.find("loop"), std::string::npos) << text;
  EXPECT_EQ(text.find("slot 2"), std::string::npos) << text;
}

TEST(IrBlocksTest, BarriersBetweenLabelsAreMet) {
  for (const char* body :
       {"again: t[l] = l + k; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l + 1) % 4]; barrier(CLK_LOCAL_MEM_FENCE); "
        "if (++k < n) goto again;",
        "for (; k < n; ++k) { t[l] = l + k; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l + 1) % 4]; "
        "barrier(CLK_LOCAL_MEM_FENCE); if (k == 20) goto end; } end:;"}) {
    FromSource made("kernel void k(global uint* out, uint n) { local uint t[8]; uint l = get_local_id(0), k = 0, s = 0; " +
                    std::string(body) + " out[get_global_id(0) * 8] = s; }");
    ASSERT_TRUE(made.built) << made.why;
    std::vector<uint32_t> wanted(kItems * kWords);
    for (uint g = 0; g < kItems; ++g) wanted[g * kWords] = 7 * ((g % 4 + 1) % 4) + 21;
    EXPECT_EQ(ran(made.module, body), wanted);
    std::string why;
    ASSERT_TRUE(passes::run(&made.module, "all", &why)) << why;
    EXPECT_EQ(ran(made.module, body), wanted);
  }
}

TEST(IrBlocksTest, AJumpWithoutAnEndIsGivenUp) {
  const FromSource made("kernel void k(global uint* out, uint n) { again: goto again; }");
  ASSERT_TRUE(made.built) << made.why;
  ir::Run run;
  run.arguments = {buffer({0}), value(7)};
  run.steps = 1000;
  std::string why;
  EXPECT_FALSE(interpret(&run, made.module, *made.module.find("k"), &why));
  EXPECT_NE(why.find("more instructions than a run may have"), std::string::npos) << why;
}

// Each label jumps to the next but six, with variables that all of them change.
TEST(IrBlocksTest, ThousandsOfLabelsTakeBoundedTime) {
  constexpr uint32_t kLabels = 1500;
  std::string body = "uint a = 0, b = 1, c = 2, d = 3;";
  for (uint32_t i = 0; i < kLabels; ++i) {
    const auto name = [](uint32_t number) { return "l" + std::to_string(number); };
    body += name(i) + ": a += b; b ^= c; c += d; d = a * " + std::to_string(i) + "; if (a & 1) goto " +
            name((i + 7) % kLabels) + "; if (++out[1] > 20000) goto end; if (d & 1) goto " + name(i * 31 % kLabels) + ";";
  }
  FromSource made("kernel void k(global uint* out, uint n) { out += get_global_id(0) * 8; " + body + " end: out[0] = a; }");
  ASSERT_TRUE(made.built) << made.why;
  std::string why;
  made.module.vector_bytes = 32;
  ASSERT_TRUE(passes::run(&made.module, "all", &why)) << why;
}

}  // namespace
}  // namespace manyrt::compiler::ir
