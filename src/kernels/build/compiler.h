// The system's C++ compiler: finding it, and turning one source into one shared object, without a shell, in a private folder,
// with limits of time and size. Knows nothing of kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace manyrt::kernels {

struct Compiler {
  std::string path;      // absolute
  std::string identity;  // what tells this compiler from any other: resolved path, size, time of change of the file
};

// RT_CC (a name or a path; if set it must be there), else g++, c++, clang++ in PATH. COMPILER_NOT_FOUND says what to install.
// Asked again at each build: the answer is kept while environment and file are the same.
Status findCompiler(Compiler* compiler);

struct CompileJob {
  std::string text;                // C++ source; given to the compiler on its standard input or in a file
  std::vector<std::string> flags;  // before the input
};

// BUILD_FAILED carries the compiler's output (at most 64 KiB of it) in `log`; TIMEOUT after RT_CC_TIMEOUT seconds (300). The
// compiler and all that it started are killed then. Files it writes are limited to 256 MiB each.
Status compile(std::vector<unsigned char>* object, std::string* log, const Compiler& compiler, const CompileJob& job);

// The processor's features as flags of gcc and clang ("-march=native", where the compiler knows it) and as the text that goes
// into the cache's key: what was compiled for one processor is not loaded on another.
const std::string& cpuIdentity();

}  // namespace manyrt::kernels
