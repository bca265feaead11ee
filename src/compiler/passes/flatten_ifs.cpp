// Both sides are computed: they are short, and pure operations never trap, since divisors and shifts are made safe by the
// tree's reader. Inner ifs come first.
#include "compiler/passes/flatten_ifs.h"

#include <algorithm>
#include <vector>

#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Value;

constexpr size_t kMost = 4;  // operations of a side but constants

bool isShort(const Region& region) {
  if (region.body.back()->op != Opcode::kYield) return false;
  const auto counts = [](const Instruction* i) { return i->op != Opcode::kConstant && i->op != Opcode::kYield; };
  return static_cast<size_t>(std::count_if(region.body.begin(), region.body.end(), counts)) <= kMost &&
         std::all_of(region.body.begin(), region.body.end() - 1, [](const Instruction* i) { return ir::isPure(i->op); });
}

bool isConstant(const Value& value, uint64_t number) {
  return value.by != nullptr && value.by->op == Opcode::kConstant && value.by->numbers[0] == number;
}

class Flattening {
 public:
  Flattening(ir::Module& module, ir::Function& function) : module_(module), function_(function) {}

  void region(Region& region) {
    std::vector<Instruction*> body;
    for (Instruction* i : region.body) {
      for (Region* inner : i->regions) this->region(*inner);
      replaced_.apply(*i);
      if (i->op != Opcode::kIf || i->results.empty() || !isShort(*i->regions[0]) || !isShort(*i->regions[1])) {
        body.push_back(i);
        continue;
      }
      for (const Region* side : i->regions) {
        for (size_t k = 0; k + 1 < side->body.size(); ++k) {
          side->body[k]->parent = &region;
          body.push_back(side->body[k]);
        }
      }
      for (size_t k = 0; k < i->results.size(); ++k) {
        Value* chosen = select(&body, region, *i, replaced_.of(i->regions[0]->body.back()->operands[k]),
                               replaced_.of(i->regions[1]->body.back()->operands[k]));
        replaced_.replace(i->results[k], chosen);
      }
    }
    region.body = std::move(body);
  }

 private:
  Value* select(std::vector<Instruction*>* body, Region& region, const Instruction& i, Value* a, Value* b) {
    if (a == b) return a;
    Value* condition = i.operands[0];
    const bool is_bool = a->type == ir::Type{ir::Kind::kBool};
    const bool both = is_bool && isConstant(*b, 0), either = is_bool && isConstant(*a, 1);
    if (both && either) return condition;
    Instruction* made = module_.makeInstruction(both ? Opcode::kAnd : either ? Opcode::kOr : Opcode::kSelect);
    made->operands = {condition, a, b};
    if (both) made->operands = {condition, a};
    if (either) made->operands = {condition, b};
    made->where = i.where;
    made->parent = &region;
    body->push_back(made);
    return module_.makeValue(function_, a->type, made);
  }

  ir::Module& module_;
  ir::Function& function_;
  Replacements replaced_;
};

}  // namespace

void flattenIfs(ir::Module& module) {
  for (ir::Function* function : module.functions) Flattening(module, *function).region(*function->body);
}

}  // namespace manyrt::compiler::passes
