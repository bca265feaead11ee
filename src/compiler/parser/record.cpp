// Structs, unions and enums: tags and their scopes, fields with their layout, unnamed members, enumerators. Everything that is
// completed here joins the program's declarations, so that a record always stands there before what uses it.
#include <algorithm>

#include "compiler/parser/keyword.h"
#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

using Names = std::set<std::string, std::less<>>;

// The names of an unnamed member's members, which are its record's own.
bool addNames(Names* names, const Record& record, std::string* repeated) {
  for (const Field& field : record.fields) {
    if (field.name.empty()) {
      if (!addNames(names, *field.type->record, repeated)) return false;
    } else if (!names->insert(field.name).second) {
      *repeated = field.name;
      return false;
    }
  }
  return true;
}

bool hasStorage(const Specifiers& specifiers) {
  return specifiers.is_typedef || specifiers.is_static || specifiers.is_extern || specifiers.is_inline || specifiers.is_kernel;
}

}  // namespace

bool Parser::parseRecord(Specifiers* specifiers) {
  const Location where = peek().where;
  // A record is open from its brace on: its own fields may point to it, but a second definition inside it is refused. The
  // layout is computed once, after the attributes after the brace, which may still change it.
  const bool is_union = next().text == "union";
  bool packed = false;
  uint32_t alignment = 0;
  if (!parseAttributes(nullptr, &alignment, &packed)) return false;
  std::string_view tag;
  if (peek().kind == TokenKind::kIdentifier && findKeyword(peek().text).kind == KeywordKind::kNone) tag = next().text;
  if (tag.empty() && !at("{")) return expect("{", is_union ? "union" : "struct");
  // A definition, and a declaration that is nothing else, mean this scope; any other use means the nearest.
  const bool here = at("{") || at(";");
  const Type* known = tag.empty() ? nullptr : findTag(tag, here);
  if (known != nullptr && (!known->isRecord() || known->record->is_union != is_union)) {
    diagnostics_.error(where, "\"%s\" is the tag of another kind of type.", std::string(tag).c_str());
    return false;
  }
  Record* record = known != nullptr ? known->record : types_.makeRecord(std::string(tag), is_union, where);
  if (known == nullptr && !tag.empty()) scope().tags[tag] = record->type;
  specifiers->type = QualType{record->type};
  if (!at("{")) return true;
  if (record->complete || std::find(open_records_.begin(), open_records_.end(), record) != open_records_.end()) {
    diagnostics_.error(where, "\"%s\" is defined a second time.", record->tag.c_str());
    diagnostics_.note(record->where, "This is its other declaration.");
    return false;
  }
  record->where = where;
  open_records_.push_back(record);
  const bool parsed = parseFields(record);
  open_records_.pop_back();
  if (!parsed || !parseAttributes(nullptr, &alignment, &packed)) return false;
  record->packed = packed;
  record->field_limit = field_limits_.back();
  record->asked_alignment = alignment;
  TypeTable::layOut(*record);
  if (record->size > kMaxBytes) {
    diagnostics_.error(where, "The type takes more than 2^40 bytes, the most that a program may declare.");
    return false;
  }
  specifiers->made = record;
  program_.declarations.push_back({Declaration::Kind::kRecord, record, nullptr, nullptr});
  return true;
}

bool Parser::parseFields(Record* record) {
  const Depth depth(*this);
  if (!depth.ok) return false;
  const Location open = next().where;
  Names names;
  while (!at("}")) {
    if (atEnd() || diagnostics_.full()) {
      diagnostics_.error(open, "This \"{\" is never closed.");
      return false;
    }
    if (accept(";") || acceptPragma()) continue;
    const size_t begin = at_;
    if (!parseField(record, &names)) recover(begin);
  }
  if (record->fields.empty() && !diagnostics_.failed()) {
    diagnostics_.error(next().where, "A struct or union needs a member.");
    return false;
  }
  next();
  return true;
}

bool Parser::parseField(Record* record, Names* names) {
  Specifiers specifiers;
  if (!parseSpecifiers(&specifiers)) return false;
  if (hasStorage(specifiers)) {
    diagnostics_.error(specifiers.where, "A member of a struct or union has no storage class: leave the word away.");
    return false;
  }
  if (accept(";")) return addUnnamedRecord(record, names, specifiers);
  for (;;) {
    if (at(":")) {
      diagnostics_.error(peek().where, "OpenCL C has no bit-fields: use shifts and masks on a whole member.");
      return false;
    }
    Declarator declarator;
    if (!parseDeclarator(&declarator, specifiers, false)) return false;
    if (at(":")) continue;
    if (!parseAttributes(nullptr, &declarator.alignment, &declarator.packed)) return false;
    if (!addField(record, names, specifiers, declarator)) return false;
    if (!accept(",")) return expect(";", "the member");
  }
}

bool Parser::addUnnamedRecord(Record* record, Names* names, const Specifiers& specifiers) {
  const bool is_member = specifiers.made != nullptr && specifiers.made->tag.empty();
  if (!is_member) {
    if (specifiers.made == nullptr) diagnostics_.warning(specifiers.where, "This declaration declares no member.");
    return true;
  }
  std::string repeated;
  if (!addNames(names, *specifiers.type->record, &repeated)) {
    diagnostics_.error(specifiers.where, "The unnamed member has a member \"%s\", which is there already.", repeated.c_str());
    return false;
  }
  const RecordTraits inner = record_traits_[specifiers.type->record];
  RecordTraits& traits = record_traits_[record];
  traits.has_pointer |= inner.has_pointer;
  traits.has_unfit |= inner.has_unfit;
  record->fields.push_back({"", specifiers.type, 0, specifiers.where, specifiers.alignment, specifiers.packed});
  return true;
}

bool Parser::addField(Record* record, Names* names, const Specifiers& specifiers, const Declarator& declarator) {
  const std::string name(declarator.name);
  const QualType type = declarator.type;
  const Type* element = elementType(type.type);
  // int a[] may end a struct that has other members.
  const bool is_flexible = type->isArray() && type->length == Type::kUnknownLength && !record->is_union &&
                           !record->fields.empty() && isComplete(type->inner) && !at(",") && peek(1).is("}");
  if (type->isFunction()) {
    diagnostics_.error(declarator.where, "The member \"%s\" cannot be a function.", name.c_str());
  } else if (!isComplete(type) && !is_flexible) {
    diagnostics_.error(declarator.where, "The member \"%s\" has the incomplete type \"%s\".", name.c_str(),
                       spell(type).c_str());
  } else if (element->kind == TypeKind::kEvent) {
    diagnostics_.error(declarator.where, "The member \"%s\" cannot be an event_t: events live in variables of functions.",
                       name.c_str());
  } else if (type.space != AddressSpace::kPrivate) {
    diagnostics_.error(declarator.where,
                       "The member \"%s\" cannot be %s: a member lives where its struct does. Did you mean a pointer?",
                       name.c_str(), spaceName(type.space));
  } else if (!names->insert(name).second) {
    diagnostics_.error(declarator.where, "There is a member \"%s\" already.", name.c_str());
  } else {
    // The traits decide later whether the record may be an argument of a kernel. They pass from inner records to outer ones, as
    // inner ones are complete before their first use as a member.
    const RecordTraits inner = element->isRecord() ? record_traits_[element->record] : RecordTraits();
    RecordTraits& traits = record_traits_[record];
    traits.has_pointer |= element->isPointer() || inner.has_pointer;
    const bool is_unfit_scalar =
        element->kind == TypeKind::kScalar && (element->scalar == Scalar::kBool || element->scalar == Scalar::kHalf);
    traits.has_unfit |= is_unfit_scalar || inner.has_unfit || (specifiers.is_word_size && !element->isPointer());
    const uint32_t alignment = std::max(specifiers.alignment, declarator.alignment);
    record->fields.push_back({name, type, 0, declarator.where, alignment, specifiers.packed || declarator.packed,
                              typedefAlignment(specifiers, type)});
    return true;
  }
  return false;
}

bool Parser::parseEnum(Specifiers* specifiers) {
  const Location where = next().where;
  if (!parseAttributes(nullptr, nullptr, nullptr)) return false;
  std::string_view tag;
  if (peek().kind == TokenKind::kIdentifier && findKeyword(peek().text).kind == KeywordKind::kNone) tag = next().text;
  if (tag.empty() && !at("{")) return expect("{", "enum");
  const bool here = at("{") || at(";");
  const Type* known = tag.empty() ? nullptr : findTag(tag, here);
  if (known != nullptr && known->isRecord()) {
    diagnostics_.error(where, "\"%s\" is the tag of another kind of type.", std::string(tag).c_str());
    return false;
  }
  const Type* type = known != nullptr ? known : types_.makeEnum(std::string(tag), where)->type;
  if (known == nullptr && !tag.empty()) scope().tags[tag] = type;
  specifiers->type = QualType{type};
  if (!at("{")) return true;
  if (type->kind != TypeKind::kEnum || !type->enumeration->values.empty()) {
    diagnostics_.error(where, "\"%s\" is defined a second time.", std::string(tag).c_str());
    if (type->kind == TypeKind::kEnum) diagnostics_.note(type->enumeration->where, "This is its other declaration.");
    return false;
  }
  type->enumeration->where = where;
  if (!parseEnumerators(type->enumeration) || !parseAttributes(nullptr, nullptr, nullptr)) return false;
  const Scalar scalar = settleEnum(*type->enumeration);
  if (scalar == Scalar::kInt) return true;
  specifiers->type = QualType{types_.scalar(scalar)};
  if (!tag.empty()) scope().tags[tag] = specifiers->type.type;
  return true;
}

bool Parser::parseEnumerator(Enum* enumeration, int64_t* value, bool* is_huge) {
  const Token& token = peek();
  if (token.kind != TokenKind::kIdentifier || findKeyword(token.text).kind != KeywordKind::kNone) {
    diagnostics_.error(token.where, "Expected the name of an enumerator, found \"%s\".", std::string(token.text).c_str());
    return false;
  }
  next();
  if (accept("=")) {
    const Expr* expression = parseConditional();
    if (expression == nullptr) return false;
    if (!expression->type->isInteger() || !evaluate(value, *expression)) {
      diagnostics_.error(expression->where, "The value of the enumerator \"%s\" must be an integer constant.",
                         std::string(token.text).c_str());
      return false;
    }
    *is_huge = *value < 0 && expression->type->kind == TypeKind::kScalar && expression->type->scalar == Scalar::kULong;
  }
  Symbol symbol;
  symbol.kind = Symbol::Kind::kEnumerator;
  const bool is_int = !*is_huge && *value >= INT32_MIN && *value <= INT32_MAX;
  symbol.type = QualType{types_.scalar(is_int ? Scalar::kInt : *is_huge ? Scalar::kULong : Scalar::kLong)};
  symbol.value = *value;
  symbol.where = token.where;
  if (!declare(token.text, symbol)) return false;
  enumeration->values.push_back({std::string(token.text), *value});
  return true;
}

bool Parser::parseEnumerators(Enum* enumeration) {
  next();
  int64_t value = 0;
  bool is_huge = false;  // above INT64_MAX: `value` has its bits
  do {
    if (at("}")) break;
    const Location where = peek().where;
    if (!enumeration->values.empty()) {  // one more than the one before
      if (value == (is_huge ? int64_t{-1} : INT64_MAX) && !peek(1).is("=")) {
        diagnostics_.error(where, "No integer type holds the value of this enumerator.");
        return false;
      }
      value = static_cast<int64_t>(static_cast<uint64_t>(value) + 1);
    }
    bool huge = is_huge;
    if (!parseEnumerator(enumeration, &value, &huge)) return false;
    is_huge = huge && value < 0;
  } while (accept(","));
  if (enumeration->values.empty()) {
    diagnostics_.error(enumeration->where, "An enum needs an enumerator.");
    return false;
  }
  return expect("}", "the enumerators");
}

// The integer type of an enum whose values int cannot hold, which its enumerators that int cannot hold get too; else int.
Scalar Parser::settleEnum(const Enum& enumeration) {
  bool is_negative = false, fits_uint = true, fits_int = true;
  for (const Enumerator& enumerator : enumeration.values) {
    const Symbol& symbol = scope().names.find(enumerator.name)->second;
    const bool is_below = enumerator.value < 0 && symbol.type->scalar != Scalar::kULong;
    is_negative |= is_below;
    fits_int &= symbol.type->scalar == Scalar::kInt;
    fits_uint &= enumerator.value >= 0 && enumerator.value <= int64_t{UINT32_MAX};
  }
  if (fits_int) return Scalar::kInt;
  const Scalar scalar = is_negative ? Scalar::kLong : fits_uint ? Scalar::kUInt : Scalar::kULong;
  for (const Enumerator& enumerator : enumeration.values) {
    Symbol& symbol = scope().names.find(enumerator.name)->second;
    if (symbol.type->scalar == Scalar::kInt) continue;
    if (is_negative && symbol.type->scalar == Scalar::kULong) {
      diagnostics_.error(symbol.where, "No integer type holds \"%s\" and the negative values of this enum.",
                         enumerator.name.c_str());
    }
    symbol.type = QualType{types_.scalar(scalar)};
  }
  return scalar;
}

}  // namespace manyrt::compiler
