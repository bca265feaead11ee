// A program parsed from a text in a test, with what the tests of the parser's files ask of it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "compiler/parser/parser.h"
#include "compiler/preprocessor/preprocessor.h"

namespace manyrt::compiler {

struct ParsedProgram {
  explicit ParsedProgram(const std::string& text, const LanguageOptions& options = LanguageOptions()) : diagnostics(sources) {
    const uint32_t file = sources.add("test.cl", text);
    accepted =
        preprocess(&program.tokens, sources, file, PreprocessorOptions(), diagnostics) && parse(&program, options, diagnostics);
    EXPECT_EQ(accepted, !diagnostics.failed()) << text;
  }

  const Function* function(const std::string& name) const {
    for (const Function& candidate : program.functions()) {
      if (candidate.name == name) return &candidate;
    }
    ADD_FAILURE() << "no function " << name << "\n" << diagnostics.log();
    return nullptr;
  }
  const Variable* variable(const std::string& name) const {
    for (const Declaration& declaration : program.declarations) {
      if (declaration.kind == Declaration::Kind::kVariable && declaration.variable->name == name) return declaration.variable;
    }
    ADD_FAILURE() << "no variable " << name << "\n" << diagnostics.log();
    return nullptr;
  }
  const Record* record(const std::string& tag) const {
    for (const Record& candidate : program.types.records()) {
      if (candidate.tag == tag) return &candidate;
    }
    ADD_FAILURE() << "no record " << tag << "\n" << diagnostics.log();
    return nullptr;
  }

  Sources sources;
  Diagnostics diagnostics;
  Program program;
  bool accepted = false;
};

inline void expectAccepted(const std::string& text) {
  const ParsedProgram parsed(text);
  EXPECT_TRUE(parsed.accepted) << text << "\n" << parsed.diagnostics.log();
}

// `message`: a part of the first error.
inline void expectRefused(const std::string& text, const std::string& message) {
  const ParsedProgram parsed(text);
  EXPECT_FALSE(parsed.accepted) << text;
  const std::string& log = parsed.diagnostics.log();
  const size_t begin = log.find("error: ");
  ASSERT_NE(begin, std::string::npos) << text;
  const std::string first = log.substr(begin, log.find('\n', begin) - begin);
  EXPECT_NE(first.find(message), std::string::npos) << text << "\n" << log;
}

inline void expectWarning(const std::string& text, const std::string& message) {
  const ParsedProgram parsed(text);
  EXPECT_TRUE(parsed.accepted) << text << "\n" << parsed.diagnostics.log();
  EXPECT_NE(parsed.diagnostics.log().find("warning: "), std::string::npos) << text;
  EXPECT_NE(parsed.diagnostics.log().find(message), std::string::npos) << text << "\n" << parsed.diagnostics.log();
}

}  // namespace manyrt::compiler
