// The C++ text of whole units: what stands in it and what does not. That it runs right is tested in tests/kernels.
#include "compiler/lowering/cpu/program.h"

#include "compiler/lowering/cpu/kernel.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/unit.h"
#include "unit/compiler/lowering/lowered.h"

namespace manyrt::test {
namespace {

using namespace compiler;

TEST(CpuLoweringTest, TheTableNamesKernelsArgumentsAndGlobals) {
  Lowered it(
      "__constant int table[3] = {1, 2, 3};\n"
      "__kernel void first(__global float* a, __local int* l, uint n, float4 v) { a[0] = table[n] + l[0] + v.x; }");
  const std::string text = it.quick();
  EXPECT_NE(text.find("{8, 1, \"a\", \"float*\"}"), std::string::npos) << text;
  EXPECT_NE(text.find("{8, 2, \"l\", \"int*\"}"), std::string::npos);
  EXPECT_NE(text.find("{4, 0, \"n\", \"uint\"}"), std::string::npos);
  EXPECT_NE(text.find("{16, 0, \"v\", \"float4\"}"), std::string::npos);
  EXPECT_NE(text.find("{\"table\", (void*)&"), std::string::npos);
}

TEST(CpuLoweringTest, WordsOfCppAreOrdinaryNames) {
  Lowered it(
      "struct class { int template; };\n"
      "int new(int this) { return this; }\n"
      "__kernel void delete(__global int* operator) {\n"
      "  struct class namespace = {4}; operator[0] = new(namespace.template); }");
  const std::string text = it.quick();
  EXPECT_EQ(text.find("int this)"), std::string::npos);
  EXPECT_EQ(text.find("struct class "), std::string::npos);
}

TEST(CpuLoweringTest, ItemsBeyondASizeEndTheLoops) {
  Lowered it("__kernel void f(__global int* a, uint n) { uint i = get_global_id(0); if (i >= n) return; a[i] = 1; }");
  const std::string text = it.quick();
  EXPECT_NE(text.find("mrt_e0 = mrt_limit_u(mrt_e0, n_"), std::string::npos) << text;
  EXPECT_EQ(text.find("mrt_alive"), std::string::npos);
}

TEST(CpuLoweringTest, AnItemThatActsForItsGroupIsTheOnlyOne) {
  const auto text = [](const std::string& condition, const std::string& after) {
    return Lowered("__kernel void f(__global float* a, int n) { int i = get_local_id(0);\n" + condition +
                   " for (size_t k = 0; k < n; ++k) a[i] += a[k]; " + after + "}")
        .quick();
  };
  for (const char* condition : {"if (i == 0)", "if (!i)", "if (0 == i)", "if (i < 1)", "if (1 > i)", "if (i <= 0)",
                                "if (i != 0) return;", "if (i) return;", "if (i > 0) return;", "if (0 < i) return;",
                                "if (i >= 1) return;", "if (get_global_id(0) == 0)", "if (i == 0 && i < n)"}) {
    const std::string found = text(condition, "");
    EXPECT_NE(found.find("mrt_limit_u(mrt_e0, 0, "), std::string::npos) << condition << found;
  }
  for (const char* condition :
       {"if (i == 1)", "if (i != 0)", "if (i)", "if (i == 0) return;", "if (!i) return;", "if (i < 2)"}) {
    EXPECT_EQ(text(condition, "").find("mrt_limit_u(mrt_e0, 0, "), std::string::npos) << condition;
  }
  EXPECT_EQ(text("if (i == 0)", "a[n] = 1;").find("mrt_limit_u(mrt_e0, 0, "), std::string::npos);
}

TEST(CpuLoweringTest, ALimitIsNotTakenWhereMemoryDecides) {
  Lowered it("__kernel void f(__global int* a) { uint i = get_global_id(0); if (i >= a[0]) return; a[i] = 1; }");
  EXPECT_EQ(it.quick().find("= mrt_limit_"), std::string::npos);
}

TEST(CpuLoweringTest, AKnownGroupSizeIsWrittenIntoTheLoops) {
  const std::string source = "__kernel void f(__global int* a) { a[get_global_id(0)] = get_local_id(0); }";
  BuildOptions options;
  options.group_size[0] = 64;
  options.group_size[1] = options.group_size[2] = 1;
  EXPECT_NE(Lowered(source).quick(options).find("const long mrt_n0 = 64;"), std::string::npos);
  EXPECT_NE(Lowered(source).quick().find("const long mrt_n0 = mrt_g->group_size[0];"), std::string::npos);
}

TEST(CpuLoweringTest, ItemsBelowASizeBeginTheLoops) {
  const auto text = [](const std::string& condition) {
    return Lowered("__kernel void f(__global int* a, int m, uint n) { int i = get_global_id(0); uint u = get_global_id(0);\n" +
                   condition + " return; a[i] = 1; }")
        .quick();
  };
  for (const char* condition : {"if (i < m)", "if (m > i)", "if (i <= m)", "if (i < m || i >= 9)"})
    EXPECT_NE(text(condition).find("mrt_o0 = mrt_begin_s(mrt_o0, m_"), std::string::npos) << condition;
  for (const char* condition : {"if (u < n)", "if (n >= u)"})
    EXPECT_NE(text(condition).find("mrt_o0 = mrt_begin_u(mrt_o0, n_"), std::string::npos) << condition;
  for (const char* condition : {"if (i == 0)", "if (!u)", "if (i <= 0)", "if (u < 1)"})
    EXPECT_NE(text(condition).find("mrt_o0 = mrt_begin_u(mrt_o0, 1, "), std::string::npos) << condition;
  for (const char* condition : {"if (i >= m)", "if (i == 1)", "if (i < a[0])"})
    EXPECT_EQ(text(condition).find("= mrt_begin_"), std::string::npos) << condition;
}

TEST(CpuLoweringTest, GroupsThatNothingTellsApartAreJoined) {
  const auto text = [](const std::string& body) {
    return Lowered(
               "int helper(int i) { return get_global_id(1) + i; }\n"
               "int tells(int i) { return get_group_id(1) + i; }\n"
               "int loops(int i) { int s = 0; do { s += --i; } while (i > 3); return s; }\n"
               "__kernel void f(__global int* a, __global float* b, int n) { int x = get_global_id(0), y = "
               "get_global_id(1);\n" +
               body + " }")
        .quick();
  };
  const auto traits = [](uint32_t number) { return "rtHostTraits[] = {" + std::to_string(number) + ", }"; };
  for (const char* body :
       {"a[y * n + x] = get_global_size(0);", "a[x + y] = helper(x);", "b[y * n + x] = b[y * n + x + 1] + 1;"}) {
    EXPECT_NE(text(body).find(traits(kJoinsAlong0 | kJoinsMany)), std::string::npos) << body;
  }
  for (const char* body : {"for (int i = 0; i < n; ++i) b[y * n + x] += b[y * n + i] * b[i * n + x];",
                           "a[y * n + x] = loops(n);", "int i = 0; again: a[y * n + x] = i; if (++i < n) goto again;"})
    EXPECT_NE(text(body).find(traits(kJoinsAlong0)), std::string::npos) << body;
  for (const char* body : {"a[x] = get_local_id(0);", "a[x] = get_num_groups(0);", "a[x] = tells(x);", "printf(\"%d\", x);",
                           "__local int l[1]; l[0] = x; a[x] = l[0];", "barrier(CLK_LOCAL_MEM_FENCE);",
                           "mem_fence(CLK_GLOBAL_MEM_FENCE);", "while (*(volatile __global int*)a == 0) {}"}) {
    EXPECT_EQ(text(body).find("rtHostTraits"), std::string::npos) << body;
  }
}

TEST(CpuLoweringTest, ATableOfFormsIsLaidOutAsUnitForm) {
  EXPECT_NE(Lowered("__kernel void f() {}")
                .quick()
                .find("struct mrt_form { unsigned int lanes, dimension, loops, lane_loops, "
                      "barriers, reserved; const char *no_lanes, *fibers; };"),
            std::string::npos);
  static_assert(sizeof(UnitForm) == 40 && offsetof(UnitForm, barriers) == 16 && offsetof(UnitForm, no_lanes) == 24 &&
                offsetof(UnitForm, fibers) == 32);
}

// Two helpers that both call two others: there are 2^40 ways to the last, and each function is looked at once.
TEST(CpuLoweringTest, HelpersThatShareHelpersAreLookedAtOnce) {
  std::vector<Function> functions(80);
  for (size_t i = 0; i + 2 < functions.size(); ++i) {
    const size_t next = i / 2 * 2 + 2;
    functions[i].callees = {&functions[next], &functions[next + 1]};
  }
  size_t looks = 0;
  EXPECT_FALSE(anyReached(functions[0], [&](const Function&) { return ++looks, false; }));
  EXPECT_EQ(looks, functions.size() - 1);  // the first one's brother is called by none
  EXPECT_TRUE(anyReached(functions[0], [&](const Function& each) { return &each == &functions.back(); }));
}

TEST(CpuLoweringTest, GroupsThatMeetAtAtomicFunctionsAreMarked) {
  const auto text = [](const std::string& body) {
    return Lowered(
               "void helper(__global int* to) { atomic_inc(to); }\nvoid inside(__local int* to) { atomic_inc(to); }\n"
               "__kernel void f(__global int* a, __local int* l) { " +
               body + " }")
        .quick();
  };
  for (const char* body : {"atomic_inc(a);", "if (a[1]) helper(a + 3);", "atomic_cmpxchg(&a[get_global_id(0)], 1, 2);"})
    EXPECT_NE(text(body).find("rtHostTraits[] = {4, }"), std::string::npos) << body;
  for (const char* body : {"atomic_inc(l); a[0] = l[0];", "inside(l);"})
    EXPECT_EQ(text(body).find("rtHostTraits"), std::string::npos) << body;
}

TEST(CpuLoweringTest, CallsThatNestTooDeepAreRefused) {
  std::string source = "int f0(int x) { return x; }\n";
  for (int i = 1; i <= 300; ++i) {
    source += "int f" + std::to_string(i) + "(int x) { return f" + std::to_string(i - 1) + "(x); }\n";
  }
  Lowered it(source + "__kernel void k(__global int* a) { a[0] = f300(1); }");
  CpuUnit unit;
  EXPECT_FALSE(lowerToCpu(&unit, 1, it.program, it.sources, {}, it.diagnostics));
  EXPECT_NE(it.diagnostics.log().find("nested more than 256 deep"), std::string::npos);
}

TEST(CpuLoweringTest, LayoutsAreCheckedByTheCompiler) {
  Lowered it(
      "#pragma pack(push, 2)\ntypedef struct { char c; int i; } S;\n#pragma pack(pop)\n"
      "__kernel void f(__global S* a) { a[0].i = 1; }");
  const std::string text = it.quick();
  EXPECT_NE(text.find("#pragma pack(push, 2)"), std::string::npos);
  EXPECT_NE(text.find(") == 6, \"layout\");"), std::string::npos) << text;
}

TEST(CpuLoweringTest, AFourthLaneOfThreeIsNoNameThatDoesNotExist) {
  Lowered it("__kernel void f(__global float3* a, __global float2* b) { b[0] = a[0].hi + a[1].odd; a[2].hi = b[1]; }");
  const std::string text = it.quick();
  EXPECT_EQ(text.find("a.s3"), std::string::npos) << text;
}

TEST(CpuLoweringTest, KernelsThatCannotBeSplitSayWhy) {
  Lowered it(
      "__kernel void f(__global int* a) {\n"
      "  again: a[0] += 1; barrier(CLK_GLOBAL_MEM_FENCE); if (a[0] < 3) goto again; }");
  const std::string text = it.quick();
  ASSERT_EQ(it.remarks.size(), 1u);
  EXPECT_NE(it.remarks[0].find("test.cl:1: remark: The kernel \"f\" runs its work-items on fibers"), std::string::npos);
  EXPECT_NE(text.find("rtHostFibers->run("), std::string::npos);
}

TEST(CpuLoweringTest, UnusedHelpersAreNotPartOfTheUnit) {
  Lowered it(
      "int used(int x) { return x; }\nint unused(int x) { return x; }\n"
      "__kernel void f(__global int* a) { a[0] = used(1); }");
  const std::string text = it.quick();
  EXPECT_NE(text.find("f_used_"), std::string::npos);
  EXPECT_EQ(text.find("f_unused_"), std::string::npos);
}

TEST(CpuLoweringTest, AnInitialiserWithAHugeGapIsRefused) {
  Lowered it("__kernel void f(__global int* a) { int t[3000000] = {[2999999] = 1}; a[0] = t[5]; }");
  CpuUnit unit;
  EXPECT_FALSE(lowerToCpu(&unit, 1, it.program, it.sources, {}, it.diagnostics));
  EXPECT_NE(it.diagnostics.log().find("leaves out more than"), std::string::npos);
}

}  // namespace
}  // namespace manyrt::test
