// The features that code needs of a processor, as text: the target of a part of an image for the CPU. Code for this processor
// uses all that it has (-march=native), so that all of it is asked for. Code for a level uses what the level's name promises,
// on any processor that has it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace manyrt::compiler {

// "x86_64 avx512 " and the features as numbers: of code that is compiled in this process. `sanitizer`: a word, or empty.
std::string cpuTarget(std::string_view sanitizer);

// A kind of processor that code is compiled for.
struct CpuLevel {
  std::string name;                // "native", or as compilers and distributions call it: "x86-64-v3"
  std::string other_name;          // as this library calls the width of its vectors: "avx2"; empty: none
  std::string target;              // of a part of an image, without a sanitizer
  std::vector<std::string> flags;  // of gcc and clang
  uint32_t lanes = 4;              // numbers of 4 bytes in a vector
  bool gathers = false;            // its gathers are fast (cpuGathers of compiler.h),
  bool scatters = false;           // and its scatters
};
const CpuLevel& nativeCpuLevel();
// This machine's kind alone, the least first: each has what those before it have.
const std::vector<CpuLevel>& cpuLevels();
// By either name, or "native"; null: there is no such level.
const CpuLevel* findCpuLevel(std::string_view name);

// 0: the code does not run here, and `why_not` gets the rest of a sentence; else the greater, the more of the processor it
// uses: first by the width of vectors, then by the number of features.
uint32_t suitsCpu(std::string_view target, std::string* why_not);

}  // namespace manyrt::compiler
