// Telling the world: plain notes, and violations of what CUDA defines.
#pragma once

namespace manyrt::simulated {

__attribute__((format(printf, 1, 2))) void note(const char* format, ...);

// Counted. `violation` goes on; `harm` is for what would damage memory and aborts, unless SIMULATED_CUDA_STRICT is 0.
__attribute__((format(printf, 1, 2))) void violation(const char* format, ...);
__attribute__((format(printf, 1, 2))) void harm(const char* format, ...);

int violations();
void forgetViolations();

}  // namespace manyrt::simulated
