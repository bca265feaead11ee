// How kernels are split at their barriers, and where their variables are put.
#include "compiler/lowering/cpu/group_plan.h"

#include <optional>

#include "unit/compiler/lowering/lowered.h"

namespace manyrt::test {
namespace {

using namespace compiler;

size_t countNodes(const Node& node, NodeKind kind) {
  size_t count = node.kind == kind ? 1 : 0;
  for (const auto& child : node.children) count += countNodes(*child, kind);
  return count;
}

TEST(GroupPlanTest, WithoutBarriersThereIsOneRegion) {
  Lowered it("__kernel void f(__global int* a) { int i = get_global_id(0); if (i > 3) return; a[i] = i; }");
  ASSERT_NE(it.makePlan(), nullptr);
  EXPECT_EQ(countNodes(it.plan->root(), NodeKind::kRegion), 1u);
  EXPECT_FALSE(it.plan->hasMasks());
  EXPECT_TRUE(it.plan->variables().empty());
}

TEST(GroupPlanTest, ABarrierSeparatesRegions) {
  Lowered it(
      "__kernel void f(__global int* a, __local int* l) {\n"
      "  int i = get_local_id(0); l[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[i ^ 1]; }");
  ASSERT_NE(it.makePlan(), nullptr);
  EXPECT_EQ(countNodes(it.plan->root(), NodeKind::kRegion), 2u);
  EXPECT_EQ(it.storage("i"), Storage::kRecomputed);
}

TEST(GroupPlanTest, WhatIsReadFromMemoryAndCrossesLivesInAnArray) {
  Lowered it(
      "__kernel void f(__global int* a) {\n"
      "  int i = get_local_id(0); int x = a[i]; barrier(CLK_GLOBAL_MEM_FENCE); a[i + 1] = x; }");
  ASSERT_NE(it.makePlan(), nullptr);
  EXPECT_EQ(it.storage("x"), Storage::kArray);
}

TEST(GroupPlanTest, WritingThroughAPointerDoesNotChangeThePointer) {
  Lowered it("__kernel void f(__global int* a) { a[0] = 1; barrier(CLK_GLOBAL_MEM_FENCE); a[1] = 2; }");
  ASSERT_NE(it.makePlan(), nullptr);
  EXPECT_TRUE(it.plan->variables().empty()) << "the parameter stays a parameter";
}

TEST(GroupPlanTest, CountersOfLoopsWithBarriersAreUniform) {
  Lowered it(
      "__kernel void f(__global int* a, uint n) {\n"
      "  for (uint t = 0; t < n; ++t) { a[t] += 1; barrier(CLK_GLOBAL_MEM_FENCE); a[t + n] = 2; } }");
  ASSERT_NE(it.makePlan(), nullptr);
  EXPECT_EQ(it.storage("t"), Storage::kUniform);
  EXPECT_EQ(countNodes(it.plan->root(), NodeKind::kLoop), 1u);
}

TEST(GroupPlanTest, WhatDependsOnAnIdOrOnMemoryIsNotUniform) {
  Lowered it(
      "__kernel void f(__global int* a) {\n"
      "  int s = get_local_id(0); int r = a[0]; int u = 4;\n"
      "  while (u > 0) { a[s] += r; barrier(CLK_GLOBAL_MEM_FENCE); u -= 1; r += u; s += r; } }");
  ASSERT_NE(it.makePlan(), nullptr);
  EXPECT_EQ(it.storage("u"), Storage::kUniform);
  EXPECT_EQ(it.storage("r"), Storage::kArray);
  EXPECT_EQ(it.storage("s"), Storage::kArray);
}

TEST(GroupPlanTest, AVariableChangedUnderAConditionOfOneItemIsNotUniform) {
  Lowered it(
      "__kernel void f(__global int* a) {\n"
      "  int u = 1; if (get_local_id(0) == 2) u = 3; barrier(CLK_GLOBAL_MEM_FENCE); a[get_local_id(0)] = u; }");
  ASSERT_NE(it.makePlan(), nullptr);
  EXPECT_EQ(it.storage("u"), Storage::kArray);
}

TEST(GroupPlanTest, WhatAPointerMayReachBehindABarrierIsBound) {
  Lowered it(
      "__kernel void f(__global int* a) {\n"
      "  int x = a[0], v[2] = {1, 2}; int *p = &x, *q = v; barrier(CLK_GLOBAL_MEM_FENCE); a[1] = *p + *q; }");
  ASSERT_NE(it.makePlan(), nullptr);
  EXPECT_EQ(it.storage("x"), Storage::kInPlace);
  EXPECT_EQ(it.storage("v"), Storage::kInPlace);
}

TEST(GroupPlanTest, ArraysStructsAndWhatHasItsAddressTakenAreBound) {
  Lowered it(
      "typedef struct { int v; } S;\n"
      "__kernel void f(__global int* a) {\n"
      "  int i = get_local_id(0); int t[3]; S s; int x = a[i]; int* p = &x;\n"
      "  t[1] = i; s.v = 2; barrier(CLK_GLOBAL_MEM_FENCE); a[i] = t[1] + s.v + *p + x; }");
  ASSERT_NE(it.makePlan(), nullptr);
  EXPECT_EQ(it.storage("t"), Storage::kInPlace);
  EXPECT_EQ(it.storage("s"), Storage::kInPlace);
  EXPECT_EQ(it.storage("x"), Storage::kInPlace);
  EXPECT_EQ(it.storage("p"), Storage::kArray);
}

TEST(GroupPlanTest, AReturnBeforeABarrierBecomesAMask) {
  Lowered it(
      "__kernel void f(__global int* a, int n) {\n"
      "  int i = get_global_id(0); if (a[i] >= n) return; a[i] = 1; barrier(CLK_GLOBAL_MEM_FENCE); a[i] = 2; }");
  ASSERT_NE(it.makePlan(), nullptr);
  EXPECT_EQ(countNodes(it.plan->root(), NodeKind::kMask), 1u);
  EXPECT_TRUE(it.plan->hasMasks());
}

TEST(GroupPlanTest, AReturnBeyondASizeEndsTheLoopsOfTheWholeKernel) {
  Lowered it(
      "__kernel void f(__global int* a, int n) {\n"
      "  int i = get_global_id(0); if (n <= i) return; a[i] = 1; barrier(CLK_GLOBAL_MEM_FENCE); a[i] = 2; }");
  ASSERT_NE(it.makePlan(), nullptr);
  ASSERT_EQ(it.plan->limits().size(), 1u);
  EXPECT_FALSE(it.plan->limits()[0].local);
  EXPECT_FALSE(it.plan->limits()[0].inclusive);
  EXPECT_FALSE(it.plan->hasMasks());
}

TEST(GroupPlanTest, ASumOfAnIdAndASmallConstantEndsTheLoops) {
  const auto more = [](const std::string& declared, const std::string& condition) -> std::optional<uint64_t> {
    Lowered it("__kernel void f(__global int* a, int n) { " + declared + " if (" + condition + ") return; a[x] = 1; }");
    if (it.makePlan() == nullptr || it.plan->limits().size() != 1) return std::nullopt;
    return it.plan->limits()[0].more;
  };
  EXPECT_EQ(more("int x = get_global_id(0);", "x >= n"), 0u);
  EXPECT_EQ(more("int x = get_global_id(0) + 1;", "x >= n"), 1u);
  EXPECT_EQ(more("const size_t i = 3 + get_local_id(0); const size_t x = i + 2;", "x > (size_t)n"), 5u);
  EXPECT_EQ(more("int x = get_global_id(0);", "n <= x + 1"), 1u);
  EXPECT_EQ(more("int x = get_global_id(0) + 65535;", "x >= n"), 65535u);
  EXPECT_FALSE(more("int x = get_global_id(0) + 65536;", "x >= n"));
  EXPECT_FALSE(more("int x = get_global_id(0) + 65535; ", "x + 1 >= n"));
  EXPECT_FALSE(more("uint x = get_global_id(0) - 1;", "x >= (uint)n"));
  EXPECT_FALSE(more("int x = (uchar)(get_global_id(0) + 1);", "x >= n"));
  EXPECT_FALSE(more("int x = get_global_id(0) + (uchar)257;", "x >= n"));
  EXPECT_FALSE(more("int x = get_global_id(0) + 1;", "x == 0"));
  EXPECT_FALSE(more("int x = get_global_id(0) + 1; ++x;", "x >= n"));
}

TEST(GroupPlanTest, GotoAndBarriersInsideExpressionsCannotBeSplit) {
  Lowered jumps(
      "__kernel void f(__global int* a) {\n"
      "  again: a[0] += 1; barrier(CLK_GLOBAL_MEM_FENCE); if (a[0] < 3) goto again; }");
  EXPECT_EQ(jumps.makePlan(), nullptr);
  EXPECT_NE(jumps.why_not.find("goto"), std::string::npos);
  Lowered inside("__kernel void f(__global int* a) { a[0] = (barrier(CLK_GLOBAL_MEM_FENCE), 3); }");
  EXPECT_EQ(inside.makePlan(), nullptr);
  EXPECT_NE(inside.why_not.find("inside an expression"), std::string::npos);
}

TEST(GroupPlanTest, JumpsThatMayDifferFromItemToItemCannotBeSplit) {
  const std::string loop =
      "__kernel void f(__global int* a, int n, __local int* t) { for (int k = 0; k < n; ++k) { int x = a[k]; ";
  for (const std::string jump :
       {"if (a[get_local_id(0)]) continue;", "switch (get_global_id(0)) { case 1: continue; }",
        "int y = x; y += get_local_id(0); if (y > 3) break;", "if (atomic_inc(a) > 7) break;",
        "int s = 0; for (int i = 0; i < n; ++i) { if (t[i] > get_local_id(0)) break; s += t[i]; } if (s == 0) break;",
        "int y = k; if (get_local_id(0) > 3) y = 5; if (y > 3) break;",
        "int y = k; n > a[get_local_id(0)] && (y = 5); if (y > 3) break;"}) {
    Lowered it(loop + "barrier(CLK_LOCAL_MEM_FENCE); " + jump + " t[k] = 1; } }");
    EXPECT_EQ(it.makePlan(), nullptr) << jump;
    EXPECT_NE(it.why_not.find("may differ from work-item to work-item"), std::string::npos) << it.why_not;
  }
}

TEST(GroupPlanTest, JumpsThatAllItemsTakeTogetherAreSplit) {
  const std::string loop =
      "int reached(__local const int* t, int n) { return t[n] > 4; }\n"
      "__kernel void f(__global int* a, int n, __local int* t) { int c = 0; for (int k = 0; k < n; ++k) { int x = a[k]; ";
  for (const std::string jump :
       {"if (k == n / 2) continue;", "if (t[0] == *a) break;", "if (++c == n) break;",
        "int y = x; y += get_group_id(0); if (y > 3) break;", "if (reached(t, k)) continue;",
        "int s = 0; for (int i = 0; i < n; ++i) { if (t[i] > 4) break; s += t[i]; } if (s == 0) break;",
        "int y = k; if (n > 3) y = 5; if (y > 3) break;"}) {
    Lowered it(loop + "barrier(CLK_LOCAL_MEM_FENCE); " + jump + " t[k] = 1; } }");
    EXPECT_NE(it.makePlan(), nullptr) << jump << ": " << it.why_not;
  }
}

TEST(InlineTest, HelpersWithBarriersBecomeBlocks) {
  Lowered it(
      "int twice(__local int* l, int x) { l[0] = x; barrier(CLK_LOCAL_MEM_FENCE); return 2 * l[0]; }\n"
      "__kernel void f(__global int* a, __local int* l) { a[get_local_id(0)] = twice(l, 4) + twice(l + 1, 5); }");
  ASSERT_NE(it.makePlan(), nullptr) << it.why_not;
  EXPECT_EQ(countNodes(it.plan->root(), NodeKind::kRegion), 7u) << "of each helper: its value, its two halves; then the sum";
}

TEST(InlineTest, AHelperThatReturnsInTheMiddleLeavesTheKernelAsItWas) {
  Lowered it(
      "int f1(__local int* l, int x) { if (x) return 1; barrier(CLK_LOCAL_MEM_FENCE); return l[0]; }\n"
      "__kernel void f(__global int* a, __local int* l) { int k = 1; a[0] = f1(l, k); }");
  const Stmt* before = it.program.kernels[0]->body;
  EXPECT_EQ(it.makePlan(), nullptr);
  EXPECT_EQ(it.program.kernels[0]->body, before);
  EXPECT_NE(it.why_not.find("\"f1\""), std::string::npos);
}

TEST(InlineTest, ParametersThatAreChangedBecomeVariables) {
  Lowered it(
      "__kernel void f(__global int* a, int n) { barrier(CLK_LOCAL_MEM_FENCE); n += get_local_id(0);\n"
      "  barrier(CLK_LOCAL_MEM_FENCE); a[n] = n; }");
  ASSERT_NE(it.makePlan(), nullptr);
  EXPECT_EQ(it.storage("n"), Storage::kArray);
}

}  // namespace
}  // namespace manyrt::test
