// For foreign libraries that write remarks to standard error, which belongs to the program.
#pragma once

#include <string>

namespace manyrt {

// Runs `body` on a thread with a descriptor table of its own, where standard error is memory. Waits for it and returns what it
// wrote. The program's descriptors, its environment and what its other threads write stay untouched. If the system grants no
// such thread, `body` runs on the caller's, and what it writes goes to the program's standard error. `body` must not throw.
std::string withPrivateStderr(void (*body)(void*), void* user);

}  // namespace manyrt
