// Text to lexemes: the preprocessing tokens of C99, each with its place and, for identifiers, its entry in the table of names.
// A file is lexed once, however often it is included. The preprocessor calls it; it knows no directive but the word
// "include", after which a header's name has a spelling of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "compiler/preprocessor/source.h"
#include "compiler/preprocessor/token.h"

namespace manyrt::compiler {

struct Macro;  // preprocessor/macro.h

// An identifier, once for each spelling.
struct Name {
  std::string_view text;
  Macro* macro = nullptr;
  uint32_t hash = 0;
  uint32_t parameter = 0;  // while a macro's definition is read: index of its parameter of this name, plus one
};

struct Lexeme {
  enum Flag : uint8_t {
    kSpaceBefore = 1,  // lines count as space
    kLineStart = 2,
    kDirective = 4,    // a "#" that begins a line of a file
    kNoExpansion = 8,  // a macro's name that was met inside the macro's own expansion: never replaced again
    // In the bodies of macros:
    kParameter = 16,    // stands for argument `parameter`
    kStringify = 32,    // "#" stood before it
    kPaste = 64,        // "##" stands after it
    kPlacemarker = 128  // nothing, but an operand of "##"
  };
  const char* text = nullptr;
  uint32_t size = 0;
  TokenKind kind = TokenKind::kEnd;
  uint8_t flags = 0;
  uint16_t parameter = 0;
  Name* name = nullptr;  // of identifiers
  Location where;        // line 0: spelled nowhere (predefined)

  std::string_view view() const { return {text, size}; }
  bool has(Flag flag) const { return (flags & flag) != 0; }
  bool is(char c) const { return size == 1 && *text == c && kind == TokenKind::kPunctuator; }
  bool isHash() const { return is('#') || (kind == TokenKind::kPunctuator && view() == "%:"); }
  bool isPaste() const { return kind == TokenKind::kPunctuator && (view() == "##" || view() == "%:%:"); }
};

class Names {
 public:
  // `born` may give a new name its predefined macro.
  Names(Sources& sources, std::function<Macro*(Name&)> born);
  // With `keep` a new name's text is copied into the sources, else it must live as long as they do.
  Name* intern(std::string_view text, uint32_t hash, bool keep);
  Name* intern(std::string_view text);  // kept if new
  static uint32_t step(uint32_t hash, char c) { return (hash ^ static_cast<unsigned char>(c)) * 16777619u; }
  static constexpr uint32_t kSeed = 2166136261u;

 private:
  void grow();

  Sources& sources_;
  std::function<Macro*(Name&)> born_;
  std::deque<Name> names_;
  std::vector<Name*> slots_;  // open addressing; a power of two
};

struct LexedFile {
  std::vector<Lexeme> lexemes;
  std::vector<uint32_t> directives;  // indices of those with kDirective: a skipped group is left in steps of these
  Location end;
};

inline constexpr uint32_t kMaxFileBytes = 16u << 20;

// Lexes a whole file. False, after an error, for a file over kMaxFileBytes or with more than `most` lexemes, and where a
// comment does not end.
bool lexFile(LexedFile* out, Sources& sources, uint32_t file, Names& names, uint32_t most, Diagnostics& diagnostics);

// Appends the lexemes of a text that no file contains and that lives as long as the program (predefined macros).
void lexText(std::vector<Lexeme>* out, const char* text, Names& names);

// The one lexeme that `spelling` is; false where it is none, or several. The result does not point into `spelling`.
bool lexOne(Lexeme* out, const std::string& spelling, Sources& sources, Names& names);

}  // namespace manyrt::compiler
