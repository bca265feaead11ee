// Facts about single statements and expressions; see the header. Nothing is changed here.
#include "compiler/lowering/cpu/tree_facts.h"

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {

const Stmt* onlyStatement(const Stmt* statement) {
  while (statement->kind == StmtKind::kCompound && statement->body.size() == 1) statement = statement->body[0];
  return statement;
}

const Variable* assignedVariable(const Expr& e) {
  if (e.kind == ExprKind::kAssign || (e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement)) {
    if (e.a->kind == ExprKind::kVariable) return e.a->variable;
  }
  return nullptr;
}

bool isLocalArray(const Variable& variable) { return variable.type.space == AddressSpace::kLocal && variable.type->isArray(); }

const Variable* rootVariable(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kVariable:
      return e.variable;
    case ExprKind::kMember:
    case ExprKind::kSwizzle:
      return rootVariable(*e.a);
    case ExprKind::kSubscript:
      if (e.a->type->isVector()) return rootVariable(*e.a);
      return e.a->kind == ExprKind::kConvert && e.a->a->type->isArray() ? rootVariable(*e.a->a) : nullptr;
    case ExprKind::kConvert:
      return e.a->type->isArray() ? rootVariable(*e.a) : nullptr;
    case ExprKind::kBinary:  // a compound literal: its variable gets its value, and is what the whole stands for
      return e.op == Op::kComma && e.lvalue ? rootVariable(*e.b) : nullptr;
    default:
      return nullptr;
  }
}

bool isBarrierCall(const Expr& e) { return e.kind == ExprKind::kBuiltinCall && e.builtin->kind == BuiltinKind::kBarrier; }

bool containsBarrier(const Stmt& statement) {
  bool found = false;
  visitExpressions(const_cast<Stmt*>(&statement), [&](Expr& e) { found = found || isBarrierCall(e); });
  return found;
}

bool containsReturn(const Stmt& statement) {
  bool found = false;
  visitStatements(const_cast<Stmt*>(&statement), [&](Stmt& s) { found = found || s.kind == StmtKind::kReturn; });
  return found;
}

bool isLoop(const Stmt& s) { return s.kind == StmtKind::kFor || s.kind == StmtKind::kWhile || s.kind == StmtKind::kDo; }

bool breaksOut(const Stmt& s) {
  if (s.kind == StmtKind::kBreak) return true;
  if (isLoop(s) || s.kind == StmtKind::kSwitch) return false;
  for (const Stmt* inner : s.body) {
    if (breaksOut(*inner)) return true;
  }
  return (s.first != nullptr && breaksOut(*s.first)) || (s.second != nullptr && breaksOut(*s.second));
}

bool continuesOut(const Stmt& s) {
  if (s.kind == StmtKind::kContinue) return true;
  if (isLoop(s)) return false;
  for (const Stmt* inner : s.body) {
    if (continuesOut(*inner)) return true;
  }
  return (s.first != nullptr && continuesOut(*s.first)) || (s.second != nullptr && continuesOut(*s.second));
}

bool jumpsOut(const Stmt& s, bool loop, bool is_switch) {
  switch (s.kind) {
    case StmtKind::kBreak:
      return loop || is_switch;
    case StmtKind::kContinue:
      return loop;
    case StmtKind::kFor:
    case StmtKind::kWhile:
    case StmtKind::kDo:
      return false;
    case StmtKind::kSwitch:
      return loop && continuesOut(*s.first);
    default:
      break;
  }
  for (const Stmt* inner : s.body) {
    if (jumpsOut(*inner, loop, is_switch)) return true;
  }
  return (s.first != nullptr && jumpsOut(*s.first, loop, is_switch)) ||
         (s.second != nullptr && jumpsOut(*s.second, loop, is_switch));
}

bool isConversion(const Expr& e) { return e.kind == ExprKind::kConvert || e.kind == ExprKind::kCast; }

uint32_t idDimensions(const Function& kernel) {
  uint32_t found = 0;
  visitExpressions(kernel.body, [&](Expr& e) {
    if (e.kind != ExprKind::kBuiltinCall || e.builtin->kind != BuiltinKind::kWorkItem || e.arguments.empty()) return;
    if (e.builtin->work_item != WorkItem::kGlobalId && e.builtin->work_item != WorkItem::kLocalId) return;
    const Expr& dimension = behindConversions(*e.arguments[0]);
    found |= dimension.kind == ExprKind::kLiteral ? dimension.integer < 3 ? 1u << dimension.integer : 0 : 8;
  });
  return found;
}

bool hasNoHighBit(const Expr& e) {
  constexpr uint64_t kHigh = uint64_t{1} << 31;
  const auto literal = [](const Expr& each, uint64_t least, uint64_t end) {
    const Expr& number = behindConversions(each);
    return number.kind == ExprKind::kLiteral && number.type->isInteger() && number.integer >= least && number.integer < end;
  };
  if (literal(e, 0, kHigh)) return true;
  switch (e.kind) {
    case ExprKind::kConvert:
    case ExprKind::kCast:  // of fewer bits
      return e.a->type->isInteger() && !e.a->type->isSigned() && sizeOf(e.a->type) < 4;
    case ExprKind::kConditional:
      return hasNoHighBit(*e.b) && hasNoHighBit(*e.c);
    case ExprKind::kBinary:
      if (e.op == Op::kBitAnd) return hasNoHighBit(*e.a) || hasNoHighBit(*e.b);
      if (e.op == Op::kBitOr || e.op == Op::kBitXor) return hasNoHighBit(*e.a) && hasNoHighBit(*e.b);
      if (e.op == Op::kShr) return hasNoHighBit(*e.a) || literal(*e.b, 1, 32);
      if (e.op == Op::kDiv) return hasNoHighBit(*e.a) || literal(*e.b, 2, kHigh);
      return e.op == Op::kRem && literal(*e.b, 1, kHigh);
    default:
      return false;
  }
}

std::optional<int64_t> constantOf(const Expr& e) {
  int64_t value = 0;
  if (!literalValue(e, &value) || value < -65536 || value > 65536) return std::nullopt;
  return value;
}

bool isScalarOf(const QualType& type, Scalar scalar) { return type->kind == TypeKind::kScalar && type->scalar == scalar; }

std::optional<float> floatNumber(const Expr& e) {
  if (e.kind == ExprKind::kUnary && e.op == Op::kMinus && isScalarOf(e.type, Scalar::kDouble)) {
    const std::optional<float> positive = floatNumber(*e.a);
    return positive ? std::optional(-*positive) : std::nullopt;
  }
  const Expr& number = isConversion(e) ? *e.a : e;
  if (!isScalarOf(e.type, Scalar::kDouble) || number.kind != ExprKind::kLiteral || !number.type->isScalar())
    return std::nullopt;
  const double value = number.type->isFloating() ? number.real : static_cast<double>(number.integer);
  const auto narrow = static_cast<float>(value);
  return static_cast<double>(narrow) == value ? std::optional(narrow) : std::nullopt;
}

const Expr* floatOperand(const Expr& e) {
  const bool is_float = isScalarOf(e.type, Scalar::kDouble) && isConversion(e) && isScalarOf(e.a->type, Scalar::kFloat);
  return is_float ? e.a : nullptr;
}

bool isOfFloatsAsDoubles(const Expr& e) {
  const bool rounds = e.op == Op::kAdd || e.op == Op::kSub || e.op == Op::kMul || e.op == Op::kDiv;
  const bool compares = e.op >= Op::kLess && e.op <= Op::kNotEqual;
  if (e.kind != ExprKind::kBinary || !(rounds || compares)) return false;
  const bool left = floatOperand(*e.a) != nullptr, right = floatOperand(*e.b) != nullptr;
  return (left || right) && (left || floatNumber(*e.a)) && (right || floatNumber(*e.b));
}

}  // namespace manyrt::compiler
