// Declarations in functions: which address space may stand where, and what must or must not be initialised.
#include "parsed_program.h"

namespace manyrt::compiler {
namespace {

TEST(LocalTest, LocalVariablesOfAKernelAreListed) {
  const ParsedProgram parsed(
      "kernel void k(void) { local int a[4], *p; typedef local float LF; LF b; local const int c; local int *local q[3]; }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  std::string names;
  for (const Variable* variable : parsed.function("k")->locals) names += variable->name + " ";
  EXPECT_EQ(names, "a b c q ");
  const Variable& pointer = *parsed.function("k")->body->body.at(0)->variables.at(1);
  EXPECT_EQ(pointer.type.space, AddressSpace::kPrivate);
  EXPECT_EQ(pointer.type->inner.space, AddressSpace::kLocal);
}

TEST(LocalTest, SpacesHaveTheirPlaces) {
  expectAccepted(
      "kernel void k(void) { constant int a = 3; private int b; __private int c = 2; private int *p = &b; global int *g; }");
  expectRefused("kernel void k(void) { { local int a; } }", "outermost");
  expectRefused("kernel void k(void) { if (1) { local int a; } }", "outermost");
  expectRefused("kernel void k(void) { for (local int a;;) ; }", "outermost");
  expectRefused("kernel void k(void) { typedef local int LI; { LI x; } }", "outermost");
  expectRefused("void f(void) { local int a; }", "pass a __local pointer");
  expectRefused("void f(void) { global int *local p; }", "pass a __local pointer");
  expectRefused("kernel void k(void) { local int a = 3; }", "cannot have an initialiser");
  expectRefused("kernel void k(void) { local int a[]; }", "needs a size");
  expectRefused("kernel void k(void) { global int a; }", "__global");
  expectRefused("kernel void k(void) { constant int a; }", "needs an initialiser");
  expectRefused("kernel void k(int n) { constant int a = n; }", "constant itself");
  expectRefused("kernel void k(void) { { constant int a = 3; } }", "outermost");
  expectRefused("void f(void) { constant int a = 3; }", "program scope");
  expectRefused("kernel void k(void) { local event_t e; }", "event_t");
}

TEST(LocalTest, StorageClassesHaveNoPlace) {
  expectRefused("void f(void) { static int x; }", "static");
  expectRefused("void f(void) { extern constant int x; }", "program scope");
  expectRefused("void f(void) { auto int x; }", "leave the word away");
  expectRefused("void f(void) { kernel int x; }", "for functions");
  expectRefused("void f(void) { static void g(void); }", "static");
}

TEST(LocalTest, TypesOfVariablesAreComplete) {
  expectAccepted("void f(void) { struct S *s; bool b; event_t e[3]; const int x; void *v; }");
  expectRefused("void f(void) { void v; }", "void");
  expectRefused("void f(void) { struct S s; }", "incomplete");
  expectRefused("void f(void) { int a[]; }", "needs a size");
  expectRefused("void f(void) { half h; }", "half");
  expectRefused("void f(void) { half h[4]; }", "half");
  expectRefused("void f(void) { half4 h; }", "half");
}

TEST(LocalTest, FunctionsDoNotNest) {
  expectAccepted("void f(void) { int x(void), y; }");
  expectRefused("void f(void) { void g(void) { } }", "move it to program scope");
  expectWarning("void f(void) { int; }", "declares nothing");
}

TEST(LocalTest, WhatIsNeverNamedIsAWarning) {
  const auto log = [](const std::string& body) {
    const ParsedProgram parsed("int g(int *p) { return *p; }\nkernel void f(global int *o, int n) { " + body + " }");
    EXPECT_TRUE(parsed.accepted) << body;
    return parsed.diagnostics.log();
  };
  for (const char* body : {"int x;", "int x = n;", "float4 x = (float4)(1);", "local int x[4];", "constant int x = 1;",
                           "for (int x = 0; n < 0;) *o = 1;", "{ int x; }", "int y = 1; { int x = y; }", "struct { int a; } x;",
                           "int y = n, x = y;", "const int *x = 0;"}) {
    EXPECT_NE(log(body).find("warning: The variable \"x\" is never used."), std::string::npos) << body << "\n" << log(body);
  }
  // Each mention is a use: what a written variable is worth, another compiler's analysis may say.
  for (const char* body : {"int x; x = 1;", "int x = x;", "int x; (void)x;", "int x; *o = sizeof(x);", "int x = 0; g(&x);",
                           "int x[2]; x[0] = 1;", "int x = 1, y = x; *o = y;", "for (int x = 0; x < n; ++x) *o = x;",
                           "__attribute__((unused)) int x;", "int x __attribute__((unused));", "typedef int x;",
                           "struct { int a; } x; x.a = 1;", "enum { x };", "int y = ((int2)(1, 2)).x; *o = y;", ""}) {
    EXPECT_EQ(log(body), "") << body;
  }
  EXPECT_EQ(log("int x; { int x; x = 1; }").find("1:"), std::string::npos);
  EXPECT_NE(log("int x; { int x; x = 1; }").find("test.cl:2:43: warning: "), std::string::npos);
}

TEST(LocalTest, AfterAnErrorNothingIsToldToBeUnused) {
  const ParsedProgram parsed("void f(void) { int x, y = 1; x = y + + ; }");
  EXPECT_FALSE(parsed.accepted);
  EXPECT_EQ(parsed.diagnostics.log().find("never used"), std::string::npos) << parsed.diagnostics.log();
}

TEST(LocalTest, UnusedVariablesAreToldInTheirOrder) {
  const ParsedProgram parsed("void f(void) { int z; int a; { int m; } }\nvoid g(int p) { int q; }");
  const std::string& log = parsed.diagnostics.log();
  const size_t z = log.find("\"z\""), a = log.find("\"a\""), m = log.find("\"m\""), q = log.find("\"q\"");
  EXPECT_TRUE(z < a && a < m && m < q && q != std::string::npos) << log;
  EXPECT_EQ(log.find("\"p\""), std::string::npos) << "a parameter";
}

TEST(LocalTest, DeclarationsKeepOrderAndInitialisers) {
  const ParsedProgram parsed("void f(void) { int a = 1, *p = &a, b[2][3] = {{1}}; }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  const Stmt& statement = *parsed.function("f")->body->body.at(0);
  ASSERT_EQ(statement.variables.size(), 3u);
  EXPECT_EQ(statement.variables[1]->name, "p");
  for (const Variable* variable : statement.variables) {
    EXPECT_NE(variable->initializer, nullptr);
    EXPECT_EQ(variable->function, parsed.function("f"));
  }
}

}  // namespace
}  // namespace manyrt::compiler
