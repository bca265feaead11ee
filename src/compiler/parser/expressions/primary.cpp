// Where expressions begin: prefix operators, names, calls, sizeof and its kin. A name is looked up among the program's own
// first and among the built-in functions last.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "compiler/parser/keyword.h"
#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

Op prefixOperator(const Token& token) {
  if (token.kind != TokenKind::kPunctuator) return Op::kNone;
  if (token.text == "+") return Op::kPlus;
  if (token.text == "-") return Op::kMinus;
  if (token.text == "~") return Op::kBitNot;
  if (token.text == "!") return Op::kLogicalNot;
  if (token.text == "*") return Op::kDereference;
  if (token.text == "&") return Op::kAddressOf;
  if (token.text == "++") return Op::kPreIncrement;
  if (token.text == "--") return Op::kPreDecrement;
  return Op::kNone;
}

bool isAlignof(const Token& token) { return token.is("__alignof__") || token.is("__alignof") || token.is("_Alignof"); }

// Infinity and NaN as the predefined macros spell them.
bool special(const Token& token, double* number, Scalar* scalar) {
  *scalar = token.text == "__mrt_inf" ? Scalar::kDouble : Scalar::kFloat;
  *number = std::numeric_limits<double>::infinity();
  if (token.text == "__mrt_nanf") *number = std::nan("");
  return token.text == "__mrt_inff" || token.text == "__mrt_nanf" || token.text == "__mrt_inf";
}

}  // namespace

Expr* Parser::parseUnary() {
  const size_t begin = at_;
  const Token& token = peek();
  const Op op = prefixOperator(token);
  if (op != Op::kNone) return spanned(parsePrefixed(op), begin);
  if (token.is("sizeof") || token.is("vec_step") || isAlignof(token)) return spanned(parseSizeof(), begin);
  if (token.is("(") && isTypeName(1)) return spanned(parseParenthesised(), begin);
  Expr* primary = spanned(parsePrimary(), begin);
  if (primary == nullptr) return goesOn() ? skipPostfix() : nullptr;
  return parsePostfix(primary, begin);
}

Expr* Parser::parsePrefixed(Op op) {
  Depth depth(*this);
  if (!depth.ok) return nullptr;
  const Location where = next().where;
  Expr* operand = parseUnary();
  if (operand == nullptr) return nullptr;
  Expr* whole = op == Op::kDereference                               ? makeDereference(operand, where)
                : op == Op::kAddressOf                               ? makeAddressOf(operand, where)
                : op == Op::kPreIncrement || op == Op::kPreDecrement ? makeStep(op, operand, where)
                                                                     : makeUnary(op, operand, where);
  return whole != nullptr ? whole : failOperand();
}

Expr* Parser::parsePrimary() {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::kNumber:
      return parseNumber();
    case TokenKind::kCharacter:
      return parseCharacter();
    case TokenKind::kString:
      return parseString();
    case TokenKind::kIdentifier:
      if (peek(1).is("(") && findKeyword(token.text).kind == KeywordKind::kNone) return parseCall();
      return parseName();
    default:
      break;
  }
  if (token.is("(")) {
    // A function's name in parentheses, which keeps a macro of the same name away.
    if (peek(1).kind == TokenKind::kIdentifier && peek(2).is(")") && peek(3).is("(")) return parseCall();
    next();
    if (at("{")) {
      diagnostics_.error(token.where, "Statements inside an expression are no part of OpenCL C; write a function.");
      return nullptr;
    }
    Expr* inner = parseExpression();
    if ((inner == nullptr && !goesOn()) || !expect(")", "the expression in parentheses")) return nullptr;
    return inner != nullptr ? inner : failOperand();
  }
  if (token.kind == TokenKind::kEnd) {
    diagnostics_.error(token.where, "The program ends where an expression is expected.");
  } else {
    diagnostics_.error(token.where, "An expression is expected before \"%.*s\".",
                       static_cast<int>(std::min<size_t>(token.text.size(), 64)), token.text.data());
  }
  return nullptr;
}

Expr* Parser::parseName() {
  const Token& token = peek();
  // Reserved words come first, since no declaration can hide them. Then variables and enumerators are found by scope. A name
  // that is left may be a function, which OpenCL C can only call: calls are parsed elsewhere.
  const int length = static_cast<int>(std::min<size_t>(token.text.size(), 256));
  if (const Keyword& keyword = findKeyword(token.text); keyword.advice != nullptr) {
    diagnostics_.error(token.where, "\"%.*s\": %s", length, token.text.data(), keyword.advice);
    return nullptr;
  } else if (keyword.kind == KeywordKind::kStatement) {
    diagnostics_.error(token.where, "An expression is expected before \"%.*s\".", length, token.text.data());
    return nullptr;
  }
  if (startsType(token)) {
    diagnostics_.error(token.where, "An expression is expected; \"%.*s\" is a type.", length, token.text.data());
    return nullptr;
  }
  next();
  double number;
  Scalar scalar;
  if (token.text == "true" || token.text == "false") return integerLiteral(Scalar::kInt, token.text == "true", token.where);
  if (special(token, &number, &scalar)) {
    Expr* literal = node(ExprKind::kLiteral, QualType{types_.scalar(scalar)}, token.where);
    literal->real = number;
    literal->text = token.text;
    return literal;
  }
  const Symbol* symbol = find(token.text);
  if (symbol != nullptr && symbol->kind == Symbol::Kind::kEnumerator) {
    const Scalar own = symbol->type->scalar;
    const uint64_t bits = static_cast<uint64_t>(symbol->value);
    return integerLiteral(own, scalarSize(own) == 4 ? static_cast<uint32_t>(bits) : bits, token.where);
  }
  if (symbol != nullptr && symbol->kind == Symbol::Kind::kVariable) {
    Expr* name = node(ExprKind::kVariable, symbol->variable->type, token.where);
    name->variable = symbol->variable;
    symbol->variable->is_named = true;
    name->lvalue = true;
    return name;
  }
  const bool function = symbol != nullptr || builtins_.find(token.text) != nullptr;
  if (!function) return failUndeclared(token, false);
  diagnostics_.error(token.where, "The function \"%.*s\" can only be called: OpenCL C has no pointers to functions.", length,
                     token.text.data());
  return failOperand();
}

Expr* Parser::failUndeclared(const Token& name, bool is_function) {
  if (undeclared_.insert(name.text).second) {
    diagnostics_.error(name.where, "The %s \"%.*s\" is undeclared%s", is_function ? "function" : "name",
                       static_cast<int>(std::min<size_t>(name.text.size(), 256)), name.text.data(),
                       suggestion(name.text, is_function).c_str());
  }
  return failOperand();
}

// --- calls

Expr* Parser::parseCall() {
  const bool wrapped = accept("(");
  const auto name_token = static_cast<uint32_t>(at_);
  const Token& name = next();
  if (wrapped) next();
  const int length = static_cast<int>(std::min<size_t>(name.text.size(), 256));
  if (name.text == "__builtin_offsetof") return parseOffsetOf();
  const Symbol* symbol = find(name.text);
  const Builtin* builtin = symbol == nullptr ? builtins_.find(name.text) : nullptr;
  const Symbol* hidden = symbol == nullptr ? findHidden(name.text) : nullptr;
  if (hidden != nullptr && hidden->kind == Symbol::Kind::kFunction) {
    diagnostics_.error(name.where,
                       builtin == nullptr
                           ? "The function \"%.*s\" is declared in another source alone: declare it in this one too."
                           : "\"%.*s\" is a function of OpenCL C here and one of the program in another source: "
                             "rename that.",
                       length, name.text.data());
    diagnostics_.note(hidden->where, "It is declared here.");
    return nullptr;
  }
  if (symbol == nullptr && builtin == nullptr) {
    (void)failUndeclared(name, true);
    // Its arguments are examined, but for those of what looks like a macro that is not there: they may be types.
    const size_t open = at_;
    uint32_t depth = 0;
    for (size_t i = open; i < tokens_.size() && !tokens_[i].is(";"); ++i) {
      if (tokens_[i].is("(")) ++depth;
      if (tokens_[i].is(")") && --depth == 0) break;
      if (depth != 1 || !startsType(tokens_[i]) || !(i == open + 1 || tokens_[i - 1].is(","))) continue;
      skipParentheses(open);
      return failOperand();
    }
    std::vector<Expr*> arguments;
    return parseArguments(&arguments, name) ? failOperand() : nullptr;
  }
  if (symbol != nullptr && symbol->kind != Symbol::Kind::kFunction) {
    diagnostics_.error(name.where, "The name \"%.*s\" is called, but it is no function.", length, name.text.data());
    return nullptr;
  }
  std::vector<Expr*> arguments;
  if (symbol != nullptr) symbol->function->name_tokens.push_back(name_token);
  if (!parseArguments(&arguments, name)) return nullptr;
  Expr* call = symbol != nullptr ? callFunction(symbol->function, name, std::move(arguments))
                                 : callBuiltin(*builtin, name, std::move(arguments));
  return call != nullptr ? call : failOperand();
}

bool Parser::parseArguments(std::vector<Expr*>* arguments, const Token& name) {
  next();
  if (accept(")")) return true;
  const std::string after = "the arguments of \"" + std::string(name.text.substr(0, 256)) + "\"";
  for (bool complete = true;;) {
    Expr* argument = parseAssignment();
    if (argument == nullptr && !goesOn()) return false;
    complete = complete && argument != nullptr;
    arguments->push_back(argument);
    if (accept(",")) continue;
    if (!expect(")", after.c_str())) return false;
    if (!complete) (void)failOperand();
    return complete;
  }
}

Expr* Parser::callBuiltin(const Builtin& builtin, const Token& name, std::vector<Expr*> arguments) {
  if (builtin.kind == BuiltinKind::kSubGroup && !options_.sub_groups) {
    diagnostics_.error(name.where, "\"%s\": this device has no sub-groups (RT_CAPABILITY_SUBGROUPS is 0): use __local memory.",
                       builtin.name.c_str());
    return nullptr;
  }
  std::vector<QualType> given;
  for (Expr*& argument : arguments) {
    argument = value(argument);
    if (argument == nullptr) return nullptr;
    given.push_back(argument->type.unqualified());
  }
  QualType result;
  std::vector<QualType> parameters;
  std::string why;
  if (!builtins_.resolve(&result, &parameters, &why, builtin, given)) {
    diagnostics_.error(name.where, "%s", why.c_str());
    return nullptr;
  }
  Expr* call = node(ExprKind::kBuiltinCall, result.unqualified(), name.where);
  call->builtin = &builtin;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string what = "argument " + std::to_string(i + 1) + " of \"" + std::string(name.text.substr(0, 256)) + "\"";
    if (i >= parameters.size()) break;  // printf's own
    if (parameters[i]->kind == TypeKind::kEvent && isNullConstant(*arguments[i])) {
      arguments[i] = implicit(arguments[i], parameters[i].type);
    } else {
      arguments[i] = convertTo(arguments[i], parameters[i].unqualified(), what.c_str());
    }
    if (arguments[i] == nullptr) return nullptr;
  }
  for (const Expr* argument : arguments) {
    if (!grow(call, argument)) return nullptr;
  }
  call->arguments = std::move(arguments);
  return builtin.name.starts_with("dot") ? integerDot(call, name) : call;
}

// A product of bytes becomes the one of packed words, whose bits they are. Other calls stay.
Expr* Parser::integerDot(Expr* call, const Token& name) {
  const Type* first = call->arguments[0]->type.type;
  const bool is_packed = call->builtin->name.find("4x8packed") != std::string::npos;
  const bool is_of_bytes = first->isVector() && scalarSize(first->scalar) == 1;
  if (!is_packed && !is_of_bytes) return call;
  std::string own = call->builtin->name;
  if (is_of_bytes) {
    std::string letters = "_";
    for (size_t i = 0; i < 2; ++i) {
      Expr*& bytes = call->arguments[i];
      letters += bytes->type->isSigned() ? 's' : 'u';
      Expr* word = node(ExprKind::kBuiltinCall, QualType{types_.scalar(Scalar::kUInt)}, bytes->where);
      word->builtin = builtins_.find("as_uint");
      if (!grow(word, bytes)) return nullptr;
      word->arguments.push_back(bytes);
      bytes = word;
    }
    call->builtin = builtins_.find(own + "_4x8packed" + letters + (letters == "_uu" ? "_uint" : "_int"));
    own += letters;
  }
  program_.dot_products[static_cast<uint32_t>(&name - program_.tokens.data())] = own;
  return call;
}

// --- what is known of a type

Expr* Parser::parseSizeof() {
  Depth depth(*this);
  if (!depth.ok) return nullptr;
  const Token& word = next();
  QualType type;
  // A type in parentheses may also begin a compound or vector literal. Only the token after it tells, so that the literal is
  // parsed again from the start.
  if (at("(") && isTypeName(1)) {
    const size_t begin = at_;
    next();
    if (!parseTypeName(&type) || !expect(")", "the type")) return nullptr;
    if (at("{") || (at("(") && type->isVector())) {  // a literal begins with the same tokens
      at_ = begin;
      Expr* literal = parseParenthesised();
      if (literal == nullptr) return nullptr;
      type = literal->type;
    }
  } else {
    Expr* operand = parseUnary();
    if (operand == nullptr) return nullptr;
    type = operand->type;
  }
  const std::string name = spell(type.unqualified());
  const int length = static_cast<int>(word.text.size());
  if (word.is("vec_step")) {
    if (!type->isScalar() && !type->isVector() && !type->isVoid()) {
      diagnostics_.error(word.where, "vec_step takes a scalar or a vector; this is %s.", name.c_str());
      return nullptr;
    }
    return integerLiteral(Scalar::kInt, type->components() == 3 ? 4 : type->components(), word.where);
  }
  const uint64_t size = sizeOf(type);
  const bool empty = type->isRecord() && type->record->complete;
  const bool sized = size != 0 || empty || (type->isArray() && type->length == 0);
  if (!sized || (type->isArray() && type->length == Type::kUnknownLength)) {
    diagnostics_.error(word.where, "The type %s has no size that %.*s could tell.", name.c_str(), length, word.text.data());
    return nullptr;
  }
  return integerLiteral(Scalar::kULong, word.is("sizeof") ? size : alignmentOf(type), word.where);
}

// __builtin_offsetof(type, member.member[constant]...)
Expr* Parser::parseOffsetOf() {
  const Location where = next().where;
  QualType type;
  if (!isTypeName(0) || !parseTypeName(&type) || !expect(",", "the type")) return nullptr;
  // The object is a node without a value, of which only the type counts. A member may be found in unnamed structs around it:
  // parseMember then returns several nodes, and the inner loop adds the offset of each.
  Expr* object = node(ExprKind::kCompoundLiteral, type, where);
  uint64_t offset = 0;
  for (bool first = true; first || at(".") || at("["); first = false) {
    if (at("[")) {
      next();
      int64_t index;
      if (!parseIntegerConstant(&index, "the index of a member") || !expect("]", "the index")) return nullptr;
      if (!object->type->isArray() || index < 0 || static_cast<uint64_t>(index) > object->type->length) {
        diagnostics_.error(where, "The index %lld is outside of the type %s.", static_cast<long long>(index),
                           spell(object->type.unqualified()).c_str());
        return nullptr;
      }
      const QualType element = object->type->inner;
      offset += static_cast<uint64_t>(index) * sizeOf(element);
      object = node(ExprKind::kCompoundLiteral, element, where);
      continue;
    }
    if (!first) next();
    const Expr* before = object;
    object = parseMember(object);
    if (object == nullptr) return nullptr;
    if (object->kind != ExprKind::kMember) {
      diagnostics_.error(where, "Elements of a vector have no offset.");
      return nullptr;
    }
    for (const Expr* at = object; at != before; at = at->a) offset += at->a->type->record->fields[at->field].offset;
  }
  if (!expect(")", "the member")) return nullptr;
  return integerLiteral(Scalar::kULong, offset, where);
}

}  // namespace manyrt::compiler
