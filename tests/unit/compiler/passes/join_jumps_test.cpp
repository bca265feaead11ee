// A jump that only skips the rest becomes an `if`: how many jumps are left, and that the words stay the same.
#include "compiler/passes/join_jumps.h"

#include "../ir/ir_module.h"
#include "compiler/passes/passes.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Opcode;

std::vector<uint32_t> result(const ir::Module& module) {
  ir::Run run;
  run.group_size[0] = 16;
  run.steps = 1 << 20;
  run.arguments = {ir::buffer(std::vector<uint32_t>(32)), ir::value(5)};
  std::string why;
  EXPECT_TRUE(ir::interpret(&run, module, *module.find("k"), &why)) << why << "\n" << ir::print(module);
  return ir::words(run.arguments[0]);
}

struct Case {
  const char* body;
  size_t jumps;  // `continue` and `leave` that are left
};

const Case kCases[] = {
    {"for (uint i = 0; i < n; ++i) { if (i == l) continue; r += i * 3; out[16 + l] = r; }", 1},
    {"for (uint i = 0; i < n; ++i) { if (i != l) { r += 2; } else { r *= 3; continue; } r += i * 3; }", 1},
    {"for (uint i = 0; i < n; ++i) { if (i == l) continue; r += i; if (r > 9) continue; r += l; }", 1},
    {"for (uint i = 0; i < n; ++i) { r += i; if (r > 7 + l) break; r += l; }", 1},                 // leaves another way
    {"for (uint i = 0; i < n; ++i) { if (l > 3) { if (i == l) continue; r += 5; } r += i; }", 2},  // not the rest of its own
    {"switch (l & 3) { case 0: if (n > l) break; r = 4; break; case 1: r = 2; break; default: r = l; }", 3},
};

TEST(IrJoinJumpsTest, WhatIsSkippedStandsInTheOtherSide) {
  for (const Case& each : kCases) {
    const std::string source = "kernel void k(global uint* out, uint n) { const uint l = get_local_id(0); uint r = 1; " +
                               std::string(each.body) + " out[l] = r + 1; }";
    ir::FromSource made(source), joined(source);
    std::string why;
    joined.module.vector_bytes = 64;
    for (const char* pass : {"promote_slots", "join_jumps", "remove_dead"}) {
      ASSERT_TRUE(run(&joined.module, pass, &why)) << each.body << "\n" << why << "\n" << ir::print(joined.module);
    }
    EXPECT_EQ(result(made.module), result(joined.module)) << each.body << "\n" << ir::print(joined.module);
    size_t jumps = 0;
    ir::forEach(*joined.module.find("k")->body,
                [&](const ir::Instruction& i) { jumps += i.op == Opcode::kContinue || i.op == Opcode::kLeave ? 1 : 0; });
    EXPECT_EQ(jumps, each.jumps) << each.body << "\n" << ir::print(joined.module);
  }
}

}  // namespace
}  // namespace manyrt::compiler::passes
