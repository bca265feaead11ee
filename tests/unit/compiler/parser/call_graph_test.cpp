// The graph of calls: callees and builtins once each, barriers through others, recursion, functions that are not there.
#include "parsed_program.h"

namespace manyrt::compiler {
namespace {

TEST(CallGraphTest, CalleesAndBuiltinsAreListedOnce) {
  const ParsedProgram parsed(
      "int a(int x) { return x; } int b(int x) { return a(x); }"
      "kernel void k(global int *p) { p[a(0)] = a(b(1)) + max(1, 2) + max(3, 4); p[get_global_id(0)] = 1; }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  const Function& kernel = *parsed.function("k");
  ASSERT_EQ(kernel.callees.size(), 2u);
  EXPECT_EQ(kernel.callees[0]->name, "a");
  EXPECT_EQ(kernel.callees[1]->name, "b");
  EXPECT_EQ(kernel.builtins.size(), 2u);
  EXPECT_TRUE(parsed.function("a")->callees.empty());
}

TEST(CallGraphTest, CallsInInitialisersAndHeadersCount) {
  const ParsedProgram parsed(
      "int a(void) { return 1; } int b(void) { return 1; } int c(void) { return 1; }"
      "void f(void) { int x[2] = {a()}; for (int i = b(); i < c(); ++i) ; }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  EXPECT_EQ(parsed.function("f")->callees.size(), 3u);
}

TEST(CallGraphTest, BarriersReachTheirCallers) {
  const ParsedProgram parsed(
      "void w(void); kernel void k(void) { w(); } void b(void) { barrier(CLK_LOCAL_MEM_FENCE); } void w(void) { b(); }"
      "void n(void) { mem_fence(CLK_LOCAL_MEM_FENCE); }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  EXPECT_TRUE(parsed.function("k")->has_barrier);
  EXPECT_TRUE(parsed.function("w")->has_barrier);
  EXPECT_TRUE(parsed.function("b")->has_barrier);
  EXPECT_FALSE(parsed.function("n")->has_barrier);
}

TEST(CallGraphTest, RecursionIsRefused) {
  expectRefused("int f(int x) { return f(x - 1); }", "\"f\" calls itself");
  expectRefused("int f(int); int g(int x) { return f(x); } int f(int x) { return g(x); }",
                "\"g\", which calls \"f\", which calls \"g\"");
  expectAccepted("int a(int x) { return x; } int b(int x) { return a(x); } int c(int x) { return a(x) + b(x); }");
}

TEST(CallGraphTest, CalledFunctionsMustBeThere) {
  expectAccepted("int f(int x); int g(int x) { return x; }");
  expectRefused("int f(int x); int g(int x) { return f(x); }", "\"f\" is called and never defined");
}

TEST(CallGraphTest, LongChainsOfCallsNeedNoStack) {
  std::string text = "int f0(int x) { return x; }";
  for (int i = 1; i < 20'000; ++i) {
    text += "int f" + std::to_string(i) + "(int x) { return f" + std::to_string(i - 1) + "(x); }";
  }
  const ParsedProgram parsed(text);
  EXPECT_TRUE(parsed.accepted) << parsed.diagnostics.log();
}

}  // namespace
}  // namespace manyrt::compiler
