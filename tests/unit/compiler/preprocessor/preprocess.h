// One preprocessing run for the tests of the front end: texts in, tokens and messages out.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "compiler/preprocessor/preprocessor.h"

namespace manyrt::compiler {

struct Preprocessed {
  explicit Preprocessed(std::string text, PreprocessorOptions options = {}, std::string name = "a.cl") {
    file = sources.add(std::move(name), std::move(text));
    ok = preprocess(&tokens, sources, file, options, diagnostics);
  }
  // The tokens with single spaces between, pragmas as <text>.
  std::string text() const {
    std::string all;
    for (const Token& token : tokens) {
      if (token.kind == TokenKind::kEnd) continue;
      if (!all.empty()) all += ' ';
      all += token.kind == TokenKind::kPragma ? "<" + std::string(token.text) + ">" : std::string(token.text);
    }
    return all;
  }
  std::string place(Location where) const {
    return sources.name(where.file) + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
  }
  const std::string& log() const { return diagnostics.log(); }

  Sources sources;
  Diagnostics diagnostics{sources};
  Tokens tokens;
  uint32_t file = 0;
  bool ok = false;
};

inline std::string expand(std::string text) {
  Preprocessed run(std::move(text));
  EXPECT_TRUE(run.ok) << run.log();
  EXPECT_EQ(run.log(), "");
  return run.text();
}

// The first message of a text that must fail, as "line:column: sentence".
inline std::string failure(std::string text, PreprocessorOptions options = {}) {
  Preprocessed run(text, std::move(options));
  EXPECT_FALSE(run.ok) << text;
  const std::string mark = ": error: ";
  const size_t at = run.log().find(mark);
  if (!run.log().starts_with("a.cl:") || at == std::string::npos) return run.log();
  const size_t end = run.log().find('\n');
  return run.log().substr(5, at - 5) + ": " + run.log().substr(at + mark.size(), end - at - mark.size());
}

}  // namespace manyrt::compiler
