// Initialisers: an expression, or braces with designators, with inner braces left out, with strings for characters. The result
// is a tree of kInitializer nodes that follows the type; vectors and scalars in braces become plain expressions.
#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

constexpr uint64_t kMaxElements = UINT32_MAX;  // of an array in braces: their numbers have 32 bits
constexpr uint64_t kMaxStringNodes = 1 << 16;  // of a string that fills an array: each becomes a node

bool isAggregate(QualType type) { return type->isArray() || type->isRecord(); }

bool isDesignator(const Token& token) { return token.is(".") || token.is("["); }

}  // namespace

// An aggregate whose elements are being read, one after the other or by designators.
struct Parser::Filling {
  Expr* list;  // the kInitializer
  QualType type;
  uint64_t count;  // elements that there may be
  uint64_t at = 0;
  uint64_t reached = 0;                                // one more than the highest element initialised
  bool ascending = true;                               // no element came after a higher one so far
  std::map<uint32_t, size_t> places;                   // of elements in the list; filled when a designator first looks back
  std::map<uint32_t, std::unique_ptr<Filling>> inner;  // of elements that designators went into

  explicit Filling(Expr* initializer) : list(initializer), type(initializer->type) {
    if (type->isArray()) {
      count = std::min(type->length, kMaxElements);
    } else {
      count = type->record->is_union ? std::min<uint64_t>(type->record->fields.size(), 1) : type->record->fields.size();
    }
    for (const uint32_t element : list->elements) reached = std::max<uint64_t>(reached, uint64_t{element} + 1);
  }

  bool isUnion() const { return type->isRecord() && type->record->is_union; }
  QualType elementType(uint64_t element) const {
    return type->isArray() ? type->inner : type->record->fields[static_cast<size_t>(element)].type;
  }
  // The value that an element has already; null: none. A union has one at most.
  Expr** find(uint32_t element) {
    if (element >= reached) return nullptr;
    if (ascending) {
      for (size_t i = 0; i < list->elements.size(); ++i) places[list->elements[i]] = i;
      ascending = false;
    }
    const auto place = places.find(element);
    return place == places.end() ? nullptr : &list->arguments[place->second];
  }
  // True where the element, or the union, had a value before, which is gone now.
  bool set(uint32_t element, Expr* value) {
    if (Expr** before = find(element); before != nullptr) {
      *before = value;
      return true;
    }
    reached = std::max<uint64_t>(reached, uint64_t{element} + 1);
    if (isUnion() && !list->elements.empty()) {
      list->elements[0] = element;
      list->arguments[0] = value;
      places = {{element, 0}};
      ascending = false;
      return true;
    }
    if (!ascending) places[element] = list->elements.size();
    list->elements.push_back(element);
    list->arguments.push_back(value);
    return false;
  }
};

bool ExpressionBuilder::isCharacters(QualType type) const {
  return type->isArray() && type->inner->kind == TypeKind::kScalar &&
         (type->inner->scalar == Scalar::kChar || type->inner->scalar == Scalar::kUChar);
}

Expr* ExpressionBuilder::characters(const Expr& string, QualType type) {
  std::string bytes;
  Token token;
  token.text = string.text;
  token.where = string.where;
  if (!decode(&bytes, token)) return nullptr;
  const bool open = type->length == Type::kUnknownLength;
  const uint64_t length = open ? bytes.size() + 1 : type->length;
  if (bytes.size() > kMaxStringNodes) {
    diagnostics_.error(string.where, "A string of %zu characters cannot fill an array; %llu are the limit.", bytes.size(),
                       static_cast<unsigned long long>(kMaxStringNodes));
    return nullptr;
  }
  if (bytes.size() > length) {
    diagnostics_.warning(string.where, "The string of %zu characters is too long for an array of %llu.", bytes.size(),
                         static_cast<unsigned long long>(length));
    bytes.resize(static_cast<size_t>(length));
  }
  if (open) type.type = types_.array(type->inner, length);
  Expr* list = node(ExprKind::kInitializer, type, string.where);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const uint8_t byte = static_cast<uint8_t>(bytes[i]);
    list->elements.push_back(static_cast<uint32_t>(i));
    list->arguments.push_back(integerLiteral(type->inner->scalar, byte, string.where));
  }
  if (!bytes.empty()) list->height = 2;
  list->tokens = string.tokens;
  return list;
}

Expr* Parser::parseInitializer(QualType* type, const char* name) {
  const bool named = name != nullptr && name[0] != '\0';
  const std::string what = named ? "the initialiser of \"" + std::string(name) + "\"" : std::string("the initialiser");
  if (at("{")) {
    Expr* braces = parseBraces(*type, what.c_str());
    if (braces != nullptr && (*type)->isArray()) type->type = braces->type.type;
    return braces;
  }
  Expr* expression = parseAssignment();
  if (expression == nullptr) return nullptr;
  if ((*type)->isArray()) {
    if (isCharacters(*type) && expression->kind == ExprKind::kString) {
      Expr* list = characters(*expression, *type);
      if (list != nullptr) type->type = list->type.type;
      return list;
    }
    diagnostics_.error(expression->where, "An array, %s here, is initialised by values in braces.",
                       spell(type->unqualified()).c_str());
    return nullptr;
  }
  if ((*type)->kind == TypeKind::kEvent && isNullConstant(*expression)) return implicit(expression, type->type);
  Expr* converted = convertTo(expression, type->unqualified(), what.c_str());
  return converted != nullptr ? converted : failOperand();
}

// At "{". After an error the cursor is after the "}", where there is one.
Expr* Parser::parseBraces(QualType type, const char* what) {
  const size_t begin = at_;
  Expr* list = parseBraced(type, what);
  if (list != nullptr || goesOn()) return list;
  return skipBraces(begin) ? failOperand() : nullptr;
}

Expr* Parser::parseBraced(QualType type, const char* what) {
  Depth depth(*this);
  if (!depth.ok) return nullptr;
  const size_t begin = at_;
  const Location where = peek().where;
  if (type->isVector() && !peek(1).is("}")) return spanned(parseBracedVector(type, what), begin);
  if (!isAggregate(type) && !type->isVector()) return spanned(parseBracedScalar(type, what), begin);
  next();
  Expr* list = node(ExprKind::kInitializer, type, where);
  if (type->isVector()) {  // {} alone: zeros
    next();
    return spanned(list, begin);
  }
  if (type->isRecord() && !type->record->complete) {
    diagnostics_.error(where, "The type %s is declared but not defined, so it has no initialiser.",
                       spell(type.unqualified()).c_str());
    return nullptr;
  }
  Filling filling(list);
  bool warned = false, complete = true;
  while (!at("}")) {
    if (atEnd() || diagnostics_.full()) break;
    if (isDesignator(peek())) {
      if (!parseDesignated(filling, what)) return failInside();
    } else if (filling.at >= filling.count || (filling.isUnion() && filling.reached != 0)) {
      if (!skipExcess(&warned, type->isArray() ? "array" : type->record->is_union ? "union" : "struct", where))
        return failInside();
    } else if (isCharacters(type) && peek().kind == TokenKind::kString && filling.reached == 0) {
      Expr* string = spanned(parseString(), at_);
      Expr* whole = string == nullptr ? nullptr : characters(*string, type);
      if (whole == nullptr) return nullptr;
      list->type = whole->type;
      list->elements = whole->elements;
      list->arguments = whole->arguments;
      list->height = whole->height;
      filling.reached = list->type->length;
      filling.at = filling.count = 0;  // the rest is too much
    } else {
      Expr* element = parseElement(filling.elementType(filling.at), nullptr, what);
      if (element == nullptr && !goesOn()) return nullptr;
      if (element != nullptr && !grow(list, element)) return failInside();
      complete = complete && element != nullptr;
      if (element != nullptr) filling.set(static_cast<uint32_t>(filling.at), element);
      ++filling.at;
    }
    if (!accept(",")) break;
  }
  if (!expect("}", "the values in braces")) return nullptr;
  if (!complete) return failOperand();
  if (type->isArray() && list->type->length == Type::kUnknownLength)
    list->type.type = types_.array(type->inner, filling.reached);
  return spanned(list, begin);
}

Expr* Parser::parseBracedScalar(QualType type, const char* what) {
  const Location where = next().where;
  if (at("}") || isDesignator(peek())) {
    diagnostics_.error(where, "The braces of %s, of the type %s, need one value in them.", what,
                       spell(type.unqualified()).c_str());
    return nullptr;
  }
  Expr* element = parseElement(type, nullptr, what);
  if (element == nullptr) return failInside();
  bool warned = false;
  while (accept(",") && !at("}")) {
    if (!skipExcess(&warned, "scalar", where)) return failInside();
  }
  return expect("}", "the value in braces") ? element : nullptr;
}

Expr* Parser::parseBracedVector(QualType type, const char* what) {
  const Location where = next().where;
  std::vector<Expr*> parts;
  do {
    if (at("}")) break;
    if (at("{") || isDesignator(peek())) {
      diagnostics_.error(peek().where, "The elements of a vector, %s here, are plain values in one pair of braces.",
                         spell(type.unqualified()).c_str());
      return nullptr;
    }
    Expr* part = parseAssignment();
    if (part == nullptr) return failInside();
    parts.push_back(part);
  } while (accept(","));
  if (!expect("}", "the elements of the vector")) return nullptr;
  if (parts.size() == 1 && parts[0]->type.type == type.type) return value(parts[0]);
  return makeVector(type.type, std::move(parts), where, what);
}

// One element; `first`, where not null, is an expression that was read already and begins it.
Expr* Parser::parseElement(QualType type, Expr* first, const char* what) {
  Depth depth(*this);
  if (!depth.ok) return nullptr;
  if (first == nullptr) {
    if (at("{")) return parseBraces(type, what);
    first = parseAssignment();
    if (first == nullptr) return nullptr;
  }
  if (isCharacters(type) && first->kind == ExprKind::kString) return characters(*first, type);
  if (type->kind == TypeKind::kEvent && isNullConstant(*first)) return implicit(first, type.type);
  if (!isAggregate(type) || (type->isRecord() && first->type.type == type.type)) {
    return convertTo(first, type.unqualified(), what);
  }
  if (type->isRecord() && first->type->isRecord()) return convertTo(first, type.unqualified(), what);
  Expr* list = node(ExprKind::kInitializer, type, first->where);
  Filling filling(list);
  return fill(filling, first, what) ? list : nullptr;
}

// Reads elements from `filling.at` on where the braces around them were left out: while there are both elements and values.
bool Parser::fill(Filling& filling, Expr* first, const char* what) {
  if (first != nullptr && filling.count == 0) {
    diagnostics_.error(first->where, "The type %s in %s has no element for this value.",
                       spell(filling.type.unqualified()).c_str(), what);
    return false;
  }
  while (filling.at < filling.count) {
    if (first == nullptr) {
      if (!at(",") || peek(1).is("}") || isDesignator(peek(1))) break;
      next();
    }
    Expr* element = parseElement(filling.elementType(filling.at), first, what);
    if (element == nullptr || !grow(filling.list, element)) return false;
    filling.set(static_cast<uint32_t>(filling.at++), element);
    first = nullptr;
  }
  return true;
}

// A value for which there is no element: read, to see that it is one, and forgotten.
bool Parser::skipExcess(bool* warned, const char* kind, Location where) {
  if (!*warned) diagnostics_.warning(peek().where, "There are more values than this %s has elements.", kind);
  *warned = true;
  if (!at("{")) return parseAssignment() != nullptr;
  uint32_t open = 0;
  do {
    if (atEnd()) {
      diagnostics_.error(where, "The braces that open here are not closed.");
      return false;
    }
    if (at("{")) ++open;
    if (at("}")) --open;
    next();
  } while (open != 0);
  return true;
}

// One "[constant]" or ".name" as the numbers of the elements on the way: several through unnamed records.
bool Parser::parseDesignator(std::vector<uint32_t>* steps, const Filling& filling) {
  const QualType type = filling.type;
  const Location where = next().where;
  const std::string name = spell(type.unqualified());
  const bool index = tokens_[at_ - 1].is("[");
  if (index != type->isArray()) {
    diagnostics_.error(where, "The designator does not fit the type %s.", name.c_str());
    return false;
  }
  if (index) {
    int64_t number;
    if (!parseIntegerConstant(&number, "the index of a designator")) return false;
    if (at("...")) {
      diagnostics_.error(peek().where, "Ranges of elements are no part of OpenCL C; write a designator for each.");
      return false;
    }
    if (!expect("]", "the index of a designator")) return false;
    if (number < 0 || static_cast<uint64_t>(number) >= filling.count) {
      diagnostics_.error(where, "The designator's index %lld is outside of the type %s.", static_cast<long long>(number),
                         name.c_str());
      return false;
    }
    steps->push_back(static_cast<uint32_t>(number));
    return true;
  }
  Expr* object = node(ExprKind::kCompoundLiteral, type, where);  // stands for the aggregate while its member is looked up
  const Expr* member = parseMember(object);
  if (member == nullptr) return false;
  for (const Expr* step = member; step != object; step = step->a) steps->push_back(step->field);
  std::reverse(steps->begin(), steps->end());
  return true;
}

// Designators, "=", a value; values after it without designators go on inside the innermost aggregate that was named.
bool Parser::parseDesignated(Filling& filling, const char* what) {
  Depth depth(*this);
  if (!depth.ok) return false;
  std::vector<uint32_t> steps;
  return parseDesignator(&steps, filling) && placeDesignated(filling, steps, 0, what);
}

bool Parser::placeDesignated(Filling& filling, const std::vector<uint32_t>& steps, size_t step, const char* what) {
  const Location where = peek().where;
  const uint32_t element = steps[step];
  const QualType type = filling.elementType(element);
  filling.at = uint64_t{element} + 1;
  if (step + 1 == steps.size() && !isDesignator(peek())) {
    if (!expect("=", "the designator")) return false;
    Expr* value = parseElement(type, nullptr, what);
    if (value == nullptr || !grow(filling.list, value)) return false;
    if (filling.set(element, value)) diagnostics_.warning(where, "A value that was given before is replaced.");
    filling.inner.erase(element);
    return true;
  }
  if (!isAggregate(type)) {
    diagnostics_.error(where, "The type %s has no members that a designator could name.", spell(type.unqualified()).c_str());
    return false;
  }
  Expr** before = filling.find(element);
  Expr* list = before != nullptr && (*before)->kind == ExprKind::kInitializer ? *before : nullptr;
  if (list == nullptr) {
    list = node(ExprKind::kInitializer, type, where);
    if (filling.set(element, list)) diagnostics_.warning(where, "A value that was given before is replaced.");
    filling.inner.erase(element);
  }
  std::unique_ptr<Filling>& inside = filling.inner[element];
  if (inside == nullptr) inside = std::make_unique<Filling>(list);
  const bool last = step + 1 == steps.size();
  if (!(last ? parseDesignated(*inside, what) : placeDesignated(*inside, steps, step + 1, what))) return false;
  return fill(*inside, nullptr, what) && grow(filling.list, list);
}

}  // namespace manyrt::compiler
