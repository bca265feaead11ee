// Macro replacement: the examples of C99 6.10.3, and what the standard leaves to judgement as other compilers have it. Limits
// hold whatever a program defines.
#include "compiler/preprocessor/macro.h"

#include "preprocess.h"

namespace manyrt::compiler {
namespace {

TEST(MacroTest, TheRescanningExampleOfTheStandard) {
  EXPECT_EQ(expand("#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n"
                   "#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n"
                   "#define str(x) # x\n"
                   "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n"
                   "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };"),
            "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; "
            "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ; "
            "int i [ ] = { 1 , 23 , 4 , 5 , } ; char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;");
}

TEST(MacroTest, TheStringAndPasteExampleOfTheStandard) {
  EXPECT_EQ(expand("#define str(s) # s\n#define xstr(s) str(s)\n"
                   "#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", \\\n x ## s, x ## t)\n"
                   "#define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n"
                   "#define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n"
                   "debug(1, 2);\nfputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') // this goes away\n== 0) str(: @\\n), s);\n"
                   "xstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)"),
            "printf ( \"x\" \"1\" \"= %d, x\" \"2\" \"= %s\" , x1 , x2 ) ; "
            "fputs ( \"strncmp(\\\"abc\\\\0d\\\", \\\"abc\\\", '\\\\4') == 0\" \": @\\n\" , s ) ; "
            "\"vers2.h\" \"hello\" ; \"hello\" \", world\"");
}

TEST(MacroTest, ThePlacemarkerExampleOfTheStandard) {
  EXPECT_EQ(expand("#define t(x,y,z) x ## y ## z\n"
                   "int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),\nt(10,,), t(,11,), t(,,12), t(,,) };"),
            "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;");
}

TEST(MacroTest, AHashThatPastingMakesIsNoOperator) {
  EXPECT_EQ(expand("#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n"
                   "#define join(c, d) in_between(c hash_hash d)\nchar p[] = join(x, y);"),
            "char p [ ] = \"x ## y\" ;");
}

TEST(MacroTest, TheVariadicExampleOfTheStandard) {
  EXPECT_EQ(expand("#define debug(...) fprintf(stderr, __VA_ARGS__)\n#define showlist(...) puts(#__VA_ARGS__)\n"
                   "#define report(test, ...) ((test)?puts(#test):\\\n printf(__VA_ARGS__))\n"
                   "debug(\"Flag\");\ndebug(\"X = %d\\n\", x);\nshowlist(The first, second, and third items.);\n"
                   "report(x>y, \"x is %d but y is %d\", x, y);"),
            "fprintf ( stderr , \"Flag\" ) ; fprintf ( stderr , \"X = %d\\n\" , x ) ; "
            "puts ( \"The first, second, and third items.\" ) ; "
            "( ( x > y ) ? puts ( \"x>y\" ) : printf ( \"x is %d but y is %d\" , x , y ) ) ;");
}

TEST(MacroTest, ANameAtTheEndOfAReplacementTakesItsArgumentsFromTheTextAfterIt) {
  EXPECT_EQ(expand("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)"), "2 * 9 * g");
  EXPECT_EQ(expand("#define f(x) [x]\n#define e f\ne\n(1) f"), "[ 1 ] f");
}

TEST(MacroTest, ANameThatWasLeftAloneStaysSo) {
  EXPECT_EQ(expand("#define A A B\n#define B A\n#define id(x) x\nA id(A) id(id(B))"), "A A A A A B");
  EXPECT_EQ(expand("#define f(x) x f\nf(1)(2)(3)"), "1 f ( 2 ) ( 3 )");
}

TEST(MacroTest, ArgumentsAreExpandedBeforeTheyAreSubstituted) {
  EXPECT_EQ(expand("#define X 1\n#define both(a) a #a a##a\nboth(X)"), "1 \"X\" XX");
  EXPECT_EQ(expand("#define EMPTY\n#define LP (\n#define f(x, y) x-y\nf(EMPTY, (a, b)) f((LP), 2)"), "- ( a , b ) ( ( ) - 2");
}

TEST(MacroTest, StringsKeepTheSpacingOfTheArgument) {
  EXPECT_EQ(expand("#define s(...) #__VA_ARGS__\ns(  a   +\n b/**/c \"\\n\" '\"' <: ) s() s(a,b , c)"),
            "\"a + b c \\\"\\\\n\\\" '\\\"' <:\" \"\" \"a,b , c\"");
}

TEST(MacroTest, TheCommaBeforeArgumentsThatAreLeftOutGoes) {
  EXPECT_EQ(expand("#define p(f, ...) printf(f, ## __VA_ARGS__)\np(\"a\") p(\"b\",) p(\"c\", 1, 2)"),
            "printf ( \"a\" ) printf ( \"b\" , ) printf ( \"c\" , 1 , 2 )");
  EXPECT_EQ(expand("#define p(f, rest...) q(f, ## rest)\np(1) p(1, 2)"), "q ( 1 ) q ( 1 , 2 )");
  EXPECT_EQ(expand("#define p(...) f(0, ## __VA_ARGS__)\np() p(1)"), "f ( 0 ) f ( 0 , 1 )");
}

TEST(MacroTest, PlacesAreTheSpellingAndTheOutermostUse) {
  Preprocessed run("#define F(x) (x + 1)\n#define G F\n\nint a = G(b) c;");
  ASSERT_EQ(run.text(), "int a = ( b + 1 ) c ;");
  EXPECT_EQ(run.place(run.tokens[3].where), "a.cl:1:14");
  EXPECT_EQ(run.place(run.tokens[3].expanded), "a.cl:4:9");
  EXPECT_EQ(run.place(run.tokens[4].where), "a.cl:4:11");
  EXPECT_EQ(run.place(run.tokens[4].expanded), "a.cl:4:9");
  EXPECT_EQ(run.place(run.tokens[8].where), "a.cl:4:14");
  EXPECT_EQ(run.tokens[8].expanded.line, 0u);
}

TEST(MacroTest, PredefinedMacrosAreSpelledWhereTheyAreUsed) {
  Preprocessed run("int a =\n  INT_MIN;");
  ASSERT_EQ(run.text(), "int a = ( - 2147483647 - 1 ) ;");
  EXPECT_EQ(run.place(run.tokens[4].where), "a.cl:2:3");
}

TEST(MacroTest, TokensThatMacrosBringTogetherStayApart) {
  Preprocessed run("#define N -1\n#define PLUS +\na-N +PLUS x(N)");
  ASSERT_EQ(run.text(), "a - - 1 + + x ( - 1 )");
  EXPECT_FALSE(run.tokens[1].space_before);
  EXPECT_TRUE(run.tokens[2].space_before);
  EXPECT_FALSE(run.tokens[3].space_before);
  EXPECT_TRUE(run.tokens[5].space_before);
}

TEST(MacroTest, TheFirstTokenOfAReplacementBeginsTheLineOfItsUse) {
  Preprocessed run("#define E\n#define X y\nX X\nE z");
  EXPECT_TRUE(run.tokens[0].line_start);
  EXPECT_FALSE(run.tokens[1].line_start);
  EXPECT_TRUE(run.tokens[2].line_start);
}

TEST(MacroTest, LineFileAndCounterDependOnThePlace) {
  EXPECT_EQ(expand("#define L __LINE__\n__LINE__ L\n L __FILE__ __COUNTER__ __COUNTER__"), "2 2 3 \"a.cl\" 0 1");
}

TEST(MacroTest, AnotherDefinitionIsAWarningAndTheSameIsNone) {
  Preprocessed run("#define A(x) x + 1\n#define A(x)  x  +  1\n#define A(x) x+1\nA(2)");
  EXPECT_TRUE(run.ok);
  EXPECT_NE(run.log().find("a.cl:3:9: warning: The macro \"A\" is defined again, and differently."), std::string::npos);
  EXPECT_NE(run.log().find("a.cl:2:9: note: "), std::string::npos);
  EXPECT_EQ(run.text(), "2 + 1");
}

TEST(MacroTest, ConstantsThatTheLanguageDefinesMayBeDefinedAgain) {
  EXPECT_EQ(expand("#define M_PI 3.0f\n#undef NULL\nM_PI NULL"), "3.0f NULL");
}

TEST(MacroTest, PredefinedMacrosHaveTheirValues) {
  EXPECT_EQ(expand("__OPENCL_VERSION__ __OPENCL_C_VERSION__ CL_VERSION_1_0 CL_VERSION_1_1 CL_VERSION_1_2 __ENDIAN_LITTLE__"),
            "120 120 100 110 120 1");
  EXPECT_EQ(expand("CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE __IMAGE_SUPPORT__ cl_khr_fp64 __MANYRT__"),
            "1 2 __IMAGE_SUPPORT__ 1 1");
  EXPECT_EQ(
      expand("NULL INFINITY NAN HUGE_VALF HUGE_VAL MAXFLOAT M_PI_F"),
      "( ( void * ) 0 ) ( __mrt_inff ) ( __mrt_nanf ) ( __mrt_inff ) ( __mrt_inf ) 0x1.fffffep127f 3.14159265358979323846f");
  EXPECT_EQ(
      expand("__kernel_exec(8, float4) void"),
      "__kernel __attribute__ ( ( work_group_size_hint ( 8 , 1 , 1 ) ) ) __attribute__ ( ( vec_type_hint ( float4 ) ) ) void");
}

TEST(MacroTest, DamagedDefinitionsAreErrorsAtTheirPlace) {
  EXPECT_EQ(failure("\n#define"), "2:2: A macro's name is expected after #define, not the end of the line.");
  EXPECT_EQ(failure("#define 1"), "1:9: A macro's name is expected after #define, not \"1\".");
  EXPECT_EQ(failure("#define defined"), "1:9: A macro's name is expected after #define, not \"defined\".");
  EXPECT_EQ(failure("#define f(a, a) a"), "1:14: The macro \"f\" has two parameters \"a\".");
  EXPECT_EQ(failure("#define f(a"), "1:10: The list of the macro's parameters has no \")\".");
  EXPECT_EQ(failure("#define f(a b)"), "1:13: The list of the macro's parameters has no \")\".");
  EXPECT_EQ(failure("#define f(..., a)"), "1:14: The list of the macro's parameters has no \")\" after \"...\".");
  EXPECT_EQ(failure("#define f(a, 1)"), "1:14: A parameter's name or \"...\" is expected here, not \"1\".");
  EXPECT_EQ(failure("#define f(a) #b"), "1:14: After \"#\" in a macro with parameters stands one of these parameters.");
  EXPECT_EQ(failure("#define f ## b"), "1:11: \"##\" stands at the beginning of the macro; it joins two operands.");
  EXPECT_EQ(failure("#define f(a) a ##"), "1:16: \"##\" stands at the end of the macro; it joins two operands.");
}

TEST(MacroTest, WrongUsesAreErrorsAtTheirPlace) {
  EXPECT_EQ(failure("#define f(a, b) a\n f(1)"), "2:2: The macro \"f\" takes 2 arguments; here it gets 1.");
  EXPECT_EQ(failure("#define f() a\n f(1)"), "2:2: The macro \"f\" takes 0 arguments; here it gets 1.");
  EXPECT_EQ(failure("#define f(a, b, ...) a\n f(1)"), "2:2: The macro \"f\" takes at least 2 arguments; here it gets 1.");
  EXPECT_EQ(failure("#define f(a) a\n\n  f(1, (2"), "3:3: The argument list of the macro \"f\" has no \")\".");
  EXPECT_EQ(failure("#define f(a) + ## a\nf(x)"), "1:14: \"##\" joins \"+\" and \"x\", which together are not a token.");
}

TEST(MacroTest, ExponentialMacrosEndInAnError) {
  std::string text = "#define A0 lol lol\n";
  for (int i = 1; i < 64; ++i) {
    const std::string last = " A" + std::to_string(i - 1);
    text += "#define A" + std::to_string(i) + last + last + "\n";
  }
  EXPECT_EQ(failure(text + "A63"), "65:1: The macro used here makes more than 1000000 tokens.");
  text = "#define E0\n";
  for (int i = 1; i < 64; ++i) {
    const std::string last = " E" + std::to_string(i - 1);
    text += "#define E" + std::to_string(i) + last + last + "\n";
  }
  EXPECT_EQ(failure(text + "E63"), "65:1: The macro used here makes more than 1000000 tokens.");
}

TEST(MacroTest, ManySmallExpansionsEndInAnErrorToo) {
  std::string text = "#define E0\n";
  for (int i = 1; i < 20; ++i) {
    const std::string last = " E" + std::to_string(i - 1);
    text += "#define E" + std::to_string(i) + last + last + "\n";
  }
  for (int i = 0; i < 40; ++i) text += "E17\n";
  EXPECT_NE(failure(text).find("The program's macros make more than 16000000 tokens."), std::string::npos);
}

TEST(MacroTest, PastedTokensAndStringsHaveALimit) {
  std::string text = "#define C(a,b) a##b\n#define D(a,b) C(a,b)\n#define X0 abcdefgh\n";
  std::string strings = "#define S(x) #x\n#define T(x) S(x)\n#define Y0 \"\\\\\"\n";
  for (int i = 1; i < 40; ++i) {
    const std::string at = std::to_string(i), last = std::to_string(i - 1);
    text += "#define X" + at + " D(X" + last + ",X" + last + ")\n";
    strings += "#define Y" + at + " T(Y" + last + ")\n";
  }
  EXPECT_EQ(failure(text + "X39"), "43:1: A token that the macro makes with ## here has 131072 bytes; 65536 are the limit.");
  EXPECT_EQ(failure(strings + "Y39"), "43:1: A string that the macro makes with # here has more than 65536 bytes.");
}

TEST(MacroTest, NestedUsesHaveALimitedDepth) {
  const auto nested = [](size_t depth) {
    std::string text = "#define f(x) x\n";
    for (size_t i = 0; i < depth; ++i) text += "f(";
    return text + "1" + std::string(depth, ')');
  };
  EXPECT_EQ(expand(nested(256)), "1");
  EXPECT_EQ(failure(nested(1000)), "2:1: Macros are used in the arguments of macros more than 256 levels deep here.");
}

TEST(MacroTest, AChainOfMacrosMayBeAsLongAsTheProgram) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "#define A" + std::to_string(i) + " A" + std::to_string(i + 1) + "\n";
  EXPECT_EQ(expand(text + "A0"), "A50000");
}

}  // namespace
}  // namespace manyrt::compiler
