// Nodes of expressions, whose height is limited, and calls of functions that the program defines.
#include "compiler/parser/expressions/builder.h"

#include <string>
#include <utility>

#include "base/text.h"

namespace manyrt::compiler {

bool ExpressionBuilder::grow(Expr* expression, const Expr* child) {
  if (child->height < expression->height) return true;
  expression->height = static_cast<uint16_t>(child->height + 1);
  if (expression->height <= kMaxHeight) return true;
  diagnostics_.error(expression->where, "This expression is more than %u operators high; split it with variables of its parts.",
                     kMaxHeight);
  return false;
}

Expr* ExpressionBuilder::node(ExprKind kind, QualType type, Location where, Expr* a, Expr* b, Expr* c) {
  Expr* expression = program_.make(kind);
  expression->type = type;
  expression->where = where;
  expression->a = a;
  expression->b = b;
  expression->c = c;
  for (const Expr* child : {a, b, c}) {
    if (child != nullptr && !grow(expression, child)) return nullptr;
  }
  return expression;
}

Expr* ExpressionBuilder::integerLiteral(Scalar scalar, uint64_t value, Location where) {
  Expr* literal = node(ExprKind::kLiteral, QualType{types_.scalar(scalar)}, where);
  literal->integer = value;
  return literal;
}

Expr* ExpressionBuilder::callFunction(Function* function, const Token& name, std::vector<Expr*> arguments) {
  const std::vector<QualType>& parameters = function->type->parameters;
  if (arguments.size() != parameters.size()) {
    diagnostics_.error(name.where, "The function \"%s\" takes %zu argument%s; %zu %s given.", function->name.c_str(),
                       parameters.size(), plural(parameters.size()), arguments.size(), arguments.size() == 1 ? "is" : "are");
    diagnostics_.note(function->where, "It is declared here.");
    return nullptr;
  }
  Expr* call = node(ExprKind::kCall, function->result.unqualified(), name.where);
  call->function = function;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string what = "argument " + std::to_string(i + 1) + " of \"" + function->name + "\"";
    const bool was_pointer = arguments[i]->type->isPointer() || arguments[i]->type->isArray();
    arguments[i] = convertTo(arguments[i], parameters[i].unqualified(), what.c_str());
    if (arguments[i] == nullptr && was_pointer && parameters[i]->isPointer()) {
      const Variable& parameter = *function->parameters[i];
      diagnostics_.note(parameter.where.line != 0 ? parameter.where : function->where, "The parameter is declared here.");
    }
    if (arguments[i] == nullptr || !grow(call, arguments[i])) return nullptr;
  }
  call->arguments = std::move(arguments);
  return call;
}

}  // namespace manyrt::compiler
