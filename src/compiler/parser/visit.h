// Walks over expressions and statements, for the analyses of the lowerings: each calls a function for every node, outer nodes
// first.
#pragma once

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

template <class F>
void visit(Expr* expression, F&& function) {
  if (expression == nullptr) return;
  function(*expression);
  visit(expression->a, function);
  visit(expression->b, function);
  visit(expression->c, function);
  for (Expr* argument : expression->arguments) visit(argument, function);
}

template <class F>
void visitStatements(Stmt* statement, F&& function) {
  if (statement == nullptr) return;
  function(*statement);
  visitStatements(statement->init, function);
  visitStatements(statement->first, function);
  visitStatements(statement->second, function);
  for (Stmt* inner : statement->body) visitStatements(inner, function);
}

// Every expression of a statement and of those inside it, initialisers included.
template <class F>
void visitExpressions(Stmt* statement, F&& function) {
  visitStatements(statement, [&](Stmt& inner) {
    visit(inner.a, function);
    visit(inner.b, function);
    if (inner.kind == StmtKind::kDeclare) {
      for (Variable* variable : inner.variables) visit(variable->initializer, function);
    }
  });
}

}  // namespace manyrt::compiler
