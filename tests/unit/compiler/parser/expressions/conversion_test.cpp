// Conversion as if by assignment: what converts, what warns, what is refused and with which words.
#include "expression_rig.h"

namespace manyrt::compiler {
namespace {

using namespace rig;

TEST(ConversionTest, EveryConversionIsANode) {
  EXPECT_EQ(typed("c = i;"), "(= c (to char i))");
  EXPECT_EQ(typed("b = f;"), "(= b (to bool f))");
  EXPECT_EQ(typed("b = pi;"), "(= b (to bool pi))");
  EXPECT_EQ(typed("double4 z = f;"), "(to double4 (to double f))");
  EXPECT_EQ(typed("pi = ai;"), "(= pi (to int * ai))");
  EXPECT_EQ(typed("pv = pi;"), "(= pv (to void * pi))");
  EXPECT_EQ(typed("gi = 0;"), "(= gi (to __global int * 0))");
  EXPECT_EQ(typed("gi = NULL;"), "(= gi (to __global int * (cast void * 0)))");
  EXPECT_EQ(typed("helper(c, 1.0);"), "(call helper (to int c) (to float 1))");
  EXPECT_EQ(typed("s1 = s2;"), "(= s1 s2)");
  EXPECT_EQ(typed("event_t ev = 0;"), "(to event_t 0)");
}

TEST(ConversionTest, DoubtfulConversionsWarn) {
  EXPECT_EQ(said("pi = i;"), "1:6: warning: Type int converts to int * in this assignment: an integer becomes a pointer.");
  EXPECT_TRUE(says("i = pi;", "warning: Type int * converts to int in this assignment: a pointer becomes an integer"));
  EXPECT_TRUE(says("pi = cpi;", "warning: Type const int * converts to int * in this assignment, which drops a qualifier"));
  EXPECT_TRUE(says("volatile int vi; pi = &vi;", "which drops a qualifier"));
  EXPECT_TRUE(says("pi = pf;", "they point to different types"));
  EXPECT_TRUE(says("takes_priv(cpi);", "in argument 1 of \"takes_priv\", which drops a qualifier"));
  EXPECT_EQ(said("cpi = pi;"), "");
  EXPECT_EQ(said("constant char *text = \"abc\";"), "");
}

// -Wdouble-literals: where a number alone makes an operand of type float a double.
TEST(ConversionTest, NumbersThatMakeFloatsDoubleWarnOnRequest) {
  LanguageOptions asks;
  asks.warns_of_doubles = true;
  EXPECT_EQ(said("f = f * 0.5;", asks),
            "1:9: warning: The number 0.5 is a double, so that \"*\" computes in double: write 0.5f.");
  EXPECT_EQ(said("f = f * 0.5;"), "");
  for (const char* statement : {"f = 2.0 + f;", "f *= 2.0;", "i = f < 2.0;", "f = i ? f : 2.0;", "f = f - -2.0;",
                                "f = f / (2.0);", "f = f * (2.0 * 3.0);", "f = (f + f) * 2.0;", "f = f * 2.0l;"}) {
    EXPECT_NE(said(statement, asks).find("warning: The number 2.0"), std::string::npos) << statement << said(statement, asks);
    EXPECT_NE(said(statement, asks).find("write 2.0f."), std::string::npos) << statement << said(statement, asks);
  }
  for (const char* statement :
       {"f = 0.5;", "float g = 0.5; (void)g;", "f = f * 0.5f;", "f = f * 2;", "double z = 0.5 * 2.0; (void)z;",
        "double z = 1; z = z * 0.5;", "double z = i * 0.5; (void)z;", "double z = f; z = z * f;", "f = f * (float)0.5;"}) {
    EXPECT_EQ(said(statement, asks), "") << statement;
  }
  asks.single_precision_constants = true;
  EXPECT_EQ(said("f = f * 0.5;", asks), "");
}

TEST(ConversionTest, MemoriesNeverMix) {
  EXPECT_TRUE(says("li = gi;", "error: Type __global int * does not convert to __local int *"));
  EXPECT_TRUE(says("gv = pi;", "error: Type int * does not convert to __global void *"));
  EXPECT_TRUE(says("takes_global(ci);", "pointers to __constant and to __global memory are different things"));
  EXPECT_TRUE(says("char *text = \"abc\";", "in the initialiser of \"text\""));
  EXPECT_TRUE(says("takes_priv(gi);", "pointers to __global and to __private memory are different things. Write \"__global"));
  EXPECT_TRUE(says("global int **inside = ppi;", "inside, pointers to __private and to __global memory"));
}

TEST(ConversionTest, VectorsConvertByFunctionsAlone) {
  EXPECT_TRUE(says("u4 = i4;", "write convert_uint4() for the values or as_uint4() for the bits"));
  EXPECT_TRUE(says("f3 = f4;", "Type float4 does not convert to float3"));
  EXPECT_TRUE(says("i4 + u4;", "The operands of \"+\" have the types int4 and uint4"));
  EXPECT_TRUE(says("i = i4;", "Type int4 does not convert to int"));
}

TEST(ConversionTest, HalfIsForStorageAlone) {
  EXPECT_TRUE(says("global half *h; f = *h;", "use vload_half"));
  EXPECT_TRUE(says("global half *h; h[1] = f;", "use vstore_half"));
  EXPECT_EQ(said("global half *h; f = vload_half(i, h + 1);"), "");
  EXPECT_EQ(said("global half *h; i = sizeof(*h);"), "");
}

TEST(ConversionTest, HalfIsANumberWhereItsExtensionIsEnabled) {
  const std::string enable = "\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  EXPECT_EQ(typed(enable + "half h = i;"), "(to half i)");
  EXPECT_EQ(said(enable + "half h = 1.5h; h += f; f = h * h; half4 v = h; i = v.x < h; if (h && !h) i = h;"), "");
  EXPECT_TRUE(says(enable + "half4 v = f4;", "convert_half4()"));
  EXPECT_TRUE(says(enable + "half h = 1; h = h % h;", "\"%\" does not take"));
  EXPECT_TRUE(says(enable + "half h = 1;\n#pragma OPENCL EXTENSION cl_khr_fp16 : disable\nf = h;", "enable cl_khr_fp16"));
}

TEST(ConversionTest, ArraysOfValuesCanOnlyBeSubscripted) {
  EXPECT_EQ(typed("i = mk().arr[1];"), "(= i ([] (to int * (. (call mk) arr)) 1))");
  EXPECT_TRUE(says("pi = mk().arr;", "store the value in a variable first"));
}

}  // namespace
}  // namespace manyrt::compiler
