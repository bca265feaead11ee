// Casts, vector literals and compound literals: told apart by the type, and typed.
#include "expression_rig.h"

namespace manyrt::compiler {
namespace {

using namespace rig;

TEST(CastTest, VectorLiteralsHoldTheirElements) {
  EXPECT_EQ(typed("(float4)(1, f2, d);"), "(float4 (to float 1) f2 (to float d))");
  EXPECT_EQ(typed("(float4)(i);"), "(float4 (to float i))");
  EXPECT_EQ(typed("(float4)(f4);"), "(cast float4 f4)");
  EXPECT_EQ(typed("(int4)((1, 2), 3, 4, 5);"), "(int4 (, 1 2) 3 4 5)");
  EXPECT_EQ(typed("(float4)f * f4;"), "(* (float4 f) f4)");
  EXPECT_EQ(typed("(float4)(1, 2, 3, 4).wz;").substr(0, 20), "(components (float4 ");
  EXPECT_EQ(typed("typedef float4 vec; (vec)(f2, f2);"), "(float4 f2 f2)");
}

TEST(CastTest, AfterAVectorsTypeAnotherCastMayStand) {
  EXPECT_EQ(typed("(float4)(float)i;"), "(float4 (cast float i))");
  EXPECT_EQ(typed("(float4)(int)f * f4;"), "(* (float4 (to float (cast int f))) f4)");
  EXPECT_EQ(typed("(float4)(float4)(f2, f2);"), "(cast float4 (float4 f2 f2))");
  EXPECT_EQ(typed("(float4)((float)i, f, (float2)(int)f);"), "(float4 (cast float i) f (float2 (to float (cast int f))))");
}

TEST(CastTest, OtherTypesAreCastAlsoOverCommas) {
  EXPECT_EQ(typed("(int)(1, f);"), "(cast int (, 1 f))");
  EXPECT_EQ(typed("(long)pi;"), "(cast long pi)");
  EXPECT_EQ(typed("(global float4 *)(gf + 4);"), "(cast __global float4 * (+ gf 4))");
  EXPECT_EQ(typed("(void)s1;"), "(cast void s1)");
  EXPECT_EQ(typed("(int)-1;"), "(cast int (- 1))");
  EXPECT_EQ(typed("(i)-1;"), "(- i 1)");
}

TEST(CastTest, CompoundLiteralsAreObjects) {
  EXPECT_EQ(typed("(struct T){1}.a;"), "(. (literal struct T {0: 1}) a)");
  EXPECT_EQ(typed("pi = (int[]){1, 2};"), "(= pi (to int * (, (= literal {0: 1, 1: 2}) literal)))");
  EXPECT_EQ(typed("sizeof (int[]){1, 2};"), "8:ulong");
  EXPECT_EQ(typed("sizeof (float4)(1.0f).xy;"), "8:ulong");
}

TEST(CastTest, RefusalsSayWhatToWrite) {
  EXPECT_TRUE(says("f4 = (float4)i4;", "1:6: error: A cast from int4 to float4 is not possible: write convert_"));
  EXPECT_TRUE(says("f4 = (float4)(f, f);", "The type float4 has 4 elements; 2 are given."));
  EXPECT_TRUE(says("f4 = (float4)(i2, f2);", "1:15: error: Type int2 does not convert to float, an element of float4"));
  EXPECT_TRUE(says("li = (local int *)gi;",
                   "pointers to __global and to __local memory are different things. Write \"__global int *\" instead"));
  EXPECT_TRUE(says("i = (int)f4;", "name a component"));
}

}  // namespace
}  // namespace manyrt::compiler
