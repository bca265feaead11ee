// The errors about a token that is missing, and the ways to go on after an error.
#include "compiler/parser/cursor.h"

#include <string>

namespace manyrt::compiler {

bool Cursor::expect(std::string_view spelling, const char* after) {
  if (accept(spelling)) return true;
  const Token& found = peek();
  Location where = found.where;
  // At the end of a line the message points after what stands there, not at the next line.
  if (at_ > 0 && (found.line_start || atEnd())) {
    const Token& before = tokens_[at_ - 1];
    where = before.where;
    where.column += static_cast<uint32_t>(before.text.size());
  }
  const std::string wanted(spelling);
  if (atEnd()) {
    diagnostics_.error(where, "The source ends where \"%s\" is expected after %s.", wanted.c_str(), after);
  } else {
    diagnostics_.error(where, "Expected \"%s\" after %s, found \"%s\".", wanted.c_str(), after,
                       std::string(found.text).c_str());
  }
  return false;
}

// With ";": after the next ; of this nesting, or after a whole {...}, or before the } that closes what we are in. With
// "}": after the next } that closes what we are in.
void Cursor::skipTo(std::string_view closing) {
  uint32_t braces = 0;
  uint32_t others = 0;  // open ( and [
  for (; !atEnd(); next()) {
    if (at("(") || at("[")) ++others;
    if ((at(")") || at("]")) && others > 0) --others;
    if (at("{")) ++braces;
    if (at("}")) {
      others = 0;
      if (braces == 0) {
        if (closing == "}") next();
        return;
      }
      if (--braces == 0 && closing == ";") {
        next();
        accept(";");
        return;
      }
    }
    if (at(";") && braces == 0 && others == 0 && closing == ";") {
      next();
      return;
    }
  }
}

// From the beginning, so that braces and parentheses match, but always past the place of the error.
void Cursor::recover(size_t begin) {
  const size_t failed = at_;
  at_ = begin;
  for (size_t before = tokens_.size(); at_ <= failed && at_ != before && !atEnd();) {
    before = at_;
    skipTo(";");
  }
  if (at_ > failed) return;
  at_ = failed;
  skipTo(";");
}

bool Cursor::skipBraces(size_t open) {
  uint32_t depth = 0;
  for (size_t at = open; at < tokens_.size() && !tokens_[at].is(";"); ++at) {
    if (tokens_[at].is("{")) ++depth;
    if (tokens_[at].is("}") && --depth == 0) {
      at_ = at + 1;
      return true;
    }
  }
  return false;
}

void Cursor::skipParentheses(size_t open) {
  at_ = open;
  uint32_t depth = 0;
  for (; !atEnd() && !at("{") && !at("}"); next()) {
    if (at("(")) ++depth;
    if (at(")") && --depth == 0) {
      next();
      return;
    }
  }
}

}  // namespace manyrt::compiler
