// Calls and names: what a name means, what calls need, and what the function that calls remembers.
#include <algorithm>

#include "expression_rig.h"

namespace manyrt::compiler {
namespace {

using namespace rig;

TEST(PrimaryTest, CallsAreRememberedOnceByWhoCalls) {
  const Parsed parsed(inKernel("helper(1, 2); helper(3, 4); other(gi); f = sqrt(f) + sqrt(f); f4 = sqrt(f4);"));
  ASSERT_TRUE(parsed.ok) << parsed.diagnostics.log();
  const Function& kernel = parsed.kernel();
  ASSERT_EQ(kernel.callees.size(), 2u);
  EXPECT_EQ(kernel.callees[0]->name, "helper");
  EXPECT_EQ(kernel.callees[1]->name, "other");
  ASSERT_EQ(kernel.builtins.size(), 1u);
  EXPECT_EQ(kernel.builtins[0]->name, "sqrt");
}

TEST(PrimaryTest, TheProgramsOwnNamesComeFirst) {
  const Parsed parsed("float mix(float a) { return a; }\nkernel void k(global float *p) { p[0] = mix(p[1]); }\n");
  ASSERT_TRUE(parsed.ok) << parsed.diagnostics.log();
  EXPECT_EQ(dump(*parsed.last().a), "(= ([] p 0) (call mix ([] p 1)))");
  EXPECT_TRUE(parsed.kernel().builtins.empty());
  EXPECT_TRUE(says("int sqrt; sqrt(f);", "is called, but it is no function"));
}

TEST(PrimaryTest, ArgumentsOfBuiltInFunctionsConvert) {
  EXPECT_EQ(typed("max(f4, f);").substr(0, 9), "(call max");
  EXPECT_EQ(typed("sin(f);"), "(call sin f)");
  EXPECT_EQ(typed("get_global_id(0);"), "(call get_global_id (to uint 0))");
  EXPECT_EQ(typed("(max)(i, 2);"), "(call max i 2)");
  EXPECT_TRUE(says("dot(f4, f2);", "1:1: error: "));
}

TEST(PrimaryTest, FunctionsAreOnlyCalled) {
  EXPECT_EQ(said("i = helper;"),
            "1:5: error: The function \"helper\" can only be called: OpenCL C has no pointers to functions.");
  EXPECT_TRUE(says("pi = &helper;", "no pointers to functions"));
  EXPECT_TRUE(says("f = sqrt;", "can only be called"));
  EXPECT_TRUE(says("i = helper(1, 2)(3);", "1:17: error: A value of type int is called"));
}

TEST(PrimaryTest, CountsAndTypesOfArgumentsAreChecked) {
  EXPECT_EQ(said("helper(1, 2, 3);"), "1:1: error: The function \"helper\" takes 2 arguments; 3 are given.");
  EXPECT_EQ(said("helper(1, f4);"), "1:11: error: Type float4 does not convert to float in argument 2 of \"helper\".");
  EXPECT_TRUE(says("takes_local(gi);", "in argument 1 of \"takes_local\""));
  EXPECT_TRUE(says("nothing(1);", "takes 0 arguments; 1 is given"));
}

TEST(PrimaryTest, AnyBytesAreAnAnswer) {
  for (const char* text : {"(",
                           "((",
                           "f(",
                           "helper(",
                           "i[",
                           "i.",
                           "ps->",
                           "(float4)(",
                           "(int){",
                           "{",
                           "i ? ",
                           "i ? 1 :",
                           "sizeof",
                           "sizeof(",
                           "&",
                           "\"",
                           "'",
                           "'\\",
                           "(int",
                           "-",
                           "struct S z = {.",
                           "int z[] = {[",
                           "int z[] = {[0",
                           "__builtin_offsetof(",
                           "__builtin_offsetof(struct S",
                           "__builtin_offsetof(struct S, ",
                           "vec_step(",
                           "f4.",
                           "@",
                           "\\",
                           "\x80\xff",
                           "i = if("}) {
    const Parsed parsed(kPrelude + std::string(text));
    EXPECT_FALSE(parsed.ok) << text;
    EXPECT_FALSE(parsed.diagnostics.log().empty()) << text;
  }
}

}  // namespace
}  // namespace manyrt::compiler
