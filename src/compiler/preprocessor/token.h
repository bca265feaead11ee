// Tokens as the preprocessor leaves them: what the parser reads, and what the OpenCL C lowering prints again.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/preprocessor/source.h"

namespace manyrt::compiler {

enum class TokenKind : uint8_t {
  kEnd,         // the last one of a stream
  kIdentifier,  // keywords too: the parser knows them
  kNumber,      // a preprocessing number, not yet checked
  kCharacter,   // 'a', with its quotes
  kString,      // "a", with its quotes
  kPunctuator,  // one of C99's, the longest match; digraphs under their usual spelling
  kPragma,      // a whole #pragma line but for the word itself: "unroll 4"
  kOther        // any other byte: an error where it reaches the parser
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool space_before = false;
  bool line_start = false;  // the first of a line of the text
  std::string_view text;    // in Sources
  Location where;           // where it is spelled: inside a macro's definition, if it comes from there
  Location expanded;        // line 0: not from a macro; else where the outermost macro was used

  bool is(std::string_view spelling) const {
    return (kind == TokenKind::kPunctuator || kind == TokenKind::kIdentifier) && text == spelling;
  }
};

using Tokens = std::vector<Token>;

// Tokens [begin, end) of the preprocessed stream.
struct TokenRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

}  // namespace manyrt::compiler
