// A macro's definition: reading it, comparing two, and the operators # and ## that build lexemes out of lexemes. The expander
// does what happens at a use of a macro.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "compiler/preprocessor/lexer.h"
#include "compiler/preprocessor/predefined.h"

namespace manyrt::compiler {

struct Macro {
  Name* name = nullptr;
  Location where;                               // line 0: predefined
  const PredefinedMacro* predefined = nullptr;  // whose text has not been read yet, or null
  DynamicMacro dynamic = DynamicMacro::kNone;
  bool is_function = false;
  bool is_variadic = false;  // the last parameter takes all that is left
  bool has_paste = false;
  bool is_builtin = false;  // predefined: another definition is no surprise
  bool expanding = false;   // its replacement is being read again: its name is left alone
  std::vector<Name*> parameters;
  std::vector<Lexeme> body;  // # and ## are flags of their operands here
};

// Owns every macro that was ever defined: one that is undefined may still be in the middle of its expansion.
class Macros {
 public:
  // For a name that is met the first time: its predefined macro, or null.
  Macro* predefined(Name& name);
  // Reads the text of a predefined macro when it is first used.
  void complete(Macro& macro, Names& names, Diagnostics& diagnostics);
  // `[at, end)`: the line after #define. Null after an error. A warning where it differs from a definition that stands.
  Macro* define(const Lexeme* at, const Lexeme* end, Location directive, Names& names, Diagnostics& diagnostics);

 private:
  std::deque<Macro> macros_;
};

// The operator #: the spelling of the lexemes, in quotes. False where it is longer than kMaxSpelling.
inline constexpr size_t kMaxSpelling = 64 * 1024;
bool stringify(std::string* out, const Lexeme* at, const Lexeme* end);

// The spelling of `a ## b`.
std::string pasted(const Lexeme& a, const Lexeme& b);

}  // namespace manyrt::compiler
