// Starts threads of the library: named, detached, with all signals blocked but those of crashes, so that a program's handlers
// run on its own threads. A failure to start is a Status, never an exception.
#pragma once

#include "base/status.h"

namespace manyrt {

Status startThread(const char* name, void (*body)(void*), void* user);

// For what a driver keeps for each thread: every thread of the library runs `prepare` once, before it next works for a backend.
// One for each backend, and never taken back.
void prepareThreadsWith(void (*prepare)());
void prepareThread();  // before such work. Does nothing on the program's own threads.

// Runs `body` on a thread with a stack of 64 MiB and waits for it: for recursion whose depth an input decides, as the caller's
// stack may be small. Where no thread can be had, on a stack of that size on the calling thread; OUT_OF_MEMORY where there is
// none either, and `body` did not run. `body` must not throw.
Status runOnLargeStack(void (*body)(void*), void* user);

}  // namespace manyrt
