// Starts threads of the library: named, detached, with all signals blocked but those of crashes. So handlers of the program run
// on its own threads. A failure to start is a Status, never an exception.
#pragma once

#include "base/status.h"

namespace manyrt {

Status startThread(const char* name, void (*body)(void*), void* user);

// For state that a driver keeps by thread: each thread of the library runs `prepare` once, before it next works for a backend.
// One for each backend, never removed.
void prepareThreadsWith(void (*prepare)());
void prepareThread();  // called before such work. Does nothing on the threads of the program.

// Runs `body` on a thread with a stack of 64 MiB and waits for it. For recursion as deep as an input demands: the stack of the
// caller may be small. If no thread can be started, `body` runs on a stack of that size on the calling thread. OUT_OF_MEMORY:
// there was no stack either, and `body` did not run. `body` must not throw.
Status runOnLargeStack(void (*body)(void*), void* user);

}  // namespace manyrt
