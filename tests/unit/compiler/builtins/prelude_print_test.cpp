// printf of kernels: what reaches the standard output, and that a format which lies about its arguments does no harm.
#include "prelude_loops.h"

namespace manyrt::compiler {
namespace {

class PreludePrintTest : public PreludeLoops {
 protected:
  // A function printN that calls printf with this format (a C++ literal) and these arguments, as the text of C++ expressions.
  void addPrint(const std::string& format, const std::vector<QualType>& types, const std::string& values) {
    QualType text = value(Scalar::kChar);
    text.space = AddressSpace::kConstant;
    text.is_const = true;
    std::vector<QualType> arguments = {pointer(text)};
    arguments.insert(arguments.end(), types.begin(), types.end());
    QualType result;
    std::vector<QualType> parameters;
    std::string why;
    const Builtin* builtin = builtins_.find("printf");
    ASSERT_TRUE(builtins_.resolve(&result, &parameters, &why, *builtin, arguments)) << why;
    const std::string function = prelude_.builtin(*builtin, result, parameters);
    loop_text_ += "extern \"C\" int print" + std::to_string(count_++) + "() { return " + function + "(" + format +
                  (values.empty() ? "" : ", " + values) + "); }\n";
  }

  std::string printed(size_t number) {
    fflush(stdout);
    testing::internal::CaptureStdout();
    EXPECT_EQ(symbol<int (*)()>("print" + std::to_string(number))(), 0);
    fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }

  QualType type(Scalar scalar, uint32_t components = 1) { return value(scalar, components); }

 private:
  size_t count_ = 0;
};

TEST_P(PreludePrintTest, NumbersVectorsAndStringsAsTheStandardHasThem) {
  const Type* const text = types_.pointer(QualType{types_.scalar(Scalar::kChar), AddressSpace::kConstant, true});
  struct Row {
    const char* format;
    std::vector<QualType> types;
    const char* values;
    const char* expected;
  };
  const Row rows[] = {
      {R"("plain 100%%\n")", {}, "", "plain 100%\n"},
      {R"("%d|%5d|%-5d|%05d|%+d")",
       {type(Scalar::kInt), type(Scalar::kInt), type(Scalar::kInt), type(Scalar::kInt), type(Scalar::kInt)},
       "-1, 42, 42, 42, 42",
       "-1|   42|42   |00042|+42"},
      {R"("%u %x %#X %o")",
       {type(Scalar::kInt), type(Scalar::kInt), type(Scalar::kUInt), type(Scalar::kUInt)},
       "-1, -1, 255u, 8u",
       "4294967295 ffffffff 0XFF 10"},
      {R"("%ld %lu %lx")",
       {type(Scalar::kLong), type(Scalar::kULong), type(Scalar::kLong)},
       "-9223372036854775807l - 1, 18446744073709551615ul, -1l",
       "-9223372036854775808 18446744073709551615 ffffffffffffffff"},
      {R"("%hhd %hu %c%c")",
       {type(Scalar::kInt), type(Scalar::kInt), type(Scalar::kInt), type(Scalar::kInt)},
       "257, -1, 'o', 'k'",
       "1 65535 ok"},
      {R"("%f %.2e %g %10.3f|%a")",
       {type(Scalar::kFloat), type(Scalar::kDouble), type(Scalar::kFloat), type(Scalar::kFloat), type(Scalar::kFloat)},
       "1.5f, 12345.678, 0.1f, 3.14159f, 1.0f",
       "1.500000 1.23e+04 0.1      3.142|0x1p+0"},
      {R"("%f %F")", {type(Scalar::kFloat), type(Scalar::kFloat)}, "__builtin_inff(), -__builtin_inff()", "inf -INF"},
      {R"("%v4hlf")", {type(Scalar::kFloat, 4)}, "mrt_float4{1, 2.5f, -3, 4}", "1.000000,2.500000,-3.000000,4.000000"},
      {R"("%.1v2lf")", {type(Scalar::kDouble, 2)}, "mrt_double2{1, 2}", "1.0,2.0"},
      {R"("[%3v3hld]")", {type(Scalar::kInt, 3)}, "mrt_int3{1, -2, 3}", "[  1, -2,  3]"},
      {R"("%#v4hhx")", {type(Scalar::kUChar, 4)}, "mrt_uchar4{0xfa, 0xfb, 1, 2}", "0xfa,0xfb,0x1,0x2"},
      {R"("%v2hx %v2ld")",
       {type(Scalar::kShort, 2), type(Scalar::kLong, 2)},
       "mrt_short2{-1, 1}, mrt_long2{-1, 1}",
       "ffff,1 -1,1"},
      {R"("%v16hhd")",
       {type(Scalar::kChar, 16)},
       "mrt_char16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -15}",
       "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,-15"},
      {R"("%s|%5s|%-5s|%.2s")",
       {QualType{text}, QualType{text}, QualType{text}, QualType{text}},
       R"("abc", "abc", "abc", "abc")",
       "abc|  abc|abc  |ab"},
      {R"("%s")", {QualType{text}}, "nullptr", "(null)"},
      {R"("%p")", {pointer(type(Scalar::kInt))}, "(int*)16", "0x10"},
  };
  for (const Row& row : rows) addPrint(row.format, row.types, row.values);
  ASSERT_NO_FATAL_FAILURE(build());
  for (size_t i = 0; i < std::size(rows); ++i) EXPECT_EQ(printed(i), rows[i].expected) << rows[i].format;
}

TEST_P(PreludePrintTest, WhatDoesNotMatchIsMarkedAndNothingElseIsRead) {
  const Type* const text = types_.pointer(QualType{types_.scalar(Scalar::kChar), AddressSpace::kConstant, true});
  struct Row {
    const char* format;
    std::vector<QualType> types;
    const char* values;
    const char* expected;
  };
  const Row rows[] = {
      {R"("%s!")", {type(Scalar::kInt)}, "7", "%s(?)!"},
      {R"("%f")", {type(Scalar::kInt)}, "7", "%f(?)"},
      {R"("%d")", {type(Scalar::kFloat)}, "7.0f", "%d(?)"},
      {R"("%d %d %d")", {type(Scalar::kInt)}, "7", "7 %d(?) %d(?)"},
      {R"("%d")", {type(Scalar::kInt), type(Scalar::kInt)}, "7, 8", "7"},
      {R"("%v3hld")", {type(Scalar::kInt, 4)}, "mrt_int4{1, 2, 3, 4}", "%v3hld(?)"},
      {R"("%d")", {type(Scalar::kInt, 2)}, "mrt_int2{1, 2}", "%d(?)"},
      {R"("%n")", {pointer(type(Scalar::kInt))}, "(int*)0", "%n(?)"},
      {R"("%s")", {pointer(type(Scalar::kInt))}, "(int*)1", "%s(?)"},
      {R"("%d")", {QualType{text}}, R"("x")", "%d(?)"},
      {R"("100%")", {type(Scalar::kInt)}, "7", "100%(?)"},
      {R"("%")", {}, "", "%(?)"},
      {R"("%*d")", {type(Scalar::kInt)}, "7", "%*(?)d"},
      {R"("%v999999999999d")", {type(Scalar::kInt)}, "7", "%v999999999999d(?)"},
      {R"("%--------------------------------------------------------5d|")", {type(Scalar::kInt)}, "7", "7    |"},
  };
  for (const Row& row : rows) addPrint(row.format, row.types, row.values);
  ASSERT_NO_FATAL_FAILURE(build());
  for (size_t i = 0; i < std::size(rows); ++i) EXPECT_EQ(printed(i), rows[i].expected) << rows[i].format;
}

TEST_P(PreludePrintTest, LongOutputAndZeroCharactersArriveWhole) {
  const Type* const text = types_.pointer(QualType{types_.scalar(Scalar::kChar), AddressSpace::kConstant, true});
  const std::string long_text(10000, 'x');
  addPrint(R"("%s|%s")", {QualType{text}, QualType{text}}, "\"" + long_text + "\", \"end\"");
  addPrint(R"("a%cb")", {type(Scalar::kInt)}, "0");
  addPrint(R"("%999.999f|")", {type(Scalar::kDouble)}, "1e308");
  addPrint(R"("%99999999d")", {type(Scalar::kInt)}, "1");
  ASSERT_NO_FATAL_FAILURE(build());
  EXPECT_EQ(printed(0), long_text + "|end");
  EXPECT_EQ(printed(1), std::string("a\0b", 3));
  EXPECT_EQ(printed(2).size(), 309u + 1 + 999 + 1);
  EXPECT_EQ(printed(3).size(), 999u);
}

MANYRT_FOR_EACH_COMPILER(PreludePrintTest);

}  // namespace
}  // namespace manyrt::compiler
