// Code that goes and code that stays: text in, text out.
#include "compiler/passes/remove_dead.h"

#include "../ir/ir_module.h"

namespace manyrt::compiler::passes {
namespace {

std::string left(const std::string& body) {
  ir::FromText made(
      "function \"f\" -> i32 {\n  parameter %0: i32 \"x\" bytes 0\n  parameter %1: bool \"c\" bytes 0\n"
      "  parameter %2: global* \"p\" bytes 0\n" +
      body + "}\n");
  EXPECT_TRUE(made.is_read) << made.why;
  std::string why;
  EXPECT_TRUE(ir::verify(made.module, &why)) << why;
  removeDead(made.module);
  EXPECT_TRUE(ir::verify(made.module, &why)) << why << "\n" << ir::print(made.module);
  const std::string text = ir::print(made.module);
  const size_t begin = text.find("bytes 0\n", text.find("\"p\"")) + 8;
  return text.substr(begin, text.size() - begin - 2);
}

TEST(IrRemoveDeadTest, ValuesThatNothingUsesGoAndEffectsStay) {
  EXPECT_EQ(
      left("  slot 0 private \"a\" size 4 align 4\n  %3: i32 = add %0 %0\n  %4: i32 = mul %3 %3\n  %5: i32 = load %2 align 4\n"
           "  store %0 %2 align 4\n  return %0\n"),
      "  store %0 %2 align 4\n  return %0\n");
  EXPECT_EQ(left("  %5: i32 = load %2 align 4 volatile\n  return %0\n"), "  %5: i32 = load %2 align 4 volatile\n  return %0\n");
}

TEST(IrRemoveDeadTest, WhatIsCarriedForNothingGoes) {
  EXPECT_EQ(
      left(
          "  %9: i32, %10: i32 = loop %0 %0 { (%3: i32, %4: i32)\n    if %1 {\n      break %3 %4\n    } {\n      yield\n    }\n"
          "    continue %3 %4\n  } { (%5: i32, %6: i32)\n    %7: i32 = add %5 %0\n    %8: i32 = add %6 %0\n    next %7 %8\n  "
          "}\n"
          "  return %10\n"),
      "  %10: i32 = loop %0 { (%4: i32)\n    if %1 {\n      break %4\n    } {\n      yield\n    }\n    continue %4\n"
      "  } { (%6: i32)\n    %8: i32 = add %6 %0\n    next %8\n  }\n  return %10\n");
  EXPECT_EQ(left("  %9: i32, %10: i32 = if %1 {\n    yield %0 %0\n  } {\n    %3: i32 = add %0 %0\n    yield %3 %0\n  }\n  "
                 "return %10\n"),
            "  %10: i32 = if %1 {\n    yield %0\n  } {\n    yield %0\n  }\n  return %10\n");
  EXPECT_EQ(left("  %9: i32, %10: i32 = switch %0 %0 %0 case [1] { (%3: i32, %4: i32)\n    leave %3 %4\n  }\n  return %9\n"),
            "  %9: i32 = switch %0 %0 case [1] { (%3: i32)\n    leave %3\n  }\n  return %9\n");
}

TEST(IrRemoveDeadTest, EmptyIfsGoWithTheirConditionsAndLoopsStay) {
  EXPECT_EQ(left("  %3: bool = eq %0 %0\n  if %3 {\n    %4: i32 = add %0 %0\n    yield\n  } {\n    yield\n  }\n  return %0\n"),
            "  return %0\n");
  const std::string loop = "  loop {\n    continue\n  } {\n    next\n  }\n  return %0\n";
  EXPECT_EQ(left(loop), loop);
  const std::string jump =
      "  loop {\n    if %1 {\n      break\n    } {\n      yield\n    }\n    continue\n  } {\n    next\n  }\n  return %0\n";
  EXPECT_EQ(left(jump), jump);
}

TEST(IrRemoveDeadTest, WhatControlDoesNotReachGoes) {
  EXPECT_EQ(
      left("  loop {\n    if %1 {\n      break\n    } {\n      continue\n    }\n    store %0 %2 align 4\n    continue\n  } {\n"
           "    next\n  }\n  return %0\n"),
      "  loop {\n    if %1 {\n      break\n    } {\n      continue\n    }\n    continue\n  } {\n    next\n  }\n  return %0\n");
}

TEST(IrRemoveDeadTest, AnIfThatLeavesASwitchIsNotEmpty) {
  const std::string body =
      "  switch %0 case [1] {\n    if %1 {\n      leave\n    } {\n      yield\n    }\n    store %0 %2 align 4\n    leave\n  }\n"
      "  return %0\n";
  EXPECT_EQ(left(body), body);
  EXPECT_EQ(left("  switch %0 case [1] {\n    leave\n  } case [2] {\n    leave\n  }\n  return %0\n"), "  return %0\n");
}

}  // namespace
}  // namespace manyrt::compiler::passes
