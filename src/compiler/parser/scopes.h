// The names that a place in a program can see: ordinary names and tags, scope by scope from the language's own to the innermost
// block. Knows neither tokens nor grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest_word.h"
#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// An ordinary name in a scope; tags of records and enums have a map of their own.
struct Symbol {
  enum class Kind : uint8_t { kVariable, kFunction, kType, kEnumerator };
  Kind kind = Kind::kVariable;
  Variable* variable = nullptr;
  Function* function = nullptr;
  QualType type;      // kType; kEnumerator: int, or what holds the values of its enum
  int64_t value = 0;  // kEnumerator
  Location where;
  uint32_t alignment = 0;     // kType: by attributes
  bool is_word_size = false;  // kType: size_t and its kin
};

struct Scope {
  std::map<std::string_view, Symbol> names;
  std::map<std::string_view, const Type*> tags;
};

class Scopes {
 protected:
  static constexpr size_t kLanguageScope = 0, kProgramScope = 1, kFunctionScope = 2;  // of scopes_

  Scopes(TypeTable& types, Diagnostics& diagnostics);  // the language's types are declared
  Scope& scope() { return scopes_.back(); }
  const Symbol* find(std::string_view name) const;
  // Names that the one source at hand, of several, declares: a name of program scope that it does not declare is not found.
  // Null: all of them.
  void showOnly(const std::set<std::string_view>* declared) { shown_ = declared; }
  const Symbol* findHidden(std::string_view name) const;  // of program scope, where it is not shown; null: none
  // For a message that `name` is not declared: ": did you mean "count"?", or "." where no name that can be seen is near.
  // Functions of the language are suggested too.
  std::string suggestion(std::string_view name, bool is_function) const;
  std::string typeSuggestion(std::string_view name) const;
  bool declare(std::string_view name, Symbol symbol);  // an error where the scope has that name already as something else
  const Type* findTag(std::string_view tag, bool here) const;  // `here`: in this scope alone; null: none

  std::vector<Scope> scopes_;

 private:
  const std::set<std::string_view>* shown_ = nullptr;
  Diagnostics& diagnostics_;
};

}  // namespace manyrt::compiler
