// Starts at each store of a vector that is made of components. Checks whether the same operations make all of them, down to
// components of vectors in their order, or values shared by all. Nothing is done where one of these instructions has another
// user.
#include "compiler/passes/lanes/pack_components.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/writer.h"

namespace manyrt::compiler::passes {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Shape;
using ir::Type;
using ir::Value;

bool isByElements(const Instruction& i) {
  switch (ir::shapeOf(i.op)) {
    case Shape::kIntegers:
    case Shape::kBits:
    case Shape::kFloats:
    case Shape::kFloat:
    case Shape::kFused:
    case Shape::kCompareBits:
    case Shape::kCompareIntegers:
    case Shape::kCompareFloats:
    case Shape::kSelect:
    case Shape::kNarrow:
    case Shape::kWiden:
    case Shape::kFloatNarrow:
    case Shape::kFloatWiden:
    case Shape::kFloatToInteger:
    case Shape::kIntegerToFloat:
      return true;
    case Shape::kBitcast:
      return i.operands[0]->type.components == i.result()->type.components;
    default:
      return false;
  }
}

namespace {

class Packing {
 public:
  Packing(ir::Module& module, ir::Function& function, Region& region) : module_(module), function_(function) {
    ir::forEach(region, [&](Instruction& i) {
      for (const Value* each : i.operands) users_[each].push_back(&i);
      if (i.op == Opcode::kStore && i.operands[0]->by != nullptr && i.operands[0]->by->op == Opcode::kBuild)
        stores_.push_back(&i);
    });
  }

  void run() {
    for (Instruction* store : stores_) pack(*store);
  }

 private:
  static constexpr size_t kMost = 256;  // components that are made anew

  void pack(Instruction& store) {
    const Instruction& build = *store.operands[0]->by;
    if (!build.result()->type.hasLanes()) return;
    packed_.clear();
    taken_.clear();
    taken_.insert(&build);
    Region here;
    ir::Writer writer(module_, function_);
    writer.where = store.where;
    writer.moveTo(&here);
    Value* made = packed(build.operands, &writer);
    const auto isTaken = [&](const Instruction* user) { return taken_.contains(user) || user == &store; };
    for (const Instruction* each : taken_) {
      const std::vector<Instruction*>& users = users_[each->result()];
      if (made == nullptr || !std::all_of(users.begin(), users.end(), isTaken)) return;
    }
    if (!made->type.hasLanes() || made->type != build.result()->type) return;
    Region& region = *store.parent;
    for (Instruction* each : here.body) each->parent = &region;
    region.body.insert(std::find(region.body.begin(), region.body.end(), &store), here.body.begin(), here.body.end());
    store.operands[0] = made;
  }

  // A vector with these components; null: they are not made alike.
  Value* packed(const std::vector<Value*>& parts, ir::Writer* writer) {
    const auto at = packed_.find(parts);
    if (at != packed_.end()) return at->second;
    return packed_[parts] = packedAnew(parts, writer);
  }

  Value* packedAnew(const std::vector<Value*>& parts, ir::Writer* writer) {
    const Value& first = *parts[0];
    const auto components = static_cast<uint8_t>(parts.size());
    if (!first.type.hasLanes()) return areSame(parts) ? writer->splat(parts[0], components) : nullptr;
    const Instruction* by = first.by;
    if (by == nullptr || taken_.size() > kMost) return nullptr;
    for (size_t k = 0; k < parts.size(); ++k) {
      const Instruction* each = parts[k]->by;
      if (each == nullptr || each->op != by->op || each->operands.size() != by->operands.size()) return nullptr;
      if (parts[k]->type != first.type) return nullptr;
      if (each->op != Opcode::kExtract) continue;
      if (each->operands[0] != by->operands[0] || each->numbers[0] != k) return nullptr;
    }
    if (by->op == Opcode::kExtract) return by->operands[0]->type.components == components ? by->operands[0] : nullptr;
    if (!isByElements(*by)) return nullptr;
    for (const Value* each : parts) {
      if (!taken_.insert(each->by).second) return nullptr;  // a component of two vectors
    }
    std::vector<Value*> operands;
    for (size_t which = 0; which < by->operands.size(); ++which) {
      std::vector<Value*> own;
      for (const Value* each : parts) own.push_back(each->by->operands[which]);
      const bool has_one_type =
          std::all_of(own.begin(), own.end(), [&](const Value* each) { return each->type == own[0]->type; });
      Value* const operand = has_one_type ? packed(own, writer) : nullptr;
      if (operand == nullptr) return nullptr;
      operands.push_back(operand);
    }
    Type result = first.type;
    result.components = components;
    return writer->add(by->op, std::move(operands), result)->result();
  }

  static bool areSame(const std::vector<Value*>& parts) {
    return std::all_of(parts.begin(), parts.end(), [&](const Value* each) {
      if (each == parts[0]) return true;
      const Instruction *a = each->by, *b = parts[0]->by;
      const bool are_constants = a != nullptr && b != nullptr && a->op == Opcode::kConstant && b->op == Opcode::kConstant &&
                                 each->type == parts[0]->type;
      return are_constants && a->numbers == b->numbers;
    });
  }

  ir::Module& module_;
  ir::Function& function_;
  std::unordered_map<const Value*, std::vector<Instruction*>> users_;
  std::vector<Instruction*> stores_;
  std::map<std::vector<Value*>, Value*> packed_;  // of one store: by their components
  std::unordered_set<const Instruction*> taken_;  // and the instructions that make those
};

}  // namespace

void packComponents(ir::Module& module) {
  for (ir::Function* function : module.functions) {
    if (!function->for_groups) continue;
    ir::forEach(*function->body, [&](const Instruction& i) {
      if (i.op != Opcode::kItems || i.lanes == 1) return;
      for (Region* region : i.regions) Packing(module, *function, *region).run();
    });
  }
}

}  // namespace manyrt::compiler::passes
