// Expressions that begin with a type in parentheses: casts, vector literals and compound literals. The type tells them apart:
// after a vector's, parentheses hold the elements of a literal and no comma operator.
#include <string>

#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {

Expr* Parser::parseParenthesised() {
  Depth depth(*this);
  if (!depth.ok) return nullptr;
  const size_t begin = at_;
  const Location where = next().where;
  QualType type;
  if (!parseTypeName(&type) || !expect(")", "the type")) return nullptr;
  if (at("{")) {
    Expr* literal = parseCompoundLiteral(type, where, begin);
    return parsePostfix(spanned(literal, begin), begin);
  }
  if (at("(") && type->isVector() && !isTypeName(1)) {  // (float4)(int)x: a cast of a cast
    Expr* literal = parseVectorLiteral(type.type, where);
    return parsePostfix(spanned(literal, begin), begin);
  }
  Expr* operand = parseUnary();
  if (operand == nullptr) return nullptr;
  Expr* cast = makeCast(type, operand, where);
  return cast != nullptr ? cast : failOperand();
}

// At "{", after the type. Arrays are objects at once, because every use but sizeof takes their address.
Expr* Parser::parseCompoundLiteral(QualType type, Location where, size_t begin) {
  if (function_ != nullptr && type.space != AddressSpace::kPrivate) {
    diagnostics_.error(where, "A literal in a function is private and cannot be %s: declare a variable.",
                       spaceName(type.space));
    return nullptr;
  }
  Expr* initializer = parseInitializer(&type, "");
  Expr* literal = initializer == nullptr ? nullptr : node(ExprKind::kCompoundLiteral, type, where, initializer);
  if (literal == nullptr) return nullptr;
  literal->lvalue = true;
  spanned(literal, begin);
  return type->isArray() ? asObject(literal) : literal;
}

// A compound literal whose address is taken, or that is changed, becomes a variable v of the block around it. In its place
// stands (v = (S){1}, v), which is an lvalue. At program scope all stays as it is.
Expr* ExpressionBuilder::asObject(Expr* expression) {
  if (function_ == nullptr || literals_.empty()) return expression;
  // Members, swizzles and elements of a literal lead to the literal itself, and stay around the variable that replaces it. Each
  // literal gets one variable, declared in the innermost block: a loop assigns it anew in each round, as C demands.
  Expr** place = &expression;
  while ((*place)->kind == ExprKind::kMember || (*place)->kind == ExprKind::kSwizzle ||
         ((*place)->kind == ExprKind::kSubscript && (*place)->a->type->isVector())) {
    place = &(*place)->a;
  }
  Expr* literal = *place;
  if (literal->kind != ExprKind::kCompoundLiteral || literal->a == nullptr) return expression;
  Variable* variable = program_.makeVariable();
  variable->name = "literal";
  variable->type = literal->type.unqualified();
  variable->where = literal->where;
  variable->function = function_;
  literals_.back()->variables.push_back(variable);
  program_.literals.push_back({variable, literal->tokens, literals_.back()->tokens.begin});
  const auto make = [&](ExprKind kind, QualType of, Expr* a, Expr* b) {
    Expr* made = program_.make(kind);
    made->type = of;
    made->where = literal->where;
    made->tokens = literal->tokens;
    made->a = a;
    made->b = b;
    made->height = static_cast<uint16_t>(literal->height + 2);  // at most, and no more than kMaxHeight by the few of nesting
    made->lvalue = kind != ExprKind::kAssign;
    return made;
  };
  Expr* target = make(ExprKind::kVariable, variable->type, nullptr, nullptr);
  Expr* object = make(ExprKind::kVariable, literal->type, nullptr, nullptr);
  target->variable = object->variable = variable;
  *place = make(ExprKind::kBinary, literal->type, make(ExprKind::kAssign, variable->type, target, literal->a), object);
  (*place)->op = Op::kComma;
  return expression;
}

Expr* Parser::parseVectorLiteral(const Type* vector, Location where) {
  next();
  std::vector<Expr*> parts;
  bool complete = true;
  do {
    Expr* part = parseAssignment();
    if (part == nullptr && !goesOn()) return nullptr;
    complete = complete && part != nullptr;
    parts.push_back(part);
  } while (accept(","));
  if (!expect(")", "the elements of the vector")) return nullptr;
  if (!complete) return failOperand();
  Expr* literal = parts.size() == 1 ? makeCast(QualType{vector}, parts[0], where)
                                    : makeVector(vector, std::move(parts), where, "a vector literal");
  return literal != nullptr ? literal : failOperand();
}

// Scalars and vectors one after the other; together they must have exactly the components asked for.
Expr* ExpressionBuilder::makeVector(const Type* vector, std::vector<Expr*> parts, Location where, const char* what) {
  Expr* literal = node(ExprKind::kVectorLiteral, QualType{vector}, where);
  uint64_t components = 0;
  for (Expr*& part : parts) {
    part = value(part);
    if (part == nullptr) return nullptr;
    const Type* type = part->type.type;
    if (type->isArithmetic()) {
      part = implicit(part, vector->element);
    } else if (!type->isVector() || type->element != vector->element) {
      diagnostics_.error(part->where, "Type %s does not convert to %s, an element of %s, in %s.", named(type).c_str(),
                         scalarName(vector->scalar), named(vector).c_str(), what);
      return nullptr;
    }
    components += part->type->components();
    if (!grow(literal, part)) return nullptr;
  }
  if (components != vector->count) {
    diagnostics_.error(where, "The type %s has %u elements; %llu %s given.", named(vector).c_str(), vector->count,
                       static_cast<unsigned long long>(components), components == 1 ? "is" : "are");
    return nullptr;
  }
  literal->arguments = std::move(parts);
  return literal;
}

// Null where the cast is allowed; else what to say after the two types.
const char* ExpressionBuilder::castTrouble(const Type* to, const Expr& a) const {
  const Type* from = a.type.type;
  const bool half = (to->isScalar() || to->isVector()) && to->scalar == Scalar::kHalf;
  if (half && !half_arithmetic_) {
    return ": half is a type of storage alone; use vstore_half, or enable cl_khr_fp16 where the device has it";
  }
  if (to->isVoid() || (from == to && !to->isArray())) return nullptr;
  if (from->isVector() && to->isVector()) {
    return from->count == to->count ? ": write convert_ for the values or as_ for the bits"
                                    : ": they have different numbers of elements";
  }
  if (to->isVector()) return from->isArithmetic() ? nullptr : "";
  if (from->isVector()) return ": name a component, or write as_ for the bits";
  if (to->kind == TypeKind::kEvent) return isNullConstant(a) ? nullptr : ": only 0 is";
  if (to->isArithmetic() && from->isArithmetic()) return nullptr;
  if (to->isInteger() && from->isPointer()) return nullptr;
  if (to->isPointer() && from->isInteger()) return nullptr;
  if (to->isPointer() && from->isPointer()) {
    return to->inner.space == from->inner.space ? nullptr : "";
  }
  if (to->isRecord() && !to->record->complete) return ": it is declared but not defined";
  return "";
}

Expr* ExpressionBuilder::makeCast(QualType type, Expr* operand, Location where) {
  const Type* to = type.type;
  Expr* a = to->isVoid() ? decay(operand) : value(operand);
  if (a == nullptr) return nullptr;
  const Type* from = a->type.type;
  if (const char* trouble = castTrouble(to, *a); trouble != nullptr) {
    if (to->isPointer() && from->isPointer()) {
      diagnostics_.error(where,
                         "A cast from %s to %s is not possible: pointers to %s and to %s memory are different things. Write "
                         "\"%s\" instead of \"%s\".",
                         named(from).c_str(), named(to).c_str(), spaceName(from->inner.space), spaceName(to->inner.space),
                         named(pointerInto(from->inner.space, to)).c_str(), named(to).c_str());
    } else {
      diagnostics_.error(where, "A cast from %s to %s is not possible%s.", named(from).c_str(), named(to).c_str(), trouble);
    }
    return nullptr;
  }
  if (to->isVector() && !from->isVector()) {
    Expr* element = implicit(a, to->element);
    Expr* literal = node(ExprKind::kVectorLiteral, QualType{to}, where);
    if (!grow(literal, element)) return nullptr;
    literal->arguments.push_back(element);
    return literal;
  }
  if (from->isPointer() && to->isInteger() && sizeOf(QualType{to}) < 8 && to->scalar != Scalar::kBool) {
    diagnostics_.warning(where, "The cast from %s to %s loses a part of the address.", named(from).c_str(), named(to).c_str());
  }
  return node(ExprKind::kCast, QualType{to}, where, a);
}

}  // namespace manyrt::compiler
