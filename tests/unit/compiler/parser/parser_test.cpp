// The parser as a whole: pragmas, errors and how it goes on after them, limits.
#include "compiler/parser/parser.h"

#include "parsed_program.h"

namespace manyrt::compiler {
namespace {

TEST(ParserTest, KernelsAreListedInOrder) {
  const ParsedProgram parsed("kernel void b(void); kernel void a(void) { } void f(void) { } __kernel void b(void) { } ;;");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  ASSERT_EQ(parsed.program.kernels.size(), 2u);
  EXPECT_EQ(parsed.program.kernels[0]->name, "a");
  EXPECT_EQ(parsed.program.kernels[1]->name, "b");
}

TEST(ParserTest, AnEmptyProgramIsAProgram) {
  expectAccepted("");
  Program program;  // without even an end
  Sources sources;
  Diagnostics diagnostics(sources);
  EXPECT_TRUE(parse(&program, LanguageOptions(), diagnostics));
}

TEST(ParserTest, SeveralErrorsAreReportedEachOnce) {
  const ParsedProgram parsed(
      "void f(int x) {\n"
      "  x = y;\n"
      "  if (x z) { x = 1; } else x = 2;\n"
      "  int a[] = {1, q, 3};\n"
      "  for (int i = w; i < 3; ++i) { x = i; }\n"
      "  x = 3\n"
      "}\n"
      "int g(int x y) { return 1; }\n"
      "void h(void) { undeclared(); }\n");
  EXPECT_FALSE(parsed.accepted);
  EXPECT_EQ(parsed.diagnostics.errorCount(), 8u - 1u) << parsed.diagnostics.log();
}

TEST(ParserTest, AMissingSemicolonIsReportedWhereItBelongs) {
  const ParsedProgram parsed("void f(int x) {\n  x = 3\n  x = 4;\n}\n");
  EXPECT_NE(parsed.diagnostics.log().find("test.cl:2:8: error: Expected \";\" after the expression"), std::string::npos)
      << parsed.diagnostics.log();
}

TEST(ParserTest, TooManyErrorsEndTheParse) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "int x" + std::to_string(i) + ";";
  const ParsedProgram parsed(text);
  EXPECT_EQ(parsed.diagnostics.errorCount(), Diagnostics::kMaxErrors);
}

TEST(ParserTest, OpenEndsAreErrors) {
  for (const char* text :
       {"void f(", "void f(void) {", "void f(void) { if (", "void f(void) { for (int i = 0;", "int", "struct S {",
        "void f(void) { switch (1) { case", "kernel", "void f(void) { do", "typedef", "void f(void) { { { {",
        "void f(void) } }", "}", ")", "enum {", "enum { A =", "constant int a[", "constant int a = {"}) {
    const ParsedProgram parsed(text);
    EXPECT_FALSE(parsed.accepted) << text;
  }
}

TEST(ParserTest, DeepNestingIsRefusedAtOnce) {
  const auto repeat = [](const char* part) {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += part;
    return text;
  };
  expectRefused("void f(int x) " + repeat("{"), "nested more than");
  expectRefused("void f(int x) { " + repeat("if (x) "), "nested more than");
  expectRefused("void f(int x) { " + repeat("while (x) "), "nested more than");
  expectRefused("void f(int x) { x = " + repeat("("), "nested more than");
  expectRefused(repeat("struct { "), "nested more than");
  expectRefused("void f(" + repeat("int (*)("), "nested more than");
  expectRefused("void f(int x) { " + repeat("if (x) ; else ") + "; }", "levels deep");
  expectRefused("void f(int x) { switch (x) { default: " + repeat("a: "), "second time");
}

TEST(ParserTest, LongButOrdinaryProgramsAreAccepted) {
  std::string text = "int f(int x) { switch (x) { ";
  for (int i = 0; i < 1000; ++i) text += "case " + std::to_string(i) + ": ";
  text += "return 1; } ";
  for (int i = 0; i < 1000; ++i) text += "if (x == " + std::to_string(i) + ") return 2; else ";
  expectAccepted(text + "return 3; }");
}

TEST(ParserTest, ExtensionsAreKnownOrWarnedOf) {
  const ParsedProgram known("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT ON\n#pragma other\n");
  EXPECT_TRUE(known.accepted);
  EXPECT_EQ(known.diagnostics.log(), "");
  expectWarning("#pragma OPENCL EXTENSION cl_khr_unheard_of : enable\n", "\"cl_khr_unheard_of\" is not supported");
  expectWarning("#pragma OPENCL EXTENSION cl_khr_fp64 enable\n", "\":\" is missing");
  expectRefused("#pragma pack(3)\n", "pack(push, n)");
  expectAccepted(
      "#pragma pack(push, 2)\nstruct a { char c; int i; };\n#pragma pack(pop)\nstruct b { char c; int i; };\n"
      "__constant int check[sizeof(struct a) == 6 && sizeof(struct b) == 8 ? 1 : -1] = {1};\n");
}

TEST(ParserTest, UnrollPragmasReachTheirLoops) {
  const ParsedProgram parsed(
      "void f(int n) {\n#pragma unroll\nfor (;;) --n;\n#pragma unroll 8\nwhile (n) --n;\n#pragma unroll (2)\ndo --n; while "
      "(n);\n"
      "if (n)\n#pragma nounroll\nfor (;;) --n;\n}");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  const std::vector<Stmt*>& body = parsed.function("f")->body->body;
  EXPECT_EQ(body.at(0)->unroll, 0);
  EXPECT_EQ(body.at(1)->unroll, 8);
  EXPECT_EQ(body.at(2)->unroll, 2);
  EXPECT_EQ(body.at(3)->first->unroll, 1);
  expectRefused("void f(int n) {\n#pragma unroll\nn = 1; }", "loop must follow");
  expectRefused("void f(int n) {\n#pragma unroll\nint m; }", "before a for");
  expectRefused("void f(int n) {\n#pragma unroll 0\nfor (;;); }", "positive number");
  expectRefused("void f(int n) {\n#pragma unroll -1\nfor (;;); }", "positive number");
  expectRefused("#pragma unroll\nvoid f(int n) { }", "before a for");
}

TEST(ParserTest, StaticAssertsAreChecked) {
  expectAccepted("_Static_assert(sizeof(int) == 4, \"ints\"); void f(void) { _Static_assert(1, \"x\"); }");
  expectRefused("_Static_assert(sizeof(int) == 8, \"ints\");", "fails: \"ints\"");
  expectRefused("void f(int n) { _Static_assert(n, \"x\"); }", "constant");
}

TEST(ParserTest, NamesAreDeclaredOncePerScope) {
  expectAccepted("int f(int x) { { int x; } return x; } int g(int f) { return f; }");
  expectRefused("int f(int x) { int x; return x; }", "already");
  expectRefused("void f(void) { int x, x; }", "already");
  expectRefused("void f(void) { typedef int x; int x; }", "already");
  expectRefused("typedef int T; typedef float T;", "already");
  expectAccepted("typedef int T; typedef int T;");
}

}  // namespace
}  // namespace manyrt::compiler
