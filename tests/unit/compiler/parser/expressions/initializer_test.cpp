// Initialisers as trees: which value goes to which element, with braces, without them, by designators and from strings.
#include "expression_rig.h"
#include "object_cases.h"

namespace manyrt::compiler {
namespace {

using namespace rig;

TEST(InitializerTest, ObjectsTakeWhatTheLanguageSays) { judge(kAcceptedObjects, true); }

TEST(InitializerTest, ObjectsRefuseWhatTheLanguageRefuses) { judge(kRefusedObjects, false); }

TEST(InitializerTest, BracesFollowTheType) {
  EXPECT_EQ(typed("int z[3] = {1, 2};"), "{0: 1, 1: 2}");
  EXPECT_EQ(typed("int z[2][2] = {{1, 2}, {3}};"), "{0: {0: 1, 1: 2}, 1: {0: 3}}");
  EXPECT_EQ(typed("struct S z = {1, f4, {2}, {3, {4}}};"), "{0: 1, 1: f4, 2: {0: 2}, 3: {0: 3, 1: {0: 4}}}");
  EXPECT_EQ(typed("union U z = {1.5f};"), "{0: (to int 1.5f)}");
  EXPECT_EQ(typed("struct S z = {};"), "{}");
  EXPECT_EQ(typed("int z = {1,};"), "1");
}

TEST(InitializerTest, LeftOutBracesAreFound) {
  EXPECT_EQ(typed("int z[2][2] = {1, 2, 3};"), "{0: {0: 1, 1: 2}, 1: {0: 3}}");
  EXPECT_EQ(typed("struct S z = {1, f4, 1, 2, 3, 4, 5};"), "{0: 1, 1: f4, 2: {0: 1, 1: 2, 2: 3}, 3: {0: 4, 1: {0: 5}}}");
  EXPECT_EQ(typed("struct S z[2] = {s1, 1, f};"), "{0: s1, 1: {0: 1, 1: (to float4 f)}}");
  EXPECT_EQ(typed("struct { int x[2]; int y; } z = {1, 2, 3};"), "{0: {0: 1, 1: 2}, 1: 3}");
}

TEST(InitializerTest, DesignatorsGoAnywhereAndValuesGoOnAfterThem) {
  EXPECT_EQ(typed("int z[] = {[2] = 1, 2, [0] = 3};"), "{2: 1, 3: 2, 0: 3}");
  EXPECT_EQ(typed("struct S z = {.sub.in1 = 1, 2, .a = 3, f4};"), "{3: {0: 1, 1: {0: 2}}, 0: 3, 1: f4}");
  EXPECT_EQ(typed("struct S z = {.arr[1] = 1, 2, .arr[0] = 3};"), "{2: {1: 1, 2: 2, 0: 3}}");
  EXPECT_EQ(typed("struct { int x; struct { int p, q; }; } z = {.q = 1, .p = 2, .x = 3};"), "{1: {1: 1, 0: 2}, 0: 3}");
  EXPECT_EQ(typed("union U z = {.f = 1, };"), "{1: (to float 1)}");
  EXPECT_EQ(typed("union U z = {.f = 1, .i = 2};"), "{0: 2}");
  EXPECT_EQ(typed("int z[2] = {1, 2, [0] = 3};"), "{0: 3, 1: 2}");
  EXPECT_EQ(typed("struct S z = {.sub = {1}, .sub.x1 = 2};"), "{3: {0: 1, 1: {0: 2}}}");
}

TEST(InitializerTest, ArraysWithoutSizeGetTheirs) {
  EXPECT_EQ(typed("int z[] = {1, [6] = 2}; sizeof(z);"), "28:ulong");
  EXPECT_EQ(typed("char z[] = \"abc\" \"\\0d\"; sizeof(z);"), "6:ulong");
  EXPECT_EQ(typed("struct S z[] = {1, f4, 1, 2, 3, 4, 5, 6}; sizeof(z) / sizeof(struct S);"), "(/ 128:ulong 64:ulong)");
}

TEST(InitializerTest, StringsFillArraysOfCharacters) {
  EXPECT_EQ(typed("char z[4] = \"a\\xff\";"), "{0: 97:char, 1: 255:char}");
  EXPECT_EQ(typed("char z[2][3] = {\"ab\", {\"c\"}};"), "{0: {0: 97:char, 1: 98:char}, 1: {0: 99:char}}");
  EXPECT_EQ(typed("uchar z[2] = \"ab\";"), "{0: 97:uchar, 1: 98:uchar}");
  EXPECT_TRUE(says("char z[1] = \"ab\";", "warning: The string of 2 characters is too long for an array of 1."));
}

TEST(InitializerTest, VectorsInBracesAreLiterals) {
  EXPECT_EQ(typed("float4 z = {1, f2, i};"), "(float4 (to float 1) f2 (to float i))");
  EXPECT_EQ(typed("float4 z = {f4};"), "f4");
  EXPECT_EQ(typed("float4 z[2] = {{1, 2, 3, 4}, 5};"),
            "{0: (float4 (to float 1) (to float 2) (to float 3) (to float 4)), 1: (to float4 (to float 5))}");
  EXPECT_EQ(typed("f4 = (float4){f2, f2};"), "(= f4 (literal float4 (float4 f2 f2)))");
  EXPECT_TRUE(says("float4 z = {1, 2};", "The type float4 has 4 elements; 2 are given."));
}

TEST(InitializerTest, TooManyValuesAreReadAndForgotten) {
  EXPECT_TRUE(says("int z[1] = {1, 2, {3}};", "1:16: warning: There are more values than this array has elements."));
  EXPECT_EQ(typed("struct T z = {1, 2};"), "{0: 1}");
  EXPECT_TRUE(says("int z[1] = {1, nope};", "warning"));
  EXPECT_FALSE(Parsed(inKernel("int z[1] = {1, nope};")).ok);
}

TEST(InitializerTest, DeepBracesAndManyDesignatorsStayBounded) {
  EXPECT_TRUE(says("int z = " + std::string(100000, '{') + "1;", "nested more than 256 levels"));
  std::string text = "int z[2][40000] = {";
  for (int n = 40000; n-- > 0;) text += "[1][" + std::to_string(n) + "] = 1,";
  EXPECT_EQ(said(text + "};"), "");
}

}  // namespace
}  // namespace manyrt::compiler
