// Specifiers of declarations: storage, qualifiers in any order, scalar types in all their spellings, typedef names.
#include <algorithm>

#include "compiler/parser/keyword.h"
#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {

// Everything read so far of one list of specifiers.
struct SpecifierWords {
  uint32_t base[kBaseWordCount] = {};
  uint32_t base_count = 0;
  QualType type;  // from a typedef, record or enum
  AddressSpace space = AddressSpace::kPrivate;
  bool is_const = false, is_volatile = false, is_restrict = false;

  bool hasType() const { return base_count > 0 || type; }
};

namespace {

// int, long and unsigned in any order. False: no such type.
bool scalarOf(Scalar* scalar, const SpecifierWords& words) {
  const auto count = [&](BaseWord word) { return words.base[word]; };
  const uint32_t sign = count(kSignedWord) + count(kUnsignedWord);
  for (const auto& [word, alone] : {std::pair{kBoolWord, Scalar::kBool}, std::pair{kHalfWord, Scalar::kHalf},
                                    std::pair{kFloatWord, Scalar::kFloat}, std::pair{kDoubleWord, Scalar::kDouble}}) {
    if (count(word) == 0) continue;
    *scalar = alone;
    return words.base_count == 1;
  }
  if (sign > 1 || count(kIntWord) > 1 || count(kVoidWord) > 0) return false;
  const bool is_unsigned = count(kUnsignedWord) > 0;
  if (count(kCharWord) > 0) {
    *scalar = is_unsigned ? Scalar::kUChar : Scalar::kChar;
    return count(kCharWord) + sign == words.base_count;
  }
  if (count(kShortWord) > 0) {
    *scalar = is_unsigned ? Scalar::kUShort : Scalar::kShort;
    return count(kShortWord) == 1 && count(kLongWord) == 0;
  }
  if (count(kLongWord) > 0) {
    *scalar = is_unsigned ? Scalar::kULong : Scalar::kLong;
    return count(kLongWord) <= 2;
  }
  *scalar = is_unsigned ? Scalar::kUInt : Scalar::kInt;
  return true;
}

void setStorage(Specifiers* specifiers, uint8_t word) {
  if (word == kTypedefWord) specifiers->is_typedef = true;
  if (word == kStaticWord) specifiers->is_static = true;
  if (word == kExternWord) specifiers->is_extern = true;
  if (word == kInlineWord) specifiers->is_inline = true;
  if (word == kKernelWord) specifiers->is_kernel = true;
}

void setQualifier(SpecifierWords* words, uint8_t word) {
  if (word == kConstWord) words->is_const = true;
  if (word == kVolatileWord) words->is_volatile = true;
  if (word == kRestrictWord) words->is_restrict = true;
}

bool resolveType(QualType* type, const SpecifierWords& words, Location where, TypeTable& types, Diagnostics& diagnostics) {
  if (words.type) {
    *type = words.type;
    return true;
  }
  Scalar scalar = Scalar::kInt;
  if (words.base[kVoidWord] == 1 && words.base_count == 1) {
    *type = QualType{types.voidType()};
    return true;
  }
  if (!scalarOf(&scalar, words)) {
    diagnostics.error(where, "These words together name no type of OpenCL C%s.",
                      words.base[kDoubleWord] > 0 ? "; it has no long double, write double" : "");
    return false;
  }
  if (words.base[kLongWord] == 2) {
    diagnostics.warning(where, "OpenCL C reserves long long; it is taken as long, which has 64 bits.");
  }
  *type = QualType{types.scalar(scalar)};
  return true;
}

bool applyQualifiers(Specifiers* specifiers, const SpecifierWords& words, TypeTable& types, Diagnostics& diagnostics) {
  QualType& type = specifiers->type;
  if (specifiers->has_space && type.space != AddressSpace::kPrivate && type.space != words.space) {
    diagnostics.error(specifiers->where, "The type is %s by its typedef and cannot be %s too.", spaceName(type.space),
                      spaceName(words.space));
    return false;
  }
  if (words.is_restrict && !type->isPointer()) {
    diagnostics.error(specifiers->where, "restrict is for pointers: write it after the \"*\".");
    return false;
  }
  type = types.qualify(type, words.space, words.is_const, words.is_volatile);
  type.is_restrict |= words.is_restrict;
  return true;
}

}  // namespace

bool Parser::startsType(const Token& token) const {
  if (token.kind != TokenKind::kIdentifier) return false;
  switch (findKeyword(token.text).kind) {
    case KeywordKind::kBase:
    case KeywordKind::kRecord:
    case KeywordKind::kEnum:
    case KeywordKind::kQualifier:
    case KeywordKind::kSpace:
    case KeywordKind::kStorage:
    case KeywordKind::kRefused:
      return true;
    case KeywordKind::kNone: {
      const Symbol* symbol = find(token.text);
      return symbol != nullptr && symbol->kind == Symbol::Kind::kType;
    }
    default:
      return false;
  }
}

bool Parser::secondType(const Token& token) {
  diagnostics_.error(token.where, "A declaration has one type; \"%s\" is a second one.", std::string(token.text).c_str());
  return false;
}

// One word. `more` becomes false, and the word stays, where the specifiers have ended.
bool Parser::parseSpecifier(Specifiers* specifiers, SpecifierWords* words, bool* more) {
  const Token& token = peek();
  const Keyword& keyword = findKeyword(token.text);
  switch (keyword.kind) {
    case KeywordKind::kBase:
      if (words->type) return secondType(token);
      ++words->base[keyword.value];
      ++words->base_count;
      break;
    case KeywordKind::kQualifier:
      setQualifier(words, keyword.value);
      break;
    case KeywordKind::kSpace: {
      const AddressSpace space = static_cast<AddressSpace>(keyword.value);
      if (specifiers->has_space && words->space != space) {
        diagnostics_.error(token.where, "One address space is enough: %s and %s are given.", spaceName(words->space),
                           spaceName(space));
        return false;
      }
      words->space = space;
      specifiers->has_space = true;
      break;
    }
    case KeywordKind::kStorage:
      setStorage(specifiers, keyword.value);
      break;
    // Attributes, records and enums read their own tokens and return at once; the other words end at next() below.
    case KeywordKind::kAttribute:
      return parseAttributes(specifiers, &specifiers->alignment, memberOnly(&specifiers->packed));
    case KeywordKind::kRecord:
    case KeywordKind::kEnum:
      if (words->hasType()) return secondType(token);
      if (!(keyword.kind == KeywordKind::kRecord ? parseRecord(specifiers) : parseEnum(specifiers))) return false;
      words->type = specifiers->type;
      return true;
    case KeywordKind::kRefused:
    case KeywordKind::kRefusedElse:
      diagnostics_.error(token.where, "\"%s\": %s", std::string(token.text).c_str(), keyword.advice);
      return false;
    default: {
      // A name is a type only while none was given: in "uint x" with a typedef x, the x is the name that is declared.
      const Symbol* symbol = words->hasType() || keyword.kind != KeywordKind::kNone ? nullptr : find(token.text);
      *more = symbol != nullptr && symbol->kind == Symbol::Kind::kType;
      if (!*more) return true;
      words->type = symbol->type;
      specifiers->type_alignment = symbol->alignment;
      specifiers->is_word_size = symbol->is_word_size;
    }
  }
  next();
  return true;
}

// Whether a list of specifiers without a type means int, as in C89. It does where the list is not empty, or where the name of a
// function follows at program scope. Two names, or a name and a "*", are a type that is not known.
bool Parser::meansInt(size_t begin) const {
  const bool is_name = peek().kind == TokenKind::kIdentifier && findKeyword(peek().text).kind == KeywordKind::kNone;
  if (at_ == begin) return is_name && peek(1).is("(") && scopes_.size() == kProgramScope + 1 && open_records_.empty();
  if (is_name) return peek(1).kind != TokenKind::kIdentifier && !peek(1).is("*") && nameOfForeignType(peek().text) == nullptr;
  return at("*") || at("(") || at(")") || at(",") || at("[");
}

bool Parser::missingType() {
  const std::string name(peek().text);
  const char* advice = nameOfForeignType(name);
  if (advice != nullptr) {
    diagnostics_.error(peek().where, "OpenCL C has no type \"%s\": write %s.", name.c_str(), advice);
  } else if (atEnd()) {
    diagnostics_.error(peek().where, "The source ends where a type is expected.");
  } else {
    const bool is_name = peek().kind == TokenKind::kIdentifier && findKeyword(name).kind == KeywordKind::kNone;
    diagnostics_.error(peek().where, "Expected a type here, found \"%s\"%s", name.c_str(),
                       is_name ? typeSuggestion(name).c_str() : ".");
  }
  return false;
}

bool Parser::parseSpecifiers(Specifiers* specifiers) {
  SpecifierWords words;
  const size_t begin = at_;
  specifiers->where = peek().where;
  for (bool more = true; more && peek().kind == TokenKind::kIdentifier;) {
    if (!parseSpecifier(specifiers, &words, &more)) return false;
  }
  if (!words.hasType()) {
    if (!meansInt(begin)) return missingType();
    diagnostics_.warning(peek().where, "The type is left out here; it is taken as int.");
    ++words.base[kIntWord];
    ++words.base_count;
    program_.implicit_ints.push_back(static_cast<uint32_t>(at_));
  }
  return resolveType(&specifiers->type, words, specifiers->where, types_, diagnostics_) &&
         applyQualifiers(specifiers, words, types_, diagnostics_);
}

bool Parser::parseTypeName(QualType* type) {
  Specifiers specifiers;
  if (!parseSpecifiers(&specifiers)) return false;
  if (specifiers.is_typedef || specifiers.is_static || specifiers.is_extern || specifiers.is_inline || specifiers.is_kernel) {
    diagnostics_.error(specifiers.where, "A storage class has no place in the name of a type.");
    return false;
  }
  Declarator declarator;
  if (!parseDeclarator(&declarator, specifiers, true)) return false;
  if (!declarator.name.empty()) {
    diagnostics_.error(declarator.where, "The name of a type ends before \"%s\".", std::string(declarator.name).c_str());
    return false;
  }
  *type = declarator.type;
  return true;
}

}  // namespace manyrt::compiler
