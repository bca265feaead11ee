// Finds the system's C++ compiler and makes one shared object of sources with it. It runs without a shell, in a private folder,
// with limits of time and size. Knows nothing of kernels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace manyrt::compiler {

struct Compiler {
  std::string path;                // absolute
  std::vector<std::string> words;  // after the path, before all else: "c++" for zig, which is several programs
  std::string identity;            // what tells this compiler from any other: resolved path, size, time of change of the file
  // Settings from the environment, read when the compiler is found. Threads of the library call compile() too, and must not
  // read an environment that the program may be changing.
  std::string search_path;
  std::vector<std::string> environment;
  std::string temporary;
  int64_t seconds = 0;
};

// Looks for RT_CC (a name or a path; if set it must be there), else g++, c++, clang++, zig in PATH. The last choice is the zig
// of the Python package ziglang beside a wheel of this library. COMPILER_NOT_FOUND says what to install.
// Asked again at each build: the answer is kept while environment and file are the same.
Status findCompiler(Compiler* compiler);

struct CompileJob {
  std::vector<std::string> texts;  // C++ sources; compiled at the same time, linked into one object
  std::vector<std::string> flags;  // before the input
  int niceness = 0;                // of the compiler's processes
  std::string simpler = {};        // a flag more for sources that the compiler itself breaks down over; empty: none
  std::string folder = {};         // what debug information calls the folder of the texts; empty: the real one, soon gone
  int cancel = -1;                 // a descriptor: once it can be read, they are killed and the job is SHUT_DOWN
};

// The texts as the compiler's assembly language, one after the other. As compile() otherwise, which goes on to an object.
Status compileToAssembly(std::string* text, std::string* log, const Compiler& compiler, const CompileJob& job);

// All programs of this name, in order. Folders that are not absolute are passed over: they mean another place in each run.
std::vector<std::string> findPrograms(std::string_view name, std::string_view path);

// BUILD_FAILED carries the compiler's output (at most 64 KiB of it) in `log`; TIMEOUT after RT_CC_TIMEOUT seconds (300). The
// compiler and all that it started are killed then. Files it writes are limited to 256 MiB each. Compilers have faults: over
// some sources theirs ends with an error of its own, at one level of optimisation. Such a source is compiled once more, with
// `simpler` and as much time again.
Status compile(std::vector<unsigned char>* object, std::string* log, const Compiler& compiler, const CompileJob& job);

// The processor's features as flags of gcc and clang ("-march=native", where the compiler knows it), and as text for the
// cache's key. Code compiled for one processor is not loaded on another.
const std::string& cpuIdentity();
// Whether it takes lanes from anywhere in memory by one instruction faster than one by one (builtins/library/lanes/gather.h):
// Intel's from Alder Lake and Sapphire Rapids on. On Intel's earlier ones microcode makes gathers slow, so that no program
// learns the data of others; AMD's take as long as one by one. cpuScatters: the same for writing, which AVX-512 has.
bool cpuGathers();
uint32_t cpuLanes();  // numbers of 4 bytes in a vector, as builtins/library/lanes/types.h decides it
bool cpuScatters();

}  // namespace manyrt::compiler
