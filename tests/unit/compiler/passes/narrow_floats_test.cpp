// Which doubles are computed in float: text in, the operation that is left out.
#include "compiler/passes/narrow_floats.h"

#include "../ir/ir_module.h"

namespace manyrt::compiler::passes {
namespace {

// The line that makes %9 from a float f, a double d, and the doubles 0.5 and 0.1.
std::string made(const std::string& type, const std::string& body) {
  ir::FromText from("function \"f\" -> " + type + " {\n  parameter %0: f32 \"f\" bytes 0\n  parameter %1: f64 \"d\" bytes 0\n" +
                    "  %2: f64 = fpext %0\n  %3: f64 = constant [4602678819172646912]\n"
                    "  %4: f64 = constant [4591870180066957722]\n" +
                    body + "  return %9\n}\n");
  EXPECT_TRUE(from.is_read) << from.why;
  std::string why;
  EXPECT_TRUE(ir::verify(from.module, &why)) << why;
  narrowFloats(from.module);
  EXPECT_TRUE(ir::verify(from.module, &why)) << why << "\n" << ir::print(from.module);
  const ir::Instruction* last = from.module.functions[0]->body->body.back()->operands[0]->by;
  return std::string(ir::spell(last->op)) + " of " + (last->operands[0]->type.kind == ir::Kind::kF32 ? "float" : "double");
}

TEST(IrNarrowFloatsTest, OneOperationBetweenFloatsIsOfFloats) {
  for (const std::string op : {"fadd", "fsub", "fmul", "fdiv"}) {
    EXPECT_EQ(made("f32", "  %5: f64 = " + op + " %3 %2\n  %9: f32 = fptrunc %5\n"), op + " of float");
    EXPECT_EQ(made("f32", "  %5: f64 = " + op + " %2 %2\n  %9: f32 = fptrunc %5\n"), op + " of float");
    EXPECT_EQ(made("f32", "  %5: f64 = " + op + " %4 %2\n  %9: f32 = fptrunc %5\n"), "fptrunc of double");  // 0.1 is no float
    EXPECT_EQ(made("f32", "  %5: f64 = " + op + " %1 %2\n  %9: f32 = fptrunc %5\n"), "fptrunc of double");
    EXPECT_EQ(made("f64", "  %9: f64 = " + op + " %3 %2\n"), op + " of double");
  }
  EXPECT_EQ(made("f32", "  %5: f64 = fma %2 %2 %3\n  %9: f32 = fptrunc %5\n"), "fptrunc of double");
}

TEST(IrNarrowFloatsTest, ComparisonsOfFloatsAreOfFloats) {
  for (const std::string op : {"feq", "fne", "flt", "fle"}) {
    EXPECT_EQ(made("bool", "  %9: bool = " + op + " %2 %3\n"), op + " of float");
    EXPECT_EQ(made("bool", "  %9: bool = " + op + " %2 %4\n"), op + " of double");
    EXPECT_EQ(made("bool", "  %9: bool = " + op + " %1 %2\n"), op + " of double");
  }
}

}  // namespace
}  // namespace manyrt::compiler::passes
