// What a compiler's driver does before it compiles: g++ reads its flags and starts cc1plus and as. Starting these two without
// it saves some milliseconds for each unit. What it would start is asked of the driver itself, with -###, once for each set of
// flags. Called by the pipeline, where somebody waits for the code; builds in the background go through the driver.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/toolchain/compiler.h"
#include "compiler/toolchain/file.h"
#include "compiler/toolchain/process.h"

namespace manyrt::compiler {

// Asks when it is made, if the answer is not known in this process yet, and waits for it when it is wanted.
class DriverQuestion {
 public:
  DriverQuestion(const Compiler& compiler, std::vector<std::string> flags);
  const std::vector<std::string>& flags() const { return flags_; }
  // Without words: this is no driver whose answer is understood (clang has one process and needs no other way), or a wrapper,
  // such as ccache, that wants to see each compilation.
  UnitCommands answer();

 private:
  const Compiler& compiler_;
  std::vector<std::string> flags_;
  PrivateFolder folder_;  // outlives the process
  std::unique_ptr<Processes> process_;
  UnitCommands commands_;
};

// The two commands in what the driver of this path said.
UnitCommands readDriverAnswer(std::string_view answer, const Compiler& compiler);

}  // namespace manyrt::compiler
