// Numbers, characters and strings: values and types by suffix, base and size, and what is no number at all.
#include <cmath>
#include <utility>

#include "expression_rig.h"

namespace manyrt::compiler {
namespace {

using namespace rig;

TEST(LiteralTest, IntegersHaveTheFirstTypeThatHoldsThem) {
  const std::pair<const char*, const char*> kCases[] = {
      {"2147483647", "2147483647"},
      {"2147483648", "2147483648:long"},
      {"0x7fffffff", "2147483647"},
      {"0x80000000", "2147483648:uint"},
      {"0xffffffffff", "1099511627775:long"},
      {"0xffffffffffffffff", "18446744073709551615:ulong"},
      {"037777777777", "4294967295:uint"},
      {"1u", "1:uint"},
      {"4294967296U", "4294967296:ulong"},
      {"1l", "1:long"},
      {"1LU", "1:ulong"},
      {"1ull", "1:ulong"},
      {"0b101", "5"},
      {"00", "0"},
  };
  for (const auto& [text, expected] : kCases) EXPECT_EQ(typed(std::string(text) + ";"), expected) << text;
}

double real(const std::string& text, Scalar scalar, bool single = false) {
  LanguageOptions options;
  options.single_precision_constants = single;
  const Parsed parsed(inKernel(text + ";"), options);
  EXPECT_TRUE(parsed.ok) << parsed.diagnostics.log();
  if (!parsed.ok) return -1;
  EXPECT_EQ(parsed.last().a->type->scalar, scalar) << text;
  return parsed.last().a->real;
}

TEST(LiteralTest, RealsAreRoundedOnceToTheirType) {
  EXPECT_EQ(real("0.1", Scalar::kDouble), 0.1);
  EXPECT_EQ(real("0.1f", Scalar::kFloat), double{0.1f});
  EXPECT_EQ(real("16777217.0f", Scalar::kFloat), 16777216.0);
  EXPECT_EQ(real(".5e1F", Scalar::kFloat), 5.0);
  EXPECT_EQ(real("5.", Scalar::kDouble), 5.0);
  EXPECT_EQ(real("1E+2", Scalar::kDouble), 100.0);
  EXPECT_EQ(real("0x1.8p-2f", Scalar::kFloat), 0.375);
  EXPECT_EQ(real("0xAp1", Scalar::kDouble), 20.0);
  EXPECT_EQ(real("0x1p+4", Scalar::kDouble), 16.0);
  EXPECT_EQ(real("0.1", Scalar::kFloat, true), double{0.1f});
  EXPECT_EQ(real("1e400", Scalar::kDouble), HUGE_VAL);
  EXPECT_EQ(real("1e-400", Scalar::kDouble), 0.0);
  EXPECT_EQ(real("1e-42f", Scalar::kFloat), double{1e-42f});
  EXPECT_EQ(real("INFINITY", Scalar::kFloat), HUGE_VAL);
  EXPECT_EQ(real("HUGE_VAL", Scalar::kDouble), HUGE_VAL);
  EXPECT_TRUE(std::isnan(real("NAN", Scalar::kFloat)));
}

TEST(LiteralTest, WhatIsNoNumberIsNamed) {
  EXPECT_EQ(said("i = 08;"),
            "1:5: error: \"08\" is no number: after the digits of base 8 only the suffixes u, l and ul may stand.");
  for (const char* text : {"1uu", "1lll", "1lL", "0x", "0b", "0b2", "1f", "1a", "1.5.2", "1.0u", "1.0ff", "1e", "1e+", "0x1.8",
                           "0xp1", "1.0h", "99999999999999999999", "0x1p"}) {
    EXPECT_TRUE(says(std::string("i = ") + text + ";", "1:5: error: ")) << text;
  }
}

TEST(LiteralTest, EscapesAreRead) {
  EXPECT_EQ(typed("'\\n' + '\\\\' + '\\'' + '\"' + '\\?' + '\\a';"), "(+ (+ (+ (+ (+ 10 92) 39) 34) 63) 7)");
  EXPECT_EQ(typed("'\\101';"), "65");
  EXPECT_EQ(typed("'\\xfe';"), "4294967294");  // the bits of an int of -2
  for (const char* text : {"''", "'\\777'", "'\\x100'", "'\\xg'", "'\\u0041'"}) {
    EXPECT_TRUE(says(std::string("i = ") + text + ";", "error")) << text;
  }
}

TEST(LiteralTest, AdjacentStringsAreOne) {
  EXPECT_EQ(typed("constant char *z = \"ab\" \"c\";"), "(to __constant char * (to __constant const char * \"abc\"))");
  EXPECT_EQ(typed("sizeof(\"\\x1\" \"2\");"), "3:ulong");
  EXPECT_EQ(typed("constant char *z = \"\\x1\" \"2\";"), "(to __constant char * (to __constant const char * \"\\0012\"))");
}

}  // namespace
}  // namespace manyrt::compiler
