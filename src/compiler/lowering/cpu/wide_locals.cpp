// Candidates are found in one walk over the body, which knows the loops and conditions around each statement.
#include "compiler/lowering/cpu/wide_locals.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

bool isNarrow(const QualType& type) {
  return type->isScalar() && type->isInteger() && type->scalar != Scalar::kBool && sizeOf(type) < 4 && !type.is_volatile &&
         type.space == AddressSpace::kPrivate;
}

bool isInt(const QualType& type) { return type->isScalar() && (type->scalar == Scalar::kInt || type->scalar == Scalar::kUInt); }

// Whether lanes differ by a mask of 32 bits and more: what is compared was not made wider from one or two bytes.
bool comparesWide(Expr& condition) {
  const auto is_wide = [](const Expr& e) {
    if (!e.type->isScalar() || e.kind == ExprKind::kLiteral) return false;
    return e.type->isFloating() || (e.type->isInteger() && sizeOf(e.type) >= 4 && narrowOf(e) == nullptr);
  };
  bool found = false;
  visit(&condition, [&](Expr& e) {
    const bool compares = e.kind == ExprKind::kBinary && e.op >= Op::kLess && e.op <= Op::kNotEqual;
    found = found || (compares && (is_wide(*e.a) || is_wide(*e.b)));
  });
  return found;
}

class Widening {
 public:
  Widening(Program& program, Function& kernel, const GroupPlan& plan, const GroupPlan* other) : program_(program) {
    look(*kernel.body);
    visitExpressions(kernel.body, [&](Expr& e) { note(e); });
    for (Variable* variable : declared_) {
      const bool in_register =
          plan.storage(*variable) == Storage::kRegion && (other == nullptr || other->storage(*variable) == Storage::kRegion);
      const Uses& uses = uses_[variable];
      if (in_register && uses.chosen && !uses.otherwise && uses.targets == uses.plain.size()) widen(variable, uses);
    }
  }

 private:
  struct Uses {
    std::vector<Expr*> names;        // each use, targets of assignments too
    std::vector<Expr*> plain;        // assignments that are statements
    std::set<const Expr*> promoted;  // uses that are converted to 32 bits at once
    std::set<const Expr*> assigned;  // uses that are such a target
    size_t targets = 0;              // of assignments anywhere
    bool chosen = false;             // a loop inside its scope sets it under a condition, to what was wider
    bool otherwise = false;          // its address is taken, or it is changed by something else
  };

  void look(Stmt& s) {
    if (s.kind == StmtKind::kDeclare) {
      for (Variable* variable : s.variables) {
        if (!isNarrow(variable->type)) continue;
        declared_.push_back(variable);
        depths_[variable] = loops_;
      }
    }
    if (s.kind == StmtKind::kExpr && s.a->kind == ExprKind::kAssign && s.a->op == Op::kNone &&
        s.a->a->kind == ExprKind::kVariable) {
      Variable* variable = s.a->a->variable;
      Uses& uses = uses_[variable];
      uses.plain.push_back(s.a);
      const auto depth = depths_.find(variable);
      if (depth != depths_.end()) {
        const bool is_number = isConversion(*s.a->b) && isNumber(*s.a->b->a);
        if (choiceOf(*s.a) != nullptr ? loops_ > depth->second : is_number && conditions_ > depth->second) uses.chosen = true;
      }
    }
    const uint32_t loops = loops_, conditions = conditions_;
    if (s.init != nullptr) look(*s.init);
    if (isLoop(s)) ++loops_;
    if (s.kind == StmtKind::kIf && comparesWide(*s.a)) conditions_ = loops_;
    if (s.first != nullptr) look(*s.first);
    if (s.second != nullptr) look(*s.second);
    for (Stmt* inner : s.body) look(*inner);
    loops_ = loops;
    conditions_ = conditions;
  }

  static bool isNumber(const Expr& e) {
    return e.kind != ExprKind::kLiteral && e.type->isScalar() && e.type->isInteger() && sizeOf(e.type) >= 4;
  }

  // x = c ? a : b, where a and b are of the type of x but for their promotion; null: something else is assigned.
  static Expr* choiceOf(const Expr& assignment) {
    Expr* choice = isConversion(*assignment.b) ? assignment.b->a : nullptr;
    if (choice == nullptr || choice->kind != ExprKind::kConditional || !isInt(choice->type)) return nullptr;
    for (const Expr* value : {choice->b, choice->c}) {
      if (!isConversion(*value) || value->a->type.type != assignment.type.type) return nullptr;
    }
    return comparesWide(*choice->a) ? choice : nullptr;
  }

  void note(Expr& e) {
    if (e.kind == ExprKind::kVariable) uses_[e.variable].names.push_back(&e);
    if (e.kind == ExprKind::kAssign) {
      if (e.a->kind == ExprKind::kVariable) {
        Uses& uses = uses_[e.a->variable];
        ++uses.targets;
        uses.assigned.insert(e.a);
        if (e.op != Op::kNone) uses.otherwise = true;
      } else if (const Variable* root = rootVariable(*e.a)) {
        uses_[root].otherwise = true;
      }
    }
    if (e.kind == ExprKind::kUnary && (e.op == Op::kAddressOf || e.op >= Op::kPreIncrement)) {
      if (const Variable* root = rootVariable(*e.a)) uses_[root].otherwise = true;
    }
    if (isConversion(e) && isInt(e.type) && e.a->kind == ExprKind::kVariable) uses_[e.a->variable].promoted.insert(e.a);
  }

  Expr* converted(QualType type, Expr* from) {
    Expr* made = program_.make(ExprKind::kConvert);
    made->type = type.unqualified();
    made->where = from->where;
    made->height = static_cast<uint16_t>(from->height + 1);
    made->a = from;
    return made;
  }

  void widen(Variable* variable, const Uses& uses) {
    const QualType narrow = variable->type.unqualified();
    const QualType wide{program_.types.scalar(Scalar::kInt)};
    variable->type = wide;
    if (variable->initializer != nullptr) variable->initializer = converted(wide, variable->initializer);
    for (Expr* assignment : uses.plain) {
      Expr* choice = choiceOf(*assignment);
      assignment->type = wide;
      assignment->b = converted(wide, choice != nullptr ? choice : assignment->b);
      assignment->height = std::max(assignment->height, static_cast<uint16_t>(assignment->b->height + 1));
    }
    for (Expr* name : uses.names) {
      name->type = wide;
      if (uses.assigned.count(name) != 0) continue;
      if (uses.promoted.count(name) != 0) continue;  // from an int to an int of 32 bits: the same value
      Expr* inner = program_.makeReference(variable, name->where);
      name->kind = ExprKind::kConvert;
      name->variable = nullptr;
      name->lvalue = false;
      name->type = narrow;
      name->a = inner;
      name->height = static_cast<uint16_t>(inner->height + 1);
    }
  }

  Program& program_;
  std::vector<Variable*> declared_;
  std::map<const Variable*, uint32_t> depths_;  // how many loops are around the declaration
  std::map<const Variable*, Uses> uses_;
  uint32_t loops_ = 0, conditions_ = 0;  // around; of the loops, those around the innermost condition of wide masks
};

}  // namespace

void widenLocals(Program& program, Function& kernel, const GroupPlan& plan, const GroupPlan* other) {
  Widening(program, kernel, plan, other);
}

}  // namespace manyrt::compiler
