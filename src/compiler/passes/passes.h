// The passes over the IR, in the order in which they run, each with what it needs of those before it.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

struct Pass {
  const char* name;
  void (*run)(ir::Module& module);
  const char* why_here;
};

const Pass* begin();
const Pass* end();

// Runs one pass, or all ("all"), and verifies after each. False: there is no such pass, or one has broken a rule; `why` says
// which.
bool run(ir::Module* module, std::string_view name, std::string* why);

}  // namespace manyrt::compiler::passes
