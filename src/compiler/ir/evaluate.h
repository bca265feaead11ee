// The result of a pure operation, in bits: one meaning for the interpreter and for passes that fold. A component takes one
// word, the bits above its type's are zeros.
#pragma once

#include <array>
#include <cstdint>

#include "compiler/ir/module.h"

namespace manyrt::compiler::ir {

using Bits = std::array<uint64_t, kMaxComponents>;

// False: the result does not follow from operands alone (addresses, ids, calls of builtins), or is not defined for these. The
// rest of the IR never asks for undefined ones: a division by zero, a shift by the width or more. `fuses`: fma rounds once, as
// on processors that have it.
bool evaluate(Bits* result, const Instruction& instruction, const Bits* operands, bool fuses);

double realOf(Kind kind, uint64_t bits);       // exact
uint64_t bitsOfReal(Kind kind, double value);  // rounded to the nearest; of a half by way of float where `value` is one
int64_t signedOf(Kind kind, uint64_t bits);    // of an integer

}  // namespace manyrt::compiler::ir
