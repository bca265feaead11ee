// Which ifs become selects, and that the words stay the same.
#include "compiler/passes/flatten_ifs.h"

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
  size_t ifs;  // that stay
};

const Case kCases[] = {
    {"if (l > 3 && l < 9) r = 1;", 0},
    {"if (l > 3 || n == 4) r = 1;", 0},
    {"if (l > 3 && n == 5) { out[l] = 7; return; }", 1},
    {"if ((l & 1) == 0 && (1 & 3) == 1) { out[l] = 7; return; }", 1},  // the second half is true
    {"if ((l & 1) == 0 && (1 & 3) == 0) { out[l] = 7; return; }", 1},  // or false
    {"if ((l & 1) == 0 || (1 & 3) == 1) r = 9;", 0},
    {"if ((l & 1) == 0 || (1 & 3) == 0) r = 9;", 0},
    {"if (l == 2 || (l > 4 && n > l)) r = l * n; else r = n - l;", 0},
    {"r = l < n ? l < 3 ? 8 : 9 : l > 12 ? 10 : 11;", 0},
    {"uint a = l, b = n; if (l & 2) { uint t = a; a = b; b = t; } r = a * 16 + b;", 0},
    {"bool t = l < 4; if (l & 1) t = !t; r = t;", 0},
    {"r = n != 0 ? l / n : 0; r += l != 0 ? n % l : 1;", 0},
    {"if (l < 3) r = out[16 + l];", 1},  // memory may not be there
    {"if (l < 3) r = l * 3 + (n ^ 5) * (l + 7) - (n << 2) + (l >> 1) * n;", 1},
    {"if (l < n) out[l] = 1; else out[16 + l] = 2;", 1},
};

TEST(IrFlattenIfsTest, ShortIfsWithoutEffectsAreSelects) {
  for (const Case& each : kCases) {
    const std::string source = "kernel void k(global uint* out, uint n) { const uint l = get_local_id(0); uint r = 0; " +
                               std::string(each.body) + " out[l] = r + 1; }";
    ir::FromSource made(source), flat(source);
    std::string why;
    for (const char* pass : {"cut", "promote_slots", "fold", "shrink", "flatten_ifs"}) {
      ASSERT_TRUE(run(&flat.module, pass, &why)) << why << source;
    }
    EXPECT_EQ(result(flat.module), result(made.module)) << source << "\n" << ir::print(flat.module);
    size_t ifs = 0;
    ir::forEach(*flat.module.find("k")->body, [&](const ir::Instruction& i) { ifs += i.op == Opcode::kIf ? 1 : 0; });
    EXPECT_EQ(ifs, each.ifs) << source << "\n" << ir::print(flat.module);
  }
}

}  // namespace
}  // namespace manyrt::compiler::passes
