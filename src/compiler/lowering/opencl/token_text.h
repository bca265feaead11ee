// Tokens as text again: what was read is printed as it came, at its lines, but for the places where a lowering puts something
// else. Knows nothing of OpenCL C.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "compiler/preprocessor/source.h"
#include "compiler/preprocessor/token.h"

namespace manyrt::compiler {

class TokenText {
 public:
  TokenText(const Tokens& tokens, const Sources& sources) : tokens_(tokens), sources_(sources) {}

  // Each adds to what was asked for before. Insertions are one line each, so that no line of the user's moves.
  void replace(TokenRange range, std::string text);
  void insertBefore(uint32_t token, std::string_view text) { edits_[token].before.append(text); }
  void insertAfter(uint32_t token, std::string_view text) { edits_[token].after.insert(0, text); }

  // The whole stream, with a #line wherever the lines do not follow each other.
  std::string print();

 private:
  struct Edit {
    std::string before, after;
    std::string instead;
    bool hidden = false;
  };
  void add(const Token& token);
  void add(std::string_view text);  // between blanks
  void goTo(Location place);
  void addPragma(const Token& token);

  const Tokens& tokens_;
  const Sources& sources_;
  std::map<uint32_t, Edit> edits_;
  std::string out_;
  Location at_;                    // of the line that is being printed; line 0: unknown
  const Token* before_ = nullptr;  // printed last in this line, null after other text
};

}  // namespace manyrt::compiler
