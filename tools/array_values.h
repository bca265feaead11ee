// Arrays as numbers: random ones, and two that are held against each other.
#pragma once

#include <cstdint>
#include <string>

#include "npy.h"

// Floats from -1 to 1 (1 is left out), and integers from 0 to 99. In a buffer without a type ("u8" of a file of bytes) all bits
// are alike. The same numbers for a seed on each machine.
void fillRandom(Array* array, uint64_t seed);

// Empty: the same bits, or with a tolerance numbers that differ by at most that, or by that part of the expected one; NaN is as
// expected where NaN was expected. Else how many differ and the first of them, the rest of a sentence. Both have the same type
// and number of bytes.
std::string difference(const Array& found, const Array& expected, double tolerance);
