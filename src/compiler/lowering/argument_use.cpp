// Pointers only grow: each variable holds a set of parameters, which assignments and calls add to until nothing changes. The
// same walk notes which of these parameters each load and store may go through.
#include "compiler/lowering/argument_use.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/parser/visit.h"
#include "rt.h"

namespace manyrt::compiler {
namespace {

constexpr uint32_t kReads = RT_ACCESS_READ, kWrites = RT_ACCESS_WRITE;

// Parameters of kernels, by number, sorted. Mostly there is one.
using Roots = std::vector<uint32_t>;

// True: something was added.
bool add(Roots* to, const Roots& more) {
  if (std::includes(to->begin(), to->end(), more.begin(), more.end())) return false;
  Roots both;
  std::set_union(to->begin(), to->end(), more.begin(), more.end(), std::back_inserter(both));
  *to = std::move(both);
  return true;
}

class Uses {
 public:
  explicit Uses(const Program& program) : program_(program) {
    for (const Function* kernel : program.kernels) {
      for (Variable* parameter : kernel->parameters) {
        if (!parameter->type->isPointer()) continue;
        holds_[parameter] = {static_cast<uint32_t>(parameters_.size())};
        parameters_.push_back(parameter);
      }
    }
    access_.resize(parameters_.size());
  }

  // False: it cannot be told. A function is walked over again where a variable of it, or the result of what it calls, holds
  // more.
  bool find() {
    for (const Function& function : program_.functions()) {
      for (const Function* callee : function.callees) callers_[callee].push_back(&function);
      queue(&function);
    }
    while (!queue_.empty() && !lost_) {
      function_ = queue_.back();  // callers first: they are defined later
      queue_.pop_back();
      queued_.erase(function_);
      statement(function_->body);
    }
    return !lost_;
  }

  void write() const {
    for (size_t i = 0; i < parameters_.size(); ++i)
      parameters_[i]->use.access = access_[i] == 0 ? RT_ACCESS_NONE : static_cast<int32_t>(access_[i]);
  }

 private:
  void statement(Stmt* outermost) {
    visitStatements(outermost, [&](const Stmt& s) {
      const Roots value = s.a != nullptr ? read(*s.a) : Roots();
      if (s.b != nullptr) read(*s.b);
      if (s.kind == StmtKind::kReturn && s.a != nullptr && s.a->type->isPointer() && add(&returns_[function_], value)) {
        for (const Function* caller : callers_[function_]) queue(caller);
      }
      if (s.kind != StmtKind::kDeclare) return;
      for (const Variable* variable : s.variables) {
        if (variable->initializer != nullptr) assign(*variable, read(*variable->initializer), *function_);
      }
    });
  }

  void queue(const Function* function) {
    if (queued_.insert(function).second) queue_.push_back(function);
  }
  // `owner`: the function that the variable is in.
  void assign(const Variable& variable, const Roots& value, const Function& owner) {
    if (variable.type->isPointer() && add(&holds_[&variable], value)) queue(&owner);
  }
  void note(const Roots& roots, uint32_t access) {
    for (const uint32_t root : roots) access_[root] |= access;
  }

  static bool isObject(const Expr& e) { return e.lvalue && !e.type->isArray() && !e.type->isFunction(); }

  // The parameters whose memory a place may be in; a private or constant object is in none's. Expressions inside are read,
  // such as an index, but not the place itself.
  Roots place(const Expr& e) {
    switch (e.kind) {
      case ExprKind::kVariable:
      case ExprKind::kString:
        return {};
      case ExprKind::kUnary:
        if (e.op == Op::kDereference) return read(*e.a);
        break;
      case ExprKind::kBinary:  // a compound literal that is an object: (v = literal, v)
        if (e.op != Op::kComma) break;
        read(*e.a);
        return place(*e.b);
      case ExprKind::kMember:
      case ExprKind::kSwizzle:
        if (e.a->lvalue) return place(*e.a);
        read(*e.a);
        return {};
      case ExprKind::kSubscript: {
        read(*e.b);
        return e.a->type->isPointer() ? read(*e.a) : place(*e.a);
      }
      case ExprKind::kCompoundLiteral:
        if (e.a != nullptr) read(*e.a);
        return {};
      default:
        break;
    }
    lost_ = true;  // no place that is known here
    return {};
  }

  // Evaluates: notes what is read and written, and says which parameters a pointer may have come from.
  Roots read(const Expr& e) {
    if (e.kind == ExprKind::kVariable) {
      const auto held = holds_.find(e.variable);
      return e.type->isPointer() && held != holds_.end() ? held->second : Roots();
    }
    if (e.kind == ExprKind::kAssign) return assignment(e);
    if (isObject(e)) {
      const Roots in = place(e);
      note(in, kReads);
      lost_ = lost_ || e.type->isPointer();  // a pointer in memory
      return {};
    }
    if (e.lvalue) return place(e);  // an array, which becomes a pointer
    switch (e.kind) {
      case ExprKind::kUnary:
        return unary(e);
      case ExprKind::kCall:
        return call(e);
      case ExprKind::kBuiltinCall:
        builtin(e);
        return {};
      default:
        break;
    }
    // All others compute with their operands. A pointer comes from one of those that are pointers.
    Roots roots;
    const auto operand = [&](const Expr* each) {
      if (each == nullptr) return;
      const Roots own = read(*each);
      const bool is_pointer = each->type->isPointer() || each->type->isArray();
      if (e.type->isPointer() && is_pointer && each != e.a) add(&roots, own);
      if (e.type->isPointer() && is_pointer && each == e.a && e.kind != ExprKind::kConditional && e.op != Op::kComma)
        add(&roots, own);
    };
    operand(e.a);
    operand(e.b);
    operand(e.c);
    for (const Expr* each : e.arguments) operand(each);
    return roots;
  }

  Roots assignment(const Expr& e) {
    const Roots value = read(*e.b);
    if (e.a->type->isPointer()) {
      if (e.a->kind != ExprKind::kVariable) {
        lost_ = true;
        return {};
      }
      if (e.op == Op::kNone) assign(*e.a->variable, value, *function_);
      return holds_[e.a->variable];
    }
    note(place(*e.a), e.op == Op::kNone ? kWrites : kReads | kWrites);
    return {};
  }

  Roots unary(const Expr& e) {
    switch (e.op) {
      case Op::kAddressOf:
        return e.a->lvalue ? place(*e.a) : read(*e.a);
      case Op::kPreIncrement:
      case Op::kPreDecrement:
      case Op::kPostIncrement:
      case Op::kPostDecrement:
        if (e.a->type->isPointer()) return read(*e.a);
        note(place(*e.a), kReads | kWrites);
        return {};
      default:
        return read(*e.a);
    }
  }

  Roots call(const Expr& e) {
    for (size_t i = 0; i < e.arguments.size(); ++i) {
      const Roots value = read(*e.arguments[i]);
      if (e.function->body != nullptr && i < e.function->parameters.size())
        assign(*e.function->parameters[i], value, *e.function);
      else
        note(value, kReads | kWrites);
    }
    return e.type->isPointer() ? returns_[e.function] : Roots();
  }

  void builtin(const Expr& e) {
    for (size_t i = 0; i < e.arguments.size(); ++i) {
      const Roots value = read(*e.arguments[i]);
      if (e.arguments[i]->type->isPointer()) note(value, accessOf(*e.builtin, i));
    }
    lost_ = lost_ || e.type->isPointer();
  }

  static uint32_t accessOf(const Builtin& builtin, size_t argument) {
    switch (builtin.kind) {
      case BuiltinKind::kGroupCopy:
        return argument == 0 ? kWrites : kReads;
      case BuiltinKind::kPrint:
        return kReads;
      case BuiltinKind::kMemory:
        // Those that are left give a second result: fract, modf, sincos and their like.
        return builtin.name.starts_with("vload") || builtin.name == "prefetch" ? kReads : kWrites;
      default:
        return kReads | kWrites;
    }
  }

  const Program& program_;
  const Function* function_ = nullptr;  // that is walked over
  std::vector<Variable*> parameters_;   // of kernels, pointers; their indices are the roots
  std::vector<uint32_t> access_;        // of each
  std::map<const Variable*, Roots> holds_;
  std::map<const Function*, Roots> returns_;
  std::map<const Function*, std::vector<const Function*>> callers_;
  std::vector<const Function*> queue_;  // to be walked over
  std::set<const Function*> queued_;
  bool lost_ = false;
};

void describe(Variable* parameter) {
  ArgumentUse& use = parameter->use;
  use.space = RT_ADDRESS_SPACE_PRIVATE;
  if (!parameter->type->isPointer()) return;
  const QualType pointee = parameter->type->inner;
  const bool is_constant = pointee.space == AddressSpace::kConstant;
  use.space = is_constant                             ? RT_ADDRESS_SPACE_CONSTANT
              : pointee.space == AddressSpace::kLocal ? RT_ADDRESS_SPACE_LOCAL
                                                      : RT_ADDRESS_SPACE_GLOBAL;
  if (pointee.is_const || is_constant) use.qualifiers |= RT_QUALIFIER_CONST;
  if (parameter->type.is_restrict) use.qualifiers |= RT_QUALIFIER_RESTRICT;
  if (pointee.is_volatile) use.qualifiers |= RT_QUALIFIER_VOLATILE;
}

}  // namespace

void findArgumentUses(Program& program) {
  for (const Function* kernel : program.kernels) {
    for (Variable* parameter : kernel->parameters) describe(parameter);
  }
  // Pointers that lie in memory or are made of numbers are followed nowhere.
  if (mayFollowAddresses(program)) return;
  Uses uses(program);
  if (uses.find()) uses.write();
}

}  // namespace manyrt::compiler
