// Slots become values: text in, text out, for each kind of control that values are carried through.
#include "compiler/passes/promote_slots.h"

#include "../ir/ir_module.h"

namespace manyrt::compiler::passes {
namespace {

using ir::FromText;

std::string promoted(const std::string& body, const std::string& more_slots = "") {
  const std::string head =
      "function \"f\" -> i32 {\n  parameter %0: i32 \"x\" bytes 0\n  parameter %1: bool \"c\" bytes 0\n"
      "  slot 0 private \"a\" size 4 align 4\n";
  FromText made(head + more_slots + body + "}\n");
  EXPECT_TRUE(made.is_read) << made.why;
  std::string why;
  EXPECT_TRUE(ir::verify(made.module, &why)) << why;
  promoteSlots(made.module);
  EXPECT_TRUE(ir::verify(made.module, &why)) << why << "\n" << ir::print(made.module);
  const std::string text = ir::print(made.module);
  const size_t begin = text.find("bytes 0\n", text.find("\"c\"")) + 8;
  return text.substr(begin, text.size() - begin - 2);
}

TEST(IrPromoteSlotsTest, AStoredValueIsReadFromThereOn) {
  EXPECT_EQ(promoted("  %2: private* = address slot 0\n  store %0 %2 align 4\n  %3: i32 = load %2 align 4\n  return %3\n"),
            "  %4: i32 = constant [0]\n  return %0\n");
}

TEST(IrPromoteSlotsTest, AnIfGivesWhatOneSideStores) {
  EXPECT_EQ(promoted("  %2: private* = address slot 0\n  store %0 %2 align 4\n  if %1 {\n    %3: i32 = load %2 align 4\n"
                     "    %4: i32 = add %3 %3\n    store %4 %2 align 4\n    yield\n  } {\n    yield\n  }\n"
                     "  %5: i32 = load %2 align 4\n  return %5\n"),
            "  %6: i32 = constant [0]\n  %7: i32 = if %1 {\n    %4: i32 = add %0 %0\n    yield %4\n  } {\n    yield %0\n  }\n"
            "  return %7\n");
}

TEST(IrPromoteSlotsTest, ALoopTakesItsValueThroughBodyStepAndBreak) {
  EXPECT_EQ(
      promoted("  %2: private* = address slot 0\n  store %0 %2 align 4\n  loop {\n    %3: i32 = load %2 align 4\n"
               "    if %1 {\n      break\n    } {\n      yield\n    }\n    continue\n  } {\n    %4: i32 = load %2 align 4\n"
               "    %5: i32 = add %4 %0\n    store %5 %2 align 4\n    next\n  }\n  %6: i32 = load %2 align 4\n  return %6\n"),
      "  %7: i32 = constant [0]\n  %10: i32 = loop %0 { (%8: i32)\n    if %1 {\n      break %8\n    } {\n      yield\n    }\n"
      "    continue %8\n  } { (%9: i32)\n    %5: i32 = add %9 %0\n    next %5\n  }\n  return %10\n");
}

TEST(IrPromoteSlotsTest, ASwitchTakesItsValueFromRegionToRegion) {
  EXPECT_EQ(
      promoted("  %2: private* = address slot 0\n  store %0 %2 align 4\n  switch %0 case [1] {\n    %3: i32 = load %2 align 4\n"
               "    %4: i32 = add %3 %0\n    store %4 %2 align 4\n    fallthrough\n  } case [2] {\n    leave\n  }\n"
               "  %5: i32 = load %2 align 4\n  return %5\n"),
      "  %6: i32 = constant [0]\n  %9: i32 = switch %0 %0 case [1] { (%7: i32)\n    %4: i32 = add %7 %0\n    fallthrough %4\n"
      "  } case [2] { (%8: i32)\n    leave %8\n  }\n  return %9\n");
}

TEST(IrPromoteSlotsTest, MemoryStaysMemory) {
  const std::string whole = "  %2: private* = address slot 0\n";
  for (const char* use : {
           "  %3: i64 = ptrtoint %2\n  store %0 %2 align 4\n",                                // its address is a number
           "  store %0 %2 align 4\n  %3: f32 = load %2 align 4\n",                            // two types
           "  store %0 %2 align 4 volatile\n",                                                // volatile
           "  %3: private* = address slot 1\n  store %0 %3 align 4\n  copy %2 %3 bytes 4\n",  // whole
           "  store %0 %2 align 4\n  fill %2 bytes 4\n",
       }) {
    const std::string text = promoted(whole + use + "  return %0\n", "  slot 1 private \"b\" size 4 align 4\n");
    EXPECT_NE(text.find("slot 0 private \"a\""), std::string::npos) << use << text;
  }
}

}  // namespace
}  // namespace manyrt::compiler::passes
