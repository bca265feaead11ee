// For libraries that write remarks of their own to standard error, which belongs to the program.
#pragma once

#include <string>

namespace manyrt {

// Runs `body` on a thread with a table of file descriptors of its own, in which standard error is memory, waits for it, and
// returns what was written. The descriptors and the environment of the program, and what its other threads write meanwhile,
// stay as they are. Where the system grants no such thread the body runs on the caller's, and what it writes passes. `body`
// must not throw.
std::string withPrivateStderr(void (*body)(void*), void* user);

}  // namespace manyrt
