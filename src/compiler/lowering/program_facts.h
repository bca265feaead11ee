// Facts that every lowering to C++ needs beside the text: the depth of calls, whether contraction is forbidden, and the
// kernels' arguments for a launch.
#pragma once

#include <functional>
#include <string>

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// Calls within calls: what follows them recursively has to end. False after an error in the diagnostics.
bool checkCallDepth(const Program& program, Diagnostics& diagnostics);

bool forbidsContraction(const Program& program);  // `#pragma OPENCL FP_CONTRACT OFF` stands somewhere

// Whether kernels may follow addresses that are no pointer argument: numbers made pointers, pointers in structs or behind other
// pointers. Says yes where it is not sure.
bool mayFollowAddresses(const Program& program);

struct ArgumentFacts {
  uint32_t size = 0;
  int32_t kind = 0;       // RT_ARG_*
  std::string type_name;  // as clGetKernelArgInfo has it: no address space, no qualifiers, no blanks
  ArgumentUse use;
};
ArgumentFacts argumentFacts(const Variable& parameter);

// Whether a function, or one that it calls, directly or not, is such a one. Each is looked at once: two helpers that both call
// two others double the ways to what is below them.
bool anyReached(const Function& function, const std::function<bool(const Function&)>& is_such);

// Expressions of a kernel and of the helpers that it calls, each once; those of vectors count for each component. A compiler's
// time grows faster than this number, so that longer kernels get less of its work (pipeline/cpu_flags.h).
uint32_t kernelSize(const Function& kernel);

bool hasBarriers(const Function& function);  // itself, or what it calls

// Whether nothing tells the work-groups of a kernel apart. It has no local memory, no barrier, no id within a group, and
// neither atomic functions nor printf, whose order would show. Neighbouring groups may then run as one. Kernels with fences or
// volatile memory keep their groups too: one may wait for what another writes.
bool joinsGroups(const Function& kernel);

bool changesGlobalMemoryAtomically(const Function& function);  // itself, or what it calls
bool mayLoop(const Function& function);                        // the same

}  // namespace manyrt::compiler
