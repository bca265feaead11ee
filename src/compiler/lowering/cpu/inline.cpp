// Changes to a kernel's tree before it is split: helpers with barriers become blocks of the kernel, and parameters that it
// changes become variables.
#include <functional>
#include <map>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/group_plan.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr uint32_t kMaxInlined = 200'000;  // nodes that a kernel may grow by

using Renamed = std::map<const Variable*, Variable*>;

class Copier {
 public:
  explicit Copier(Program& program) : program_(program) {}
  Renamed renamed;
  uint32_t copied = 0;

  Expr* copy(const Expr* from) {
    if (from == nullptr) return nullptr;
    ++copied;
    Expr* to = program_.make(from->kind);
    *to = *from;
    to->a = copy(from->a);
    to->b = copy(from->b);
    to->c = copy(from->c);
    for (Expr*& argument : to->arguments) argument = copy(argument);
    if (to->variable != nullptr) {
      if (auto at = renamed.find(to->variable); at != renamed.end()) to->variable = at->second;
    }
    return to;
  }

  Stmt* copy(const Stmt* from) {
    if (from == nullptr) return nullptr;
    ++copied;
    Stmt* to = program_.make(from->kind);
    *to = *from;
    for (Variable*& variable : to->variables) {  // names first: initialisers may use them
      if (variable->type.space != AddressSpace::kLocal) variable = fresh(*variable);
    }
    to->init = copy(from->init);
    to->a = copy(from->a);
    to->b = copy(from->b);
    to->first = copy(from->first);
    to->second = copy(from->second);
    for (Stmt*& inner : to->body) inner = copy(inner);
    return to;
  }

  Variable* fresh(const Variable& from) {
    Variable* to = program_.makeVariable();
    const uint32_t id = to->id;
    *to = from;
    to->id = id;
    to->is_parameter = false;
    renamed[&from] = to;
    to->initializer = copy(from.initializer);
    return to;
  }

 private:
  Program& program_;
};

class Inliner {
 public:
  Inliner(Program& program, Function& kernel) : program_(program), kernel_(kernel) {}

  bool run(std::string* why_not) {
    bool done = list(kernel_.body->body);
    if (!done) *why_not = failure_;
    return done;
  }

 private:
  static bool mustInline(const Expr& e) {
    return e.kind == ExprKind::kCall && e.function->body != nullptr && (e.function->has_barrier || !e.function->locals.empty());
  }
  bool fail(const std::string& why) {
    failure_ = why;
    return false;
  }
  static bool anywhere(const Expr* e) {
    bool found = false;
    visit(const_cast<Expr*>(e), [&](Expr& inner) { found = found || mustInline(inner); });
    return found;
  }

  // The places of calls inside an expression, innermost first; false where one is not always evaluated.
  bool collect(Expr** at, std::vector<Expr**>* calls) {
    Expr* e = *at;
    if (e == nullptr || !anywhere(e)) return true;
    const bool lazy = e->kind == ExprKind::kConditional ||
                      (e->kind == ExprKind::kBinary && (e->op == Op::kLogicalAnd || e->op == Op::kLogicalOr));
    if (lazy && ((e->b != nullptr && anywhere(e->b)) || (e->c != nullptr && anywhere(e->c)))) {
      return fail("a helper with a barrier is called in an operand that is not always evaluated");
    }
    if (e->kind == ExprKind::kBinary && e->op == Op::kComma && hasEffects(*e->a) && anywhere(e->b)) {
      return fail("a helper with a barrier is called behind a comma");  // and would go before what stands in front of it
    }
    if (!collect(&e->a, calls) || !collect(&e->b, calls) || !collect(&e->c, calls)) return false;
    for (Expr*& argument : e->arguments) {
      if (!collect(&argument, calls)) return false;
    }
    if (mustInline(*e)) calls->push_back(at);
    return true;
  }

  Stmt* declare(Variable* variable, Location where) {
    Stmt* made = program_.make(StmtKind::kDeclare);
    made->where = where;
    made->variables.push_back(variable);
    return made;
  }

  // Puts what a call does into `out` and its value into *at.
  bool expand(Expr** at, std::vector<Stmt*>* out) {
    const Expr& call = **at;
    Function& helper = *call.function;
    if (helper.has_goto) return fail("the helper \"" + helper.name + "\" has a barrier and a goto");
    // The body is copied into a block of the kernel, where it has no return. A single return at the end becomes an assignment
    // of the value; any other would have to leave the block in its middle.
    uint32_t returns = 0;
    visitStatements(helper.body, [&](Stmt& s) { returns += s.kind == StmtKind::kReturn; });
    const std::vector<Stmt*>& statements = helper.body->body;
    const bool at_end = !statements.empty() && statements.back()->kind == StmtKind::kReturn;
    if (returns > (at_end ? 1u : 0u)) return fail("the helper \"" + helper.name + "\" has a barrier and returns in the middle");
    Copier copier(program_);
    Stmt* block = program_.make(StmtKind::kCompound);
    block->where = call.where;
    // Arguments initialise fresh variables in order, so that each is evaluated once, before the body, as a call does. Local
    // variables of the helper join those of the kernel: each call has its own.
    for (size_t i = 0; i < helper.parameters.size(); ++i) {
      Variable* parameter = copier.fresh(*helper.parameters[i]);
      parameter->function = &kernel_;
      parameter->type.is_const = false;
      parameter->type.is_restrict = false;
      parameter->initializer = call.arguments[i];
      block->body.push_back(declare(parameter, call.where));
    }
    for (Variable* local : helper.locals) {
      Variable* own = copier.fresh(*local);
      kernel_.locals.push_back(own);
    }
    Variable* value = nullptr;
    if (!helper.result->isVoid()) {
      value = program_.makeVariable();
      value->name = helper.name;
      value->type = helper.result.unqualified();
      value->function = &kernel_;
      value->where = call.where;
      out->push_back(declare(value, call.where));
    }
    for (const Stmt* s : statements) {
      if (s->kind == StmtKind::kDeclare && !s->variables.empty() && s->variables[0]->type.space == AddressSpace::kLocal)
        continue;
      if (s->kind != StmtKind::kReturn) {
        block->body.push_back(copier.copy(s));
      } else if (value != nullptr && s->a != nullptr) {
        Expr* target = program_.makeReference(value, s->where);
        Expr* assignment = program_.make(ExprKind::kAssign);
        assignment->where = s->where;
        assignment->type = value->type;
        assignment->a = target;
        assignment->b = copier.copy(s->a);
        Stmt* statement = program_.make(StmtKind::kExpr);
        statement->where = s->where;
        statement->a = assignment;
        block->body.push_back(statement);
      }
    }
    inlined_ += copier.copied;
    if (inlined_ > kMaxInlined) return fail("its helpers with barriers are too large to become part of it");
    // The copy may call further helpers with barriers. Helpers are never recursive, and kMaxInlined bounds the copies, so that
    // this ends.
    if (!list(block->body)) return false;  // helpers inside the helper
    out->push_back(block);
    if (value != nullptr) {
      *at = program_.makeReference(value, call.where);
    } else {
      *at = nullptr;
    }
    return true;
  }

  bool expandIn(Expr** expression, std::vector<Stmt*>* out) {
    std::vector<Expr**> calls;
    if (!collect(expression, &calls)) return false;
    for (Expr** call : calls) {
      const bool whole = call == expression;
      const bool is_void = (*call)->type->isVoid();
      if (is_void && !whole) return fail("a helper with a barrier is called inside an expression");
      if (!expand(call, out)) return false;
    }
    return true;
  }

  bool single(Stmt** s) {  // the body of an if or a loop: becomes a compound where it has to
    if (*s == nullptr) return true;
    if ((*s)->kind == StmtKind::kCompound) return list((*s)->body);
    std::vector<Stmt*> one{*s};
    if (!list(one)) return false;
    if (one.size() == 1) {
      *s = one[0];
      return true;
    }
    Stmt* block = program_.make(StmtKind::kCompound);
    block->where = (*s)->where;
    block->body = std::move(one);
    *s = block;
    return true;
  }

  bool list(std::vector<Stmt*>& statements) {
    // A call is expanded into statements before the one it stands in. This keeps the order of effects only where nothing of
    // that statement runs before the call, and where the call runs exactly once. collect() refuses the other cases; the head of
    // a loop, which runs many times, is refused here.
    std::vector<Stmt*> result;
    for (Stmt* s : statements) {
      switch (s->kind) {
        case StmtKind::kDeclare:
          for (Variable* variable : s->variables) {
            if (!expandIn(&variable->initializer, &result)) return false;
            Stmt* one = declare(variable, s->where);
            result.push_back(s->variables.size() == 1 ? s : one);
          }
          continue;
        case StmtKind::kExpr:
        case StmtKind::kReturn:
        case StmtKind::kIf:
        case StmtKind::kSwitch:
          if (!expandIn(&s->a, &result)) return false;
          if (s->kind == StmtKind::kExpr && s->a == nullptr) continue;  // it was the call alone
          break;
        case StmtKind::kFor:
        case StmtKind::kWhile:
        case StmtKind::kDo:
          if (anywhere(s->a) || anywhere(s->b) || (s->init != nullptr && callsInside(*s->init))) {
            return fail("a helper with a barrier is called in the head of a loop");
          }
          break;
        default:
          break;
      }
      result.push_back(s);
      if (s->kind == StmtKind::kCompound) {
        if (!list(s->body)) return false;
      } else if (!single(&s->first) || !single(&s->second)) {
        return false;
      }
    }
    statements = std::move(result);
    return true;
  }
  static bool callsInside(Stmt& s) {
    bool found = false;
    visitExpressions(&s, [&](Expr& e) { found = found || mustInline(e); });
    return found;
  }

  Program& program_;
  Function& kernel_;
  uint32_t inlined_ = 0;
  std::string failure_;
};

}  // namespace

bool inlineHelpers(Program& program, Function& kernel, std::string* why_not) {
  bool needed = false;
  visitExpressions(kernel.body, [&](Expr& e) {
    needed = needed || (e.kind == ExprKind::kCall && e.function->body != nullptr &&
                        (e.function->has_barrier || !e.function->locals.empty()));
  });
  if (!needed) return true;
  Stmt* const original = kernel.body;
  const std::vector<Variable*> locals = kernel.locals;
  kernel.body = Copier(program).copy(original);  // what fails on the way leaves the kernel as it was
  if (Inliner(program, kernel).run(why_not)) return true;
  kernel.body = original;
  kernel.locals = locals;
  return false;
}

void separateParameters(Program& program, Function& kernel) {
  std::map<const Variable*, Variable*> changed;
  visitExpressions(kernel.body, [&](Expr& e) {
    const bool writes =
        e.kind == ExprKind::kAssign || (e.kind == ExprKind::kUnary && (e.op == Op::kAddressOf || e.op >= Op::kPreIncrement));
    const Variable* root = writes ? rootVariable(*e.a) : nullptr;
    if (e.kind == ExprKind::kConvert && e.a->type->isArray()) root = rootVariable(*e.a);  // an array in a struct parameter
    if (root != nullptr && root->is_parameter) changed[root] = nullptr;
  });
  if (changed.empty()) return;
  Stmt* declaration = program.make(StmtKind::kDeclare);
  declaration->where = kernel.where;
  for (auto& [parameter, own] : changed) {
    own = program.makeVariable();
    own->name = parameter->name;
    own->type = parameter->type;
    own->type.is_const = false;
    own->function = &kernel;
    own->where = parameter->where;
  }
  visitExpressions(kernel.body, [&](Expr& e) {
    if (e.variable == nullptr) return;
    if (auto at = changed.find(e.variable); at != changed.end()) e.variable = at->second;
  });
  for (auto& [parameter, own] : changed) {
    own->initializer = program.makeReference(const_cast<Variable*>(parameter), parameter->where);
    declaration->variables.push_back(own);
  }
  kernel.body->body.insert(kernel.body->body.begin(), declaration);
}

}  // namespace manyrt::compiler
