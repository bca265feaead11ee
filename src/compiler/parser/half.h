// Numbers of half precision on the host: what a literal of a program is. The code of kernels has its own text for this
// (builtins/library/half.h).
#pragma once

#include <cstdint>

namespace manyrt::compiler {

uint16_t halfBits(double value);     // the nearest half, ties to even; what is too large is infinity
double valueOfHalf(uint16_t bits);   // exact
double roundedToHalf(double value);  // the value of the nearest half

}  // namespace manyrt::compiler
