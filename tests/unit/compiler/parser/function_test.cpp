// Program scope: functions that agree with their declarations, kernels and their parameters, constants.
#include "parsed_program.h"

namespace manyrt::compiler {
namespace {

TEST(FunctionTest, DeclarationsOfAFunctionMustAgree) {
  expectAccepted(
      "int f(int x); int f(const int y) { return y; } static inline int g(void); static inline int g(void) { return 1; }");
  expectAccepted("void f(void) { int g(int x); g(3); } int g(int x) { return x; }");
  expectAccepted("typedef int F(int); F g; int g(int x) { return x; }");
  expectAccepted("int dot(int a) { return a; } int f(int clamp) { return dot(clamp); }");
  expectRefused("int f(int x); float f(int x);", "\"float (int)\" here and \"int (int)\"");
  expectRefused("int f(int x); int f(float x);", "declared before");
  expectRefused("int f(global int *x); int f(local int *x) { return *x; }", "declared before");
  expectRefused("int f(int x) { return 1; } int f(int x) { return 1; }", "second time");
  expectRefused("constant int f = 1; int f(int x) { return 1; }", "already");
  expectRefused("int f(int x) { return 1; } constant int f = 1;", "already");
  expectRefused("int main(void) { return 1; }", "main");
  expectRefused("int f(int) { return 1; }", "needs a name");
  expectRefused("typedef int F(int); F g { return 1; }", "list of parameters");
  expectRefused("struct S; void f(struct S s) { }", "incomplete");
  expectRefused("struct S; struct S f(void) { }", "incomplete");
}

TEST(FunctionTest, APrototypeDoesNotReplaceTheParametersOfItsOpenDefinition) {
  const ParsedProgram parsed("int f(int x) { int f(int y); return x; }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  EXPECT_EQ(parsed.function("f")->parameters[0]->name, "x");
}

TEST(FunctionTest, KernelsAreMarkedByAnyDeclaration) {
  const ParsedProgram parsed(
      "kernel void a(void); void a(void) { } void b(void); void kernel b(void) { } inline kernel void c(void) { }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  EXPECT_EQ(parsed.program.kernels.size(), 3u);
  EXPECT_TRUE(parsed.function("c")->is_inline);
  expectRefused("kernel int k(void) { return 0; }", "return void");
  expectRefused("static kernel void k(void) { }", "static");
}

TEST(FunctionTest, KernelsTakeWhatHostAndDeviceSeeAlike) {
  expectAccepted(
      "struct S { int a; float4 b[2]; }; enum E { A };"
      "kernel void k(global const int *restrict p, local float *l, constant int *c, int const n, struct S s, global struct S "
      "*t,"
      "  enum E e, double d, uchar3 v, global bool *b, global half *h, global size_t *z, global int (*m)[4], global int a[4]) "
      "{ }");
  for (const char* parameter : {"int *p", "int p[4]", "const void *p", "global int **p"}) {
    expectRefused("kernel void k(" + std::string(parameter) + ") { }", "private memory");
  }
  expectRefused("kernel void k(global int *global *p) { }", "points to pointers");
  expectRefused("kernel void k(bool p) { }", "bool");
  for (const char* type : {"size_t", "ptrdiff_t", "intptr_t", "uintptr_t"}) {
    expectRefused("typedef " + std::string(type) + " T; kernel void k(int a, T p) { }", "Parameter 2");
  }
  expectRefused("kernel void k(event_t p) { }", "event_t");
  expectRefused("kernel void k(half p) { }", "vload_half");
  expectRefused("struct S { int a; struct { global int *p[3]; } q; }; kernel void k(struct S s) { }", "pointer");
  expectRefused("struct S { struct { bool b; }; }; kernel void k(struct S s) { }", "contains bool");
  expectRefused("typedef size_t T; struct S { T t[2]; }; kernel void k(struct S s) { }", "contains bool");
  expectRefused("kernel void k(global int *p, ...) { }", "\"...\"");
}

TEST(FunctionTest, ProgramScopeHoldsConstants) {
  const ParsedProgram parsed(
      "constant int a[] = {1, 2, 3}, b = 4; static constant const float4 c = (float4)(1.0f);"
      "constant int *constant p = &b; extern constant int d; constant int d = b + 1;");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  EXPECT_EQ(spell(parsed.variable("a")->type), "__constant int [3]");
  EXPECT_EQ(spell(parsed.variable("p")->type), "__constant int *__constant");
  EXPECT_NE(parsed.variable("d")->initializer, nullptr);
  EXPECT_EQ(parsed.variable("d")->function, nullptr);
  expectRefused("int x = 3;", "write __constant");
  expectRefused("const int x = 3;", "write __constant");
  expectRefused("global int x;", "write __constant");
  expectRefused("constant int *p;", "after the \"*\"");
  expectRefused("constant int x;", "needs an initialiser");
  expectRefused("constant int x = 3; constant int x = 3;", "second time");
  expectRefused("constant int x = 3; constant float x = 3;", "declared before");
  expectRefused("extern constant int x;", "never defined");
  expectRefused("int f(void); constant int x = f();", "constant");
  expectRefused("constant event_t e;", "event_t");
  expectRefused("constant half h = 1;", "half");
  expectRefused("kernel constant int x = 3;", "for functions");
  expectRefused("typedef static int x;", "no other storage");
  expectRefused("typedef int T = 3;", "\";\"");
}

}  // namespace
}  // namespace manyrt::compiler
