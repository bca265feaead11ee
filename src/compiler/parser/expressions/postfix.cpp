// Postfix operators: subscripts, members, components of vectors, ++ and --. Each takes the operand that stands before it.
#include <algorithm>
#include <string>

#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The components that a name picks; false: no such name. Components beyond the vector are the caller's to refuse; the halves of
// three components are those of four.
bool componentsOf(std::vector<uint32_t>* components, std::string_view name, uint32_t count) {
  const uint32_t whole = count == 3 ? 4 : count;
  const bool low = name == "lo", high = name == "hi", even = name == "even", odd = name == "odd";
  if (low || high || even || odd) {
    for (uint32_t i = 0; i < whole / 2; ++i) components->push_back(low ? i : high ? whole / 2 + i : even ? 2 * i : 2 * i + 1);
    return true;
  }
  if (name.size() > 1 && (name[0] == 's' || name[0] == 'S')) {
    for (const char c : name.substr(1)) {
      const int component = hexDigit(c);
      if (component < 0) return false;
      components->push_back(static_cast<uint32_t>(component));
    }
    return true;
  }
  const std::string_view letters = name.find_first_not_of("rgba") == std::string_view::npos ? "rgba" : "xyzw";
  for (const char c : name) {
    const size_t component = letters.find(c);
    if (component == std::string_view::npos) return false;
    components->push_back(static_cast<uint32_t>(component));
  }
  return true;
}

bool isWidth(size_t count) { return count == 1 || count == 2 || count == 3 || count == 4 || count == 8 || count == 16; }

struct Found {
  const Record* record = nullptr;  // that has the field itself
  std::vector<uint32_t> path;      // through unnamed records
};

// The end of the sentence: ": did you mean "left"?", or ".". Members of unnamed records count as the record's own.
void considerMembers(NearestWord* nearest, const Record& record) {
  for (const Field& field : record.fields) {
    if (!field.name.empty()) nearest->consider(field.name);
    if (field.name.empty() && field.type->isRecord()) considerMembers(nearest, *field.type->record);
  }
}

std::string memberSuggestion(const Record& record, std::string_view name) {
  NearestWord nearest(name);
  considerMembers(&nearest, record);
  return nearest.sentence();
}

bool findField(Found* found, const Record& record, std::string_view name) {
  for (uint32_t i = 0; i < record.fields.size(); ++i) {
    const Field& field = record.fields[i];
    found->path.push_back(i);
    if (!field.name.empty() && field.name == name) return true;
    if (field.name.empty() && field.type->isRecord() && findField(found, *field.type->record, name)) return true;
    found->path.pop_back();
  }
  return false;
}

}  // namespace

Expr* Parser::parsePostfix(Expr* base, size_t begin) {
  while (base != nullptr) {
    const Token& token = peek();
    if (token.is("[")) {
      base = parseSubscript(base);
    } else if (token.is(".")) {
      next();
      base = parseMember(base);
    } else if (token.is("->")) {
      next();
      if (!decay(base)->type->isPointer()) {
        diagnostics_.error(token.where, "The operator \"->\" takes a pointer; this is %s%s.", named(*base).c_str(),
                           base->type->isRecord() || base->type->isVector() ? ": write \".\"" : "");
        return nullptr;
      }
      Expr* object = makeDereference(base, token.where);
      base = object == nullptr ? nullptr : parseMember(object);
    } else if (token.is("++") || token.is("--")) {
      next();
      base = makeStep(token.is("++") ? Op::kPostIncrement : Op::kPostDecrement, base, token.where);
    } else if (token.is("(")) {
      diagnostics_.error(token.where, "A value of type %s is called, but it is no function.", named(*base).c_str());
      return nullptr;
    } else {
      return base;
    }
    spanned(base, begin);
  }
  return goesOn() ? skipPostfix() : nullptr;
}

Expr* Parser::skipPostfix() {
  for (;;) {
    if (accept("[")) {
      if ((parseExpression() == nullptr && !goesOn()) || !expect("]", "the index")) return nullptr;
    } else if (at(".") || at("->")) {
      next();
      if (peek().kind != TokenKind::kIdentifier) return nullptr;
      next();
    } else if (!accept("++") && !accept("--")) {
      return failOperand();
    }
  }
}

Expr* Parser::parseSubscript(Expr* base) {
  const Location where = next().where;
  Expr* index = parseExpression();
  if ((index == nullptr && !goesOn()) || !expect("]", "the index")) return nullptr;
  if (index == nullptr) return failOperand();
  Expr* a = decay(base);
  Expr* b = decay(index);
  if (!a->type->isPointer() && b->type->isPointer()) std::swap(a, b);
  if (!a->type->isPointer() && !a->type->isVector()) {
    diagnostics_.error(where, "A subscript takes an array, a pointer or a vector; this is %s.", named(*base).c_str());
    return nullptr;
  }
  b = value(b);
  if (b == nullptr) return nullptr;
  if (!b->type->isInteger()) {
    diagnostics_.error(where, "The index of a subscript must be an integer; this is %s.", named(*b).c_str());
    return nullptr;
  }
  b = implicit(b, promoted(b->type.type));
  if (a->type->isVector()) return subscriptVector(a, b, where);
  const QualType element = a->type->inner;
  if (element->isRecord() && !element->record->complete) {
    diagnostics_.error(where, "A subscript needs the size of %s, which is declared but not defined.",
                       spell(element.unqualified()).c_str());
    return nullptr;
  }
  Expr* result = node(ExprKind::kSubscript, element, where, a, b);
  if (result != nullptr) result->lvalue = true;
  return result;
}

// v[2] with a constant inside the vector is a component like v.s2.
Expr* ExpressionBuilder::subscriptVector(Expr* base, Expr* index, Location where) {
  QualType type = base->type;
  type.type = base->type->element;
  int64_t component;
  const bool fixed = evaluate(&component, *index) && component >= 0 && component < base->type->count;
  Expr* result = fixed ? node(ExprKind::kSwizzle, type, where, base) : node(ExprKind::kSubscript, type, where, base, index);
  if (result == nullptr) return nullptr;
  result->lvalue = base->lvalue;
  if (!fixed) return result;
  const bool composed = base->kind == ExprKind::kSwizzle;
  result->components[0] = composed ? base->components[component] : static_cast<uint8_t>(component);
  if (composed) result->a = base->a;
  return result;
}

Expr* Parser::parseMember(Expr* base) {
  const Token& name = peek();
  if (name.kind != TokenKind::kIdentifier) {
    diagnostics_.error(name.where, "The name of a member is expected.");
    return nullptr;
  }
  next();
  if (base->type->isVector()) return parseSwizzle(base, name);
  const int length = static_cast<int>(std::min<size_t>(name.text.size(), 256));
  if (!base->type->isRecord()) {
    diagnostics_.error(name.where, "The type %s has no members, so there is no \"%.*s\"%s.", named(*base).c_str(), length,
                       name.text.data(), base->type->isPointer() && base->type->inner->isRecord() ? ": write \"->\"" : "");
    return failOperand();
  }
  Found found;
  if (!findField(&found, *base->type->record, name.text)) {
    const Record& record = *base->type->record;
    diagnostics_.error(name.where, "The type %s has no member \"%.*s\"%s", named(*base).c_str(), length, name.text.data(),
                       record.complete ? memberSuggestion(record, name.text).c_str() : ": it is declared but not defined.");
    return failOperand();
  }
  // The path leads through unnamed records. Each member inherits address space and qualifiers of what contains it.
  for (const uint32_t index : found.path) {
    const QualType type =
        types_.qualify(base->type->record->fields[index].type, base->type.space, base->type.is_const, base->type.is_volatile);
    Expr* member = node(ExprKind::kMember, type, name.where, base);
    if (member == nullptr) return nullptr;
    member->field = index;
    member->lvalue = base->lvalue;
    base = member;
  }
  return base;
}

Expr* Parser::parseSwizzle(Expr* base, const Token& name) {
  // `hi` and `odd` of three components name a fourth, which the language leaves undefined but allows. A swizzle of a swizzle is
  // composed into one, so that lowerings see one list of components of the vector itself.
  const int length = static_cast<int>(std::min<size_t>(name.text.size(), 64));
  const uint32_t count = base->type->count;
  std::vector<uint32_t> components;
  if (!componentsOf(&components, name.text, count)) {
    diagnostics_.error(name.where,
                       "The type %s has no component \"%.*s\"; x y z w, s and hexadecimal digits, lo, hi, even, odd name them.",
                       named(*base).c_str(), length, name.text.data());
    return failOperand();
  }
  if (!isWidth(components.size())) {
    diagnostics_.error(name.where, "The component \"%.*s\" has %zu elements; vectors have 2, 3, 4, 8 or 16.", length,
                       name.text.data(), components.size());
    return failOperand();
  }
  const uint32_t highest = *std::max_element(components.begin(), components.end());
  const bool halved = count == 3 && (name.text == "hi" || name.text == "odd");
  if (highest >= count && !halved) {
    diagnostics_.error(name.where, "The component \"%.*s\" is outside of the type %s.", length, name.text.data(),
                       named(*base).c_str());
    return failOperand();
  }
  if (name.text.find_first_not_of("rgba") == std::string_view::npos) {
    diagnostics_.warning(name.where, "The component \"%.*s\" belongs to later versions of OpenCL C; write x, y, z and w.",
                         length, name.text.data());
  }
  QualType type = base->type;
  type.type = types_.vector(base->type->scalar, static_cast<uint32_t>(components.size()));
  Expr* result = node(ExprKind::kSwizzle, type, name.where, base);
  if (result == nullptr) return nullptr;
  // Components of components are components of the vector itself.
  const bool composed = base->kind == ExprKind::kSwizzle;
  uint32_t seen = 0;
  bool repeated = false;
  for (size_t i = 0; i < components.size(); ++i) {
    repeated |= (seen >> components[i] & 1) != 0;
    seen |= 1u << components[i];
    result->components[i] =
        static_cast<uint8_t>(composed && components[i] < count ? base->components[components[i]] : components[i]);
  }
  result->lvalue = base->lvalue && !repeated;
  if (composed) result->a = base->a;
  return result;
}

}  // namespace manyrt::compiler
