// Tokens to a typed Program: declarations, statements and expressions of OpenCL C 1.2, with every check that needs no code
// generator. Refuses what the language refuses, and what this library does not support, each with its place and what to
// write instead.
#pragma once

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

struct LanguageOptions {
  bool single_precision_constants = false;  // -cl-single-precision-constant: 1.0 is a float
  bool sub_groups = true;                   // the device has sub-group functions
  bool halves = true;                       // the device computes with halves: cl_khr_fp16 may be enabled
  bool warns_of_doubles = false;            // -Wdouble-literals
};

// Parses program->tokens. False after an error.
bool parse(Program* program, const LanguageOptions& options, Diagnostics& diagnostics);

}  // namespace manyrt::compiler
