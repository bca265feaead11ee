// Only loops that count to a limit, have no other exit, and have no effect: then the elements of later turns may be read early.
#include "compiler/passes/lanes/tile_loops.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/ir/writer.h"
#include "compiler/passes/copy.h"
#include "compiler/passes/lanes/turn_changes.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Kind;
using ir::Opcode;
using ir::Region;
using ir::Shape;
using ir::Type;
using ir::Value;

constexpr size_t kMostCopied = 1200;  // instructions of all turns

bool mayNotRunEarly(const Instruction& i) {
  const bool is_pure_call =
      i.op == Opcode::kBuiltin && i.signature.builtin != nullptr && i.signature.builtin->kind == BuiltinKind::kPure;
  return !ir::isPure(i.op) && !is_pure_call && (i.op != Opcode::kLoad || i.is_volatile) && i.op != Opcode::kIf &&
         i.op != Opcode::kEach && i.op != Opcode::kYield;
}

bool mayNotRunEarly(const Region& region) {
  bool found = false;
  ir::forEach(region, [&](const Instruction& i) { found = found || mayNotRunEarly(i); });
  return found;
}

// A loop as the pass knows it: `head`, the exit, `tail`, and a step without control.
class CountedLoop {
 public:
  explicit CountedLoop(const Instruction& loop)
      : loop_(loop),
        body_(*loop.regions[0]),
        step_(*loop.regions[1]),
        changes_([this](const Value& value) { return isInside(value); }, [this](const Value& value) { return given(value); }) {
    for (const Region* region : loop.regions) {
      inside_.insert(region->parameters.begin(), region->parameters.end());
      ir::forEach(*region, [&](const Instruction& i) {
        inside_.insert(i.results.begin(), i.results.end());
        for (const Region* inner : i.regions) inside_.insert(inner->parameters.begin(), inner->parameters.end());
      });
    }
  }

  bool isKnown() {
    const auto exit =
        std::find_if(body_.body.begin(), body_.body.end(), [](const Instruction* i) { return i->op == Opcode::kIf; });
    if (exit == body_.body.end()) return false;
    exit_ = static_cast<size_t>(exit - body_.body.begin());
    const Instruction& leaves = **exit;
    if (!leaves.results.empty() || leaves.regions[0]->body.size() != 1 || leaves.regions[0]->body[0]->op != Opcode::kYield ||
        leaves.regions[1]->body.size() != 1 || leaves.regions[1]->body[0]->op != Opcode::kBreak ||
        body_.body.back()->op != Opcode::kContinue || step_.body.back()->op != Opcode::kNext) {
      return false;
    }
    for (const Region* region : loop_.regions) {
      for (const Instruction* i : region->body) {
        if (i != &leaves && i != region->body.back() && (mayNotRunEarly(*i) || anyEffectInside(*i))) return false;
      }
    }
    const Instruction* test = leaves.operands[0]->by;
    if (test == nullptr || !isInside(*leaves.operands[0]) || test->operands.size() != 2 || changeOf(*test->operands[1]) != 0)
      return false;
    if (test->op != Opcode::kSLt && test->op != Opcode::kULt && test->op != Opcode::kSLe && test->op != Opcode::kULe)
      return false;
    counter_ = test->operands[0];
    limit_ = test->operands[1];
    if (counter_->by != nullptr || counter_->type.hasLanes() || counter_->type.isVector() || !counter_->type.isInteger())
      return false;
    counts_last_ = test->op == Opcode::kSLe || test->op == Opcode::kULe;
    return changeOf(*counter_) == 1;
  }

  const TurnChanges& changes() const { return changes_; }
  std::optional<int64_t> changeOf(const Value& value, Bounds* bounds = nullptr) const { return changes_.of(value, bounds); }

  bool isInside(const Value& value) const { return inside_.contains(&value); }
  const Instruction& loop() const { return loop_; }
  const Region& body() const { return body_; }
  const Region& step() const { return step_; }
  size_t exit() const { return exit_; }
  Value* counter() const { return counter_; }
  Value* limit() const { return limit_; }
  bool countsLast() const { return counts_last_; }  // to the limit itself

 private:
  static bool anyEffectInside(const Instruction& i) {
    return std::any_of(i.regions.begin(), i.regions.end(), [](const Region* region) { return mayNotRunEarly(*region); });
  }
  static bool isNumber(const Value& value) { return value.by != nullptr && value.by->op == Opcode::kConstant; }
  std::optional<int64_t> given(const Value& value) const {
    if (value.by == nullptr) return changeOfParameter(value);
    if (value.by->op == Opcode::kWorkItem) return 0;
    return std::nullopt;
  }

  // The sum of the constants that body and step add to it; nothing: they do something else with it.
  std::optional<int64_t> changeOfParameter(const Value& parameter) const {
    const auto at = std::find(body_.parameters.begin(), body_.parameters.end(), &parameter);
    if (at == body_.parameters.end()) return std::nullopt;
    int64_t sum = 0;
    const Value* before =
        withoutConstants(*step_.body.back()->operands[static_cast<size_t>(at - body_.parameters.begin())], &sum);
    const auto carried = std::find(step_.parameters.begin(), step_.parameters.end(), before);
    if (carried == step_.parameters.end()) return std::nullopt;
    const auto number = static_cast<size_t>(carried - step_.parameters.begin());
    if (withoutConstants(*body_.body.back()->operands[number], &sum) != &parameter) return std::nullopt;
    return sum;
  }
  // The value that constants are added to, and their sum.
  static const Value* withoutConstants(const Value& value, int64_t* sum) {
    const Value* at = &value;
    while (at->by != nullptr && (at->by->op == Opcode::kAdd || at->by->op == Opcode::kOffset) &&
           isNumber(*at->by->operands[1])) {
      const uint64_t bits = at->by->operands[1]->by->numbers[0];
      *sum += at->type.kind == Kind::kI32 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
      at = at->by->operands[0];
    }
    return at;
  }

  const Instruction& loop_;
  const Region &body_, &step_;
  const TurnChanges changes_;
  std::unordered_set<const Value*> inside_;
  size_t exit_ = 0;
  Value *counter_ = nullptr, *limit_ = nullptr;
  bool counts_last_ = false;
};

class Tiling {
 public:
  Tiling(ir::Module& module, ir::Function& function) : module_(module), function_(function) {}

  void region(Region& region, uint8_t lanes) {
    std::vector<Instruction*> body;
    for (Instruction* i : region.body) {
      for (Region* inner : i->regions) {
        const bool is_rest = i->op == Opcode::kItems && i->lanes > 1 && inner == i->regions[1];  // few: not worth the code
        this->region(*inner, i->op != Opcode::kItems ? lanes : is_rest ? uint8_t{1} : i->lanes);
      }
      if (i->op == Opcode::kLoop && lanes > 1) {
        if (Instruction* tiled = ofLoop(*i, region, lanes)) body.push_back(tiled);
      }
      body.push_back(i);
    }
    region.body = std::move(body);
  }

 private:
  using Rows = std::unordered_set<const Instruction*>;

  // Finds the parts of a tile in a region: loads along rows, and ifs of which the second side is taken.
  void find(const CountedLoop& loop, const Region& region, Rows* rows, Rows* decided, Bounds* bounds) const {
    for (const Instruction* i : region.body) {
      if (isAlongRow(loop, *i, bounds)) rows->insert(i);
      if (i->op != Opcode::kIf || i->results.empty()) continue;
      Rows inner;
      Bounds own;
      find(loop, *i->regions[1], &inner, decided, &own);
      if (inner.empty() || !loop.changes().isBounded(*i->operands[0], &own)) continue;
      rows->insert(inner.begin(), inner.end());
      decided->insert(i);
      addBounds(own, bounds);
    }
  }

  // One element of a row for each lane, of which the next turn takes the next one.
  static bool isAlongRow(const CountedLoop& loop, const Instruction& i, Bounds* bounds) {
    if (i.op != Opcode::kLoad || !i.result()->type.hasLanes() || i.result()->type.isVector()) return false;
    const auto bytes = static_cast<int64_t>(ir::bytesOf(i.result()->type.kind));
    if (i.mask() != nullptr && loop.isInside(*i.mask())) return false;
    if (!i.numbers.empty() && (static_cast<int64_t>(i.numbers[0]) == bytes || i.numbers[0] == 0)) return false;
    Bounds own;
    if (loop.changeOf(*i.operands[0], &own) != bytes) return false;
    if (i.step() != nullptr && loop.changeOf(*i.step(), &own) != 0) return false;
    addBounds(own, bounds);
    return true;
  }

  // The loop of whole tiles, which goes before the loop; null: there is none.
  Instruction* ofLoop(Instruction& from, Region& region, uint8_t lanes) {
    size_t size = 0;
    ir::forEach(*from.regions[0], [&](const Instruction& i) { size += i.op != Opcode::kConstant; });
    if (lanes > ir::kMaxComponents || size * lanes > kMostCopied) return nullptr;
    CountedLoop loop(from);
    if (!loop.isKnown()) return nullptr;
    Rows rows, decided;
    Bounds bounds;
    find(loop, loop.body(), &rows, &decided, &bounds);
    if (rows.empty()) return nullptr;

    Instruction* made = module_.makeInstruction(Opcode::kLoop);
    made->where = from.where;
    made->parent = &region;
    made->operands = from.operands;
    Region* body = module_.makeRegion(made);
    Region* step = module_.makeRegion(made);
    for (const Value* parameter : loop.body().parameters) {
      body->parameters.push_back(module_.makeValue(function_, parameter->type, nullptr));
      step->parameters.push_back(module_.makeValue(function_, parameter->type, nullptr));
    }
    ir::Writer writer(module_, function_);
    writer.where = from.where;
    writer.moveTo(body);
    exit(loop, bounds, lanes, writer);
    std::vector<Value*> values = body->parameters;
    Turn own{loop, rows, decided};
    for (; own.number < lanes; ++own.number) values = turn(&own, std::move(values), writer);
    writer.end(Opcode::kContinue, values);
    writer.moveTo(step);
    writer.end(Opcode::kNext, step->parameters);
    for (Value*& operand : from.operands) operand = module_.makeValue(function_, operand->type, made);
    return made;
  }

  // Leaves the loop where fewer turns are left than a tile has, or where a number would wrap in these turns.
  void exit(const CountedLoop& loop, const Bounds& bounds, uint8_t lanes, ir::Writer& writer) {
    Region* body = writer.region();
    Copier copier(module_, function_);
    replace(&copier, loop.body().parameters, body->parameters);
    for (size_t k = 0; k < loop.exit(); ++k) body->body.push_back(copier.copy(*loop.body().body[k], *body));
    const Instruction& leaves = *loop.body().body[loop.exit()];
    Value* counter = copier.of(loop.counter());
    Value* left = writer.binary(Opcode::kSub, copier.of(loop.limit()), counter);
    const uint32_t needed = lanes - (loop.countsLast() ? 1u : 0u);
    Value* goes_on = writer.compare(Opcode::kULe, writer.constant(counter->type, needed), left);
    goes_on = writer.binary(Opcode::kAnd, copier.of(leaves.operands[0]), goes_on);
    for (const Bound& bound : bounds) {
      const uint64_t last = bound.last - static_cast<uint64_t>(bound.change) * (lanes - 1u);
      Value* at = early(*bound.number, loop, &copier, body);
      goes_on = writer.binary(Opcode::kAnd, goes_on, writer.compare(Opcode::kULe, at, writer.constant(at->type, last)));
    }
    Instruction* made = writer.add(Opcode::kIf, {goes_on});
    writer.enter(made);
    writer.end(Opcode::kYield);
    writer.enter(made);
    writer.end(Opcode::kBreak, body->parameters);
    writer.moveTo(body);
  }

  // Computes a pure value of the first turn before its place.
  Value* early(Value& value, const CountedLoop& loop, Copier* copier, Region* to) {
    if (!loop.isInside(value) || copier->of(&value) != &value) return copier->of(&value);
    for (Value* operand : value.by->operands) (void)early(*operand, loop, copier, to);
    to->body.push_back(copier->copy(*value.by, *to));
    return copier->of(&value);
  }

  static void replace(Copier* copier, const std::vector<Value*>& values, const std::vector<Value*>& by) {
    for (size_t k = 0; k < values.size(); ++k) copier->replace(values[k], by[k]);
  }

  // A turn without its exit. turn() takes the values that the turn begins with, and returns those of the next one.
  struct Turn {
    const CountedLoop& loop;
    const Rows &rows, &decided;
    std::unordered_map<const Instruction*, Value*> tiles = {};
    uint32_t number = 0;
  };
  std::vector<Value*> turn(Turn* own, std::vector<Value*> values, ir::Writer& writer) {
    const Region &body = own->loop.body(), &step = own->loop.step();
    Copier copier(module_, function_);
    replace(&copier, body.parameters, values);
    part(own, body, &copier, writer);
    values.clear();
    for (Value* each : body.body.back()->operands) values.push_back(copier.of(each));
    replace(&copier, step.parameters, values);
    part(own, step, &copier, writer);
    values.clear();
    for (Value* each : step.body.back()->operands) values.push_back(copier.of(each));
    return values;
  }

  // All of a region but its terminator and the exit.
  void part(Turn* own, const Region& from, Copier* copier, ir::Writer& writer) {
    Region* to = writer.region();
    for (size_t k = 0; k + 1 < from.body.size(); ++k) {
      const Instruction& i = *from.body[k];
      if (&i == own->loop.body().body[own->loop.exit()]) continue;
      if (own->decided.contains(&i)) {
        part(own, *i.regions[1], copier, writer);
        const Instruction& last = *i.regions[1]->body.back();
        for (size_t r = 0; r < i.results.size(); ++r) copier->replace(i.results[r], copier->of(last.operands[r]));
      } else if (own->rows.contains(&i)) {
        if (own->number == 0) {
          Instruction* tile = copier->copy(i, *to);
          tile->result()->type.components = i.result()->type.lanes;
          to->body.push_back(tile);
          own->tiles[&i] = tile->result();
        }
        copier->replace(i.result(), writer.extract(own->tiles[&i], own->number));
      } else {
        to->body.push_back(copier->copy(i, *to));
      }
    }
  }

  ir::Module& module_;
  ir::Function& function_;
};

}  // namespace

void tileLoops(ir::Module& module) {
  for (ir::Function* function : module.functions) {
    if (function->for_groups) Tiling(module, *function).region(*function->body, 1);
  }
}

}  // namespace manyrt::compiler::passes
