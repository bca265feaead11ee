// Programs printed as OpenCL C again: what the pointers of kernels become, and that nothing else changes. Texts are compared
// token by token; each is read by our own front end again, and by clang's where that is installed.
#include "compiler/lowering/opencl/program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "compiler/parser/parser.h"
#include "compiler/preprocessor/preprocessor.h"
#include "support/process.h"

namespace manyrt::test {
namespace {

using namespace compiler;

// The text with kernels called as in the source again, so that expectations are readable; names have tests of their own.
std::string withOwnNames(std::string text, const Program& program, const std::vector<std::string>& symbols) {
  for (size_t i = 0; i < symbols.size(); ++i) {
    for (size_t at = text.find(symbols[i]); at != text.npos; at = text.find(symbols[i], at)) {
      text.replace(at, symbols[i].size(), program.kernels[i]->name);
    }
  }
  return text;
}

// The lowered text, or the log of a failure.
std::string lower(const std::string& source, bool* parsed = nullptr, const std::vector<Header>& headers = {}) {
  Sources sources;
  Diagnostics diagnostics(sources);
  Program program;
  PreprocessorOptions options;
  options.headers = headers;
  const bool ok = preprocess(&program.tokens, sources, sources.add("user.cl", source), options, diagnostics) &&
                  parse(&program, LanguageOptions(), diagnostics);
  if (parsed != nullptr) *parsed = ok;
  EXPECT_TRUE(ok || parsed != nullptr) << diagnostics.log();
  if (!ok) return diagnostics.log();
  std::vector<std::string> symbols;
  std::string text = lowerToOpenCl(program, sources, OpenClPointers::kHiddenOffsets, &symbols);
  return withOwnNames(std::move(text), program, symbols);
}

std::string tokensOf(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  Tokens tokens;
  EXPECT_TRUE(preprocess(&tokens, sources, sources.add("text", text), {}, diagnostics)) << diagnostics.log() << text;
  std::string joined;
  for (const Token& token : tokens) joined.append(token.text).append(" ");
  return joined;
}

bool hasClang() {
  static const bool has = rttest::run({"/usr/bin/env", "clang", "--version"}).exit_code == 0;
  return has;
}

// Empty where clang accepts the text, or is not there.
std::string refusal(const std::string& text) {
  if (!hasClang()) return "";
  char name[] = "/tmp/manyrt-opencl-XXXXXX";
  const int file = mkstemp(name);
  if (file < 0) return "no file could be made";
  close(file);
  std::ofstream(name) << text;
  const rttest::Outcome outcome = rttest::run({"/usr/bin/env", "clang", "-x", "cl", "-cl-std=CL1.2", "-Xclang",
                                               "-finclude-default-header", "-Wno-everything", "-fsyntax-only", name});
  unlink(name);
  return outcome.exit_code == 0 ? "" : outcome.text();
}

void accept(const std::string& text) {
  EXPECT_EQ(refusal(text), "") << text;
  bool parsed = false;
  const std::string log = lower(text, &parsed);
  EXPECT_TRUE(parsed) << log << text;
}

void expectLowered(const std::string& source, const std::string& expected) {
  SCOPED_TRACE(source);
  EXPECT_EQ(refusal(source), "");
  const std::string lowered = lower(source);
  EXPECT_EQ(tokensOf(lowered), tokensOf(expected)) << lowered;
  accept(lowered);
}

// Newer versions of clang refuse 5 > 4 > 3 unless they are told that it is a warning.
TEST(OpenClTest, AComparisonOfAComparisonMayBeWritten) {
  const std::string pragma = "#pragma clang diagnostic warning \"-Wparentheses\"\n";
  EXPECT_EQ(lower("kernel void k(int a) { a = 5 > 4 > 3; }").substr(0, pragma.size()), pragma);
  EXPECT_EQ(lower("kernel void k(int a) { if (a < 3 == 1) a = 2; }").substr(0, pragma.size()), pragma);
  EXPECT_EQ(lower("kernel void k(int a) { a = 5 > 4 && 4 > 3; }").find("#pragma"), std::string::npos);
}

TEST(OpenClTest, APointerBecomesARootAndAnOffset) {
  expectLowered("__kernel void f(__global float *a, int n, __constant float4 *c) { a[0] = n * c[1].x; }",
                "__kernel void f(__global unsigned char *mrt_root_0, unsigned long mrt_offset_0, int n,"
                "                __constant unsigned char *mrt_root_2, unsigned long mrt_offset_2) {"
                "  __global float *a = (__global void *)(mrt_root_0 + mrt_offset_0);"
                "  __constant float4 *c = (__constant void *)(mrt_root_2 + mrt_offset_2);"
                "  a[0] = n * c[1].x; }");
}

TEST(OpenClTest, WhatIsNoSuchPointerStaysAsItWas) {
  const char* source =
      "typedef struct { float x; int n; } S;\n"
      "__constant float kTable[2] = {1.0f, 2.0f};\n"
      "float helper(__global const float *p, __local float *l, __constant float *c) { return *p + *l + *c; }\n"
      "__kernel void f(__local float *l, S s, float4 v, __local int *m) {\n"
      "  __local float own[4];\n"
      "  own[0] = l[0] + s.x + v.x + kTable[1];\n"
      "}\n";
  expectLowered(source, source);
}

TEST(OpenClTest, QualifiersOfThePointerAndOfWhatItPointsToAreKept) {
  expectLowered(
      "kernel void f(global const volatile int *restrict const a, const global int *__restrict b) { int c = a[0] + b[0]; }",
      "kernel void f(__global unsigned char *mrt_root_0, unsigned long mrt_offset_0,"
      "              __global unsigned char *mrt_root_1, unsigned long mrt_offset_1) {"
      "  global const volatile int *restrict const a = (__global void *)(mrt_root_0 + mrt_offset_0);"
      "  const global int *__restrict b = (__global void *)(mrt_root_1 + mrt_offset_1);"
      "  int c = a[0] + b[0]; }");
}

TEST(OpenClTest, ArraysAsParametersArePointers) {
  expectLowered(
      "__kernel void f(__global float a[], __global int b[8][4], __constant int (c)[const 2]) { a[0] = b[1][2] + c[0]; }",
      "__kernel void f(__global unsigned char *mrt_root_0, unsigned long mrt_offset_0,"
      "                __global unsigned char *mrt_root_1, unsigned long mrt_offset_1,"
      "                __constant unsigned char *mrt_root_2, unsigned long mrt_offset_2) {"
      "  __global float (*a) = (__global void *)(mrt_root_0 + mrt_offset_0);"
      "  __global int (*b)[4] = (__global void *)(mrt_root_1 + mrt_offset_1);"
      "  __constant int (*const (c)) = (__constant void *)(mrt_root_2 + mrt_offset_2);"
      "  a[0] = b[1][2] + c[0]; }");
  expectLowered("__kernel void f(__global float (*a)[4]) { a[1][0] = 1; }",
                "__kernel void f(__global unsigned char *mrt_root_0, unsigned long mrt_offset_0) {"
                "  __global float (*a)[4] = (__global void *)(mrt_root_0 + mrt_offset_0);"
                "  a[1][0] = 1; }");
}

TEST(OpenClTest, PointersAndArraysAfterTypedefsAreFound) {
  expectLowered(
      "typedef __global float *P; typedef float M[4][4]; typedef __global const struct T { int x; } *Q;"
      "__kernel void f(const P p, __global M m, Q q) { p[0] = m[1][2] + q->x; }",
      "typedef __global float *P; typedef float M[4][4]; typedef __global const struct T { int x; } *Q;"
      "__kernel void f(__global unsigned char *mrt_root_0, unsigned long mrt_offset_0,"
      "                __global unsigned char *mrt_root_1, unsigned long mrt_offset_1,"
      "                __global unsigned char *mrt_root_2, unsigned long mrt_offset_2) {"
      "  __global float *const p = (__global void *)(mrt_root_0 + mrt_offset_0);"
      "  __global float (*m)[4] = (__global void *)(mrt_root_1 + mrt_offset_1);"
      "  __global const struct T *q = (__global void *)(mrt_root_2 + mrt_offset_2);"
      "  p[0] = m[1][2] + q->x; }");
}

TEST(OpenClTest, RecordsWithoutATagAreReachedThroughTheirTypedef) {
  expectLowered("typedef struct { int x; } S; __kernel void f(__global S *s, __global S t[]) { s->x = t[1].x; }",
                "typedef struct { int x; } S;"
                "__kernel void f(__global unsigned char *mrt_root_0, unsigned long mrt_offset_0,"
                "                __global unsigned char *mrt_root_1, unsigned long mrt_offset_1) {"
                "  __global S *s = (__global void *)(mrt_root_0 + mrt_offset_0);"
                "  __global S (*t) = (__global void *)(mrt_root_1 + mrt_offset_1);"
                "  s->x = t[1].x; }");
}

TEST(OpenClTest, ATypedefOfPointersOrArraysOfARecordWithoutATagGivesTheRecordOne) {
  const std::string lowered = lower(
      "#define DEFINE(name) typedef struct { int name; } name;\n"
      "DEFINE(R) DEFINE(S) DEFINE(T)\n"
      "typedef S A[4]; typedef __global T *P; typedef union __attribute__((packed)) { int x; } B[2];\n"
      "__kernel void f(__global A a, P p, __global B b, __global R *r) { a[1].S = b[0].x + p->T + r->R; }");
  accept(lowered);
  EXPECT_NE(tokensOf(lowered).find("typedef struct mrt_record_2 { int S ; } S ;"), std::string::npos) << lowered;
  EXPECT_NE(tokensOf(lowered).find("typedef struct { int R ; } R ;"), std::string::npos) << lowered;
  EXPECT_NE(tokensOf(lowered).find("__attribute__ ( ( packed ) ) mrt_record_4 {"), std::string::npos) << lowered;
}

TEST(OpenClTest, AParameterMayHaveTheNameOfItsType) {
  expectLowered("typedef float T; __kernel void f(__global T *T) { T[0] = 1; }",
                "typedef float T; __kernel void f(__global unsigned char *mrt_root_0, unsigned long mrt_offset_0) {"
                "  __global T *T = (__global void *)(mrt_root_0 + mrt_offset_0); T[0] = 1; }");
}

TEST(OpenClTest, NamesThatTheProgramHasAreNotTaken) {
  expectLowered(
      "__constant int mrt_root_0 = 1; __kernel void f(__global int *a) { int mrt_offset_0 = mrt_root_0; *a = mrt_offset_0; }",
      "__constant int mrt_root_0 = 1;"
      "__kernel void f(__global unsigned char *mrt_root_0_, unsigned long mrt_offset_0_) {"
      "  __global int *a = (__global void *)(mrt_root_0_ + mrt_offset_0_);"
      "  int mrt_offset_0 = mrt_root_0; *a = mrt_offset_0; }");
}

TEST(OpenClTest, AKernelThatIsCalledGetsRootsWithoutOffset) {
  expectLowered(
      "__kernel void g(__global const float *x, int n, __local float *l) { l[n] = x[n]; }"
      "__kernel void f(__global float *a, __local float *l) { g(a + (int)(float2)(1, 2).x, 3, l); g(&a[1], 1, l); }",
      "__kernel void g(__global unsigned char *mrt_root_0, unsigned long mrt_offset_0, int n, __local float *l) {"
      "  __global const float *x = (__global void *)(mrt_root_0 + mrt_offset_0); l[n] = x[n]; }"
      "__kernel void f(__global unsigned char *mrt_root_0, unsigned long mrt_offset_0, __local float *l) {"
      "  __global float *a = (__global void *)(mrt_root_0 + mrt_offset_0);"
      "  g((__global unsigned char *)(a + (int)(float2)(1, 2).x), 0, 3, l);"
      "  g((__global unsigned char *)(&a[1]), 0, 1, l); }");
}

TEST(OpenClTest, PrototypesOfKernelsChangeTooWithNamesAndWithout) {
  expectLowered(
      "__kernel void (g)(__global float *, int); void h(__global float *a) { g(a, 1); }"
      "__kernel void g(__global float *x, int n) { x[n] = 0; }",
      "__kernel void g(__global unsigned char *, unsigned long, int);"
      "void h(__global float *a) { g((__global unsigned char *)(a), 0, 1); }"
      "__kernel void g(__global unsigned char *mrt_root_0, unsigned long mrt_offset_0, int n) {"
      "  __global float *x = (__global void *)(mrt_root_0 + mrt_offset_0); x[n] = 0; }");
}

TEST(OpenClTest, AMemberWithAKernelsNameIsNoCall) {
  const char* source = "struct S { int f; }; __kernel void f(int n) { struct S s; s.f = n; int g = (s.f) + 1; }";
  expectLowered(source, source);
}

TEST(OpenClTest, InfinityAndNanAreWrittenByTheirNames) {
  const std::string lowered = lower("__kernel void f(__global float *a) { a[0] = INFINITY; a[1] = NAN; a[2] = HUGE_VALF; }");
  EXPECT_NE(lowered.find("INFINITY"), std::string::npos) << lowered;
  EXPECT_NE(lowered.find("NAN"), std::string::npos) << lowered;
  EXPECT_EQ(lowered.find("__mrt_"), std::string::npos) << lowered;
  accept(lowered);
}

TEST(OpenClTest, TokensOfMacrosDoNotGrowTogether) {
  const std::string lowered = lower(
      "#define NEGATE -\n#define X x\n#define I int\n"
      "__kernel void f(__global int *a) { int x = 1; I y = -NEGATE X; a[0] = y - NEGATE x +NEGATE-x; }");
  EXPECT_EQ(lowered.find("--"), std::string::npos) << lowered;
  accept(lowered);
}

// Line and file of a word in the lowered text, as a compiler that obeys #line would count.
std::string placeOf(const std::string& lowered, const std::string& word) {
  Sources sources;
  Diagnostics diagnostics(sources);
  Tokens tokens;
  EXPECT_TRUE(preprocess(&tokens, sources, sources.add("lowered", lowered), {}, diagnostics));
  for (const Token& token : tokens) {
    if (token.text == word) return sources.name(token.where.file) + ":" + std::to_string(token.where.line);
  }
  return "nowhere";
}

TEST(OpenClTest, MessagesOfACompilerComeToTheUsersLines) {
  const std::string source =
      "#include <own\"header.h>\n"
      "#define CALL(x) do { \\\n"
      "    from_macro += x; \\\n"
      "  } while (0)\n"
      "\n"
      "__kernel void f(__global int *a,\n"
      "                __global int *b) {\n"
      "  int from_macro = 0;\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 4; ++i) in_loop(i);\n"
      "  CALL(\n"
      "      in_argument);\n" +
      std::string(30, '\n') +
      "  int far = 1;\n"
      "#line 500 \"other.cl\"\n"
      "  int renamed = 1;\n"
      "}\n";
  const std::string lowered = lower(source, nullptr,
                                    {{"own\"header.h",
                                      "void in_loop(int i) { }\n"
                                      "__constant int in_argument = 1;\n"}});
  EXPECT_EQ(placeOf(lowered, "in_loop"), "own\"header.h:1");
  EXPECT_EQ(placeOf(lowered, "f"), "user.cl:6");
  EXPECT_EQ(placeOf(lowered, "mrt_root_1"), "user.cl:7");
  EXPECT_EQ(placeOf(lowered, "from_macro"), "user.cl:8");
  EXPECT_EQ(placeOf(lowered, "for"), "user.cl:10");
  EXPECT_EQ(placeOf(lowered, "while"), "user.cl:11");
  EXPECT_EQ(placeOf(lowered, "far"), "user.cl:43");
  EXPECT_EQ(placeOf(lowered, "renamed"), "other.cl:500");
  EXPECT_NE(lowered.find("#pragma unroll\n"), std::string::npos) << lowered;
}

TEST(OpenClTest, TheOracleIsThere) {
  if (!hasClang()) GTEST_SKIP() << "clang is not installed: no other front end has read the texts of these tests";
  EXPECT_NE(refusal("__kernel void f(__global int *a) { a[0] = nothing; }"), "");
}

}  // namespace
}  // namespace manyrt::test
