// Types of the operators with one operand, and which operands may be changed. These are lvalues, but not const ones, constant
// memory, arrays, or swizzles that name a component twice.
#include <set>
#include <string>
#include <vector>

#include "compiler/parser/expressions/builder.h"
#include "compiler/parser/operator.h"

namespace manyrt::compiler {
namespace {

// A const field inside makes the whole record one that cannot be assigned. Each record is looked at once, however often it is
// nested.
bool hasConstField(const Record& record) {
  std::vector<const Record*> waiting{&record};
  std::set<const Record*> seen{&record};
  while (!waiting.empty()) {
    const Record& at = *waiting.back();
    waiting.pop_back();
    for (const Field& field : at.fields) {
      const Type* type = field.type.type;
      if (field.type.is_const) return true;
      for (; type->isArray(); type = type->inner.type) {
        if (type->inner.is_const) return true;
      }
      if (type->isRecord() && seen.insert(type->record).second) waiting.push_back(type->record);
    }
  }
  return false;
}

// The name of an lvalue in messages: that of its variable, where it is one or lies in one.
std::string subject(const Expr& expression) {
  const Expr* at = &expression;
  while (at->kind == ExprKind::kMember || at->kind == ExprKind::kSwizzle) at = at->a;
  if (at->kind != ExprKind::kVariable) return "What stands here";
  return (at == &expression ? "The variable \"" : "This part of \"") + at->variable->name + "\"";
}

}  // namespace

bool ExpressionBuilder::modifiable(const Expr& expression, Location where) {
  const QualType type = expression.type;
  QualType constant = type.unqualified();
  constant.is_const = true;
  if (!expression.lvalue) {
    // v.xx names one component twice and is thus no lvalue, although v is one.
    if (expression.kind == ExprKind::kSwizzle && expression.a->lvalue) {
      diagnostics_.error(where, "This vector cannot be assigned: it names a component more than once.");
    } else {
      diagnostics_.error(where, "What stands here is a value of type %s, not a variable that could be assigned.",
                         named(expression).c_str());
    }
    return false;
  }
  // It is an lvalue; what follows are the lvalues that may still not be written, each with its own advice.
  if (type->isArray()) {
    diagnostics_.error(where, "An array, %s here, cannot be assigned; copy its elements.", named(expression).c_str());
  } else if (type.space == AddressSpace::kConstant) {
    diagnostics_.error(where, "%s has the type %s and lies in __constant memory, which kernels only read.",
                       subject(expression).c_str(), named(expression).c_str());
  } else if (type.is_const) {
    diagnostics_.error(where, "%s has the type %s and cannot be assigned.", subject(expression).c_str(),
                       spell(constant).c_str());
  } else if (type->isRecord() && hasConstField(*type->record)) {
    diagnostics_.error(where, "A value of type %s cannot be assigned: one of its members is const.", named(expression).c_str());
  } else if ((type->isScalar() || type->isVector()) && type->scalar == Scalar::kHalf && !half_arithmetic_) {
    diagnostics_.error(where,
                       "A value of type %s cannot be assigned directly: half is a type of storage alone; use vstore_half, or "
                       "enable cl_khr_fp16 where the device has it.",
                       named(expression).c_str());
  } else {
    return true;
  }
  return false;
}

Expr* ExpressionBuilder::makeUnary(Op op, Expr* operand, Location where) {
  Expr* a = value(operand);
  if (a == nullptr) return nullptr;
  const Type* type = a->type.type;
  bool fits = type->isArithmetic() || type->isVector();
  if (op == Op::kBitNot) fits = fits && type->hasIntegerElements();
  if (op == Op::kLogicalNot) fits = fits || type->isPointer();
  if (!fits) {
    diagnostics_.error(where, "The operator \"%s\" does not take an operand of type %s.", spell(op), named(*a).c_str());
    return nullptr;
  }
  const Type* result = type;
  if (op == Op::kLogicalNot) {
    result = comparisonType(type);
    a = truth(a);
  } else if (!type->isVector()) {
    result = promoted(type);
    a = implicit(a, result);
  }
  Expr* expression = node(ExprKind::kUnary, QualType{result}, where, a);
  if (expression != nullptr) expression->op = op;
  return expression;
}

Expr* ExpressionBuilder::makeStep(Op op, Expr* a, Location where) {
  const Type* type = a->type.type;
  const bool fits = type->isArithmetic() || (type->isVector() && type->hasIntegerElements()) || type->isPointer();
  if (!fits) {
    diagnostics_.error(where, "The operator \"%s\" does not take an operand of type %s.", spell(op), named(*a).c_str());
    return nullptr;
  }
  if (!modifiable(*a, where)) return nullptr;
  a = asObject(a);
  if (type->isPointer() && type->inner->isRecord() && !type->inner->record->complete) {
    diagnostics_.error(where, "The operator \"%s\" needs the size of %s, which is declared but not defined.", spell(op),
                       spell(type->inner.unqualified()).c_str());
    return nullptr;
  }
  Expr* expression = node(ExprKind::kUnary, a->type.unqualified(), where, a);
  if (expression != nullptr) expression->op = op;
  return expression;
}

Expr* ExpressionBuilder::makeAddressOf(Expr* a, Location where) {
  const bool component = a->kind == ExprKind::kSwizzle || (a->kind == ExprKind::kSubscript && a->a->type->isVector());
  if (component) {
    diagnostics_.error(where, "Elements of a vector have no address; take the vector's, or store the element in a variable.");
    return nullptr;
  }
  if (!a->lvalue && a->kind != ExprKind::kString) {
    diagnostics_.error(where, "A value of type %s has no address; store it in a variable.", named(*a).c_str());
    return nullptr;
  }
  a = asObject(a);
  Expr* expression = node(ExprKind::kUnary, QualType{types_.pointer(a->type)}, where, a);
  if (expression != nullptr) expression->op = Op::kAddressOf;
  return expression;
}

Expr* ExpressionBuilder::makeDereference(Expr* operand, Location where) {
  Expr* a = decay(operand);
  if (!a->type->isPointer()) {
    diagnostics_.error(where, "The operator \"*\" takes a pointer; this is %s.", named(*a).c_str());
    return nullptr;
  }
  Expr* expression = node(ExprKind::kUnary, a->type->inner, where, a);
  if (expression == nullptr) return nullptr;
  expression->op = Op::kDereference;
  expression->lvalue = true;
  return expression;
}

}  // namespace manyrt::compiler
