// Work-items on fibers, for kernels that cannot be split at their barriers: the calls that a compiled unit finds in
// rtHostFibers. A group's fibers run one after the other on the thread that runs the group. A fiber goes on until it waits at
// a barrier or ends, and then the next one does. So all have come to the barrier when the first one has its next turn.
//
// An exception that leaves an item ends the group: run() throws it again, and the items that wait at that time are never
// continued. Nothing in their frames is destructed and their stacks are used again; items own nothing that would leak. An
// item must not wait inside a catch block.
#pragma once

#include <cstdint>

#include "compiler/unit.h"

namespace manyrt::cpu::fibers {

extern const compiler::FiberCalls kCalls;

// In a library for ThreadSanitizer: as FiberCalls::run, but the sanitizer takes the items for threads. They run beside each
// other, after the caller and before its return. They must not wait.
void runApart(void (*item)(void* user, uint32_t index), void* user, uint32_t count);

uint32_t keptStacks();  // of the calling thread
// The index in its group of the item that the calling thread runs; kNone: no fiber. Safe in the handler of a signal.
constexpr uint32_t kNone = ~uint32_t{0};
uint32_t currentItem();
const char* kind();  // how fibers are switched: "boost" or "ucontext"

}  // namespace manyrt::cpu::fibers
