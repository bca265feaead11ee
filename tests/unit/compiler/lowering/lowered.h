// A kernel for tests of the lowering: parsed, and as the text of a unit.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/parser/parser.h"
#include "compiler/pipeline/cpu_unit.h"
#include "compiler/preprocessor/preprocessor.h"

namespace manyrt::test {

struct Lowered {
  compiler::Sources sources;
  compiler::Diagnostics diagnostics{sources};
  compiler::Program program;
  std::string why_not;

  explicit Lowered(const std::string& source) {
    const bool ok = compiler::preprocess(&program.tokens, sources, sources.add("test.cl", source), {}, diagnostics) &&
                    compiler::parse(&program, compiler::LanguageOptions(), diagnostics);
    EXPECT_TRUE(ok) << diagnostics.log();
  }
  // The texts for quick code.
  std::vector<std::string> quickTexts(uint32_t most_texts, const compiler::BuildOptions& options = {}) {
    return make(compiler::CpuForm::kQuick, most_texts, options);
  }
  std::string quick(const compiler::BuildOptions& options = {}) { return first(quickTexts(1, options)); }
  // The text for optimised code.
  std::string optimized(const compiler::BuildOptions& options = {}) {
    return first(make(compiler::CpuForm::kOptimized, 1, options));
  }
  std::vector<std::string> remarks;

 private:
  static std::string first(const std::vector<std::string>& texts) { return texts.empty() ? "" : texts[0]; }
  std::vector<std::string> make(compiler::CpuForm form, uint32_t most_texts, const compiler::BuildOptions& options) {
    compiler::CpuUnit made;
    EXPECT_TRUE(compiler::makeCpuUnit(&made, form, most_texts, &why_not, program, sources, options, diagnostics))
        << why_not << diagnostics.log();
    remarks = made.remarks;
    return made.texts;
  }
};

inline size_t countOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace manyrt::test
