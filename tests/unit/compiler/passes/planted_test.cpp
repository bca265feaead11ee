// Whether a wrong pass would be found. Defects are planted after the passes, each as a mistake in a pass would leave it. The
// verifier has to tell, or a run of the interpreter beside the module from before.
#include <gtest/gtest.h>

#include <functional>

#include "../ir/ir_module.h"
#include "compiler/passes/passes.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

constexpr char kSource[] = R"(
uint mixed(uint a, int b) { return a - (uint)(b >> 1); }
kernel void k(global uint* out, uint n) {
  const uint g = get_global_id(0);
  uint sum = g, high = 0;
  uint2 pair = (uint2)(g, n);
  long wide = (int)(g - 2);
  for (uint i = 0; i < n; ++i) {
    if (i == 3 && g < 2) continue;
    if (sum > 90 && (g & 1)) { high = i + 1; break; }
    switch (i & 3) {
      case 0: sum += 5;
      case 1: sum += mixed(sum, -7); break;
      default: sum ^= i;
    }
  }
  out[4 * g] = sum; out[4 * g + 1] = high + pair.y * 2; out[4 * g + 2] = (uint)(wide >> 1); out[4 * g + 3] = pair.x - n;
})";

std::vector<uint32_t> result(const ir::Module& module, std::string* why) {
  ir::Run run;
  run.group_size[0] = 8;
  run.steps = 1 << 16;
  run.arguments = {ir::buffer(std::vector<uint32_t>(32)), ir::value(20)};
  ir::interpret(&run, module, *module.find("k"), why);
  return ir::words(run.arguments[0]);
}

// The first instruction of an operation in the kernel (`number`: a later one).
Instruction* first(ir::Module& module, Opcode op, int number = 0) {
  Instruction* found = nullptr;
  ir::forEach(*module.find("k")->body, [&](Instruction& i) {
    if (i.op == op && number-- == 0) found = &i;
  });
  return found;
}

struct Defect {
  const char* what;
  std::function<bool(ir::Module&)> plant;  // false: there was nothing to spoil
};

const Defect kDefects[] = {
    {"operands of a difference change places",
     [](ir::Module& m) {
       Instruction* i = first(m, Opcode::kSub);
       if (i != nullptr) std::swap(i->operands[0], i->operands[1]);
       return i != nullptr;
     }},
    {"a sign is lost when a number is made wider",
     [](ir::Module& m) {
       Instruction* i = first(m, Opcode::kSExt);
       if (i != nullptr) i->op = Opcode::kZExt;
       return i != nullptr;
     }},
    {"a bound is taken in",
     [](ir::Module& m) {
       Instruction* i = first(m, Opcode::kULt);
       if (i != nullptr) i->op = Opcode::kULe;
       return i != nullptr;
     }},
    {"a store is taken for dead",
     [](ir::Module& m) {
       Instruction* i = first(m, Opcode::kStore);
       if (i == nullptr) return false;
       std::erase(i->parent->body, i);
       return true;
     }},
    {"a break gives a value from before the loop",
     [](ir::Module& m) {
       Instruction* loop = first(m, Opcode::kLoop);
       Instruction* jump = first(m, Opcode::kBreak, 1);
       if (loop == nullptr || jump == nullptr) return false;
       for (ir::Value*& operand : jump->operands) operand = loop->operands[0];
       return true;
     }},
    {"a step gives what it was given",
     [](ir::Module& m) {
       Instruction* next = first(m, Opcode::kNext);
       if (next == nullptr) return false;
       next->operands = next->parent->parameters;
       return true;
     }},
    {"the sides of an if change places",
     [](ir::Module& m) {
       Instruction* i = first(m, Opcode::kIf, 1);
       if (i != nullptr) std::swap(i->regions[0], i->regions[1]);
       return i != nullptr;
     }},
    {"a value is used outside of the region that it belongs to",
     [](ir::Module& m) {
       Instruction* loop = first(m, Opcode::kLoop);
       Instruction* store = first(m, Opcode::kStore);
       if (loop == nullptr || store == nullptr) return false;
       store->operands[0] = loop->regions[0]->parameters[0];
       return true;
     }},
    {"a constant is folded in another width",
     [](ir::Module& m) {
       Instruction* i = first(m, Opcode::kConstant, 1);
       if (i != nullptr) i->numbers[0] = ~uint64_t{0};
       return i != nullptr;
     }},
    {"a part of a switch falls through where it left",
     [](ir::Module& m) {
       Instruction* i = first(m, Opcode::kLeave);
       if (i != nullptr) i->op = Opcode::kFallThrough;
       return i != nullptr;
     }},
    {"a region loses its terminator",
     [](ir::Module& m) {
       Instruction* i = first(m, Opcode::kContinue);
       if (i != nullptr) i->parent->body.pop_back();
       return i != nullptr;
     }},
    {"a shift goes by one more",
     [](ir::Module& m) {
       Instruction* i = first(m, Opcode::kAShr);
       if (i == nullptr) return false;
       Instruction* amount = i->operands[1]->by;
       amount->numbers[0] += 1;
       return true;
     }},
    {"an access has the address of its neighbour",
     [](ir::Module& m) {
       Instruction* a = first(m, Opcode::kStore);
       Instruction* b = first(m, Opcode::kStore, 1);
       if (a == nullptr || b == nullptr) return false;
       a->operands[1] = b->operands[1];
       return true;
     }},
};

TEST(IrPlantedDefectsTest, ThePassesKeepTheResult) {
  ir::FromSource made(kSource);
  std::string why;
  const std::vector<uint32_t> before = result(made.module, &why);
  EXPECT_EQ(why, "");
  ASSERT_TRUE(run(&made.module, "all", &why)) << why;
  EXPECT_EQ(result(made.module, &why), before);
  EXPECT_EQ(why, "");
}

TEST(IrPlantedDefectsTest, EachDefectIsFound) {
  for (const Defect& defect : kDefects) {
    ir::FromSource made(kSource);
    std::string why;
    const std::vector<uint32_t> before = result(made.module, &why);
    ASSERT_TRUE(run(&made.module, "all", &why)) << why;
    ASSERT_TRUE(defect.plant(made.module)) << defect.what << "\n" << ir::print(made.module);
    const bool refused = !ir::verify(made.module, &why);
    const bool differs = !refused && (result(made.module, &why) != before || !why.empty());
    EXPECT_TRUE(refused || differs) << defect.what << "\n" << ir::print(made.module);
  }
}

// --- with lanes

constexpr char kLaneSource[] = R"(
kernel void k(global uint* out, uint n) {
  const uint g = get_global_id(0);
  uint own[4];
  for (uint i = 0; i < 4; ++i) own[i] = g * i + n;
  uint sum = g;
  for (uint i = 0; i < (g & 7); ++i) {
    if ((sum ^ i) & 1) continue;
    sum += own[(sum + i) & 3];
    if (sum > 60) break;
  }
  { volatile global uint* seen = out + 16; seen[g] = sum + 1; }  // one lane after the other
  if ((g ^ n) % 3 != 0) out[g] = sum;
})";

// Looks in the form for whole vectors.
Instruction* firstOfLanes(ir::Module& module, Opcode op, int number = 0) {
  Instruction* found = nullptr;
  ir::forEach(*module.find("k")->body, [&](const Instruction& items) {
    if (items.op != Opcode::kItems || items.lanes == 1) return;
    ir::forEach(*items.regions[0], [&](Instruction& i) {
      if (i.op == op && number-- == 0) found = &i;
    });
  });
  return found;
}

const Defect kLaneDefects[] = {
    {"a store has lost its mask",
     [](ir::Module& m) {
       for (int number = 0;; ++number) {
         Instruction* i = firstOfLanes(m, Opcode::kStore, number);
         if (i == nullptr) return false;
         if (i->mask() == nullptr || i->operands[1]->type.space != AddressSpace::kGlobal) continue;
         i->operands.pop_back();
         return true;
       }
     }},
    {"neighbours are taken to be one element further",
     [](ir::Module& m) {
       for (int number = 0;; ++number) {
         Instruction* i = firstOfLanes(m, Opcode::kStore, number);
         if (i == nullptr) return false;
         if (i->numbers.empty()) continue;
         i->numbers[0] += 4;
         return true;
       }
     }},
    {"a linear value is taken for the same",
     [](ir::Module& m) {
       Instruction* i = firstOfLanes(m, Opcode::kSteps);
       if (i != nullptr) i->numbers[0] = 0;
       return i != nullptr;
     }},
    {"a choice by lanes is the wrong way round",
     [](ir::Module& m) {
       for (int number = 0;; ++number) {
         Instruction* i = firstOfLanes(m, Opcode::kSelect, number);
         if (i == nullptr) return false;
         if (!i->operands[0]->type.hasLanes()) continue;
         std::swap(i->operands[1], i->operands[2]);
         return true;
       }
     }},
    {"a value with lanes is used where all are the same",
     [](ir::Module& m) {
       Instruction* any = firstOfLanes(m, Opcode::kAny);
       if (any == nullptr) return false;
       any->op = Opcode::kSpread;
       return true;
     }},
    {"a lane is done for its neighbour",
     [](ir::Module& m) {
       Instruction* each = firstOfLanes(m, Opcode::kEach);
       Instruction* lane = firstOfLanes(m, Opcode::kLane);
       if (each == nullptr || lane == nullptr) return false;
       Instruction* zero = m.makeInstruction(Opcode::kConstant);
       zero->numbers = {0};
       zero->parent = lane->parent;
       lane->operands[1] = m.makeValue(*m.find("k"), {ir::Kind::kI32}, zero);
       lane->parent->body.insert(lane->parent->body.begin(), zero);
       return true;
     }},
    {"the rest of a row has one lane more",
     [](ir::Module& m) {
       Instruction* items = first(m, Opcode::kItems);
       if (items == nullptr || items->lanes == 1) return false;
       items->regions[1]->parameters.clear();
       return true;
     }},
};

TEST(IrPlantedDefectsTest, EachDefectOfLanesIsFound) {
  for (const Defect& defect : kLaneDefects) {
    ir::FromSource made(kLaneSource);
    std::string why;
    const std::vector<uint32_t> before = result(made.module, &why);
    EXPECT_EQ(why, "");
    made.module.vector_bytes = 16;
    made.module.lanes_along = 0;
    ASSERT_TRUE(run(&made.module, "all", &why)) << why;
    EXPECT_EQ(result(made.module, &why), before) << "without a defect";
    ASSERT_TRUE(defect.plant(made.module)) << defect.what << "\n" << ir::print(made.module);
    const bool refused = !ir::verify(made.module, &why);
    const bool differs = !refused && (result(made.module, &why) != before || !why.empty());
    EXPECT_TRUE(refused || differs) << defect.what << "\n" << ir::print(made.module);
  }
}

// --- with tiles, and vectors that go together

constexpr char kTogetherSource[] = R"(
kernel void k(global uint* out, uint n) {
  const int l = (int)get_local_id(0);
  local uint seen[64];
  uint sum = 0, row = 0;
  for (int i = 0; i < (int)n; ++i) sum = sum * 3 + out[32 + i] * out[40 + i * 40 + l];
  seen[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 9; ++i) row = row * 5 + out[64 + l * 9 + i];
  out[l] = seen[l ^ 1] ^ row;
})";

Instruction* firstInRegion(ir::Module& module, size_t number, Opcode op, const std::function<bool(const Instruction&)>& is) {
  Instruction* found = nullptr;
  ir::forEach(*module.find("k")->body, [&](const Instruction& items) {
    if (items.op != Opcode::kItems || items.regions.size() <= number) return;
    ir::forEach(*items.regions[number], [&](Instruction& i) {
      if (found == nullptr && i.op == op && is(i)) found = &i;
    });
  });
  return found;
}
bool isAny(const Instruction&) { return true; }

const Defect kTogetherDefects[] = {
    {"a turn takes the element of another one",
     [](ir::Module& m) {
       Instruction* i = firstInRegion(m, 0, Opcode::kExtract, [](const Instruction& each) { return each.numbers[0] == 2; });
       if (i != nullptr) i->numbers[0] = 1;
       return i != nullptr;
     }},
    {"a row begins an element later",
     [](ir::Module& m) {
       Instruction* i =
           firstInRegion(m, 0, Opcode::kLoad, [](const Instruction& each) { return each.result()->type.isVector(); });
       if (i != nullptr) i->numbers[0] += 4;
       return i != nullptr;
     }},
    {"tiles go on to a turn that there is not",
     [](ir::Module& m) {
       Instruction* i = firstInRegion(m, 0, Opcode::kULe, isAny);
       if (i == nullptr || i->operands[0]->by == nullptr) return false;
       i->operands[0]->by->numbers[0] = 1;
       return true;
     }},
    {"vectors that go together are one vector",
     [](ir::Module& m) {
       for (Instruction* i = first(m, Opcode::kItems); i != nullptr && i->jam > 1;) {
         i->regions[2]->body = {i->regions[2]->body.back()};
         return true;
       }
       return false;
     }},
    {"fewer vectors go together than their region is for",
     [](ir::Module& m) {
       Instruction* i = first(m, Opcode::kItems);
       if (i == nullptr || i->jam < 4) return false;
       i->jam = 8;
       return true;
     }},
};

std::vector<uint32_t> resultTogether(const ir::Module& module, std::string* why) {
  ir::Run run;
  run.group_size[0] = 39;
  run.steps = 1 << 18;
  std::vector<uint32_t> words(512);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i * 2654435761u >> 7;
  run.arguments = {ir::buffer(words), ir::value(7)};
  ir::interpret(&run, module, *module.find("k"), why);
  return ir::words(run.arguments[0]);
}

TEST(IrPlantedDefectsTest, EachDefectOfTilesAndVectorsIsFound) {
  for (const Defect& defect : kTogetherDefects) {
    ir::FromSource made(kTogetherSource);
    std::string why;
    made.module.vector_bytes = 16;
    ASSERT_TRUE(run(&made.module, "all", &why)) << why;
    const std::vector<uint32_t> before = resultTogether(made.module, &why);
    EXPECT_EQ(why, "");
    ASSERT_TRUE(defect.plant(made.module)) << defect.what << "\n" << ir::print(made.module);
    const bool refused = !ir::verify(made.module, &why);
    const bool differs = !refused && (resultTogether(made.module, &why) != before || !why.empty());
    EXPECT_TRUE(refused || differs) << defect.what << "\n" << ir::print(made.module);
  }
}

TEST(IrPlantedDefectsTest, APassThatIsNotThereIsNamed) {
  ir::FromSource made(kSource);
  std::string why;
  EXPECT_FALSE(run(&made.module, "nothing", &why));
  EXPECT_EQ(why, "there is no pass nothing");
}

}  // namespace
}  // namespace manyrt::compiler::passes
