// The build options of a program, as clBuildProgram takes them: read once, used by the front end and by the compiler.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/preprocessor/preprocessor.h"

namespace manyrt::compiler {

// How code for the CPU comes: see docs/kernels.md. kDefault: as RT_CPU_BUILD says.
enum class Tier : uint8_t { kDefault, kTiered, kOptimized, kQuick };

struct BuildOptions {
  PreprocessorOptions preprocessor;         // -D, -U, -I
  bool single_precision_constants = false;  // -cl-single-precision-constant
  bool no_signed_zeros = false;             // -cl-no-signed-zeros, unsafe-math
  bool mad = false;                         // -cl-mad-enable, unsafe-math
  bool finite_math = false;                 // -cl-finite-math-only, fast-relaxed
  bool unsafe_math = false;                 // -cl-unsafe-math-optimizations, fast-relaxed
  bool relaxed_math = false;                // -cl-fast-relaxed-math
  bool flush_denormals = false;             // -cl-denorms-are-zero: allowed, not promised
  bool optimize = true;                     // -cl-opt-disable: off
  bool no_warnings = false;                 // -w
  bool warnings_are_errors = false;         // -Werror
  bool warns_of_doubles = false;            // -Wdouble-literals
  bool debug = false;                       // -g
  bool exact_lines = false;                 // each line of generated code names the user's line: for reports of sanitizers
  bool repeats_lines = false;               // the same lines, and the code stays as it is: for profilers and reports of crashes
  bool users_names = false;                 // variables are called as in the source where that is clear: for debuggers
  uint32_t group_size[3] = {0, 0, 0};       // -rt-group-size=16,16,1: code for this size alone; zeros: any
  Tier tier = Tier::kDefault;               // -rt-tier=quick; no part of `normalized`: code that stays is the same
  uint32_t lanes = 16;                      // numbers of 4 bytes that the processor's vectors have
  // By kernel, the groups of its launches so far: no promise. Code for other sizes is as right, and may be slower.
  using Groups = std::map<std::string, std::array<uint32_t, 3>>;
  Groups launched_groups;
  std::string normalized;  // all of it in one spelling: part of the cache's key
};

// Words as a shell splits them, with its quotes and backslashes. INVALID_VALUE where these do not end.
Status splitWords(std::vector<std::string>* words, std::string_view text);

// Quotes and backslashes as a shell has them. INVALID_VALUE names the option that is unknown or damaged.
Status parseOptions(BuildOptions* options, const char* text);

}  // namespace manyrt::compiler
