// What a processor has to have for code of this one, as text: the target of a part of an image for the CPU. Compilers use all
// that the processor has (-march=native), so that all of it is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace manyrt::compiler {

// "x86_64 avx512 " and the features as numbers: of code that is compiled in this process. `sanitizer`: a word, or empty.
std::string cpuTarget(std::string_view sanitizer);

// 0: the code does not run here, and `why_not` gets the rest of a sentence; else the greater, the more of the processor it
// uses.
uint32_t suitsCpu(std::string_view target, std::string* why_not);

}  // namespace manyrt::compiler
