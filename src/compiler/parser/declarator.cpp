// Declarators: the name, and the pointers, arrays and parameter lists around it, from the inside out. A type is built from the
// outside in, so a declarator is first read into a chain of derivations.
#include <algorithm>

#include "compiler/parser/keyword.h"
#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {

struct Derivation {
  enum class Kind : uint8_t { kPointer, kArray, kFunction };
  Kind kind = Kind::kPointer;
  Location where;
  bool is_const = false, is_volatile = false, is_restrict = false;  // of the pointer, or of what an array parameter becomes
  AddressSpace space = AddressSpace::kPrivate;                      // of the pointer itself
  uint64_t length = Type::kUnknownLength;
  std::vector<Variable*> parameters;
  std::vector<TokenRange> parameter_tokens;
  uint32_t open_token = 0;

  bool addQualifier(const Keyword& keyword) {
    if (keyword.kind != KeywordKind::kQualifier) return false;
    if (keyword.value == kConstWord) is_const = true;
    if (keyword.value == kVolatileWord) is_volatile = true;
    if (keyword.value == kRestrictWord) is_restrict = true;
    return true;
  }
};

bool Parser::parsePointers(std::vector<Derivation>* chain, Declarator* declarator) {
  while (at("*")) {
    Derivation pointer;
    pointer.where = next().where;
    while (peek().kind == TokenKind::kIdentifier) {
      const Keyword& keyword = findKeyword(peek().text);
      if (keyword.kind == KeywordKind::kAttribute) {
        if (!parseAttributes(nullptr, &declarator->alignment, memberOnly(&declarator->packed))) return false;
      } else if (keyword.kind == KeywordKind::kSpace) {
        pointer.space = static_cast<AddressSpace>(keyword.value);
        next();
      } else if (pointer.addQualifier(keyword)) {
        next();
      } else {
        break;
      }
    }
    chain->push_back(std::move(pointer));
  }
  return true;
}

bool Parser::parseArraySuffix(Derivation* derivation) {
  derivation->kind = Derivation::Kind::kArray;
  derivation->where = next().where;
  while (accept("static") || derivation->addQualifier(findKeyword(peek().text))) {
    if (findKeyword(peek().text).kind == KeywordKind::kQualifier) next();
  }
  if (accept("]")) return true;
  const Location where = peek().where;
  if (at("*") && peek(1).is("]")) {
    diagnostics_.error(where, "OpenCL C has no arrays of variable length: write a constant size.");
    return false;
  }
  int64_t length = 0;
  if (!parseIntegerConstant(&length, "the size of an array")) return false;
  if (length < 0 || static_cast<uint64_t>(length) > kMaxBytes) {
    diagnostics_.error(where, "An array of %lld elements was asked for; 0 to 2^40 bytes are possible.",
                       static_cast<long long>(length));
    return false;
  }
  derivation->length = static_cast<uint64_t>(length);
  return expect("]", "the size of an array");
}

bool Parser::parseParameter(Derivation* derivation) {
  // Errors are reported as soon as the type is known, before the parameter exists. Arrays become pointers first, because the
  // rule on address spaces is for the parameter itself, not for what it points to.
  const uint32_t begin = static_cast<uint32_t>(at_);
  const uint32_t number = static_cast<uint32_t>(derivation->parameters.size()) + 1;
  Specifiers specifiers;
  Declarator declarator;
  if (at("...")) {
    diagnostics_.error(peek().where, "OpenCL C has no functions of its own with \"...\": give each argument a parameter.");
    return false;
  }
  if (!parseSpecifiers(&specifiers) || !parseDeclarator(&declarator, specifiers, true)) return false;
  if (!parseAttributes(nullptr, &declarator.alignment, nullptr)) return false;
  const Location where = declarator.name.empty() ? specifiers.where : declarator.where;
  if (specifiers.is_typedef || specifiers.is_static || specifiers.is_extern || specifiers.is_inline || specifiers.is_kernel) {
    diagnostics_.error(specifiers.where, "Parameter %u has a storage class: leave the word away.", number);
    return false;
  }
  QualType type = declarator.type;
  if (type->isFunction()) {
    diagnostics_.error(where, "Parameter %u is a function; OpenCL C has no pointers to functions.", number);
    return false;
  }
  if (type->isVoid()) {
    diagnostics_.error(where, "Parameter %u has the type void; a list without parameters is (void).", number);
    return false;
  }
  if (type->isArray()) {  // becomes a pointer to its elements
    type = QualType{types_.pointer(type->inner)};
  } else if (type.space != AddressSpace::kPrivate) {
    diagnostics_.error(where, "Parameter %u cannot be %s: parameters are private. Did you mean a pointer?", number,
                       spaceName(type.space));
    return false;
  }
  if (!checkObject(type, declarator.name, where)) return false;
  Variable* variable = program_.makeVariable();
  variable->name = declarator.name;
  variable->type = type;
  variable->where = where;
  variable->is_parameter = true;
  variable->alignment = std::max({specifiers.type_alignment, specifiers.alignment, declarator.alignment});
  if (specifiers.is_word_size && type->isInteger()) word_size_parameters_.insert(variable);
  derivation->parameters.push_back(variable);
  derivation->parameter_tokens.push_back({begin, static_cast<uint32_t>(at_)});
  if (declarator.name.empty()) return true;
  Symbol symbol;
  symbol.variable = variable;
  symbol.where = where;
  return declare(declarator.name, symbol);
}

bool Parser::parseParameters(Derivation* derivation) {
  derivation->kind = Derivation::Kind::kFunction;
  derivation->open_token = static_cast<uint32_t>(at_);
  derivation->where = next().where;
  if (at("void") && peek(1).is(")")) next();
  if (accept(")")) return true;
  const Depth depth(*this);
  if (!depth.ok) return false;
  scopes_.emplace_back();
  bool parsed = true;
  do {
    parsed = parseParameter(derivation);
  } while (parsed && accept(","));
  scopes_.pop_back();
  return parsed && expect(")", "the parameters");
}

bool Parser::parseDeclaratorSuffixes(std::vector<Derivation>* chain) {
  const size_t first = chain->size();
  while (at("[") || at("(")) {
    Derivation derivation;
    if (!(at("[") ? parseArraySuffix(&derivation) : parseParameters(&derivation))) return false;
    chain->push_back(std::move(derivation));
    if (chain->size() > kMaxDepth) break;  // reported where the chain is applied
  }
  std::reverse(chain->begin() + static_cast<ptrdiff_t>(first), chain->end());
  return true;
}

// The chain is in the order in which a type is built: pointers, the suffixes from the last to the first, the parentheses.
bool Parser::parseDeclaratorPart(std::vector<Derivation>* chain, Declarator* declarator, bool may_be_abstract) {
  const Depth depth(*this);
  if (!depth.ok || !parsePointers(chain, declarator)) return false;
  if (!parseAttributes(nullptr, &declarator->alignment, memberOnly(&declarator->packed))) return false;
  std::vector<Derivation> inner;
  const Token& token = peek();
  // In an abstract declarator "()" and "(type" open the parameters of a function, not a group.
  const bool is_group = at("(") && !(may_be_abstract && (peek(1).is(")") || isTypeName(1)));
  if (is_group) {
    next();
    if (!parseDeclaratorPart(&inner, declarator, may_be_abstract) || !expect(")", "the declarator")) return false;
  } else if (token.kind == TokenKind::kIdentifier && findKeyword(token.text).kind == KeywordKind::kNone) {
    declarator->name = token.text;
    declarator->where = token.where;
    declarator->name_token = static_cast<uint32_t>(at_);
    next();
    // A name is required and missing: the message says which kind of token stands in its place.
  } else if (!may_be_abstract) {
    const Keyword& keyword = findKeyword(token.text);
    if (atEnd()) {
      diagnostics_.error(token.where, "The source ends where a name is expected.");
    } else if (token.kind == TokenKind::kIdentifier) {
      diagnostics_.error(token.where, "\"%s\" is a word of OpenCL C and names nothing else. %s",
                         std::string(token.text).c_str(), keyword.advice != nullptr ? keyword.advice : "Choose another name.");
    } else {
      diagnostics_.error(token.where, "Expected a name to declare, found \"%s\".", std::string(token.text).c_str());
    }
    return false;
  }
  if (!parseDeclaratorSuffixes(chain)) return false;
  // The parentheses bind closest to the name, and are therefore applied last.
  std::move(inner.begin(), inner.end(), std::back_inserter(*chain));
  return true;
}

bool Parser::applyDerivation(QualType* type, const Derivation& derivation, const Declarator& declarator) {
  // Derivations are applied from the inside out: *type is the element, the pointee or the result so far. Each kind refuses what
  // C forbids below it, so that no invalid type is ever made and later code need not check.
  const Location where = declarator.name.empty() ? derivation.where : declarator.where;
  if (type->type->depth >= kMaxDepth) {
    diagnostics_.error(where, "The type has more than %u pointers, arrays and functions in each other.", kMaxDepth);
    return false;
  }
  if (derivation.kind == Derivation::Kind::kPointer) {
    if ((*type)->isFunction()) {
      diagnostics_.error(where, "OpenCL C has no pointers to functions: call the function by its name, or use a switch.");
      return false;
    }
    *type =
        QualType{types_.pointer(*type), derivation.space, derivation.is_const, derivation.is_volatile, derivation.is_restrict};
    return true;
  }
  if (derivation.kind == Derivation::Kind::kArray) {
    if (!isComplete(*type)) {
      diagnostics_.error(where, "The elements of an array cannot have the type \"%s\".", spell(*type).c_str());
      return false;
    }
    const uint64_t length = derivation.length == Type::kUnknownLength ? 1 : derivation.length;
    const uint64_t size = std::max<uint64_t>(sizeOf(*type), 1);
    if (length > kMaxBytes / size) {
      diagnostics_.error(where, "An array of %llu elements of %llu bytes takes more than 2^40 bytes.",
                         static_cast<unsigned long long>(length), static_cast<unsigned long long>(size));
      return false;
    }
    const Type* array = types_.array(*type, derivation.length);
    *type = QualType{array, type->space, type->is_const, type->is_volatile};
    return true;
  }
  if ((*type)->isArray() || (*type)->isFunction()) {
    diagnostics_.error(where, "A function cannot return \"%s\": return a pointer or a struct.", spell(*type).c_str());
    return false;
  }
  if (type->space != AddressSpace::kPrivate) {
    diagnostics_.error(where, "What a function returns is a value and cannot be %s. Did you mean a pointer?",
                       spaceName(type->space));
    return false;
  }
  std::vector<QualType> parameters;
  for (const Variable* parameter : derivation.parameters) parameters.push_back(parameter->type.unqualified());
  *type = QualType{types_.function(type->unqualified(), std::move(parameters))};
  return true;
}

bool Parser::parseDeclarator(Declarator* declarator, const Specifiers& specifiers, bool may_be_abstract) {
  std::vector<Derivation> chain;
  declarator->where = peek().where;
  if (!parseDeclaratorPart(&chain, declarator, may_be_abstract)) return false;
  declarator->type = specifiers.type;
  for (const Derivation& derivation : chain) {
    if (!applyDerivation(&declarator->type, derivation, *declarator)) return false;
  }
  if (chain.empty()) return true;
  Derivation& last = chain.back();
  if (last.kind != Derivation::Kind::kFunction) return true;
  declarator->is_function = true;
  declarator->parameters = std::move(last.parameters);
  declarator->open_token = last.open_token;
  declarator->parameter_tokens = std::move(last.parameter_tokens);
  return true;
}

}  // namespace manyrt::compiler
