// The parser's place in the tokens: looking ahead, taking a token, and going on after an error. Knows no grammar. The small
// functions are inline because every path of the parser calls them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compiler/preprocessor/source.h"
#include "compiler/preprocessor/token.h"

namespace manyrt::compiler {

class Cursor {
 protected:
  // The tokens end with a kEnd, at the latest when the first function is called.
  Cursor(const Tokens& tokens, Diagnostics& diagnostics) : tokens_(tokens), diagnostics_(diagnostics) {}

  const Token& peek(uint32_t ahead = 0) const {
    size_t index = at_ + ahead;
    return index < tokens_.size() ? tokens_[index] : tokens_.back();
  }
  bool at(std::string_view spelling) const { return peek().is(spelling); }
  bool atEnd() const { return peek().kind == TokenKind::kEnd; }
  const Token& next() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_.back(); }
  bool accept(std::string_view spelling) {
    if (!at(spelling)) return false;
    next();
    return true;
  }
  // An error "expected ... after ..." if the next token is another.
  bool expect(std::string_view spelling, const char* after);
  void skipTo(std::string_view closing);  // after an error: to the matching ; or }, never past the end
  void recover(size_t begin);             // after an error in what began at this token: to its end
  void skipParentheses(size_t open);      // after an error in the ( at token `open`: to the token after its )
  bool skipBraces(size_t open);           // the same for a {; false, and nothing is skipped, where a ; stands before its }
  bool atAttribute(uint32_t ahead) const { return peek(ahead).is("__attribute__") || peek(ahead).is("__attribute"); }

  const Tokens& tokens_;
  size_t at_ = 0;

 private:
  Diagnostics& diagnostics_;
};

}  // namespace manyrt::compiler
