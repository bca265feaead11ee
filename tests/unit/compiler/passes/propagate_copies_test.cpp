// Values that are carried and never change, and values that only look so: text in, text out.
#include "compiler/passes/propagate_copies.h"

#include "../ir/ir_module.h"

namespace manyrt::compiler::passes {
namespace {

std::string after(const std::string& body) {
  ir::FromText made(
      "function \"f\" -> i32 {\n  parameter %0: i32 \"x\" bytes 0\n  parameter %1: bool \"c\" bytes 0\n"
      "  parameter %2: i32 \"y\" bytes 0\n" +
      body + "}\n");
  EXPECT_TRUE(made.is_read) << made.why;
  std::string why;
  EXPECT_TRUE(ir::verify(made.module, &why)) << why;
  propagateCopies(made.module);
  EXPECT_TRUE(ir::verify(made.module, &why)) << why << "\n" << ir::print(made.module);
  return ir::print(made.module);
}

// The text of the value that the function returns.
std::string returned(const std::string& body) {
  const std::string text = after(body);
  const size_t at = text.rfind("return ");
  return text.substr(at + 7, text.find('\n', at) - at - 7);
}

std::string loop(const std::string& first, const std::string& broken, const std::string& on, const std::string& next) {
  return "  %9: i32 = loop " + first + " { (%3: i32)\n    if %1 {\n      break " + broken +
         "\n    } {\n      yield\n    }\n    continue " + on + "\n  } { (%4: i32)\n    %5: i32 = add %4 %0\n    next " + next +
         "\n  }\n  return %9\n";
}

TEST(IrPropagateCopiesTest, WhatALoopHandsRoundIsWhatItBeganAs) {
  EXPECT_EQ(returned(loop("%0", "%3", "%3", "%4")), "%0");
  EXPECT_EQ(returned(loop("%0", "%3", "%3", "%5")), "%9");  // changed in the step
  EXPECT_EQ(returned(loop("%0", "%3", "%2", "%4")), "%9");  // by the body
  EXPECT_EQ(returned(loop("%0", "%2", "%3", "%5")), "%2");  // whatever it carries
  EXPECT_EQ(returned(loop("%0", "%3", "%0", "%4")), "%0");
}

TEST(IrPropagateCopiesTest, BothSidesGiveOneValue) {
  EXPECT_EQ(returned("  %9: i32 = if %1 {\n    yield %0\n  } {\n    yield %0\n  }\n  return %9\n"), "%0");
  EXPECT_EQ(returned("  %9: i32 = if %1 {\n    yield %0\n  } {\n    yield %2\n  }\n  return %9\n"), "%9");
  // Only one side comes out, but what it gives is made inside of it.
  EXPECT_EQ(returned("  %9: i32 = if %1 {\n    %3: i32 = add %0 %2\n    yield %3\n  } {\n    return %2\n  }\n  return %9\n"),
            "%9");
  EXPECT_EQ(returned("  %9: i32 = if %1 {\n    yield %0\n  } {\n    return %2\n  }\n  return %9\n"), "%0");
}

TEST(IrPropagateCopiesTest, TwoThatChangePlacesStay) {
  const std::string text = after(
      "  %9: i32, %10: i32 = loop %0 %2 { (%3: i32, %4: i32)\n    if %1 {\n      break %3 %4\n    } {\n      yield\n    }\n"
      "    continue %3 %4\n  } { (%5: i32, %6: i32)\n    next %6 %5\n  }\n  return %9\n");
  EXPECT_NE(text.find("next %6 %5"), std::string::npos) << text;
  EXPECT_NE(text.find("break %3 %4"), std::string::npos) << text;
  EXPECT_NE(text.find("return %9"), std::string::npos) << text;
}

TEST(IrPropagateCopiesTest, RegionsOfASwitchThatAllGiveOne) {
  EXPECT_EQ(
      returned("  %9: i32 = switch %0 %2 case [1] { (%3: i32)\n    leave %3\n  } case [2] { (%4: i32)\n    fallthrough %4\n  } "
               "case [3] { (%5: i32)\n    leave %2\n  }\n  return %9\n"),
      "%2");
  EXPECT_EQ(returned("  %9: i32 = switch %0 %2 case [1] { (%3: i32)\n    leave %0\n  }\n  return %9\n"), "%9");
}

}  // namespace
}  // namespace manyrt::compiler::passes
