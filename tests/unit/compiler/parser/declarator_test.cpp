// Declarators: types from the inside out, parameters, sizes and depths within limits.
#include "parsed_program.h"

namespace manyrt::compiler {
namespace {

std::string typeOf(const std::string& declaration) {  // of the first variable of a function
  const ParsedProgram parsed("void f(void) { " + declaration + "; }");
  EXPECT_TRUE(parsed.accepted) << declaration << "\n" << parsed.diagnostics.log();
  const Function* function = parsed.function("f");
  if (function == nullptr || function->body == nullptr || function->body->body.empty()) return "";
  return spell(function->body->body[0]->variables.at(0)->type);
}

TEST(DeclaratorTest, TypesAreReadFromTheInsideOut) {
  EXPECT_EQ(typeOf("int *a[3]"), "int *[3]");
  EXPECT_EQ(typeOf("int (*a)[3]"), "int (*)[3]");
  EXPECT_EQ(typeOf("int a[2][3]"), "int [2][3]");
  EXPECT_EQ(typeOf("int *(*a)[3]"), "int *(*)[3]");
  EXPECT_EQ(typeOf("int *(a[3])"), "int *[3]");
  EXPECT_EQ(typeOf("int **const a = 0"), "int **const");
  EXPECT_EQ(typeOf("int (a)"), "int");
  EXPECT_EQ(typeOf("const int a[] = {1, 2, 3}"), "const int [3]");
  EXPECT_EQ(typeOf("int a[][3] = {1, 2, 3, 4}"), "int [2][3]");
}

TEST(DeclaratorTest, FunctionsCanReturnPointersToArrays) {
  const ParsedProgram parsed("int (*f(int a, global float *b))[3] { return 0; } void (g)(int a) { }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  EXPECT_EQ(spell(parsed.function("f")->result), "int (*)[3]");
  ASSERT_EQ(parsed.function("f")->parameters.size(), 2u);
  EXPECT_EQ(parsed.function("f")->parameters[1]->name, "b");
}

TEST(DeclaratorTest, ArrayParametersArePointers) {
  const ParsedProgram parsed(
      "int f(global int x[][4], const int y[static 3], int z[restrict]) { return x[1][2] + y[0] + z[0]; }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  EXPECT_EQ(spell(parsed.function("f")->parameters[0]->type), "__global int (*)[4]");
  EXPECT_EQ(spell(parsed.function("f")->parameters[1]->type), "const int *");
}

TEST(DeclaratorTest, TokensOfParametersAreKept) {
  const ParsedProgram parsed("kernel void f(global int *a, const int b) { }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  const Function& f = *parsed.function("f");
  const Tokens& tokens = parsed.program.tokens;
  ASSERT_EQ(f.parameter_tokens.size(), 2u);
  EXPECT_EQ(tokens[f.parameter_tokens[0].begin].text, "global");
  EXPECT_EQ(tokens[f.parameter_tokens[0].end].text, ",");
  EXPECT_EQ(tokens[f.parameter_tokens[1].begin].text, "const");
  EXPECT_EQ(tokens[f.parameter_tokens[1].end].text, ")");
  EXPECT_EQ(tokens[f.name_token].text, "f");
  EXPECT_EQ(tokens[f.open_token].text, "(");
  EXPECT_EQ(tokens[f.body_token].text, "{");
  EXPECT_EQ(tokens[f.head.begin].text, "kernel");
  EXPECT_EQ(f.head.end, f.body_token);
}

TEST(DeclaratorTest, WhatCannotBeDerivedIsRefused) {
  expectRefused("int (*f)(int);", "pointers to functions");
  expectRefused("typedef int F(int); void f(F *g);", "pointers to functions");
  expectRefused("void f(int g(int));", "pointers to functions");
  expectRefused("int f(int)[3];", "cannot return");
  expectRefused("typedef int T[3]; T f(void);", "cannot return");
  expectRefused("int f(void)(void);", "cannot return");
  expectRefused("global int f(void);", "cannot be __global");
  expectRefused("void f(int a, ...);", "\"...\"");
  expectRefused("void f(void x) { }", "void");
  expectRefused("void f(int x, void) { }", "void");
  expectRefused("void f(int x, int x) { }", "already");
  expectRefused("void f(int x, ) { }", "Expected a type");
  expectRefused("void f(int * global x);", "cannot be __global");
  expectRefused("void f(static int x);", "storage class");
  expectRefused("void f(void) { int if; }", "names nothing else");
  expectRefused("int f(x) int x; { return x; }", "Expected a type");
}

TEST(DeclaratorTest, SizesOfArraysHaveLimits) {
  expectAccepted("enum { N = 4 }; void f(void) { const int m = 3; int a[N * 2], b[m], c[0]; }");
  expectRefused("void f(int n) { int a[n]; }", "constant");
  expectRefused("void f(int a[*]);", "variable length");
  expectRefused("void f(void) { int a[-1]; }", "-1 elements");
  expectRefused("void f(void) { int a[2.5]; }", "integer");
  expectRefused("void f(void) { int a[3][]; }", "elements of an array");
  expectRefused("void f(void) { char a[1UL << 41]; }", "2^40");
  expectRefused("void f(void) { char a[1 << 20][1 << 20][1 << 20]; }", "2^40");
  expectRefused("void f(void) { char a[0xffffffffffffffffUL]; }", "2^40");
}

TEST(DeclaratorTest, DeepTypesAreRefusedNotFollowed) {
  expectAccepted("void f(void) { int " + std::string(200, '*') + "p; }");
  expectRefused("void f(void) { int " + std::string(100'000, '*') + "p; }", "more than 256");
  expectRefused("int " + std::string(100'000, '(') + "p;", "nested more than 256");
  std::string text = "typedef int T0;";
  for (int i = 0; i < 300; ++i) text += "typedef T" + std::to_string(i) + " *T" + std::to_string(i + 1) + ";";
  expectRefused(text, "more than 256");
}

}  // namespace
}  // namespace manyrt::compiler
