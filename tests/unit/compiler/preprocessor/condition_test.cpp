// The arithmetic of #if: 64 bits, signed and unsigned as C99 has it, and errors only where something is evaluated.
#include "compiler/preprocessor/condition.h"

#include "preprocess.h"

namespace manyrt::compiler {
namespace {

bool holds(const std::string& expression) {
  const std::string text = expand("#if " + expression + "\n1\n#else\n0\n#endif");
  EXPECT_TRUE(text == "0" || text == "1") << expression;
  return text == "1";
}

std::string refusal(const std::string& expression) { return failure("#if " + expression + "\n#endif"); }

TEST(ConditionTest, OperatorsBindAsInC) {
  EXPECT_TRUE(holds("1 + 2 * 3 == 7"));
  EXPECT_TRUE(holds("10 - 4 - 3 == 3 && 100 / 5 / 2 == 10 && 17 % 5 == 2"));
  EXPECT_TRUE(holds("1 | 2 ^ 3 & 4 == 4"));
  EXPECT_TRUE(holds("(1 << 2 + 1) == 8 && (256 >> 4 >> 2) == 4"));
  EXPECT_TRUE(holds("1 ? 2 ? 3 : 0 : 0"));
  EXPECT_TRUE(holds("(0 ? 1 : 0 ? 2 : 3) == 3"));
  EXPECT_TRUE(holds("-1 < 0 && ~0 == -1 && !0 && !!5 == 1 && - - 2 == 2 && +3 == 3"));
  EXPECT_FALSE(holds("1 == 2 || 3 <= 2 || 3 < 3 || 3 > 3 || 2 >= 3 || 1 != 1"));
  EXPECT_TRUE(holds("0 || 1 && 1"));
}

TEST(ConditionTest, ArithmeticHas64BitsAndTheUnsignedRules) {
  EXPECT_TRUE(holds("0x7fffffffffffffff > 0"));
  EXPECT_TRUE(holds("9223372036854775807 + 1 < 0"));
  EXPECT_TRUE(holds("-1 > 0u"));
  EXPECT_TRUE(holds("18446744073709551615u == -1"));
  EXPECT_TRUE(holds("(0 ? 1u : -1) > 0"));
  EXPECT_TRUE(holds("-8 >> 1 == -4 && -1 / 2u > 1"));
  EXPECT_TRUE(holds("-9223372036854775807 - 1 == (-9223372036854775807 - 1) / -1"));
  EXPECT_TRUE(holds("(-9223372036854775807 - 1) % -1 == 0 && -7 / 2 == -3 && -7 % 2 == -1"));
  EXPECT_TRUE(holds("1 << 63 < 0 && 1 << 64 == 0 && -1 >> 64 == -1 && 4 << -1 == 2"));
  EXPECT_TRUE(holds("010 == 8 && 0xFfULL == 255 && 0b101 == 5 && 10lu == 10L && 1LL"));
}

TEST(ConditionTest, CharactersHaveTheirCodes) {
  EXPECT_TRUE(holds("'a' == 97 && '\\n' == 10 && '\\x41' == 65 && '\\101' == 'A' && '\\0' == 0 && '\\'' == 39"));
  EXPECT_TRUE(holds("'\\xff' < 0 && 'ab' == ('a' << 8 | 'b')"));
}

TEST(ConditionTest, NamesThatAreNoMacrosAreZero) {
  EXPECT_TRUE(holds("!nothing && true && !false && __OPENCL_VERSION__ >= 120"));
  EXPECT_TRUE(holds("defined cl_khr_fp64 && defined(M_PI) && !defined nothing && !defined(nothing)"));
  EXPECT_EQ(expand("#define A 0\n#define HAS (defined(A) && !defined B)\n#define f(x) x\n#if HAS && f(defined A)\nyes\n#endif"),
            "yes");
}

TEST(ConditionTest, WhatIsNotEvaluatedMayDivideByZero) {
  EXPECT_FALSE(holds("0 && 1 / 0"));
  EXPECT_TRUE(holds("1 || 1 % 0"));
  EXPECT_TRUE(holds("1 ? 2 : 1 / 0"));
  EXPECT_TRUE(holds("0 ? (1 / 0) : (1 || (2 / 0))"));
}

TEST(ConditionTest, ErrorsAreAtTheirPlace) {
  EXPECT_EQ(refusal("1 + 2 / 0"), "1:11: The expression divides by zero.");
  EXPECT_EQ(refusal("1 % (2 - 2)"), "1:7: The expression divides by zero.");
  EXPECT_EQ(refusal(""), "1:2: An expression is expected after the directive.");
  EXPECT_EQ(refusal("1 +"), "1:2: The expression ends where a value is expected.");
  EXPECT_EQ(refusal("(1"), "1:2: \")\" is expected here.");
  EXPECT_EQ(refusal("1 ? 2"), "1:2: \":\" is expected here, for the \"?\" before.");
  EXPECT_EQ(refusal("1 2"), "1:7: \"2\" is not expected in the expression.");
  EXPECT_EQ(refusal("1, 2"), "1:6: \",\" is not expected in the expression.");
  EXPECT_EQ(refusal("a = 2"), "1:7: \"=\" is not expected in the expression.");
  EXPECT_EQ(refusal("\"a\""), "1:5: \"\"a\"\" is not expected in the expression.");
  EXPECT_EQ(refusal("1.5"), "1:5: \"1.5\" is not an integer.");
  for (const char* bad : {"08", "0x", "1lul", "1lL", "1uu", "0b2", "1e5", "1f"}) {
    EXPECT_EQ(refusal(bad), std::string("1:5: \"") + bad + "\" is not an integer.");
  }
  EXPECT_EQ(refusal("18446744073709551616"), "1:5: The number 18446744073709551616 has more than 64 bits.");
  EXPECT_EQ(refusal("''"), "1:5: '' is not a character.");
  EXPECT_EQ(refusal("'\\q'"), "1:5: '\\q' is not a character.");
  EXPECT_EQ(refusal("'\\777'"), "1:5: '\\777' is not a character.");
  EXPECT_EQ(refusal("f(1)"), "1:5: \"f\" is not a macro with parameters, and nothing else is called in an expression.");
  EXPECT_EQ(refusal("defined"), "1:5: After \"defined\" stands a macro's name, or one in parentheses.");
  EXPECT_EQ(refusal("1 && defined(a"), "1:10: After \"defined\" stands a macro's name, or one in parentheses.");
}

TEST(ConditionTest, DepthIsBounded) {
  EXPECT_TRUE(holds(std::string(200, '(') + "1" + std::string(200, ')')));
  for (const char* opening : {"(", "- ", "!", "1?", "1+("}) {
    std::string expression;
    for (int i = 0; i < 100000; ++i) expression += opening;
    EXPECT_NE(refusal(expression).find("nested more than 256 levels deep"), std::string::npos) << opening;
  }
}

}  // namespace
}  // namespace manyrt::compiler
