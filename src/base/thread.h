// Starts threads of the library: named, detached, with all signals blocked so that a program's handlers run on its own
// threads. A failure to start is a Status, never an exception.
#pragma once

#include "base/status.h"

namespace manyrt {

Status startThread(const char* name, void (*body)(void*), void* user);

}  // namespace manyrt
