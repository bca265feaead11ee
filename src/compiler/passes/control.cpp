// A yield ends the instruction around it; the other terminators go to the innermost loop or switch.
#include "compiler/passes/control.h"

#include <algorithm>

namespace manyrt::compiler::passes {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Shape;

Instruction* targetOf(const Instruction& i) {
  const Region* region = i.parent;
  if (i.op == Opcode::kReturn) return nullptr;
  if (i.op == Opcode::kYield) return region->owner;
  const Shape shape = i.op == Opcode::kLeave || i.op == Opcode::kFallThrough ? Shape::kSwitch : Shape::kLoop;
  while (ir::shapeOf(region->owner->op) != shape) region = region->owner->parent;
  return region->owner;
}

const std::vector<ir::Value*>& receivers(const Instruction& i, const Instruction& target) {
  if (i.op == Opcode::kContinue) return target.regions[1]->parameters;
  if (i.op == Opcode::kNext) return target.regions[0]->parameters;
  if (i.op != Opcode::kFallThrough) return target.results;
  const Region* region = i.parent;
  while (region->owner != &target) region = region->owner->parent;
  return (*(std::find(target.regions.begin(), target.regions.end(), region) + 1))->parameters;
}

}  // namespace manyrt::compiler::passes
