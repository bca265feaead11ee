// Specifiers: every spelling of a type, qualifiers in any order, what has no place.
#include "parsed_program.h"

namespace manyrt::compiler {
namespace {

std::string typeOf(const std::string& specifiers) {
  const ParsedProgram parsed("void f(" + specifiers + " x) { }");
  EXPECT_TRUE(parsed.accepted) << specifiers << "\n" << parsed.diagnostics.log();
  const Function* function = parsed.function("f");
  return function == nullptr || function->parameters.empty() ? "" : spell(function->parameters[0]->type);
}

TEST(SpecifierTest, ScalarTypesHaveManySpellings) {
  EXPECT_EQ(typeOf("char unsigned"), "uchar");
  EXPECT_EQ(typeOf("int short unsigned"), "ushort");
  EXPECT_EQ(typeOf("signed"), "int");
  EXPECT_EQ(typeOf("unsigned"), "uint");
  EXPECT_EQ(typeOf("long int"), "long");
  EXPECT_EQ(typeOf("unsigned long"), "ulong");
  EXPECT_EQ(typeOf("size_t"), "ulong");
  EXPECT_EQ(typeOf("ptrdiff_t"), "long");
  EXPECT_EQ(typeOf("_Bool"), "bool");
  EXPECT_EQ(typeOf("__signed__ char"), "char");
  EXPECT_EQ(typeOf("double16"), "double16");
  EXPECT_EQ(typeOf("event_t"), "event_t");
}

TEST(SpecifierTest, QualifiersStandInAnyOrder) {
  EXPECT_EQ(typeOf("const __global int volatile *"), "__global const volatile int *");
  EXPECT_EQ(typeOf("int constant *"), "__constant int *");
  EXPECT_EQ(typeOf("local float4 *restrict const"), "__local float4 *const restrict");
  EXPECT_EQ(typeOf("global int *__local *"), "__global int *__local *");
  EXPECT_EQ(typeOf("__const int"), "const int");
}

TEST(SpecifierTest, TypedefsCarryTheirQualifiers) {
  const ParsedProgram parsed("typedef const global int GI; typedef int A[4]; void f(GI *p, global A *q) { q[1][2] = *p; }");
  ASSERT_TRUE(parsed.accepted) << parsed.diagnostics.log();
  EXPECT_EQ(spell(parsed.function("f")->parameters[0]->type), "__global const int *");
  EXPECT_EQ(spell(parsed.function("f")->parameters[1]->type), "__global int (*)[4]");
}

TEST(SpecifierTest, TypeNamesOfTheLanguageCanBeHiddenInFunctionsAlone) {
  expectAccepted("void f(void) { int uint = 3; uint = 4; }");
  expectAccepted("typedef int T; void f(T T) { T = 1; }");
  expectAccepted("typedef unsigned int uint;");
  expectRefused("typedef unsigned long uint;", "is a type of OpenCL C");
  expectRefused("typedef int T; void f(int T) { T q; }", "\";\"");
}

TEST(SpecifierTest, WordsThatDoNotGoTogetherAreRefused) {
  expectRefused("void f(signed float x);", "name no type");
  expectRefused("void f(long double x);", "write double");
  expectRefused("void f(unsigned uint x);", "Expected \")\"");
  expectRefused("void f(int float4 x);", "Expected \")\"");
  expectRefused("void f(float4 int x);", "second one");
  expectRefused("void f(int struct S x);", "second one");
  expectRefused("void f(global local int *x);", "__global and __local");
  expectRefused("typedef global int GI; void f(local GI *x);", "by its typedef");
  expectRefused("void f(restrict int x);", "for pointers");
  expectWarning("f(int x) { return 1; }", "taken as int");
  expectWarning("void f(global * x) { }", "taken as int");
  expectRefused("void f(global unknown * x) { }", "Expected a type");
  expectRefused("void f(uint32_t x);", "write uint");
  expectWarning("void f(unsigned long long x) { }", "64 bits");
}

TEST(SpecifierTest, WhatTheLibraryLacksIsNamed) {
  expectRefused("kernel void f(read_only image2d_t x) { }", "no images");
  expectRefused("constant sampler_t s = 0;", "no images");
  expectRefused("void f(register int x) { }", "leave the word away");
  expectRefused("void f(__generic int *x) { }", "generic");
  expectRefused("_Complex float f(void);", "complex");
}

TEST(SpecifierTest, NamesOfTypesHaveNoStorage) {
  expectAccepted("int f(void) { return sizeof(const int (*)[3]); }");
  expectRefused("int f(void) { return sizeof(static int); }", "storage class");
}

}  // namespace
}  // namespace manyrt::compiler
