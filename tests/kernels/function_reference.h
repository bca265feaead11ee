// Values to begin with for function_errors: fast, and not for special arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace reference {

// The function of each x; false: it is not here.
bool fill(const std::string& name, double* out, const double* x, size_t count);
// The error of each value, where the true value is a plain number and the error below `below`; else 1e9.
void errors(float* out, const float* got, const double* expected, size_t count, double below);

}  // namespace reference
