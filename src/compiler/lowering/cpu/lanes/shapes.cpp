// Shapes are found by going over the statements until nothing changes any more. They only ever get worse, from unknown to
// uniform or linear to varying, so that this ends.
#include "compiler/lowering/cpu/lanes/shapes.h"

#include <algorithm>
#include <utility>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"
#include "compiler/unit.h"

namespace manyrt::compiler {
namespace {

bool isBool(const Type* type) { return type->kind == TypeKind::kScalar && type->scalar == Scalar::kBool; }

// Of a variable that gets both: what is not known of one is not known. Ranges that differ are given up at once, so that the
// search for shapes ends.
Shape join(Shape a, Shape b, const Type* type) {
  if (a.kind == Shape::Kind::kUnknown) return b;
  if (b.kind == Shape::Kind::kUnknown || a == b) return a;
  if (a.isLinear() && b.isLinear() && a.stride == b.stride) return Shape::linear(a.stride, sizeOf(QualType{type}) == 4, {});
  return Shape::varying();
}

// What is left of it when the same is added to all lanes.
Shape stepped(Shape shape, const Type* type) {
  return shape.isLinear() ? Shape::linear(shape.stride, sizeOf(QualType{type}) == 4) : shape;
}

// A null pointer constant, which is the same for all lanes.
bool isNull(const Expr& e) {
  const Expr* at = &e;
  while (isConversion(*at)) at = at->a;
  return at->kind == ExprKind::kLiteral;
}

bool isAtomic(const Expr& e) { return e.kind == ExprKind::kBuiltinCall && e.builtin->kind == BuiltinKind::kAtomic; }

// Assignments and the like in the expression itself, not in what it calls.
bool assigns(const Expr& expression) {
  bool found = false;
  visit(const_cast<Expr*>(&expression), [&](Expr& e) {
    if (e.kind == ExprKind::kAssign || (e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement)) found = true;
  });
  return found;
}

}  // namespace

bool isPrivatePointer(const QualType& type) { return type->isPointer() && type->inner.space == AddressSpace::kPrivate; }

bool isLaneType(const Type* type) {
  if (type->kind == TypeKind::kEnum || type->isPointer()) return true;
  return (type->kind == TypeKind::kScalar || type->kind == TypeKind::kVector) && type->scalar != Scalar::kHalf;
}

const Variable* LaneShapes::changed(const Expr& e) const {
  if (e.kind != ExprKind::kAssign && !(e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement)) return nullptr;
  const Expr* target = e.a;
  while (target->kind == ExprKind::kSwizzle) target = target->a;
  if (target->kind != ExprKind::kVariable || target->variable->type.space == AddressSpace::kLocal) return nullptr;
  return isObject(*target->variable) ? nullptr : target->variable;
}

bool listSwitch(const Stmt& statement, std::vector<const Stmt*>* list) {
  if (statement.first->kind != StmtKind::kCompound) return false;
  const auto is_label = [](const Stmt& s) { return s.kind == StmtKind::kCase || s.kind == StmtKind::kDefault; };
  for (const Stmt* each : statement.first->body) {
    for (; each != nullptr && is_label(*each); each = each->first) list->push_back(each);
    if (each == nullptr) continue;
    bool nested = false;
    visitStatements(const_cast<Stmt*>(each), [&](Stmt& s) { nested = nested || is_label(s); });
    if (nested && each->kind != StmtKind::kSwitch) return false;
    list->push_back(each);
  }
  return true;
}

bool isInteger(const Expr& e) { return e.type->isInteger() && e.type->isScalar() && !isBool(e.type.type); }

const Expr* narrowOf(const Expr& e) {
  const Expr* at = &e;
  // A number keeps its value in more bytes unless it loses its sign, and in as many if neither type has one more than the
  // other.
  const auto keeps = [](const Type* from, const Type* to) {
    if (sizeOf(QualType{from}) == sizeOf(QualType{to})) return from->isSigned() == to->isSigned();
    return sizeOf(QualType{from}) < sizeOf(QualType{to}) && (to->isSigned() || !from->isSigned());
  };
  while (isConversion(*at) && isInteger(*at) && isInteger(*at->a) && keeps(at->a->type.type, at->type.type)) at = at->a;
  return isInteger(*at) && sizeOf(at->type) <= 2 && at != &e ? at : nullptr;
}

bool followsFromLow(const Expr& e, uint32_t bytes) {
  if (!e.type->isInteger() || !e.type->isScalar() || isBool(e.type.type) || sizeOf(e.type) <= bytes) return false;
  switch (e.kind) {
    case ExprKind::kCast:
    case ExprKind::kConvert:
      return e.a->type->isInteger() && e.a->type->isScalar() && !isBool(e.a->type.type);
    case ExprKind::kUnary:
      return e.op == Op::kMinus || e.op == Op::kBitNot;
    case ExprKind::kBinary:
      if (e.a->type->isPointer()) return false;  // a difference is divided by the size of an element
      if (e.op == Op::kShl) {
        const auto amount = constantOf(*e.b);
        return amount && *amount >= 0 && *amount < static_cast<int64_t>(bytes) * 8;
      }
      return e.op == Op::kAdd || e.op == Op::kSub || e.op == Op::kMul || e.op == Op::kBitAnd || e.op == Op::kBitOr ||
             e.op == Op::kBitXor;
    default:
      return false;
  }
}

bool cutsOperand(const Expr& e) {
  const auto is_integer = [](const Expr& each) {
    return each.type->isInteger() && each.type->isScalar() && !isBool(each.type.type);
  };
  if (e.kind == ExprKind::kCast || e.kind == ExprKind::kConvert) {
    return is_integer(e) && is_integer(*e.a) && sizeOf(e.a->type) > sizeOf(e.type);
  }
  const bool low = e.op == Op::kAdd || e.op == Op::kSub || e.op == Op::kMul || e.op == Op::kBitAnd || e.op == Op::kBitOr ||
                   e.op == Op::kBitXor;
  return e.kind == ExprKind::kAssign && low && is_integer(*e.a) && is_integer(*e.b) && sizeOf(e.b->type) > sizeOf(e.a->type);
}

bool isSafeForAllLanes(const Expr& expression) {
  bool safe = !hasEffects(expression);
  visit(const_cast<Expr*>(&expression), [&](Expr& e) {
    if (e.kind == ExprKind::kSubscript || e.kind == ExprKind::kCall) safe = false;
    if (e.kind == ExprKind::kUnary && e.op == Op::kDereference) safe = false;
  });
  return safe;
}

// --- what there is a form for

constexpr uint64_t kMaxObjects = 2048;  // bytes of an item that a region keeps in memory

// Whether an array or record is made of numbers alone, where each has a place of its own.
bool LaneShapes::supportsLeaves(const Type* type) const {
  if (type->isArray()) return supportsLeaves(type->inner.type);
  if (!type->isRecord()) return isLaneType(type);
  const Record& record = *type->record;
  if (record.is_union || record.packed || record.field_limit != 0) return false;
  return std::all_of(record.fields.begin(), record.fields.end(), [&](const Field& field) {
    return !field.packed && !isLowered(field) && !field.type.is_volatile && supportsLeaves(field.type.type);
  });
}

bool LaneShapes::supportsVariable(const Variable& variable) {
  if (variable.type.space == AddressSpace::kLocal || plan_.storage(variable) == Storage::kUniform) return true;
  const bool compound = variable.type->isArray() || variable.type->isRecord();
  if (variable.type.is_volatile || variable.type.space == AddressSpace::kConstant) {
    why_not_ = "the variable " + variable.name + " is volatile or constant";
    return false;
  }
  if (compound ? !supportsLeaves(variable.type.type) : !isLaneType(variable.type.type)) {
    why_not_ = "the variable " + variable.name + " has members that are not numeric";
    return false;
  }
  const bool in_place = plan_.storage(variable) == Storage::kInPlace;
  if ((compound || in_place) && objects_.insert(&variable).second && !in_place) object_bytes_ += sizeOf(variable.type);
  if (variable.type->isPointer() && (variable.initializer != nullptr || variable.is_parameter)) pointers_.insert(&variable);
  if (object_bytes_ <= kMaxObjects) return true;
  why_not_ = "its private arrays are large";
  return false;
}

bool LaneShapes::supports(const Stmt& statement) {
  bool fine = true;
  visitStatements(const_cast<Stmt*>(&statement), [&](Stmt& s) {
    if (!fine) return;
    std::vector<const Stmt*> list;
    if (s.kind == StmtKind::kGoto || s.kind == StmtKind::kLabel || (s.kind == StmtKind::kSwitch && !listSwitch(s, &list))) {
      why_not_ = "it has a goto, or a switch with a label inside a statement";
      fine = false;
    }
    for (const Variable* variable : s.variables) fine = fine && supportsVariable(*variable);
    for (const Stmt* each : list) moved_.insert(each->variables.begin(), each->variables.end());
  });
  visitExpressions(const_cast<Stmt*>(&statement), [&](Expr& e) { fine = fine && supports(e); });
  return fine;
}

bool LaneShapes::supports(const Expr& e) {
  // The first pass over a region: besides what it refuses, it collects which variables are objects in memory, because their
  // address is taken, and which pointers are moved. The passes that find shapes ask for both.
  const Type* type = e.type.type;
  const char* what = nullptr;
  if (e.type.is_volatile) what = "volatile memory";
  if (type->isVector() && type->scalar == Scalar::kHalf) what = "half";
  if (type->kind == TypeKind::kScalar && type->scalar == Scalar::kHalf) what = "half";
  switch (e.kind) {
    case ExprKind::kVariable:
      if (plan_.storage(*e.variable) == Storage::kInPlace && !supportsVariable(*e.variable)) return false;
      break;
    case ExprKind::kConditional:
      if (type->isRecord()) what = "a choice of records";
      break;
    case ExprKind::kCall:
      if (!supportsHelper(*e.function)) return false;
      break;
    case ExprKind::kInitializer:
      if (!type->isVector() && !type->isArray() && !type->isRecord()) what = "compound values";
      break;
    case ExprKind::kSubscript:
      if (e.a->type->isVector()) what = "subscripts of vectors";
      break;
    case ExprKind::kString:
    case ExprKind::kCompoundLiteral:
      what = "compound values";
      break;

    case ExprKind::kAssign:
      if (!isLaneType(e.a->type.type) && !type->isRecord()) what = "assignments of compound values";
      if (type->isRecord() && !supportsLeaves(type)) what = "records that have no lanes";
      if (e.a->kind == ExprKind::kVariable && type->isPointer()) moved_.insert(e.a->variable);
      if (e.op != Op::kNone && isBool(e.a->type.type)) what = "arithmetic on bool";
      break;
    case ExprKind::kUnary:
      if (e.op == Op::kAddressOf) {
        const Variable* root = rootVariable(*e.a);
        const bool of_kernel = root != nullptr && root->is_parameter && root->function->is_kernel;
        if (root != nullptr && root->type.space == AddressSpace::kPrivate && !of_kernel) {
          if (!supportsVariable(*root)) return false;
          objects_.insert(root);
        }
      }
      if (e.op >= Op::kPreIncrement && e.a->kind == ExprKind::kVariable && type->isPointer()) moved_.insert(e.a->variable);
      if (e.op >= Op::kPreIncrement && isBool(e.a->type.type)) what = "arithmetic on bool";
      break;
    case ExprKind::kBuiltinCall:
      if (e.builtin->kind == BuiltinKind::kPrint || e.builtin->kind == BuiltinKind::kGroupCopy ||
          (e.builtin->kind == BuiltinKind::kMemory && e.builtin->name != "vload" && e.builtin->name != "vstore") ||
          e.builtin->kind == BuiltinKind::kBarrier) {
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

// Helpers become part of the region.
bool LaneShapes::supportsHelper(const Function& function) {
  if (const auto at = alike_.find(&function); at != alike_.end()) return true;
  if (function.body == nullptr || function.has_barrier || function.has_goto) {
    why_not_ = "it calls " + function.name + ", which has a barrier or a goto";
    return false;
  }
  for (const Variable* parameter : function.parameters) {
    if (!supportsVariable(*parameter)) return false;
  }
  if (!function.result->isVoid() &&
      !(function.result->isRecord() ? supportsLeaves(function.result.type) : isLaneType(function.result.type))) {
    why_not_ = "the result of " + function.name + " is no number";
    return false;
  }
  bool& alike = alike_[&function];  // said now, so that a recursion ends; the parser refuses it
  alike = !function.result->isVoid();
  if (!supports(*function.body)) return false;
  uint32_t nodes = 0;
  visitExpressions(function.body, [&](Expr& e) {
    nodes = std::min(kMaxNodes, nodes + e.type->components() + (e.kind == ExprKind::kCall ? expanded_[e.function] : 0));
    if (e.kind == ExprKind::kCall && !alike_[e.function]) alike_[&function] = false;
    if (e.kind == ExprKind::kBuiltinCall && e.builtin->kind != BuiltinKind::kPure) alike_[&function] = false;
    const bool writes = e.kind == ExprKind::kAssign || (e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement);
    if (writes && (changed(e) == nullptr || isObject(*changed(e)))) alike_[&function] = false;
  });
  expanded_[&function] = nodes;
  if (nodes == kMaxNodes) {
    why_not_ = "it is too long";
    return false;
  }
  for (const Variable* parameter : function.parameters) {
    const bool own = parameter->type->isPointer() && parameter->type->inner.space == AddressSpace::kPrivate;
    if (own || isObject(*parameter)) alike_[&function] = false;
  }
  results_[&function] = Shape();
  return true;
}

bool LaneShapes::find(const std::vector<Stmt*>& statements, std::string* why_not) {
  for (const Stmt* s : statements) {
    if (!supports(*s)) {
      *why_not = why_not_;
      return false;
    }
  }
  // With ids as large as they may be, and where that costs a pointer its distance from lane to lane, with smaller ones.
  const std::string refused = why_not_;
  for (const int64_t limit : kIdLimits) {
    id_limit_ = limit;
    findShapes(statements);
    if (!limited_) break;
    why_not_ = refused;
  }
  if (limited_) {
    id_limit_ = kIdLimits[0];
    findShapes(statements);
  }
  findLayouts(statements);
  findWidth(statements);
  findTiles(statements);
  findPrefetched(statements);
  // The cost comes last: a region without a form has none.
  for (const Stmt* s : statements) count(s, 1);
  has_form_ = why_not_.empty();
  if (has_form_ && together_ > alone_) why_not_ = "gathers and scatters cost more than vectors gain";
  *why_not = why_not_;
  return why_not_.empty();
}

void LaneShapes::findShapes(const std::vector<Stmt*>& statements) {
  limited_ = false;
  variables_.clear();
  diverging_.clear();
  likely_.clear();
  for (auto& [function, shape] : results_) shape = Shape();
  for (const Variable* variable : plan_.variables()) {
    const Storage storage = plan_.storage(*variable);
    if (storage == Storage::kArray && isLaneType(variable->type.type)) variables_[variable] = Shape::varying();
    if (storage == Storage::kRecomputed) variables_[variable] = Shape();
  }
  // Shapes only get worse (unknown, uniform, linear, varying), so that this ends. Loops and helpers need more than one round:
  // what an assignment at their end does to a variable is seen by reads before it.
  do {
    changed_ = false;
    frames_.clear();
    for (const Variable* variable : plan_.variables()) {
      if (plan_.storage(*variable) == Storage::kRecomputed) assign(*variable, of(*variable->initializer));
    }
    for (const Stmt* s : statements) look(*s);
  } while (changed_);
}

bool LaneShapes::isAlias(const Variable& variable) const {
  return (isPrivatePointer(variable.type) || of(variable).isVarying()) && pointers_.count(&variable) != 0 &&
         moved_.count(&variable) == 0 && !isObject(variable) && plan_.storage(variable) != Storage::kArray;
}

// --- going over the statements

void LaneShapes::assign(const Variable& variable, Shape shape) {
  // Where lanes are off that will read the variable again, they keep what they had.
  const auto depth = depths_.find(&variable);
  for (size_t i = depth == depths_.end() ? 0 : depth->second; i < frames_.size(); ++i) {
    if (diverges(*frames_[i])) shape = Shape::varying();
  }
  Shape& own = variables_[&variable];
  const Shape joined = join(own, shape, variable.type.type);
  if (joined == own) return;
  own = joined;
  changed_ = true;
}

void LaneShapes::declare(const Variable& variable) {
  depths_[&variable] = frames_.size();
  variables_.emplace(&variable, Shape());
  if (variable.initializer == nullptr) return;
  look(variable.initializer);
  if (isObject(variable)) return;
  assign(variable, of(*variable.initializer));
}

void LaneShapes::look(const Expr* e) {
  if (e == nullptr) return;
  // Lanes that skip one side must not see its assignments, and an expression has no masks for its parts.
  if (e->kind == ExprKind::kBinary && (e->op == Op::kLogicalAnd || e->op == Op::kLogicalOr) && assigns(*e->b) &&
      !of(*e->a).isUniform()) {
    why_not_ = "an assignment stands behind && or ||";
  }
  if (e->kind == ExprKind::kConditional && !of(*e->a).isUniform() && (assigns(*e->b) || assigns(*e->c))) {
    why_not_ = "an assignment stands behind ?:";
  }
  look(e->a);
  look(e->b);
  look(e->c);
  for (const Expr* argument : e->arguments) look(argument);
  if (e->kind == ExprKind::kCall) enter(*e);
  const Variable* variable = changed(*e);
  if (variable == nullptr) return;
  // A vector is never linear. A scalar that grows by the same in all lanes keeps its stride; not so a narrow integer, which may
  // wrap between two lanes.
  if (e->a->kind == ExprKind::kSwizzle) {
    const bool uniform = e->b == nullptr || (of(*e->b).isUniform() && !of(*e->b).isLinear());
    assign(*variable, uniform ? Shape::uniform() : Shape::varying());
  } else if (e->kind == ExprKind::kUnary) {
    const Shape own = of(*variable);
    assign(*variable, stepped(own, e->a->type.type));
  } else if (e->op == Op::kNone) {
    assign(*variable, of(*e->b));
  } else {
    const Shape own = of(*variable), by = of(*e->b);
    const bool whole = e->b->type->isInteger() && e->b->type->isScalar();
    const bool wide = whole && (e->a->type->isPointer() || (isInteger(*e->a) && sizeOf(e->a->type) >= 4));
    const bool keeps = wide && (e->op == Op::kAdd || e->op == Op::kSub) && by.isUniform() && !by.isLinear();
    assign(*variable, own.isUniform() && by.isUniform() ? Shape::uniform()
                      : keeps                           ? stepped(own, e->a->type.type)
                                                        : Shape::varying());
  }
}

// The body of a helper, with what this call gives it. One look serves all calls: parameters are as bad as the worst of them.
void LaneShapes::enter(const Expr& e) {
  const Function* outer = std::exchange(function_, e.function);
  const size_t outer_floor = std::exchange(floor_, frames_.size());
  for (size_t i = 0; i < e.arguments.size(); ++i) {
    const Variable& parameter = *e.function->parameters[i];
    depths_[&parameter] = frames_.size();
    if (!isObject(parameter)) assign(parameter, of(*e.arguments[i]));
    if (parameter.type->isInteger() && isLikelyStepped(*e.arguments[i])) likely_.insert(&parameter);
  }
  look(*e.function->body);
  floor_ = outer_floor;
  function_ = outer;
}

// A break or continue: if only some lanes may be here, the loop goes on for the others.
void LaneShapes::jump(StmtKind kind) {
  bool some = false;
  for (size_t i = frames_.size(); i-- > floor_;) {
    const Stmt& around = *frames_[i];
    if (around.kind == StmtKind::kSwitch && kind == StmtKind::kBreak) {
      if (some && diverging_.insert(&around).second) changed_ = true;
      return;
    }
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
    case StmtKind::kSwitch:
      look(s.a);
      if (!of(*s.a).isUniform() && diverging_.insert(&s).second) changed_ = true;
      within(s, s.first);
      break;
    case StmtKind::kCase:
    case StmtKind::kDefault:
      if (s.first != nullptr) look(*s.first);
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
      jump(s.kind);
      break;
    case StmtKind::kReturn:
      jump(s.kind);
      if (s.a != nullptr) look(s.a);
      if (function_ != nullptr && s.a != nullptr) {
        Shape shape = of(*s.a);
        for (size_t i = floor_; i < frames_.size(); ++i) {
          if (diverges(*frames_[i])) shape = Shape::varying();
        }
        Shape& own = results_[function_];
        const Shape joined = join(own, shape, function_->result.type);
        changed_ = changed_ || joined != own;
        own = joined;
      }
      break;
    default:
      break;
  }
}

// --- expressions

// Whether an lvalue is in an object that each lane has for itself.
bool LaneShapes::isOwn(const Expr& e) const {
  switch (e.kind) {
    case ExprKind::kVariable:
      return isObject(*e.variable);
    case ExprKind::kMember:
    case ExprKind::kSwizzle:
      return isOwn(*e.a);
    case ExprKind::kSubscript:
      if (e.a->kind == ExprKind::kConvert && e.a->a->type->isArray()) return isOwn(*e.a->a);
      return e.a->type->isPointer() && e.a->type->inner.space == AddressSpace::kPrivate;
    case ExprKind::kUnary:
      return e.op == Op::kDereference && e.a->type->inner.space == AddressSpace::kPrivate;
    default:
      return false;
  }
}

Shape LaneShapes::of(const Variable& variable) const {
  if (isObject(variable)) return Shape::varying();
  const auto at = variables_.find(&variable);
  if (at != variables_.end()) return at->second;
  return Shape::uniform();  // parameters, local and constant variables, what the group shares
}

Shape LaneShapes::of(const Expr& e) const {
  if (isPrivatePointer(e.type) && !isNull(e)) return Shape::varying();  // each lane has such memory of its own
  switch (e.kind) {
    case ExprKind::kLiteral:
      return Shape::uniform();
    case ExprKind::kVariable:
      return of(*e.variable);
    case ExprKind::kUnary: {
      const Shape a = of(*e.a);
      switch (e.op) {
        case Op::kDereference:
          return a.isUniform() && !isOwn(e) ? a : Shape::varying();
        case Op::kAddressOf:
          return address(*e.a);
        case Op::kPlus:
          return a;
        case Op::kMinus: {
          if (!a.isLinear() || !isInteger(e)) return a;
          const bool has_range = !a.wraps && a.range.isKnown();
          return integer(e.type.type, -a.stride, a.wraps, has_range ? Range{-a.range.high, -a.range.low} : Range());
        }
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
      const Variable* variable = changed(e);
      if (variable != nullptr) return of(*variable);
      return of(*e.a).isUniform() && of(*e.b).isUniform() ? Shape::uniform() : Shape::varying();
    }
    case ExprKind::kConditional: {
      const Shape b = of(*e.b), c = of(*e.c);
      if (!of(*e.a).isUniform()) return Shape::varying();
      return join(b, c, e.type.type);
    }
    case ExprKind::kCast:
    case ExprKind::kConvert:
      return converted(e);
    case ExprKind::kBuiltinCall:
      return call(e);
    case ExprKind::kMember:
      if (isOwn(e)) return Shape::varying();
      return of(*e.a).isUniform() ? of(*e.a) : Shape::varying();
    case ExprKind::kSwizzle:
      return of(*e.a).isUniform() ? of(*e.a) : Shape::varying();
    case ExprKind::kCall:
      return helperCall(e);
    case ExprKind::kVectorLiteral:
    case ExprKind::kInitializer:
      return std::all_of(e.arguments.begin(), e.arguments.end(), [&](const Expr* each) { return of(*each).isUniform(); })
                 ? Shape::uniform()
                 : Shape::varying();
    case ExprKind::kSubscript: {
      if (isOwn(e)) return Shape::varying();
      const Shape a = of(*e.a), b = of(*e.b);
      return a.isUniform() && b.isUniform() ? Shape::uniform() : Shape::varying();
    }
    default:
      return Shape::varying();
  }
}

// Of a helper that reads and writes nothing but its arguments and memory that it is given, and that one lane can call for all:
// an argument that varies has no value for that, even where the result does not depend on it. Else each lane calls it.
Shape LaneShapes::helperCall(const Expr& e) const {
  if (const auto at = alike_.find(e.function); at == alike_.end() || !at->second) return Shape::varying();
  bool uniform = true;
  for (const Expr* argument : e.arguments) {
    const Shape given = of(*argument);
    if (given.isVarying()) return Shape::varying();
    uniform = uniform && given.isUniform();
  }
  if (uniform) return Shape::uniform();
  const auto at = results_.find(e.function);
  return at == results_.end() ? Shape::varying() : at->second;
}

Shape LaneShapes::call(const Expr& e) const {
  if (e.builtin->kind == BuiltinKind::kWorkItem) {
    const WorkItem which = e.builtin->work_item;
    const Range local{0, kMaxCallItems}, all = which == WorkItem::kLocalId ? local : Range{0, id_limit_};
    if (which == WorkItem::kGlobalLinearId) return Shape::linear(1);
    if (which == WorkItem::kLocalLinearId) return Shape::linear(1, false, local);
    if (!e.arguments.empty() && !of(*e.arguments[0]).isUniform()) return Shape::varying();
    if (which != WorkItem::kGlobalId && which != WorkItem::kLocalId) return Shape::uniform();
    if (e.arguments.empty()) return Shape::linear(1, false, all);
    const Expr& dimension = behindConversions(*e.arguments[0]);
    if (dimension.kind != ExprKind::kLiteral) return Shape::varying();
    return dimension.integer == along_ ? Shape::linear(1, false, all) : Shape::uniform();
  }
  if (isAtomic(e)) return Shape::varying();
  if (e.builtin->kind == BuiltinKind::kFence) return Shape::uniform();
  bool uniform = e.builtin->kind == BuiltinKind::kPure;
  for (const Expr* argument : e.arguments) uniform = uniform && of(*argument).isUniform();
  return uniform ? Shape::uniform() : Shape::varying();
}

}  // namespace manyrt::compiler
