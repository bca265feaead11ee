// A kernel for tests of the lowering: parsed, planned, and as the text of a unit.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "kernels/front/parser.h"
#include "kernels/front/preprocessor.h"
#include "kernels/lower/cpu.h"
#include "kernels/lower/group_plan.h"

namespace manyrt::test {

struct Lowered {
  kernels::Sources sources;
  kernels::Diagnostics diagnostics{sources};
  kernels::Program program;
  std::unique_ptr<kernels::GroupPlan> plan;  // of the last kernel; null: fibers
  std::string why_not;

  explicit Lowered(const std::string& source) {
    const bool ok = kernels::preprocess(&program.tokens, sources, sources.add("test.cl", source), {}, diagnostics) &&
                    kernels::parse(&program, kernels::LanguageOptions(), diagnostics);
    EXPECT_TRUE(ok) << diagnostics.log();
  }
  kernels::GroupPlan* makePlan() {
    kernels::Function& kernel = *program.kernels.back();
    if (!kernels::inlineHelpers(program, kernel, &why_not)) return nullptr;
    kernels::separateParameters(program, kernel);
    plan = kernels::GroupPlan::make(program, kernel, &why_not);
    return plan.get();
  }
  std::string unit(const kernels::BuildOptions& options = {}) {
    kernels::CpuUnit made;
    EXPECT_TRUE(kernels::lowerToCpu(&made, nullptr, 1, program, sources, options, diagnostics)) << diagnostics.log();
    remarks = made.remarks;
    return made.texts[0];
  }
  // Where a variable of that name was put; several share a name: the last one.
  kernels::Place place(const std::string& name) const {
    kernels::Place found = kernels::Place::kRegion;
    for (const kernels::Variable* variable : plan->variables()) {
      if (variable->name == name) found = plan->place(*variable);
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
