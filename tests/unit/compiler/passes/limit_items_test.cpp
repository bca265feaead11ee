// Conditions of ids that become limits, and those that have to stay: the same words as of each item by itself.
#include "compiler/passes/limit_items.h"

#include <algorithm>

#include "../ir/ir_module.h"
#include "compiler/passes/passes.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

std::vector<uint32_t> result(const ir::Module& module, uint32_t n) {
  ir::Run run;
  run.group_count[0] = 3;
  run.group_count[1] = 2;
  run.group_size[0] = 5;
  run.group_size[1] = 2;
  run.global_offset[0] = 4;
  run.steps = 1 << 20;
  run.arguments = {ir::buffer(std::vector<uint32_t>(256)), ir::value(n)};
  std::string why;
  EXPECT_TRUE(ir::interpret(&run, module, *module.find("k"), &why)) << why << "\n" << ir::print(module);
  return ir::words(run.arguments[0]);
}

struct Case {
  const char* body;
  std::vector<uint64_t> limits;  // of all items, as their numbers say
};

// x and y are global ids, l and m local ones, at is the item's own place.
const Case kCases[] = {
    {"if (x < n) out[at] = 1;", {1}},
    {"if (x >= n) return; out[at] = 1;", {1}},
    {"if (n <= x || y >= 3) return; out[at] = 1;", {1, 3}},
    {"if (x + 3 < n && m == 0) { out[at] = 1; out[at] += x; }", {1, 2, 3}},
    {"if (l != 0) out[at] = 7;", {0}},
    {"if (l) out[at] = 7;", {0}},
    {"if (!l) out[at] = 7;", {0, 1}},
    {"if ((int)x <= (int)n - 2) out[at] = 3;", {1}},
    {"if ((int)n < (int)l) out[at] = 3;", {0}},
    {"if (get_global_id(0) < n * 2ul) out[at] = 3;", {1}},
    {"if ((long)get_local_id(1) >= (long)(int)n) return; out[at] = 5;", {3}},
    {"if (x > 6) { if (y < n) out[at] = 1; }", {0, 3}},
    {"if (x >= n) return; if (y >= n) return; out[at] = x * y;", {1, 3}},
    // Code that reads memory, compares something else or does something for the others stays.
    {"if (x < out[255]) out[at] = 1;", {}},
    {"if (x * 2 < n) out[at] = 1;", {}},
    {"if ((uchar)x < n) out[at] = 1;", {}},
    {"if (x - 1 < n) out[at] = 1;", {}},
    {"if (x < y) out[at] = 1;", {}},
    {"if (x < n) out[at] = 1; else out[at] = 2;", {}},
    {"if (x < n) out[at] = 1; out[at] += 2;", {}},
    {"out[at] = 9; if (x < n) out[at] = 1;", {}},
    {"if (x < n || y < 2) out[at] = 1;", {}},
    {"if (x == n) return; out[at] = 1;", {}},
};

TEST(IrLimitItemsTest, LimitsAreFoundAndNoItemIsLost) {
  for (const Case& each : kCases) {
    const std::string source =
        "kernel void k(global uint* out, uint n) { const uint x = get_global_id(0), y = get_global_id(1), l = get_local_id(0), "
        "m = get_local_id(1), at = (x - 4) + 15 * y; " +
        std::string(each.body) + " }";
    for (const uint32_t n : {0u, 1u, 3u, 9u, 12u, 40u, 0x7fffffffu, 0x80000001u, 0xffffffffu}) {
      ir::FromSource made(source), limited(source);
      std::string why;
      ASSERT_TRUE(run(&limited.module, "all", &why)) << why << source;
      EXPECT_EQ(result(limited.module, n), result(made.module, n)) << n << " " << source << "\n" << ir::print(limited.module);
      std::vector<uint64_t> limits;
      ir::forEach(*limited.module.find("k")->body, [&](const Instruction& i) {
        if (i.op == Opcode::kItems) limits.insert(limits.end(), i.numbers.begin(), i.numbers.end());
      });
      std::sort(limits.begin(), limits.end());
      EXPECT_EQ(limits, each.limits) << source << "\n" << ir::print(limited.module);
    }
  }
}

}  // namespace
}  // namespace manyrt::compiler::passes
