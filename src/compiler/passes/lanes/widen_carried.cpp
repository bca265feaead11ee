// A web is a set of values that selects and control make from one another. All of them get 32 bits, zeros above their own.
// Values that enter a web are extended there, and those that leave it are truncated. A web that a loop computes with stays as
// it is.
#include "compiler/passes/lanes/widen_carried.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/ir/writer.h"
#include "compiler/passes/control.h"
#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Kind;
using ir::Opcode;
using ir::Region;
using ir::Type;
using ir::Value;

class Webs {
 public:
  explicit Webs(const Region& region) {
    ir::forEach(region, [&](const Instruction& i) {
      if (i.op != Opcode::kLoop) return;
      for (const Region* inner : i.regions) {
        for (const Value* parameter : inner->parameters) parameters_.emplace(parameter, &i);
      }
    });
    ir::forEach(region, [&](const Instruction& i) { link(i); });
    for (const auto& [parameter, loop] : parameters_) {
      if (canBe(*parameter)) webs_[root(parameter)].loops.insert(loop);
    }
    ir::forEach(region, [&](const Instruction& i) { look(i); });
  }

  // Whether it gets 32 bits.
  bool has(const Value& value) const {
    if (!canBe(value)) return false;
    const auto at = webs_.find(root(&value));
    return at != webs_.end() && !at->second.loops.empty() && at->second.is_chosen && !at->second.is_computed;
  }

 private:
  struct Web {
    std::unordered_set<const Instruction*> loops;  // that carry it
    bool is_chosen = false;                        // in such a loop, by a comparison of wider numbers
    bool is_computed = false;                      // in such a loop, with operations of its own type
  };

  // Results of loops, ifs and selects, and their parameters.
  bool canBe(const Value& value) const {
    const Type type = value.type;
    if (!type.hasLanes() || type.isVector() || (type.kind != Kind::kI8 && type.kind != Kind::kI16)) return false;
    if (value.by == nullptr) return parameters_.contains(&value);
    return value.by->op == Opcode::kSelect || value.by->op == Opcode::kIf || value.by->op == Opcode::kLoop;
  }

  const Value* root(const Value* value) const {
    for (auto at = up_.find(value); at != up_.end(); at = up_.find(value)) value = at->second;
    return value;
  }
  void join(const Value& a, const Value& b) {
    if (!canBe(a) || !canBe(b)) return;
    const Value *from = root(&a), *to = root(&b);
    if (from == to) return;
    if (sizes_[from] > sizes_[to]) std::swap(from, to);  // or chains would be long
    sizes_[to] += sizes_[from] + 1;
    up_[from] = to;
  }
  void join(const std::vector<Value*>& values, const std::vector<Value*>& to) {
    for (size_t k = 0; k < to.size(); ++k) join(*values[k], *to[k]);
  }

  void link(const Instruction& i) {
    if (i.op == Opcode::kLoop) join(i.operands, i.regions[0]->parameters);
    if (ir::isTerminator(i.op)) {
      if (const Instruction* target = targetOf(i)) join(i.operands, receivers(i, *target));
    }
    if (i.op != Opcode::kSelect) return;
    join(*i.operands[1], *i.result());
    join(*i.operands[2], *i.result());
  }

  static bool isInside(const Instruction& i, const std::unordered_set<const Instruction*>& loops) {
    for (const Region* at = i.parent; at->owner != nullptr; at = at->owner->parent) {
      if (loops.contains(at->owner)) return true;
    }
    return false;
  }

  void look(const Instruction& i) {
    if (i.op == Opcode::kSelect && canBe(*i.result())) {
      Web& web = webs_[root(i.result())];
      web.is_chosen = web.is_chosen || (isInside(i, web.loops) && comparesWide(*i.operands[0]));
      return;
    }
    const bool passes = ir::isTerminator(i.op) || i.op == Opcode::kLoop;
    if (passes || i.op == Opcode::kStore || i.op == Opcode::kZExt || i.op == Opcode::kTrunc) return;
    for (const Value* operand : i.operands) {
      if (!canBe(*operand)) continue;
      Web& web = webs_[root(operand)];
      web.is_computed = web.is_computed || isInside(i, web.loops);
    }
  }

  // Whether one of the comparisons that a condition joins is of 32 bits or more for each lane.
  static bool comparesWide(const Value& condition) {
    std::vector<const Value*> left = {&condition};
    std::unordered_set<const Value*> seen;
    while (!left.empty()) {
      const Value& each = *left.back();
      left.pop_back();
      const Instruction* by = each.by;
      if (by == nullptr || !each.type.hasLanes() || !seen.insert(&each).second) continue;
      const ir::Shape shape = ir::shapeOf(by->op);
      const bool compares =
          shape == ir::Shape::kCompareIntegers || shape == ir::Shape::kCompareBits || shape == ir::Shape::kCompareFloats;
      if (compares && !by->operands[0]->type.isBool() && ir::bitsOf(by->operands[0]->type.kind) >= 32) return true;
      if (shape == ir::Shape::kBits) left.insert(left.end(), by->operands.begin(), by->operands.end());
    }
    return false;
  }

  std::unordered_map<const Value*, const Instruction*> parameters_;  // of regions of loops
  std::unordered_map<const Value*, const Value*> up_;                // towards the value that stands for the web
  std::unordered_map<const Value*, size_t> sizes_;
  std::unordered_map<const Value*, Web> webs_;
};

class Widener {
 public:
  Widener(ir::Module& module, ir::Function& function) : webs_(*function.body), writer_(module, function) {
    note(*function.body);
    if (wide_.empty()) return;
    region(*function.body);
    ir::forEach(*function.body, [&](Instruction& i) { replacements_.apply(i); });
    for (const auto& [value, narrow] : wide_) const_cast<Value*>(value)->type.kind = Kind::kI32;
  }

 private:
  void note(const Region& region) {
    const auto add = [&](const std::vector<Value*>& values) {
      for (const Value* each : values) {
        if (webs_.has(*each)) wide_.emplace(each, each->type.kind);
      }
    };
    add(region.parameters);
    for (const Instruction* i : region.body) {
      add(i->results);
      for (const Region* inner : i->regions) note(*inner);
    }
  }
  bool isWide(const Value* value) const { return wide_.contains(value); }

  void region(Region& region) {
    std::vector<Instruction*> body;
    for (Instruction* i : region.body) {
      Region here;  // what goes before the instruction
      writer_.moveTo(&here);
      writer_.where = i->where;
      const bool stays = instruction(*i);
      for (Instruction* each : here.body) {
        each->parent = &region;
        body.push_back(each);
      }
      if (stays) body.push_back(i);
      for (Region* inner : i->regions) this->region(*inner);
    }
    region.body = std::move(body);
  }

  // False: what it gives is a value of a web by now.
  bool instruction(Instruction& i) {
    if (i.op == Opcode::kSelect && isWide(i.result())) {
      give(i, 1, true);
      give(i, 2, true);
    } else if (i.op == Opcode::kLoop) {
      pass(i, i.regions[0]->parameters);
    } else if (ir::isTerminator(i.op)) {
      const Instruction* target = targetOf(i);
      if (target != nullptr) pass(i, receivers(i, *target));
    } else if (i.op == Opcode::kZExt && isWide(i.operands[0]) && i.result()->type.kind == Kind::kI32) {
      replacements_.replace(i.result(), i.operands[0]);
      return false;
    } else if (i.op != Opcode::kZExt || !isWide(i.operands[0]) || i.result()->type.kind != Kind::kI64) {
      for (size_t k = 0; k < i.operands.size(); ++k) give(i, k, false);
    }
    return true;
  }

  void pass(Instruction& i, const std::vector<Value*>& to) {
    for (size_t k = 0; k < i.operands.size(); ++k) give(i, k, k < to.size() && isWide(to[k]));
  }

  // An operand as it is wanted.
  void give(Instruction& i, size_t number, bool wide) {
    Value* value = i.operands[number];
    if (wide == isWide(value)) return;
    const Type type = value->type.with(wide ? Kind::kI32 : wide_.at(value)).with(value->type.lanes);
    i.operands[number] = writer_.unary(wide ? Opcode::kZExt : Opcode::kTrunc, value, type);
  }

  const Webs webs_;
  ir::Writer writer_;
  std::unordered_map<const Value*, Kind> wide_;  // values of webs that get 32 bits, and what they were
  Replacements replacements_;
};

}  // namespace

void widenCarried(ir::Module& module) {
  for (ir::Function* function : module.functions) {
    if (function->for_groups) Widener(module, *function);
  }
}

}  // namespace manyrt::compiler::passes
