// A kernel for tests of the lowering: parsed, planned, and as the text of a unit.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "compiler/lowering/cpu/group_plan.h"
#include "compiler/lowering/cpu/program.h"
#include "compiler/parser/parser.h"
#include "compiler/pipeline/ir_unit.h"
#include "compiler/preprocessor/preprocessor.h"

namespace manyrt::test {

struct Lowered {
  compiler::Sources sources;
  compiler::Diagnostics diagnostics{sources};
  compiler::Program program;
  std::unique_ptr<compiler::GroupPlan> plan;  // of the last kernel; null: fibers
  std::string why_not;

  explicit Lowered(const std::string& source) {
    const bool ok = compiler::preprocess(&program.tokens, sources, sources.add("test.cl", source), {}, diagnostics) &&
                    compiler::parse(&program, compiler::LanguageOptions(), diagnostics);
    EXPECT_TRUE(ok) << diagnostics.log();
  }
  compiler::GroupPlan* makePlan() {
    compiler::Function& kernel = *program.kernels.back();
    if (!compiler::inlineHelpers(program, kernel, &why_not)) return nullptr;
    compiler::separateParameters(program, kernel);
    plan = compiler::GroupPlan::make(program, kernel, &why_not);
    return plan.get();
  }
  // The text for quick code.
  std::string quick(const compiler::BuildOptions& options = {}) {
    compiler::CpuUnit made;
    EXPECT_TRUE(compiler::lowerToCpu(&made, 1, program, sources, options, diagnostics)) << diagnostics.log();
    remarks = made.remarks;
    return made.texts[0];
  }
  // The text for optimised code.
  std::string optimized(const compiler::BuildOptions& options = {}) {
    compiler::CpuUnit made;
    EXPECT_TRUE(compiler::unitFromIr(&made, true, &why_not, program, sources, options, diagnostics)) << why_not;
    return made.texts.empty() ? "" : made.texts[0];
  }
  // Where a variable of that name was put; several share a name: the last one.
  compiler::Storage storage(const std::string& name) const {
    compiler::Storage found = compiler::Storage::kRegion;
    for (const compiler::Variable* variable : plan->variables()) {
      if (variable->name == name) found = plan->storage(*variable);
    }
    return found;
  }
  std::vector<std::string> remarks;
};

inline size_t countOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace manyrt::test
