// Structured control as blocks and labels: a jump leaves blocks and enters none, so that no declaration is jumped over.
#include "compiler/emit/cpp_function.h"

#include <algorithm>

#include "compiler/builtins/lane_call.h"

namespace manyrt::compiler::emit {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Shape;
using ir::Value;

namespace {

// "const float", "char* const"
std::string constant(const std::string& type) { return type == "char*" ? "char* const" : "const " + type; }

std::string jump(const std::string& label) { return "goto " + label + ";\n"; }

}  // namespace

std::string CppFunction::slots(const ir::Function& function) {
  std::string text;
  for (const ir::Object* slot : function.slots) {
    if (slot->per_item || (around_.names() != nullptr && around_.names()->of(*slot) != nullptr)) continue;
    text += "alignas(" + std::to_string(std::max(slot->alignment, 1u)) + ") char " + name(*slot) + "[" +
            std::to_string(std::max<uint64_t>(slot->size, 1)) + "];\n";
    // Lanes keep addresses as numbers in vectors, through which a compiler does not follow a pointer.
    if (slot->lane_stride != 0) text += "__asm__ volatile(\"\" : : \"r\"(" + name(*slot) + ") : \"memory\");\n";
  }
  return text;
}

std::string CppFunction::body(const ir::Function& function) {
  out_.clear();
  findPlaces(*function.body);
  region(*function.body);
  return std::move(out_);
}

void CppFunction::region(const Region& region) {
  const UserNames* names = around_.names();
  for (const Instruction* i : region.body) {
    if (names != nullptr) out_ += names->before(*i);
    out_ += around_.line(i->where);
    if (names == nullptr || !names->isBound(*i)) instruction(*i);
    if (names != nullptr) out_ += names->after(*i);
  }
}

void CppFunction::findPlaces(const Region& region) {
  for (const Instruction* i : region.body) {
    for (const Value* operand : i->operands) {
      if (const auto [at, is_first] = user_.emplace(operand, i); !is_first) at->second = nullptr;
    }
    for (const Region* inner : i->regions) findPlaces(*inner);
  }
}

// Values that control carries are assigned one after the other, and an expression would see the new ones. So their sources have
// names.
bool CppFunction::standsAtItsUse(const Instruction& i) const {
  if (!ir::isPure(i.op) || i.result() == nullptr || i.result()->type.hasLanes()) return false;
  if (i.op == Opcode::kConstant && !i.result()->type.isVector()) return true;
  const auto at = user_.find(i.result());
  if (at == user_.end() || at->second == nullptr || at->second->parent != i.parent) return false;
  const Instruction& user = *at->second;
  const Shape shape = ir::shapeOf(user.op);  // some name an operand once a component
  if (shape == Shape::kSplat || shape == Shape::kInsert || shape == Shape::kShuffle) return false;
  if (i.result()->type.isVector() && user.result() != nullptr && user.result()->type.hasLanes()) return false;
  return user.op != Opcode::kStore && user.op != Opcode::kEach && !ir::isTerminator(user.op) &&
         (user.regions.empty() || user.op == Opcode::kIf);
}

std::string CppFunction::text(const Value& value) const {
  const auto at = texts_.find(&value);
  return at == texts_.end() ? name(value) : at->second;
}

void CppFunction::define(const Instruction& i, const std::string& value) {
  constexpr size_t kLongest = 200;  // what is longer has a name
  if (value.size() <= kLongest && standsAtItsUse(i)) {
    texts_[i.result()] = "(" + value + ")";
    return;
  }
  if (i.results.empty()) {
    out_ += value + ";\n";
  } else {
    out_ += constant(type(i.result()->type)) + " " + name(*i.result()) + " = " + value + ";\n";
  }
}

void CppFunction::declare(const std::vector<Value*>& values) {
  for (const Value* value : values) out_ += type(value->type) + " " + name(*value) + ";\n";
}

// All are read before the first is written.
void CppFunction::pass(const std::vector<Value*>& from, size_t first, const std::vector<Value*>& to) {
  std::vector<std::string> values;
  std::string ahead;
  for (size_t k = 0; k < to.size(); ++k) {
    const Value* value = from[first + k];
    values.push_back(text(*value));
    // Written by one of the assignments before this one.
    if (std::find(to.begin(), to.begin() + static_cast<ptrdiff_t>(k), value) == to.begin() + static_cast<ptrdiff_t>(k))
      continue;
    values.back() = "t" + std::to_string(k);
    ahead += constant(type(value->type)) + " t" + std::to_string(k) + " = " + name(*value) + ";\n";
  }
  if (!ahead.empty()) out_ += "{\n" + ahead;
  for (size_t k = 0; k < to.size(); ++k) {
    if (from[first + k] != to[k]) out_ += name(*to[k]) + " = " + values[k] + ";\n";
  }
  if (!ahead.empty()) out_ += "}\n";
}

const CppFunction::Around& CppFunction::innermost(Shape shape) const {
  size_t at = stack_.size() - 1;
  while (ir::shapeOf(stack_[at].instruction->op) != shape) --at;
  return stack_[at];
}

// Operations on lanes, which the vectors of the compiler have.
bool CppFunction::ofLanes(const Instruction& i) {
  const auto has = [](const std::vector<Value*>& values) {
    return std::any_of(values.begin(), values.end(), [](const Value* each) { return each->type.hasLanes(); });
  };
  const bool steps = (i.op == Opcode::kLoad || i.op == Opcode::kStore) && (!i.numbers.empty() || i.step() != nullptr);
  if (!steps && !has(i.operands) && !has(i.results)) return false;
  const Shape shape = ir::shapeOf(i.op);
  if (!ir::isPure(i.op) && shape != Shape::kLoad && shape != Shape::kStore && shape != Shape::kBuiltin) return false;
  std::vector<std::string> operands;
  for (size_t k = 0; k < i.operands.size(); ++k) operands.push_back(operand(i, k));
  for (size_t k = 0; CppLanes::comparesNeighbours(i) && k < 2; ++k) {
    const Instruction* by = i.operands[k]->by;
    if (by != nullptr && by->op == Opcode::kSteps) operands[k] = operand(*by, 0);
  }
  define(i, i.op == Opcode::kLoad    ? lanes_.load(i, operands, places(*i.operands[0]))
            : i.op == Opcode::kStore ? lanes_.store(i, operands, places(*i.operands[1]))
                                     : lanes_.value(i, operands));
  return true;
}

// Takes the addresses of lanes apart: a place that all lanes share, and an index with its size. An index of 32 bits or fewer
// needs half as many bytes as an address. Offsets that all lanes share may be added before it or after.
CppLanes::Places CppFunction::places(const Value& pointer) const {
  CppLanes::Places whole;
  whole.index = text(pointer);
  if (!pointer.type.hasLanes()) return whole;
  CppLanes::Places made;
  std::string shared;
  const Value* at = &pointer;
  const Value* offset = nullptr;
  for (; at->type.hasLanes(); at = at->by->operands[0]) {
    if (at->by == nullptr || at->by->op != Opcode::kOffset) return whole;
    const Value* added = at->by->operands[1];
    if (!added->type.hasLanes()) {
      shared += " + (long)" + text(*added);
    } else if (offset != nullptr) {
      return whole;
    } else {
      offset = added;
    }
  }
  if (offset == nullptr) return whole;
  uint64_t by = 1;
  if (offset->by != nullptr && offset->by->op == Opcode::kMul) {
    const Value *a = offset->by->operands[0], *b = offset->by->operands[1];
    if (a->by != nullptr && a->by->op == Opcode::kConstant) std::swap(a, b);
    if (b->by == nullptr || b->by->op != Opcode::kConstant) return whole;
    by = b->by->numbers[0];
    offset = a;
  }
  constexpr uint64_t kMost = 1u << 20;  // any more would not be an element's size
  const Instruction* wider = offset->by;
  if (by > kMost || wider == nullptr || (wider->op != Opcode::kZExt && wider->op != Opcode::kSExt)) return whole;
  const Value& index = *wider->operands[0];
  if (!index.type.hasLanes() || index.type.isBool() || ir::bitsOf(index.type.kind) > 32) return whole;
  made.base = "(" + text(*at) + shared + ")";
  made.index = lanes_.index(index.type.kind, wider->op == Opcode::kSExt, text(index));
  made.by = std::to_string(by);
  return made;
}

void CppFunction::instruction(const Instruction& i) {
  if (ofLanes(i)) return;
  switch (ir::shapeOf(i.op)) {
    case Shape::kAddress:
      return define(i, around_.address(*i.object));
    case Shape::kLoad:
      return define(i, operations_.load(i, operand(i, 0)));
    case Shape::kStore:
      return define(i, operations_.store(i, operand(i, 0), operand(i, 1)));
    case Shape::kCopy:
      return define(i, "__builtin_memmove(" + operand(i, 0) + ", " + operand(i, 1) + ", " + std::to_string(i.bytes) + ")");
    case Shape::kFill:
      return define(i, "__builtin_memset(" + operand(i, 0) + ", 0, " + std::to_string(i.bytes) + ")");
    case Shape::kWorkItem: {
      const Instruction* by = i.operands.empty() ? nullptr : i.operands[0]->by;
      const bool is_constant = by != nullptr && by->op == Opcode::kConstant;
      const int dimension = i.operands.empty() ? 0 : is_constant ? static_cast<int>(std::min<uint64_t>(by->numbers[0], 3)) : -1;
      return define(i, around_.workItem(i.work_item, dimension, i.operands.empty() ? "" : operand(i, 0)));
    }
    case Shape::kSubGroup:
    case Shape::kBuiltin: {
      if (i.signature.builtin->kind == BuiltinKind::kGroupCopy) return groupCopy(i);
      std::vector<std::string> operands;
      for (size_t k = 0; k < i.operands.size(); ++k) operands.push_back(operand(i, k));
      return define(i, operations_.builtin(i, operands));
    }
    case Shape::kCall: {
      std::string call = around_.name(*i.callee) + "(";
      for (size_t k = 0; k < i.operands.size(); ++k)
        call += (k == 0 ? "" : ", ") + around_.argument(*i.callee, k, operand(i, k));
      const std::string item = around_.item(*i.callee);
      if (!item.empty()) call += (i.operands.empty() ? "" : ", ") + item;
      return define(i, call + ")");
    }
    case Shape::kBarrier:
      out_ += around_.barrier();
      return;
    case Shape::kPrefetch:
      out_ +=
          "__builtin_prefetch((const void*)((unsigned long)" + operand(i, 0) + " + " + std::to_string(i.numbers[0]) + "ul));\n";
      return;
    case Shape::kFence:
      out_ += "__atomic_thread_fence(__ATOMIC_SEQ_CST);\n";
      return;
    case Shape::kIf:
      return ifOf(i);
    case Shape::kLoop:
      return loopOf(i);
    case Shape::kSwitch:
      return switchOf(i);
    case Shape::kItems:
      return i.lanes > 1 ? lanesOf(i) : itemsOf(i);
    case Shape::kEach:
      return eachOf(i);
    case Shape::kEnd:
      out_ += around_.endLanes(i, operand(i, 0));
      return;
    default:
      break;
  }
  if (ir::isTerminator(i.op)) return end(i);
  std::vector<std::string> operands;
  for (size_t k = 0; k < i.operands.size(); ++k) operands.push_back(operand(i, k));
  define(i, operations_.value(i, operands));
}

void CppFunction::ifOf(const Instruction& i) {
  declare(i.results);
  stack_.push_back({&i, "", 0});
  out_ += "if (" + operand(i, 0) + ") {\n";
  region(*i.regions[0]);
  const Region& otherwise = *i.regions[1];
  const bool is_empty =
      otherwise.body.size() == 1 && otherwise.body[0]->op == Opcode::kYield && otherwise.body[0]->operands.empty();
  if (!is_empty) {
    out_ += "} else {\n";
    region(otherwise);
  }
  out_ += "}\n";
  stack_.pop_back();
}

bool CppFunction::isInLanes() const {
  return std::any_of(stack_.begin(), stack_.end(), [](const Around& each) { return each.instruction->lanes > 1; });
}

void CppFunction::loopOf(const Instruction& i) {
  const std::string label = "l" + std::to_string(++labels_);
  declare(i.results);
  for (const Region* each : i.regions) declare(each->parameters);
  pass(i.operands, 0, i.regions[0]->parameters);
  stack_.push_back({&i, label, 0});
  out_ += "for (;;) {\n" + std::string(isInLanes() ? kKeepsBranches : "") + "{\n";
  region(*i.regions[0]);
  out_ += "}\n" + label + "_step: ;\n{\n";
  stack_.back().region = 1;
  region(*i.regions[1]);
  out_ += "}\n}\n" + label + "_end: ;\n";
  stack_.pop_back();
}

void CppFunction::switchOf(const Instruction& i) {
  const std::string label = "w" + std::to_string(++labels_);
  declare(i.results);
  for (const Region* each : i.regions) {
    declare(each->parameters);
    pass(i.operands, 1, each->parameters);
  }
  if (i.otherwise < 0) pass(i.operands, 1, i.results);
  out_ += "switch (" + operand(i, 0) + ") {\n";
  const bool is_long = i.operands[0]->type.kind == ir::Kind::kI64;
  for (size_t number = 0; number < i.regions.size(); ++number) {
    for (const uint64_t value : i.cases[number]) out_ += "case " + std::to_string(value) + (is_long ? "ul: " : "u: ");
    if (i.otherwise == static_cast<int32_t>(number)) out_ += "default: ";
    if (!i.cases[number].empty() || i.otherwise == static_cast<int32_t>(number))
      out_ += jump(label + "_" + std::to_string(number));
  }
  out_ += "}\n" + jump(label + "_end");
  stack_.push_back({&i, label, 0});
  for (size_t number = 0; number < i.regions.size(); ++number) {
    stack_.back().region = number;
    out_ += label + "_" + std::to_string(number) + ": ;\n{\n";
    region(*i.regions[number]);
    out_ += "}\n";
  }
  stack_.pop_back();
  out_ += label + "_end: ;\n";
}

void CppFunction::itemsOf(const Instruction& i) {
  const std::string label = "i" + std::to_string(++labels_);
  declare(i.results);
  stack_.push_back({&i, label, 0});
  std::vector<std::string> limits;
  for (size_t k = 0; k < i.operands.size(); ++k) limits.push_back(operand(i, k));
  out_ += around_.itemsBegin(i, limits, label);
  region(*i.regions[0]);
  out_ += around_.itemsEnd(label);
  stack_.pop_back();
}

void CppFunction::lanesOf(const Instruction& i) {
  lanes_.use();
  declare(i.results);
  stack_.push_back({&i, "", 0});
  std::vector<std::string> limits;
  for (size_t k = 0; k < i.operands.size(); ++k) limits.push_back(operand(i, k));
  out_ += around_.lanesBegin(i, limits);
  if (i.jam > 1) {
    region(*i.regions[2]);
    out_ += around_.lanesWhole(i);
  }
  region(*i.regions[0]);
  if (around_.hasRest(i)) {
    out_ += around_.lanesRest(i, name(*i.regions[1]->parameters[0]));
    region(*i.regions[1]);
  }
  out_ += around_.lanesEnd();
  stack_.pop_back();
}

void CppFunction::eachOf(const Instruction& i) {
  for (const Value* result : i.results)
    out_ += type(result->type) + " " + name(*result) + " = " + lanes_.zero(result->type) + ";\n";
  stack_.push_back({&i, "", 0});
  const std::string lane = name(*i.regions[0]->parameters[0]), bits = lane + "_bits";
  out_ += "for (unsigned int " + bits + " = mrt_L::bits(" + operand(i, 0) + "); " + bits + " != 0; " + bits + " &= " + bits +
          " - 1) {\nconst unsigned int " + lane + " = __builtin_ctz(" + bits + ");\n" + around_.eachBegin(lane);
  region(*i.regions[0]);
  out_ += "}\n";
  stack_.pop_back();
}

void CppFunction::end(const Instruction& i) {
  switch (i.op) {
    case Opcode::kYield:
      if (stack_.back().instruction->op == Opcode::kEach) {
        const Instruction& each = *stack_.back().instruction;
        for (size_t k = 0; k < each.results.size(); ++k)
          out_ +=
              lanes_.put(each.results[k]->type, name(*each.results[k]), name(*each.regions[0]->parameters[0]), operand(i, k));
        return;
      }
      return pass(i.operands, 0, stack_.back().instruction->results);
    case Opcode::kContinue: {
      const Around& loop = innermost(Shape::kLoop);
      pass(i.operands, 0, loop.instruction->regions[1]->parameters);
      out_ += jump(loop.label + "_step");
      return;
    }
    case Opcode::kNext:
      return pass(i.operands, 0, innermost(Shape::kLoop).instruction->regions[0]->parameters);
    case Opcode::kBreak:
    case Opcode::kLeave: {
      const Around& target = innermost(i.op == Opcode::kBreak ? Shape::kLoop : Shape::kSwitch);
      pass(i.operands, 0, target.instruction->results);
      out_ += jump(target.label + "_end");
      return;
    }
    case Opcode::kFallThrough: {
      const Around& target = innermost(Shape::kSwitch);
      pass(i.operands, 0, target.instruction->regions[target.region + 1]->parameters);
      out_ += jump(target.label + "_" + std::to_string(target.region + 1));
      return;
    }
    default:
      out_ += around_.returned(i.operands.empty() ? "" : operand(i, 0));
  }
}

// async_work_group_copy and its like: the first item copies.
void CppFunction::groupCopy(const Instruction& i) {
  const bool strided = i.operands.size() == 5;
  const QualType to = i.signature.parameters[0]->inner;
  const std::string size = std::to_string(sizeOf(to)), stride = strided ? " * " + operand(i, 3) : "";
  const bool gathers = to.space == AddressSpace::kLocal;
  out_ += "if (" + around_.firstItem() + ") for (unsigned long mrt_q = 0; mrt_q < " + operand(i, 2) +
          "; ++mrt_q) __builtin_memcpy(" + operand(i, 0) + " + mrt_q * " + size + "ul" + (gathers ? "" : stride) + ", " +
          operand(i, 1) + " + mrt_q * " + size + "ul" + (gathers ? stride : "") + ", " + size + ");\n";
  define(i, operand(i, i.operands.size() - 1));
}

}  // namespace manyrt::compiler::emit
