// Several sources as one stream: what is left out, what each source sees of the others, where a source must end.
#include "compiler/parser/merge.h"

#include <gtest/gtest.h>

#include "compiler/parser/parser.h"
#include "compiler/preprocessor/preprocessor.h"

namespace manyrt::test {
namespace {

using namespace compiler;

struct Merged {
  Sources sources;
  Diagnostics diagnostics{sources};
  Program program;
  bool parsed = false;

  explicit Merged(const std::vector<std::string>& texts) {
    std::vector<Tokens> all(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      const uint32_t file = sources.add(std::to_string(i) + ".cl", texts[i]);
      EXPECT_TRUE(preprocess(&all[i], sources, file, {}, diagnostics)) << diagnostics.log();
    }
    parsed = merge(&program, all, diagnostics) && parse(&program, LanguageOptions(), diagnostics);
  }
  std::string text() const {
    std::string all;
    for (const Token& token : program.tokens) all += std::string(token.text) + " ";
    return all;
  }
  std::string log() const { return diagnostics.log(); }
  bool says(const std::string& words) const { return log().find(words) != std::string::npos; }
};

TEST(MergeTest, WhatReadsTheSameIsThereOnce) {
  const std::string header =
      "typedef float4 colour; struct __attribute__((packed)) P { uint a; colour b; };\n"
      "enum kind { FIRST = 3, SECOND }; __constant float table[2] = {1, 2};\n"
      "static inline uint next(uint x) { return x + SECOND; }\nuint far(struct P p, uint x);\n";
  const Merged it({header + "__kernel void f(__global uint *o) { struct P p; p.a = 2; o[0] = far(p, next(o[1])); }",
                   header + "uint far(struct P p, uint x) { return p.a * x + (uint)table[1] + FIRST; }"});
  ASSERT_TRUE(it.parsed) << it.log();
  EXPECT_EQ(it.text().find("typedef"), it.text().rfind("typedef")) << it.text();
  EXPECT_EQ(it.text().find("return x + SECOND"), it.text().rfind("return x + SECOND")) << it.text();
  EXPECT_EQ(it.program.kernels.size(), 1u);
}

TEST(MergeTest, MacrosStayWithTheirSource) {
  const Merged it({"#define STEP 1\nuint a(uint x) { return x + STEP; }",
                   "#ifdef STEP\n#error leaked\n#endif\n#define STEP 2\nuint b(uint x) { return x + STEP; }"});
  EXPECT_TRUE(it.parsed) << it.log();
  EXPECT_NE(it.text().find("x + 1"), std::string::npos);
  EXPECT_NE(it.text().find("x + 2"), std::string::npos);
}

TEST(MergeTest, TwoMeaningsAreRefusedWithBothPlaces) {
  const std::pair<const char*, const char*> pairs[] = {
      {"uint f(void) { return 1; }", "uint f(void) { return 1; }"},  // external functions are defined once
      {"static uint f(void) { return 1; }", "static uint f(void) { return 2; }"},
      {"__kernel void f(void) {}", "__kernel void f(void) {}"},
      {"typedef uint f;", "typedef int f;"},
      {"struct f { uint a; };", "struct f { uint b; };"},
      {"enum { f = 1 };", "enum { f = 2 };"},
      {"__constant int f[2] = {1, 2};", "__constant int f[2] = {1, 3};"},
      {"uint f(uint x);", "float f(uint x);"},
      {"#pragma pack(push, 1)\nstruct f { char a; uint b; };\n#pragma pack(pop)", "struct f { char a; uint b; };"},
      {"#pragma pack(1)\nstruct f { char a; uint b; };", "struct f { char a; uint b; };"},
  };
  for (const auto& [one, other] : pairs) {
    const Merged it({one, other});
    EXPECT_FALSE(it.parsed) << one;
    EXPECT_TRUE(it.says("1.cl:1:") && it.says(": error: ")) << one << "\n" << it.log();
    EXPECT_TRUE(it.says("0.cl:") && it.says(": note: ")) << one << "\n" << it.log();
  }
}

TEST(MergeTest, NamesOfTheOtherSourcesAreNotSeen) {
  const Merged undeclared({"uint far(uint x) { return x; }", "__kernel void f(__global uint *o) { o[0] = far(1); }"});
  EXPECT_FALSE(undeclared.parsed);
  EXPECT_TRUE(undeclared.says("1.cl:1:44: error: The function \"far\" is declared in another source alone"))
      << undeclared.log();
  EXPECT_TRUE(undeclared.says("0.cl:1:6: note: ")) << undeclared.log();
  const Merged type({"typedef uint word;", "__kernel void f(__global word *o) { o[0] = 1; }"});
  EXPECT_FALSE(type.parsed);
  const Merged enumerator({"enum { LIMIT = 4 };", "__kernel void f(__global uint *o) { o[0] = LIMIT; }"});
  EXPECT_FALSE(enumerator.parsed);
  EXPECT_TRUE(enumerator.says("\"LIMIT\" is undeclared")) << enumerator.log();
  const Merged own({"typedef uint word;", "__kernel void f(__global uint *word) { word[0] = 1; }"});
  EXPECT_TRUE(own.parsed) << own.log();
}

TEST(MergeTest, AFunctionThatIsNowhereIsRefusedWhereItIsCalled) {
  const Merged it(
      {"uint far(uint x);\n__kernel void f(__global uint *o) { o[0] = far(1); }", "uint other(void) { return 1; }"});
  EXPECT_FALSE(it.parsed);
  EXPECT_TRUE(it.says("0.cl:2:44: error: \"far\" is called and never defined")) << it.log();
}

TEST(MergeTest, RecursionThroughTwoSourcesIsRefused) {
  const Merged it({"uint b(uint x);\nuint a(uint x) { return b(x); }\n__kernel void f(__global uint *o) { o[0] = a(1); }",
                   "uint a(uint x);\nuint b(uint x) { return a(x); }"});
  EXPECT_FALSE(it.parsed);
}

TEST(MergeTest, ASourceEndsBetweenDeclarations) {
  for (const char* open : {"__kernel void f(void) {", "uint f(uint x", "struct S { uint a;", "__constant int a[2] = {1,"}) {
    const Merged it({open, "__kernel void g(void) {}"});
    EXPECT_FALSE(it.parsed);
    EXPECT_TRUE(it.says("0.cl:1:") && it.says("not closed")) << it.log();
  }
  const Merged half({"__constant int", "a = 1; __kernel void g(void) {}"});
  EXPECT_FALSE(half.parsed);
  EXPECT_TRUE(half.says("0.cl:1:1: error: The source ends inside this declaration.")) << half.log();
}

TEST(MergeTest, PragmasStayWithTheirSource) {
  const Merged it(
      {"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nhalf a(half x) { return x * x; }", "half b(half x) { return x; }"});
  EXPECT_FALSE(it.parsed) << "the second source has not enabled halves";
  const Merged packed({"#pragma pack(1)\nstruct A { char a; uint b; };", "struct B { char a; uint b; };"});
  ASSERT_TRUE(packed.parsed) << packed.log();
  ASSERT_EQ(packed.program.types.records().size(), 2u);
  EXPECT_EQ(packed.program.types.records().front().size, 5u);
  EXPECT_EQ(packed.program.types.records().back().size, 8u);
}

TEST(MergeTest, DeclarationsEndWhereTheyEnd) {
  const Merged it(
      {"struct S { uint a; } *nothing(struct S *s);\nenum E { A, B } e(enum E x) { return x; }\n"
       "__constant struct { int a[2]; } c[2] = {{{1, 2}}, {{3, 4}}}, d = {{5, 6}};\n"
       "struct S s(struct S x) { return x; };\n__attribute__((always_inline)) uint t(void) { return 1; }\n",
       "struct S { uint a; } *nothing(struct S *s);\n__kernel void f(void) {}"});
  EXPECT_TRUE(it.parsed) << it.log();
  EXPECT_EQ(it.program.functions().size(), 5u);
}

}  // namespace
}  // namespace manyrt::test
