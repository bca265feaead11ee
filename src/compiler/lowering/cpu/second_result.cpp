// Calls of sincos are found and replaced in their places; see the header.
#include "compiler/lowering/cpu/second_result.h"

#include <algorithm>
#include <map>
#include <vector>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr uint32_t kMaxNodes = 200;  // of the operand, which is written twice

// The variable v of &v, whatever pointer that is converted to; null: it is something else.
Variable* addressed(const Expr& e) {
  const Expr* at = &e;
  while ((at->kind == ExprKind::kConvert || at->kind == ExprKind::kCast) && at->type->isPointer()) at = at->a;
  const bool takes = at->kind == ExprKind::kUnary && at->op == Op::kAddressOf && at->a->kind == ExprKind::kVariable;
  return takes ? at->a->variable : nullptr;
}

// May be computed twice, before and after `variable` gets another value.
bool isRepeatable(Expr* e, const Variable& variable) {
  if (hasEffects(*e)) return false;
  uint32_t nodes = 0;
  bool names = false, calls = false;
  visit(e, [&](Expr& each) {
    ++nodes;
    names = names || each.variable == &variable;
    calls = calls || each.kind == ExprKind::kCall;
  });
  return nodes <= kMaxNodes && !names && !calls;
}

class Separation {
 public:
  Separation(Program& program, Function& function) : program_(program) {
    std::map<const Variable*, uint32_t> addresses;  // how often each is taken
    std::vector<Expr*> calls;
    visitExpressions(function.body, [&](Expr& e) {
      if (e.kind == ExprKind::kUnary && e.op == Op::kAddressOf && e.a->kind == ExprKind::kVariable) ++addresses[e.a->variable];
      if (e.kind == ExprKind::kBuiltinCall && e.builtin->name == "sincos") calls.push_back(&e);
    });
    std::map<const Variable*, std::vector<Expr*>> by_variable;
    for (Expr* call : calls) {
      Variable* variable = addressed(*call->arguments[1]);
      if (variable == nullptr || variable->type.type != call->type.type || variable->type.is_volatile) continue;
      if (variable->type.space != AddressSpace::kPrivate || !isRepeatable(call->arguments[0], *variable)) continue;
      by_variable[variable].push_back(call);
    }
    for (const auto& [variable, own] : by_variable) {
      if (addresses[variable] != own.size()) continue;
      for (Expr* call : own) replace(*call, addressed(*call->arguments[1]));
    }
  }

 private:
  Expr* call(const char* name, const Expr& like) {
    Expr* made = program_.make(ExprKind::kBuiltinCall);
    made->builtin = program_.builtins->find(name);
    made->type = like.type;
    made->where = like.where;
    made->height = like.height;
    made->arguments = {like.arguments[0]};
    return made;
  }

  void replace(Expr& e, Variable* variable) {
    Expr* target = program_.makeReference(variable, e.where);
    Expr* first = program_.make(ExprKind::kAssign);
    first->type = variable->type;
    first->where = e.where;
    first->height = static_cast<uint16_t>(e.height + 1);
    first->a = target;
    first->b = call("cos", e);
    Expr* second = call("sin", e);
    e.kind = ExprKind::kBinary;
    e.op = Op::kComma;
    e.height = static_cast<uint16_t>(e.height + 2);
    e.builtin = nullptr;
    e.arguments.clear();
    e.a = first;
    e.b = second;
  }

  Program& program_;
};

}  // namespace

void separateSecondResults(Program& program, Function& function) {
  if (function.body != nullptr && program.builtins != nullptr) Separation(program, function);
}

}  // namespace manyrt::compiler
