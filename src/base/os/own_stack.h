// Runs a function on a stack of its own on the calling thread: for deep recursion where no thread can be started.
#pragma once

#include <cstddef>

namespace manyrt {

// False: there was no memory for a stack of so many bytes, and `body` did not run. `body` must not throw.
bool runOnOwnStack(size_t bytes, void (*body)(void*), void* user);

}  // namespace manyrt
