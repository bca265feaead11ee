// Integer constants: computed in the width of their type, without overflow of our own, and told from what only looks constant.
#include <utility>

#include "expression_rig.h"

namespace manyrt::compiler {
namespace {

using namespace rig;

// The value, through an enumerator, which has 32 bits.
int64_t value(const std::string& expression) {
  const Parsed parsed(inKernel("enum { VALUE = " + expression + " }; i = VALUE;"));
  if (!parsed.ok) return INT64_MIN;
  return static_cast<int32_t>(parsed.last().a->b->integer);
}

TEST(ConstantTest, ArithmeticIsThatOfTheType) {
  const std::pair<const char*, int64_t> kCases[] = {
      {"1 + 2 * 3", 7},
      {"-7 / 2", -3},
      {"-7 % 3", -1},
      {"7u / 2", 3},
      {"(-7 >> 1)", -4},
      {"1 << 33", 2},
      {"1 << -1", -2147483647 - 1},
      {"(int)((long)1 << 40 >> 38)", 4},
      {"2147483647 + 1 < 0", 1},
      {"2147483647u + 1 < 0", 0},
      {"0xffffffff > 0", 1},
      {"-1 < 0u", 0},
      {"-1L < 0u", 1},
      {"9223372036854775807L + 1 < 0", 1},
      {"(int)(-9223372036854775807L - 1 == (-9223372036854775807L - 1) / -1)", 1},
      {"(int)((-9223372036854775807L - 1) % -1)", 0},
      {"18446744073709551615ul / 3 == 6148914691236517205ul", 1},
      {"18446744073709551615ul > 1", 1},
      {"(uchar)300", 44},
      {"(char)200", -56},
      {"(short)0x18000", -32768},
      {"(bool)5", 1},
      {"(int)2.9f", 2},
      {"(uint)4000000000.0 == 4000000000u", 1},
      {"!0 + ~0", 0},
      {"'a'", 97},
      {"'\\377'", -1},
      {"'\\x41' + '\\n' + '\\0'", 75},
      {"'ab'", 24930},
      {"GREEN * 2", 10},
      {"ki", 3},
      {"0 && 1 / 0", 0},
      {"1 || 1 / 0", 1},
      {"1 ? 2 : 1 / 0", 2},
      {"sizeof(float3)", 16},
      {"sizeof(struct S)", 64},
      {"sizeof(i4 == i4)", 16},
      {"sizeof ai / sizeof *ai", 4},
      {"sizeof(\"abc\" \"d\")", 5},
      {"__alignof__(float8)", 32},
      {"vec_step(float3)", 4},
      {"vec_step(i)", 1},
      {"__builtin_offsetof(struct S, arr[1])", 36},
      {"__builtin_offsetof(struct S, sub.y1)", 48},
      {"true + true + false", 2},
  };
  for (const auto& [text, expected] : kCases) EXPECT_EQ(value(text), expected) << text;
}

TEST(ConstantTest, WhatIsNotConstantIsRefusedWithTheReason) {
  EXPECT_EQ(said("int q[1 / 0];"), "1:9: error: An integer constant is needed as the size of an array; this divides by zero.");
  EXPECT_TRUE(says("switch (i) { case 1 % 0: ; }", "divides by zero"));
  EXPECT_EQ(said("int q[i];"),
            "1:7: error: An integer constant is needed as the size of an array; this is known only when the program runs.");
  EXPECT_TRUE(says("int q[2.5];", "An integer is needed as the size of an array; this is double."));
  for (const char* text :
       {"(1, 2)", "i = 2", "table[0]", "helper(1, 2)", "(int)f", "1.5 > 1", "(int)1e30", "(int)__mrt_nanf"}) {
    EXPECT_TRUE(says(std::string("int q[") + text + "];", "known only when the program runs")) << text;
  }
}

TEST(ConstantTest, ConstantsMadeOfConstantsAreFoundInLinearTime) {
  std::string text = "const int a0 = 1;";
  for (int n = 1; n < 60; ++n) {
    const std::string before = "a" + std::to_string(n - 1);
    text += "const int a" + std::to_string(n) + " = " + before + " + " + before + ";";
  }
  EXPECT_EQ(said(text + "int q[a20 == 1048576 ? 1 : -1]; int r[a59 == 0 ? 1 : -1];"), "");
  EXPECT_TRUE(says("const int own = own + 1; int q[own];", "known only when the program runs"));
}

TEST(ConstantTest, ProgramScopeTakesWhatNeedsNoRunTime) {
  const std::pair<const char*, bool> kCases[] = {
      {"float x = 1.0f / 3 - 2;", true},
      {"float x = 1.0f / 0.0f;", true},
      {"int x = 1 / 0;", false},
      {"int x = helper(1, 2);", false},
      {"float x = sqrt(2.0f);", false},
      {"float4 x = (float4)(1, 2, 3, 4) * 2;", true},
      {"int *constant x = &table[1];", true},
      {"int *constant x = table + 2;", true},
      {"int x = table[1];", false},
      {"char *constant x[2] = {\"ab\", \"cd\"};", true},
      {"struct S x = {.arr = {1, 2}, .sub.y1 = 2};", true},
      {"int x = 0 ? table[0] : 4;", true},
      {"int x = 1 ? table[0] : 4;", false},
      {"int x = (int)3.5 + sizeof(struct S);", true},
      {"float x = INFINITY;", true},
      {"int x = get_global_id(0);", false},
  };
  for (const auto& [text, accepted] : kCases) {
    const Parsed parsed(kPrelude + std::string("}\nconstant ") + text);
    EXPECT_EQ(parsed.ok, accepted) << text << "\n" << parsed.diagnostics.log();
  }
}

}  // namespace
}  // namespace manyrt::compiler
