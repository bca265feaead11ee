// The results of pure operations in bits, at the edges of their types, and where there is no result.
#include "compiler/ir/evaluate.h"

#include "ir_module.h"

namespace manyrt::compiler::ir {
namespace {

struct Case {
  const char* operation;  // of %0, %1 and %2
  const char* type;       // of the result
  const char* operands;   // their types, with a blank between them
  std::vector<Bits> values;
  Bits wanted;
};

std::string parametersOf(const std::string& types) {
  std::string text;
  size_t at = 0;
  for (int number = 0; at < types.size(); ++number) {
    const size_t end = std::min(types.find(' ', at), types.size());
    text += "  parameter %" + std::to_string(number) + ": " + types.substr(at, end - at) + " \"\" bytes 0\n";
    at = end + 1;
  }
  return text;
}

// False: there is no result.
bool computed(Bits* result, const Case& each) {
  const FromText made("function \"f\" -> void {\n" + parametersOf(each.operands) + "  %9: " + each.type + " = " +
                      each.operation + "\n  return\n}\n");
  EXPECT_TRUE(made.is_read) << made.why;
  std::string why;
  EXPECT_TRUE(verify(made.module, &why)) << why;
  return evaluate(result, *made.module.functions[0]->body->body[0], each.values.data(), true);
}

TEST(IrEvaluateTest, OperationsGiveTheirBits) {
  const Case cases[] = {
      {"add %0 %1", "i8", "i8 i8", {{200}, {100}}, {44}},
      {"sub %0 %1", "i32", "i32 i32", {{0}, {1}}, {0xffffffff}},
      {"mul %0 %1", "i64", "i64 i64", {{uint64_t{1} << 63}, {3}}, {uint64_t{1} << 63}},
      {"sdiv %0 %1", "i16", "i16 i16", {{0xfff9}, {2}}, {0xfffd}},
      {"srem %0 %1", "i32", "i32 i32", {{0xfffffff9}, {2}}, {0xffffffff}},
      {"udiv %0 %1", "i32", "i32 i32", {{0xfffffff9}, {2}}, {0x7ffffffc}},
      {"shl %0 %1", "i8", "i8 i8", {{0x81}, {1}}, {2}},
      {"ashr %0 %1", "i8", "i8 i8", {{0x81}, {1}}, {0xc0}},
      {"lshr %0 %1", "i8", "i8 i8", {{0x81}, {1}}, {0x40}},
      {"slt %0 %1", "bool", "i32 i32", {{0x80000000}, {0}}, {1}},
      {"ult %0 %1", "bool", "i32 i32", {{0x80000000}, {0}}, {0}},
      {"sext %0", "i32", "bool", {{1}}, {0xffffffff}},
      {"zext %0", "i64", "i8", {{0xff}}, {0xff}},
      {"sext %0", "i64", "i8", {{0xff}}, {~uint64_t{0}}},
      {"trunc %0", "i16", "i64", {{0x12345678}}, {0x5678}},
      {"fptosi %0", "i32", "f32", {{0xc0600000}}, {0xfffffffd}},          // -3.5
      {"fptosi %0", "i32", "f32", {{0x7f800000}}, {0x80000000}},          // infinity
      {"fptosi %0", "i8", "f32", {{0x43960000}}, {0x2c}},                 // 300
      {"fptoui %0", "i32", "f64", {{0x41effffffe000000}}, {0xfffffff0}},  // 4294967280
      {"fptoui %0", "i64", "f64", {{0x43e8000000000000}}, {0xc000000000000000}},
      {"uitofp %0", "f32", "i64", {{~uint64_t{0}}}, {0x5f800000}},
      {"sitofp %0", "f64", "i32", {{0xffffffff}}, {0xbff0000000000000}},
      {"fptrunc %0", "f16", "f32", {{0x3f801000}}, {0x3c00}},  // half of the way between two halves: to the even one
      {"fptrunc %0", "f16", "f32", {{0x47800000}}, {0x7c00}},  // 65536
      {"fpext %0", "f32", "f16", {{1}}, {0x33800000}},         // the least of the halves
      {"fadd %0 %1", "f16", "f16 f16", {{0x3c00}, {0x1000}}, {0x3c00}},
      {"fneg %0", "f32", "f32", {{0}}, {0x80000000}},
      {"fma %0 %1 %2", "f32", "f32 f32 f32", {{0x3f800001}, {0x3f800001}, {0xbf800002}}, {0x28800000}},
      {"feq %0 %1", "bool", "f32 f32", {{0x7fc00000}, {0x7fc00000}}, {0}},
      {"fne %0 %1", "bool", "f32 f32", {{0x7fc00000}, {0x7fc00000}}, {1}},
      {"feq %0 %1", "bool", "f32 f32", {{0}, {0x80000000}}, {1}},
      {"select %0 %1 %2", "i32x2", "boolx2 i32x2 i32x2", {{1, 0}, {5, 6}, {7, 8}}, {5, 8}},
      {"bitcast %0", "i8x4", "i32", {{0x04030201}}, {1, 2, 3, 4}},
      {"bitcast %0", "i64", "i16x4", {{1, 2, 3, 4}}, {0x0004000300020001}},
      {"insert %0 %1 [2]", "i32x3", "i32x3 i32", {{1, 2, 3}, {9}}, {1, 2, 9}},
      {"shuffle %0 [3 0]", "i32x2", "i32x4", {{1, 2, 3, 4}}, {4, 1}},
      {"offset %0 %1", "global*", "global* i64", {{16}, {~uint64_t{0} - 7}}, {8}},
  };
  for (const Case& each : cases) {
    Bits result{};
    ASSERT_TRUE(computed(&result, each)) << each.operation;
    const Type type = FromText("function \"f\" -> " + std::string(each.type) + " {\n}\n").module.functions[0]->result;
    for (uint32_t i = 0; i < type.components; ++i)
      EXPECT_EQ(result[i], each.wanted[i]) << each.operation << " " << each.operands;
  }
}

TEST(IrEvaluateTest, WhatHasNoResultIsRefused) {
  const Case cases[] = {
      {"sdiv %0 %1", "i32", "i32 i32", {{1}, {0}}, {}},   {"srem %0 %1", "i8", "i8 i8", {{0x80}, {0xff}}, {}},
      {"urem %0 %1", "i64", "i64 i64", {{1}, {0}}, {}},   {"shl %0 %1", "i32", "i32 i32", {{1}, {32}}, {}},
      {"ashr %0 %1", "i8", "i8 i8", {{1}, {8}}, {}},      {"load %0 align 4", "i32", "global*", {{0}}, {}},
      {"workitem %0 global_id", "i64", "i32", {{0}}, {}},
  };
  for (const Case& each : cases) {
    Bits result{};
    EXPECT_FALSE(computed(&result, each)) << each.operation;
  }
}

}  // namespace
}  // namespace manyrt::compiler::ir
