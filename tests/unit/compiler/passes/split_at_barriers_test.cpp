// Kernels with barriers, run item by item and as kernels for groups: the same words, also where some items have ended.
#include "compiler/passes/split_at_barriers.h"

#include <algorithm>

#include "../ir/ir_module.h"
#include "compiler/passes/passes.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Opcode;

size_t countOf(const ir::Module& module, Opcode op) {
  size_t count = 0;
  ir::forEach(*module.find("k")->body, [&](const ir::Instruction& i) { count += i.op == op ? 1 : 0; });
  return count;
}

std::vector<uint32_t> result(const ir::Module& module, uint32_t width, uint32_t height, const std::vector<uint8_t>& record) {
  ir::Run run;
  run.group_count[0] = 2;
  run.group_size[0] = width;
  run.group_size[1] = height;
  run.steps = 1 << 20;
  run.arguments = {ir::buffer(std::vector<uint32_t>(256)), ir::value(5)};
  if (!record.empty()) {
    run.arguments.emplace_back();
    run.arguments.back().bytes = record;
  }
  std::string why;
  EXPECT_TRUE(ir::interpret(&run, module, *module.find("k"), &why)) << why << "\n" << ir::print(module);
  return ir::words(run.arguments[0]);
}

constexpr char kHead[] =
    "uint sum(uint v, local uint* t, uint l, uint all) { uint own[2]; t[l] = v; own[l & 1] = v; barrier(1); for (uint i = 0; i "
    "< all; i++) "
    "{ if (i == l) continue; v += t[i] * (i + 1); } barrier(1); own[1 - (l & 1)] = 3; return v + own[0] * own[1]; } "
    "uint2 both(uint v, local uint* t, uint l, uint all) { const uint a = sum(v, t, l, all); return (uint2)(a, sum(a + 1, t, "
    "l, all)); } "
    "kernel void k(global uint* out, uint n) { local uint t[64]; const uint l = get_local_linear_id(), g = get_group_id(0), "
    "all = get_local_size(0) * get_local_size(1); uint s = l; ";

// The text after kHead, up to the kernel's end; t has all items' numbers.
const char* const kBodies[] = {
    // Values that live on, some of them cheap to compute again.
    "t[l] = l * 3; const uint far = l / 3 + n; float f = l * 0.5f; barrier(1); s += t[all - 1 - l] + far + (uint)f;",
    // A loop, its counter, and what it carries.
    "for (uint i = 0; i < n; i++) { t[l] = s + i; barrier(1); s += t[(l + 1) % all] * (i + 1); barrier(1); }",
    // Leaving a loop, and going on in it.
    "for (uint i = 0;; ++i) { if (i == n) break; if (i == 2) continue; t[l] = s; barrier(1); s = s * 3 + t[(l + i) % all]; "
    "barrier(1); }",
    "uint i = 0; do { t[l] = s ^ i; barrier(1); s += t[(l + 1) % all]; barrier(1); } while (++i < n); s += i;",
    // A condition and a value from it.
    "bool odd = (l & 1) != 0; uint v = 7; if (n > 3) { t[l] = s; barrier(1); v = t[(l + 2) % all]; } else { v = l; } s += v + "
    "odd;",
    "if (g == 1) { t[l] = s + 1; barrier(1); s = t[(l + 1) % all]; } barrier(1); t[l] = s; barrier(1); s += t[0];",
    // A switch.
    "switch (n + g) { case 5: t[l] = 1; barrier(1); s += t[0]; case 6: s += 9; break; default: s = 0; } barrier(1); t[l] = s; "
    "barrier(1); "
    "s += t[all - 1];",
    // Private arrays, and pointers to what is private.
    "uint own[4]; for (uint i = 0; i < 4; i++) own[i] = l + i; uint* p = own + (l & 3); t[l] = *p; barrier(1); own[1] += t[(l "
    "+ 1) % all]; "
    "*p += 2; barrier(1); s = own[0] + own[1] * 10 + own[2] * 100 + *p * 1000;",
    // One item's slot within a loop of the group, never stored at first.
    "uint kept; for (uint i = 0; i < n; i++) { if (i == 0) kept = l * 7; t[l] = kept; barrier(1); s += t[(l + 1) % all] + "
    "kept; barrier(1); }",
    // Vectors, and what is computed of them after a barrier.
    "uint4 v = (uint4)(l, l + 1, n, 3); int4 less = v < (uint4)(3); t[l] = v.y; barrier(1); s += v.x + v.z * t[0] + "
    "(uint)less.x + less.w;",
    // Items that have ended are past all barriers.
    "if (l == 2) { out[200] = 1; return; } t[l] = l; barrier(1); s += t[(l + 1) % all];",
    "if (l % 3 == 1) return; for (uint i = 0; i < n; i++) { t[l] = i + l; barrier(1); if (i == l) { out[100 + l] = s; return; "
    "} s += t[l] * 2; }",
    // All of them.
    "if (g == 1) return; t[l] = 1; barrier(1); s += t[all - 1];",
    // A value that all items have alike: loaded in one part, computed with in others, decided by.
    "t[l] = l * 5 + 1; barrier(1); const uint m = t[0] + t[all - 1], mid = m / 2 + n; if (m & 1) s += mid; barrier(1); "
    "for (uint i = mid; i > 0; i >>= 1) { const uint a = t[(l + i) % all]; barrier(1); if (l < i) t[l] += a; barrier(1); "
    "s += t[0] * i + mid; barrier(1); } s += m;",
    // The same, of which one counter is each item's own.
    "uint j = l; for (uint i = 1; i < all * 2; i <<= 1, j += i) { t[l] = j; barrier(1); const uint b = i * 3 + n; s += t[(j + "
    "i) % all] "
    "* b; barrier(1); s ^= b; } s += j;",
    // Computed again in a part of what another part has computed again.
    "const uint a = l * 3, b = a + n; t[l] = s; barrier(1); const uint c = b ^ 5; s += t[(l + 1) % all] + c; barrier(1); t[l] "
    "= c + a; "
    "barrier(1); s += c * 7 + t[(l + 2) % all];",
    // Helpers that wait, one in the other, twice and in a loop.
    "s = sum(s, t, l, all); for (uint i = 0; i < 2; i++) { const uint2 r = both(s + i, t, l, all); s ^= r.x * 3 + r.y; }",
    // Loops in loops.
    "for (uint i = 0; i < 3; i++) { for (uint j = 0; j <= i; j++) { if (j == 2) break; t[l] = s; barrier(1); s += t[(l + j + "
    "1) % all]; "
    "barrier(1); } s ^= i; }",
    "barrier(1); barrier(1); for (uint i = 0; i < l; i++) s += i; barrier(1);",
};

TEST(IrSplitAtBarriersTest, GroupsGiveTheSameAsItems) {
  for (const char* body : kBodies) {
    const std::string source = std::string(kHead) + body + " out[g * 64 + l] = s + 1; }";
    for (const bool all : {false, true}) {
      ir::FromSource made(source);
      ASSERT_TRUE(made.built) << made.why;
      for (const auto& [width, height] : {std::pair<uint32_t, uint32_t>{4, 1}, {1, 1}, {5, 3}}) {
        ir::FromSource split(source);
        std::string why;
        if (!all) {
          ASSERT_TRUE(run(&split.module, "inline_calls", &why)) << why << "\n" << source;
        }
        ASSERT_TRUE(run(&split.module, all ? "all" : "split_at_barriers", &why)) << why << "\n" << source;
        if (all) {  // without the passes before, counters are in memory, and not known to be uniform
          EXPECT_EQ(countOf(split.module, Opcode::kBarrier), 0U) << source;
          EXPECT_GE(countOf(split.module, Opcode::kItems), 1U) << source;
        }
        EXPECT_EQ(result(split.module, width, height, {}), result(made.module, width, height, {})) << source << "\n"
                                                                                                   << ir::print(split.module);
        const std::string text = ir::print(split.module);
        const ir::FromText again(text);
        ASSERT_TRUE(again.is_read) << again.why;
        EXPECT_EQ(ir::print(again.module), text);
      }
    }
  }
}

TEST(IrSplitAtBarriersTest, ARecordIsEachItemsOwn) {
  const std::string source =
      "typedef struct { uint a[3]; uint b; } record; kernel void k(global uint* out, uint n, record r) { local uint t[64]; "
      "const uint l = get_local_id(0), g = get_group_id(0); r.a[l % 3] += l; t[l] = r.b; barrier(1); r.b = t[0] + r.a[1]; "
      "barrier(1); "
      "out[g * 64 + l] = r.a[0] + r.a[1] * 10 + r.a[2] * 100 + r.b * 1000; }";
  ir::FromSource made(source), split(source);
  std::string why;
  ASSERT_TRUE(run(&split.module, "all", &why)) << why;
  const std::vector<uint8_t> record = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
  EXPECT_EQ(result(split.module, 4, 1, record), result(made.module, 4, 1, record)) << ir::print(split.module);
}

// Each item has room for what is costly to compute again, and nothing else.
TEST(IrSplitAtBarriersTest, CheapValuesAreComputedAgain) {
  ir::FromSource made(
      "kernel void k(global uint* out, uint n) { const uint l = get_local_id(0), next = l + 1; const uint kept = out[l]; "
      "barrier(1); out[next] = kept; }");
  std::string why;
  ASSERT_TRUE(run(&made.module, "all", &why)) << why;
  const auto& slots = made.module.find("k")->slots;
  EXPECT_EQ(slots.size(), 1U) << ir::print(made.module);
  EXPECT_TRUE(
      std::all_of(slots.begin(), slots.end(), [](const ir::Object* slot) { return slot->per_item && slot->size == 4; }));
}

// After all passes: whether the kernel is one for groups, and the same words as of each item by itself.
void expectSplit(const char* body, bool is_split) {
  const std::string source = std::string(kHead) + body + " out[g * 64 + l] = s + 1; }";
  ir::FromSource made(source), split(source);
  std::string why;
  ASSERT_TRUE(made.built) << made.why;
  ASSERT_TRUE(run(&split.module, "all", &why)) << why << "\n" << source;
  EXPECT_EQ(countOf(split.module, Opcode::kBarrier) == 0, is_split) << source;
  EXPECT_EQ(result(split.module, 5, 1, {}), result(made.module, 5, 1, {})) << source;
}

// Items that go different ways where OpenCL lets them: the group's control may not take one for all.
TEST(IrSplitAtBarriersTest, WhereItemsMayNotAgreeTheKernelStays) {
  const char* const bodies[] = {
      "for (uint k = 0; k < 3; ++k) { t[l] = l + k; barrier(1); s += t[(l + 1) % all]; barrier(1); if (l & 1) continue; s += "
      "t[l] * 3; }",
      "uint k = 0; while (k++ < 3) { t[l] = l + k; barrier(1); s += t[(l + 1) % all]; barrier(1); if (l & 1) continue; s += 5; "
      "}",
      "for (uint k = 0; k < 3; ++k) { t[l] = l + k; barrier(1); s += t[(l + 1) % all]; barrier(1); if (k == 2 && (l & 1)) "
      "break; s += 7; }",
      "switch (n) { case 5: t[l] = l; barrier(1); s += t[0]; if (l & 1) break; s *= 3; break; default: s = 1; }",
      "switch (n) { case 5: t[l] = l; barrier(1); s += t[0]; if (l & 1) break; s *= 3; case 7: s += 2; }",
      "if (l == 0) { s += 3; if (n == 9) barrier(1); }",
      "if (l & 1) { s += 3; if (l < all) return; barrier(1); } s += 2;",
      "for (uint k = 0; k < (l & 1); ++k) { s += 3; if (l < all) return; barrier(1); } s += 2;",
      "switch (l) { case 1: s = 2; break; case 2: s = 9; break; case 70: barrier(1); }",
  };
  for (const char* body : bodies) expectSplit(body, false);
}

// A value that a region of the group carries may come from nowhere, or from what is in memory.
TEST(IrSplitAtBarriersTest, ControlThatIsNeverLeftOrAlwaysIsSplit) {
  const char* const bodies[] = {
      "uint u = n; do { t[l] = u; barrier(1); s += t[0]; u++; break; } while (u);",
      "for (uint k = 0; k < n; ++k) { if (k == 2) { t[l] = k; barrier(1); s += t[0]; continue; } else { break; } }",
      "for (uint k = 0; k < n; ++k) { t[l] = k; barrier(1); if (n > 2) { s += t[0]; break; } else { s = 3; break; } }",
      "for (uint k = 0; k < n; ++k) { t[l] = k; barrier(1); s += t[0]; barrier(1); if (k & 1) { s += 2; continue; } else { s "
      "*= 3; continue; } }",
      "uint c = n; switch (n & 3) { case 0: for (uint k = 0; k < 3; ++k) { t[l] = c; barrier(1); c = c * 2 + 1; s += t[0]; "
      "barrier(1); } break; "
      "case 1: c = l; } s += c;",
      "uint c = n; switch (g) { case 0: switch (n & 7) { case 5: t[l] = c; barrier(1); c += t[0]; case 2: c *= 3; } break; "
      "case 1: c = l; } s += c;",
  };
  for (const char* body : bodies) expectSplit(body, true);
}

// A chain of a hundred thousand values that all items have alike is no deep recursion.
TEST(IrSplitAtBarriersTest, LongChainsOfUniformValuesAreSplit) {
  std::string text =
      "function \"k\" -> void kernel [0 0 0] {\n  parameter %0: global* \"p\" bytes 0\n  parameter %1: i32 \"n\" bytes 0\n";
  constexpr int kValues = 100000;
  for (int i = 2; i < kValues; ++i) text += "  %" + std::to_string(i) + ": i32 = add %" + std::to_string(i - 1) + " %1\n";
  text += "  barrier\n  store %" + std::to_string(kValues - 1) + " %0 align 4\n  return\n}\n";
  ir::FromText made(text);
  ASSERT_TRUE(made.is_read) << made.why;
  std::string why;
  ASSERT_TRUE(run(&made.module, "split_at_barriers", &why)) << why;
  EXPECT_EQ(countOf(made.module, Opcode::kBarrier), 0U);
}

// A helper that returns in its middle is not taken in, and its kernel keeps its barriers.
TEST(IrSplitAtBarriersTest, KernelsWithSuchHelpersStay) {
  ir::FromSource made(
      "void wait(uint n) { if (n == 3) return; barrier(1); } void more(uint n) { wait(n); } "
      "kernel void k(global uint* out, uint n) { more(n); barrier(1); out[0] = n; }");
  std::string why;
  ASSERT_TRUE(run(&made.module, "inline_calls", &why)) << why;
  const std::string before = ir::print(made.module);
  splitAtBarriers(made.module);
  EXPECT_EQ(ir::print(made.module), before);
}

TEST(IrSplitAtBarriersTest, AKernelWithoutBarriersIsOnePart) {
  ir::FromSource made(
      "kernel void k(global uint* out, uint n) { uint own[2]; own[n & 1] = n; if (n == 9) return; out[get_global_id(0)] = "
      "own[1]; }");
  splitAtBarriers(made.module);
  const ir::Function& kernel = *made.module.find("k");
  EXPECT_TRUE(kernel.for_groups);
  ASSERT_EQ(kernel.body->body.size(), 2U);
  EXPECT_EQ(kernel.body->body[0]->op, Opcode::kItems);
  EXPECT_TRUE(std::none_of(kernel.slots.begin(), kernel.slots.end(), [](const ir::Object* slot) { return slot->per_item; }));
}

// A kernel that is called keeps a copy that is no kernel.
TEST(IrSplitAtBarriersTest, ACalledKernelHasACopy) {
  ir::FromSource made(
      "kernel void one(global uint* out, uint n) { out[get_global_id(0)] += n; } "
      "kernel void k(global uint* out, uint n) { one(out, n); one(out, 2); }");
  ir::FromSource split(
      "kernel void one(global uint* out, uint n) { out[get_global_id(0)] += n; } "
      "kernel void k(global uint* out, uint n) { one(out, n); one(out, 2); }");
  std::string why;
  ASSERT_TRUE(run(&split.module, "split_at_barriers", &why)) << why;
  EXPECT_EQ(split.module.functions.size(), 3U);
  EXPECT_EQ(result(split.module, 4, 1, {}), result(made.module, 4, 1, {}));
}

}  // namespace
}  // namespace manyrt::compiler::passes
