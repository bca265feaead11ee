// Finding and declaring names, and the names that are types of the language.
#include "compiler/parser/scopes.h"

#include "compiler/builtins/builtins.h"

namespace manyrt::compiler {
namespace {

struct TypeNameRow {
  std::string_view name;
  Scalar scalar;
  uint32_t count;
  bool is_word_size = false;
};

#define MANYRT_VECTOR_NAMES(name, scalar) \
  {name "2", scalar, 2}, {name "3", scalar, 3}, {name "4", scalar, 4}, {name "8", scalar, 8}, { name "16", scalar, 16 }

// Names that are typedefs of the language: programs may use them for other things in functions.
constexpr TypeNameRow kTypeNames[] = {
    {"uchar", Scalar::kUChar, 1},
    {"ushort", Scalar::kUShort, 1},
    {"uint", Scalar::kUInt, 1},
    {"ulong", Scalar::kULong, 1},
    {"cl_mem_fence_flags", Scalar::kUInt, 1},
    {"size_t", Scalar::kULong, 1, true},
    {"uintptr_t", Scalar::kULong, 1, true},
    {"ptrdiff_t", Scalar::kLong, 1, true},
    {"intptr_t", Scalar::kLong, 1, true},
    MANYRT_VECTOR_NAMES("char", Scalar::kChar),
    MANYRT_VECTOR_NAMES("uchar", Scalar::kUChar),
    MANYRT_VECTOR_NAMES("short", Scalar::kShort),
    MANYRT_VECTOR_NAMES("ushort", Scalar::kUShort),
    MANYRT_VECTOR_NAMES("int", Scalar::kInt),
    MANYRT_VECTOR_NAMES("uint", Scalar::kUInt),
    MANYRT_VECTOR_NAMES("long", Scalar::kLong),
    MANYRT_VECTOR_NAMES("ulong", Scalar::kULong),
    MANYRT_VECTOR_NAMES("half", Scalar::kHalf),
    MANYRT_VECTOR_NAMES("float", Scalar::kFloat),
    MANYRT_VECTOR_NAMES("double", Scalar::kDouble),
};
#undef MANYRT_VECTOR_NAMES

}  // namespace

Scopes::Scopes(TypeTable& types, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
  scopes_.resize(kProgramScope + 1);
  for (const TypeNameRow& row : kTypeNames) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::kType;
    symbol.type = QualType{types.vector(row.scalar, row.count)};
    symbol.is_word_size = row.is_word_size;
    scopes_[kLanguageScope].names.emplace(row.name, symbol);
  }
  Symbol event;
  event.kind = Symbol::Kind::kType;
  event.type = QualType{types.eventType()};
  scopes_[kLanguageScope].names.emplace("event_t", event);
}

const Symbol* Scopes::find(std::string_view name) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    const auto found = scopes_[i].names.find(name);
    if (found == scopes_[i].names.end()) continue;
    if (i == kProgramScope && shown_ != nullptr && !shown_->contains(name)) continue;
    return &found->second;
  }
  return nullptr;
}

const Symbol* Scopes::findHidden(std::string_view name) const {
  const auto found = scopes_[kProgramScope].names.find(name);
  const bool is_hidden = found != scopes_[kProgramScope].names.end() && shown_ != nullptr && !shown_->contains(name);
  return is_hidden ? &found->second : nullptr;
}

std::string Scopes::suggestion(std::string_view name, bool is_function) const {
  NearestWord nearest(name);
  for (size_t i = scopes_.size(); i-- > 0;) {  // of names as near as each other, the innermost
    for (const auto& [known, symbol] : scopes_[i].names) {
      const bool suits = is_function ? symbol.kind == Symbol::Kind::kFunction
                                     : symbol.kind == Symbol::Kind::kVariable || symbol.kind == Symbol::Kind::kEnumerator;
      const bool shown = i != kProgramScope || shown_ == nullptr || shown_->contains(known);
      if (suits && shown) nearest.consider(known);
    }
  }
  if (is_function) {
    for (const std::string& known : Builtins::names()) nearest.consider(known);
  }
  return nearest.sentence();
}

std::string Scopes::typeSuggestion(std::string_view name) const {
  NearestWord nearest(name);
  for (size_t i = scopes_.size(); i-- > 0;) {
    for (const auto& [known, symbol] : scopes_[i].names) {
      const bool shown = i != kProgramScope || shown_ == nullptr || shown_->contains(known);
      if (symbol.kind == Symbol::Kind::kType && shown) nearest.consider(known);
    }
  }
  for (const std::string_view known : {"bool", "char", "short", "int", "long", "float", "double", "half", "void"}) {
    nearest.consider(known);
  }
  return nearest.sentence();
}

bool Scopes::declare(std::string_view name, Symbol symbol) {
  const bool is_type = symbol.kind == Symbol::Kind::kType;
  const auto isSameType = [&](const Symbol& other) {
    return is_type && other.kind == Symbol::Kind::kType && other.type == symbol.type;
  };
  if (scopes_.size() == kProgramScope + 1) {
    const auto known = scopes_[kLanguageScope].names.find(name);
    if (known != scopes_[kLanguageScope].names.end()) {
      if (isSameType(known->second)) return true;
      diagnostics_.error(symbol.where, "\"%s\" is a type of OpenCL C and cannot be declared as something else here.",
                         std::string(name).c_str());
      return false;
    }
  }
  const auto [place, fresh] = scope().names.emplace(name, symbol);
  if (fresh || isSameType(place->second)) return true;
  diagnostics_.error(symbol.where, "\"%s\" is declared in this scope already.", std::string(name).c_str());
  if (place->second.where.line != 0) diagnostics_.note(place->second.where, "This is its other declaration.");
  return false;
}

const Type* Scopes::findTag(std::string_view tag, bool here) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    const auto found = scopes_[i].tags.find(tag);
    if (found != scopes_[i].tags.end()) return found->second;
    if (here) break;
  }
  return nullptr;
}

}  // namespace manyrt::compiler
