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
