// One operation between two conversions, or between one and a comparison. A constant counts as a float if a float holds it.
#include "compiler/passes/narrow_floats.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Kind;
using ir::Opcode;
using ir::Region;
using ir::Value;

bool isFloat(uint64_t bits) {
  const auto number = std::bit_cast<double>(bits);
  return std::bit_cast<uint64_t>(static_cast<double>(static_cast<float>(number))) == bits;
}

// Whether the same number is at hand as a float, or can be written down as one. NaN is left alone.
bool isFloat(const Value& value) {
  const Instruction* by = value.by;
  if (by == nullptr || value.type.kind != Kind::kF64) return false;
  if (by->op == Opcode::kFPExt) return by->operands[0]->type.kind == Kind::kF32;
  return by->op == Opcode::kConstant &&
         std::all_of(by->numbers.begin(), by->numbers.end(), [](uint64_t bits) { return isFloat(bits); });
}

bool isConverted(const Value& value) { return value.by->op == Opcode::kFPExt; }

class Narrowing {
 public:
  Narrowing(ir::Module& module, ir::Function& function) : module_(module), function_(function) {}

  void region(Region& region) {
    std::vector<Instruction*> body;
    for (Instruction* i : region.body) {
      for (Region* inner : i->regions) this->region(*inner);
      narrow(*i, region, &body);
      body.push_back(i);
    }
    region.body = std::move(body);
  }

 private:
  void narrow(Instruction& i, Region& region, std::vector<Instruction*>* body) {
    const bool compares = i.op == Opcode::kFEq || i.op == Opcode::kFNe || i.op == Opcode::kFLt || i.op == Opcode::kFLe;
    const bool rounds = i.op == Opcode::kFPTrunc && i.result()->type.kind == Kind::kF32 && i.operands[0]->by != nullptr;
    if (!compares && !rounds) return;
    const Instruction& of = compares ? i : *i.operands[0]->by;
    if (rounds && of.op != Opcode::kFAdd && of.op != Opcode::kFSub && of.op != Opcode::kFMul && of.op != Opcode::kFDiv) return;
    const Value &a = *of.operands[0], &b = *of.operands[1];
    if (!isFloat(a) || !isFloat(b) || (!isConverted(a) && !isConverted(b))) return;
    const Opcode op = of.op;
    std::vector<Value*> operands = {asFloat(a, region, body), asFloat(b, region, body)};
    i.op = op;
    i.operands = std::move(operands);
  }

  Value* asFloat(const Value& value, Region& region, std::vector<Instruction*>* body) {
    if (isConverted(value)) return value.by->operands[0];
    Instruction* made = module_.makeInstruction(Opcode::kConstant);
    made->where = value.by->where;
    made->parent = &region;
    for (const uint64_t bits : value.by->numbers)
      made->numbers.push_back(std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits))));
    body->push_back(made);
    return module_.makeValue(function_, value.type.with(Kind::kF32), made);
  }

  ir::Module& module_;
  ir::Function& function_;
};

}  // namespace

void narrowFloats(ir::Module& module) {
  for (ir::Function* function : module.functions) Narrowing(module, *function).region(*function->body);
}

}  // namespace manyrt::compiler::passes
