// The rules, one function for each kind of shape. A value may be used after its instruction in the same region and in the
// regions inside of those; `seen_` is what is in sight.
#include "compiler/ir/verify.h"

#include <algorithm>
#include <bit>
#include <set>

namespace manyrt::compiler::ir {
namespace {

class Verifier {
 public:
  Verifier(const Module& module, std::string* why) : why_(why) {
    for (const Function* function : module.functions) functions_.insert(function);
    for (const Object* object : module.objects) objects_.insert(object);
  }

  bool function(const Function& function) {
    function_ = &function;
    for (const Object* slot : function.slots) {
      if (slot->space != AddressSpace::kPrivate || !std::has_single_bit(slot->alignment))
        return fail(nullptr, "a slot is private and has a power of two as its alignment");
      if (slot->per_item && !function.for_groups) return fail(nullptr, "each item's slots belong to a kernel for groups");
    }
    if (function.for_groups && !function.is_kernel) return fail(nullptr, "a kernel alone is for groups");
    if (function.body == nullptr) return fail(nullptr, "a function has a body");
    if (function.parameter_names.size() != function.body->parameters.size() ||
        function.parameter_bytes.size() != function.body->parameters.size()) {
      return fail(nullptr, "each parameter has a name and a size");
    }
    return region(*function.body);
  }

 private:
  bool fail(const Instruction* instruction, const char* rule) {
    if (why_->empty()) {
      *why_ = "function " + function_->name;
      if (instruction != nullptr) {
        *why_ += ", line " + std::to_string(instruction->where.line) + ", " + spell(instruction->op);
        if (instruction->result() != nullptr) *why_ += " %" + std::to_string(instruction->result()->id);
      }
      *why_ += ": " + std::string(rule);
    }
    return false;
  }

  bool define(const Value& value) { return ids_.insert(value.id).second && seen_.insert(&value).second; }

  bool region(const Region& region) {
    std::vector<const Value*> here;
    for (const Value* parameter : region.parameters) {
      if (parameter->by != nullptr || !define(*parameter)) return fail(region.owner, "a parameter of a region is new");
      here.push_back(parameter);
    }
    if (!region.ends()) return fail(region.owner, "a region ends with a terminator");
    for (const Instruction* instruction : region.body) {
      if (isTerminator(instruction->op) && instruction != region.body.back())
        return fail(instruction, "nothing follows a terminator");
      if (instruction->parent != &region) return fail(instruction, "an instruction knows its region");
      for (const Value* operand : instruction->operands) {
        if (!seen_.contains(operand)) return fail(instruction, "an operand is a value that is in sight");
      }
      if (!shape(*instruction) || !lanes(*instruction) || !inside(*instruction)) return false;
      for (const Value* result : instruction->results) {
        if (result->by != instruction || !define(*result)) return fail(instruction, "a result is new and its instruction's");
        here.push_back(result);
      }
    }
    for (const Value* value : here) seen_.erase(value);
    return true;
  }

  bool inside(const Instruction& instruction) {
    if (instruction.regions.empty()) return true;
    around_.push_back(&instruction);
    for (size_t number = 0; number < instruction.regions.size(); ++number) {
      const Region& inner = *instruction.regions[number];
      if (inner.owner != &instruction) return fail(&instruction, "a region knows its instruction");
      region_number_.push_back(number);
      if (!region(inner)) return false;
      region_number_.pop_back();
    }
    around_.pop_back();
    return true;
  }

  static bool same(const std::vector<Value*>& a, size_t from, const std::vector<Value*>& b) {
    if (a.size() - from != b.size()) return false;
    for (size_t i = 0; i < b.size(); ++i) {
      if (a[from + i]->type != b[i]->type) return false;
    }
    return true;
  }

  // How many operands and results there are; operands that have to be of one type.
  bool counts(const Instruction& i, size_t operands, size_t results) {
    return (i.operands.size() == operands && i.results.size() == results) || fail(&i, "the number of operands and results");
  }
  bool alike(const Instruction& i, size_t operands) {
    if (!counts(i, operands, 1)) return false;
    for (const Value* operand : i.operands) {
      if (operand->type.plain() != i.operands[0]->type.plain()) return fail(&i, "all operands have one type");
    }
    return true;
  }
  // But for the lanes, which have rules of their own.
  bool gives(const Instruction& i, Type type) {
    return i.result()->type.plain() == type.plain() || fail(&i, "the type of the result");
  }
  bool takes(const Instruction& i, bool right) { return right || fail(&i, "the types of the operands"); }

  bool conversion(const Instruction& i) {
    if (!counts(i, 1, 1)) return false;
    const Type from = i.operands[0]->type.plain(), to = i.result()->type.plain();
    const uint32_t before = bitsOf(from.kind), after = bitsOf(to.kind);
    if (shapeOf(i.op) == Shape::kBitcast) {
      const bool plain = !from.isPointer() && !to.isPointer() && !from.isBool() && !to.isBool();
      return takes(i, plain && before * from.components == after * to.components);
    }
    if (from.components != to.components) return fail(&i, "a conversion keeps the number of components");
    switch (shapeOf(i.op)) {
      case Shape::kNarrow:
        return takes(i, from.isInteger() && to.isInteger() && after < before);
      case Shape::kWiden:
        return takes(i, (from.isInteger() || from.isBool()) && to.isInteger() && after > before);
      case Shape::kFloatNarrow:
        return takes(i, from.isFloating() && to.isFloating() && after < before);
      case Shape::kFloatWiden:
        return takes(i, from.isFloating() && to.isFloating() && after > before);
      case Shape::kFloatToInteger:
        return takes(i, from.isFloating() && to.isInteger());
      case Shape::kIntegerToFloat:
        return takes(i, from.isInteger() && to.isFloating());
      case Shape::kFromPointer:
        return takes(i, from.isPointer() && to.kind == Kind::kI64);
      default:
        return takes(i, from.kind == Kind::kI64 && to.isPointer());
    }
  }

  bool component(const Instruction& i, Type vector) {
    if (!vector.isVector()) return fail(&i, "a component is that of a vector");
    for (const uint64_t number : i.numbers) {
      if (number >= vector.components) return fail(&i, "the vector has such a component");
    }
    return true;
  }

  bool vector(const Instruction& i) {
    if (i.results.size() != 1 || i.operands.empty()) return fail(&i, "the number of operands and results");
    const Type result = i.result()->type.plain(), first = i.operands[0]->type.plain();
    switch (shapeOf(i.op)) {
      case Shape::kSplat:
        return counts(i, 1, 1) && takes(i, !first.isVector() && result.isVector() && result.element() == first);
      case Shape::kBuild:
        if (!alike(i, result.components)) return false;
        return takes(i, !first.isVector() && result.element() == first);
      case Shape::kExtract:
        return counts(i, 1, 1) && i.numbers.size() == 1 && component(i, first) && gives(i, first.element());
      case Shape::kInsert:
        if (!counts(i, 2, 1) || i.numbers.size() != 1 || !component(i, first)) return fail(&i, "one component");
        return takes(i, i.operands[1]->type.plain() == first.element()) && gives(i, first);
      default:
        if (!counts(i, 1, 1) || i.numbers.size() != result.components || !component(i, first))
          return fail(&i, "a component for each of the result's");
        return gives(i, {first.kind, result.components});
    }
  }

  bool memory(const Instruction& i) {
    const auto pointer = [&](size_t at) { return at < i.operands.size() && i.operands[at]->type.isPointer(); };
    if (!std::has_single_bit(i.alignment)) return fail(&i, "an alignment is a power of two");
    switch (shapeOf(i.op)) {
      case Shape::kAddress: {
        if (!counts(i, 0, 1) || i.object == nullptr) return fail(&i, "an address is that of an object");
        const bool known = i.object->space == AddressSpace::kPrivate
                               ? i.object->id < function_->slots.size() && function_->slots[i.object->id] == i.object
                               : objects_.contains(i.object);
        if (i.object->per_item && !insideItems()) return fail(&i, "an item's slot is its own, inside of items");
        return known ? gives(i, Type::pointer(i.object->space)) : fail(&i, "the object is the function's or the module's");
      }
      case Shape::kOffset:
        return counts(i, 2, 1) && takes(i, pointer(0) && i.operands[1]->type.plain() == Type{Kind::kI64}) &&
               gives(i, i.operands[0]->type);
      case Shape::kLoad:
        return counts(i, 1 + extras(i), 1) && takes(i, pointer(0) && !i.result()->type.isBool() && !i.result()->type.isVoid());
      case Shape::kStore:
        return counts(i, 2 + extras(i), 0) &&
               takes(i, pointer(1) && !i.operands[0]->type.isBool() && !i.operands[0]->type.isVoid());
      case Shape::kCopy:
        return counts(i, 2, 0) && takes(i, pointer(0) && pointer(1)) && (i.bytes != 0 || fail(&i, "a copy has bytes"));
      default:
        return counts(i, 1, 0) && takes(i, pointer(0)) && (i.bytes != 0 || fail(&i, "a fill has bytes"));
    }
  }

  // A step and a mask, after the operands that each load or store has.
  static size_t extras(const Instruction& i) {
    const Value *step = i.step(), *mask = i.mask();
    return (step != nullptr && step->type == Type{Kind::kI64} ? 1 : 0) +
           (mask != nullptr && mask->type.plain() == Type{Kind::kBool} ? 1 : 0);
  }

  // Operands of an operation on lanes are the same for all, or have as many; the result then has them too.
  bool lanes(const Instruction& i) {
    uint8_t given = 1, made = 1;
    const auto count = [&](const std::vector<Value*>& values, uint8_t* most) {
      for (const Value* each : values) {
        if (each->type.hasLanes() && each->type.lanes != lanesAround()) return false;
        *most = std::max(*most, each->type.lanes);
      }
      return true;
    };
    if (!count(i.operands, &given) || !count(i.results, &made)) return fail(&i, "as many lanes as the items around have");
    const auto wrong = [&] { return fail(&i, "what has lanes, and what has none"); };
    switch (shapeOf(i.op)) {
      case Shape::kSpread:
      case Shape::kSteps:
        return (given == 1 && made > 1) || wrong();
      case Shape::kLane:
        return (i.operands[0]->type.hasLanes() && !i.operands[1]->type.hasLanes() && made == 1) || wrong();
      case Shape::kAny:
        return (given > 1 && made == 1) || wrong();
      case Shape::kLoad:
      case Shape::kStore: {
        const Value& pointer = *i.operands[i.op == Opcode::kLoad ? 0 : 1];
        const size_t ways = (pointer.type.hasLanes() ? 1 : 0) + i.numbers.size() + (i.step() != nullptr ? 1 : 0);
        const bool places = ways != 0;
        if (ways > 1) return fail(&i, "a pointer for each lane, or a step between them");
        const Type& type = i.op == Opcode::kLoad ? i.result()->type : i.operands[0]->type;
        const bool is_row = type.isVector() && type.hasLanes() && i.mask() == nullptr && i.numbers.size() == 1 &&
                            i.numbers[0] == packedBytesOf(type);
        if (i.in_order && !is_row) return fail(&i, "in the order of memory are vectors side by side");
        return (i.op == Opcode::kLoad ? places == (made > 1) && places >= (given > 1) : places >= (given > 1)) || wrong();
      }
      case Shape::kEach:
        return (given > 1 &&
                std::all_of(i.results.begin(), i.results.end(), [](const Value* each) { return each->type.hasLanes(); })) ||
               wrong();
      case Shape::kEnd:
        return given > 1 || wrong();
      case Shape::kBuiltin: {
        const bool is_pure = i.signature.builtin == nullptr || i.signature.builtin->kind == BuiltinKind::kPure;
        return (made == given && (given == 1 || is_pure)) || wrong();
      }
      case Shape::kIf:
      case Shape::kSwitch:
        return !i.operands[0]->type.hasLanes() || wrong();
      case Shape::kItems:
      case Shape::kWorkItem:
      case Shape::kConstant:
      case Shape::kAddress:
      case Shape::kCall:
      case Shape::kSubGroup:
      case Shape::kCopy:
      case Shape::kFill:
      case Shape::kReturn:
        return (given == 1 && made == 1) || wrong();
      default:
        return shapeOf(i.op) > Shape::kOffset || made == given || wrong();
    }
  }

  uint8_t lanesAround() const {
    for (const Instruction* each : around_) {
      if (each->op == Opcode::kItems) return each->lanes;
    }
    return 1;
  }

  bool called(const Instruction& i) {
    if (shapeOf(i.op) != Shape::kCall) {
      if (i.signature.text.empty()) return fail(&i, "a builtin has a signature");
      return i.signature.builtin == nullptr || i.signature.parameters.size() == i.operands.size() ||
             fail(&i, "the builtin takes as many");
    }
    if (i.callee == nullptr || !functions_.contains(i.callee)) return fail(&i, "the callee is a function of the module");
    if (!same(i.operands, 0, i.callee->body->parameters)) return fail(&i, "arguments are of the parameters' types");
    return i.callee->result.isVoid() ? counts(i, i.operands.size(), 0)
                                     : counts(i, i.operands.size(), 1) && gives(i, i.callee->result);
  }

  bool control(const Instruction& i) {
    switch (shapeOf(i.op)) {
      case Shape::kIf:
        if (i.regions.size() != 2 || i.operands.size() != 1) return fail(&i, "an if has a condition and two regions");
        for (const Region* inner : i.regions) {
          if (!inner->parameters.empty()) return fail(&i, "regions of an if have no parameters");
        }
        return takes(i, i.operands[0]->type == Type{Kind::kBool});
      case Shape::kLoop:
        if (i.regions.size() != 2) return fail(&i, "a loop has a body and a step");
        return same(i.operands, 0, i.regions[0]->parameters) || fail(&i, "start values are those of the body");
      default:
        break;
    }
    if (i.operands.empty() || !i.operands[0]->type.isInteger() || i.operands[0]->type.isVector())
      return fail(&i, "a switch decides by an integer");
    if (i.cases.size() != i.regions.size() || i.otherwise >= static_cast<int32_t>(i.regions.size()))
      return fail(&i, "a switch has values for each region");
    if (i.otherwise < 0 && !same(i.operands, 1, i.results))
      return fail(&i, "without a region for all values it gives what it takes");
    std::set<uint64_t> values;
    for (const auto& each : i.cases) {
      for (const uint64_t value : each) {
        if (!values.insert(value).second || value != (value & maskOf(i.operands[0]->type.kind)))
          return fail(&i, "each value of a switch is there once, in its type");
      }
    }
    for (const Region* inner : i.regions) {
      if (!same(i.operands, 1, inner->parameters)) return fail(&i, "regions take the values of the switch");
    }
    return true;
  }

  // The innermost instruction around with this shape; `number`: which of its regions we are in. Nothing leaves items.
  const Instruction* innermost(Shape shape, size_t* number) const {
    for (size_t at = around_.size(); at-- > 0;) {
      *number = region_number_[at];
      if (shapeOf(around_[at]->op) == shape) return around_[at];
      if (around_[at]->op == Opcode::kItems || around_[at]->op == Opcode::kEach) break;
    }
    return nullptr;
  }

  bool insideItems() const {
    return std::any_of(around_.begin(), around_.end(), [](const Instruction* each) { return each->op == Opcode::kItems; });
  }

  bool items(const Instruction& i) {
    if (!std::has_single_bit(i.lanes) || i.lanes > kMaxLanes) return fail(&i, "the number of lanes is a power of two");
    if (i.regions.size() != (i.jam > 1 ? 3 : i.lanes > 1 ? 2 : 1) || !i.regions[0]->parameters.empty())
      return fail(&i, "items have one region, with lanes two, of which several go together three; the first has no parameters");
    const bool jams = i.jam > 1;
    if (jams && (i.lanes == 1 || !std::has_single_bit(i.jam) || i.jam_dimension > 2 || !i.regions[2]->parameters.empty()))
      return fail(&i, "vectors that go together are a power of two, along a dimension, and their region has no parameters");
    if (jams && !i.results.empty()) return fail(&i, "items of which vectors go together give nothing");
    if (i.lanes > 1) {
      const std::vector<Value*>& rest = i.regions[1]->parameters;
      if (rest.size() != 1 || rest[0]->type != Type{Kind::kBool}.with(i.lanes)) return fail(&i, "the rest has a mask");
    }
    const bool right =
        i.numbers.size() == i.operands.size() &&
        std::all_of(i.numbers.begin(), i.numbers.end(), [](uint64_t number) { return number < 6; }) &&
        std::all_of(i.operands.begin(), i.operands.end(), [](const Value* v) { return v->type == Type{Kind::kI64}; });
    if (!right) return fail(&i, "each limit of items is an i64 with its dimension");
    if (!i.operands.empty() && !i.results.empty()) return fail(&i, "items with limits give nothing: all of them may be beyond");
    return (function_->for_groups && !insideItems()) ||
           fail(&i, "items stand in a kernel for groups, and not inside of others");
  }

  bool each(const Instruction& i) {
    if (i.regions.size() != 1 || !counts(i, 1, i.results.size())) return fail(&i, "each has a mask and a region");
    const std::vector<Value*>& lane = i.regions[0]->parameters;
    return takes(i, i.operands[0]->type.plain() == Type{Kind::kBool} && lane.size() == 1 && lane[0]->type == Type{Kind::kI32});
  }

  // In a kernel for groups, values that differ between the items of a group are inside of `items` alone.
  bool ofAnItem(const Instruction& i) {
    if (!function_->for_groups || insideItems()) return true;
    switch (i.work_item) {
      case WorkItem::kGlobalId:
      case WorkItem::kLocalId:
      case WorkItem::kGlobalLinearId:
      case WorkItem::kLocalLinearId:
        return fail(&i, "an id is that of an item, inside of items");
      default:
        return true;
    }
  }

  bool terminator(const Instruction& i) {
    if (!i.results.empty()) return fail(&i, "a terminator has no result");
    size_t number = 0;
    const Shape shape = shapeOf(i.op);
    if (shape == Shape::kReturn) {
      if (lanesAround() > 1) return fail(&i, "lanes end by an end");
      const bool right =
          function_->result.isVoid() ? i.operands.empty() : i.operands.size() == 1 && i.operands[0]->type == function_->result;
      return right || fail(&i, "a return gives the function's result");
    }
    if (shape == Shape::kYield && !around_.empty() && around_.back()->op == Opcode::kEach) {
      const std::vector<Value*>& to = around_.back()->results;
      bool right = to.size() == i.operands.size();
      for (size_t k = 0; right && k < to.size(); ++k) right = i.operands[k]->type == to[k]->type.plain();
      return right || fail(&i, "a yield of each gives a lane of its results");
    }
    if (shape == Shape::kYield) {
      const bool right = !around_.empty() && (around_.back()->op == Opcode::kIf || around_.back()->op == Opcode::kItems) &&
                         same(i.operands, 0, around_.back()->results);
      return right || fail(&i, "a yield ends a region of an if or of items and gives its results");
    }
    const bool of_switch = shape == Shape::kLeave || shape == Shape::kFallThrough;
    const Instruction* target = innermost(of_switch ? Shape::kSwitch : Shape::kLoop, &number);
    if (target == nullptr) return fail(&i, "there is something around that it ends");
    switch (shape) {
      case Shape::kContinue:
        return (number == 0 && same(i.operands, 0, target->regions[1]->parameters)) ||
               fail(&i, "continue goes from body to step");
      case Shape::kNext:
        return (number == 1 && around_.back() == target && same(i.operands, 0, target->regions[0]->parameters)) ||
               fail(&i, "next ends a step and gives the body's parameters");
      case Shape::kFallThrough:
        return (number + 1 < target->regions.size() && same(i.operands, 0, target->regions[number + 1]->parameters)) ||
               fail(&i, "there is a next region, with such parameters");
      default:
        return same(i.operands, 0, target->results) || fail(&i, "it gives the results of what it ends");
    }
  }

  bool shape(const Instruction& i) {
    const Type first = i.operands.empty() ? Type{} : i.operands[0]->type.plain();
    const Shape shape = shapeOf(i.op);
    if (!i.regions.empty() && shape != Shape::kIf && shape != Shape::kLoop && shape != Shape::kItems && shape != Shape::kEach &&
        shape != Shape::kSwitch)
      return fail(&i, "it has no regions");
    switch (shape) {
      case Shape::kConstant: {
        if (!counts(i, 0, 1) || i.numbers.size() != i.result()->type.components) return fail(&i, "bits for each component");
        for (const uint64_t number : i.numbers) {
          if (number != (number & maskOf(i.result()->type.kind))) return fail(&i, "the bits are those of the type");
        }
        return true;
      }
      case Shape::kIntegers:
        return alike(i, 2) && takes(i, first.isInteger()) && gives(i, first);
      case Shape::kBits:
        return alike(i, 2) && takes(i, first.isInteger() || first.isBool()) && gives(i, first);
      case Shape::kFloats:
        return alike(i, 2) && takes(i, first.isFloating()) && gives(i, first);
      case Shape::kFloat:
        return alike(i, 1) && takes(i, first.isFloating()) && gives(i, first);
      case Shape::kFused:
        return alike(i, 3) && takes(i, first.isFloating()) && gives(i, first);
      case Shape::kCompareBits:
        return alike(i, 2) && takes(i, first.isInteger() || first.isBool() || first.isPointer()) &&
               gives(i, first.with(Kind::kBool));
      case Shape::kCompareIntegers:
        return alike(i, 2) && takes(i, first.isInteger() || first.isPointer()) && gives(i, first.with(Kind::kBool));
      case Shape::kCompareFloats:
        return alike(i, 2) && takes(i, first.isFloating()) && gives(i, first.with(Kind::kBool));
      case Shape::kSelect: {
        if (!counts(i, 3, 1)) return false;
        const Type chosen = i.operands[1]->type.plain();
        const bool fits = first.isBool() && (first.components == 1 || first.components == chosen.components);
        return takes(i, fits && i.operands[2]->type.plain() == chosen) && gives(i, chosen);
      }
      case Shape::kNarrow:
      case Shape::kWiden:
      case Shape::kFloatNarrow:
      case Shape::kFloatWiden:
      case Shape::kFloatToInteger:
      case Shape::kIntegerToFloat:
      case Shape::kBitcast:
      case Shape::kFromPointer:
      case Shape::kToPointer:
        return conversion(i);
      case Shape::kSplat:
      case Shape::kBuild:
      case Shape::kExtract:
      case Shape::kInsert:
      case Shape::kShuffle:
        return vector(i);
      case Shape::kSpread:
        return counts(i, 1, 1) && gives(i, first);
      case Shape::kSteps:
        return counts(i, 1, 1) && takes(i, (first.isInteger() || first.isPointer()) && !first.isVector()) && gives(i, first) &&
               (i.numbers.size() == 1 || fail(&i, "a number from lane to lane"));
      case Shape::kLane:
        return counts(i, 2, 1) && takes(i, i.operands[1]->type == Type{Kind::kI32}) && gives(i, first);
      case Shape::kAny:
        return counts(i, 1, 1) && takes(i, first == Type{Kind::kBool}) && gives(i, first);
      case Shape::kEnd:
        return counts(i, 1, 0) && takes(i, first == Type{Kind::kBool});
      case Shape::kEach:
        return each(i);
      case Shape::kAddress:
      case Shape::kOffset:
      case Shape::kLoad:
      case Shape::kStore:
      case Shape::kCopy:
      case Shape::kFill:
        return memory(i);
      case Shape::kWorkItem:
        if (i.results.size() != 1 || i.operands.size() > 1 || i.work_item == WorkItem::kNone) return fail(&i, "which id it is");
        if (!ofAnItem(i)) return false;
        return takes(i, i.operands.empty() || first == Type{Kind::kI32});
      case Shape::kBuiltin:
      case Shape::kCall:
        return called(i);
      case Shape::kSubGroup:
        if (function_->for_groups) return fail(&i, "the items of a kernel for groups exchange nothing");
        return called(i);
      case Shape::kBarrier:
        if (function_->for_groups) return fail(&i, "a kernel for groups has no barriers");
        return counts(i, 0, 0);
      case Shape::kFence:
        return counts(i, 0, 0);
      case Shape::kPrefetch:
        return counts(i, 1, 0) && takes(i, i.operands[0]->type.isPointer() && !i.operands[0]->type.hasLanes()) &&
               (i.numbers.size() == 1 || fail(&i, "how far from its pointer it asks"));
      case Shape::kItems:
        return items(i);
      case Shape::kIf:
      case Shape::kLoop:
      case Shape::kSwitch:
        return control(i);
      default:
        return terminator(i);
    }
  }

  std::string* why_;
  const Function* function_ = nullptr;
  std::set<const Function*> functions_;
  std::set<const Object*> objects_;
  std::set<const Value*> seen_;
  std::set<uint32_t> ids_;
  std::vector<const Instruction*> around_;
  std::vector<size_t> region_number_;
};

}  // namespace

bool verify(const Module& module, std::string* why) {
  why->clear();
  std::vector<const Function*> functions(module.functions.begin(), module.functions.end());
  if (module.constants != nullptr) functions.push_back(module.constants);
  for (const Function* function : functions) {
    if (!Verifier(module, why).function(*function)) return false;
  }
  return true;
}

}  // namespace manyrt::compiler::ir
