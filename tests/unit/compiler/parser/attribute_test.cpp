// Attributes: what they do, where they may stand, which are refused.
#include "parsed_program.h"

namespace manyrt::compiler {
namespace {

TEST(AttributeTest, RequiredGroupSizesAreFoundInEveryPlace) {
  for (const char* text : {"__attribute__((reqd_work_group_size(8, 4, 1))) kernel void k(void) { }",
                           "kernel __attribute__((__reqd_work_group_size__(8, 4, 1))) void k(void) { }",
                           "kernel void __attribute((reqd_work_group_size(8, 4, 1))) k(void) { }",
                           "kernel void k(void) __attribute__((reqd_work_group_size(8, 4, 1))) { }",
                           "enum { N = 8 }; kernel __attribute__((unused, reqd_work_group_size(N, N / 2, 1))) void k(void) { }",
                           "__attribute__((reqd_work_group_size(8, 4, 1))) kernel void k(void); kernel void k(void) { }"}) {
    const ParsedProgram parsed(text);
    ASSERT_TRUE(parsed.accepted) << text << "\n" << parsed.diagnostics.log();
    const Function& kernel = *parsed.function("k");
    EXPECT_EQ(kernel.required_group_size[0], 8u) << text;
    EXPECT_EQ(kernel.required_group_size[1], 4u) << text;
    EXPECT_EQ(kernel.required_group_size[2], 1u) << text;
  }
}

TEST(AttributeTest, GroupSizesAreChecked) {
  expectRefused("kernel __attribute__((reqd_work_group_size(8, 8, 0))) void k(void) { }", "from 1 to");
  expectRefused("kernel __attribute__((reqd_work_group_size(8, 8))) void k(void) { }", "which has three");
  expectRefused("kernel __attribute__((reqd_work_group_size(4294967296, 1, 1))) void k(void) { }", "from 1 to");
  expectRefused("kernel __attribute__((reqd_work_group_size(n, 1, 1))) void k(void) { }", "undeclared");
  expectRefused("__attribute__((reqd_work_group_size(8, 8, 1))) void f(void) { }", "for kernels");
  expectRefused("__attribute__((work_group_size_hint(8, 8, 1))) void f(void) { }", "for kernels");
  expectRefused(
      "__attribute__((reqd_work_group_size(1, 1, 1))) kernel void k(void);"
      "__attribute__((reqd_work_group_size(2, 1, 1))) kernel void k(void) { }",
      "another reqd_work_group_size");
}

TEST(AttributeTest, TypeHintsTakeScalarsAndVectors) {
  expectAccepted("kernel __attribute__((vec_type_hint(float4))) void k(void) { }");
  expectRefused("kernel __attribute__((vec_type_hint(void))) void k(void) { }", "scalar or vector");
  expectRefused("__attribute__((vec_type_hint(int))) void f(void) { }", "for kernels");
}

TEST(AttributeTest, AlignmentsOfVariablesAreKept) {
  const ParsedProgram parsed(
      "kernel void k(void) { local int a __attribute__((aligned(64))); __attribute__((aligned(32))) int b, c "
      "__attribute__((aligned(128))), d __attribute__((aligned)); }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  const Function& kernel = *parsed.function("k");
  EXPECT_EQ(kernel.locals.at(0)->alignment, 64u);
  const std::vector<Variable*>& rest = kernel.body->body.at(1)->variables;
  ASSERT_EQ(rest.size(), 3u);
  EXPECT_EQ(rest[0]->alignment, 32u);
  EXPECT_EQ(rest[1]->alignment, 128u);
  EXPECT_EQ(rest[2]->alignment, 32u);
}

TEST(AttributeTest, AlignmentsArePowersOfTwo) {
  expectRefused("struct S { int a; } __attribute__((aligned(3)));", "power of two");
  expectRefused("struct S { int a; } __attribute__((aligned(0)));", "power of two");
  expectRefused("struct S { int a; } __attribute__((aligned(-4)));", "power of two");
  expectRefused("struct S { int a; } __attribute__((aligned(1 << 20)));", "at most 4096");
  expectRefused("struct S { int a; } __attribute__((aligned(1, 2)));", "\")\"");
}

TEST(AttributeTest, UnknownOnesAreWarningsAndTypeChangingOnesErrors) {
  expectWarning("__attribute__((foo(1, (2)), bar)) void f(void) { }", "\"foo\" is ignored");
  expectAccepted("__attribute__((always_inline)) __attribute__((,const,)) __attribute__(()) int f(void) { return 1; }");
  expectRefused("typedef float f4 __attribute__((ext_vector_type(4)));", "not supported");
  expectRefused("typedef float f4 __attribute__((vector_size(16)));", "not supported");
}

TEST(AttributeTest, DamagedOnesAreErrors) {
  expectRefused("kernel __attribute__((foo bar)) void k(void) { }", "\",\"");
  expectRefused("kernel __attribute__(foo) void k(void) { }", "\"(\"");
  expectRefused("kernel __attribute__((foo) void k(void) { }", "Expected");
  expectRefused("kernel __attribute__((", "Expected");
  expectRefused("kernel __attribute__((\"x\")) void k(void) { }", "name of an attribute");
}

TEST(AttributeTest, UnrollHintsReachTheirLoops) {
  const ParsedProgram parsed(
      "void f(int n) { __attribute__((opencl_unroll_hint(4))) for (;;) --n; "
      "__attribute__((opencl_unroll_hint)) while (n) --n; do --n; while (n); }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  const std::vector<Stmt*>& body = parsed.function("f")->body->body;
  EXPECT_EQ(body.at(0)->unroll, 4);
  EXPECT_EQ(body.at(1)->unroll, 0);
  EXPECT_EQ(body.at(2)->unroll, -1);
  expectRefused("void f(int n) { __attribute__((opencl_unroll_hint(0))) for (;;) --n; }", "from 1");
  expectRefused("void f(int n) { __attribute__((opencl_unroll_hint(4))) n = 1; }", "loop must follow");
}

}  // namespace
}  // namespace manyrt::compiler
