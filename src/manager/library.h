// The life of the library in a process: started at the first use, ended once by rtShutdown, unusable in a forked child.
// The state is one word that every call reads.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.h"

namespace manyrt::manager::library {

enum State : uint32_t { kNew, kRunning, kShutDown, kForked };
extern std::atomic<uint32_t> state;
// Pools that give memory back at a synchronise. Of the whole process and beside the state, so that a synchronise learns that
// there is none from a line that it has read already.
extern std::atomic<uint32_t> trimming_pools;

inline bool running() { return state.load(std::memory_order_acquire) == kRunning; }

Status start();           // running afterwards, or why not
Status retain();          // rtInit
bool releaseReference();  // rtShutdown: true where this was the last, and the caller ends the library
void markShutDown();      // from here on calls are refused

}  // namespace manyrt::manager::library
