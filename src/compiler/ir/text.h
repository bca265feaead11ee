// The IR as text, and back. Both ways keep everything but the OpenCL types of calls of builtins, of which the words stay. One
// instruction stands on a line:
//
//   %7: i32 = add %5 %6                          %9: f32x4 = load %8 align 16 volatile
//   %3: private* = address slot 2                %4: i32 = constant [5]
//   %2: i64 = workitem %1 global_id              %6: f32 = builtin %5 "float sqrt(float)"
//   if %4 { ... yield } { ... yield }            loop %1 { (%2: i32) ... continue } { next %2 }
//   switch %3 case [1 2] { ... leave } case [] default { ... leave }
//
// A "!12" at the end of a line is the source's line.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ir/module.h"

namespace manyrt::compiler::ir {

std::string print(const Module& module);
// False: `why` says in which line and what was expected. The module is not verified.
bool read(Module* module, std::string_view text, std::string* why);

const char* spell(WorkItem which);  // "global_id"

}  // namespace manyrt::compiler::ir
