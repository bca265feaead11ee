// Each rule of the IR, broken once in a module that is right otherwise.
#include "compiler/ir/verify.h"

#include "ir_module.h"

namespace manyrt::compiler::ir {
namespace {

struct Case {
  const char* body;
  const char* rule;
};

// Values that every case may use.
constexpr char kHead[] = R"(object 0 local "shared" size 16 align 4
function "other" -> i32 {
  parameter %0: i32 "x" bytes 0
  return %0
}
function "f" -> void kernel [0 0 0] {
  parameter %0: i32 "i" bytes 0
  parameter %1: i64 "l" bytes 0
  parameter %2: f32 "f" bytes 0
  parameter %3: global* "p" bytes 0
  parameter %4: i32x4 "v" bytes 0
  parameter %5: f32x4 "w" bytes 0
  slot 0 private "s" size 4 align 4
  %9: bool = eq %0 %0
)";

const Case kCases[] = {
    {"%10: i32 = add %0 %1", "all operands have one type"},
    {"%10: f32 = add %2 %2", "the types of the operands"},
    {"%10: i64 = add %0 %0", "the type of the result"},
    {"%10: i32 = add %0", "the number of operands and results"},
    {"%10: f32 = fadd %2 %0", "all operands have one type"},
    {"%10: i32 = fneg %0", "the types of the operands"},
    {"%10: i32 = slt %0 %0", "the type of the result"},
    {"%10: bool = flt %0 %0", "the types of the operands"},
    {"%10: i32 = select %0 %0 %0", "the types of the operands"},
    {"%10: i32 = constant [1 2]", "bits for each component"},
    {"%10: i8 = constant [256]", "the bits are those of the type"},
    {"%10: i32 = trunc %0", "the types of the operands"},
    {"%10: i8 = zext %0", "the types of the operands"},
    {"%10: i64 = sext %2", "the types of the operands"},
    {"%10: i32 = sitofp %0", "the types of the operands"},
    {"%10: f64 = fptosi %2", "the types of the operands"},
    {"%10: f32 = fpext %2", "the types of the operands"},
    {"%10: i64 = bitcast %0", "the types of the operands"},
    {"%10: i64x4 = sext %0", "a conversion keeps the number of components"},
    {"%10: i32 = ptrtoint %3", "the types of the operands"},
    {"%10: global* = inttoptr %0", "the types of the operands"},
    {"%10: i32x4 = splat %2", "the types of the operands"},
    {"%10: i32x2 = build %0", "the number of operands and results"},
    {"%10: i32 = extract %4 [4]", "the vector has such a component"},
    {"%10: i32 = extract %0 [0]", "a component is that of a vector"},
    {"%10: i32x4 = insert %4 %2 [1]", "the types of the operands"},
    {"%10: i32x2 = shuffle %4 [1 2 3]", "a component for each of the result's"},
    {"%10: global* = offset %3 %0", "the types of the operands"},
    {"%10: global* = address slot 0", "the type of the result"},
    {"%10: bool = load %3 align 1", "the types of the operands"},
    {"%10: i32 = load %0 align 4", "the types of the operands"},
    {"%10: i32 = load %3 align 3", "an alignment is a power of two"},
    {"store %9 %3 align 1", "the types of the operands"},
    {"copy %3 %3", "a copy has bytes"},
    {"%10: i64 = workitem %1 global_id", "the types of the operands"},
    {"call \"other\" %0", ""},  // refused as text: the name comes last
    {"%10: i32 = call %1 \"other\"", "arguments are of the parameters' types"},
    {"%10: i64 = call %0 \"other\"", "the type of the result"},
    {"if %0 {\n yield\n } {\n yield\n }", "the types of the operands"},
    {"if %9 {\n yield\n }", "an if has a condition and two regions"},
    {"%10: i32 = if %9 {\n yield\n } {\n yield %0\n }", "a yield ends a region of an if or of items and gives its results"},
    {"if %9 {\n } {\n yield\n }", "a region ends with a terminator"},
    {"if %9 {\n return\n yield\n } {\n yield\n }", "nothing follows a terminator"},
    {"if %9 {\n break\n } {\n yield\n }", "there is something around that it ends"},
    {"if %9 {\n leave\n } {\n yield\n }", "there is something around that it ends"},
    {"if %9 {\n %10: i32 = add %0 %0\n yield\n } {\n %11: i32 = add %10 %0\n yield\n }",
     "an operand is a value that is in sight"},
    {"loop {\n continue\n }", "a loop has a body and a step"},
    {"loop %0 {\n continue\n } {\n next\n }", "start values are those of the body"},
    {"loop {\n next\n } {\n next\n }", "next ends a step and gives the body's parameters"},
    {"loop {\n continue\n } {\n continue\n }", "continue goes from body to step"},
    {"%10: i32 = loop {\n break\n } {\n next\n }", "it gives the results of what it ends"},
    {"loop %0 { (%10: i32)\n continue\n } {\n next %1\n }", "next ends a step and gives the body's parameters"},
    {"switch %2 case [1] {\n leave\n }", "a switch decides by an integer"},
    {"switch %0 case [1 1] {\n leave\n }", "each value of a switch is there once, in its type"},
    {"switch %0 case [1] {\n fallthrough\n }", "there is a next region, with such parameters"},
    {"switch %0 {\n leave\n }", "a switch has values for each region"},
    {"%10: i32 = switch %0 case [1] {\n leave %0\n }", "without a region for all values it gives what it takes"},
    {"%9: i32 = add %0 %0", "a result is new and its instruction's"},
    {"barrier {\n yield\n }", "it has no regions"},
};

TEST(IrVerifyTest, TheModuleAroundTheCasesIsRight) {
  const FromText right(std::string(kHead) + "  return\n}\n");
  ASSERT_TRUE(right.is_read) << right.why;
  std::string why;
  EXPECT_TRUE(verify(right.module, &why)) << why;
}

TEST(IrVerifyTest, EachRuleIsFoundBroken) {
  for (const Case& each : kCases) {
    const FromText broken(std::string(kHead) + "  " + each.body + "\n  return\n}\n");
    if (each.rule[0] == '\0') {
      EXPECT_FALSE(broken.is_read) << each.body;
      continue;
    }
    ASSERT_TRUE(broken.is_read) << each.body << "\n" << broken.why;
    std::string why;
    EXPECT_FALSE(verify(broken.module, &why)) << each.body;
    EXPECT_NE(why.find(each.rule), std::string::npos) << each.body << "\n" << why;
  }
}

// The same of a kernel for groups.
TEST(IrVerifyTest, EachRuleOfItemsIsFoundBroken) {
  const Case kOfGroups[] = {
      {"items {\n %10: private* = address slot 0\n yield\n }", ""},
      {"%10: i32 = items {\n yield %0\n }", ""},
      {"barrier", "a kernel for groups has no barriers"},
      {"items {\n barrier\n yield\n }", "a kernel for groups has no barriers"},
      {"items {\n items {\n yield\n }\n yield\n }", "items stand in a kernel for groups, and not inside of others"},
      {"items %0 {\n yield\n }", "each limit of items is an i64 with its dimension"},
      {"%10: i64 = zext %0\n items %10 [6] {\n yield\n }", "each limit of items is an i64 with its dimension"},
      {"%10: i64 = zext %0\n items %10 %10 [0 5] {\n yield\n }", ""},
      {"%10: i64 = zext %0\n %11: i32 = items %10 [1] {\n yield %0\n }", "items with limits give nothing"},
      {"%10: i32 = items {\n yield\n }", "a yield ends a region of an if or of items and gives its results"},
      {"%10: private* = address slot 0", "an item's slot is its own, inside of items"},
      {"%10: i64 = workitem %0 global_id", "an id is that of an item, inside of items"},
      {"loop {\n items {\n break\n }\n continue\n } {\n next\n }", "there is something around that it ends"},
      {"loop {\n items {\n continue\n }\n continue\n } {\n next\n }", "there is something around that it ends"},
  };
  for (const Case& each : kOfGroups) {
    const FromText made(
        "function \"f\" -> void kernel_for_groups [0 0 0] {\n  parameter %0: i32 \"i\" bytes 0\n"
        "  slot 0 private \"s\" size 4 align 4 per_item\n  " +
        std::string(each.body) + "\n  return\n}\n");
    ASSERT_TRUE(made.is_read) << each.body << "\n" << made.why;
    std::string why;
    EXPECT_EQ(verify(made.module, &why), each.rule[0] == '\0') << each.body << "\n" << why;
    EXPECT_NE(why.find(each.rule), std::string::npos) << each.body << "\n" << why;
  }
  const FromText alone(
      "function \"f\" -> void kernel [0 0 0] {\n  slot 0 private \"s\" size 4 align 4 per_item\n  return\n}\n");
  std::string why;
  ASSERT_TRUE(alone.is_read) << alone.why;
  EXPECT_FALSE(verify(alone.module, &why));
}

TEST(IrVerifyTest, AReturnGivesTheFunctionsResult) {
  for (const char* text : {"function \"f\" -> i32 {\n  return\n}\n",
                           "function \"f\" -> void {\n  parameter %0: i32 \"x\" bytes 0\n  return %0\n}\n"}) {
    const FromText broken(text);
    ASSERT_TRUE(broken.is_read) << broken.why;
    std::string why;
    EXPECT_FALSE(verify(broken.module, &why));
    EXPECT_NE(why.find("a return gives the function's result"), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace manyrt::compiler::ir
