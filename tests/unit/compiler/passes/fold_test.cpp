// Each peephole, and constants met at compile time: the instruction that returns is what is left of the one before.
#include "compiler/passes/fold.h"

#include "../ir/ir_module.h"

namespace manyrt::compiler::passes {
namespace {

// The folded form of %9, the value that `body` defines.
std::string folded(const std::string& body, const std::string& type) {
  ir::FromText made("function \"f\" -> " + type +
                    " {\n  parameter %0: i32 \"x\" bytes 0\n  parameter %1: bool \"c\" bytes 0\n" + body + "  return %9\n}\n");
  EXPECT_TRUE(made.is_read) << made.why;
  std::string why;
  EXPECT_TRUE(ir::verify(made.module, &why)) << why;
  fold(made.module);
  EXPECT_TRUE(ir::verify(made.module, &why)) << why;
  const ir::Value* value = made.module.functions[0]->body->body.back()->operands[0];
  if (value->by == nullptr || value->by->op != ir::Opcode::kConstant) return "%" + std::to_string(value->id);
  std::string numbers;
  for (const uint64_t number : value->by->numbers) numbers += (numbers.empty() ? "" : " ") + std::to_string(number);
  return numbers;
}

TEST(IrFoldTest, OperationsThatGiveAnOperandAreThatOperand) {
  const std::string zero = "  %3: i32 = constant [0]\n", one = "  %3: i32 = constant [1]\n",
                    all = "  %3: i32 = constant [4294967295]\n";
  for (const char* op : {"add %0 %3", "add %3 %0", "sub %0 %3", "or %3 %0", "xor %0 %3", "shl %0 %3", "ashr %0 %3"}) {
    EXPECT_EQ(folded(zero + "  %9: i32 = " + op + "\n", "i32"), "%0") << op;
  }
  for (const char* op : {"mul %0 %3", "mul %3 %0", "sdiv %0 %3", "udiv %0 %3"}) {
    EXPECT_EQ(folded(one + "  %9: i32 = " + op + "\n", "i32"), "%0") << op;
  }
  EXPECT_EQ(folded(all + "  %9: i32 = and %0 %3\n", "i32"), "%0");
  EXPECT_EQ(folded(zero + "  %9: i32 = mul %0 %3\n", "i32"), "0");
  EXPECT_EQ(folded(zero + "  %9: i32 = sub %3 %0\n", "i32"), "%9");
  EXPECT_EQ(folded(one + "  %9: i32 = sdiv %3 %0\n", "i32"), "%9");
}

TEST(IrFoldTest, ConversionsAndComponentsThatAreUndoneGo) {
  EXPECT_EQ(folded("  %3: i64 = sext %0\n  %9: i32 = trunc %3\n", "i32"), "%0");
  EXPECT_EQ(folded("  %3: i32 = zext %1\n  %4: i32 = constant [0]\n  %9: bool = ne %3 %4\n", "bool"), "%1");
  EXPECT_EQ(folded("  %3: i32x2 = splat %0\n  %9: i32 = extract %3 [1]\n", "i32"), "%0");
  EXPECT_EQ(folded("  %3: i32 = constant [5]\n  %4: i32x2 = build %3 %0\n  %9: i32 = extract %4 [1]\n", "i32"), "%0");
  EXPECT_EQ(folded("  %3: i64 = sext %0\n  %9: i16 = trunc %3\n", "i16"), "%9");
  EXPECT_EQ(folded("  %3: i32x2 = splat %0\n  %4: i32x2 = insert %3 %0 [0]\n  %9: i32 = extract %4 [1]\n", "i32"), "%9");
}

TEST(IrFoldTest, WhatIsAddedAndTakenBackGoes) {
  const std::string other = "  %2: i8 = trunc %0\n  %3: i32 = sext %2\n";
  for (const char* pair : {"add %0 %3|sub %4 %3", "add %3 %0|sub %4 %3", "sub %0 %3|add %4 %3", "sub %0 %3|add %3 %4",
                           "xor %0 %3|xor %4 %3", "xor %3 %0|xor %3 %4"}) {
    const std::string text = pair, first = text.substr(0, text.find('|')), second = text.substr(text.find('|') + 1);
    EXPECT_EQ(folded(other + "  %4: i32 = " + first + "\n  %9: i32 = " + second + "\n", "i32"), "%0") << pair;
  }
  const std::string twice = "  %3: bool = constant [1]\n  %4: bool = xor %1 %3\n  %5: bool = constant [1]\n";
  EXPECT_EQ(folded(twice + "  %9: bool = xor %4 %5\n", "bool"), "%1") << "!!c";
  for (const char* pair : {"sub %3 %0|add %4 %3", "add %0 %3|sub %3 %4", "add %0 %3|add %4 %3", "sub %0 %3|sub %4 %3",
                           "xor %0 %3|add %4 %3", "and %0 %3|xor %4 %3"}) {
    const std::string text = pair, first = text.substr(0, text.find('|')), second = text.substr(text.find('|') + 1);
    EXPECT_EQ(folded(other + "  %4: i32 = " + first + "\n  %9: i32 = " + second + "\n", "i32"), "%9") << pair;
  }
}

TEST(IrFoldTest, WhatIsCutAndHasNoOtherBitsStays) {
  const std::string bytes = "  %2: i8 = trunc %0\n  %3: i32 = zext %2\n", cut = "  %8: i8 = trunc %7\n  %9: i32 = zext %8\n";
  EXPECT_EQ(folded(bytes + "  %7: i32 = xor %3 %3\n" + cut, "i32"), "%7");
  EXPECT_EQ(folded(bytes + "  %4: i32 = constant [3]\n  %7: i32 = lshr %3 %4\n" + cut, "i32"), "%7");
  EXPECT_EQ(folded(bytes + "  %4: i32 = constant [27]\n  %7: i32 = select %1 %4 %3\n" + cut, "i32"), "%7");
  EXPECT_EQ(folded(bytes + "  %4: i32 = constant [200]\n  %7: i32 = and %0 %4\n" + cut, "i32"), "%7");
  EXPECT_EQ(folded(bytes + "  %4: i32 = constant [1]\n  %7: i32 = shl %3 %4\n" + cut, "i32"), "%9") << "a bit more";
  EXPECT_EQ(folded(bytes + "  %7: i32 = add %3 %3\n" + cut, "i32"), "%9");
  EXPECT_EQ(folded(bytes + "  %7: i32 = xor %3 %0\n" + cut, "i32"), "%9");
}

TEST(IrFoldTest, BytesOfLanesAreCutByAMask) {
  ir::FromText made(
      "vectors 16 along 0\nfunction \"k\" -> void kernel_for_groups [0 0 0] {\n  parameter %0: global* \"p\" bytes 0\n"
      "  items lanes 4 along 0 {\n    %2: i32@4 = load %0 [4] align 4\n    %3: i8@4 = trunc %2\n    %4: i32@4 = zext %3\n"
      "    store %4 %0 [4] align 4\n    yield\n  } { (%1: bool@4)\n    yield\n  }\n  return\n}\n");
  ASSERT_TRUE(made.is_read) << made.why;
  fold(made.module);
  std::string why;
  ASSERT_TRUE(ir::verify(made.module, &why)) << why;
  const std::string text = ir::print(made.module);
  EXPECT_NE(text.find("constant [255]"), std::string::npos) << text;
  EXPECT_NE(text.find("%4: i32@4 = and %2"), std::string::npos) << text;
}

TEST(IrFoldTest, ConstantsAreComputedAsTheInterpreterDoes) {
  EXPECT_EQ(folded("  %3: i8 = constant [200]\n  %4: i8 = add %3 %3\n  %9: i32 = sext %4\n", "i32"), "4294967184");
  EXPECT_EQ(folded("  %3: i32x2 = constant [7 8]\n  %9: i32x2 = mul %3 %3\n", "i32x2"), "49 64");
  EXPECT_EQ(folded("  %3: i32 = constant [0]\n  %4: i32 = constant [4]\n  %9: i32 = udiv %4 %3\n", "i32"), "%9");
}

}  // namespace
}  // namespace manyrt::compiler::passes
