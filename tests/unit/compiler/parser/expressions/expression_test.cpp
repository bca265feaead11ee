// Operators: which operands they take, what they convert them to, and where messages about them point.
#include "expression_rig.h"
#include "operator_cases.h"

namespace manyrt::compiler {
namespace {

using namespace rig;

TEST(ExpressionTest, OperatorsTakeWhatTheLanguageSays) { judge(kAcceptedOperators, true); }

TEST(ExpressionTest, OperatorsRefuseWhatTheLanguageRefuses) { judge(kRefusedOperators, false); }

TEST(ExpressionTest, OperatorsBindByPrecedenceAndFromTheLeft) {
  EXPECT_EQ(typed("i + i * 2 - 3 << 1 < 4 == 1 & 2 ^ 3 | 4 && 5 || 6;"),
            "(|| (&& (| (^ (& (== (< (<< (- (+ i (* i 2)) 3) 1) 4) 1) 2) 3) 4) 5) 6)");
  EXPECT_EQ(typed("i - i - i;"), "(- (- i i) i)");
  EXPECT_EQ(typed("i = i = 2;"), "(= i (= i 2))");
  EXPECT_EQ(typed("i ? 1 : i ? 2 : 3;"), "(? i 1 (? i 2 3))");
  EXPECT_EQ(typed("- ~ ! i;"), "(- (~ (! i)))");
  EXPECT_EQ(typed("i++ + ++i;"), "(+ (post++ i) (++ i))");
  EXPECT_EQ(typed("(i, u), c;"), "(, (, i u) c)");
  EXPECT_EQ(typed("-(i)*2;"), "(* (- i) 2)");
}

TEST(ExpressionTest, ScalarsMeetInTheirCommonType) {
  EXPECT_EQ(typed("c + s;"), "(+ (to int c) (to int s))");
  EXPECT_EQ(typed("i + u;"), "(+ (to uint i) u)");
  EXPECT_EQ(typed("u + l;"), "(+ (to long u) l)");
  EXPECT_EQ(typed("l * ul;"), "(* (to ulong l) ul)");
  EXPECT_EQ(typed("ul - f;"), "(- (to float ul) f)");
  EXPECT_EQ(typed("f / 2.0;"), "(/ (to double f) 2)");
  EXPECT_EQ(typed("b + b;"), "(+ (to int b) (to int b))");
  EXPECT_EQ(typed("e + 1u;"), "(+ (to uint e) 1:uint)");
  EXPECT_EQ(typed("c < uc;"), "(< (to int c) (to int uc))");
}

TEST(ExpressionTest, ScalarsSpreadOverVectorsInTwoSteps) {
  EXPECT_EQ(typed("f4 * 2;"), "(* f4 (to float4 (to float 2)))");
  EXPECT_EQ(typed("f + f4;"), "(+ (to float4 f) f4)");
  EXPECT_EQ(typed("i4 && b;"), "(&& i4 (to int4 (to int b)))");
  EXPECT_EQ(typed("f4 = d;"), "(= f4 (to float4 (to float d)))");
  EXPECT_EQ(typed("f4 += f;"), "(+= f4 (to float4 f))");
}

TEST(ExpressionTest, ShiftsKeepTheLeftTypeAndSpreadTheAmount) {
  EXPECT_EQ(typed("c << l;"), "(<< (to int c) l)");
  EXPECT_EQ(typed("c4 << i;"), "(<< c4 (to char4 (to char i)))");
  EXPECT_EQ(typed("i4 >> u4;"), "(>> i4 u4)");
  EXPECT_EQ(typed("l <<= c;"), "(<<= l (to int c))");
}

TEST(ExpressionTest, ComparisonsOfVectorsGiveSignedIntegersOfTheSameSize) {
  const Parsed parsed(inKernel("l4 = d4 < d4; c4 = uc4 == uc4; i4 = !f4; s4 = s4 && s4;"));
  EXPECT_TRUE(parsed.ok) << parsed.diagnostics.log();
  EXPECT_EQ(typed("sizeof(f4 < f4) + sizeof(d4 == d4) + sizeof(!c4) + sizeof(f < f);"),
            "(+ (+ (+ 16:ulong 32:ulong) 4:ulong) 4:ulong)");
}

TEST(ExpressionTest, CompoundAssignmentsOfScalarsKeepTheCommonTypeOnTheRight) {
  EXPECT_EQ(typed("c += 1;"), "(+= c 1)");
  EXPECT_EQ(typed("i *= 2.5;"), "(*= i 2.5)");
  EXPECT_EQ(typed("l /= i;"), "(/= l (to long i))");
  EXPECT_EQ(typed("pi += c;"), "(+= pi (to int c))");
}

TEST(ExpressionTest, ConditionalsChooseWholeValuesOrElements) {
  EXPECT_EQ(typed("i ? f4 : 1;"), "(? i f4 (to float4 (to float 1)))");
  EXPECT_EQ(typed("i4 ? f : i;"), "(? i4 (to float4 f) (to float4 (to float i)))");
  EXPECT_EQ(typed("b ? c : 2u;"), "(? b (to uint c) 2:uint)");
  EXPECT_EQ(typed("b ? gi : 0;"), "(? b gi (to __global int * 0))");
  EXPECT_EQ(typed("b ? pi : pv;"), "(? b (to void * pi) pv)");
}

TEST(ExpressionTest, PointersCountInElements) {
  EXPECT_EQ(typed("gi + uc;"), "(+ gi (to int uc))");
  EXPECT_EQ(typed("2 + ai;"), "(+ 2 (to int * ai))");
  EXPECT_EQ(typed("l = &ai[2] - ai;"), "(= l (- (& ([] (to int * ai) 2)) (to int * ai)))");
  EXPECT_EQ(typed("gi == 0;"), "(== gi (to __global int * 0))");
  EXPECT_EQ(typed("*&i;"), "(* (& i))");
}

TEST(ExpressionTest, MessagesPointAtTheOperatorAndNameTheTypes) {
  EXPECT_EQ(said("i = 1 + pi * 2;"), "1:12: error: The operator \"*\" does not take operands of the types int * and int.");
  EXPECT_EQ(said("f4 = i4;").substr(0, 56), "1:6: error: Type int4 does not convert to float4 in this");
  EXPECT_EQ(said("  ki = 1;"), "1:6: error: The variable \"ki\" has the type const int and cannot be assigned.");
  EXPECT_EQ(said("cgi[0] = 1;"), "1:8: error: What stands here has the type const int and cannot be assigned.");
  EXPECT_EQ(said("i = nope;"), "1:5: error: The name \"nope\" is undeclared.");
  EXPECT_EQ(said("i = nope(1);"), "1:5: error: The function \"nope\" is undeclared.");
  EXPECT_EQ(said("int count; i = coutn;"), "1:16: error: The name \"coutn\" is undeclared: did you mean \"count\"?");
  EXPECT_EQ(said("{ int count; } i = coutn;"), "1:20: error: The name \"coutn\" is undeclared.") << "it is not seen there";
  EXPECT_EQ(said("i = get_gobal_id(0);"),
            "1:5: error: The function \"get_gobal_id\" is undeclared: did you mean \"get_global_id\"?");
  EXPECT_EQ(said("i = 1 + ;"), "1:9: error: An expression is expected before \";\".");
  EXPECT_TRUE(says("f4 + 1.0;", "float4 and double: a scalar of higher rank"));
  EXPECT_TRUE(says("pi = gi;", "pointers to __global and to __private memory"));
  EXPECT_TRUE(says("helper(1);", "takes 2 arguments; 1 is given"));
  EXPECT_TRUE(says("i = if;", "before \"if\""));
}

// The errors about a statement: column and sentence of each.
std::vector<std::string> errorsAbout(const std::string& statement) {
  const Parsed parsed(inKernel(statement));
  std::vector<std::string> errors;
  for (const Diagnostic& each : parsed.diagnostics.list()) {
    if (each.kind == Diagnostic::Kind::kError) errors.push_back(std::to_string(each.where.column) + ": " + each.text);
  }
  EXPECT_EQ(parsed.ok, errors.empty());
  return errors;
}

TEST(ExpressionTest, EveryOperandIsExaminedAfterAnError) {
  using Errors = std::vector<std::string>;
  const Errors two = {"5: The name \"no1\" is undeclared.", "11: The name \"no2\" is undeclared."};
  for (const char* text : {"i = no1 + no2;", "i = no1 , no2;", "i = no1 * no2 + 3;", "i = no1 ? no2 : 1;",
                           "gi[ no1 + no2 ] = 0;", "-- ( no1 + no2 );", "i + no1 = no2;"}) {
    const Errors errors = errorsAbout(text);
    ASSERT_EQ(errors.size(), 2u) << text;
    EXPECT_NE(errors[0].find("no1"), std::string::npos) << text;
    EXPECT_NE(errors[1].find("no2"), std::string::npos) << text;
  }
  EXPECT_EQ(errorsAbout("i = no1 + no2;"), two);
  EXPECT_EQ(errorsAbout("i = helper(no1, f) + no2;").size(), 2u);
  EXPECT_EQ(errorsAbout("i = helper(no1, no2) + max(no3, no4);").size(), 4u);
  EXPECT_EQ(errorsAbout("i = no1(no2, 1) + no3;").size(), 3u);
  EXPECT_EQ(errorsAbout("i = no1[no2].x + no3;").size(), 3u);
  EXPECT_EQ(errorsAbout("i = f4 + i4 + no1;").size(), 2u) << "types that do not go together, too";
  EXPECT_EQ(errorsAbout("i = s1.no1 + f4.no2 + gi.no3;").size(), 3u);
  EXPECT_EQ(errorsAbout("i = s1.no1[no2] + 1;").size(), 2u);
  EXPECT_EQ(errorsAbout("int x1 = no1, x2 = no2; i = x1 + x2;").size(), 2u) << "both are declared";
  EXPECT_EQ(errorsAbout("if (no1 || no2) i = no3;").size(), 3u);
  EXPECT_EQ(errorsAbout("f4 = (float4)(no1, no2, 1, 2) + no3;").size(), 3u);
  EXPECT_EQ(errorsAbout("int x1[] = {no1, 2, no2}, x2 = no3;").size(), 3u);
  EXPECT_EQ(errorsAbout("int x1[2][2] = {{no1, 1}, {2, no2}};").size(), 2u);
}

TEST(ExpressionTest, OneMistakeIsOneError) {
  EXPECT_EQ(errorsAbout("i = no1 + no1 * no1; i = no1;").size(), 1u) << "a name, in a function";
  EXPECT_EQ(errorsAbout("i = no1 + ;").size(), 2u) << "an operand that is missing is a mistake of its own";
  EXPECT_EQ(errorsAbout("i = (no1 + 2;").size(), 2u);
  EXPECT_EQ(errorsAbout("i = no1(int, 3) + 1;").size(), 1u) << "a macro that is not there takes types";
  EXPECT_EQ(errorsAbout("i = no1(3, int) + 1;").size(), 1u);
  EXPECT_EQ(errorsAbout("i = no1((int)f, no2);").size(), 2u) << "a cast is no such type";
  std::string calls = "i = no1(1)";
  for (int n = 0; n < 100'000; ++n) calls += "+ no1(1)";
  EXPECT_EQ(errorsAbout(calls + ";").size(), 1u);
  EXPECT_EQ(errorsAbout("i = (no1).x->y[2]++ + 1;").size(), 1u);
  EXPECT_EQ(errorsAbout("f4 = -no1 * 2.0f;").size(), 1u);
  EXPECT_EQ(errorsAbout("i = sizeof(no1) + 1;").size(), 1u);
  EXPECT_EQ(errorsAbout("flaot x1 = 1; i = x1 + x1;").size(), 1u);
  EXPECT_EQ(errorsAbout("int x1[i]; x1[0] = 1;").size(), 1u);
  EXPECT_EQ(errorsAbout("i = i4;").size(), 1u);
  EXPECT_EQ(errorsAbout("int x1[] = {1, no1, 3}, x2 = 4; x1[0] = x2;").size(), 1u);
  EXPECT_EQ(errorsAbout("struct S x1 = {.a = no1, .v = 1}, x2; i = x2.a;").size(), 1u);
  EXPECT_EQ(errorsAbout("int x1 = i4, x2 = 1; i = x2;").size(), 1u);
  EXPECT_EQ(errorsAbout("int x1 = {no1, 3}, x2 = 4;").size(), 1u);
  EXPECT_EQ(errorsAbout("float4 x1 = {no1, 2, 3, 4};").size(), 1u);
  EXPECT_EQ(errorsAbout("i = helper((int){no1}, (float4)(no2, 1, 1, 1).x) + 1;").size(), 2u);
  EXPECT_EQ(errorsAbout("for (int n = no1; n < 3; ++n) i += n;").size(), 1u);
}

TEST(ExpressionTest, NearNamesOfMembersAndTypesAreSuggested) {
  EXPECT_EQ(said("i = s1.sbu.in1;"), "1:8: error: The type struct S has no member \"sbu\": did you mean \"sub\"?");
  EXPECT_TRUE(says("i = s1.sub.xx1;", "has no member \"xx1\": did you mean \"x1\"?")) << "and members of unnamed records";
  EXPECT_EQ(said("i = s1.nothing;"), "1:8: error: The type struct S has no member \"nothing\".");
  EXPECT_EQ(said("flaot x;"), "1:1: error: \"flaot\" names no type: did you mean \"float\"?");
  EXPECT_EQ(said("unit4 x;"), "1:1: error: \"unit4\" names no type: did you mean \"uint4\"?");
  EXPECT_EQ(said("toaster x;"), "1:1: error: \"toaster\" names no type.");
  const Parsed parsed("foat f(int x) { return 1; }");
  EXPECT_NE(parsed.diagnostics.log().find("found \"foat\": did you mean \"float\"?"), std::string::npos)
      << parsed.diagnostics.log();
}

TEST(ExpressionTest, ChainsAndNestingAreBounded) {
  std::string chain = "i = 1";
  for (int n = 0; n < 900; ++n) chain += "+1";
  EXPECT_EQ(said(chain + ";"), "");
  for (int n = 0; n < 200000; ++n) chain += "+1";
  EXPECT_TRUE(says(chain + ";", "more than 1000 operators high"));
  const std::string wide(100000, '(');
  EXPECT_TRUE(says("i = " + wide + "1;", "nested more than 256 levels"));
  std::string minus, casts, choices, subscripts;
  for (int n = 0; n < 100000; ++n) {
    minus += "- ";
    casts += "(int)";
    choices += "i ? 1 : ";
    subscripts += "[0";
  }
  for (const std::string& text : {minus + "1", casts + "1", choices + "1", "ai" + subscripts}) {
    EXPECT_TRUE(says("i = " + text + ";", "nested more than 256 levels")) << text.substr(0, 20);
  }
}

TEST(ExpressionTest, NodesKnowTheirTokens) {
  const Parsed parsed(inKernel("i = (u + 2) * c;"));
  ASSERT_TRUE(parsed.ok) << parsed.diagnostics.log();
  const auto text = [&](const Expr& expression) {
    std::string joined;
    for (uint32_t at = expression.tokens.begin; at < expression.tokens.end; ++at) joined += parsed.program.tokens[at].text;
    return joined;
  };
  const Expr& assignment = *parsed.last().a;
  EXPECT_EQ(text(assignment), "i=(u+2)*c");
  const Expr& product = *assignment.b->a;  // below the conversion to int, which has no tokens
  EXPECT_EQ(text(*assignment.b), "");
  EXPECT_EQ(text(product), "(u+2)*c");
  EXPECT_EQ(text(*product.a), "(u+2)");
}

}  // namespace
}  // namespace manyrt::compiler
