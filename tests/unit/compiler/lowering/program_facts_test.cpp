// Facts about whole programs that lowerings ask for.
#include "compiler/lowering/program_facts.h"

#include "unit/compiler/lowering/lowered.h"

namespace manyrt::test {
namespace {

using namespace compiler;

// Two helpers that both call two others: there are 2^40 ways to the last, and each function is looked at once.
TEST(ProgramFactsTest, HelpersThatShareHelpersAreLookedAtOnce) {
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

TEST(ProgramFactsTest, CallsThatNestTooDeepAreRefused) {
  std::string source = "int f0(int x) { return x; }\n";
  for (int i = 1; i <= 300; ++i) {
    source += "int f" + std::to_string(i) + "(int x) { return f" + std::to_string(i - 1) + "(x); }\n";
  }
  Lowered it(source + "__kernel void k(__global int* a) { a[0] = f300(1); }");
  CpuUnit unit;
  std::string why_not;
  EXPECT_FALSE(makeCpuUnit(&unit, CpuForm::kQuick, 1, &why_not, it.program, it.sources, {}, it.diagnostics));
  EXPECT_EQ(why_not, "");
  EXPECT_NE(it.diagnostics.log().find("nested more than 256 deep"), std::string::npos);
}

// Groups are joined where nothing tells them apart.
TEST(ProgramFactsTest, GroupsThatNothingTellsApartAreJoined) {
  const auto joins = [](const std::string& body) {
    const Lowered it(
        "int helper(int i) { return get_global_id(1) + i; }\n"
        "int tells(int i) { return get_group_id(1) + i; }\n"
        "__kernel void f(__global int* a, int n) { int x = get_global_id(0); " +
        body + " }");
    return joinsGroups(*it.program.kernels.back());
  };
  for (const char* body : {"a[x] = get_global_size(0);", "a[x] = helper(x);", "a[x] = a[x + n] + 1;"})
    EXPECT_TRUE(joins(body)) << body;
  for (const char* body : {"a[x] = get_local_id(0);", "a[x] = get_num_groups(0);", "a[x] = tells(x);", "printf(\"%d\", x);",
                           "__local int l[1]; l[0] = x; a[x] = l[0];", "barrier(CLK_LOCAL_MEM_FENCE);",
                           "mem_fence(CLK_GLOBAL_MEM_FENCE);", "while (*(volatile __global int*)a == 0) {}"}) {
    EXPECT_FALSE(joins(body)) << body;
  }
}

TEST(ProgramFactsTest, AKernelHasTheBarriersOfItsHelpers) {
  const Lowered it(
      "void wait() { barrier(CLK_LOCAL_MEM_FENCE); }\nvoid other() {}\n"
      "__kernel void f() { wait(); }\n__kernel void g() { other(); }");
  EXPECT_TRUE(hasBarriers(*it.program.kernels[0]));
  EXPECT_FALSE(hasBarriers(*it.program.kernels[1]));
}

}  // namespace
}  // namespace manyrt::test
