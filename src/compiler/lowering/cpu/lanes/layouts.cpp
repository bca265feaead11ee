// Which private objects lie in one piece for each lane. An object that all accesses see in elements of one size is made of
// vectors; nothing else can be read from it in elements of another size, and no lane has an address in it. So an object becomes
// contiguous where its address is a value (compared, stored, chosen, kept in a pointer that moves), and where a cast changes
// the size of what is pointed to. Both are found from the pointers: each is followed back to the objects that it may point to.
#include <algorithm>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

// The size of the numbers that a type is made of; 0: of several sizes, or unknown.
uint64_t leafSize(const Type* type) {
  if (type->isArray()) return leafSize(type->inner.type);
  if (type->isVector()) return sizeOf(QualType{type->element});
  if (!type->isRecord()) return type->isVoid() ? 0 : sizeOf(QualType{type});
  uint64_t size = 0;
  for (const Field& field : type->record->fields) {
    const uint64_t own = leafSize(field.type.type);
    if (own == 0 || (size != 0 && own != size)) return 0;
    size = own;
  }
  return type->record->is_union ? 0 : size;
}

bool isPlace(const Expr& e) {
  return e.kind == ExprKind::kSubscript || (e.kind == ExprKind::kUnary && e.op == Op::kDereference);
}

}  // namespace

class LayoutFinder {
 public:
  explicit LayoutFinder(LaneShapes& shapes) : shapes_(shapes) {}

  void find(const std::vector<Stmt*>& statements) {
    // Objects of pointers that are never changed, by their initialisers and arguments, until nothing is added.
    do {
      changed_ = false;
      each(
          statements, [&](const Variable& variable) { point(variable, variable.initializer); },
          [&](const Expr& e) {
            if (e.kind != ExprKind::kCall) return;
            for (size_t i = 0; i < e.arguments.size(); ++i) point(*e.function->parameters[i], e.arguments[i]);
          });
    } while (changed_);
    const auto whole = [&](const Stmt* s) {
      visitStatements(const_cast<Stmt*>(s), [&](Stmt& inner) {
        look(inner.a, false);
        look(inner.b, false);
        for (const Variable* variable : inner.variables) look(variable->initializer, shapes_.isAlias(*variable));
      });
    };
    for (const Stmt* s : statements) whole(s);
    for (const auto& [function, shape] : shapes_.results_) whole(function->body);
    for (const Variable* variable : shapes_.plan_.variables()) {
      if (shapes_.plan_.storage(*variable) == Storage::kRecomputed) look(variable->initializer, shapes_.isAlias(*variable));
    }
  }

 private:
  using Objects = std::set<const Variable*>;

  template <class D, class E>
  void each(const std::vector<Stmt*>& statements, D declared, E expression) {
    const auto visitAll = [&](Stmt* s) {
      visitExpressions(s, expression);
      visitStatements(s, [&](Stmt& inner) {
        for (const Variable* variable : inner.variables) declared(*variable);
      });
    };
    for (Stmt* s : statements) visitAll(s);
    for (const auto& [function, shape] : shapes_.results_) visitAll(function->body);
    for (const Variable* variable : shapes_.plan_.variables()) {
      if (shapes_.plan_.storage(*variable) == Storage::kRecomputed) declared(*variable);
    }
  }

  void point(const Variable& pointer, const Expr* to) {
    if (to == nullptr || !isPrivatePointer(pointer.type) || !shapes_.isAlias(pointer)) return;
    Objects& own = pointed_[&pointer];
    for (const Variable* object : objectsOf(*to)) changed_ = own.insert(object).second || changed_;
  }

  // What a pointer may point to; nothing: it is a value, and all that it may point to is contiguous already.
  Objects objectsOf(const Expr& e) const {
    switch (e.kind) {
      case ExprKind::kVariable: {
        const auto at = pointed_.find(e.variable);
        return at == pointed_.end() ? Objects() : at->second;
      }
      case ExprKind::kConvert:
      case ExprKind::kCast:
        return e.a->type->isArray() ? objectsAround(*e.a) : e.a->type->isPointer() ? objectsOf(*e.a) : Objects();
      case ExprKind::kUnary:
        return e.op == Op::kAddressOf ? objectsAround(*e.a) : e.op >= Op::kPreIncrement ? objectsOf(*e.a) : Objects();
      case ExprKind::kBinary:
        return e.op == Op::kComma || !e.a->type->isPointer() ? objectsOf(*e.b) : objectsOf(*e.a);
      case ExprKind::kAssign:
        return objectsOf(*e.b);
      case ExprKind::kConditional: {
        Objects all = objectsOf(*e.b);
        all.merge(objectsOf(*e.c));
        return all;
      }
      default:
        return {};
    }
  }

  // The object that an lvalue is in.
  Objects objectsAround(const Expr& e) const {
    switch (e.kind) {
      case ExprKind::kVariable:
        return shapes_.isObject(*e.variable) ? Objects{e.variable} : Objects();
      case ExprKind::kMember:
      case ExprKind::kSwizzle:
        return objectsAround(*e.a);
      case ExprKind::kSubscript:
      case ExprKind::kUnary:
        if (e.kind == ExprKind::kUnary && e.op != Op::kDereference) return {};
        return e.a->type->isPointer() ? objectsOf(*e.a) : objectsAround(*e.a);
      case ExprKind::kBinary:
        return e.op == Op::kComma ? objectsAround(*e.b) : Objects();
      default:
        return {};
    }
  }

  void mark(const Expr& pointer) { shapes_.contiguous_.merge(objectsOf(pointer)); }

  // `as_place`: what uses the pointer follows it to a place, and needs no address.
  void look(const Expr* e, bool as_place) {
    if (e == nullptr) return;
    const bool is_private = isPrivatePointer(e->type);
    if (is_private && !as_place) mark(*e);
    const bool sums = e->kind == ExprKind::kBinary && (e->op == Op::kAdd || e->op == Op::kSub);
    if (isConversion(*e) && is_private && e->a->type->isPointer()) {
      const Type *from = e->a->type->inner.type, *to = e->type->inner.type;
      if (from != to && (leafSize(from) != leafSize(to) || leafSize(to) == 0)) mark(*e->a);
    }
    if (isPlace(*e)) {
      look(e->a, true);
    } else if (isConversion(*e) || sums) {
      look(e->a, as_place && is_private);
    } else {
      look(e->a, false);
    }
    look(e->b, as_place && ((sums && is_private) || (e->kind == ExprKind::kBinary && e->op == Op::kComma)));
    look(e->c, false);
    const bool loads = e->kind == ExprKind::kBuiltinCall && (e->builtin->name == "vload" || e->builtin->name == "vstore");
    for (size_t i = 0; i < e->arguments.size(); ++i) {
      look(e->arguments[i], loads || (e->kind == ExprKind::kCall && shapes_.isAlias(*e->function->parameters[i])));
    }
  }

  LaneShapes& shapes_;
  std::map<const Variable*, Objects> pointed_;
  bool changed_ = false;
};

void LaneShapes::findLayouts(const std::vector<Stmt*>& statements) { LayoutFinder(*this).find(statements); }

}  // namespace manyrt::compiler
