// A Program as OpenCL C 1.2 again, preprocessed. Some devices address memory by a root buffer and an offset. There a kernel
// takes two arguments for each __global or __constant pointer: the root as a pointer to bytes, and the offset as a ulong. Works
// on the text: all other tokens are printed as they came.
#pragma once

#include <string>
#include <vector>

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

enum class OpenClPointers : uint8_t {
  kHiddenOffsets,  // parameters of a kernel stay in order; each pointer becomes two
  kAddresses,      // kernels stay as they are
};

// `#line` keeps a compiler's messages at the user's lines. `symbols`, where not null, receives the name of each kernel in the
// text. Drivers do not find kernels with the names of built-in functions, among others.
std::string lowerToOpenCl(const Program& program, const Sources& sources, OpenClPointers pointers,
                          std::vector<std::string>* symbols = nullptr);

}  // namespace manyrt::compiler
