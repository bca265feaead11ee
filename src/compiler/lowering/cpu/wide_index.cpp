// Ranges of index expressions, as code that computes them and as the 64-bit form that they allow.
#include "compiler/lowering/cpu/wide_index.h"

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr uint32_t kMaxDepth = 24;
constexpr uint32_t kMaxSteps = 128;      // of one index, with what its variables stand for
constexpr uint32_t kMaxCode = 64 << 10;  // bytes of a guard

bool isWord(const Type* type) { return type->kind == TypeKind::kScalar && type->isInteger() && sizeOf(QualType{type}) >= 4; }
bool isUnsignedWord(const Type* type) { return type->kind == TypeKind::kScalar && type->scalar == Scalar::kUInt; }

bool isId(const Expr& e) {
  return e.kind == ExprKind::kBuiltinCall &&
         (e.builtin->work_item == WorkItem::kGlobalId || e.builtin->work_item == WorkItem::kLocalId);
}

const Expr& behindWidening(const Expr& e) {  // of an index: uint, then converted to something wider
  const Expr* inner = &e;
  while (inner->kind == ExprKind::kConvert && isWord(inner->type.type) && isWord(inner->a->type.type) &&
         sizeOf(inner->type) >= sizeOf(inner->a->type)) {
    inner = inner->a;
  }
  return *inner;
}

}  // namespace

// A loop `for (T k = first; k < end; ++k)` whose variable nothing else changes.
void WideIndices::findLoops(const std::vector<Stmt*>& statements) {
  // A taken address counts as a change: what is written through it is not seen here.
  std::map<const Variable*, uint32_t> changes;
  visitExpressions(kernel_.body, [&](Expr& e) {
    const bool writes =
        e.kind == ExprKind::kAssign || (e.kind == ExprKind::kUnary && (e.op == Op::kAddressOf || e.op >= Op::kPreIncrement));
    if (!writes) return;
    if (const Variable* root = rootVariable(*e.a)) ++changes[root];
  });
  auto look = [&](Stmt& s) {
    if (s.kind == StmtKind::kDeclare) {
      for (const Variable* variable : s.variables) {
        if (variable->initializer != nullptr && changes[variable] == 0 && isWord(variable->type.type)) {
          definitions_[variable] = variable->initializer;
        }
      }
    }
    // From here on a loop is recognised. Its only change must be its own step upwards, so that the variable stays between its
    // first value and the end that the condition names.
    if (s.kind != StmtKind::kFor || s.init == nullptr || s.init->kind != StmtKind::kDeclare || s.a == nullptr || s.b == nullptr)
      return;
    if (s.init->variables.size() != 1) return;
    const Variable* variable = s.init->variables[0];
    const Expr& step = *s.b;
    const bool up = step.kind == ExprKind::kUnary && (step.op == Op::kPreIncrement || step.op == Op::kPostIncrement);
    const bool by = step.kind == ExprKind::kAssign && step.op == Op::kAdd;
    if (!(up || by) || step.a->kind != ExprKind::kVariable || step.a->variable != variable || changes[variable] != 1) return;
    if (by && !isWord(step.b->type.type)) return;
    const Expr& condition = *s.a;
    if (condition.kind != ExprKind::kBinary || (condition.op != Op::kLess && condition.op != Op::kLessEqual)) return;
    const Expr& left = behindWidening(*condition.a);
    if (left.kind != ExprKind::kVariable || left.variable != variable || variable->initializer == nullptr) return;
    if (!isWord(variable->type.type)) return;
    loops_[variable] = {variable->initializer, condition.b, condition.op == Op::kLessEqual};
  };
  for (Stmt* s : statements) visitStatements(s, look);
  // Recomputed variables may be declared in another region, so that the walk over these statements did not meet them.
  for (const Variable* variable : plan_.variables()) {
    if (plan_.storage(*variable) == Storage::kRecomputed) definitions_[variable] = variable->initializer;
  }
}

bool WideIndices::find(const std::vector<Stmt*>& statements, const std::string& result, std::string* guard) {
  findLoops(statements);
  code_ = "bool " + result + " = true;\n{ bool& mrt_ok = " + result + ";\n";
  auto look = [&](Expr& e) {
    if (e.kind != ExprKind::kSubscript || e.a->type->isVector()) return;
    const Expr& index = behindWidening(*e.b);
    if (!isUnsignedWord(index.type.type)) return;
    const Expr* inner = &index;
    if (inner->kind == ExprKind::kVariable && definition(*inner->variable) != nullptr) inner = definition(*inner->variable);
    inner = &behindWidening(*inner);
    if (inner->kind != ExprKind::kBinary || found_.count(&index) != 0) return;  // ids and numbers alone cannot wrap
    const std::string before = code_;
    steps_ = 0;
    if (range(index, 0).known) {
      found_.insert(&index);
    } else {
      code_ = before;
    }
  };
  for (Stmt* s : statements) visitExpressions(s, look);
  for (const Stmt* s : statements) findRunning(*s);
  *guard = code_ + "}\n";
  return !found_.empty() || !running_.empty();
}

bool WideIndices::cannotWrap(const Expr& given) const {
  const Expr* inner = &behindWidening(given);
  if (found_.count(inner) != 0) return true;
  for (uint32_t i = 0; i < kMaxDepth && inner->kind == ExprKind::kVariable && definition(*inner->variable) != nullptr; ++i) {
    inner = definition(*inner->variable);
    while (inner->kind == ExprKind::kConvert || inner->kind == ExprKind::kCast) inner = inner->a;
  }
  while (inner->kind == ExprKind::kConvert || inner->kind == ExprKind::kCast) inner = inner->a;
  return isId(*inner);
}

// gcc makes no vectors of items around a loop that may not run at all.
void WideIndices::findRunning(const Stmt& s) {
  if (s.kind != StmtKind::kFor || s.init == nullptr || s.init->variables.size() != 1) return;
  const auto at = loops_.find(s.init->variables[0]);
  if (at == loops_.end()) return;
  const std::string before = code_;
  steps_ = 0;
  const Range first = range(*at->second.first, 0);
  const Range end = first.known ? range(*at->second.end, 0) : Range();
  if (!end.known) {
    code_ = before;
    return;
  }
  code_ += "mrt_ok &= " + first.high + (at->second.inclusive ? " <= " : " < ") + end.low + ";\n";
  running_.insert(&s);
}

const Expr* WideIndices::definition(const Variable& variable) const {
  auto at = definitions_.find(&variable);
  return at == definitions_.end() ? nullptr : at->second;
}

WideIndices::Range WideIndices::number(const std::string& low, const std::string& high, bool check, const Type* type) {
  const std::string id = std::to_string(++next_);
  code_ += "const unsigned long mrt_a" + id + " = " + low + ", mrt_h" + id + " = " + high + ";\n";
  if (check) {
    const char* most = type->isSigned() ? "2147483647ul" : "4294967295ul";
    code_ += std::string("mrt_ok &= mrt_h") + id + " <= " + most + ";\n";
  }
  return {"mrt_a" + id, "mrt_h" + id, true};
}

// Something that is the same for all items and never changes in the region.
WideIndices::Range WideIndices::exact(const Expr& e) {
  const std::string value = "(unsigned long)(" + text_.expression(e) + ")";
  const bool fits = e.type->kind == TypeKind::kScalar && e.type->scalar == Scalar::kUInt;
  if (e.kind == ExprKind::kLiteral && fits) return {value, value, true};
  return number(value, value, !fits, e.type.type);
}

WideIndices::Range WideIndices::range(const Expr& e, uint32_t depth) {
  if (depth > kMaxDepth || ++steps_ > kMaxSteps || code_.size() > kMaxCode || !isWord(e.type.type)) return {};
  if (plan_.isUniform(e) && sizeOf(e.type) <= 8) return exact(e);
  switch (e.kind) {
    case ExprKind::kVariable: {
      if (const Expr* value = definition(*e.variable)) {
        return range(*value, depth + 1);  // the initialiser has been converted to the variable's type
      }
      auto at = loops_.find(e.variable);
      if (at == loops_.end()) return {};
      const Range first = range(*at->second.first, depth + 1);
      const Range end = range(*at->second.end, depth + 1);
      if (!first.known || !end.known) return {};
      const std::string last = at->second.inclusive ? end.high : "(" + end.high + " - (" + end.high + " != 0))";
      return number(first.low, "(" + last + " > " + first.high + " ? " + last + " : " + first.high + ")", true, e.type.type);
    }
    case ExprKind::kConvert:
    case ExprKind::kCast: {
      const Range inner = range(*e.a, depth + 1);
      const Type* from = e.a->type.type;
      const bool same = sizeOf(e.type) >= sizeOf(e.a->type) && from->isSigned() == e.type->isSigned();
      if (!inner.known || same || isId(behindWidening(*e.a))) return inner;  // ids have 31 bits
      return number(inner.low, inner.high, sizeOf(e.type) == 4, e.type.type);
    }
    case ExprKind::kBinary:
      return binary(e, depth);
    case ExprKind::kBuiltinCall: {
      if (e.arguments.empty()) return {};
      const Expr& dimension = behindWidening(*e.arguments[0]);
      if (dimension.kind != ExprKind::kLiteral || dimension.integer > 2) return {};
      const std::string d = std::to_string(dimension.integer);
      if (e.builtin->work_item == WorkItem::kLocalId)
        return number("0ul", "(unsigned long)mrt_n" + d + " - 1ul", false, e.type.type);
      if (e.builtin->work_item == WorkItem::kGlobalId) {
        return number("(unsigned long)mrt_b" + d, "(unsigned long)(mrt_b" + d + " + mrt_n" + d + " - 1)", false, e.type.type);
      }
      return {};
    }
    default:
      return {};
  }
}

WideIndices::Range WideIndices::binary(const Expr& e, uint32_t depth) {
  if (e.op == Op::kShl || e.op == Op::kShr || e.op == Op::kBitAnd || e.op == Op::kBitOr || e.op == Op::kBitXor) return {};
  const Range a = range(*e.a, depth + 1);
  if (!a.known) return {};
  const Range b = range(*e.b, depth + 1);
  if (!b.known) return {};
  const bool narrow = sizeOf(e.type) == 4;
  switch (e.op) {
    case Op::kAdd:
      return number(a.low + " + " + b.low, a.high + " + " + b.high, narrow, e.type.type);
    case Op::kMul:
      return number(a.low + " * " + b.low, a.high + " * " + b.high, narrow, e.type.type);
    case Op::kSub:
      code_ += "mrt_ok &= " + a.low + " >= " + b.high + ";\n";
      return number(a.low + " - " + b.high, a.high + " - " + b.low, narrow, e.type.type);
    default:
      return {};
  }
}

// Valid where the guard holds: then no step of the computation leaves its 32 bits.
std::string WideIndices::widen(const Expr& e, uint32_t depth) {
  if (depth <= kMaxDepth && isWord(e.type.type) && !plan_.isUniform(e)) {
    if (e.kind == ExprKind::kBinary && (e.op == Op::kAdd || e.op == Op::kMul || e.op == Op::kSub)) {
      return "(" + widen(*e.a, depth + 1) + " " + spell(e.op) + " " + widen(*e.b, depth + 1) + ")";
    }
    if (e.kind == ExprKind::kConvert || e.kind == ExprKind::kCast) return widen(*e.a, depth + 1);
    if (e.kind == ExprKind::kVariable) {
      if (const Expr* value = definition(*e.variable)) return widen(*value, depth + 1);
    }
  }
  return "(long)(" + text_.expression(e) + ")";
}

std::string WideIndices::wide(const Expr& given) {
  const Expr& index = behindWidening(given);
  return found_.count(&index) != 0 ? widen(index, 0) : std::string();
}

}  // namespace manyrt::compiler
