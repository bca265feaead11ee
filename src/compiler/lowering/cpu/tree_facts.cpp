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

std::optional<int64_t> constantOf(const Expr& e) {
  int64_t value = 0;
  if (!literalValue(e, &value) || value < -65536 || value > 65536) return std::nullopt;
  return value;
}

}  // namespace manyrt::compiler
