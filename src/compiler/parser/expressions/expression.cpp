// The grammar of expressions from the comma down to the binary operators. Other files do the rest: the builder types
// the operators; primary.cpp, postfix.cpp, cast.cpp and literal.cpp read what stands between them.
#include <algorithm>
#include <string>

#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

struct Infix {
  std::string_view spelling;
  Op op;
  uint32_t precedence;
};

constexpr Infix kBinary[] = {
    {"||", Op::kLogicalOr, 1}, {"&&", Op::kLogicalAnd, 2}, {"|", Op::kBitOr, 3},         {"^", Op::kBitXor, 4},
    {"&", Op::kBitAnd, 5},     {"==", Op::kEqual, 6},      {"!=", Op::kNotEqual, 6},     {"<", Op::kLess, 7},
    {">", Op::kGreater, 7},    {"<=", Op::kLessEqual, 7},  {">=", Op::kGreaterEqual, 7}, {"<<", Op::kShl, 8},
    {">>", Op::kShr, 8},       {"+", Op::kAdd, 9},         {"-", Op::kSub, 9},           {"*", Op::kMul, 10},
    {"/", Op::kDiv, 10},       {"%", Op::kRem, 10},
};

constexpr Infix kAssignments[] = {
    {"=", Op::kNone, 0},    {"+=", Op::kAdd, 0},   {"-=", Op::kSub, 0},    {"*=", Op::kMul, 0},
    {"/=", Op::kDiv, 0},    {"%=", Op::kRem, 0},   {"<<=", Op::kShl, 0},   {">>=", Op::kShr, 0},
    {"&=", Op::kBitAnd, 0}, {"|=", Op::kBitOr, 0}, {"^=", Op::kBitXor, 0},
};

template <size_t count>
const Infix* infix(const Infix (&table)[count], const Token& token) {
  if (token.kind != TokenKind::kPunctuator) return nullptr;
  const Infix* found = std::find_if(table, table + count, [&](const Infix& row) { return row.spelling == token.text; });
  return found == table + count ? nullptr : found;
}

}  // namespace

Expr* Parser::spanned(Expr* expression, size_t begin) const {
  if (expression != nullptr) expression->tokens = TokenRange{static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)};
  return expression;
}

Expr* Parser::parseExpression() {
  const size_t begin = at_;
  Expr* a = parseAssignment();
  while ((a != nullptr || goesOn()) && at(",")) {
    const Location where = next().where;
    Expr* b = parseAssignment();
    if (b == nullptr && !goesOn()) return nullptr;
    a = a == nullptr || b == nullptr ? nullptr : spanned(makeBinary(Op::kComma, a, b, where), begin);
    if (a == nullptr) a = failOperand();
  }
  return a;
}

Expr* Parser::parseAssignment() {
  Depth depth(*this);
  if (!depth.ok) return nullptr;
  const size_t begin = at_;
  Expr* a = parseConditional();
  if (a == nullptr && !goesOn()) return nullptr;
  const Infix* found = infix(kAssignments, peek());
  if (found == nullptr) return a;
  const Location where = next().where;
  Expr* b = parseAssignment();
  if (b == nullptr && !goesOn()) return nullptr;
  Expr* whole = a == nullptr || b == nullptr ? nullptr : spanned(makeAssign(found->op, a, b, where), begin);
  return whole != nullptr ? whole : failOperand();
}

Expr* Parser::parseConditional() {
  const size_t begin = at_;
  Expr* condition = parseBinary(1);
  if ((condition == nullptr && !goesOn()) || !at("?")) return condition;
  Depth depth(*this);
  if (!depth.ok) return nullptr;
  const Location where = next().where;
  if (at(":")) {
    diagnostics_.error(where, "An operand is missing between \"?\" and \":\".");
    return nullptr;
  }
  Expr* b = parseExpression();
  if ((b == nullptr && !goesOn()) || !expect(":", "the second operand of \"?\"")) return nullptr;
  Expr* c = parseConditional();
  if (c == nullptr && !goesOn()) return nullptr;
  const bool complete = condition != nullptr && b != nullptr && c != nullptr;
  Expr* whole = complete ? spanned(makeConditional(condition, b, c, where), begin) : nullptr;
  return whole != nullptr ? whole : failOperand();
}

Expr* Parser::parseBinary(uint32_t lowest) {
  const size_t begin = at_;
  Expr* a = parseUnary();
  while (a != nullptr || goesOn()) {
    const Infix* found = infix(kBinary, peek());
    if (found == nullptr || found->precedence < lowest) return a;
    const Location where = next().where;
    Expr* b = parseBinary(found->precedence + 1);
    if (b == nullptr && !goesOn()) return nullptr;
    a = a == nullptr || b == nullptr ? nullptr : spanned(makeBinary(found->op, a, b, where), begin);
    if (a == nullptr) a = failOperand();
  }
  return a;
}

Expr* Parser::parseCondition(const char* of) {
  const size_t begin = at_;
  Expr* expression = parseExpression();
  if (expression == nullptr) return nullptr;
  const auto isWrapped = [&] {  // by parentheses of its own, which say that it is meant
    size_t open = 0, last = begin;
    for (; last < at_; ++last) {
      open += tokens_[last].is("(") ? 1 : 0;
      open -= tokens_[last].is(")") ? 1 : 0;
      if (open == 0) break;
    }
    return last + 1 == at_;
  };
  if (expression->kind == ExprKind::kAssign && expression->op == Op::kNone && !isWrapped()) {
    diagnostics_.warning(expression->where,
                         "The condition of %s assigns: write \"==\" to compare, or a second pair of parentheses.", of);
  }
  Expr* condition = value(expression);
  if (condition == nullptr) return nullptr;
  if (condition->type->isArithmetic() || condition->type->isPointer()) return truth(condition);
  diagnostics_.error(condition->where, "The condition of %s must be a scalar; this is %s%s.", of,
                     spell(condition->type.unqualified()).c_str(),
                     condition->type->isVector() ? ": say any() or all() of its elements" : "");
  return nullptr;
}

}  // namespace manyrt::compiler
