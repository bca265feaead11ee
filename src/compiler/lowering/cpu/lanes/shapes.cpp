// Shapes are found by going over the statements until nothing changes any more. They only ever get worse, from unknown to
// uniform or linear to varying, so that this ends.
#include "compiler/lowering/cpu/lanes/shapes.h"

#include <algorithm>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

bool isLaneType(const Type* type) {  // that a vector can have as elements
  if (type->kind == TypeKind::kEnum) return true;
  return type->kind == TypeKind::kScalar && type->scalar != Scalar::kHalf;
}

bool isBool(const Type* type) { return type->kind == TypeKind::kScalar && type->scalar == Scalar::kBool; }

std::optional<int64_t> constantOf(const Expr& e) {
  const Expr& inner = behindConversions(e);
  if (inner.kind != ExprKind::kLiteral || !inner.type->isInteger()) return std::nullopt;
  const int64_t value = static_cast<int64_t>(inner.integer);
  const int64_t own = sizeOf(inner.type) == 4 && inner.type->isSigned() ? static_cast<int32_t>(value) : value;
  if (own < -65536 || own > 65536) return std::nullopt;
  return own;
}

Shape join(Shape a, Shape b) {
  if (a.kind == Shape::Kind::kUnknown) return b;
  if (b.kind == Shape::Kind::kUnknown || a == b) return a;
  return Shape::varying();
}

bool wrapsAt32(const Type* type) { return !type->isPointer() && !type->isSigned() && sizeOf(QualType{type}) == 4; }

bool isAtomic(const Expr& e) { return e.kind == ExprKind::kBuiltinCall && e.builtin->kind == BuiltinKind::kAtomic; }

}  // namespace

bool isSafeForAllLanes(const Expr& expression) {
  bool safe = !hasEffects(expression);
  visit(const_cast<Expr*>(&expression), [&](Expr& e) {
    if (e.kind == ExprKind::kSubscript || e.kind == ExprKind::kCall) safe = false;
    if (e.kind == ExprKind::kUnary && e.op == Op::kDereference) safe = false;
  });
  return safe;
}

// --- what there is a form for

bool LaneShapes::supportsVariable(const Variable& variable) {
  const Storage storage = plan_.storage(variable);
  if (variable.type.space == AddressSpace::kLocal) return true;
  if (variable.type.is_volatile || storage == Storage::kInPlace) {
    why_not_ = "the variable " + variable.name + " is kept in memory";
    return false;
  }
  if (!isLaneType(variable.type.type) && !variable.type->isPointer()) {
    why_not_ = "the variable " + variable.name + " is no number";
    return false;
  }
  return true;
}

bool LaneShapes::supports(const Stmt& statement) {
  bool fine = true;
  visitStatements(const_cast<Stmt*>(&statement), [&](Stmt& s) {
    if (!fine) return;
    if (s.kind == StmtKind::kSwitch || s.kind == StmtKind::kGoto || s.kind == StmtKind::kLabel || s.kind == StmtKind::kCase ||
        s.kind == StmtKind::kDefault) {
      why_not_ = "it has a switch or a goto";
      fine = false;
    }
    for (const Variable* variable : s.variables) fine = fine && supportsVariable(*variable);
  });
  visitExpressions(const_cast<Stmt*>(&statement), [&](Expr& e) { fine = fine && supports(e); });
  return fine;
}

bool LaneShapes::supports(const Expr& e) {
  const Type* type = e.type.type;
  const char* what = nullptr;
  if (e.type.is_volatile) what = "volatile memory";
  if (type->isVector()) what = "vector types";
  if (type->isRecord() && !e.lvalue) what = "records as values";
  if (type->kind == TypeKind::kScalar && type->scalar == Scalar::kHalf) what = "half";
  switch (e.kind) {
    case ExprKind::kVariable:
      if (plan_.storage(*e.variable) == Storage::kInPlace) what = "a variable that is kept in memory";
      break;
    case ExprKind::kCall:
      what = "calls of functions";
      break;
    case ExprKind::kString:
    case ExprKind::kCompoundLiteral:
    case ExprKind::kInitializer:
    case ExprKind::kVectorLiteral:
    case ExprKind::kSwizzle:
      what = "compound values";
      break;
    case ExprKind::kAssign:
      if (!isLaneType(e.a->type.type) && !e.a->type->isPointer()) what = "assignments of compound values";
      if (e.op != Op::kNone && isBool(e.a->type.type)) what = "arithmetic on bool";
      break;
    case ExprKind::kUnary:
      if (e.op == Op::kAddressOf && rootVariable(*e.a) != nullptr && rootVariable(*e.a)->type.space == AddressSpace::kPrivate &&
          !rootVariable(*e.a)->is_parameter) {
        what = "addresses of private variables";
      }
      if (e.op >= Op::kPreIncrement && isBool(e.a->type.type)) what = "arithmetic on bool";
      break;
    case ExprKind::kBuiltinCall:
      if (e.builtin->kind == BuiltinKind::kPrint || e.builtin->kind == BuiltinKind::kGroupCopy ||
          e.builtin->kind == BuiltinKind::kMemory || e.builtin->kind == BuiltinKind::kBarrier) {
        what = "a built-in function that reads or writes memory";
      }
      break;
    default:
      break;
  }
  if (e.kind == ExprKind::kMember && isPackedStorage(e)) what = "packed records";
  if (what == nullptr) return true;
  why_not_ = std::string("it has ") + what;
  return false;
}

bool LaneShapes::find(const std::vector<Stmt*>& statements, std::string* why_not) {
  for (const Stmt* s : statements) {
    if (!supports(*s)) {
      *why_not = why_not_;
      return false;
    }
  }
  for (const Variable* variable : plan_.variables()) {
    const Storage storage = plan_.storage(*variable);
    if (storage == Storage::kArray && isLaneType(variable->type.type)) variables_[variable] = Shape::varying();
    if (storage == Storage::kArray && variable->type->isPointer()) variables_[variable] = Shape::varying();
    if (storage == Storage::kRecomputed) variables_[variable] = Shape();
  }
  do {
    changed_ = false;
    frames_.clear();
    for (const Variable* variable : plan_.variables()) {
      if (plan_.storage(*variable) == Storage::kRecomputed) assign(*variable, of(*variable->initializer));
    }
    for (const Stmt* s : statements) look(*s);
  } while (changed_);
  for (const Stmt* s : statements) {
    visitExpressions(const_cast<Stmt*>(s), [&](Expr& e) { measure(e); });
  }
  for (const auto& [variable, shape] : variables_) {
    if (shape.isVarying() && variable->type->isPointer())
      why_not_ = "the pointer " + variable->name + " differs from item to item";
  }
  for (const Stmt* s : statements) count(s, 1);
  if (together_ > alone_) why_not_ = "its items read memory here and there, one by one";
  *why_not = why_not_;
  return why_not_.empty();
}

// --- whether it pays: memory at places of their own costs a lane more than an item, and the rest an eighth or less

constexpr double kLanes = 8, kScattered = 1.4, kLoopRuns = 8, kUneven = 2;

void LaneShapes::count(const Expr* e, double weight) {
  if (e == nullptr) return;
  count(e->a, weight);
  count(e->b, weight);
  count(e->c, weight);
  for (const Expr* argument : e->arguments) count(argument, weight);
  const bool reads = e->kind == ExprKind::kSubscript || (e->kind == ExprKind::kUnary && e->op == Op::kDereference);
  const bool works = e->kind == ExprKind::kBinary || e->kind == ExprKind::kUnary || e->kind == ExprKind::kAssign ||
                     e->kind == ExprKind::kConditional || reads;
  const bool calls = e->kind == ExprKind::kBuiltinCall && e->builtin->kind != BuiltinKind::kWorkItem;
  if (of(*e).isUniform() || !(works || calls)) return;
  if (calls && isAtomic(*e)) {
    alone_ += 10 * weight;
    together_ += 11 * weight;
  } else if (reads) {
    const Shape at = e->kind == ExprKind::kSubscript ? of(*e->b) : of(*e->a);
    const bool near = at.isUniform() || (at.isLinear() && (at.stride == 1 || at.stride == -1));
    alone_ += weight;
    together_ += near ? weight / kLanes : weight * kScattered;
  } else if (!of(*e).isLinear()) {
    alone_ += weight;
    together_ += weight / kLanes;
  }
}

void LaneShapes::count(const Stmt* s, double weight) {
  if (s == nullptr) return;
  const double before = together_;
  double inner = weight;
  if (isLoop(*s)) inner *= kLoopRuns;
  for (const Variable* variable : s->variables) count(variable->initializer, weight);
  count(s->init, weight);
  count(s->a, inner);
  count(s->b, inner);
  count(s->first, inner);
  count(s->second, inner);
  for (const Stmt* each : s->body) count(each, weight);
  if (isLoop(*s) && diverges(*s)) together_ = before + (together_ - before) * kUneven;
}

void LaneShapes::measure(const Expr& e) {
  if (!of(e).isVarying()) return;
  if (e.type->isPointer()) return;  // their parts are measured
  if (isLaneType(e.type.type)) widest_ = std::max(widest_, static_cast<uint32_t>(sizeOf(e.type)));
}

// --- going over the statements

void LaneShapes::assign(const Variable& variable, Shape shape) {
  // Where lanes are off that will read the variable again, they keep what they had.
  const auto depth = depths_.find(&variable);
  for (size_t i = depth == depths_.end() ? 0 : depth->second; i < frames_.size(); ++i) {
    if (diverges(*frames_[i])) shape = Shape::varying();
  }
  Shape& own = variables_[&variable];
  const Shape joined = join(own, shape);
  if (joined == own) return;
  own = joined;
  changed_ = true;
}

void LaneShapes::declare(const Variable& variable) {
  depths_[&variable] = frames_.size();
  variables_.emplace(&variable, Shape());
  if (variable.initializer == nullptr) return;
  look(variable.initializer);
  assign(variable, of(*variable.initializer));
}

void LaneShapes::look(const Expr* e) {
  if (e == nullptr) return;
  if (e->kind == ExprKind::kBinary && (e->op == Op::kLogicalAnd || e->op == Op::kLogicalOr) && hasEffects(*e->b) &&
      !of(*e->a).isUniform()) {
    why_not_ = "an assignment stands behind && or ||";
  }
  if (e->kind == ExprKind::kConditional && !of(*e->a).isUniform() && (hasEffects(*e->b) || hasEffects(*e->c))) {
    why_not_ = "an assignment stands behind ?:";
  }
  look(e->a);
  look(e->b);
  look(e->c);
  for (const Expr* argument : e->arguments) look(argument);
  const Variable* variable = assignedVariable(*e);
  if (variable == nullptr || variable->type.space == AddressSpace::kLocal) return;
  if (e->kind == ExprKind::kUnary) {
    const Shape own = of(*variable);
    assign(*variable, own.isLinear() && wrapsAt32(e->a->type.type) ? Shape::varying() : own);
  } else if (e->op == Op::kNone) {
    assign(*variable, of(*e->b));
  } else {
    const Shape own = of(*variable), by = of(*e->b);
    const bool wide =
        e->a->type->isPointer() || (e->a->type->isInteger() && sizeOf(e->a->type) >= 4 && !wrapsAt32(e->a->type.type));
    const bool keeps = wide && (e->op == Op::kAdd || e->op == Op::kSub) && by.isUniform() && !by.isLinear();
    assign(*variable, own.isUniform() && by.isUniform() ? Shape::uniform() : keeps ? own : Shape::varying());
  }
}

// A break or continue: if only some lanes may be here, the loop goes on for the others.
void LaneShapes::jump(StmtKind kind) {
  bool some = false;
  for (size_t i = frames_.size(); i-- > 0;) {
    const Stmt& around = *frames_[i];
    if (!isLoop(around)) {
      some = some || diverges(around);
      continue;
    }
    if (kind != StmtKind::kReturn) {
      if (some && diverging_.insert(&around).second) changed_ = true;
      return;
    }
    some = some || diverges(around);
  }
}

void LaneShapes::within(const Stmt& statement, const Stmt* inner) {
  if (inner == nullptr) return;
  frames_.push_back(&statement);
  look(*inner);
  frames_.pop_back();
}

void LaneShapes::look(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::kCompound:
      for (const Stmt* inner : s.body) look(*inner);
      break;
    case StmtKind::kDeclare:
      for (const Variable* variable : s.variables) {
        if (variable->type.space == AddressSpace::kLocal) continue;
        if (plan_.storage(*variable) == Storage::kUniform) continue;
        declare(*variable);
      }
      break;
    case StmtKind::kExpr:
      look(s.a);
      break;
    case StmtKind::kIf:
      look(s.a);
      if (!of(*s.a).isUniform() && diverging_.insert(&s).second) changed_ = true;
      within(s, s.first);
      within(s, s.second);
      break;
    case StmtKind::kFor:
    case StmtKind::kWhile:
    case StmtKind::kDo:
      frames_.push_back(&s);  // what the head declares, lanes that have left do not read again
      if (s.init != nullptr) look(*s.init);
      look(s.a);
      if (s.a != nullptr && !of(*s.a).isUniform() && diverging_.insert(&s).second) changed_ = true;
      look(*s.first);
      look(s.b);
      frames_.pop_back();
      break;
    case StmtKind::kBreak:
    case StmtKind::kContinue:
    case StmtKind::kReturn:
      jump(s.kind);
      break;
    default:
      break;
  }
}

// --- expressions

Shape LaneShapes::of(const Variable& variable) const {
  const auto at = variables_.find(&variable);
  if (at != variables_.end()) return at->second;
  return Shape::uniform();  // parameters, local and constant variables, what the group shares
}

Shape LaneShapes::of(const Expr& e) const {
  switch (e.kind) {
    case ExprKind::kLiteral:
      return Shape::uniform();
    case ExprKind::kVariable:
      return of(*e.variable);
    case ExprKind::kUnary: {
      const Shape a = of(*e.a);
      switch (e.op) {
        case Op::kDereference:
          return a.isUniform() ? a : Shape::varying();
        case Op::kAddressOf:
          return a;  // of an lvalue: where it is
        case Op::kPlus:
          return a;
        case Op::kMinus:
          return a.isLinear() && e.type->isInteger() ? Shape::linear(-a.stride, wrapsAt32(e.type.type)) : a;
        case Op::kPreIncrement:
        case Op::kPreDecrement:
        case Op::kPostIncrement:
        case Op::kPostDecrement:
          return a.isLinear() && e.a->kind == ExprKind::kVariable ? a : a.isUniform() ? a : Shape::varying();
        default:
          return a.isUniform() ? a : Shape::varying();
      }
    }
    case ExprKind::kBinary:
      return binary(e);
    case ExprKind::kAssign: {
      const Variable* variable = assignedVariable(e);
      if (variable != nullptr && variable->type.space != AddressSpace::kLocal) return of(*variable);
      return of(*e.a).isUniform() && of(*e.b).isUniform() ? Shape::uniform() : Shape::varying();
    }
    case ExprKind::kConditional: {
      const Shape b = of(*e.b), c = of(*e.c);
      if (!of(*e.a).isUniform()) return Shape::varying();
      return join(b, c);
    }
    case ExprKind::kCast:
    case ExprKind::kConvert: {
      if (e.a->type->isArray()) return of(*e.a);
      const Shape a = of(*e.a);
      if (!a.isLinear()) return a;
      // Ids have 31 bits, and sums of them that leave an int have no meaning in C.
      if (a.wraps && sizeOf(e.type) != 4) return Shape::varying();
      if (a.wraps) return wrapsAt32(e.type.type) ? a : Shape::varying();
      const bool integers = e.type->isInteger() && e.a->type->isInteger() && sizeOf(e.type) >= 4;
      return integers && e.type->scalar != Scalar::kBool ? a : e.type->isPointer() ? a : Shape::varying();
    }
    case ExprKind::kBuiltinCall:
      return call(e);
    case ExprKind::kMember:
      return of(*e.a).isUniform() ? of(*e.a) : Shape::varying();
    case ExprKind::kSubscript: {
      const Shape a = of(*e.a), b = of(*e.b);
      return a.isUniform() && b.isUniform() ? Shape::uniform() : Shape::varying();
    }
    default:
      return Shape::varying();
  }
}

Shape LaneShapes::binary(const Expr& e) const {
  const Shape a = of(*e.a), b = of(*e.b);
  if (e.op == Op::kComma) return b;
  if (a.isUniform() && b.isUniform()) return Shape::uniform();
  if (e.type->isPointer() && (e.op == Op::kAdd || e.op == Op::kSub)) {
    if (a.isVarying() || b.isVarying()) return Shape::varying();
    return Shape::linear(e.op == Op::kAdd ? a.stride + b.stride : a.stride - b.stride);
  }
  if (a.isVarying() || b.isVarying() || !e.type->isInteger() || sizeOf(e.type) < 4) return Shape::varying();
  const bool wraps = wrapsAt32(e.type.type);
  switch (e.op) {
    case Op::kAdd:
      return Shape::linear(a.stride + b.stride, wraps);
    case Op::kSub:
      return Shape::linear(a.stride - b.stride, wraps);
    case Op::kMul: {
      const auto factor = a.isUniform() ? constantOf(*e.a) : b.isUniform() ? constantOf(*e.b) : std::nullopt;
      if (!factor) return Shape::varying();
      return Shape::linear((a.isUniform() ? b.stride : a.stride) * *factor, wraps);
    }
    case Op::kShl: {
      const auto amount = b.isUniform() ? constantOf(*e.b) : std::nullopt;
      if (!amount || *amount < 0 || *amount > 16) return Shape::varying();
      return Shape::linear(a.stride << *amount, wraps);
    }
    default:
      return Shape::varying();
  }
}

Shape LaneShapes::call(const Expr& e) const {
  if (e.builtin->kind == BuiltinKind::kWorkItem) {
    const WorkItem which = e.builtin->work_item;
    if (which == WorkItem::kGlobalLinearId || which == WorkItem::kLocalLinearId) return Shape::linear(1);
    if (which != WorkItem::kGlobalId && which != WorkItem::kLocalId) return Shape::uniform();
    if (e.arguments.empty()) return Shape::linear(1);
    const Expr& dimension = behindConversions(*e.arguments[0]);
    if (dimension.kind != ExprKind::kLiteral) return Shape::varying();
    return dimension.integer == 0 ? Shape::linear(1) : Shape::uniform();
  }
  if (isAtomic(e)) return Shape::varying();
  if (e.builtin->kind == BuiltinKind::kFence) return Shape::uniform();
  bool uniform = e.builtin->kind == BuiltinKind::kPure;
  for (const Expr* argument : e.arguments) uniform = uniform && of(*argument).isUniform();
  return uniform ? Shape::uniform() : Shape::varying();
}

}  // namespace manyrt::compiler
