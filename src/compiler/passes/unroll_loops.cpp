// Inner loops first. The counter of a loop has to begin with a constant and to grow by a constant at the end of each turn. A
// comparison of it with a constant comes before anything that has an effect. All other loops stay.
#include "compiler/passes/unroll_loops.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/ir/evaluate.h"
#include "compiler/passes/control.h"
#include "compiler/passes/copy.h"
#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Value;

constexpr uint32_t kFewTurns = 4, kMostTurns = 16;          // turns: of any loop, and of one that indexes a slot
constexpr size_t kMostUnrolled = 240, kMostIndexed = 1000;  // instructions of all turns, the same

bool isConstant(const Value& value) {
  return value.by != nullptr && value.by->op == Opcode::kConstant && !value.type.isVector();
}

class Unrolling {
 public:
  Unrolling(ir::Module& module, ir::Function& function) : module_(module), function_(function) {}

  void region(Region& region) {
    std::vector<Instruction*> body;
    for (Instruction* i : region.body) {
      replaced_.apply(*i);
      for (Region* inner : i->regions) this->region(*inner);
      const uint32_t turns = i->op == Opcode::kLoop ? turnsOf(*i) : 0;
      if (turns == 0) {
        body.push_back(i);
      } else {
        unroll(*i, turns, region, &body);
      }
    }
    region.body = std::move(body);
  }

 private:
  // 0: it stays.
  static uint32_t turnsOf(const Instruction& loop) {
    const Region &body = *loop.regions[0], &step = *loop.regions[1];
    const Instruction* exit = exitOf(loop);
    if (exit == nullptr) return 0;
    size_t size = 0;
    bool stays = false, indexes = false;
    for (const Region* region : loop.regions) {
      ir::forEach(*region, [&](const Instruction& i) {
        size += i.op == Opcode::kConstant ? 0 : 1;
        stays = stays || i.op == Opcode::kLoop || i.op == Opcode::kBarrier || i.op == Opcode::kItems;
        if (ir::isTerminator(i.op) && i.op != Opcode::kReturn && i.parent->owner != exit && i.parent != region)
          stays = stays || targetOf(i) == &loop;
        indexes = indexes || (i.op == Opcode::kOffset && i.operands[0]->type.space == AddressSpace::kPrivate &&
                              !isConstant(*i.operands[1]));
      });
    }
    if (stays) return 0;
    const size_t room = (indexes ? kMostIndexed : kMostUnrolled) / std::max<size_t>(size, 1);
    const auto most = static_cast<uint32_t>(std::min<size_t>(indexes ? kMostTurns : kFewTurns, room));

    const Instruction& test = *exit->operands[0]->by;
    const auto counter = std::find(body.parameters.begin(), body.parameters.end(), test.operands[0]);
    const auto number = static_cast<size_t>(counter - body.parameters.begin());
    const Instruction* add = step.body.back()->operands[number]->by;
    if (add == nullptr || add->op != Opcode::kAdd || !isConstant(*add->operands[1]) || !isConstant(*loop.operands[number]))
      return 0;
    const auto carried = std::find(step.parameters.begin(), step.parameters.end(), add->operands[0]);
    if (carried == step.parameters.end() ||
        body.body.back()->operands[static_cast<size_t>(carried - step.parameters.begin())] != *counter) {
      return 0;
    }
    ir::Bits now[2] = {{loop.operands[number]->by->numbers[0]}, {test.operands[1]->by->numbers[0]}};
    ir::Bits more[2] = {{}, {add->operands[1]->by->numbers[0]}};
    const bool goes_on_when_true = exit->regions[0]->body[0]->op == Opcode::kYield;
    for (uint32_t turns = 0; turns <= most; ++turns) {
      ir::Bits holds{};
      if (!ir::evaluate(&holds, test, now, true)) return 0;
      if ((holds[0] != 0) != goes_on_when_true) return turns;
      more[0] = now[0];
      if (!ir::evaluate(&now[0], *add, more, true)) return 0;
    }
    return 0;
  }

  // The `if` that leaves the loop, before which all is pure; null: it has another form.
  static const Instruction* exitOf(const Instruction& loop) {
    const Region &body = *loop.regions[0], &step = *loop.regions[1];
    if (body.body.back()->op != Opcode::kContinue || step.body.back()->op != Opcode::kNext) return nullptr;
    const auto first =
        std::find_if(body.body.begin(), body.body.end(), [](const Instruction* i) { return !ir::isPure(i->op); });
    const Instruction& exit = **first;
    if (exit.op != Opcode::kIf || !exit.results.empty() || exit.regions[0]->body.size() != 1 ||
        exit.regions[1]->body.size() != 1)
      return nullptr;
    const Opcode one = exit.regions[0]->body[0]->op, other = exit.regions[1]->body[0]->op;
    const bool leaves =
        (one == Opcode::kYield && other == Opcode::kBreak) || (one == Opcode::kBreak && other == Opcode::kYield);
    const Instruction* test = exit.operands[0]->by;
    const bool is_test = leaves && test != nullptr && test->operands.size() == 2 && isConstant(*test->operands[1]) &&
                         std::find(body.parameters.begin(), body.parameters.end(), test->operands[0]) != body.parameters.end();
    return is_test ? &exit : nullptr;
  }

  void unroll(const Instruction& loop, uint32_t turns, Region& to, std::vector<Instruction*>* body) {
    const Region &of = *loop.regions[0], &step = *loop.regions[1];
    const Instruction* exit = exitOf(loop);
    std::vector<Value*> values = loop.operands;
    for (uint32_t turn = 0; turn <= turns; ++turn) {
      Copier copier(module_, function_);
      give(&copier, of.parameters, values);
      for (const Instruction* i : of.body) {
        if (i == exit && turn < turns) continue;
        if (i == exit || i == of.body.back()) break;
        body->push_back(copier.copy(*i, to));
      }
      if (turn == turns) {
        const Region& leaving = *exit->regions[exit->regions[0]->body[0]->op == Opcode::kBreak ? 0 : 1];
        for (size_t k = 0; k < loop.results.size(); ++k)
          replaced_.replace(loop.results[k], copier.of(leaving.body[0]->operands[k]));
        return;
      }
      values = given(copier, of);
      give(&copier, step.parameters, values);
      for (size_t k = 0; k + 1 < step.body.size(); ++k) body->push_back(copier.copy(*step.body[k], to));
      values = given(copier, step);
    }
  }

  static void give(Copier* copier, const std::vector<Value*>& parameters, const std::vector<Value*>& values) {
    for (size_t k = 0; k < parameters.size(); ++k) copier->replace(parameters[k], values[k]);
  }
  static std::vector<Value*> given(const Copier& copier, const Region& region) {
    std::vector<Value*> values;
    for (Value* each : region.body.back()->operands) values.push_back(copier.of(each));
    return values;
  }

  ir::Module& module_;
  ir::Function& function_;
  Replacements replaced_;
};

}  // namespace

void unrollLoops(ir::Module& module) {
  if (module.vector_bytes == 0) return;
  for (ir::Function* function : module.functions) Unrolling(module, *function).region(*function->body);
}

}  // namespace manyrt::compiler::passes
